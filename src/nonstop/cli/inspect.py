"""`nonstop ls`, `show`, `best`: read-only commands about studies."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from nonstop.cli.complete import complete_storage, complete_study
from nonstop.cli.leaders import best_line, check_results, echo_front, front_line, leaders_of
from nonstop.cli.study_summary import (
    believed_line,
    believed_of,
    echo_study,
    goals_as_json,
    local,
    notes_line,
    pace_as_json,
    summary_of_study,
)
from nonstop.cli.target import locate, open_existing, open_study, shown_url, split_words
from nonstop.cli.terminal import echo, echo_json, echo_table
from nonstop.history.pace import Pace, Recent, share_of_budget
from nonstop.trials.spec import goals_of
from nonstop.types import LARGEST_INTEGER
from nonstop.wording import iso

if TYPE_CHECKING:
    from nonstop.storage.contract import Storage, StudyRecord

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
study_argument = click.argument("words", nargs=-1, metavar="[STORAGE] [STUDY]", shell_complete=complete_study)
_COLUMNS = ("name", "completed", "budget", "running", "failed", "waiting", "goals", "rule", "last_result", "pace")
#: How many of the latest changes of a study tell its pace.
_LATEST = 500


@click.command(epilog="\b\nExamples:\n  nonstop ls sqlite:///runs.db\n  NONSTOP_STORAGE=sqlite:///runs.db nonstop ls")
@click.argument("words", nargs=-1, metavar="[STORAGE]", shell_complete=complete_storage)
@json_option
def ls(words: Sequence[str], as_json: bool) -> None:
    """List the studies of a storage."""
    url, _ = split_words(words)
    storage = open_existing(url)
    rows: list[dict[str, object]] = []
    for study in storage.list_studies():
        counts = storage.counts(study.id)
        running = counts.running + counts.proposing
        trials = {"completed": counts.completed, "running": running, "failed": counts.failed, "waiting": counts.waiting}
        about = {**goals_as_json(study.spec), "rule": study.spec.get("rule")}
        times = {"created_at": study.created_at, "created": iso(study.created_at)}
        rows.append({"name": study.name, **trials, **about, **times, **_pace(storage, study, counts.completed)})
        if study.trouble:
            rows[-1]["trouble"] = study.trouble
    if as_json:
        echo_json(rows)
    else:
        header = [column.replace("_", " ") for column in _COLUMNS]
        echo_table(header, [_row(row) for row in rows if "trouble" not in row])
        for row in rows:
            if "trouble" in row:
                echo(f"{row['name']}: {row['trouble']}")


def _pace(storage: Storage, study: StudyRecord, completed: int) -> dict[str, object]:
    """Budget, rate and time left from the latest changes: reading all trials of all studies would take too long."""
    if study.trouble:
        return {}
    end = storage.exchange(study.id, LARGEST_INTEGER).cursor
    recent = Recent(storage.exchange(study.id, max(0, end - _LATEST)).changes)
    pace = recent.pace(completed, study.budget, time.time())
    return {**pace_as_json(pace), "last_result": iso(pace.last)}


def _row(row: dict[str, Any]) -> list[str]:
    pace = Pace(row["completed"], row["budget"], row["per_second"], row["seconds_left"], None)
    part = share_of_budget(pace.completed, pace.budget)
    shown = {"budget": f"{pace.budget} ({part})" if part else "-", "last_result": local(row["last_result"])}
    shown["pace"] = ", ".join(pace.words())
    shown["goals"] = str(goals_of(row))
    return [str(shown.get(column, row.get(column))) for column in _COLUMNS]


@click.command(
    epilog="\b\nExamples:\n  nonstop show sqlite:///runs.db demo\n  nonstop show sqlite:///runs.db demo --json"
)
@study_argument
@json_option
def show(words: Sequence[str], as_json: bool) -> None:
    """Show the state of a study.

    The number of trials in each state, the best trial, where the time of each worker went, which trials are running
    and for how long, and why trials failed."""
    url, name = locate(words)
    summary = summary_of_study(open_study(url, name), shown_url(url), time.time())
    if as_json:
        echo_json(summary)
    else:
        echo_study(summary)


@click.command(
    epilog="\b\nExamples:\n  nonstop best sqlite:///runs.db demo\n  nonstop best sqlite:///runs.db demo --json"
)
@study_argument
@json_option
def best(words: Sequence[str], as_json: bool) -> None:
    """Show the best trial: its value and params. Of several objectives, the front: what no other trial is better than.

    With constraints, the best that satisfies them; before there is one, the trial that violates them least. For a
    noisy study, also the trial that the model believes best: the best observed value is partly luck."""
    study = open_study(*locate(words))
    leaders = leaders_of(study)
    check_results(study, leaders)
    if "front" in leaders:
        _echo_all(leaders["front"], as_json)
        return
    found, believed = leaders["best"], believed_of(study)
    if as_json:
        echo_json({**found, "believed": believed})
        return
    echo(best_line(found))
    if notes_line(found):
        echo(f"notes: {notes_line(found)}")
    if believed is not None:
        echo(f"believed best: {believed_line(believed)}")


def _echo_all(front: Sequence[Mapping[str, Any]], as_json: bool) -> None:
    if as_json:
        echo_json({"front": front})
    elif front[0].get("violated"):
        echo(front_line(front))
    else:
        echo_front(front, most=None)
