"""Command lines with words changed, left out and repeated: an exit code that is documented, never a traceback."""

from __future__ import annotations

import io
import os
import random
import tempfile
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

import nonstop
from nonstop.cli.app import main
from tests.helpers.fuzzing import loop, number, whole, word

LONG, SHORT = 40_000, 400
URL = "sqlite:///runs.db"
CODES = {0, 1, 2, 130}
#: None of these evaluates anything: `run` and `worker` have no budget, or an objective that does not exist.
COMMANDS = [
    ["ls", URL],
    ["ls", URL, "--json"],
    ["show", URL, "demo"],
    ["show", URL, "demo", "--json"],
    ["best", URL, "demo"],
    ["export", URL, "demo", "--format", "csv"],
    ["export", URL, "demo", "--format", "jsonl", "-o", "out.jsonl"],
    ["run", "absent:loss", "-p", "x=float:0:1", "--n-trials", "3", "--seed", "1"],
    ["run", "--command", "echo {y}", "-p", "x=int:1:9:log", "--n-trials", "3", "--workers", "2"],
    ["run", "absent:loss", "-p", "c=cat:a,b", "--timeout", "2h", "--lease", "10", "--max-failures", "3"],
    ["run", "study.toml", "--rule", "ucb", "--surrogate", "paper", "--direction", "maximize", "--noisy"],
    ["worker", URL, "demo", "absent:loss", "--n-trials", "3", "--trial-timeout", "5m"],
    ["worker", URL, "demo", "--command", "echo", "--lease", "5"],
    ["--version"],
    ["--help"],
]


def run(count: int, seed: int, deadline_seconds: float) -> int:
    """Change command lines; see tests.helpers.fuzzing.loop."""
    before = {name: os.environ.pop(name, None) for name in ("NONSTOP_STORAGE", "NONSTOP_DEBUG")}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        study = nonstop.create_study(URL, "demo", space=nonstop.Space({"x": nonstop.Float(0.0, 1.0)}))
        study.tell(study.ask("anna"), 0.5)
        study.storage.close()
        Path("study.toml").write_text(
            'objective = "absent:loss"\nn_trials = 3\n[space.x]\ntype="float"\nlow=0\nhigh=1\n'
        )
        try:
            return loop(count, seed, deadline_seconds, one)
        finally:
            os.environ.update({name: value for name, value in before.items() if value is not None})


def one(source: random.Random) -> None:
    """One changed command line, in this process."""
    words = _changed(source)
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main(words)
        except SystemExit as left:
            code = left.code
    said = err.getvalue()
    assert code in CODES, (words, code, said)
    assert "Traceback" not in said, (words, said)
    assert code in (0, 130) or said, words


def _changed(source: random.Random) -> list[str]:
    words = list(source.choice(COMMANDS))
    for _ in range(source.randrange(1, 4)):
        if not words:
            break
        place = source.randrange(len(words))
        match source.randrange(6):
            case 0:
                del words[place]
            case 1:
                words.insert(place, source.choice(words))
            case 2:
                words[place] = _word(source)
            case 3:
                words[place] += _word(source)
            case 4:
                words[place] = words[place][: source.randrange(len(words[place]) + 1)]
            case _:
                words.insert(
                    place, source.choice(("--json", "--quiet", "--seed", "--name", "-p", "--", "-o", "--port"))
                )
    # Not what would serve, open a browser or connect to a cluster.
    return [it for it in words if it not in ("dashboard", "ray", "dask")]


def _word(source: random.Random) -> str:
    return source.choice((word, lambda it: repr(number(it)), lambda it: str(whole(it) % 10**400)))(source)
