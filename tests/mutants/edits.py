"""The mutants: one mistake each, as an edit of one line of the source. The text must occur exactly once in its file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    #: Below src/nonstop.
    file: str
    old: str
    new: str


#: Which tests are to notice a mutant, by the room or file that it is in; the longest that fits counts.
TESTS: dict[str, tuple[str, ...]] = {
    "trials/transitions.py": (
        "tests/contracts/test_exchange.py",
        "tests/contracts/test_grants.py",
        "tests/contracts/test_leases.py",
        "tests/contracts/test_start.py",
        "tests/contracts/test_values.py",
    ),
    "storage/": (
        "tests/contracts/test_exchange.py",
        "tests/contracts/test_grants.py",
        "tests/contracts/test_leases.py",
        "tests/contracts/test_start.py",
        "tests/contracts/test_values.py",
        "tests/contracts/test_retry.py",
        "tests/contracts/test_concurrency.py",
    ),
    "storage/database.py": (
        "tests/contracts/test_grants.py",
        "tests/contracts/test_retry.py",
        "tests/contracts/test_concurrency.py",
        "tests/engines/test_forks.py",
    ),
    "storage/forking.py": ("tests/engines/test_forks.py",),
    "storage/rows.py": ("tests/contracts/test_damage.py",),
    "storage/session.py": ("tests/workers/test_worker.py", "tests/trials/test_replay.py"),
    "workers/": ("tests/workers", "tests/engines/test_processes.py"),
    "workers/lease.py": ("tests/workers/test_worker.py", "tests/test_asked.py"),
    "workers/stopping.py": ("tests/workers", "tests/engines/test_forks.py"),
    "workers/objective.py": ("tests/workers", "tests/engines/test_forks.py"),
    "engines/": ("tests/engines/test_processes.py",),
    "propose.py": ("tests/test_propose.py", "tests/test_propose_search.py", "tests/acquisition/test_batch.py"),
    "acquisition/": (
        "tests/test_propose.py",
        "tests/test_propose_search.py",
        "tests/test_propose_outcomes.py",
        "tests/acquisition/test_batch.py",
    ),
    "trials/": ("tests/trials", "tests/workers/test_worker.py"),
}

EDITS: tuple[Edit, ...] = (
    # Transitions of a trial.
    Edit(
        "trials/transitions.py",
        "counts.completed + counts.proposing + counts.running < limit",
        "counts.completed + counts.running < limit",
    ),
    Edit(
        "trials/transitions.py",
        "counts.completed + counts.unfinished < limit",
        "counts.completed + counts.unfinished <= limit",
    ),
    Edit("trials/transitions.py", "state=TrialState.RUNNING, started_at=now)", "state=TrialState.RUNNING)"),
    Edit(
        "trials/transitions.py",
        "if trial.params is None:\n        return replace(granted",
        "if trial.params is not None:\n        return replace(granted",
    ),
    Edit("trials/transitions.py", "    if trial.attempt == start.attempt:\n", "    if True:\n"),
    Edit("trials/transitions.py", "and trial.params == start.params:", "and trial.params is not None:"),
    Edit("trials/transitions.py", "(other.version == trial.version or same_point)", "same_point"),
    Edit("trials/transitions.py", "same_point = start.unique and", "same_point ="),
    Edit(
        "trials/transitions.py",
        "trial.attempt - 1 if trial.state is TrialState.WAITING else trial.attempt",
        "trial.attempt",
    ),
    Edit("trials/transitions.py", "not 1 <= attempt <= last", "not attempt <= last"),
    Edit("trials/transitions.py", "order=order if report.state is TrialState.COMPLETED else None", "order=order"),
    Edit("trials/transitions.py", "and beat in (None, trial.beat)", ""),
    Edit("trials/transitions.py", "trial.state in HELD and trial.attempt == attempt", "trial.state in HELD"),
    Edit("trials/transitions.py", "trial.attempt >= hand_on.max_attempts", "trial.attempt > hand_on.max_attempts"),
    Edit("trials/transitions.py", "attempt=trial.attempt + 1, worker=None", "worker=None"),
    Edit("trials/transitions.py", "or not math.isfinite(value)", ""),
    # What happens in a transaction.
    Edit(
        "storage/transactions.py",
        "    if transitions.repeats_start(trial, start):\n        return _answer(ledger, trial)\n",
        "    transitions.repeats_start(trial, start)\n",
    ),
    Edit("storage/transactions.py", "    if known:\n        return known\n", ""),
    Edit("storage/transactions.py", "order += trials[-1].order is not None", "order += 1"),
    Edit("storage/transactions.py", "key=lambda place: _when(inserts[place], now)", "key=lambda place: place"),
    Edit("storage/transactions.py", "first = not trial.state.finished or", "first = True or"),
    Edit("storage/transactions.py", " and not ledger.decided(trial.number))", ")"),
    Edit("trials/transitions.py", "undone=trial.sequence if undoes else None", "undone=None"),
    Edit("trials/transitions.py", "trial.state is TrialState.FAILED and report.state is TrialState.COMPLETED", "False"),
    Edit(
        "storage/transactions.py",
        "if not ledger.log(report, counted=first, now=now) or not first:",
        "if not ledger.log(report, counted=first, now=now):",
    ),
    Edit("storage/transactions.py", "    if granted is not None:\n        return granted\n", ""),
    Edit(
        "storage/transactions.py",
        "        if not transitions.may_claim(counts, request.limit):\n            return None\n",
        "",
    ),
    Edit(
        "storage/transactions.py",
        "transitions.finish(trial, report, ledger.counts.completed + 1, now)",
        "transitions.finish(trial, report, ledger.counts.completed, now)",
    ),
    # The ledger of a database.
    Edit("storage/sqlledger.py", ".order_by(trials.c.number).limit(1)", ".order_by(trials.c.number.desc()).limit(1)"),
    Edit("storage/sqlledger.py", 'self._put(old, new, {"request_id": None})', "self._put(old, new, {})"),
    Edit("storage/sqlledger.py", "            self._counts[old] -= 1\n", "            pass\n"),
    Edit(
        "storage/sqlledger.py",
        "None if report.value is None else repr(report.value)",
        'None if report.value is None else f"{report.value:.15g}"',
    ),
    Edit("storage/sqlledger.py", "if trial.sequence > self._cursor", "if trial.sequence >= self._cursor"),
    Edit("storage/memory.py", "        del self._granted[self._request_ids.pop(new.number)]\n", ""),
    Edit(
        "storage/memory.py",
        "min(waiting, default=None)",
        "max(waiting, default=None)",
    ),
    Edit("storage/retry.py", "if not transient(error) or clock", "if clock"),
    Edit("storage/retry.py", "- start > patience.deadline", "- start < 0.0"),
    Edit("storage/database.py", "                self._check_file()\n", ""),
    Edit(
        "storage/forking.py",
        "    if THREAD.inside == 1:\n        _FORK_LOCK.acquire()\n",
        "    if True:\n        _FORK_LOCK.acquire()\n",
    ),
    Edit("storage/database.py", "                    connection.commit()\n", "                    pass\n"),
    Edit("storage/rows.py", "row[_CHECKSUM] != _crc(", "False and _crc("),
    Edit("storage/session.py", "            self._on_changes(answer.changes)\n", ""),
    # Leases.
    Edit("workers/lease.py", "now - since >= self._lease_of(pulse)", "now - since >= 2 * self._lease_of(pulse)"),
    Edit("workers/lease.py", "interval > max(self._lease / 2, 2 * self._interval)", "False"),
    Edit("workers/lease.py", "interval > max(self._lease / 2, 2 * self._interval)", "interval > self._lease / 2"),
    Edit("workers/lease.py", "self._lease if pulse.lease is None else pulse.lease", "self._lease"),
    Edit("workers/lease.py", "self._seen.get(pulse, now)", "now"),
    Edit("workers/lease.py", "lease.max_attempts, pulse.beat)", "lease.max_attempts)"),
    Edit("workers/held.py", "held[0] * _ATTEMPT_LIMIT + held[1]", "held[0] * _ATTEMPT_LIMIT"),
    Edit("workers/unsent.py", 'if content["study"] == self._creation:', "if True:"),
    Edit("workers/reach.py", "            self._unsent.forget(self.report[0])\n", "            pass\n"),
    Edit("workers/worker.py", "known is None or known.params != kept.params", "known is None"),
    # The worker's loop.
    Edit("workers/worker.py", "                self.count = self._alike = 0\n", "                pass\n"),
    Edit("workers/worker.py", "trial.sequence > self._since", "True"),
    Edit("workers/worker.py", "return count >= most if", "return count > most if"),
    Edit("workers/worker.py", "_PATIENCE * most if self._now else most", "most"),
    Edit("workers/worker.py", "is_hopeless(self._terms.max_failures, failed)", "is_hopeless(self._terms.max_failures)"),
    Edit("workers/worker.py", "        if self._held is not None:\n            return self._stop.is_set\n", ""),
    Edit("workers/worker.py", "            finally:\n                self._give_back()\n", "            finally:\n"),
    Edit("workers/worker.py", "result.reason is not None and self._stop.interrupted", "self._stop.interrupted"),
    Edit("workers/deadline.py", "left - max(0.0, _CLOCK.now() - sent_at)", "left"),
    Edit("workers/worker.py", "pause = min(_LONGEST_PAUSE, 1.5 * pause)", "pause = 1.5 * pause"),
    Edit(
        "workers/worker.py",
        "HandOn(number, attempt, reason, MAX_INTERRUPTIONS)",
        "HandOn(number, attempt, reason, attempt + 1)",
    ),
    # Stopping, and what objectives may do.
    Edit("workers/stopping.py", " and not is_handling(StopRequested)", ""),
    Edit("workers/stopping.py", "                _reinstall(self)\n", "                pass\n"),
    Edit("workers/stopping.py", "        stop.disarm_in_child()\n", "        pass\n"),
    Edit("workers/objective.py", "        if spent >= self.seconds:\n", "        if False:\n"),
    Edit("workers/objective.py", "    if os.getpid() != process:\n", "    if False:\n"),
    Edit("workers/objective.py", "isinstance(result, bool) or not", "not"),
    Edit("engines/processes.py", "now - worker.silent_since >= GRACE:", "False:"),
    # Data, busy points and belief of a proposal.
    Edit("trials/suggest.py", "mirror.trials[n].version == trial.version", "mirror.trials[n].version < trial.version"),
    Edit("trials/suggest.py", "goals.sign * y", "y"),
    Edit("trials/suggest.py", "failed=failed if basis.learning else None", "failed=None"),
    Edit(
        "trials/replay.py",
        "    failed += [n for n in mirror.completed if _had_failed",
        "    [n for n in mirror.completed if _had_failed",
    ),
    Edit("trials/suggest.py", "busy=mirror.points(basis.busy)", "busy=None"),
    Edit(
        "trials/mirror.py", "self._points[self.completed[:version]]", "self._points[sorted(self.completed[:version])]"
    ),
    Edit("trials/mirror.py", "            self._states[old.state].discard(trial.number)\n", "            pass\n"),
    # The proposal itself.
    Edit("acquisition/data.py", "lost = np.concatenate([lost, points[~usable]])", "pass"),
    Edit("acquisition/data.py", "taken[1:3] if noisy else [*taken, points]", "[*taken, points]"),
    Edit("acquisition/data.py", "taken = [running, avoided, lost, trusted]", "taken = [running, avoided, lost]"),
    Edit("acquisition/data.py", "taken = [running, avoided, lost, trusted]", "taken = [avoided, lost, trusted]"),
    Edit("propose.py", "if self.terms:  # without", "if False:  # without"),
    Edit("acquisition/data.py", "points.max() <= 1.0", "points.max() <= 2.0"),
    Edit("propose.py", "believed = without(data.believed, data.busy)", "believed = data.believed"),
    Edit("propose.py", "sought.posterior.condition(believed)\n        asked", "sought.posterior\n        asked"),
    Edit("propose.py", "seed, len(data.known), _FILLING", "seed, 0, _FILLING"),
    Edit("propose.py", "own_seed = seed_of(seed, len(proposals))", "own_seed = seed"),
    Edit("acquisition/sought.py", "float(np.sqrt(variance))", "float(variance)"),
    Edit("acquisition/data.py", "len(points) != len(values)", "len(points) < len(values)"),
    Edit("acquisition/sought.py", "-self.posterior.y, self.violation", "self.posterior.y, self.violation"),
)
