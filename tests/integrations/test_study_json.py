"""A study in memory as JSON and back, whatever its trials are doing."""

from __future__ import annotations

import json

import nonstop
from nonstop.integrations.study_json import study_from_json, study_to_json

SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})


def test_what_waits_before_what_runs_still_waits() -> None:
    study = nonstop.create_study(space=SPACE, seed=1)
    study.enqueue({"x": 0.5})
    first, second = study.ask(worker="anna"), study.ask(worker="bert")
    study.give_back(first)
    study.tell(study.ask(), 1.0)  # the one that was given back
    study.enqueue({"x": 0.7})
    waiting = study.enqueue({"x": 0.8})
    third = study.ask()
    study.give_back(third)
    last = study.ask(worker="carl")
    assert last.number == third.number
    again = study_from_json(json.loads(json.dumps(study_to_json(study))))
    was, now = ([(t.number, t.state, t.params) for t in it.trials] for it in (study, again))
    assert now == was
    assert again.trials[second.number].worker == "bert"
    again.tell(second.number, 2.0)
    assert again.ask().number == study.ask().number == waiting.number


def test_one_that_waits_behind_is_given_out_next() -> None:
    study = nonstop.create_study(space=SPACE)
    study.enqueue({"x": 0.5})
    study.enqueue({"x": 0.7})
    first, _ = study.ask(), study.ask()
    study.give_back(first)
    again = study_from_json(json.loads(json.dumps(study_to_json(study))))
    assert [trial.state for trial in again.trials] == ["waiting", "running"]
    assert again.ask().params == {"x": 0.5}
