"""Command lines with words changed, left out and repeated: an exit code that is documented, never a traceback."""

from __future__ import annotations

import io
import os
import random
import tempfile
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

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
    ["worker", "runs.db", "--n-trials", "3", "--stored"],
    ["create", "-p", "x=float:0:1", "--name", "new", "--storage", URL, "--seed", "3"],
    ["ask", "runs.db", "demo", "--lease", "10m", "--worker", "anna"],
    ["tell", "runs.db", "demo", "1", "-0.5", "--note", "epochs=3"],
    ["tell", URL, "demo", "1", "--failed", "--reason", "boom"],
    ["tell", "demo", "--value", "1e-3"],
    ["enqueue", "runs.db", "demo", "x=0.5"],
    ["enqueue", URL, "demo", '{"x": 0.25}'],
    ["retry", "runs.db", "demo", "0", "1", "--reason", "boom", "--again", "--json"],
    ["rename", URL, "spare", "other"],
    ["copy", URL, "demo", "second", "--to", "copies.db", "--empty"],
    ["delete", URL, "spare"],
    ["delete", URL, "second", "--yes"],
    ["import", "runs.db", "demo", "rows.csv", "--value", "loss", "--keep-unknown", "--dry-run"],
    ["import", URL, "demo", "rows.jsonl", "--format", "jsonl", "--again", "--raw"],
    ["import", URL, "--optuna", "runs.db", "--study", "mixed"],
    ["--version"],
    ["--help"],
]


def run(count: int, seed: int, deadline_seconds: float) -> int:
    """Change command lines; see tests.helpers.fuzzing.loop."""
    before = {name: os.environ.pop(name, None) for name in ("NONSTOP_STORAGE", "NONSTOP_DEBUG")}
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        study = nonstop.create_study(URL, "demo", space=nonstop.Space({"x": nonstop.Float(0.0, 1.0)}))
        study.tell(study.ask("anna"), 0.5)
        study.copy("spare")
        study.storage.close()
        Path("study.toml").write_text(
            'objective = "absent:loss"\nn_trials = 3\n[space.x]\ntype="float"\nlow=0\nhigh=1\n'
        )
        Path("rows.csv").write_text("x,loss,note\n0.5,1,a\n0.25,x,\n")
        Path("rows.jsonl").write_text('{"params": {"x": 0.5}, "value": 1}\n{"params": {"x": 5}}\n')
        try:
            return loop(count, seed, deadline_seconds, one)
        finally:
            os.environ.update({name: value for name, value in before.items() if value is not None})


def one(source: random.Random) -> None:
    """One changed command line, in this process."""
    words = _changed(source)
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    given = io.StringIO(source.choice(("", "7", '{"number": 0, "value": 0.5}', word(source))))
    with redirect_stdout(out), redirect_stderr(err), mock.patch("sys.stdin", given):
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
