"""Apply each mutant to a copy of the source and run the tests that are to notice it.

    python -m tests.mutants.run [--only TEXT] [--jobs 2] [--out FILE]

Fails if the tests fail without a mutant, if a mutant cannot be applied, or if less than nine in ten are noticed.
"""

from __future__ import annotations

import argparse
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.edits import EDITS, TESTS, Edit

ROOT = Path(__file__).parents[2]
TARGET = 0.9
#: Tests that take longer than this many seconds, and so many times as long as without a mutant, have noticed it.
PATIENCE, SLOWER = 60.0, 4.0
#: One file of one database is enough here; make test has them all.
QUICK = "not postgresql and not journal"


@dataclass(frozen=True)
class Verdict:
    edit: Edit
    killed: bool
    #: The first test that failed, or how it ended otherwise.
    by: str
    seconds: float


def mutated(source: str, edit: Edit) -> str:
    """The source with its mistake; ValueError unless the old text occurs exactly once."""
    found = source.count(edit.old)
    if found != 1:
        raise ValueError(f"{edit.file}: {edit.old!r} occurs {found} times instead of once; renew the mutant")
    return source.replace(edit.old, edit.new)


def noticing(file: str) -> tuple[str, ...]:
    return TESTS[max((room for room in TESTS if file.startswith(room)), key=len)]


def failing_test(tests: Sequence[str], source: Path, patience: float) -> str | None:
    """The first test that fails on this copy of src; None if all pass."""
    words = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-k", QUICK, *tests]
    environment = {**os.environ, "PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.Popen(
        words,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = run.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        os.killpg(run.pid, 9)
        run.communicate()
        return f"nothing ended within {patience:g} s"
    if run.returncode == 0:
        return None
    said = [line for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return said[0].split(" ")[1].partition("::")[2] or said[0] if said else f"exit code {run.returncode}"


def usual_seconds(tests: Sequence[str], copies: queue.Queue[Path]) -> float:
    """How long these tests take without a mutant; RuntimeError if one of them fails."""
    copy, before = copies.get(), time.monotonic()
    try:
        by = failing_test(tests, copy, 1000.0)
    finally:
        copies.put(copy)
    if by is not None:
        raise RuntimeError(f"without any mutant: {by}")
    return time.monotonic() - before


def tried(edit: Edit, copies: queue.Queue[Path], usual: float) -> Verdict:
    copy, before = copies.get(), time.monotonic()
    path = copy / "nonstop" / edit.file
    original = path.read_text()
    try:
        path.write_text(mutated(original, edit))
        by = failing_test(noticing(edit.file), copy, PATIENCE + SLOWER * usual)
    finally:
        path.write_text(original)
        copies.put(copy)
    verdict = Verdict(edit, by is not None, by or "nothing", time.monotonic() - before)
    print(f"{'killed  ' if verdict.killed else 'SURVIVED'} {row(verdict)}", flush=True)
    return verdict


def row(verdict: Verdict) -> str:
    def cell(text: str) -> str:
        words = " ".join(text.split()).replace("|", "\\|")
        return f"`{words}`" if words else "(nothing)"

    edit = verdict.edit
    fate = "killed" if verdict.killed else "**survived**"
    return f"| {edit.file} | {cell(edit.old)} | {cell(edit.new)} | {fate} | {verdict.by} |"


def table(verdicts: Iterable[Verdict], seconds: float) -> str:
    verdicts = list(verdicts)
    killed = sum(verdict.killed for verdict in verdicts)
    share = f"{killed / len(verdicts):.0%}; the target is {TARGET:.0%}"
    lines = [
        "# Mutants",
        "",
        f"{killed} of {len(verdicts)} are noticed ({share}), in {seconds / 60:.0f} minutes with two at once.",
        "Each is one mistake in the source; the tests that are to notice it run until one of them fails.",
        "Made by `make mutants`.",
        "",
        "| file | text | instead | fate | noticed by |",
        "|---|---|---|---|---|",
        *(row(verdict) for verdict in verdicts),
        "",
    ]
    return "\n".join(lines)


def copied(folder: Path, jobs: int) -> queue.Queue[Path]:
    copies: queue.Queue[Path] = queue.Queue()
    for job in range(jobs):
        copies.put(shutil.copytree(ROOT / "src", folder / str(job), ignore=shutil.ignore_patterns("__pycache__")))
    return copies


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="mutants whose file or text contains this")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    edits = [edit for edit in EDITS if options.only in f"{edit.file} {edit.old} {edit.new}"]
    for edit in edits:
        mutated((ROOT / "src" / "nonstop" / edit.file).read_text(), edit)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(options.jobs) as pool:
        copies = copied(Path(folder), options.jobs)
        suites = sorted({noticing(edit.file) for edit in edits})
        usual = dict(zip(suites, pool.map(lambda tests: usual_seconds(tests, copies), suites), strict=True))
        verdicts = list(pool.map(lambda edit: tried(edit, copies, usual[noticing(edit.file)]), edits))
    text = table(verdicts, time.monotonic() - started)
    if options.out is not None:
        options.out.write_text(text)
    killed = sum(verdict.killed for verdict in verdicts)
    print(f"{killed} of {len(verdicts)} killed")
    return int(killed < TARGET * len(verdicts))


if __name__ == "__main__":
    sys.exit(main())
