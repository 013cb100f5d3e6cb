"""`nonstop dashboard`: the studies of a storage in the browser, live."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from nonstop.cli.complete import complete_storage
from nonstop.cli.target import open_existing, shown_url, split_words
from nonstop.cli.terminal import echo
from nonstop.errors import MissingExtraError
from nonstop.storage import open_storage
from nonstop.storage.retry import Patience

if TYPE_CHECKING:
    from nonstop.storage.contract import Storage

TOKEN = "NONSTOP_TOKEN"
#: Seconds to retry an unreachable storage before the page shows the error; it then tries again.
_DEADLINE = 2.0
#: Lower the priority of this process, so that workers on the same machine go first.
_NICENESS = 5


@click.command(epilog="\b\nExamples:\n  nonstop dashboard sqlite:///runs.db --open\n  nonstop dashboard --port 9000")
@click.argument("words", nargs=-1, metavar="[STORAGE]", shell_complete=complete_storage)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8080,
    show_default=True,
    help="The port to listen on; 0 takes a free one.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on; see --token.")
@click.option(
    "--token",
    envvar=TOKEN,
    help=f"A secret that readers must give; required if --host is reachable from other machines. [{TOKEN}]",
)
@click.option("--open", "in_browser", is_flag=True, help="Open the dashboard in the browser.")
def dashboard(words: Sequence[str], port: int, host: str, token: str | None, in_browser: bool) -> None:
    """Show the studies of a storage in the browser, live.

    It only reads, and does not slow down workers. Ctrl-C ends it."""
    try:
        from nonstop.dashboard.server import Dashboard, listen, serve
    except ImportError as error:
        raise MissingExtraError("nonstop dashboard", "dashboard") from error
    from nonstop.dashboard.figures import figure_kinds
    from nonstop.dashboard.security import Policy, RefusedError

    url, _ = split_words(words)
    try:
        policy = Policy.of(host, token or None)
    except RefusedError as error:
        raise click.UsageError(str(error)) from None
    board = Dashboard(_opened(url), shown_url(url), figure_kinds())
    bound = listen(host, port)
    address = f"http://{f'[{host}]' if ':' in host else host}:{bound.getsockname()[1]}/"
    echo(f"dashboard of {shown_url(url)}: {address} (Ctrl-C ends it)")
    if in_browser:
        click.launch(address)
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    try:
        serve(board, policy, bound)
    except KeyboardInterrupt:
        return


def _opened(url: str) -> Storage:
    open_existing(url).close()
    return open_storage(url, Patience(deadline=_DEADLINE))
