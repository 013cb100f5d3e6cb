"""Which choice brings a parameter along, told from the trials that have it: a flat list of params becomes a tree.

A parameter that only some trials have is there because of a choice: of those that all these trials have, one whose
values in trials with the parameter differ from its values in trials without it. What is still not there in all trials
of such a branch is explained by a choice inside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from nonstop.errors import SpaceError
from nonstop.space import Categorical, Parameter, Space
from nonstop.wording import shown

#: The params of one trial.
Row: TypeAlias = Mapping[str, Any]
#: The parameter of a name, without what its choices bring along.
Declare: TypeAlias = Callable[[str], Parameter]


def tree_of(rows: Sequence[Row], declare: Declare) -> tuple[Space, list[str]]:
    """The space of all rows, and a remark for each condition that it has; SpaceError if one cannot be told."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    remarks: list[str] = []
    return _space(rows, names, declare, remarks), remarks


def _space(rows: Sequence[Row], names: Sequence[str], declare: Declare, remarks: list[str]) -> Space:
    always = [name for name in names if all(name in row for row in rows)]
    choices = {name: declare(name) for name in always}
    deciding = {name: found for name, found in choices.items() if isinstance(found, Categorical)}
    brought: dict[str, list[str]] = {}
    for name in names:
        if name not in choices:
            brought.setdefault(_decider(name, rows, list(deciding)), []).append(name)
    for decider, others in brought.items():
        choices[decider] = _with_branches(decider, deciding[decider], others, rows, declare, remarks)
    return Space(choices)


def _decider(name: str, rows: Sequence[Row], candidates: Sequence[str]) -> str:
    """The choice that explains best when this parameter is there: exactly, or at least that it is not."""
    partly = None
    for candidate in candidates:
        having = {_key(row[candidate]) for row in rows if name in row}
        lacking = {_key(row[candidate]) for row in rows if name not in row}
        if not having & lacking:
            return candidate
        if lacking - having and partly is None:
            partly = candidate
    if partly is None:
        count = sum(name in row for row in rows)
        raise SpaceError(
            f"parameter {shown(name)} is in {count} of {len(rows)} trials, and no choice explains in which: create the "
            "study first, with a space of your own"
        )
    return partly


def _with_branches(
    name: str, choice: Categorical, others: Sequence[str], rows: Sequence[Row], declare: Declare, remarks: list[str]
) -> Categorical:
    """The choice with the parameters that each of its values brings along."""
    branches: dict[Any, Space | None] = {}
    for value in choice.choices:
        chosen = [row for row in rows if _key(row[name]) == _key(value)]
        inside = [other for other in others if any(other in row for row in chosen)]
        branches[value] = _space(chosen, inside, declare, remarks) if inside else None
        if inside:
            remarks.append(f"{', '.join(inside)}: there when {name} is {value}, as in all trials")
    return Categorical(branches)


def _key(value: object) -> tuple[type, object]:
    return type(value), value
