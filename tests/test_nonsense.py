"""Every argument of every public function, given every kind of nonsense: it works, or one line names the argument.

A table says for each argument which of the values in tests/helpers/nonsense.py are none: all others must be refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

import nonstop
import nonstop.engines.choose
from nonstop import Categorical, Float, Int, NonstopError, Space, Surrogate
from nonstop.workers.command import Command
from tests.helpers.nonsense import FLAGS, NONSENSE, POSITIVE, TEXTS, WHOLE

SPACE = Space({"x": Float(0.0, 1.0)})
NUMBERS = POSITIVE | {"zero", "minus one"}
NONE = {"none"}
LONG = frozenset({"long"})
#: In [0, 1].
INSIDE = {"zero", "one", "np float", "fraction"}


@dataclass(frozen=True)
class Case:
    """One argument of one function: `accepted` are the names of the values that are no nonsense here."""

    what: str
    call: Callable[[Any], object]
    accepted: frozenset[str]
    #: What the message must contain.
    named: str
    #: The names of values that a storage may refuse or not.
    open: frozenset[str] = frozenset()


def case(what: str, call: Callable[[Any], object], accepted: set[str], named: str | None = None) -> Case:
    return Case(what, call, frozenset(accepted), what.rpartition(".")[2] if named is None else named)


def study(**given: Any) -> nonstop.Study:
    return nonstop.create_study(space=SPACE, **given)


def named(name: Any) -> dict[Any, nonstop.space.Parameter]:
    """A mapping with that name, if there can be one."""
    try:
        return {name: Float(0.0, 1.0)}
    except Exception:
        return {}


def told(**given: Any) -> object:
    run = study()
    run.ask(), run.ask(), run.ask(), run.ask()
    return run.tell(**{"trial": 0, **given})


def optimized(**given: Any) -> object:
    return study().optimize(**{"objective": lambda _params: 0.0, "n_trials": 0, **given})


def proposed(**given: Any) -> object:
    return nonstop.propose(**{"X": [[0.25], [0.5]], "y": [1.0, 2.0], "rule": "random", **given})


def loaded(**given: Any) -> object:
    storage = nonstop.storage.open_storage(None)
    for name in ("x", " \n"):
        nonstop.create_study(storage, name, space=SPACE)
    return nonstop.load_study(**{"storage": storage, "name": "x", **given})


STUDY = [
    case("create_study.storage", lambda it: nonstop.create_study(it, space=SPACE), NONE),
    replace(case("create_study.name", lambda it: study(name=it), NONE | {"blank", "word", "trick"}), open=LONG),
    case("create_study.space", lambda it: nonstop.create_study(space=it), set()),
    case("create_study.direction", lambda it: study(direction=it), NONE),
    case("create_study.rule", lambda it: study(rule=it), NONE),
    case("create_study.surrogate", lambda it: study(surrogate=it), NONE),
    case("create_study.seed", lambda it: study(seed=it), NONE | WHOLE),
    case("create_study.noisy", lambda it: study(noisy=it), NONE | FLAGS),
    case("create_study.initial", lambda it: study(initial=it), NONE | WHOLE),
    case("create_study.command", lambda it: study(command=it), NONE | TEXTS),
    case("create_study.load_if_exists", lambda it: study(load_if_exists=it), FLAGS),
    case("load_study.storage", lambda it: loaded(storage=it), set(), ""),
    case("load_study.name", lambda it: loaded(name=it), {"blank", "word", "trick"}, ""),
    case("load_study.rule", lambda it: loaded(rule=it), NONE),
    case("load_study.surrogate", lambda it: loaded(surrogate=it), NONE),
    case("ask.worker", lambda it: study().ask(worker=it), NONE | TEXTS),
    case("tell.trial", lambda it: told(trial=it, value=1.0), WHOLE),
    case("tell.value", lambda it: told(value=it), NUMBERS),
    case("tell.state", lambda it: told(value=1.0, state=it), NONE),
    case("tell.reason", lambda it: told(state="failed", reason=it), NONE | TEXTS),
    case("enqueue.params", lambda it: study().enqueue(it), set()),
    case("enqueue.params.x", lambda it: study().enqueue({"x": it}), INSIDE, "'x'"),
    case("add_trial.params", lambda it: study().add_trial(it, 1.0), set()),
    case("add_trial.value", lambda it: study().add_trial({"x": 0.5}, it), NUMBERS),
    case("plot.name", lambda it: study().plot(it), set(), "figure"),
]
OPTIMIZE = [
    case("optimize.objective", lambda it: optimized(objective=it), {"type", "function"}),
    case("optimize.n_trials", lambda it: optimized(n_trials=it), WHOLE),
    case("optimize.timeout", lambda it: optimized(timeout=it), NONE | POSITIVE | {"zero"}),
    case("optimize.workers", lambda it: optimized(workers=it), {"one", "np int", "np uint8"}),
    case("optimize.engine", lambda it: optimized(engine=it), NONE),
    case("optimize.address", lambda it: optimized(engine="dask", address=it), NONE | TEXTS - {"empty", "blank"}),
    case("optimize.lease", lambda it: optimized(lease=it), POSITIVE - {"huge float"}),
    case("optimize.trial_timeout", lambda it: optimized(trial_timeout=it), NONE | POSITIVE - {"huge float"}),
    case("optimize.max_failures", lambda it: optimized(max_failures=it), NONE | WHOLE - {"zero"}),
    case("optimize.until", lambda it: optimized(until=it), NONE),
    case("optimize.folder", lambda it: optimized(folder=it), NONE | TEXTS - {"empty", "long", "NUL"}),
    case("optimize.keep_output", lambda it: optimized(keep_output=it), FLAGS),
    case("optimize.environments", lambda it: optimized(environments=it), {"list"}, "environment"),
    case("optimize.environment", lambda it: optimized(environments=[{"A": it}]), TEXTS - {"NUL"}, "environment"),
    case("optimize.on_result", lambda it: optimized(on_result=it), NONE | {"type", "function"}),
    case("optimize.progress", lambda it: optimized(progress=it), NONE | FLAGS | {"type", "function"}),
    case("Until.value", lambda it: nonstop.Until(value=it, patience=1), NONE | NUMBERS, "value"),
    case("Until.patience", lambda it: nonstop.Until(patience=it, value=1.0), NONE | WHOLE - {"zero"}, "patience"),
    case("Until.evaluating", lambda it: nonstop.Until(evaluating=it, value=1.0), NONE | POSITIVE, "evaluating"),
]
PROPOSE = [
    case("propose.X", lambda it: proposed(X=it), set()),
    case("propose.X.entry", lambda it: proposed(X=[[it], [0.5]]), INSIDE | FLAGS | {"decimal"}, "X"),
    case("propose.y", lambda it: proposed(y=it), {"array"}),
    case(
        "propose.y.entry",
        lambda it: proposed(y=[it, 1.0]),
        NUMBERS | NONE | {"nan", "inf", "minus inf", "decimal", "true", "np true", "np longdouble", "scalar array"},
        "y",
    ),
    case("propose.busy", lambda it: proposed(busy=it), NONE | {"list"}),
    case("propose.rule", lambda it: proposed(rule=it), NONE),
    case("propose.seed", lambda it: proposed(seed=it), WHOLE | {"googol", "5,000 digits"}),
    case("propose.believed", lambda it: proposed(believed=it), NONE | {"list"}),
    case("propose.avoid", lambda it: proposed(avoid=it), NONE | {"list"}),
    case("propose.cube", lambda it: proposed(cube=it), NONE),
    case("propose.surrogate", lambda it: proposed(surrogate=it), set()),
    case("propose.warm", lambda it: proposed(warm=it), NONE),
    case("propose.noisy", lambda it: proposed(noisy=it), FLAGS),
    case("propose.threads", lambda it: proposed(threads=it), NONE | WHOLE - {"zero"}),
    case("propose_batch.size", lambda it: nonstop.propose_batch([[0.5]], [1.0], it, "random"), WHOLE - {"zero"}),
]
SPACES = [
    case("Space.parameters", Space, set(), ""),
    case("Space.name", lambda it: Space(named(it)), TEXTS - {"empty"}),
    case("Space.parameter", lambda it: Space({"p": it}), set(), "'p'"),
    case("Space.from_json", Space.from_json, set(), ""),
    case("Space.from_json.table", lambda it: Space.from_json({"p": it}), set(), "'p'"),
    case("Space.from_json.type", lambda it: Space.from_json({"p": {"type": it, "low": 0, "high": 1}}), set(), "type"),
    case("Space.validate", SPACE.validate, set(), "params"),
    case("Float.low", lambda it: Float(it, 1e301), NUMBERS, "bounds"),
    case("Float.high", lambda it: Float(-2.0, it), NUMBERS, ""),
    case("Float.log", lambda it: Float(1.0, 2.0, it), FLAGS),
    case("Float.validate", Float(-1e301, 1e301).validate, NUMBERS, "number"),
    case("Int.low", lambda it: Int(it, 9), WHOLE | {"minus one"}, "bounds"),
    case("Int.high", lambda it: Int(-2, it), WHOLE | {"minus one"}, ""),
    case("Int.log", lambda it: Int(1, 2, it), FLAGS),
    case("Int.validate", Int(-9, 9).validate, WHOLE | {"minus one"}, "integer"),
    case("Categorical.choices", Categorical, {"array"}, "choice"),
    case(
        "Categorical.choice",
        lambda it: Categorical([it]),
        NUMBERS - {"fraction"} | TEXTS | FLAGS | NONE,
    ),
    case("Categorical.validate", Categorical(["a", "b"]).validate, set(), "one of"),
]
RULES = [
    case("UCB.beta", nonstop.UCB, NUMBERS - {"minus one"}),
    case("Schedule.a", lambda it: nonstop.Schedule(a=it), POSITIVE),
    case("Schedule.b", lambda it: nonstop.Schedule(b=it), POSITIVE),
    case("Schedule.workers", lambda it: nonstop.Schedule(workers=it), WHOLE - {"zero"}),
    case("Thompson.features", nonstop.Thompson, {"np int", "np uint8"}),
    case("Aegis.features", nonstop.Aegis, {"np int", "np uint8"}),
    case("KrigingBeliever.inner", nonstop.KrigingBeliever, set(), "KrigingBeliever"),
    case("ConstantLiar.inner", nonstop.ConstantLiar, set(), "ConstantLiar"),
    case("ConstantLiar.lie", lambda it: nonstop.ConstantLiar(nonstop.UCB(), it), set()),
    case("Expected.inner", nonstop.Expected, set(), "Expected"),
    case("Expected.samples", lambda it: nonstop.Expected(nonstop.LogEI(), it), WHOLE - {"zero"}),
    case("Penalized.inner", nonstop.Penalized, set(), "Penalized"),
    case("Penalized.local", lambda it: nonstop.Penalized(nonstop.UCB(), it), FLAGS),
    case("Penalized.gamma", lambda it: nonstop.Penalized(nonstop.UCB(), gamma=it), NUMBERS - {"minus one"}),
    case("UncertaintyFirst.inner", lambda it: nonstop.UncertaintyFirst(it, 3), set()),
    case("UncertaintyFirst.points", lambda it: nonstop.UncertaintyFirst(nonstop.UCB(), it), WHOLE),
    case("Turns.rules", nonstop.Turns, set()),
    case("Turns.rule", lambda it: nonstop.Turns((it,)), set()),
    case("LogNormal.mu", lambda it: nonstop.LogNormal(it, 1.0), NUMBERS),
    case("LogNormal.sigma", lambda it: nonstop.LogNormal(0.0, it), POSITIVE),
    case("Hyperparameters.lengthscales", lambda it: nonstop.Hyperparameters(it, 0.1), {"array"}),
    case("Hyperparameters.lengthscale", lambda it: nonstop.Hyperparameters((it,), 0.1), POSITIVE),
    case("Hyperparameters.noise", lambda it: nonstop.Hyperparameters((1.0,), it), POSITIVE),
    case("Hyperparameters.results", lambda it: nonstop.Hyperparameters((1.0,), 0.1, it), NONE | WHOLE),
    case("Surrogate.kernel", lambda it: Surrogate(kernel=it), set()),
    case("Surrogate.lengthscale_prior", lambda it: Surrogate(lengthscale_prior=it), set()),
    case("Surrogate.noise_prior", lambda it: Surrogate(noise_prior=it), set()),
    case("Surrogate.lengthscale_bounds", lambda it: Surrogate(lengthscale_bounds=it), {"array"}),
    case("Surrogate.noise_bounds", lambda it: Surrogate(noise_bounds=(it, 1e301)), POSITIVE),
    case("Surrogate.output", lambda it: Surrogate(output=it), set()),
    case("Surrogate.incumbent", lambda it: Surrogate(incumbent=it), set()),
    case("Surrogate.max_points", lambda it: Surrogate(max_points=it), WHOLE - {"zero"}),
    case("Surrogate.candidates", lambda it: Surrogate(candidates=it), WHOLE - {"zero"}),
    case("Surrogate.mean", lambda it: Surrogate(mean=it), set()),
    case("Surrogate.starts", lambda it: Surrogate(starts=it), WHOLE - {"zero"}),
    case("Surrogate.refit", lambda it: Surrogate(refit=it), NUMBERS - {"minus one"}),
    case("Command.template", Command, {"word", "long", "trick"}, "command"),
    case("Command.timeout", lambda it: Command("true", it), NONE | POSITIVE - {"huge float"}),
]
CASES = [*STUDY, *OPTIMIZE, *PROPOSE, *SPACES, *RULES]


@pytest.fixture(autouse=True)
def nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """optimize() checks its arguments and starts nothing."""
    monkeypatch.setattr(nonstop.engines.choose, "_run", lambda *_: ())


def refusals(it: Case) -> Iterator[str]:
    """What is wrong with how the function takes each value."""
    for name, make in NONSENSE.items():
        try:
            it.call(make())
        except NonstopError as error:
            message = str(error)
            if name in it.open:
                continue
            if name in it.accepted:
                yield f"{name}: refused ({message})"
            elif it.named not in message:
                yield f"{name}: {it.named!r} is not in {message!r}"
            elif "\n" in message or len(message) > 1000:
                yield f"{name}: not one line: {message[:1200]!r}"
        except Exception as error:
            yield f"{name}: {type(error).__name__}: {str(error)[:200]}"
        else:
            if name not in it.accepted | it.open:
                yield f"{name}: accepted"


@pytest.mark.parametrize("it", CASES, ids=lambda it: it.what)
def test_every_argument_is_checked(it: Case) -> None:
    assert list(refusals(it)) == []
