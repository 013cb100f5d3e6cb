"""Studies by name: create one, load it again, delete it."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace

from nonstop.acquisition.rule import Rule
from nonstop.acquisition.rules import default_rule
from nonstop.arguments import flag, text
from nonstop.errors import StudyError
from nonstop.space import Space
from nonstop.storage import open_storage
from nonstop.storage.contract import Storage
from nonstop.study import Study
from nonstop.surrogate.model import Surrogate
from nonstop.trials.spec import Spec, resumed_spec
from nonstop.trials.suggest import checked_fixed
from nonstop.types import Direction
from nonstop.workers.objective import Objective
from nonstop.workers.stored import check_same, stored_text


def create_study(
    storage: str | Storage | None = None,
    name: str | None = None,
    *,
    space: Space,
    direction: Direction | None = None,
    rule: str | Rule | None = None,
    surrogate: str | Surrogate | None = None,
    seed: int | None = None,
    noisy: bool | None = None,
    initial: int | None = None,
    command: str | None = None,
    objective: str | Objective | None = None,
    objectives: Mapping[str, Direction] | None = None,
    constraints: Mapping[str, str] | None = None,
    load_if_exists: bool = False,
) -> Study:
    """A new study in a storage (a URL, or None for memory).

    What is not given has the defaults of nonstop.trials.spec.Spec: minimize, seed 0, the default rule and surrogate.
    With load_if_exists, the existing study of that name, if there is one: then what is not given is as stored, and what
    is given must equal what is stored (StudyMismatchError says what does not).

    `objectives={"error": "minimize", "latency": "minimize"}` names what is optimised, if it is more than one value:
    every result is then a mapping with these outcomes. `constraints={"memory": "<= 8.0"}` are outcomes that have to
    stay within a bound; what is best is the best that does.

    `objective` is what the study is to evaluate, "module:function" or a nonstop.Command: it is stored, shown to people
    and compared when the study is opened again. What runs is what optimize() is given.
    """
    given = {
        "space": space,
        "direction": direction,
        "rule": rule,
        "surrogate": surrogate,
        "seed": seed,
        "noisy": noisy,
        "initial": initial,
        "objectives": objectives,
        "constraints": constraints,
    }
    flag("load_if_exists", load_if_exists, StudyError)
    chosen = f"study-{uuid.uuid4().hex[:8]}" if name is None else text("name", name, StudyError)
    about = {"command": command, "objective": stored_text(objective)}
    chosen_ones = {key: value for key, value in {**given, **about}.items() if value is not None}
    if direction is not None and objectives is not None:
        raise StudyError("direction is for a study with one objective that has no name: say it in `objectives` instead")
    spec = Spec(**{"space": space, **chosen_ones})  # type: ignore[arg-type]
    if rule is None:
        spec = replace(spec, rule=default_rule(len(spec.goals.objectives)))
    given |= {"objectives": spec.objectives, "constraints": spec.constraints}
    checked_fixed(spec.space, None)  # or SpaceError, if its constraints leave nothing
    opened = open_storage(storage)
    try:
        return Study(opened, opened.create_study(chosen, spec.to_json()), spec)
    except StudyError:
        if not load_if_exists or name is None:
            raise
    study = _loaded(opened, chosen, given)
    check_same(
        chosen, study.spec.objective, about["objective"], "choose another name, or leave `objective` out to go on"
    )
    return study


def load_study(
    storage: str | Storage | None,
    name: str,
    rule: str | Rule | None = None,
    surrogate: str | Surrogate | None = None,
    space: Space | None = None,
) -> Study:
    """The study of that name. Pass the rule or surrogate again if it is an object of your own, and the space if it has
    a constraint that is a function."""
    given = {"rule": rule, "surrogate": surrogate, "space": space}
    return _loaded(open_storage(storage), text("name", name, StudyError), given)


def delete_study(storage: str | Storage, name: str) -> None:
    """Delete a study and all its trials, for ever. Whoever still works on it gets a StudyError."""
    opened = open_storage(storage)
    opened.delete_study(opened.load_study(text("name", name, StudyError)).id)


def _loaded(storage: Storage, name: str, given: Mapping[str, object]) -> Study:
    record = storage.load_study(name)
    return Study(storage, record, resumed_spec(name, record.spec, given))
