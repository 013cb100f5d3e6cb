"""A Slurm job array of workers: the text of its script, and what may stand in it.

Each task of the array is one worker. Slurm ends tasks: with SIGUSR1 a minute before their time is up, and with SIGTERM
when a job of more importance takes their place. The worker then gives its trial back, and the task goes back into the
queue, unless Slurm put it there itself, or somebody cancelled it.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from nonstop.errors import StudyFileError
from nonstop.wording import shown

#: Seconds without a heartbeat. Longer than elsewhere: a node that stands still for a minute, because its memory is
#: moved or another job is served first, does not lose its trial, and hundreds of workers beat less often.
LEASE: Final = 120.0
#: Seconds between the warning and the end of a task.
WARNING: Final = 60

_COUNT: Final = re.compile(r"([1-9]\d{0,6})(%[1-9]\d*)?", re.ASCII)
_INDICES: Final = re.compile(r"(?=.*[,-])\d+(?:-\d+(?::\d+)?)?(?:,\d+(?:-\d+(?::\d+)?)?)*(?:%[1-9]\d*)?", re.ASCII)
_TIME: Final = re.compile(r"\d+(?::\d{1,2}){0,2}|\d+-\d{1,2}(?::\d{1,2}){0,2}", re.ASCII)

_BODY: Final = """
asked= worker=
stop() {
    asked=yes
    if [ -n "$worker" ]; then kill -TERM "$worker" 2> /dev/null; fi
}
trap stop USR1 TERM
@WORKER@ &
worker=$!
if [ -n "$asked" ]; then stop; fi
wait "$worker"
code=$?
while kill -0 "$worker" 2> /dev/null; do # a signal ended the wait, not the worker
    wait "$worker"
    code=$?
done
"""
# 1234 alone would be all tasks of the array. RUNNING: neither cancelled, nor requeued by Slurm itself.
_REQUEUE: Final = """
task="${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"
if [ -n "$asked" ] && [ "$code" -ne 0 ] && [ "$(squeue --noheader --jobs="$task" --format=%T)" = RUNNING ]; then
    echo "task $task goes back into the queue"
    scontrol requeue "$task"
fi
"""


@dataclass(frozen=True, slots=True)
class Job:
    """What the script of a job array says."""

    #: Of the study.
    name: str
    #: As Slurm writes them: 0-31, 0-31%8.
    array: str
    #: The program and the arguments of a worker.
    worker: tuple[str, ...]
    #: Where the tasks run, and where their logs are written.
    folder: Path
    logs: Path
    #: The URL, in which no password may stand; None: the environment has it.
    storage: str | None
    #: Where Python looks for the objective besides the folder.
    path: Path | None = None
    #: Does a task that is ended early go back into the queue?
    requeue: bool = True
    #: Options of sbatch by name, and other words for its lines.
    options: Mapping[str, str] = field(default_factory=dict)
    lines: tuple[str, ...] = ()


def script(job: Job) -> str:
    """The job script, ready for sbatch."""
    body = _BODY.replace("@WORKER@", shlex.join(job.worker))
    return "".join(
        [
            "#!/bin/bash\n",
            *(f"#SBATCH {line}\n" for line in _directives(job)),
            "# Made by `nonstop slurm`: each task of the array is one worker of the study.\n\n",
            *(f"{line}\n" for line in _environment(job)),
            body,
            _REQUEUE if job.requeue else "",
            'exit "$code"\n',
        ]
    )


def _directives(job: Job) -> Iterable[str]:
    given = {
        "job-name": _file_name(job.name),
        "array": job.array,
        "nodes": "1",
        "ntasks": "1",
        **job.options,
        "chdir": str(job.folder),
        # A task that was requeued goes on in the same file.
        "output": f"{str(job.logs).replace('%', '%%')}/{_file_name(job.name)}-%A_%a.log",
        "open-mode": "append",
        "signal": f"B:USR1@{WARNING}",
    }
    yield from (f"--{key}={shlex.quote(value)}" for key, value in given.items())
    yield "--requeue" if job.requeue else "--no-requeue"
    yield from job.lines


def _environment(job: Job) -> Iterable[str]:
    if job.storage is None:
        # Its password must not stand here.
        yield ': "${NONSTOP_STORAGE:?set it to the URL of the storage before you call sbatch}"'
    else:
        yield f"export NONSTOP_STORAGE={shlex.quote(job.storage)}"
    if job.path is not None:
        yield f'export PYTHONPATH={shlex.quote(str(job.path))}"${{PYTHONPATH:+:$PYTHONPATH}}"'
    yield 'export NONSTOP_WORKER="${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID"'
    yield 'export OMP_NUM_THREADS="${SLURM_CPUS_PER_TASK:-1}"'


def array_of(text: str) -> str:
    """The tasks: 32 is 0-31, 32%8 at most eight of them at a time; all else is as Slurm writes it."""
    count = _COUNT.fullmatch(text)
    if count:
        return f"0-{int(count[1]) - 1}{count[2] or ''}"
    if not _INDICES.fullmatch(text):
        raise StudyFileError(f"--array {shown(text)}: expected a number of tasks, 32%8, or indices such as 0-31:2%4")
    return text


def time_of(text: str) -> str:
    """A time limit as Slurm writes it, because its 90 are minutes and ours would be seconds."""
    if not _TIME.fullmatch(text):
        raise StudyFileError(
            f"--time {shown(text)}: expected Slurm's own form: 4:00:00, 90 (minutes), 1-12 (days-hours)"
        )
    return text


def line_of(option: str, text: str) -> str:
    """The text, if it can stand in a line of the script."""
    if not text.isprintable() or not text.strip():
        raise StudyFileError(f"{option} {shown(text)}: expected one line of text")
    return text


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name)[:80]
