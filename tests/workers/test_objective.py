"""Objectives: what they may be, and that nothing they do is more than a reason."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import nonstop
from nonstop.errors import ObjectiveError, StartError, StudyError
from nonstop.workers.command import Command
from nonstop.workers.objective import Objective, evaluate, limited, objective_of
from nonstop.workers.stopping import StopRequested

SPACE = nonstop.Space(
    {"lr": nonstop.Float(0.0, 1.0), "n": nonstop.Int(1, 9), "loss": nonstop.Categorical(["l1", "a b", "$(touch x)"])}
)
PY = sys.executable


class UnprintableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError


class OwnError(BaseException):
    """Not an Exception."""


class StubbornError(Exception):
    def __str__(self) -> str:
        raise OwnError

    __repr__ = __str__


class NumberError(Exception):
    def __str__(self) -> str:
        return 3  # type: ignore[return-value]


class Nameless(type):
    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise OwnError


class NamelessError(Exception, metaclass=Nameless):
    pass


class Text(str):
    def __len__(self) -> int:
        raise OwnError

    def __getitem__(self, _index: object) -> str:
        raise OwnError

    __str__ = __format__ = __repr__ = __len__  # type: ignore[assignment]


class TextError(Exception):
    def __str__(self) -> str:
        return Text("well hidden")

    @property
    def __traceback__(self) -> None:  # type: ignore[override]
        return None


class Untraceable(Exception):  # noqa: N818
    @property
    def __traceback__(self) -> None:  # type: ignore[override]
        raise OwnError


class Result:
    """As a number it is nothing but trouble."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattribute__(self, name: str) -> object:
        if name == object.__getattribute__(self, "name"):
            raise OwnError(name)
        return object.__getattribute__(self, name)

    def __repr__(self) -> str:
        raise OwnError


class NoFloat(float):
    def __float__(self) -> float:
        raise OwnError("no float")


def raising(error: BaseException) -> Objective:
    def objective(_params: object) -> float:
        raise error

    return objective


@pytest.mark.parametrize("result", [0.5, np.float32(0.5), np.array(0.5), np.float64(0.5)])
def test_numbers_of_all_kinds_are_values(result: object) -> None:
    outcome = evaluate(lambda _: result, {})
    assert outcome.value == 0.5
    assert type(outcome.value) is float
    assert outcome.reason is None


@pytest.mark.parametrize("result", [None, "0.5", True, float("nan"), np.inf, np.array([1.0, 2.0]), object(), 1j])
def test_everything_else_is_a_reason(result: object) -> None:
    outcome = evaluate(lambda _: result, {})
    assert outcome.value is None
    assert "returned" in (outcome.reason or "")


@pytest.mark.parametrize("attribute", ["__class__", "shape", "__repr__"])
def test_a_result_that_defends_itself_is_a_reason(attribute: str) -> None:
    outcome = evaluate(lambda _: Result(attribute), {})
    assert outcome.value is None
    assert outcome.reason


@pytest.mark.parametrize("result", [NoFloat(1.0), 10**400])
def test_a_number_without_a_float_is_a_reason(result: object) -> None:
    outcome = evaluate(lambda _: result, {})
    assert outcome.value is None
    assert "float" in (outcome.reason or "")


@pytest.mark.parametrize(
    "error",
    [
        ValueError("no"),
        UnprintableError(),
        StubbornError(),
        NumberError(),
        TextError(),
        SystemExit(3),
        MemoryError(),
        RecursionError(),
        KeyboardInterrupt(),
        GeneratorExit(),
        asyncio.CancelledError(),
        OwnError(),
        StopRequested(),
    ],
)
def test_exceptions_are_reasons(error: BaseException) -> None:
    outcome = evaluate(raising(error), {})
    assert outcome.value is None
    assert type(error).__name__ in (outcome.reason or "")


def test_a_reason_says_where_and_stays_short() -> None:
    assert "test_objective.py" in (evaluate(raising(ValueError("no")), {}).reason or "")
    for error in (ValueError("x" * 10_000), ObjectiveError("x" * 10_000), type("E" * 10_000, (Exception,), {})()):
        reason = evaluate(raising(error), {}).reason or ""
        assert len(reason) < 2200
        assert type(reason) is str
    assert (evaluate(raising(ValueError("x" * 10_000)), {}).reason or "").startswith("ValueError: … xxx")


