"""Try an installed nonstop as a user would: a proposal, a study, a run from the command line; and see what it brought.

Run it in a fresh environment, with `python -I`, in a folder where it may write.
"""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import files
from importlib.util import find_spec
from pathlib import Path

HEAVY = ("torch", "jax", "pandas")
OBJECTIVE = f"""
import sys

def loss(params):
    assert not [name for name in {HEAVY!r} if name in sys.modules]
    return (params["x"] - 0.3) ** 2
"""


def installed() -> None:
    own = [path for path in files("nonstop") or [] if path.parts[0] not in ("..", "nonstop", "hydra_plugins")]
    assert all(path.parts[0].endswith(".dist-info") for path in own), own
    present = [name for name in (*HEAVY, "nonstop_bench") if find_spec(name) is not None]
    assert not present, f"a core install brought {present}"


def proposes() -> None:
    import nonstop

    print(nonstop.propose([[0.2], [0.7]], [0.1, 0.4]))
    study = nonstop.create_study(space=nonstop.Space({"x": nonstop.Float(0.0, 1.0)}), seed=0)
    study.optimize(lambda params: (params["x"] - 0.3) ** 2, n_trials=8)
    assert len(study.trials) == 8
    assert not [name for name in HEAVY if name in sys.modules]


def runs() -> None:
    """`nonstop run` with two worker processes, and a command."""
    Path("objective.py").write_text(OBJECTIVE, encoding="utf-8")
    nonstop = str(Path(sys.executable).with_name("nonstop"))
    few = ["-p", "x=float:0:1", "--n-trials", "6", "--workers", "2", "--storage", "sqlite:///try.db", "--quiet"]
    subprocess.run([nonstop, "run", "objective:loss", "--name", "function", *few], check=True)
    subprocess.run([nonstop, "run", "--command", "echo {x}", "--name", "command", *few], check=True)
    listed = subprocess.run([nonstop, "ls", "sqlite:///try.db"], check=True, capture_output=True, text=True)
    print(listed.stdout)


if __name__ == "__main__":
    installed()
    proposes()
    runs()
