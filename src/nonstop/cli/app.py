"""The command `nonstop`: its commands, its error messages and its exit codes.

Exit codes: 0 success, 1 the run or the storage failed, 2 usage error, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress

import click

from nonstop.cli.asking import ask, enqueue, tell
from nonstop.cli.completion import VARIABLE as COMPLETING
from nonstop.cli.completion import answer, completion
from nonstop.cli.create import create
from nonstop.cli.dashboard import dashboard
from nonstop.cli.export import export
from nonstop.cli.importing import import_
from nonstop.cli.inspect import best, ls, show
from nonstop.cli.managing import copy, delete, rename, retry
from nonstop.cli.replay import replay
from nonstop.cli.report import report
from nonstop.cli.run import run
from nonstop.cli.slurm import slurm
from nonstop.cli.terminal import echo, echo_error
from nonstop.cli.worker import worker
from nonstop.errors import (
    NonstopError,
    ObjectiveError,
    RuleError,
    SpaceError,
    StudyFileError,
    StudyMismatchError,
)
from nonstop.wording import shown

DEBUG = "--debug"
#: Characters of an error message; paths and lists of names fit in.
_LONGEST_MESSAGE = 2000
_USAGE_ERRORS = (StudyFileError, StudyMismatchError, SpaceError, RuleError, ObjectiveError)


def _version(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        # Not imported: the package itself stands below all of its files, and is loaded whenever one of them is.
        click.echo(f"nonstop {sys.modules['nonstop'].__version__}")
        context.exit()


@click.group(
    commands=[
        *(run, worker, slurm, create, ask, tell, enqueue, retry),
        *(ls, show, best, report, dashboard, export, import_, replay),
        *(rename, copy, delete, completion),
    ],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
    epilog="""\b
Examples:
  nonstop run study.toml
  nonstop run train:loss -p lr=float:1e-5:1e-1:log -p depth=int:1:12 --workers 8 --n-trials 200
  nonstop run --command "python train.py --lr {lr}" -p lr=float:1e-5:1e-1:log --timeout 2h
  nonstop show loss
  nonstop show runs.db demo

\b
A storage is a FILE of SQLite, sqlite:///FILE or postgresql://USER@HOST/DATABASE. If none is given, it is that which
NONSTOP_STORAGE names, else nonstop.db. If it has one study only, that need not be named.
NONSTOP_DEBUG=1 or --debug shows tracebacks. Exit codes: 0 success, 1 failed, 2 usage,
130 interrupted.
""",
)
@click.option("--version", is_flag=True, expose_value=False, is_eager=True, callback=_version, help="Show the version.")
@click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of every error (allowed anywhere).")
def app() -> None:
    """Asynchronous Bayesian optimization whose workers never wait."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command and exit with its code; every error is one line on stderr."""
    if os.environ.get(COMPLETING):
        answer(app, os.environ[COMPLETING])
        sys.exit(0)
    words = list(sys.argv[1:] if arguments is None else arguments)
    debug = DEBUG in words or os.environ.get("NONSTOP_DEBUG", "0") not in ("", "0")
    code = _code([word for word in words if word != DEBUG], debug)
    sys.exit(code if _flushed() else code or 1)


def _code(words: list[str], debug: bool) -> int:
    try:
        return int(app.main(words, prog_name="nonstop", standalone_mode=False) or 0)
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return 2
    except (click.Abort, KeyboardInterrupt):
        with suppress(OSError):
            echo_error("interrupted")
        return 130
    except Exception as error:
        with suppress(OSError):  # stderr may be full or closed, too
            _explain(error, debug)
        return 2 if isinstance(error, (click.UsageError, *_USAGE_ERRORS)) else 1


def _explain(error: Exception, debug: bool) -> None:
    known = isinstance(error, click.ClickException | NonstopError | OSError)  # an OSError: the machine, not nonstop
    if debug or not known:  # an unknown error is a bug: the traceback says where
        echo("".join(traceback.format_exception(error)).rstrip(), err=True)
    if known:
        # Bytes of the command line that are no text arrive as lone surrogates, which no terminal takes.
        message = _message(error).encode(errors="backslashreplace").decode()
        echo_error(message if len(message) <= _LONGEST_MESSAGE else f"{message[:_LONGEST_MESSAGE]}...")


def _flushed() -> bool:
    """Write out what is left in the buffer. If that fails (a full disk, a closed pipe), give it up: Python would try
    again while it ends, and print a traceback."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError) as error:
        with suppress(OSError, ValueError):
            if not isinstance(error, BrokenPipeError):
                echo_error(f"the output could not be written: {getattr(error, 'strerror', None) or error}")
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return False
    return True


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and not isinstance(error, NonstopError):
        where = f": {shown(error.filename)}" if error.filename is not None else ""
        return f"the machine refused: {error.strerror or error}{where}"
    if not isinstance(error, click.ClickException):
        return str(error)
    context = getattr(error, "ctx", None)
    hint = f" (see {context.command_path} --help)" if context is not None else ""
    return error.format_message().rstrip(".") + hint


if __name__ == "__main__":
    main()
