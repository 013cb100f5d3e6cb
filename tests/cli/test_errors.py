"""Every error is one line on stderr that names what is wrong; the exit code says of which kind it is."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import nonstop
from tests.cli.conftest import Said

Call = Callable[..., Said]
X = ("-p", "x=float:0:1")
SQUARE = ("run", "mine:square", *X)

WRONG = [
    (("walk",), "'walk'"),
    (("ls",), "which storage?"),
    (("ls", "runs"), "unexpected argument 'runs'"),
    (("ls", "sqlite:///a.db", "b"), "'b'"),
    (("rename", "sqlite:///a.db"), "missing argument STUDY"),
    (("rename", "a.db", "one"), "missing argument NEW"),
    (("export", "sqlite:///a.db", "demo", "--format", "xml"), "'xml'"),
    (("run",), "there are no parameters"),
    (("run", "mine"), "mine: expected a study file (STUDY.toml) or MODULE:FUNCTION"),
    (("run", "absent.toml"), "absent.toml: cannot be read"),
    (("run", *X, "--n-trials", "3"), "expected one of objective"),
    ((*SQUARE, "--command", "ls", "--n-trials", "3"), "expected either mine:square or --command, got both"),
    (("run", "mine:square", "--n-trials", "3"), "there are no parameters"),
    (SQUARE, "there is no budget"),
    ((*SQUARE, "--n-trials", "0"), "--n-trials 0: expected a number of trials from 1"),
    ((*SQUARE, "--n-trials", "many"), "'--n-trials'"),
    ((*SQUARE, "--n-trails", "3"), "--n-trails"),
    ((*SQUARE, "--timeout", "soon"), "--timeout soon: expected a duration"),
    ((*SQUARE, "--n-trials", "3", "--workers", "0"), "--workers 0"),
    ((*SQUARE, "--n-trials", "3", "--lease", "0"), "--lease 0"),
    ((*SQUARE, "--n-trials", "3", "--trial-timeout", "x"), "--trial-timeout x"),
    ((*SQUARE, "--n-trials", "3", "--direction", "up"), '--direction up: expected "minimize" or "maximize"'),
    ((*SQUARE, "--n-trials", "3", "--rule", "best"), "--rule best: unknown rule 'best'"),
    ((*SQUARE, "--n-trials", "3", "--seed", "-1"), "--seed -1"),
    ((*SQUARE, "--n-trials", "3", "--engine", "spark"), "--engine spark: expected one of local, dask, ray"),
    ((*SQUARE, "--n-trials", "3", "--address", "tcp://x"), "address = 'tcp://x' needs engine"),
    ((*SQUARE, "--n-trials", "3", "--storage", "runs.db"), "--storage: expected a URL"),
    (("run", "mine:square", "-p", "x=float:1:0", "--n-trials", "3"), "--param x=float:1:0"),
    (("run", "mine:round", *X, "--n-trials", "3"), "'mine:round': there is no 'round' in mine"),
    (("run", "yours:square", *X, "--n-trials", "3"), "there is no module 'yours'"),
    (("run", "--command", "echo {y}", *X, "--n-trials", "3"), "{y}"),
    (("worker", "sqlite:///a.db", "demo", "mine:square", "--command", "ls", "--n-trials", "3"), "what to evaluate?"),
    (("worker", "sqlite:///a.db", "demo", "mine:square"), "there is no budget"),
    (("worker", "sqlite:///a.db", "demo", "mine", "--n-trials", "3"), "--objective mine: expected module:function"),
]


@pytest.mark.parametrize(
    ("arguments", "named"), WRONG, ids=lambda value: " ".join(value) if isinstance(value, tuple) else ""
)
def test_usage_errors(call: Call, folder: Path, arguments: tuple[str, ...], named: str) -> None:
    said = call(*arguments)
    assert (said.code, said.out) == (2, "")
    assert named in said.err
    assert said.err.startswith("nonstop: ")
    assert said.err.count("\n") == 1
    assert not list(folder.glob("*.db")), "nothing is stored for a command that makes no sense"


def test_a_file_that_is_not_there_is_not_made(call: Call, folder: Path) -> None:
    said = call("ls", "sqlite:///absent.db")
    assert (said.code, said.out) == (1, "")
    assert said.err == f"nonstop: there is no file {folder / 'absent.db'}\n"
    assert not (folder / "absent.db").exists()


def test_an_unknown_study_lists_the_known(call: Call, url: str) -> None:
    said = call("show", url, "dema")
    assert said.code == 1
    assert said.err == "nonstop: there is no study 'dema' here; studies: 'demo'\n"


def test_a_study_goes_on_as_it_was_made(call: Call) -> None:
    again = (*SQUARE, "--n-trials", "2", "--quiet")
    assert call(*again, "--seed", "3").code == 0
    for options, named in [
        (("--seed", "4"), "was made with seed = 3, not 4"),
        (("--seed", "3", "--rule", "logei"), "was made with rule = kb-ucb+kb-ucb+kb-logei, not logei"),
        (("--seed", "3", "--surrogate", "paper"), "was made with surrogate = nonstop, not paper"),
    ]:
        said = call(*again, *options)
        assert said.code == 2
        assert named in said.err
    assert call(*again).code == 0  # not given: as stored
    other = call("run", "mine:square", "-p", "x=float:0:2", "--n-trials", "2", "--seed", "3")
    assert other.code == 2
    assert "was made with space = " in other.err


def test_a_traceback_only_on_request(call: Call, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Traceback" not in call("show", url, "absent").err
    assert "Traceback" in call("--debug", "show", url, "absent").err
    assert "Traceback" in call("show", url, "absent", "--debug").err
    monkeypatch.setenv("NONSTOP_DEBUG", "1")
    assert "Traceback" in call("show", url, "absent").err


SECRET = "geheim%2Fnis"


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://me:{SECRET}@localhost:1/runs",
        f"postgresql://me@localhost:1/runs?password={SECRET}",
        f"mysql://me:{SECRET}@localhost/runs",
        f"postgresql://me:{SECRET}@localhost:port/runs",
    ],
)
@pytest.mark.parametrize("debug", [(), ("--debug",)], ids=["plain", "debug"])
def test_passwords_are_never_shown(
    call: Call, monkeypatch: pytest.MonkeyPatch, url: str, debug: tuple[str, ...]
) -> None:
    monkeypatch.setattr("nonstop.cli.target.START_DEADLINE", 0.1)
    for arguments in (
        ("ls", url),
        ("show", url, "demo"),
        ("worker", url, "demo", "mine:square", "--n-trials", "3"),
        (*SQUARE, "--n-trials", "3", "--storage", url),
    ):
        said = call(*arguments, *debug)
        assert said.code == 1
        assert "geheim" not in said.out + said.err


def test_help_shows_examples_and_the_version(call: Call) -> None:
    assert call("--version").out.startswith("nonstop 0.")
    for command in ("run", "worker", "ls", "show", "best", "export", "replay"):
        said = call(command, "--help")
        assert said.code == 0
        assert "Example" in said.out
        assert f"nonstop {command}" in said.out
    bare = call()
    assert bare.code == 2
    assert "nonstop run study.toml" in bare.err


DIGITS, DEEP, LONG = "9" * 5000, "[" * 20_000, "x" * 10_000
NONSENSE = [
    (*SQUARE, "--n-trials", DIGITS),
    (*SQUARE, "--n-trials", "3", "--seed", str(2**63)),
    (*SQUARE, "--n-trials", "3", "--workers", "1000000000"),
    (*SQUARE, "--timeout", DIGITS),
    (*SQUARE, "--n-trials", "3", "--lease", "1e400"),
    (*SQUARE, "--n-trials", "3", "--lease", "9999999999"),
    (*SQUARE, "--n-trials", "3", "--name", "\ud800"),
    (*SQUARE, "--n-trials", "3", "--storage", "sqlite:///a\0b"),
    ("run", LONG),
    ("run", f"{LONG}.toml"),
    ("run", "a\0b.toml"),
    ("run", f"{LONG}:{LONG}", *X, "--n-trials", "3"),
    ("run", "mine:square", "-p", f"x=int:0:{DIGITS}", "--n-trials", "3"),
    ("run", "mine:square", "-p", f"x=float:0:{DIGITS}", "--n-trials", "3"),
    ("run", "mine:square", "-p", f"{LONG}", "--n-trials", "3"),
    ("run", "digits.toml"),
    ("run", "deep.toml"),
    ("run", "bounds.toml"),
    ("run", "latin.toml"),
    ("show", "sqlite:///a\0b", "demo"),
    ("worker", "sqlite:///a.db", "demo", LONG, "--n-trials", "3"),
]


@pytest.fixture
def no_collection() -> Iterator[None]:
    """At the end of the stack the callbacks of collected garbage fail too, whosever they are, and pytest takes that for
    a failure of the test that happens to run."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize(
    "arguments", NONSENSE, ids=lambda words: " ".join(words)[-60:].encode("ascii", "replace").decode()
)
@pytest.mark.usefixtures("no_collection")
def test_nonsense_is_a_usage_error_of_one_short_line(call: Call, folder: Path, arguments: tuple[str, ...]) -> None:
    (folder / "digits.toml").write_text(f"seed = {DIGITS}")
    (folder / "deep.toml").write_text(f"seed = {DEEP}")
    (folder / "bounds.toml").write_text(f"[space.x]\ntype = 'int'\nlow = 0\nhigh = {'9' * 400}")
    (folder / "latin.toml").write_bytes(b"name = '\xe4'")
    said = call(*arguments)
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("nonstop: ")
    assert said.err.count("\n") == 1
    assert len(said.err) < 2100


