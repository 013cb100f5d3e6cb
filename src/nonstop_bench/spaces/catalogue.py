"""The tasks by name."""

from __future__ import annotations

from collections.abc import Mapping

from nonstop_bench.spaces.classifiers import CLASSIFIER
from nonstop_bench.spaces.engineering import REDUCER, SPRING, VESSEL
from nonstop_bench.spaces.formulas import BRANCHES, KNOTS, LINEAR, NESTED, TUBE
from nonstop_bench.spaces.task import SpaceTask

TASKS: Mapping[str, SpaceTask] = {
    task.name: task for task in (BRANCHES, NESTED, CLASSIFIER, VESSEL, SPRING, REDUCER, LINEAR, KNOTS, TUBE)
}
