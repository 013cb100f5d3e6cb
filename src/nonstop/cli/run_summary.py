"""What a run says at its end: the best, how much was done, where the time went, and what to type next."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nonstop.cli.summary import (
    believed_line,
    believed_of,
    best_line,
    best_of,
    counts_line,
    counts_of,
    failures_of,
    say_failures,
    usage_line,
    usage_of,
)
from nonstop.cli.target import VARIABLE
from nonstop.cli.terminal import complain, say, say_json, scrubbed
from nonstop.wording import duration

if TYPE_CHECKING:
    from nonstop.study import Study
    from nonstop.workers.usage import Usage

_STATES = {0: "finished", 1: "failed"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the workers ended: the exit code, what went wrong if something did, and where their time went."""

    code: int
    reason: str | None = None
    usages: tuple[Usage, ...] = ()


def ending_of(study: Study, url: str, outcome: Outcome, seconds: float) -> dict[str, Any]:
    """What `nonstop run --json` prints."""
    from nonstop.history import utilisation

    trials = study.trials
    place = [] if os.environ.get(VARIABLE) == url else [url]
    return {
        "name": study.name,
        "storage": scrubbed(url),
        "state": _STATES.get(outcome.code, "interrupted"),
        "reason": None if outcome.reason is None else scrubbed(outcome.reason),
        "seconds": seconds,
        "counts": counts_of(trials),
        "best": best_of(study),
        "believed": believed_of(study),
        **usage_of(outcome.usages or utilisation(trials)),
        "failures": failures_of(trials),
        "resume": typed("nonstop", *sys.argv[1:]),
        "next": typed("nonstop", "show", *place, study.name),
    }


def say_ending(ending: dict[str, Any], as_json: bool) -> None:
    if as_json:
        say_json(ending)
        return
    say(f"best     {best_line(ending['best'])}")
    if ending["believed"]:
        say(f"belief   {believed_line(ending['believed'])}")
    say(f"trials   {counts_line(ending['counts'])}, in {duration(ending['seconds'])}")
    if ending["workers"]:
        say(f"workers  {usage_line(ending['workers'])}")
    say_failures(ending["failures"])
    if ending["failures"]:
        say()
    if ending["state"] == "finished":
        say(f"next     {ending['next']}")
    else:
        complain(f"{ending['reason']}; nothing that was finished is lost")
        say(f"go on    {ending['resume']}", err=True)


def typed(*words: str) -> str:
    """The words as one types them, but for passwords."""
    return scrubbed(shlex.join(words))
