"""What workers print while the live panel is shown appears above it, line by line, instead of across it."""

from __future__ import annotations

import os
import select
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TextIO

_STREAMS: Final = (1, 2)
_PAUSE: Final = 0.1


@contextmanager
def own_terminal() -> Iterator[TextIO]:
    """The terminal behind stderr, as a file that stays the terminal while stderr is captured."""
    with os.fdopen(os.dup(2), "w", encoding=sys.stderr.encoding, errors="replace") as terminal:
        yield terminal


@contextmanager
def captured(write: Callable[[str], None]) -> Iterator[None]:
    """Send what this process and its children print to the terminal through write(), in whole lines.

    The file descriptors are replaced, because children inherit those and not Python's streams. Only those that lead to
    the terminal: a stdout that goes into a file still does.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    kept = {stream: os.dup(stream) for stream in _STREAMS if os.isatty(stream)}
    source, sink = os.pipe()
    for stream in kept:
        os.dup2(sink, stream)
    os.close(sink)
    over = threading.Event()
    reader = threading.Thread(target=_read, args=(source, over, write), name="nonstop-output", daemon=True)
    reader.start()
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for stream, original in kept.items():
            os.dup2(original, stream)
            os.close(original)
        over.set()
        reader.join()
        os.close(source)


def _read(source: int, over: threading.Event, write: Callable[[str], None]) -> None:
    """Until it is over and nothing is left. A child that lives on keeps the pipe open, so its end tells nothing."""
    rest = b""
    while True:
        last = over.is_set()
        if select.select([source], [], [], 0.0 if last else _PAUSE)[0]:
            chunk = os.read(source, 65536)
            *lines, rest = (rest + chunk).split(b"\n")
            for line in lines:
                write(_final(line))
            if chunk:
                continue
            over.wait()  # every writer is gone
        if last or over.is_set():
            break
    if rest:
        write(_final(rest))


def _final(line: bytes) -> str:
    """The line as a terminal would leave it: what a carriage return overwrites is dropped."""
    return line.rstrip(b"\r").rpartition(b"\r")[2].decode(errors="replace")
