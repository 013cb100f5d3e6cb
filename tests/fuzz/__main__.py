"""Every fuzzer of this folder, one after the other: `make fuzz`. Prints a table, and writes it to a file."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import sys
import time
import traceback
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import tests.fuzz

#: Inputs of a fuzzer that does not say how many: LONG for `make fuzz`, SHORT for `make test`.
LONG, SHORT = 20_000, 100


class Line(NamedTuple):
    """What one fuzzer did."""

    name: str
    inputs: int
    seconds: float
    findings: int


def fuzzers() -> dict[str, ModuleType]:
    """The modules of this folder that have a run(), by name."""
    names = sorted(module.name for module in pkgutil.iter_modules(tests.fuzz.__path__))
    modules = {
        name: importlib.import_module(f"tests.fuzz.{name}") for name in names if not name.startswith(("_", "test_"))
    }
    return {name: module for name, module in modules.items() if hasattr(module, "run")}


def fuzz(name: str, module: ModuleType, count: int, seed: int, deadline: float) -> Line:
    """Run one fuzzer; after a finding it goes on with another seed, so that one does not hide the others."""
    began, tried, findings = time.monotonic(), 0, 0
    while tried < count and findings < 5 and (left := deadline - (time.monotonic() - began)) > 0.0:
        try:
            tried += module.run(count - tried, seed + findings, left)
        except AssertionError:
            findings += 1
            traceback.print_exc()
    return Line(name, tried, time.monotonic() - began, findings)


def main() -> int:
    """The exit code: 1 if something was found."""
    parser = argparse.ArgumentParser(prog="make fuzz")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32)
    parser.add_argument("--scale", type=float, default=1.0, help="a factor of the number of inputs")
    parser.add_argument("--minutes", type=float, default=60.0, help="at most, for each fuzzer")
    parser.add_argument("--only", nargs="*", help="names of fuzzers")
    parser.add_argument("--out", type=Path, help="where to write the table")
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    lines = []
    for name, module in fuzzers().items():
        if not given.only or name in given.only:
            count = round(getattr(module, "LONG", LONG) * given.scale)
            lines.append(fuzz(name, module, count, given.seed, 60.0 * given.minutes))
            print("{:14} {:>9,} inputs {:>8.1f} s {:>3} findings".format(*lines[-1]), flush=True)
    table = _table(lines, given.seed)
    print(table)
    if given.out is not None:
        given.out.write_text(table)
    return int(any(line.findings for line in lines))


def _table(lines: list[Line], seed: int) -> str:
    total = Line(
        "all", sum(it.inputs for it in lines), sum(it.seconds for it in lines), sum(it.findings for it in lines)
    )
    rows = [f"| {it.name} | {it.inputs:,} | {it.seconds:.0f} | {it.findings} |" for it in (*lines, total)]
    head = ["# Fuzzing", "", f"`make fuzz ARGS='--seed {seed}'`; one process.", ""]
    return "\n".join([*head, "| fuzzer | inputs | seconds | findings |", "|---|---:|---:|---:|", *rows, ""])


if __name__ == "__main__":
    sys.exit(main())