def test_exceptions_without_a_name_or_a_place_are_reasons() -> None:
    assert (evaluate(raising(NamelessError("hm")), {}).reason or "").startswith("NamelessError: hm")
    assert "cannot be described" in (evaluate(raising(Untraceable()), {}).reason or "")
    reason = evaluate(raising(TextError()), {}).reason
    assert reason == "TextError: well hidden"
    assert type(reason) is str


def test_what_an_objective_sets_in_numpy_is_its_own() -> None:
    def objective(_params: object) -> float:
        np.seterr(all="raise")
        return 1.0

    before = np.geterr()
    evaluate(objective, {})
    assert np.geterr() == before


def test_an_objective_cannot_change_the_params() -> None:
    params = {"x": 1.0}
    evaluate(lambda given: given.clear(), params)
    assert params == {"x": 1.0}


def test_a_module_is_found_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "ns_objectives.py").write_text("def f(p): return p['x']\nclass A:\n    g = f\nnumber = 3\n")
    (tmp_path / "ns_broken.py").write_text("import ns_missing_thing")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert evaluate(objective_of("ns_objectives:f"), {"x": 2}).value == 2.0
    assert callable(objective_of("ns_objectives:A.g"))
    for given, says in {
        "ns_objectives": "module:function",
        "ns_objectives:h": "no 'h'",
        "ns_objectives:number": "not a function",
        "ns_nowhere:f": "no module 'ns_nowhere'",
        "ns_objectives.py:f": "without '.py'",
        "ns_broken:f": "importing ns_broken failed",
    }.items():
        with pytest.raises(ObjectiveError, match=says):
            objective_of(given)
    with pytest.raises(ObjectiveError, match="a function"):
        objective_of(3)  # type: ignore[arg-type]


def test_a_time_limit_interrupts_python() -> None:
    def stubborn(_params: object) -> float:
        while True:
            try:
                time.sleep(10)
            except Exception:
                continue

    before, left = signal.getsignal(signal.SIGALRM), signal.getitimer(signal.ITIMER_REAL)[0]
    started = time.monotonic()
    outcome = evaluate(limited(stubborn, 0.1), {})
    assert "time limit of 0.1 s" in (outcome.reason or "")
    assert time.monotonic() - started < 5
    assert evaluate(limited(lambda _: 1.0, 5.0), {}).value == 1.0
    assert signal.getsignal(signal.SIGALRM) is before
    assert (signal.getitimer(signal.ITIMER_REAL)[0] > 0.0) == (left > 0.0)  # pytest-timeout has one of its own


def test_a_time_limit_cannot_be_swallowed() -> None:
    caught: list[float] = []

    def stubborn(_params: object) -> float:
        while True:
            try:
                time.sleep(10)
            except:  # noqa: E722
                caught.append(time.monotonic())
                if len(caught) == 2:
                    return 0.5

    outcome = evaluate(limited(stubborn, 0.1), {})
    assert "time limit of 0.1 s" in (outcome.reason or "")
    assert len(caught) == 2, "it was said twice"


def test_a_time_limit_lets_the_objective_clean_up() -> None:
    done: list[str] = []

    def careful(_params: object) -> float:
        try:
            time.sleep(10)
        finally:
            time.sleep(1.5)  # longer than the pause between two alarms
            done.append("clean")
        return 0.5

    assert "time limit" in (evaluate(limited(careful, 0.1), {}).reason or "")
    assert done == ["clean"]


def test_a_time_limit_holds_for_what_comes_after_the_return() -> None:
    class Endless(float):
        def __float__(self) -> float:
            time.sleep(60)
            return 0.5

        __str__ = __float__  # type: ignore[assignment]

    class EndlessError(Exception):
        def __str__(self) -> str:
            time.sleep(60)
            return ""

    assert "time limit" in (evaluate(limited(lambda _: Endless(), 0.1), {}).reason or "")
    assert "time limit" in (evaluate(limited(raising(EndlessError()), 0.1), {}).reason or "")


def test_a_failure_within_the_time_limit_keeps_its_reason() -> None:
    reason = evaluate(limited(raising(ValueError("no")), 5.0), {}).reason or ""
    assert reason.startswith("ValueError: no (test_objective.py:")


def test_a_time_limit_needs_the_main_thread_or_a_command() -> None:
    errors: list[Exception] = []

    def work() -> None:
        assert limited(Command("true"), 2.0) == Command("true", timeout=2.0)
        try:
            limited(lambda _: 1.0, 1.0)
        except StudyError as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert "thread" in str(errors[0])


