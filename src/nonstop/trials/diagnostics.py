"""What a proposal records of itself, as one typed value with one JSON form.

Replay needs `busy`, `believed`, `warm`, `cursor`, `skip`, and whether there is a `success`; the next fit starts from
`hyperparameters`, or from those of `predictions`; the rest is for people.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nonstop.acquisition.sought import Prediction
from nonstop.errors import DataError
from nonstop.propose import Rung
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.wording import shown


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """How the params of a trial came about. Trials that were enqueued or added from elsewhere have none."""

    #: Where the point came from: the model, a fallback of it, the quasi-random sequence, or chance. See propose.Rung.
    rung: Rung
    #: How many points of the quasi-random sequence were skipped because they had been tried.
    skip: int = 0
    #: The value of the acquisition function at the point, if it is a number.
    acquisition: float | None = None
    #: Posterior mean at the point, standardised, as a distance from the mean of the process.
    mean: float | None = None
    #: Posterior standard deviation at the point, standardised.
    sd: float | None = None
    #: Euclidean distance to the nearest busy point in the unit cube, if there was one.
    nearest_busy: float | None = None
    #: Seconds that it took to compute the proposal.
    seconds: float = 0.0
    #: Numbers of the trials that were running.
    busy: tuple[int, ...] = ()
    #: Numbers of the trials proposed from the same data before: the model took its prediction for their value.
    believed: tuple[int, ...] = ()
    #: Number of the trial whose hyperparameters the fit started from.
    warm: int | None = None
    #: Sequence number up to which the study had been read; None if the params are quasi-random and not from propose().
    cursor: int | None = None
    #: The fitted hyperparameters, if a model was fitted.
    hyperparameters: Hyperparameters | None = None
    #: The probability that the evaluation succeeds, by the model of failures; None if the proposal did not learn from
    #: failures, as before there was that model.
    success: float | None = None
    #: The probability that the outcomes keep all constraints; None where there are none.
    feasible: float | None = None
    #: What the model of each objective, then of each constraint, said of the point, if the study names its outcomes.
    predictions: tuple[Prediction, ...] = ()

    @property
    def proposed(self) -> bool:
        """Did the params come from propose(), and not straight from the quasi-random sequence?"""
        return self.cursor is not None

    def to_json(self) -> dict[str, object]:
        """Plain JSON: only `rung` and `skip` for a quasi-random point."""
        if self.cursor is None:
            return {"rung": self.rung, "skip": self.skip}
        record: dict[str, object] = {
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
        if self.success is not None:
            record["success"] = self.success
        if self.hyperparameters is not None:
            record["lengthscales"] = self.hyperparameters.lengthscales
            record["noise"] = self.hyperparameters.noise
            record["fitted"] = self.hyperparameters.results
        if self.feasible is not None:
            record["feasible"] = self.feasible
        if self.predictions:
            record["predictions"] = [_prediction_to_json(prediction) for prediction in self.predictions]
        return record

    @classmethod
    def from_json(cls, record: Mapping[str, Any]) -> Diagnostics | None:
        """The record that to_json() wrote, or DataError; None for the empty object of a trial that was enqueued or
        added."""
        if not record:
            return None
        try:
            return cls._read(record)
        except (KeyError, TypeError, AttributeError) as error:
            raise DataError(f"the record of a proposal is damaged: {type(error).__name__} {shown(error)}") from None

    @classmethod
    def _read(cls, record: Mapping[str, Any]) -> Diagnostics:
        if "cursor" not in record:
            return cls(record["rung"], record.get("skip", 0))
        scales = record.get("lengthscales")
        return cls(
            record["rung"],
            0,
            record["acquisition"],
            record["mean"],
            record["sd"],
            record["nearest_busy"],
            record["seconds"],
            tuple(record["busy"]),
            tuple(record["believed"]),
            record["warm"],
            record["cursor"],
            None if scales is None else Hyperparameters(tuple(scales), record["noise"], record.get("fitted")),
            record.get("success"),
            record.get("feasible"),
            tuple(_prediction_from_json(prediction) for prediction in record.get("predictions", ())),
        )


def _prediction_to_json(prediction: Prediction) -> dict[str, object]:
    fit = prediction.hyperparameters
    about = {"mean": prediction.mean, "sd": prediction.sd}
    return {**about, "lengthscales": fit.lengthscales, "noise": fit.noise, "fitted": fit.results}


def _prediction_from_json(record: Mapping[str, Any]) -> Prediction:
    fit = Hyperparameters(tuple(record["lengthscales"]), record["noise"], record["fitted"])
    return Prediction(record["mean"], record["sd"], fit)
