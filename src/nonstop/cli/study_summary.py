"""The summary of a study: as one JSON object, and as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from nonstop.cli.leaders import echo_front, echo_leaders, leaders_of
from nonstop.cli.terminal import echo, echo_table
from nonstop.errors import StudyError
from nonstop.history.pace import Pace, pace_of, share_of_budget
from nonstop.space import Space
from nonstop.trials.spec import goals_of
from nonstop.trials.trial import Trial, TrialState
from nonstop.wording import assignments, cause_of, duration, iso, moment, scalar, share, visible
from nonstop.workers.usage import Usage, overall

if TYPE_CHECKING:
    from nonstop.study import Study

#: Characters of a reason or of params, and reasons to print.
_SHORT, _MOST = 100, 10
_KINDS = ("evaluating", "proposing", "storing", "idle")
_RUNNING = (TrialState.PROPOSING, TrialState.RUNNING)
_ORDER = (TrialState.COMPLETED, TrialState.FAILED, TrialState.RUNNING, TrialState.PROPOSING, TrialState.WAITING)


def summary_of_study(study: Study, url: str, now: float) -> dict[str, Any]:
    """What `nonstop show --json` prints; `url` is without its password."""
    from nonstop.history import utilisation
    from nonstop.history.progress import began

    record = study.storage.load_study(study.name)
    spec = record.spec  # study.spec may hold a replacement for the rule
    trials = study.trials
    pace = pace_of(trials, record.budget, now)
    return {
        "name": study.name,
        "storage": url,
        **goals_as_json(spec),
        **{key: spec.get(key) for key in ("rule", "seed", "space")},
        "created": iso(record.created_at),
        "began": iso(began(trials)),
        "last_result": iso(pace.last),
        "counts": counts_of(trials),
        **pace_as_json(pace),
        **leaders_of(study),
        "believed": believed_of(study),
        **usage_of(utilisation(trials)),
        "running": [_running(trial, now) for trial in trials if trial.state in _RUNNING],
        "failures": failures_of(trials),
    }


def pace_as_json(pace: Pace) -> dict[str, Any]:
    """The budget, its completed share, the rate of results and the seconds left, each None if it is not known."""
    return {"budget": pace.budget, "share": pace.share, "per_second": pace.per_second, "seconds_left": pace.left}


def pace_line(summary: Mapping[str, Any]) -> str:
    """40 of 200 results (20 %), 8 results a minute, about 20 min left: what is known of it"""
    completed = summary["counts"]["completed"]
    pace = Pace(completed, summary["budget"], summary["per_second"], summary["seconds_left"], None)
    part = share_of_budget(completed, pace.budget)
    done = [f"{completed} of {pace.budget} results ({part})"] if part else []
    return ", ".join([*done, *pace.words()])


def local(time: str | None) -> str:
    """A time of the summary in local time with its zone, for people."""
    return moment(None if time is None else datetime.fromisoformat(time).timestamp())


def counts_of(trials: Iterable[Trial]) -> dict[str, int]:
    """How many trials are in each state."""
    states = Counter(trial.state for trial in trials)
    return {state.value: states[state] for state in _ORDER}


def goals_as_json(spec: Mapping[str, Any]) -> dict[str, Any]:
    """What a stored specification wants: the direction, of one objective; and objectives and constraints, if they have
    names."""
    goals = goals_of(spec)
    named = {key: spec[key] for key in ("objectives", "constraints") if spec.get(key)}
    return {"direction": None if goals.several else next(iter(goals.objectives.values())), **named}


def believed_of(study: Study) -> dict[str, Any] | None:
    """The trial that the model believes best; None unless the study is noisy, when it may differ from the best one."""
    if not study.spec.noisy:
        return None
    try:
        belief = study.best_believed
    except StudyError:
        return None
    number, params = belief.trial.number, dict(belief.trial.params or {})
    return {"number": number, "mean": belief.mean, "sd": belief.sd, "params": params}


def usage_of(usages: Sequence[Usage]) -> dict[str, Any]:
    """The utilisation of all workers together, then seconds and utilisation of each."""
    workers = [{**asdict(usage), "utilisation": usage.utilisation} for usage in usages]
    return {"utilisation": overall(usages).utilisation if usages else None, "workers": workers}


def usage_line(workers: Sequence[Mapping[str, Any]]) -> str:
    """8: 98.9 % evaluating, 0.7 % proposing, 0.3 % storing, 0.1 % idle"""
    seconds = {kind: sum(worker[kind] for worker in workers) for kind in _KINDS}
    total = sum(seconds.values()) or 1.0
    return f"{len(workers)}: " + ", ".join(f"{share(part / total)} {what}" for what, part in seconds.items())


def failures_of(trials: Iterable[Trial]) -> list[dict[str, Any]]:
    """Reasons of failed trials, the most frequent first; of those that differ in the file they name, the latest."""
    failed = [trial for trial in trials if trial.state is TrialState.FAILED]
    reasons = Counter(cause_of(trial.reason) for trial in failed)
    latest = {cause_of(trial.reason): trial.reason for trial in failed}
    return [{"count": count, "reason": latest[cause] or cause} for cause, count in reasons.most_common()]


def _running(trial: Trial, now: float) -> dict[str, Any]:
    since = trial.started_at if trial.state is TrialState.RUNNING else trial.asked_at
    return {
        "number": trial.number,
        "state": trial.state.value,
        "worker": trial.worker,
        "attempt": trial.attempt,
        "since": iso(since),
        "seconds": None if since is None else max(now - since, 0.0),
        "params": None if trial.params is None else dict(trial.params),
    }


def echo_study(summary: Mapping[str, Any]) -> None:
    """Print the summary of a study as text."""
    echo(f"study   {visible(summary['name'])} in {summary['storage']}")
    space = Space.from_json(summary["space"])
    goals = goals_of(summary)
    about = f"{', '.join(space.names)} by {summary['rule']}, seed {summary['seed']}"
    echo(f"about   {visible(about if goals.named else f'{goals} {about}')}")
    if goals.named:
        echo(f"goals   {visible(str(goals))}")
    for constraint, _ in space.rules():
        echo(f"where   {visible(str(constraint))}")
    echo(f"trials  {counts_line(summary['counts'])}")
    if pace_line(summary):
        echo(f"budget  {pace_line(summary)}")
    if summary["began"]:
        echo(f"time    began {local(summary['began'])}, last result {local(summary['last_result'])}")
    echo_leaders(summary, 8)
    if notes_line(summary["best"]):
        echo(f"notes   {notes_line(summary['best'])}")
    if summary["believed"]:
        echo(f"belief  {believed_line(summary['believed'])}")
    if summary.get("front"):
        echo()
        echo_front(summary["front"])
    if summary["workers"]:
        span = "from the first trial to the last result of each"
        echo(f"\n{share(summary['utilisation'])} of the workers' time was spent evaluating, {span}")
        echo_table(
            ["worker", *_KINDS, "seconds"],
            [_worker_row(worker) for worker in summary["workers"]],
        )
    if summary["running"]:
        echo()
        echo_table(
            ["running", "worker", "attempt", "since", "for", "params"],
            [_running_row(trial) for trial in summary["running"]],
        )
    echo_failures(summary["failures"])


def counts_line(counts: Mapping[str, int]) -> str:
    """40 completed, 4 running, 1 failed; states without trials are left out"""
    parts = [f"{count} {state}" for state, count in counts.items() if count]
    return ", ".join(parts) or "none yet"


def notes_line(best: Mapping[str, Any] | None) -> str:
    """accuracy=0.9, epochs=12: what the best trial told besides its value; empty if it told nothing"""
    return _shortened(assignments((best or {}).get("notes")))


def believed_line(believed: Mapping[str, Any]) -> str:
    """-0.981 ± 0.02 at trial 12: x=0.5, with mean and standard deviation of the model"""
    value = f"{scalar(believed['mean'])} ± {scalar(believed['sd'])}"
    return f"{value} at trial {believed['number']}: {assignments(believed['params'])}"


def echo_failures(failures: Sequence[Mapping[str, Any]]) -> None:
    """Print a table of the reasons of failed trials, if there are any."""
    if failures:
        echo()
        rows = [[str(failure["count"]), _reason(failure["reason"])] for failure in failures[:_MOST]]
        echo_table(["failed", "reason"], rows)
    if len(failures) > _MOST:
        echo(f"and {len(failures) - _MOST} other reasons: see nonstop export")


def _worker_row(worker: Mapping[str, Any]) -> list[str]:
    parts = [worker[key] for key in _KINDS]
    total = sum(parts)
    return [worker["worker"], *(share(part / total) if total else "-" for part in parts), f"{total:.1f}"]


def _running_row(trial: Mapping[str, Any]) -> list[str]:
    age = "-" if trial["seconds"] is None else duration(trial["seconds"])
    what = assignments(trial["params"]) or trial["state"]
    about = [str(trial["number"]), trial["worker"] or "-", str(trial["attempt"])]
    return [*about, local(trial["since"]), age, _shortened(what)]


def _reason(text: str) -> str:
    """A reason in one line; the file that it names, if it does, is not cut off."""
    cause = cause_of(text)
    return _shortened(cause) + text.removeprefix(cause)


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHORT else f"{line[:_SHORT]}…"
