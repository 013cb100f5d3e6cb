"""What a study stores of itself, as JSON: unchanged when it is sound, and refused in words when it is not."""

from __future__ import annotations

import json
import random
from typing import Any

from nonstop.errors import NonstopError
from nonstop.space import Float, Int, Space
from nonstop.trials.diagnostics import Diagnostics
from nonstop.trials.spec import Spec, has_objects, resumed_spec, spec_for_viewing
from tests.helpers.fuzzing import check_line, loop, number, stored, word
from tests.helpers.trials import modelled

LONG, SHORT = 310_000, 2000
SPEC = Spec(Space({"x": Float(0.0, 1.0), "k": Int(1, 9)}), seed=3, command="nonstop run").to_json()


def run(count: int, seed: int, deadline_seconds: float) -> int:
    """Change records; see tests.helpers.fuzzing.loop."""
    return loop(count, seed, deadline_seconds, one)


def one(source: random.Random) -> None:
    """One changed spec and one changed record of a proposal."""
    spec = _changed(source, SPEC)
    try:
        for read in (spec_for_viewing, has_objects, lambda it: resumed_spec("demo", it, {"seed": stored(source)})):
            read(spec)
        assert Spec.from_json(spec).to_json()["seed"] == spec["seed"]
    except NonstopError as error:
        check_line(error)
    scales = [abs(number(source)) or 1.0 for _ in range(source.randrange(1, 4))]
    sound = json.loads(json.dumps(modelled(*scales).to_json()))
    read_back = Diagnostics.from_json(sound)
    assert read_back is not None
    assert json.loads(json.dumps(read_back.to_json())) == sound
    try:
        Diagnostics.from_json(_changed(source, sound))
    except NonstopError as error:
        check_line(error)


def _changed(source: random.Random, record: dict[str, Any]) -> Any:
    """The record with one or two things in it replaced, removed or added; sometimes something else altogether."""
    copy: Any = json.loads(json.dumps(record))
    for _ in range(source.randrange(3)):
        inner = source.choice([copy, *(value for value in copy.values() if isinstance(value, dict) and value)])
        key = source.choice(list(inner)) if inner and source.random() < 0.9 else word(source)
        if source.random() < 0.3:
            inner.pop(key, None)
        else:
            inner[key] = stored(source)
        if not copy:
            break
    return copy if source.random() < 0.98 else stored(source)