def test_a_command_gives_its_last_line() -> None:
    assert Command("""sh -c 'echo noise; echo {lr}; echo'""")({"lr": 0.1 + 0.2}) == 0.1 + 0.2
    assert Command("""echo '{{"value": {n}}}'""")({"n": 7}) == {"value": 7}
    assert Command("echo 1e-3")({}) == 1e-3


@pytest.mark.parametrize("value", ["$(touch x)", "; touch x", "a b", "'", '"', "", "-n", "*", "`touch x`", "a\nb"])
def test_no_value_is_more_than_one_argument(value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    show = f"{PY} -c 'import sys; print(len(sys.argv)); print(sys.argv[1] == sys.argv[2] or len(sys.argv))' {{loss}}"
    assert Command(show).arguments({"loss": value})[-1] == value
    script = 'sh -c \'test "$1" = "$2" && echo 1\' sh {loss} '
    assert Command(script + "{other}")({"loss": value, "other": value}) == 1.0
    assert not (tmp_path / "x").exists()


def test_a_script_takes_numbers_only() -> None:
    script = Command("sh -c 'echo {lr} {loss} | cat'")
    assert script.arguments({"lr": 1e-5, "loss": 3})[-1] == "echo 1e-05 3 | cat"
    assert script.arguments({"lr": -1, "loss": None})[-1] == "echo -1 null | cat"
    for bad in ("l1", "a b", "$(touch x)", "", "';'"):
        with pytest.raises(ObjectiveError, match="argument of its own"):
            script.arguments({"lr": 1.0, "loss": bad})
    with pytest.raises(ObjectiveError, match="argument of its own"):
        script.check(SPACE)  # before the first trial
    Command("train --loss={loss} {lr}").check(SPACE)


@pytest.mark.parametrize("template", ["", "echo 'x", "echo {LR}", "awk '{print $1}'", "echo {lr", "echo lr}"])
def test_a_wrong_template_is_refused_up_front(template: str) -> None:
    with pytest.raises(ObjectiveError):
        Command(template).check(SPACE)


@pytest.mark.parametrize(
    ("template", "says"),
    [
        ("sh -c 'echo deep trouble >&2; exit 3'", "exit code 3; stderr: deep trouble"),
        ("sh -c 'kill -9 $$'", "killed by signal 9"),
        ("true", "printed nothing"),
        ("echo fine", "no number"),
        ("echo nan", "returned nan"),
        ("""echo '{{"value": "x"}}' """, "returned 'x', which is not a number"),
        ("echo [1]", "no number"),
    ],
)
def test_a_command_that_fails_says_why(template: str, says: str) -> None:
    assert says in (evaluate(Command(template), {}).reason or "")


def test_a_program_that_is_not_there_is_no_fault_of_the_trial(tmp_path: Path) -> None:
    plain = tmp_path / "plain.txt"
    plain.write_text("no program")
    for template in ("ns-no-such-program {x}", str(plain), str(tmp_path), str(plain / "below")):
        with pytest.raises(StartError, match="cannot be started"):
            evaluate(Command(template), {"x": 1})
    chosen = evaluate(Command("ns-no-such-{x} 1"), {"x": "program"})  # a parameter is part of its name
    assert "cannot be started" in (chosen.reason or "")
    assert "cannot be started" in (evaluate(Command("echo {x}"), {"x": "y" * 10**7}).reason or "")  # too long


def test_a_long_output_does_not_matter() -> None:
    assert Command(f"{PY} -c 'print(\"x\" * 10**6 + chr(10) + str(2.5))'")({}) == 2.5
    reason = evaluate(Command(f"{PY} -c 'import sys; sys.exit(\"y\" * 10**6)'"), {}).reason
    assert reason is not None
    assert len(reason) < 1000


def test_a_time_out_ends_the_whole_process_group(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    started = time.monotonic()
    outcome = evaluate(Command(f"sh -c 'sleep 60 & echo $! > {pid}; echo busy >&2; wait'", timeout=0.5), {})
    assert "time limit of 0.5 s; stderr: busy" in (outcome.reason or "")
    assert time.monotonic() - started < 20
    _wait_until_gone(int(pid.read_text()))


def _wait_until_gone(pid: int) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
            if "zombie" in Path(f"/proc/{pid}/status").read_text():
                return
        except (ProcessLookupError, FileNotFoundError):
            return
        time.sleep(0.02)
    pytest.fail(f"process {pid} is still there")
