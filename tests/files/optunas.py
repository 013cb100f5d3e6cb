"""Makes studies in Optuna for the tests, and the dump optuna.sql: .venv-peers/bin/python -m tests.files.optunas FILE"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from pathlib import Path
from typing import Any


def make(url: str) -> None:
    """Three studies: `mixed` with every kind of parameter and of end, `nested` with parameters that a choice brings
    along, `conditional` with some that no choice explains."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler = optuna.samplers.RandomSampler(seed=1)
    mixed = optuna.create_study(storage=url, study_name="mixed", direction="maximize", sampler=sampler)

    def objective(trial: Any) -> Any:
        number = trial.number
        if number == 3:
            raise ValueError("before anything was suggested")
        x = trial.suggest_float("x", -1.0, 1.0 if number else 2.0)
        lr = trial.suggest_float("lr", 1e-5, 1e-1, log=True)
        depth = trial.suggest_int("depth", 1, 12)
        width = trial.suggest_int("width", 16, 256, step=16)
        kind = trial.suggest_categorical("kind", ["a", 2, None, True])
        trial.set_user_attr("epochs", [number, "größer"])
        if number == 4:
            raise ValueError("after everything was suggested")
        if number == 5:
            raise optuna.TrialPruned
        if number == 6:
            return float("inf")
        return float(x + lr * depth + width / 256 + (kind == "a"))

    mixed.optimize(objective, n_trials=10, catch=(ValueError,))
    mixed.enqueue_trial({"x": 0.5})
    nested = optuna.create_study(storage=url, study_name="nested", sampler=optuna.samplers.RandomSampler(seed=2))

    def branches(trial: Any) -> Any:
        if trial.suggest_categorical("model", ["svm", "forest"]) == "svm":
            return trial.suggest_float("C", 1e-3, 1e3, log=True)
        return trial.suggest_float("share", 0.0, 1.0, step=0.25)

    nested.optimize(branches, n_trials=8)
    conditional = optuna.create_study(storage=url, study_name="conditional")

    def either(trial: Any) -> Any:
        return trial.suggest_float("y", 0.0, 1.0) if trial.number % 2 else trial.suggest_int("n", 1, 2)

    conditional.optimize(either, n_trials=4)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "optuna.db"
        make(f"sqlite:///{path}")
        with sqlite3.connect(path) as connection:
            Path(sys.argv[1]).write_text("\n".join(connection.iterdump()) + "\n", encoding="utf-8")
