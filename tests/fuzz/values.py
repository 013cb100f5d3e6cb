"""tell(), ask(), enqueue() and add_trial() with any object: a finite number is stored, or nothing is changed."""

from __future__ import annotations

import math
import random

import nonstop
from nonstop.errors import NonstopError
from tests.helpers.fuzzing import anything, check_line, loop

LONG, SHORT = 80_000, 1500
SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0), "c": nonstop.Categorical(["a", 1, None])})
#: Trials after which a new study begins.
_TRIALS = 200


def run(count: int, seed: int, deadline_seconds: float) -> int:
    """Tell; see tests.helpers.fuzzing.loop."""
    studies: list[nonstop.Study] = []

    def one(source: random.Random) -> None:
        if not studies or len(studies[-1].trials) > _TRIALS:
            studies[:] = [nonstop.create_study(space=SPACE, initial=10**6)]
            studies[-1].ask()
        _told(source, studies[-1])

    return loop(count, seed, deadline_seconds, one)


def _told(source: random.Random, study: nonstop.Study) -> None:
    before, value = study.trials, anything(source)
    calls = (
        lambda: study.tell(before[-1], value),
        lambda: study.tell(value, 1.0),
        lambda: study.tell(before[-1].number, state="failed", reason=value),
        lambda: study.tell(before[-1], 1.0, state=value),
        lambda: study.add_trial({"x": 0.5, "c": "a"}, value),
        lambda: study.add_trial({"x": value, "c": value}, 1.0),
        lambda: study.enqueue(value),
        lambda: study.ask(worker=value),
    )
    try:
        source.choice(calls)()
    except NonstopError as error:
        check_line(error)
        assert study.trials == before
    else:
        assert all(math.isfinite(trial.value) for trial in study.trials if trial.value is not None)
        if study.trials[-1].state.finished:
            study.ask()
