"""What a proposal says of itself, as one typed record; its JSON form stands here and nowhere else.

Replay needs `busy`, `believed`, `warm`, `cursor` and `skip`; the next fit starts from `hyperparameters`; the rest is
for people.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nonstop.propose import Rung
from nonstop.surrogate.hyperparameters import Hyperparameters


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """How the params of a trial came about. Trials that were enqueued or added from elsewhere have none."""

    #: From the model, from a fallback of it, quasi-random or random: see nonstop.propose.Rung.
    rung: Rung
    #: How many points of the quasi-random sequence were passed over because they had been tried.
    skip: int = 0
    #: The value of the acquisition function at the point, if it is a number.
    acquisition: float | None = None
    #: Posterior mean and standard deviation at the point, standardised.
    mean: float | None = None
    sd: float | None = None
    #: Euclidean distance to the nearest busy point in the unit cube, if there was one.
    nearest_busy: float | None = None
    #: How long the proposal took to compute.
    seconds: float = 0.0
    #: Numbers of the trials that were running.
    busy: tuple[int, ...] = ()
    #: Numbers of the trials proposed from the same data, whose value the model was made to believe.
    believed: tuple[int, ...] = ()
    #: Number of the trial whose hyperparameters the fit started from.
    warm: int | None = None
    #: Sequence number up to which the proposal had read the study; None if it did not ask propose().
    cursor: int | None = None
    #: What the model was fitted with, if there was one.
    hyperparameters: Hyperparameters | None = None

    @property
    def proposed(self) -> bool:
        """Did the params come from propose(), and not straight from the quasi-random sequence?"""
        return self.cursor is not None

    def to_json(self) -> dict[str, object]:
        """Plain JSON: only `rung` and `skip` for a quasi-random point."""
        if self.cursor is None:
            return {"rung": self.rung, "skip": self.skip}
        said: dict[str, object] = {
            "rung": self.rung,
            "acquisition": self.acquisition,
            "mean": self.mean,
            "sd": self.sd,
            "nearest_busy": self.nearest_busy,
            "seconds": self.seconds,
            "busy": self.busy,
            "believed": self.believed,
            "warm": self.warm,
            "cursor": self.cursor,
        }
        if self.hyperparameters is not None:
            said["lengthscales"] = self.hyperparameters.lengthscales
            said["noise"] = self.hyperparameters.noise
            said["fitted"] = self.hyperparameters.results
        return said

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> Diagnostics | None:
        """What to_json() wrote; None for the empty object of a trial that no proposal made."""
        if not said:
            return None
        if "cursor" not in said:
            return cls(said["rung"], said.get("skip", 0))
        scales = said.get("lengthscales")
        return cls(
            said["rung"],
            0,
            said["acquisition"],
            said["mean"],
            said["sd"],
            said["nearest_busy"],
            said["seconds"],
            tuple(said["busy"]),
            tuple(said["believed"]),
            said["warm"],
            said["cursor"],
            None if scales is None else Hyperparameters(tuple(scales), said["noise"], said.get("fitted")),
        )
