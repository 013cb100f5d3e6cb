"""A Hydra application whose sweep never waits: python train.py -m

What it returns is minimised. Jobs take different times, as trainings do.
"""

from __future__ import annotations

import logging
import math
import time

import hydra
from omegaconf import DictConfig

LOG = logging.getLogger(__name__)


@hydra.main(version_base=None, config_path=".", config_name="config")
def train(config: DictConfig) -> float:
    """Stands for a training: its loss is best at lr = 1e-3, depth = 6 and l1."""
    time.sleep(config.seconds * (1.0 + config.depth / 6.0))
    extra = 0.0 if config.loss == "l1" else 0.3
    loss: float = (math.log10(config.lr) + 3.0) ** 2 + 0.1 * (config.depth - 6) ** 2 + extra
    LOG.info("loss %.4f", loss)
    return loss


if __name__ == "__main__":
    train()
