"""Output that is captured for the live panel: whole lines, and an end whatever the children of an objective do."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest

import nonstop.cli.capture as capture


class Reading:
    """A reader of a pipe, as captured_output() starts it."""

    def __init__(self) -> None:
        self.source, self.sink = os.pipe()
        self.over = threading.Event()
        self.lines: list[str] = []
        self.thread = threading.Thread(target=capture._read, args=(self.source, self.over, self.lines.append))
        self.thread.start()

    def end(self) -> None:
        self.over.set()
        self.thread.join(20.0)
        assert not self.thread.is_alive()


@pytest.fixture
def reading() -> Iterator[Reading]:
    reading = Reading()
    yield reading
    for descriptor in (reading.source, reading.sink):
        with suppress(OSError):
            os.close(descriptor)


def test_lines_are_whole_and_the_last_need_not_end(reading: Reading) -> None:
    os.write(reading.sink, b"one\ntw")
    os.write(reading.sink, b"o\n10 %\r20 %\r\nrest")
    reading.end()
    assert reading.lines == ["one", "two", "20 %", "rest"]


def test_a_child_that_lives_on_and_never_stops_writing_does_not_delay_the_end(reading: Reading) -> None:
    """It holds the pipe open: there is no end of file, and always something to read."""
    stop = threading.Event()

    def write() -> None:
        with suppress(OSError):
            while not stop.is_set():
                os.write(reading.sink, b"still here\n" * 1000)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    try:
        reading.end()
    finally:
        stop.set()
        os.close(reading.source)
        writer.join(20.0)
    assert "still here" in reading.lines


def test_a_line_without_an_end_is_written_in_pieces(reading: Reading) -> None:
    """Kept as a whole, each piece would cost a copy of all that came before."""
    for _ in range(300):
        os.write(reading.sink, b"x" * 4096)
    reading.end()
    assert sum(map(len, reading.lines)) == 300 * 4096
    assert max(map(len, reading.lines)) < 3 * 65536
