"""Ray Tune: `tune.TuneConfig(search_alg=NonstopSearch())`.

    suggest ──▶ study.ask()        on_trial_complete ──▶ study.tell()

Trials that run are busy points, which the model believes in: no suggestion waits for them, and none repeats them.
Errors, NaN and missing metrics are failed trials: the model learns where they are, and no busy point is left behind.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from nonstop.arguments import number_of, whole, whole_of
from nonstop.errors import MissingExtraError, StudyError, TrialError
from nonstop.integrations.study_json import study_from_json, study_to_json
from nonstop.space import Space
from nonstop.studies import create_study, load_study
from nonstop.study import Study
from nonstop.trials.messages import Insert
from nonstop.trials.trial import Trial, TrialState
from nonstop.wording import shown

try:
    from ray.tune.result import DEFAULT_METRIC, TRAINING_ITERATION
    from ray.tune.search import UNDEFINED_METRIC_MODE, UNDEFINED_SEARCH_SPACE, Searcher

    from nonstop.integrations.ray_space import TuneSpace, tune_space
except ImportError as error:
    raise MissingExtraError("nonstop.integrations.ray", "tune") from error


class NonstopSearch(Searcher):
    """A search algorithm of Ray Tune. `space` is a nonstop.Space or a dictionary of Tune's domains; without it, the
    `param_space` of the Tuner.

    Several metrics with a mode each, metric=["error", "latency"] and mode=["min", "min"], are several objectives.
    `constraints` are bounds of other metrics, {"memory": "<= 8.0"}. `n_trials` is a budget of completed trials, after
    which the search is finished; without it, Tune's num_samples counts. `points_to_evaluate` are configs to try first;
    with `evaluated_rewards`, their values are known already. With a `storage` (a URL), the study is there under
    `study_name`, and goes on; without, it is in memory and in Tune's checkpoints.
    """

    def __init__(
        self,
        space: Space | Mapping[str, Any] | None = None,
        metric: str | list[str] | None = None,
        mode: str | list[str] | None = None,
        *,
        constraints: Mapping[str, str] | None = None,
        points_to_evaluate: Sequence[Mapping[str, Any]] = (),
        evaluated_rewards: Sequence[Any] | None = None,
        n_trials: int | None = None,
        rule: str | None = None,
        seed: int | None = None,
        storage: str | None = None,
        study_name: str | None = None,
    ) -> None:
        super().__init__(metric=metric, mode=mode)
        self._metric: str | list[str] | None = metric
        self._mode: str | list[str] | None = mode
        if isinstance(mode, list) and not metric:
            raise StudyError("several modes need the names of as many metrics")
        if evaluated_rewards is not None and len(evaluated_rewards) != len(points_to_evaluate):
            raise StudyError("evaluated_rewards must have one value for each of points_to_evaluate")
        if storage is not None and study_name is None:
            raise StudyError("a study in a storage has a name: give study_name, so that it can be found again")
        self._points = [dict(point) for point in points_to_evaluate]
        self._rewards = evaluated_rewards
        self._n_trials = None if n_trials is None else whole("n_trials", n_trials, StudyError, least=1)
        self._options: dict[str, Any] = {"rule": rule, "seed": seed, "constraints": constraints}
        self._storage, self._study_name = storage, study_name or "tune"
        self._space: TuneSpace | None = None
        self._study: Study | None = None
        self._live: dict[str, Trial] = {}
        self._failed: dict[str, int] = {}
        if space is not None:
            self._space = TuneSpace(space) if isinstance(space, Space) else tune_space(space)
            self._make_study()

    @property
    def study(self) -> Study:
        """The study, once there is a space to search."""
        if self._study is None:
            missing = {"metric": self._metric, "mode": self._mode}
            template = UNDEFINED_SEARCH_SPACE if self._space is None else UNDEFINED_METRIC_MODE
            raise RuntimeError(template.format(cls=type(self).__name__, space="space", **missing))
        return self._study

    def set_search_properties(self, metric: str | None, mode: str | None, config: dict[str, Any], **_spec: Any) -> bool:
        """Called by Tune with the metric, the mode and the param_space of the Tuner."""
        found = tune_space(config)
        if found is not None and self._space is not None and self._space != found:
            return False
        self._space = self._space or found
        if self._study is None:
            self._metric, self._mode = metric or self._metric, mode or self._mode
            self._make_study()
        return True

    def _make_study(self) -> None:
        """As soon as both the space and the mode are known."""
        if self._space is None or not self._mode:
            return
        self._metric = self._metric or DEFAULT_METRIC
        metrics = self._metric if isinstance(self._metric, list) else [self._metric]
        modes = self._mode if isinstance(self._mode, list) else [self._mode]
        goals: dict[str, Any] = {name: _direction(mode) for name, mode in zip(metrics, modes, strict=True)}
        named = len(goals) > 1 or self._options["constraints"]
        goal = {"objectives": goals} if named else {"direction": goals[metrics[0]]}
        space, options = self._space.space, {**self._options, **goal}
        self._study = create_study(self._storage, self._study_name, space=space, load_if_exists=True, **options)
        if not self._study.trials:  # else it goes on, and had them
            for place, point in enumerate(self._points):
                if self._rewards is None:
                    self._study.enqueue(self._space.params(point))
                else:
                    self.add_evaluated_point(point, self._rewards[place])

    def suggest(self, trial_id: str) -> dict[str, Any] | str | None:
        """The config for a new trial; FINISHED after the budget, None while the rest of it is being evaluated."""
        study = self.study
        assert self._space is not None
        if trial_id not in self._live:
            if self._n_trials is not None:
                completed = sum(trial.state is TrialState.COMPLETED for trial in study.trials)
                if completed >= self._n_trials:
                    return str(self.FINISHED)
                if completed + len(self._live) >= self._n_trials:
                    return None
            self._live[trial_id] = study.ask(worker=self._lane())
        return self._space.config(self._live[trial_id].params)

    def _lane(self) -> str:
        """The first free name, for figures of who evaluated what: as many as ever ran at once."""
        taken = {trial.worker for trial in self._live.values()}
        return next(name for name in map("tune-{}".format, count()) if name not in taken)

    def on_trial_complete(self, trial_id: str, result: Mapping[str, Any] | None = None, error: bool = False) -> None:
        """The last result of a trial, whether it ended by itself or a scheduler stopped it."""
        found = result or {}
        why = "the trial ended with an error" if error else self._why_not(found)
        if trial_id in self._failed and why is None:  # Tune ran it again (resume_errored)
            again = self.study.trials[self._failed.pop(trial_id)].params
            self.study.add_trial(again, self._told(found))
        trial = self._live.pop(trial_id, None)
        if trial is None:  # it was told before, or is none of this search
            return
        notes: dict[str, object] = {"trial_id": trial_id}
        if (iterations := whole_of(found.get(TRAINING_ITERATION))) is not None:
            notes["iterations"] = iterations
        try:
            if why is None:
                self.study.tell(trial.number, self._told(found), notes=notes)
            else:
                self._failed[trial_id] = trial.number
                self.study.tell(trial.number, state="failed", reason=why, notes=notes)
        except TrialError:  # an earlier checkpoint was restored: the storage has had this result already
            if not self.study.trials[trial.number].state.finished:
                raise

    def _names(self) -> tuple[str, ...]:
        """The metrics that every trial must report."""
        goals = self.study.spec.goals
        return goals.names if goals.named else (str(self._metric),)

    def _why_not(self, result: Mapping[str, Any]) -> str | None:
        """Why this is no result; None if it is one."""
        for name in self._names():
            if result.get(name) is None:
                return f"the trial ended without reporting {name}"
            if number_of(result[name]) is None:
                return f"the trial reported {name} = {shown(result[name])}"
        return None

    def _told(self, result: Mapping[str, Any]) -> float | dict[str, object]:
        """What the study is told: a value, or outcomes by name."""
        numbers = {name: number_of(result[name]) for name in self._names()}
        return dict(numbers) if self.study.spec.goals.named else numbers[str(self._metric)] or 0.0

    def add_evaluated_point(
        self,
        parameters: Mapping[str, Any],
        value: Any,
        error: bool = False,
        pruned: bool = False,  # noqa: ARG002  (its value counts, as it does when a scheduler stops a trial)
        intermediate_values: Sequence[float] | None = None,  # noqa: ARG002
    ) -> None:
        """A result from elsewhere, for the model to learn from: a number, or one for each metric and constraint."""
        study, names = self.study, self._names()
        assert self._space is not None
        params = self._space.params(parameters)
        values = list(value) if isinstance(value, list | tuple) else [value]
        why = "the trial ended with an error" if error else None
        if why is None and len(values) != len(names):
            raise StudyError(f"an evaluated point has a value for each of {', '.join(names)}, not {shown(value)}")
        result = dict(zip(names, values, strict=False))
        why = why or self._why_not(result)
        if why is None:
            study.add_trial(params, self._told(result))
        else:
            study.insert([Insert(params, TrialState.FAILED, reason=why)])

    def save(self, checkpoint_path: str) -> None:
        """All of the search as JSON."""
        Path(checkpoint_path).write_text(json.dumps(self.__getstate__(), allow_nan=False), encoding="utf-8")

    def restore(self, checkpoint_path: str) -> None:
        """The search that save() wrote. Its trials that were running are still busy."""
        self.__setstate__(json.loads(Path(checkpoint_path).read_text(encoding="utf-8")))

    def __getstate__(self) -> dict[str, Any]:
        """Plain JSON, for copies and pickles too. A study in a storage stays there."""
        in_memory = self._study is not None and self._storage is None
        return {
            "metric": self._metric,
            "mode": self._mode,
            "points": self._points,
            "rewards": None if self._rewards is None else list(self._rewards),
            "n_trials": self._n_trials,
            "options": self._options,
            "storage": self._storage,
            "study_name": self._study_name,
            "space": None if self._space is None else self._space.space.to_json(),
            "codes": None if self._space is None else self._space.to_json(),
            "failed": self._failed,
            "live": {trial_id: trial.number for trial_id, trial in self._live.items()},
            "made": self._study is not None,
            "study": study_to_json(self._study) if in_memory and self._study is not None else None,
        }

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self._metric, self._mode, self._n_trials = state["metric"], state["mode"], state["n_trials"]
        self._points, self._rewards, self._options = state["points"], state["rewards"], dict(state["options"])
        self._storage, self._study_name = state["storage"], state["study_name"]
        space = None if state["space"] is None else Space.from_json(state["space"])
        self._space = None if space is None else TuneSpace.from_json(space, state["codes"])
        if not state["made"]:
            self._study = None
        elif state["study"] is not None:
            self._study = study_from_json(state["study"])
        else:
            self._study = load_study(self._storage, self._study_name)
        self._failed = dict(state["failed"])
        numbers = state["live"].items()
        self._live = {} if self._study is None else {key: self._study.trials[number] for key, number in numbers}


def _direction(mode: str) -> str:
    if mode not in ("min", "max"):
        raise StudyError(f"a mode is 'min' or 'max', not {shown(mode)}: metrics that are only observed need none")
    return "minimize" if mode == "min" else "maximize"
