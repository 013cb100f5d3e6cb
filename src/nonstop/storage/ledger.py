"""One study inside one transaction, as nonstop.storage.transactions sees it. Memory and SQL each implement it.

A transaction that may write holds the study's lock: sequence numbers are given and become visible in the same order,
and nothing that the ledger has read changes before the transaction ends (heartbeats excepted, see `locked`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from nonstop.trials.messages import Counts, Report
from nonstop.trials.trial import Trial
from nonstop.types import Params


class Ledger(Protocol):
    """The counters, trials and reports of one study."""

    @property
    def sequence(self) -> int:
        """The sequence number of the latest change."""

    @property
    def counts(self) -> Counts:
        """How many trials are in which state."""

    @property
    def changes(self) -> tuple[Trial, ...]:
        """What changed after the cursor given to read(), or in this transaction; oldest change first."""

    def now(self) -> float:
        """The storage's time, in seconds since the epoch."""

    def read(self, cursor: int, number: int | None = None, request_id: str | None = None) -> None:
        """Read what changed after the cursor, the trial with this number, and the one granted to this request.

        All that a transaction needs is read in one call, so that one statement can fetch it.
        """

    def trial(self, number: int) -> Trial:
        """A trial that was read; TrialError if the study has none of that number."""

    def locked(self, number: int) -> Trial:
        """Any trial; not even a heartbeat changes it before the end of the transaction."""

    def granted(self, request_id: str) -> Trial | None:
        """The trial that is granted to this request."""

    def first_waiting(self, fixed: Params | None) -> Trial | None:
        """The WAITING trial with the lowest number; if parameters are fixed, of those asked for with the same ones."""

    def inserted(self, insert_id: str, count: int) -> Sequence[Trial]:
        """The trials that the insertion of this id made, `count` in all; none if there was no such insertion."""

    def add(self, trial: Trial, request_id: str) -> Trial:
        """Write a new trial, granted to a request, with the next sequence number."""

    def insert(self, trials: Sequence[Trial], insert_id: str) -> Sequence[Trial]:
        """Write the new trials of an insertion, in this order, each with the next sequence number; and log the results
        that they come with. The id is kept with the trial that has the lowest number."""

    def put(self, old: Trial, new: Trial) -> Trial:
        """Write a changed trial with the next sequence number."""

    def grant(self, old: Trial, new: Trial, request_id: str) -> Trial:
        """put(), and from now on the trial is granted to this request."""

    def revoke(self, old: Trial, new: Trial) -> Trial:
        """put(), and from now on the trial is granted to no one."""

    def log(self, report: Report, counted: bool, now: float) -> bool:
        """Append to the log of results; False, and nothing happens, if it has a report of this id."""

    def decided(self, number: int) -> bool:
        """Has the log a report of this trial that counted? Asked only when a value comes for a FAILED trial."""