@pytest.mark.parametrize("deep", [DEEP, f" {DEEP}", '{"a":' * 20_000, "[1]"], ids=["list", "space", "object", "whole"])
def test_deep_choices_stay_text(call: Call, folder: Path, deep: str) -> None:
    words = ("run", "mine:square", *X, "-p", f"c=cat:{deep}", "--n-trials", "1", "--quiet")
    assert call(*words, "--storage", "sqlite:///deep.db", "--name", "demo").code == 0
    (trial,) = nonstop.load_study(f"sqlite:///{folder / 'deep.db'}", "demo").trials
    assert trial.params["c"] == deep


def test_an_over_long_path_is_one_line(call: Call) -> None:
    said = call("ls", f"sqlite:///{LONG}")
    assert said.code == 1
    assert said.err.count("\n") == 1
    assert "too long" in said.err


@pytest.mark.parametrize("command", ["export", "report"])
def test_output_paths_that_cannot_be_written(call: Call, folder: Path, url: str, command: str) -> None:
    if command == "report":
        pytest.importorskip("plotly")
    (folder / "there").mkdir()
    for path, why in [
        ("there", "it is a folder"),
        ("absent/file", "No such file"),
        ("/dev/full", "No space left"),
        (LONG, "too long"),
        ("a\0b", "null"),
    ]:
        said = call(command, url, "demo", "-o", path)
        assert (said.code, said.out) == (1, ""), path
        assert said.err.startswith("nonstop: cannot write")
        assert why in said.err
        assert said.err.count("\n") == 1
    assert Path("/dev/full").is_char_device(), "a device is never replaced"
    assert not list(folder.glob(".nonstop-*"))
    assert call(command, url, "demo", "-o", "/dev/null").code == 0
    assert Path("/dev/null").is_char_device()


