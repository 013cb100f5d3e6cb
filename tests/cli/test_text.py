"""Text of others in the terminal and in files: shown, never obeyed; passwords nowhere; broken text breaks nothing."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import nonstop
from nonstop.cli.run_summary import command_line
from nonstop.dashboard.figures import figure_json, figure_kinds
from nonstop.dashboard.rows import text_of
from nonstop.dashboard.watch import Watcher
from nonstop.errors import NonstopError, StorageError, StudyError
from nonstop.history.board import Board
from nonstop.live.monitor import Lines
from nonstop.live.panel import Panel
from nonstop.storage import open_storage
from nonstop.storage.database import parse
from nonstop.storage.sql import SqlStorage
from nonstop.trials.messages import Counts, Exchange
from nonstop.trials.spec import Spec
from nonstop.wording import is_text, visible, without_passwords
from tests.cli.conftest import Said
from tests.cli.test_live import DONE, RUNNING
from tests.helpers.commands import in_terminal, run
from tests.helpers.goals import MINIMIZE

Call = Callable[..., Said]
#: The title of the window, a colour, an erased line, C1 controls, another reading direction, a new line, Rich's markup.
HOSTILE = "\x1b]0;owned\x07\x1b[31mred\x1b[2K\x9b2J\u202egnp.\r\nfake \x08\x7f\u2028[bold]x[/bold][/]"
OBEYED = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]")
SPACE = nonstop.Space({"x": nonstop.Float(0.0, 1.0), HOSTILE: nonstop.Categorical([HOSTILE, "b"])})


@pytest.fixture
def hostile(folder: Path) -> str:
    """A storage with a study in which every text is hostile."""
    url = f"sqlite:///{folder / 'hostile.db'}"
    study = nonstop.create_study(url, HOSTILE, space=SPACE)
    study.enqueue({"x": 0.5, HOSTILE: HOSTILE})
    study.tell(study.ask(HOSTILE), 0.5)
    study.tell(study.ask(HOSTILE), state="failed", reason=HOSTILE)
    study.ask(HOSTILE)
    study.storage.close()
    return url


def test_what_a_terminal_would_obey_is_escaped() -> None:
    assert visible("größer 名前 \N{GRINNING FACE} \\x1b") == "größer 名前 \N{GRINNING FACE} \\x1b"
    assert visible("a\x1b[0m\x9b\x7f\u202e\n\ud800") == r"a\x1b[0m\x9b\x7f\u202e\n\ud800"
    assert visible("a\n\x1b", keep="\n") == "a\n\\x1b"
    assert not OBEYED.search(visible(HOSTILE))
    assert "\n" not in visible(HOSTILE)


@pytest.mark.parametrize("command", ["ls", "show", "best", "replay"])
def test_no_command_obeys_stored_text(call: Call, hostile: str, command: str) -> None:
    said = call(command, hostile, *([] if command == "ls" else [HOSTILE]))
    assert said.code == 0, said.err
    assert not OBEYED.search(said.out + said.err)
    assert "\nfake" not in said.out  # no line of its own
    if command != "replay":
        assert "\\x1b]0;owned\\x07" in said.out


@pytest.mark.parametrize("command", ["ls", "show", "best"])
def test_json_is_safe_to_print_and_says_the_same(call: Call, hostile: str, command: str) -> None:
    said = call(command, hostile, *([] if command == "ls" else [HOSTILE]), "--json")
    assert not OBEYED.search(said.out)
    assert HOSTILE in _strings(json.loads(said.out))


def _strings(value: object) -> list[str]:
    if isinstance(value, dict):
        return [text for pair in value.items() for part in pair for text in _strings(part)]
    if isinstance(value, list):
        return [text for part in value for text in _strings(part)]
    return [value] if isinstance(value, str) else []


def test_errors_are_one_line_that_obeys_nothing(call: Call, hostile: str) -> None:
    said = call("show", hostile, "\x1b[31mno such study\nfake")
    assert said.code == 1
    assert not OBEYED.search(said.err.replace("\x1b[31m", "", 1).replace("\x1b[0m", "", 1))
    assert said.err.count("\n") == 1


def test_the_panel_and_the_lines_show_text_as_it_is() -> None:
    board = Board(MINIMIZE)
    done = replace(DONE, worker=HOSTILE, params={HOSTILE: HOSTILE})
    running = replace(RUNNING, number=1, worker=f"{HOSTILE}2", params={HOSTILE: HOSTILE}, sequence=4)
    board.apply(Exchange((done, running), 4, version=0, counts=Counts(completed=1, running=1)))
    file = io.StringIO()
    console = Console(file=file, width=400, force_terminal=True, color_system=None)
    console.print(Panel(console, HOSTILE, 4).render(board, 1.0, 106.0))
    said: list[str] = []
    Lines(said.append, 4).show(board, 1.0, 106.0, last=True)
    for text in (file.getvalue(), "".join(said)):
        assert not OBEYED.search(text)
        assert "[bold]x[/bold][/]" in text  # markup is text
        assert "\nfake" not in text


def test_in_a_real_terminal(hostile: str, folder: Path) -> None:
    for command in (["show", hostile, HOSTILE], ["export", hostile, HOSTILE]):
        code, said = in_terminal(*command, cwd=folder)
        assert code == 0
        assert not OBEYED.search(said.replace("\r\n", "\n")), command


FORMULAS = ["=1+1", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0", "-rf", "＝1"]


def test_no_cell_of_a_csv_is_a_formula(call: Call, folder: Path) -> None:
    url = f"sqlite:///{folder / 'csv.db'}"
    choices = [*FORMULAS, "-1", "+2.5e-3", "plain", "'quoted"]
    study = nonstop.create_study(url, "demo", space=nonstop.Space({"=p": nonstop.Categorical(choices)}))
    for choice in choices:
        study.add_trial({"=p": choice}, -1.5)
    study.tell(study.ask("=worker()"), state="failed", reason="@reason")
    study.storage.close()
    rows = list(csv.DictReader(io.StringIO(call("export", url, "demo").out, newline="")))
    assert [row["params_=p"] for row in rows[: len(choices)]] == [
        *(f"'{formula}" for formula in FORMULAS), "-1", "+2.5e-3", "plain", "'quoted",
    ]  # fmt: skip
    assert rows[0]["value"] == "-1.5"  # numbers stay numbers
    assert (rows[-1]["worker"], rows[-1]["reason"]) == ("'=worker()", "'@reason")
    raw = list(csv.DictReader(io.StringIO(call("export", url, "demo", "--raw").out, newline="")))
    assert [row["params_=p"] for row in raw[: len(choices)]] == choices
    lines = call("export", url, "demo", "--format", "jsonl").out.splitlines()
    assert [json.loads(line)["params"]["=p"] for line in lines[: len(choices)]] == choices


@pytest.mark.parametrize("file", ["sqlite:///half.db", None])
@pytest.mark.parametrize(
    ("study", "parameter", "choice"), [("a\ud800", "x", "b"), ("a", "x\ud800", "b"), ("a", "x", "b\udcff")]
)
def test_lone_surrogates_are_refused_where_text_enters(
    folder: Path, monkeypatch: pytest.MonkeyPatch, file: str | None, study: str, parameter: str, choice: str
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(NonstopError):
        nonstop.create_study(file, study, space=nonstop.Space({parameter: nonstop.Categorical(["a", choice])}))


def test_pairs_of_surrogates_and_texts_like_them_are_kept(folder: Path) -> None:
    space = nonstop.Space({"c": nonstop.Categorical(["\N{GRINNING FACE}", "\\ud800", "b"])})
    study = nonstop.create_study(f"sqlite:///{folder / 'pair.db'}", "pair", space=space)
    assert nonstop.load_study(study.storage, "pair").spec.space == space


@pytest.fixture
def old(folder: Path) -> str:
    """A file of an earlier version, which stored lone surrogates."""
    url = f"sqlite:///{folder / 'old.db'}"
    study = nonstop.create_study(url, "old", space=nonstop.Space({"pHALF": nonstop.Categorical(["aHALF", "b"])}))
    for value, choice in enumerate(("aHALF", "b", "aHALF")):
        study.add_trial({"pHALF": choice}, float(value))
    storage = study.storage
    assert isinstance(storage, SqlStorage)
    storage._database.write(
        lambda connection: (
            [
                connection.exec_driver_sql(f"UPDATE {table} SET {column} = replace({column}, 'HALF', '\\ud800')")
                for table, column in (("nonstop_studies", "spec"), ("nonstop_trials", "params"))
            ]
            + [connection.exec_driver_sql("UPDATE nonstop_trials SET checksum = NULL")]
        )  # there was none
    )
    storage.close()
    return url


@pytest.mark.parametrize(
    "words", [["ls"], ["show"], ["show", "--json"], ["best"], ["export"], ["export", "--format", "json"], ["report"]]
)
def test_stored_lone_surrogates_break_nothing(call: Call, old: str, folder: Path, words: list[str]) -> None:
    command, *options = words
    if command == "report":
        pytest.importorskip("plotly")
    said = call(command, old, *([] if command == "ls" else ["old"]), *options)
    assert said.code == 0, said.err
    if command == "report":
        assert "a\\ud800" in (folder / "old.html").read_text(encoding="utf-8")


def test_the_dashboard_shows_stored_lone_surrogates(old: str) -> None:
    pytest.importorskip("starlette")
    storage = open_storage(old)
    watcher = Watcher(storage, storage.list_studies()[0])
    asyncio.run(watcher.feed.refresh())
    said = [watcher.about(), *watcher.messages(0, 1.0)]
    said += [figure_json(kind.draw, watcher.spec, watcher.snapshot()) for kind in figure_kinds().values()]
    assert all("ud800" in json.dumps(json.loads(text)) and text.encode() for text in said[:2])
    assert all(text.encode() for text in said)
    assert text_of({"a": "\ud800"}).encode() == b'{"a":"\\ud800"}'
    storage.close()


def test_a_study_with_stored_lone_surrogates_goes_on(old: str) -> None:
    study = nonstop.load_study(old, "old")
    study.tell(study.ask(), 1.0)
    assert len(study.trials) == 4


PASSWORDS = [
    "geheim",
    "ge heim",
    "ge/heim",
    "ge'heim",
    'ge"heim',
    "ge:heim",
    "ge@heim",
    "ge heim",
    "geheim ",
    "ge%20heim",
]


@pytest.mark.parametrize("password", PASSWORDS)
def test_no_password_is_in_a_command_line(password: str) -> None:
    url = f"postgresql://me:{password}@host:5432/runs"
    for words in (
        ["show", url, "demo"],
        ["run", f"--storage={url}", "m:f"],
        ["run", "--storage", f"postgresql://me@host/runs?password={password}&sslmode=require"],
    ):
        shown = command_line("nonstop", *words)
        assert "heim" not in shown
        assert "***" in shown
        assert "host" in shown
        assert len(shlex.split(shown)) == len(words) + 1


@pytest.mark.parametrize("password", PASSWORDS)
def test_no_password_is_in_a_message(password: str) -> None:
    text = f"postgresql+psycopg://me:{password}@host/runs: out of reach (see http://127.0.0.1:80/ or me@host)"
    shown = without_passwords(text)
    assert "heim" not in shown
    assert shown.endswith("host/runs: out of reach (see http://127.0.0.1:80/ or me@host)")


def test_what_is_no_password_stays() -> None:
    for text in (
        "see http://127.0.0.1:8080/ and write to me@host",
        "sqlite:////home/me/runs.db: locked by me@host",
        "postgresql://me@host:5432/runs",
        "curl http://host:80/x --user a@b",
        "nonstop run --command 'train --mail me@host --at 10:30'",
    ):
        assert without_passwords(text) == text
    assert without_passwords("https://me:geheim@host/x") == "https://me:***@host/x"


def test_masking_takes_linear_time() -> None:
    for text in ("postgresql://a:" * 20_000, "https://a:" * 20_000, "https://a: " * 20_000, "@" + "x" * 200_000):
        assert without_passwords(f"{text} ") == f"{text} "
        assert len(without_passwords(f"me@host {text}@host")) < 300_050


def test_an_at_sign_in_a_password_is_refused_without_showing_it() -> None:
    with pytest.raises(StorageError, match="%40") as caught:
        parse("postgresql://me:ge@heim@host/runs")
    assert "heim" not in str(caught.value)


def test_a_run_shows_and_stores_no_password(folder: Path) -> None:
    pytest.importorskip("plotly")
    url = f"sqlite:///{folder / 'secret.db'}"
    command = "sh -c 'echo 1' sh --db 'mysql://me:ge heim@db/x'"
    words = ["-p", "x=float:0:1", "--command", command, "--n-trials", "2", "--storage", url, "--name", "demo"]
    done = run("run", *words, "--json", cwd=folder)
    assert "mysql://me:***@db/x" in json.loads(done.stdout)["resume"]
    spec = nonstop.load_study(url, "demo").spec.to_json()
    run("report", url, "demo", cwd=folder)
    for text in (done.stdout, done.stderr, str(spec), (folder / "demo.html").read_text(encoding="utf-8")):
        assert "heim" not in text


@pytest.mark.parametrize(
    "url", ["postgresql://me:ge heim@127.0.0.1:1/db", "postgresql://me@127.0.0.1:1/db?password=ge heim"]
)
def test_no_password_with_a_space_is_in_an_error(call: Call, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nonstop.cli.target.START_DEADLINE", 0.1)
    for words in (["ls", url], ["show", url, "demo"], ["run", "--storage", url, "mine:square", "-p", "x=float:0:1"]):
        said = call(*words, *(["--n-trials", "1"] if words[0] == "run" else []), "--debug")
        assert said.code == 1
        assert "127.0.0.1" in said.err
        assert "heim" not in said.out + said.err


def test_a_stored_command_with_a_password_is_masked_in_the_report(call: Call, folder: Path) -> None:
    pytest.importorskip("plotly")
    url = f"sqlite:///{folder / 'before.db'}"
    space = nonstop.Space({"x": nonstop.Float(0.0, 1.0)})
    command = "nonstop run 'postgresql://me:ge heim@host/runs' m:f"
    nonstop.create_study(url, "demo", space=space, command=command).storage.close()
    assert call("report", url, "demo").code == 0
    assert "ge heim" not in (folder / "demo.html").read_text(encoding="utf-8")


def test_bytes_of_the_command_line_that_are_no_text(folder: Path) -> None:
    shown = command_line("nonstop", "run", "--name", b"\xff".decode(errors="surrogateescape"))
    assert is_text(shown)
    spec = Spec(space=nonstop.Space({"x": nonstop.Float(0.0, 1.0)}), command=shown)
    assert open_storage(f"sqlite:///{folder / 'bytes.db'}").create_study("x", spec.to_json()).spec["command"] == shown
    with pytest.raises(StudyError):
        open_storage(None).create_study("x", {"note": "\ud800"})
