"""`nonstop slurm`: a job array of workers, for a study that is created first if there is none."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from nonstop.cli.complete import complete_target
from nonstop.cli.fix import fix_option, fixed_of
from nonstop.cli.goals import goal_options
from nonstop.cli.identity import changed_option, command_of
from nonstop.cli.options import (
    HELP,
    key_options,
    noisy_option,
    output_option,
    param_option,
    read_all_keys,
    shell_option,
    where_option,
)
from nonstop.cli.run import open_or_create
from nonstop.cli.studyfile import StudyFile, study_file
from nonstop.cli.target import VARIABLE, shown_url, url_of
from nonstop.cli.terminal import echo
from nonstop.errors import StudyFileError
from nonstop.integrations.slurm import LEASE, Job, array_of, line_of, script, time_of
from nonstop.wording import shown, word_without_passwords

if TYPE_CHECKING:
    from nonstop.workers.command import Command

F = TypeVar("F", bound=Callable[..., Any])

_EXAMPLES = """\b
Examples:
  nonstop slurm study.toml --array 32 --time 4:00:00 --partition gpu --gres gpu:1
  nonstop slurm train:loss -p lr=float:1e-5:1e-1:log --n-trials 2000 --array 32%8 --storage postgresql://me@db/runs
  nonstop slurm study.toml --array 32 --time 4:00:00 --dry-run
  nonstop slurm study.toml --array 32 --time 4:00:00 --output job.sh

Prints the id of the job. The same command again adds workers. A task whose time is up, or which is preempted, gives its
trial back and returns to the queue, until the budget of the study is used up; `scancel ID` ends all of them."""

#: Options of sbatch that are options here, with what their help says.
_SBATCH: Final = {
    "time": "The time limit of each task, as Slurm writes it: 4:00:00.",
    "partition": "The partition.",
    "account": "The account.",
    "qos": "The quality of service.",
    "cpus-per-task": "Processors for each worker.",
    "mem": "Memory for each worker, such as 8G.",
    "gres": "Devices for each worker, such as gpu:1.",
}
_NAMES: Final = {f"sbatch_{key.replace('-', '_')}": key for key in _SBATCH}
#: Keys that `nonstop worker` takes as options.
_PASSED: Final = ("n_trials", "timeout", "until", "lease", "trial_timeout", "max_failures", "folder")
#: Keys that say where workers run, which is Slurm's matter here.
_ELSEWHERE: Final = {"engine": "Slurm starts the workers", "address": "Slurm starts the workers", "gpus": "use --gres"}


def sbatch_options(function: F) -> F:
    """Options that are sbatch's own."""
    for key in reversed(_NAMES):
        function = click.option(f"--{_NAMES[key]}", key, metavar="TEXT", help=_SBATCH[_NAMES[key]])(function)
    return function


@click.command(epilog=_EXAMPLES)
@click.argument("target", required=False, metavar="[STUDY.toml | MODULE:FUNCTION]", shell_complete=complete_target)
@click.option("--array", metavar="N", help="How many workers (default: those of the file); 32%8: eight at a time.")
@sbatch_options
@click.option("--sbatch", "lines", multiple=True, metavar="TEXT", help="More options of sbatch; may be repeated.")
@click.option("--logs", default="nonstop-logs", metavar="FOLDER", help="Where tasks log (default: nonstop-logs).")
@click.option("--requeue/--no-requeue", default=True, help="Whether a task that is ended early returns to the queue.")
@click.option("--one-machine", is_flag=True, help="All nodes are this machine: SQLite will do.")
@click.option("-o", "--output", metavar="FILE", help="Create the study and write the script, but do not submit it.")
@click.option("--dry-run", is_flag=True, help="Print the script, and do nothing else.")
@key_options("command")
@shell_option
@param_option
@where_option
@fix_option
@key_options("storage", "name", "direction")
@goal_options
@key_options("rule", "surrogate", "seed", "initial")
@noisy_option
@key_options(*(key for key in _PASSED if key != "lease"))
@click.option("--lease", metavar="TEXT", help=HELP["lease"].replace("30s", "2m"))
@output_option
@changed_option
def slurm(
    target: str | None,
    params: Sequence[str],
    fix: Sequence[str],
    changed: bool,
    one_machine: bool,
    output: str | None,
    dry_run: bool,
    **options: Any,
) -> None:
    """Submit workers to Slurm as a job array."""
    asked = {key: options.pop(key) for key in ("array", "lines", "logs", "requeue", *_NAMES)}
    keys = {"lease": LEASE, **read_all_keys(target, params, options)}
    plan = _checked(keys, one_machine)
    objective = command_of(plan) if plan.command is not None else str(plan.objective)
    words = _limits(keys, fixed_of(fix, plan.fix, plan.space))
    job = _job(asked, plan, target, (*_program(), "worker", *words, *_what(plan.name, objective)))
    if dry_run:
        click.echo(script(job), nl=False)
        return
    if output is None and shutil.which("sbatch") is None:
        raise click.ClickException("there is no sbatch here: write the script with --output, and submit it elsewhere")
    name = open_or_create(plan, objective, changed).name  # not always that of the plan
    job = replace(job, name=name, worker=(*_program(), "worker", *words, *_what(name, objective)))
    job.logs.mkdir(parents=True, exist_ok=True)
    if output is not None:
        Path(output).write_text(script(job), encoding="utf-8")
        echo(f"wrote {output}: submit it with sbatch{_with_variable(job)}")
        return
    number = _submitted(script(job), plan.storage)
    echo(f"nonstop: {name} in {shown_url(plan.storage)}, tasks {job.array}, logs in {job.logs}", err=True)
    echo(number)