def test_a_file_is_replaced_whole(call: Call, folder: Path, url: str) -> None:
    old = folder / "old.csv"
    old.write_text("old")
    old.chmod(0o640)
    assert call("export", url, "demo", "-o", "old.csv").code == 0
    assert old.read_text().startswith("number,")
    assert old.stat().st_mode & 0o777 == 0o640


def test_a_report_is_private(call: Call, folder: Path, url: str) -> None:
    pytest.importorskip("plotly")
    assert call("report", url, "demo", "-o", "new.html").code == 0
    assert (folder / "new.html").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("command", ["ls", "show", "best", "export", "replay"])
@pytest.mark.parametrize("where", ["full", "closed pipe"])
def test_an_output_that_takes_nothing(url: str, command: str, where: str) -> None:
    """In a process of its own, because Python writes the rest of its buffers when it ends."""
    words = [sys.executable, "-m", "nonstop.cli.app", command, url, *([] if command == "ls" else ["demo"])]
    if where == "full":
        with open("/dev/full", "w") as out:  # noqa: PTH123
            done = subprocess.run(words, stdout=out, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        assert "No space left on device" in done.stderr
    else:
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run(words, stdout=write, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
        os.close(write)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 1  # Rich 13 writes an empty line where it drew nothing


def test_an_error_with_no_place_to_print_it(url: str) -> None:
    with open("/dev/full", "w") as full:  # noqa: PTH123
        words = [sys.executable, "-m", "nonstop.cli.app", "show", url, "absent"]
        assert subprocess.run(words, stdout=full, stderr=full, timeout=60, check=False).returncode == 1
