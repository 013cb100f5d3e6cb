"""Study files with letters changed, lines cut and values replaced: read, or refused in one line."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from nonstop.cli.studyfile import read_keys, study_file
from nonstop.errors import StudyFileError
from tests.helpers.fuzzing import loop, number, whole, word

LONG, SHORT = 150_000, 1500
FILE = """
name = "demo"
objective = "train:loss"
storage = "sqlite:///runs.db"
direction = "minimize"
rule = "ucb"
surrogate = "paper"
seed = 3
initial = 5
noisy = false
workers = 4
n_trials = 100
timeout = "2h"
lease = 30
trial_timeout = "1h30m"
max_failures = 5
engine = "dask"
address = "tcp://scheduler:8786"

[space.lr]
type = "float"
low = 1e-5
high = 0.1
log = true

[space]
depth = { type = "int", low = 1, high = 12 }
loss = { type = "categorical", choices = ["l1", 2, 0.5, true] }
"""
_VALUES = ("[]", "{}", "''", "nan", "inf", "-1", "0", "true", "1979-05-27", "0x7f", "[[1]]", "{a=1}", "9" * 5000)


def run(count: int, seed: int, deadline_seconds: float) -> int:
    """Change study files; see tests.helpers.fuzzing.loop."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.toml"
        return loop(count, seed, deadline_seconds, lambda source: one(source, path))


def one(source: random.Random, path: Path) -> None:
    """One changed file."""
    path.write_bytes(_changed(source))
    try:
        study_file(read_keys(path))
    except StudyFileError as error:
        message = str(error)
        assert "\n" not in message.strip(), repr(message)
        assert len(message) < 3000, repr(message)


def _changed(source: random.Random) -> bytes:
    lines = FILE.splitlines()
    for _ in range(source.randrange(1, 4)):
        place = source.randrange(len(lines))
        key, equals, _ = lines[place].partition(" = ")
        match source.randrange(5):
            case 0 if equals:
                lines[place] = f"{key} = {_value(source)}"
            case 1:
                lines.insert(place, f"{word(source)} = {_value(source)}")
            case 2:
                del lines[place]
            case 3:
                lines[place] = lines[place][: source.randrange(len(lines[place]) + 1)] + word(source)
            case _:
                lines[place], lines[0] = lines[0], lines[place]
        if not lines:
            break
    text = bytearray("\n".join(lines).encode(errors="surrogatepass"))
    if text and source.random() < 0.3:
        text[source.randrange(len(text))] = source.randrange(256)
    if source.random() < 0.002:
        text += b"\na = " + b"[" * 5000
    return bytes(text)


def _value(source: random.Random) -> str:
    kind = source.randrange(4)
    if kind == 0:
        return source.choice(_VALUES)
    return str(number(source)) if kind == 1 else str(whole(source) % 10**400) if kind == 2 else repr(word(source))
