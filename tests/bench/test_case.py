"""Labels of cases, and what the names in them mean."""

from __future__ import annotations

from dataclasses import replace

import pytest

from nonstop.acquisition.rules import DEFAULT_RULE, rule_of
from nonstop.surrogate.model import NONSTOP, PAPER, surrogate_of
from nonstop_bench.candidates import CANDIDATES, RULES, SURROGATES
from nonstop_bench.case import Case
from nonstop_bench.problems.catalogue import find
from nonstop_bench.run import setup_of
from nonstop_bench.suites import CHOOSING, HELD_OUT

CASE = Case("branin")


@pytest.mark.parametrize("label", ["ucb", "nonstop", "kb-ucb@nonstop", "logei@rbf", "beta=4@nonstop", *CANDIDATES])
def test_a_label_says_which_case_it_is(label: str) -> None:
    assert CASE.by(label).label == label


def test_plain_rules_are_on_the_papers_surrogate() -> None:
    assert CASE.by("kb-ucb") == Case("branin", rule="kb-ucb", surrogate="paper")
    assert CASE.by("nonstop") == Case("branin", rule=DEFAULT_RULE, surrogate="nonstop")
    assert Case("branin", optimizer="smac-rf").label == "smac-rf"


@pytest.mark.parametrize("label", CANDIDATES)
def test_every_candidate_can_be_run(label: str) -> None:
    setup = setup_of(CASE.by(label), find("branin"))
    rule_of(setup.rule)
    surrogate_of(setup.surrogate)


def test_candidates_differ_from_the_default_in_what_their_name_says() -> None:
    assert SURROGATES["rbf"].kernel == "rbf" != NONSTOP.kernel
    assert SURROGATES["noisier"].noise_prior == PAPER.noise_prior
    assert all(surrogate != NONSTOP for surrogate in SURROGATES.values())
    setup = setup_of(CASE.by("beta=4@standardize"), find("branin"))
    assert setup.rule == RULES["beta=4"]
    assert setup.surrogate == replace(NONSTOP, output="standardize")


def test_no_task_is_on_both_sides() -> None:
    assert len(CHOOSING) == len(HELD_OUT) == 9
    assert not {case.problem for case in CHOOSING} & {case.problem for case in HELD_OUT}
