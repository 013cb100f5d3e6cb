"""HEBO behind a pipe: a script for an environment of its own, where neither nonstop nor a current NumPy can be.

It imports HEBO, and nothing of ours. A line of JSON comes in, a line goes out:

    {"space": [...], "seed": 0}       -> {}                     once, at the start
    {"tell": {...}, "value": 0.3}     -> {}
    {"ask": 8}                        -> {"params": [...]}      so many suggestions
    anything that fails               -> {"error": "its traceback"}

Every answer has "seconds", the processor time of this process so far. It ends with its input, or with its parent.
"""

from __future__ import annotations

import json
import os
import random
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import torch
from hebo.design_space.design_space import DesignSpace
from hebo.optimizers.hebo import HEBO

#: HEBO's initial design is replaced by the data that all contenders get; it never takes less than two.
INITIAL = 2


def made(space: Sequence[Mapping[str, Any]], seed: int) -> Any:
    """A HEBO that has seen nothing yet."""
    torch.set_num_threads(1)
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - what HEBO and pymoo draw from
    torch.manual_seed(seed)
    return HEBO(DesignSpace().parse(space), rand_sample=INITIAL, scramble_seed=seed)


def answered(optimizer: Any, line: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to one line after the first."""
    if "tell" in line:
        row = pd.DataFrame([line["tell"]], columns=optimizer.space.para_names)
        optimizer.observe(row, np.array([[line["value"]]]))
        return {}
    suggested = optimizer.suggest(n_suggestions=line["ask"]).to_dict("records")
    return {"params": [{name: _plain(value) for name, value in params.items()} for params in suggested]}


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _end_with(parent: int) -> None:
    """A suggestion takes seconds; who asked for it may be killed meanwhile."""
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


def main() -> None:
    """Answer until the input ends."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    warnings.simplefilter("ignore")
    pipe = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # HEBO prints its jitter to standard output
    optimizer: Any = None
    for text in sys.stdin:
        answer: dict[str, Any] = {}
        try:
            line = json.loads(text)
            if optimizer is None:
                optimizer = made(line["space"], line["seed"])
            else:
                answer = answered(optimizer, line)
        except Exception:
            answer = {"error": traceback.format_exc()}
        pipe.write(json.dumps({**answer, "seconds": time.process_time()}) + "\n")
        pipe.flush()


if __name__ == "__main__":
    main()
