"""A study as one JSON object, and the same for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from nonstop.cli.terminal import say, say_table
from nonstop.errors import StudyError
from nonstop.trials.trial import Trial, TrialState
from nonstop.wording import assignments, duration, scalar, share
from nonstop.workers.usage import Usage, overall

if TYPE_CHECKING:
    from nonstop.study import Study

_SHORT, _MOST = 100, 10
_KINDS = ("evaluating", "proposing", "storing", "idle")
_UNDER_WAY = (TrialState.PROPOSING, TrialState.RUNNING)
_ORDER = (TrialState.COMPLETED, TrialState.FAILED, TrialState.RUNNING, TrialState.PROPOSING, TrialState.WAITING)


def summary_of(study: Study, url: str, now: float) -> dict[str, Any]:
    """What `nonstop show --json` prints; `url` is without its password."""
    from nonstop.history import utilisation

    spec = study.storage.load_study(study.name).spec  # study.spec may stand in for a rule that is not at hand
    trials = study.trials
    return {
        "name": study.name,
        "storage": url,
        **{key: spec.get(key) for key in ("direction", "rule", "seed", "space")},
        "counts": counts_of(trials),
        "best": best_of(study),
        "believed": believed_of(study),
        **usage_of(utilisation(trials)),
        "running": [_running(trial, now) for trial in trials if trial.state in _UNDER_WAY],
        "failures": failures_of(trials),
    }


def counts_of(trials: Iterable[Trial]) -> dict[str, int]:
    states = Counter(trial.state for trial in trials)
    return {state.value: states[state] for state in _ORDER}


def best_of(study: Study) -> dict[str, Any] | None:
    try:
        trial = study.best_trial
    except StudyError:
        return None
    return {"number": trial.number, "value": trial.value, "params": dict(trial.params or {})}


def believed_of(study: Study) -> dict[str, Any] | None:
    """What the model believes best, where that may be another trial: with a noisy objective."""
    if not study.spec.noisy:
        return None
    try:
        belief = study.best_believed
    except StudyError:
        return None
    number, params = belief.trial.number, dict(belief.trial.params or {})
    return {"number": number, "mean": belief.mean, "sd": belief.sd, "params": params}


def usage_of(usages: Sequence[Usage]) -> dict[str, Any]:
    """The utilisation of all, then seconds and utilisation of each worker."""
    workers = [{**asdict(usage), "utilisation": usage.utilisation} for usage in usages]
    return {"utilisation": overall(usages).utilisation if usages else None, "workers": workers}


def usage_line(workers: Sequence[Mapping[str, Any]]) -> str:
    """8: 98.9 % evaluating, 0.7 % proposing, 0.3 % storing, 0.1 % idle"""
    seconds = {kind: sum(worker[kind] for worker in workers) for kind in _KINDS}
    total = sum(seconds.values()) or 1.0
    return f"{len(workers)}: " + ", ".join(f"{share(part / total)} {what}" for what, part in seconds.items())


def failures_of(trials: Iterable[Trial]) -> list[dict[str, Any]]:
    """Reasons of failed trials, the most frequent first."""
    reasons = Counter(trial.reason or "no reason given" for trial in trials if trial.state is TrialState.FAILED)
    return [{"count": count, "reason": reason} for reason, count in reasons.most_common()]


def _running(trial: Trial, now: float) -> dict[str, Any]:
    since = trial.started_at if trial.state is TrialState.RUNNING else trial.asked_at
    return {
        "number": trial.number,
        "state": trial.state.value,
        "worker": trial.worker,
        "attempt": trial.attempt,
        "seconds": None if since is None else max(now - since, 0.0),
        "params": None if trial.params is None else dict(trial.params),
    }


def say_summary(summary: Mapping[str, Any]) -> None:
    say(f"study   {summary['name']} in {summary['storage']}")
    say(f"about   {summary['direction']} {', '.join(summary['space'])} by {summary['rule']}, seed {summary['seed']}")
    say(f"trials  {counts_line(summary['counts'])}")
    say(f"best    {best_line(summary['best'])}")
    if summary["believed"]:
        say(f"belief  {believed_line(summary['believed'])}")
    if summary["workers"]:
        say(f"\n{share(summary['utilisation'])} of the workers' time was spent evaluating")
        say_table(
            ["worker", *_KINDS, "seconds"],
            [_worker_row(worker) for worker in summary["workers"]],
        )
    if summary["running"]:
        say()
        say_table(
            ["running", "worker", "attempt", "for", "params"], [_running_row(trial) for trial in summary["running"]]
        )
    say_failures(summary["failures"])


def counts_line(counts: Mapping[str, int]) -> str:
    """40 completed, 4 running, 1 failed; what is not there is left out, but for the first"""
    parts = [f"{count} {state}" for state, count in counts.items() if count]
    return ", ".join(parts) or "none yet"


def best_line(best: Mapping[str, Any] | None) -> str:
    if best is None:
        return "no result yet"
    return f"{scalar(best['value'])} at trial {best['number']}: {assignments(best['params'])}"


def believed_line(believed: Mapping[str, Any]) -> str:
    """-0.981 ± 0.02 at trial 12: x=0.5; the value is the model's"""
    value = f"{scalar(believed['mean'])} ± {scalar(believed['sd'])}"
    return f"{value} at trial {believed['number']}: {assignments(believed['params'])}"


def say_failures(failures: Sequence[Mapping[str, Any]]) -> None:
    if failures:
        say()
        rows = [[str(failure["count"]), _shortened(failure["reason"])] for failure in failures[:_MOST]]
        say_table(["failed", "because"], rows)
    if len(failures) > _MOST:
        say(f"and {len(failures) - _MOST} other reasons: nonstop export has them all")


def _worker_row(worker: Mapping[str, Any]) -> list[str]:
    parts = [worker[key] for key in _KINDS]
    total = sum(parts)
    return [worker["worker"], *(share(part / total) if total else "-" for part in parts), f"{total:.1f}"]


def _running_row(trial: Mapping[str, Any]) -> list[str]:
    age = "-" if trial["seconds"] is None else duration(trial["seconds"])
    what = assignments(trial["params"]) or trial["state"]
    return [str(trial["number"]), trial["worker"] or "-", str(trial["attempt"]), age, _shortened(what)]


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHORT else f"{line[:_SHORT]}…"
