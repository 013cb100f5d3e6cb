"""The types that every room shares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: Real numbers in double precision, of any shape.
Array: TypeAlias = NDArray[np.float64]

#: What a parameter can be: the JSON scalars.
Value: TypeAlias = str | int | float | bool | None

#: One value for each parameter, by name. Which type each has is known to the space and not to a type checker, so it is
#: Any there: `params["lr"] * 2` and `train(**params)` pass, and functions may declare `dict[str, float]`.
Params: TypeAlias = Mapping[str, Any]

#: `X | MaybeNone` is X or None, for what is None in a state only that most code never sees: a type checker lets one use
#: it as an X without asking. typeshed has the same name for it.
MaybeNone: TypeAlias = Any

#: What an evaluation tells besides its value: anything that JSON can hold, by name. Any, for the same reason.
Notes: TypeAlias = Mapping[str, Any]

#: The numbers that an evaluation gave, by name.
Outcomes: TypeAlias = Mapping[str, float]

#: Whether small or large values of an objective are better.
Direction: TypeAlias = Literal["minimize", "maximize"]

#: Integers beyond this do not fit a column of SQLite or PostgreSQL.
LARGEST_INTEGER = 2**63 - 1
