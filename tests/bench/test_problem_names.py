"""Names of tasks: what they find, and what is said when they find nothing."""

from __future__ import annotations

import importlib
import subprocess
import sys
import types

import pytest

from nonstop_bench.problems.branin import BRANIN
from nonstop_bench.problems.catalogue import FAMILIES, REAL, families, find
from nonstop_bench.problems.family import Family


@pytest.mark.parametrize("family", FAMILIES.values(), ids=FAMILIES.keys())
def test_the_name_of_a_task_finds_it(family: Family) -> None:
    for dim in family.dims[:3]:
        task = family.problem(dim)
        assert task.dim == dim == len(task.space)
        assert find(task.name).name == task.name
    if family.movable:
        assert find(f"rotated-{task.name}").name == f"rotated-{task.name}"


def test_a_family_with_one_dimension_needs_none() -> None:
    assert find("branin") is find("branin-2") is BRANIN
    assert find("shekel").name == "shekel-4"


def test_names_ask_for_what_they_say() -> None:
    assert find("ackley-100").dim == 100
    assert find("gp-3-0").name == "gp-3-0"
    assert find("hartmann-3").dim == 3


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ackly-10", r"ackly-10.*did you mean ackley\?"),
        ("eggholder", "did you mean egg-holder"),
        ("pest-controll", "did you mean pest-control"),
        ("nothing-like-it", r"expected one of ackley-<d>, .*gp-<d>-<k>, sparse-.*pest-control.*prefixed with shifted-"),
        ("", "expected one of"),
        ("ackley", "ackley needs a dimension: ackley-10"),
        ("ackley-0", "expected one of"),
        ("ackley-05", "expected one of"),
        ("hartmann-4", "expected 3 or 6"),
        ("powell-6", "expected 4, 8, 12, … up to"),
        ("rosenbrock-1", "expected 2, 3, 4"),
        ("branin-3", "expected 2"),
        ("ackley-99999999", "up to 10000"),
        ("shifted-branin", "branin cannot be shifted.*these can: ackley"),
        ("rotated-michalewicz-5", "michalewicz cannot be rotated"),
        ("border-mixed-ackley-3", "mixed-ackley cannot be border"),
        ("shifted-gp-2-0", "expected one of"),
        ("shifted-shifted-ackley-2", "expected one of"),
        ("gp-2", "expected one of .*gp-<d>-<k>"),
        ("shifted-pest-control", "expected one of"),
    ],
)
def test_a_name_that_finds_nothing_says_what_would(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        find(name)


def test_the_help_lists_every_family_and_real_task() -> None:
    assert {"ackley-<d>", "hartmann-<3|6>", "toy-<1|2>", "branin", "gp-<d>-<k>", *REAL} <= set(families())
    assert len(families()) == len(FAMILIES) + 5 + len(REAL)


def test_a_real_task_comes_from_its_factory(monkeypatch: pytest.MonkeyPatch) -> None:
    module = types.ModuleType("nonstop_bench.problems.xgboosted")
    module.bounded = lambda: BRANIN  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    assert find("xgboost-300") is BRANIN


@pytest.mark.parametrize("target", REAL.values(), ids=REAL.keys())
def test_the_factories_of_real_tasks_exist(target: str) -> None:
    module, function = target.split(":")
    assert callable(getattr(importlib.import_module(module), function))


def test_the_catalogue_imports_no_real_task() -> None:
    modules = sorted({target.split(":")[0] for target in REAL.values()})
    code = f"import sys, nonstop_bench.problems.catalogue; assert not set({modules!r}) & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
