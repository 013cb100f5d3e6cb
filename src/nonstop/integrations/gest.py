"""gest-api, the interface of generators that libEnsemble, optimas and Xopt share: `NonstopGenerator(vocs)`.

    suggest ──▶ study.ask()        ingest ──▶ study.tell()

A point that was suggested and whose result is not there yet is busy: the model believes in it, and no later suggestion
waits for it or repeats it. So hosts that give results back one by one keep all their workers evaluating.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

from nonstop.arguments import number_of, whole_of
from nonstop.errors import MissingExtraError, NonstopError, ParamsError
from nonstop.integrations.study_json import study_with
from nonstop.storage.memory import MemoryStorage
from nonstop.studies import create_study
from nonstop.study import Study
from nonstop.trials.messages import Insert
from nonstop.trials.trial import Trial, TrialState
from nonstop.types import Params
from nonstop.wording import shown

try:
    from gest_api.generator import Generator
    from gest_api.vocs import VOCS

    from nonstop.integrations.gest_vocs import problem_of
except ImportError as error:
    raise MissingExtraError("nonstop.integrations.gest", "gest") from error

if TYPE_CHECKING:
    import pandas as pd

#: The key of the number of a point.
ID = "_id"


class NonstopGenerator(Generator):
    """A generator for the problem that a VOCS describes.

    With a `storage` (a URL), the study is there under `study_name`, and goes on if it exists; without, it is in memory,
    and a copy or a pickle of the generator has a study of its own. `lease` is how many seconds a point may take before
    another suggestion repeats it: for hosts that may lose points. What else is given goes to create_study(): `seed`,
    `rule`, `surrogate`, `initial`, `noisy`.
    """

    returns_id = True
    #: What Xopt calls it in its files.
    name = "nonstop"

    def __init__(
        self,
        vocs: VOCS,
        *,
        storage: str | None = None,
        study_name: str | None = None,
        lease: float | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(vocs)
        if storage is not None and study_name is None:
            raise ValueError("a study in a storage has a name: give study_name, so that it can be found again")
        #: The problem as it was given.
        self.vocs = vocs
        self._lease = lease
        self._problem = problem_of(vocs)
        self._settings = settings
        self._keep(self._new_study(storage, study_name))

    @property
    def study(self) -> Study:
        """The study behind it: its trials, best points, figures."""
        if self._process != os.getpid() and isinstance(self._study.storage, MemoryStorage):
            # A host forked: from now on, this is another generator, with a study of its own.
            self._keep(study_with(self._study.name, self._study.spec, self._trials))
        return self._study

    def _keep(self, study: Study) -> None:
        """What is needed should this process fork: a study in memory cannot be read in another."""
        self._study, self._trials, self._process = study, study.trials, os.getpid()

    def _new_study(self, storage: str | None = None, name: str | None = None) -> Study:
        problem = self._problem
        goals: dict[str, Any] = {"objectives": problem.objectives, "constraints": problem.constraints or None}
        try:
            return create_study(
                storage,
                name or "gest",
                space=problem.space,
                load_if_exists=storage is not None,
                **goals,
                **self._settings,
            )
        except TypeError as error:  # a setting that there is not
            raise ValueError(str(error)) from None

    def _validate_vocs(self, vocs: VOCS) -> None:
        """ValueError if the problem has what a study has not."""
        problem_of(vocs)

    def suggest(self, num_points: int | None = None) -> list[dict[str, Any]]:
        """So many points to evaluate next, one if it is not said; ValueError if there are not so many."""
        wanted = 1 if num_points is None else whole_of(num_points)
        if wanted is None or wanted < 0:
            raise ValueError(f"the number of points must be a whole number from 0, not {shown(num_points)}")
        asked: list[Trial] = []
        try:
            for _ in range(wanted):
                asked.append(self.study.ask(lease=self._lease))  # noqa: PERF401 (those that came are given back)
        except NonstopError as error:
            for trial in asked:
                self.study.give_back(trial)
            raise ValueError(f"there are only {len(asked)} of {wanted} points: {error}") from error
        self._keep(self.study)
        return [{**(trial.params or {}), **self._problem.constants, ID: trial.number} for trial in asked]

    def ingest(self, results: Iterable[Mapping[str, Any]]) -> None:
        """Results of points: those that were suggested have their `_id`, others have none. A result without a finite
        objective or constraint is a failure. If one of them is wrong (ValueError), none is stored."""
        known = {trial.number: trial for trial in self.study.trials}
        checked = [self._checked(result, known) for result in results]
        numbers = [number for number, *_ in checked if number is not None]
        if len(set(numbers)) < len(numbers):
            raise ValueError(f"one {ID} has two results: {shown(sorted(numbers))}")
        for number, _, outcomes, notes in checked:
            if number is not None:
                told = {"state": "failed", "reason": _NO_RESULT} if outcomes is None else {"value": outcomes}
                self.study.tell(number, **told, notes=notes)
        others = [
            self._insert(params, outcomes, notes) for number, params, outcomes, notes in checked if number is None
        ]
        if others:
            self.study.insert(others)
        self._keep(self.study)

    def _checked(
        self, result: Mapping[str, Any], known: Mapping[int, Trial]
    ) -> tuple[int | None, Params, dict[str, float] | None, dict[str, Any]]:
        """The number, params, outcomes (None if it failed) and notes of a result."""
        number, params = _number(result), self._params(result)
        notes = {name: _plain(result[name]) for name in self._problem.observables if name in result}
        if number is not None:
            self._check_suggested(number, params, known)
        return number, params, self._outcomes(result), notes

    def _outcomes(self, result: Mapping[str, Any]) -> dict[str, float] | None:
        """Objectives and constraints; None if one is not a finite number, or there is no objective at all."""
        values = {outcome: number_of(result.get(field)) for outcome, field in self._problem.fields.items()}
        if any(values[name] is None for name in self._problem.objectives):
            return None
        missing = [field for field in self._problem.fields.values() if field not in result]
        if missing:
            raise ValueError(
                f"a result has objectives but no {missing[0]}, which is a constraint: {shown(dict(result))}"
            )
        outcomes = {name: value for name, value in values.items() if value is not None}
        return outcomes if len(outcomes) == len(values) else None

    def _check_suggested(self, number: int, params: Params, known: Mapping[int, Trial]) -> None:
        if number not in known or known[number].params is None:
            raise ValueError(f"{ID} {number} is of no point that was suggested; results of other points have no {ID}")
        if known[number].state.finished:
            raise ValueError(f"the result of {ID} {number} was ingested before")
        suggested = known[number].params or {}
        if any(not _alike(params[name], value) for name, value in suggested.items()):
            raise ValueError(
                f"{ID} {number} was suggested as {shown(suggested)}, not as {shown(params)}: results of other points "
                f"have no {ID}"
            )

    def _params(self, result: Mapping[str, Any]) -> Params:
        missing = [name for name in self._problem.space if name not in result]
        if missing:
            raise ValueError(f"a result has no {missing[0]}: {shown(dict(result))}")
        try:
            return self._problem.space.validate({name: _plain(result[name]) for name in self._problem.space})
        except ParamsError as error:
            raise ValueError(str(error)) from None

    def _insert(self, params: Params, outcomes: dict[str, float] | None, notes: dict[str, Any]) -> Insert:
        if outcomes is None:
            return Insert(params, TrialState.FAILED, reason=_NO_RESULT, notes=notes)
        value = self.study.spec.goals.value_of(outcomes)
        return Insert(params, TrialState.COMPLETED, value, notes=notes, outcomes=outcomes)

    def finalize(self) -> None:
        """Points without a result are given back: whoever goes on with the study gets them first."""
        for trial in self.study.trials:
            if trial.state is TrialState.RUNNING:
                self.study.give_back(trial)
        self._keep(self.study)

    # What Xopt calls besides.

    def generate(self, n_candidates: int) -> list[dict[str, Any]]:
        """suggest(), as Xopt's asynchronous loop calls it."""
        return self.suggest(n_candidates)

    def add_data(self, new_data: pd.DataFrame) -> None:
        """ingest() of the rows of a table."""
        self.ingest(_rows(new_data))

    @property
    def data(self) -> pd.DataFrame:
        """All results as a table: variables, constants, outcomes, observables."""
        import pandas as pd

        return pd.DataFrame([self._row(trial) for trial in self.study.trials if trial.state is TrialState.COMPLETED])

    @data.setter
    def data(self, table: pd.DataFrame) -> None:
        """Forget all results, and learn from these instead: a study in memory only, others lose nothing."""
        if not isinstance(self.study.storage, MemoryStorage):
            raise ValueError("results that are in a storage stay there: make a study of another name")
        self._keep(self._new_study())
        self.ingest([{key: value for key, value in row.items() if key != ID} for row in _rows(table)])

    def _row(self, trial: Trial) -> dict[str, Any]:
        outcomes = {field: trial.outcomes[outcome] for outcome, field in self._problem.fields.items()}
        return {**(trial.params or {}), **self._problem.constants, **outcomes, **trial.notes}

    # Hosts copy a generator, and send it to other processes.

    def __getstate__(self) -> dict[str, Any]:
        study = self.study
        if not isinstance(study.storage, MemoryStorage):
            return dict(self.__dict__)
        return {**self.__dict__, "_study": (study.name, study.spec), "_trials": study.trials}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        if not isinstance(self._study, Study):
            self._keep(study_with(*self._study, self._trials))


_NO_RESULT = "no finite result"


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    return cast("list[dict[str, Any]]", table.to_dict(orient="records"))


def _number(result: Mapping[str, Any]) -> int | None:
    """The `_id`, if there is one: tables have a NaN where there is none."""
    given = _plain(result.get(ID))
    if given is None or (isinstance(given, float) and math.isnan(given)):
        return None
    number = whole_of(int(given) if isinstance(given, float) and given.is_integer() else given)
    if number is None:
        raise ValueError(f"{ID} must be a whole number, not {shown(given)}")
    return number


def _plain(value: Any) -> Any:
    """What is of NumPy as Python's own: numbers, texts, lists."""
    return value.tolist() if hasattr(value, "tolist") else value


def _alike(one: object, other: object) -> bool:
    """The same, but for what is lost where a host keeps single precision."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-12)
    return one == other