def _checked(keys: Mapping[str, object], one_machine: bool) -> StudyFile:
    """The plan, if its workers can run as tasks on other machines."""
    for key, instead in _ELSEWHERE.items():
        if keys.get(key, "local") != "local":
            raise StudyFileError(f"{key} = {shown(keys[key])} is not for Slurm: {instead}")
    plan = study_file(keys)
    if plan.storage.startswith("sqlite") and not one_machine:
        raise StudyFileError(
            f"{shown_url(plan.storage)} is for one machine, and the tasks of an array run on many: use "
            "postgresql://USER@HOST/DATABASE, or say --one-machine if all nodes are this one"
        )
    return plan


def _job(asked: Mapping[str, Any], plan: StudyFile, target: str | None, worker: tuple[str, ...]) -> Job:
    given = {key: line_of(f"--{key}", asked[name]) for name, key in _NAMES.items() if asked[name] is not None}
    if "time" in given:
        time_of(given["time"])
    folder = Path.cwd()
    beside = Path(target).absolute().parent if target is not None and target.endswith(".toml") else folder
    return Job(
        name=plan.name,
        array=array_of(asked["array"] or str(plan.workers)),
        worker=worker,
        folder=Path(line_of("folder", str(folder))),
        logs=folder / line_of("--logs", asked["logs"]),
        storage=None if _has_password(plan.storage) else plan.storage,
        path=None if beside == folder else beside,
        requeue=asked["requeue"],
        options=given,
        lines=tuple(line_of("--sbatch", line) for line in asked["lines"]),
    )


def _has_password(url: str) -> bool:
    return word_without_passwords(url) != url or "***" in shown_url(url)


def _program() -> tuple[str, ...]:
    """This nonstop: its environment is on a file system that the nodes share, or at the same place on each."""
    command = Path(sys.executable).with_name("nonstop")
    return (str(command),) if command.exists() else (sys.executable, "-m", "nonstop.cli.app")


def _limits(keys: Mapping[str, object], fixed: Mapping[str, object] | None) -> list[str]:
    """The options of a worker that the keys stand for."""
    words: list[str] = []
    for key in _PASSED:
        if key in keys:
            value = keys[key]
            words += [f"--{key.replace('_', '-')}", f"{value:.12g}" if isinstance(value, float) else str(value)]
    if not keys.get("keep_output", True):
        words.append("--discard-output")
    for name, value in (fixed or {}).items():
        words += ["--fix", f"{name}={json.dumps(value)}"]
    return words


def _what(name: str, objective: str | Command) -> tuple[str, ...]:
    """The study and what to evaluate, as arguments of a worker."""
    if url_of(name) is not None:
        raise StudyFileError(f"a study that is called like a storage cannot be named to workers: {shown(name)}")
    if isinstance(objective, str):
        return ("--", name, objective)
    return ("--command", objective.template, *(["--shell"] if objective.shell else []), "--", name)


def _submitted(text: str, url: str) -> str:
    """The id of the job. The script goes through a pipe and the URL, if it has a password, through the environment."""
    environment = {**os.environ, VARIABLE: url} if _has_password(url) else dict(os.environ)
    done = subprocess.run(["sbatch", "--parsable"], input=text, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        raise click.ClickException(f"sbatch refused the job: {done.stderr.strip() or f'exit code {done.returncode}'}")
    if done.stderr.strip():
        echo(done.stderr.strip(), err=True)
    return done.stdout.strip().partition(";")[0]  # behind a semicolon stands the cluster


def _with_variable(job: Job) -> str:
    return (
        "" if job.storage is not None else f", with the URL of the storage in {VARIABLE}: its password is not in there"
    )
