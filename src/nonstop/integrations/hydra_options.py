"""What may stand in `hydra.sweeper` of a config. It needs no Hydra, so that it can be checked and shown without."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nonstop.arguments import number, whole
from nonstop.errors import StudyError
from nonstop.types import Direction


@dataclass(frozen=True, slots=True)
class Options:
    """`hydra.sweeper` of a config, with the same names."""

    #: What is searched, by the path in the config; docs/integrations/hydra.md has the forms.
    params: Mapping[str, object] = field(default_factory=dict)
    #: Constraints that all params must satisfy, such as "batch * width <= 4096".
    where: Sequence[str] = ()
    #: Is the return value of a job to be small ("minimize") or large ("maximize")?
    direction: Direction = "minimize"
    #: Several objectives, {"error": "minimize", "latency": "minimize"}: a job returns a mapping with all of them.
    objectives: Mapping[str, Direction] = field(default_factory=dict)
    #: What other outcomes have to be, {"memory": "<= 8.0"}: a job returns them beside its `value` or its objectives.
    constraints: Mapping[str, str] = field(default_factory=dict)
    #: The budget: completed jobs of the whole study. The same sweep again goes on where it was.
    n_trials: int = 50
    #: How many jobs run at once.
    n_jobs: int = 1
    #: Seconds after which no job starts; those that run are finished. None is no limit.
    timeout: float | None = None
    #: When the sweep has found enough: "value 0.01", "no improvement in 50".
    until: str | None = None
    #: The seed of the study; None is 0, or that of the study that is there.
    seed: int | None = None
    #: The acquisition rule; None is the default, or that of the study that is there.
    rule: str | None = None
    #: The URL of the database; None is memory, where nothing outlives the sweep.
    storage: str | None = None
    #: The name of the study there.
    study_name: str = "sweep"
    #: The sweep ends with an error when more than this share of n_trials failed; None is no limit.
    max_failure_rate: float | None = None
    #: ... and after so many failures in a row, if that is hopeless; None is no limit.
    max_failures: int | None = 10

    def __post_init__(self) -> None:
        whole("hydra.sweeper.n_trials", self.n_trials, StudyError, least=1)
        whole("hydra.sweeper.n_jobs", self.n_jobs, StudyError, least=1)
        if self.max_failure_rate is not None and number("max_failure_rate", self.max_failure_rate, StudyError, 0.0) > 1:
            raise StudyError(f"max_failure_rate must be a number from 0 to 1, not {self.max_failure_rate}")
