"""Every command and every option stands in docs/cli.md. Its commands are run by tests/test_readme.py."""

from __future__ import annotations

import re
import tomllib

import click
import pytest

from nonstop.cli.app import app
from nonstop.cli.studyfile import Source, study_file
from tests.helpers.commands import ROOT

PAGE = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
SECTIONS: dict[str, str] = dict(re.findall(r"^## nonstop (\w+)\n(.*?)(?=^## )", PAGE, re.MULTILINE | re.DOTALL))


def test_there_is_a_section_for_each_command_and_no_other() -> None:
    assert set(SECTIONS) == set(app.commands)


@pytest.mark.parametrize("name", app.commands)
def test_each_option_stands_in_its_section(name: str) -> None:
    options = [option for option in app.commands[name].params if isinstance(option, click.Option)]
    words = [word for option in options for word in option.opts]
    assert not [word for word in words if not re.search(rf"`{word}[` ]", SECTIONS[name])]


def test_the_study_file_of_the_page_is_one() -> None:
    (text,) = re.findall(r"^```toml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert study_file(Source().checked(tomllib.loads(text))).n_trials == 200


def test_every_key_stands_in_the_table() -> None:
    rows = re.findall(r"^\| `-.* \| `(\w+)` \|", SECTIONS["run"], re.MULTILINE)
    keys = {option.name for option in app.commands["run"].params if isinstance(option, click.Option)}
    goals = {"minimize", "maximize", "subject_to"}  # in a file, tables
    assert set(rows) == keys - {"params", "changed", "quiet", "as_json"} - goals | {"objectives", "constraints"}
