"""What a study says that it evaluates: run here only after somebody has seen it and agreed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from nonstop.cli.terminal import echo
from nonstop.wording import shown

if TYPE_CHECKING:
    from nonstop.study import Study
    from nonstop.workers.command import Command

#: Says that it may be run.
STORED = "--stored"


def stored_objective(study: Study, agreed: bool) -> str | Command:
    """The objective that the study has, if the user agrees. Whoever can write to the storage can write it there."""
    from nonstop.workers.stored import described, objective_from

    text = study.spec.objective
    if text is None:
        raise click.UsageError(f"what to evaluate? {shown(study.name)} does not say: give MODULE:FUNCTION or --command")
    objective = objective_from(text)
    if agreed:
        echo(f"nonstop: evaluating {described(text)}, which is stored in the study", err=True)
    elif not sys.stdin.isatty():
        raise click.UsageError(
            f"what to evaluate? {shown(study.name)} says {described(text)}: give it, or agree with {STORED}"
        )
    else:
        echo(f"{study.name} is to evaluate {described(text)}", err=True)
        if not click.confirm("run this here?", err=True):
            raise click.Abort
    return objective
