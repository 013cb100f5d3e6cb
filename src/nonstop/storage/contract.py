"""The promises of a storage. One suite (tests/contracts) holds every backend to them.

A study's life is a log: every change to a trial takes the next *sequence number* of its study inside the transaction
that makes the change. A reader that has seen everything up to its *cursor* asks for what came after and misses nothing.
The *version* of a study counts its results: it grows by one with every completed trial, and only then.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from nonstop.trials.messages import Counts, Exchange, HandOn, Insert, Pulse, Report, Request, Start
from nonstop.trials.trial import Trial


@dataclass(frozen=True, slots=True)
class StudyRecord:
    """What a storage knows of a study besides its trials."""

    #: Identifies the study in its storage.
    id: int
    #: Unique in its storage.
    name: str
    #: The JSON form of its nonstop.trials.spec.Spec, which the storage does not interpret.
    spec: Mapping[str, object]
    #: Seconds since the epoch.
    created_at: float
    #: Differs from that of every other study anywhere; empty if the storage cannot outlive its process.
    creation: str = ""
    #: The budget of the latest run: how many completed trials it was to have; None if no run had one.
    budget: int | None = None
    #: Why its specification cannot be read, and `spec` is empty: it is damaged, or of a newer nonstop.
    trouble: str = ""


class Storage(Protocol):
    """Studies and their trials, shared by threads, processes and machines.

    Promises of every method:
    - Atomic: it happens entirely or not at all.
    - Durable: once it returned, what it did is on the disk and survives the end of any process and a power cut
      (a storage in memory lasts as long as its process).
    - Idempotent where it carries an id: a retry after a lost answer changes nothing and answers the same.
    - Ordered: changes become visible in the order of their sequence numbers, without gaps for a reader.
    - Retried: it waits out contention and short outages, up to a time limit; then StorageError says what failed.
    - Thread-safe. Values returned are frozen and belong to the caller.
    Numbers of a study are 0, 1, 2, … without gap or repetition. Results are never changed and never removed.
    """

    def create_study(self, name: str, spec: Mapping[str, object]) -> StudyRecord:
        """Create a study; StudyError if the name is taken, or longer than nonstop.storage.text.LONGEST_NAME."""

    def load_study(self, name: str) -> StudyRecord:
        """The study of that name; StudyError, with the names that there are, if there is none, or if it is damaged."""

    def list_studies(self) -> Sequence[StudyRecord]:
        """All studies, oldest first; of damaged ones, `trouble` says what is wrong."""

    def rename_study(self, study: int, name: str) -> None:
        """Give a study another name; StudyError if there is no such study, or if another has the name. Its workers
        notice nothing: they know it by its id."""

    def delete_study(self, study: int) -> None:
        """Remove a study with all that belongs to it; StudyError if there is none.

        Its id is never given to another study: whoever still works on it gets StudyError from every call.
        """

    def restore_study(self, name: str, original: StudyRecord, trials: Sequence[Trial]) -> StudyRecord:
        """Create a study with the specification and the budget of another and with these trials, to the last bit.

        StudyError as from create_study, and if the trials are not all those of a study (see
        nonstop.trials.copying.copied). Results among them count as told: no late one changes them.
        """

    def exchange(
        self, study: int, cursor: int, report: Report | None = None, request: Request | None = None
    ) -> Exchange:
        """Hand in a result, ask for the next trial, and read what is new: one transaction, each part optional.

        StudyError if there is no such study. With neither report nor request it only reads: one consistent snapshot, no
        write lock.

        Report: the first result of a trial wins, whichever attempt it comes from. A later, different one is kept in
        the log of results but changes nothing; the exchange's `changes` show the trial as it stands. A result for a
        trial that was meanwhile handed on to another worker still counts; that worker's result changes nothing. If a
        trial FAILED because its worker was taken for lost, and not by a report, a value that comes late completes it,
        though this may be one more than the budget of a request allowed.
        TrialError if the trial is unknown, if this attempt at it was never started, or if a COMPLETED report's value
        is not a finite number.

        Request: a WAITING trial is granted first (lowest number; with fixed params, of those asked for with the same),
        if completed + proposing + running < limit: RUNNING with its old version if it has params, else PROPOSING with
        the study's current version. If there is none and completed + unfinished < limit, a new PROPOSING trial with the
        next number and the current version. Otherwise `trial` is None. A retry gets the same trial for as long as that
        grant holds; once it was handed on, the retry counts as a new request. Without a request, `trial` is the
        reported one.
        """

    def start(self, study: int, start: Start, cursor: int) -> Exchange:
        """Give a PROPOSING trial its params and set it RUNNING, unless another proposal overtook this one.

        Refused, with `trial` None and nothing changed, when a trial that changed after `cursor` (a) has params and the
        same version, or (b) with `start.unique`, is RUNNING with equal params: the caller reads `changes`, believes
        what is new and proposes again. TrialError if the trial is not PROPOSING at this attempt (its lease went to
        another). Repeating a start that succeeded, with equal params, answers as the first time.
        """

    def insert(self, study: int, inserts: Sequence[Insert], request_id: str) -> Sequence[Trial]:
        """Insert trials that the study did not propose, with version -1: all of them or, if one is wrong, none.

        Their numbers are the next ones, in the order given; the results among them count in the order of their
        `finished_at`. A retry with the same request id, for as many trials, returns these as they stand. No budget
        applies. TrialError if a COMPLETED one has no finite value or another has one, or if JSON cannot hold it.
        """

    def set_budget(self, study: int, budget: int | None) -> None:
        """Store the budget of a run, for people to see; it limits nothing by itself. StudyError if there is no such
        study."""

    def counts(self, study: int) -> Counts:
        """How many trials are in which state, without reading any of them."""

    def beat(self, study: int, mine: Sequence[tuple[int, int]]) -> Sequence[Pulse]:
        """Increase by one the heartbeat counters of the trials, given as (number, attempt), that are still held.

        Returns the pulses of all PROPOSING and RUNNING trials, by number. A heartbeat is not a change: it takes no
        sequence number. Beating and reading need not be one transaction, and no lock outlasts the beat.
        """

    def hand_on(self, study: int, hand_on: HandOn) -> bool:
        """Set a PROPOSING or RUNNING trial WAITING with attempt + 1; FAILED with the reason after max_attempts.

        Compare and set: False, and nothing changed, unless the trial is still at that attempt, and at that beat if one
        is given. It carries no id: after a lost answer the retry may return False though the trial was handed on.
        """

    def close(self) -> None:
        """Release connections; using the storage afterwards raises StorageError."""
