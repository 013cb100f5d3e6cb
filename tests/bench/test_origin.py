"""A record says which code made it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np

import nonstop
from nonstop_bench.case import Case
from nonstop_bench.origin import OUTSIDE, commit_of, origin
from nonstop_bench.run import run
from nonstop_bench.settings import settings_of


def git(root: Path, *words: str) -> str:
    named = ("-c", "user.name=n", "-c", "user.email=e@x")
    return subprocess.run(["git", "-C", root, *named, *words], check=True, capture_output=True, text=True).stdout


def test_the_commit_and_whether_the_code_was_changed(tmp_path: Path) -> None:
    root = tmp_path.resolve()
    assert commit_of(root) == (OUTSIDE, False), "no repository"
    git(root, "init", "-q")
    (root / "src").mkdir()
    (root / "src/a.py").write_text("1\n")
    (root / "notes").write_text("x")
    git(root, "add", ".")
    git(root, "commit", "-qm", "one")
    commit = git(root, "rev-parse", "HEAD").strip()
    assert commit_of(root) == (commit, True)
    (root / "notes").write_text("changed, but it is no code")
    assert commit_of(root) == (commit, True)
    (root / "src/b.py").write_text("2\n")
    assert commit_of(root) == (commit, False), "a new file is a change"
    (root / "src/b.py").unlink()
    (root / "src/a.py").write_text("3\n")
    assert commit_of(root) == (commit, False)
    assert commit_of(root / "src") == (OUTSIDE, False), "another repository around an installed package is not its own"


def test_a_run_carries_its_origin_and_all_settings() -> None:
    record = run(Case("branin", rule="lp-ucb", q=2, horizon=1.0))
    made = origin()
    assert (record.commit, record.clean, record.versions) == (made.commit, made.clean, made.versions)
    assert set(made.versions) == {"nonstop", "numpy", "scipy", "python", "blas"}
    assert made.versions["numpy"] == np.__version__
    assert record.settings == settings_of(record.case)
    assert record.settings["rule"] == {
        "is": "Penalized",
        "inner": {"is": "UCB", "beta": 2.0},
        "local": False,
        "gamma": 1.0,
    }
    surrogate = record.settings["surrogate"]
    assert (surrogate["kernel"], surrogate["candidates"]) == ("rbf", nonstop.Surrogate().candidates)
    assert surrogate["lengthscale_prior"]["is"] == "LogNormal"
    assert (surrogate["starts"], surrogate["around"]) == (10, False)
    assert set(record.settings["maximizer"]) == {"fewest", "shortlist", "climb", "around"}
    assert record.took is not None
    assert record.took > 0.0
    assert settings_of(Case("branin", optimizer="smac-rf")) == {"optimizer": "smac-rf"}
