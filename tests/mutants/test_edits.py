"""Every mutant can be applied: when the code changes, so must they."""

from __future__ import annotations

import pytest

from tests.mutants.edits import EDITS, TESTS, Edit
from tests.mutants.run import ROOT, mutated, noticing


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: f"{edit.file}: {' '.join(edit.old.split())[:40]}")
def test_a_mutant_can_be_applied_and_compiles(edit: Edit) -> None:
    source = (ROOT / "src" / "nonstop" / edit.file).read_text()
    wrong = mutated(source, edit)
    assert wrong != source
    compile(wrong, edit.file, "exec")
    assert noticing(edit.file)


def test_there_are_enough_of_them_and_their_tests_exist() -> None:
    assert len(EDITS) >= 40
    assert len(set(EDITS)) == len(EDITS)
    for tests in TESTS.values():
        assert all((ROOT / path).exists() for path in tests)


def test_a_mutant_that_no_longer_fits_is_said() -> None:
    with pytest.raises(ValueError, match="renew the mutant"):
        mutated("a = 1\na = 1\n", Edit("x.py", "a = 1", "a = 2"))
