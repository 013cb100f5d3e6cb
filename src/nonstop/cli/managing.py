"""`nonstop rename`, `copy`, `delete`, `retry`: studies as a whole, and their failed trials."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from nonstop.cli.complete import complete_study
from nonstop.cli.target import locate, open_existing, open_now, open_study, shown_url, split_words, url_of
from nonstop.cli.terminal import echo, echo_json
from nonstop.trials.trial import TrialState
from nonstop.wording import shown

_HELD = (TrialState.PROPOSING, TrialState.RUNNING)


@click.command(epilog="\b\nExample:\n  nonstop rename runs.db demo first-try")
@click.argument("words", nargs=-1, metavar="[STORAGE] STUDY NEW", shell_complete=complete_study)
def rename(words: Sequence[str]) -> None:
    """Give a study another name. Its workers notice nothing."""
    url, (name, new) = split_words(words, "STUDY", "NEW")
    study = open_study(url, name)
    study.rename(new)
    echo(f"renamed {name} to {new} in {shown_url(url)}")


@click.command(
    epilog="""\b
Examples:
  nonstop copy runs.db demo second
  nonstop copy runs.db demo --to backup.db
  nonstop copy runs.db demo fresh --empty

The copy replays to the same bits. The original may be running meanwhile: what it evaluates waits in the copy."""
)
@click.argument("words", nargs=-1, metavar="[STORAGE] STUDY [NEW]", shell_complete=complete_study)
@click.option("--to", "target", metavar="STORAGE", help="The storage for the copy (default: that of the study).")
@click.option("--empty", is_flag=True, help="Copy what the study is, without its trials.")
def copy(words: Sequence[str], target: str | None, empty: bool) -> None:
    """Copy a study exactly: every trial with its number, seed, diagnostics and times."""
    from nonstop.storage.copies import copy_study

    url, (name, *new) = split_words(words, "STUDY", "NEW", optional=1)
    if not new and target is None:
        raise click.UsageError("what is the copy called? Give NEW after the study, or another storage with --to")
    study = open_study(url, name)
    where = url if target is None else url_of(target) or target
    storage = study.storage if target is None else open_now(where)
    record = copy_study(study.storage, study.id, storage, (new or [name])[0], empty)
    held = sum(trial.state in _HELD for trial in study.trials)
    counts = storage.counts(record.id)
    waiting = f" ({held} that are running there wait in the copy)" if held and not empty else ""
    echo(f"copied {counts.total} trials of {name} to {record.name} in {shown_url(where)}{waiting}")


@click.command(
    epilog="""\b
Examples:
  nonstop delete runs.db demo
  nonstop delete runs.db demo --yes

Deleted is deleted: there is no way back. Workers of the study end with an error."""
)
@click.argument("words", nargs=-1, metavar="[STORAGE] STUDY", shell_complete=complete_study)
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
def delete(words: Sequence[str], yes: bool) -> int:
    """Delete a study and all its trials. Asks before."""
    url, (name,) = split_words(words, "STUDY")
    storage = open_existing(url)
    # Not loaded: one whose specification is damaged can be deleted, too.
    record = next((record for record in storage.list_studies() if record.name == name), None)
    if record is None:
        record = storage.load_study(name)  # says which studies there are
    counts = storage.counts(record.id)
    what = f"{name} in {shown_url(url)} with {counts.total} trials"
    running = f", {counts.running + counts.proposing} of them running" if counts.running + counts.proposing else ""
    if not yes:
        if not sys.stdin.isatty():
            raise click.UsageError(f"delete {what}{running}? Nobody is there to ask: say --yes")
        if not click.confirm(
            f"delete {shown(name)} in {shown_url(url)} with {counts.total} trials{running}?", err=True
        ):
            echo("nothing was deleted", err=True)
            return 1
    storage.delete_study(record.id)
    echo(f"deleted {what}")
    return 0


@click.command(
    epilog="""\b
Examples:
  nonstop retry runs.db demo
  nonstop retry runs.db demo 3 17
  nonstop retry runs.db demo --reason "No space left"

Each becomes a new trial with the same params, which the next worker evaluates; its note retry_of says of which one."""
)
@click.argument("words", nargs=-1, metavar="[STORAGE] [STUDY] [NUMBER...]", shell_complete=complete_study)
@click.option("--reason", metavar="TEXT", help="Only those whose reason contains this text.")
@click.option("--again", is_flag=True, help="Also those that were retried before.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def retry(words: Sequence[str], reason: str | None, again: bool, as_json: bool) -> None:
    """Evaluate failed trials again: all of them, or those with these numbers."""
    numbers = _numbers_at_end(words)
    kept = list(words[: len(words) - len(numbers)])
    url, name = locate(kept)
    study = open_study(url, name)
    trials = study.retry(numbers or None, reason=reason, again=again)
    if as_json:
        echo_json([{"number": trial.number, "retry_of": trial.notes["retry_of"]} for trial in trials])
    else:
        pairs = ", ".join(f"{trial.notes['retry_of']} as {trial.number}" for trial in trials[:20])
        more = f" and {len(trials) - 20} more" if len(trials) > 20 else ""
        echo(f"{len(trials)} to evaluate again" + (f": trial {pairs}{more}" if trials else ""))


def _numbers_at_end(words: Sequence[str]) -> list[int]:
    """The numbers of trials. A study whose name is a number is named by its storage and by a number after it."""
    count = 0
    while count < len(words) and words[len(words) - 1 - count].isdecimal():
        count += 1
    return [int(word) for word in words[len(words) - count :]]
