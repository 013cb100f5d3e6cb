"""`nonstop-bench arena`: run a half of the arena, or some of it, and print its tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path

import click

from nonstop_bench import experiment, records
from nonstop_bench.arena.halves import ARENA, kind
from nonstop_bench.arena.table import report
from nonstop_bench.case import OURS, Case
from nonstop_bench.contest import at_equal_evaluations
from nonstop_bench.options import RESULTS, WORKERS
from nonstop_bench.presets import preset
from nonstop_bench.records import Record

PARTS = [part.name.removeprefix("arena/") for part in ARENA]
#: The first contest: its nine tasks are the formulas of the held-out half, so runs of the same cases count here, too.
FIRST = "peers/held-out"


@click.command()
@click.argument("parts", nargs=-1, required=True, type=click.Choice(PARTS), metavar="PART...")
@click.option("--seeds", type=click.IntRange(1), help="How many seeds, from 0 on.  [default: 10]")
@click.option("--rules", help="Only these contenders, with commas between them: nonstop, hebo, rule@surrogate, …")
@click.option("--tasks", help="Only these tasks or kinds of tasks, with commas between them; * stands for anything.")
@WORKERS
@RESULTS
@click.option("--only-table", is_flag=True, help="Run nothing; print the tables of existing results.")
def arena(
    parts: tuple[str, ...],
    seeds: int | None,
    rules: str | None,
    tasks: str | None,
    workers: int | None,
    results: Path,
    only_table: bool,
) -> None:
    """Run parts of the arena (choosing, choosing-noise, choosing-sparse, held-out, …) and print one table of them.

    The other optimisers need their extras, and hebo `make peers-hebo`. What was run already is not run again.

    \b
    nonstop-bench arena choosing --rules nonstop,hebo --tasks 'bbob-*,tune-*' --seeds 3
    nonstop-bench arena held-out held-out-noise held-out-sparse --only-table
    nonstop-bench arena held-out --tasks formulas --only-table
    """
    names, wanted = [f"arena/{part}" for part in parts], _listed(tasks)
    for name in [] if only_table else names:
        chosen = picked(name, seeds, _listed(rules), wanted)
        for record in experiment.perform(chosen, results / f"{name}.jsonl", workers=workers):
            case = record.case
            click.echo(f"{case.problem} {case.label} seed {case.seed}: {at_equal_evaluations(record):.3g}", err=True)
    found = [record for name in names for record in gathered(results, name) if _is_one(record.case.problem, wanted)]
    if not found:
        raise FileNotFoundError(f"no results of {', '.join(names)} in {results}")
    only = [] if tasks is None else ["--tasks", tasks]
    command = " ".join(["arena", *parts, *only, "--only-table", "--results", results.as_posix()])
    click.echo(f"<!-- nonstop-bench {command} -->\n\n{report(found)}")


def gathered(results: Path, name: str) -> list[Record]:
    """The runs of a part. Of the first contest, those of the other optimisers that the part asks for, too, unless they
    were made again: they are older than records that say which commit made them, but ours is not what made them."""
    own = records.stored(results, name)
    open_to = set(preset(name).cases()) - {run.case for run in own}
    earlier = [run for run in records.stored(results, FIRST) if run.case.optimizer != OURS]
    return own + [run for run in earlier if run.case in open_to]


def picked(name: str, seeds: int | None, rules: Sequence[str] | None, tasks: Sequence[str] | None) -> list[Case]:
    """The cases of an experiment by these contenders on these tasks. Any configuration of ours may be one of them."""
    chosen = preset(name)
    bases = (chosen.base, *chosen.also)
    unknown = [task for task in tasks or () if not any(_is_one(base.problem, [task]) for base in bases)]
    if unknown:
        raise ValueError(f"{name} has no {', '.join(unknown)}, only {', '.join(base.problem for base in bases)}")
    own = tuple(rule for rule in rules or () if rule not in chosen.peers)
    cases = replace(chosen, rules=own or chosen.rules).cases(seeds, rules)
    return [case for case in cases if _is_one(case.problem, tasks)]


def _is_one(problem: str, tasks: Sequence[str] | None) -> bool:
    """Is it one of these tasks, or of one of these kinds?"""
    return tasks is None or any(task == kind(problem) or fnmatch(problem, task) for task in tasks)


def _listed(text: str | None) -> list[str] | None:
    return [each.strip() for each in text.split(",")] if text else None
