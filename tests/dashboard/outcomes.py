"""Studies with several outcomes to look at: two objectives and a constraint, one objective, and nothing feasible."""

from __future__ import annotations

import math

import nonstop
from nonstop.types import Direction, Params

#: An outcome that would like to be more than a word.
MEMORY = "<b>memory</b> %{x}"
SPACE = nonstop.Space(
    {
        "lr": nonstop.Float(1e-4, 1e-1, log=True),
        "depth": nonstop.Int(1, 12),
        "kind": nonstop.Categorical(["plain", "residual"]),
    }
)


def training(params: Params) -> dict[str, float]:
    """A network: deeper ones err less, take longer and need more memory."""
    lr, depth = params["lr"], params["depth"]
    assert isinstance(lr, float)
    assert isinstance(depth, int)
    residual = params["kind"] == "residual"
    return {
        "error": 0.05 + 0.05 * (math.log10(lr) + 2.5) ** 2 + 0.3 / depth + (0.0 if residual else 0.02),
        "latency": 0.4 * depth + (0.5 if residual else 0.0),
        MEMORY: 2.0 + 0.6 * depth + 20.0 * lr,
        "energy": 3.0 * depth,
    }


def fill(url: str) -> None:
    """`several` has two objectives and a constraint, `constrained` one objective, `hopeless` nothing feasible."""
    goals: dict[str, Direction] = {"error": "minimize", "latency": "minimize"}
    several = nonstop.create_study(
        url, "several", space=SPACE, objectives=goals, constraints={MEMORY: "<= 8.0"}, initial=10**6
    )
    bounds = {MEMORY: "<= 8.0", "latency": "<= 3.0"}
    one = nonstop.create_study(
        several.storage, "constrained", space=SPACE, objectives={"error": "minimize"}, constraints=bounds, initial=10**6
    )
    none = nonstop.create_study(
        several.storage, "hopeless", space=SPACE, objectives=goals, constraints={MEMORY: "<= 1.0"}, initial=10**6
    )
    for study, results in ((several, 40), (one, 30), (none, 12)):
        for i in range(results):
            trial = study.ask(f"worker-{i % 3}")
            study.tell(trial, training(trial.params or {}))
        study.tell(study.ask("worker-0"), state="failed", reason="ValueError: no")
        study.ask("worker-1")
    several.storage.close()
