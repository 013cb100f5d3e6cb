"""What an objective may know about the trial that it evaluates: `def objective(params, trial)`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from nonstop.arguments import flag, text_of
from nonstop.errors import StudyError
from nonstop.trials.suggest import trial_seed
from nonstop.trials.trial import Trial
from nonstop.types import Notes, Params, Value
from nonstop.wording import shown
from nonstop.workers.environment import checked_environments
from nonstop.workers.folders import ROOT, made, study_folder
from nonstop.workers.notes import with_extras, with_note

#: Seeds are below this, as not every library takes larger ones.
SEEDS: Final = 2**31
#: Characters of NONSTOP_PARAMS: Linux allows 131,072 for one variable.
_LONGEST: Final = 100_000


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where evaluations run, and with what."""

    #: The name of the study.
    study: str = ""
    #: The folder in which each trial may have one of its own.
    folder: Path = field(default_factory=lambda: Path(ROOT).absolute())
    #: Are stdout and stderr of commands kept in the trial's folder?
    keep_output: bool = False
    #: Variables for the environments of the workers, which take them in turn.
    environments: Sequence[Mapping[str, str]] = ()
    #: The names of the workers, in order.
    workers: Sequence[str] = ()

    def environment_of(self, worker: str) -> Mapping[str, str]:
        """The variables for the environment of a worker. One that replaces a lost one has its name, and its devices."""
        if not self.environments or worker not in self.workers:
            return {}
        return self.environments[self.workers.index(worker) % len(self.environments)]

    def of(self, trial: Trial, worker: str, study_seed: int) -> RunningTrial:
        """The trial as its objective sees it."""
        # One that was enqueued was not proposed, and so has no seed of its own.
        seed = trial.seed if trial.diagnostics is not None else trial_seed(study_seed, trial.number)
        environment = self.environment_of(worker)
        folder = self.folder / str(trial.number)
        return RunningTrial(
            trial.number,
            dict(trial.params or {}),
            seed % SEEDS,
            trial.attempt,
            worker,
            self.study,
            _Private(folder, self.keep_output, environment, trial.notes),  # one that is retried has some already
        )


def surroundings_of(
    study: str, identity: str, folder: str | Path | None, keep_output: bool, environments: object
) -> Surroundings:
    """The surroundings as a user describes them; `identity` is the study's own."""
    root = Path(ROOT) if folder is None else folder if isinstance(folder, Path) else Path(text_of(folder) or "")
    if not root.name or "\0" in str(root):
        raise StudyError(f"folder must be the path of a folder, not {shown(folder)}")
    try:
        own = study_folder(root, study, identity)
    except OSError as error:
        raise StudyError(f"folder cannot be {shown(str(root))}: {error.strerror}") from None
    kept = flag("keep_output", keep_output, StudyError)
    return Surroundings(study, own, kept, checked_environments(environments))


@dataclass(slots=True)
class _Private:
    folder: Path
    keep_output: bool
    environment: Mapping[str, str]
    notes: Notes = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunningTrial:
    """The trial that is being evaluated, as its objective sees it: `def objective(params, trial)`."""

    #: 0, 1, 2, … in the study.
    number: int
    #: What is evaluated.
    params: Params
    #: A seed for whatever is random in the evaluation, from 0 to 2**31 - 1: the trial's own (Trial.seed), modulo 2**31.
    #: The same in every attempt, and whenever the study is run again.
    seed: int
    #: Which attempt at it this is, from 1: a trial whose worker was lost or interrupted is tried again.
    attempt: int
    #: The name of the worker.
    worker: str
    #: The name of the study.
    study: str
    _private: _Private = field(repr=False, compare=False)

    @property
    def folder(self) -> Path:
        """A folder of its own, made when it is first asked for. Further attempts at the trial find what is there."""
        return made(self._private.folder)

    def note(self, key: str, value: object) -> None:
        """Keep something with the result, of a failed trial too: anything that JSON has, and NumPy's numbers. A second
        note of the same key replaces the first."""
        self._private.notes = with_note(self._private.notes, key, value)

    @property
    def notes(self) -> Notes:
        """What has been noted so far."""
        return dict(self._private.notes)

    @property
    def environment(self) -> dict[str, str]:
        """The variables that commands get: NONSTOP_TRIAL and so on, and those of the worker (its devices). For programs
        that an objective starts: `subprocess.run(words, env={**os.environ, **trial.environment})`."""
        params = json.dumps(dict(self.params))
        about = {"TRIAL": self.number, "SEED": self.seed, "ATTEMPT": self.attempt, "WORKER": self.worker}
        about |= {"STUDY": self.study, "FOLDER": self._private.folder}
        about |= {"PARAMS": params} if len(params) <= _LONGEST else {}
        ours = {f"NONSTOP_{name}": str(value) for name, value in about.items()}
        return {**self._private.environment, **ours}


def keeps_output(trial: RunningTrial) -> bool:
    """Is the output of commands to be kept in its folder?"""
    return trial._private.keep_output


def noted(trial: RunningTrial, extras: Mapping[str, object]) -> None:
    """Keep what came along with the value."""
    trial._private.notes = with_extras(trial._private.notes, extras)


def placeholders(trial: RunningTrial) -> dict[str, Value]:
    """What may stand in a command besides parameters: {trial}, {seed}, {attempt}, {worker}, {folder}."""
    return {
        "trial": trial.number,
        "seed": trial.seed,
        "attempt": trial.attempt,
        "worker": trial.worker,
        "folder": str(trial._private.folder),
    }


PLACEHOLDERS: Final = ("trial", "seed", "attempt", "worker", "folder")
