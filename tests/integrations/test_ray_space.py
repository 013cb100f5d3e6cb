"""Ray Tune's domains as parameters, and configs as params and back."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nonstop import Categorical, Float, Int, ParamsError, SpaceError
from tests.integrations.hosts import host

tune = host("ray.tune")

from nonstop.integrations.ray_space import TuneSpace, tune_space  # noqa: E402


def converted(**config: Any) -> TuneSpace:
    found = tune_space(config)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("domain", "parameter"),
    [
        (tune.uniform(0.5, 2.0), Float(0.5, 2.0)),
        (tune.loguniform(1e-5, 1e-1), Float(1e-5, 1e-1, log=True)),
        (tune.quniform(0.0, 1.0, 0.25), Float(0.0, 1.0, step=0.25)),
        (tune.quniform(-1.5, 1.0, 0.5), Float(-1.5, 1.0, step=0.5)),
        (tune.randint(1, 9), Int(1, 8)),
        (tune.lograndint(1, 1025), Int(1, 1024, log=True)),
        (tune.qrandint(16, 256, 16), Int(16, 256, step=16)),
        (tune.qrandint(10, 50, 16), Int(16, 48, step=16)),
        (tune.qrandint(1, 9, 1), Int(1, 8)),
        (tune.choice(["l1", "l2", 3, None]), Categorical(["l1", "l2", 3, None])),
    ],
)
def test_domains_of_tune(domain: Any, parameter: object) -> None:
    found = converted(x=domain)
    assert dict(found.space) == {"x": parameter}
    assert not any(code.choices or code.unit for code in found.codes.values())


def test_multiples_on_a_logarithmic_scale() -> None:
    found = converted(a=tune.qloguniform(0.05, 1.0, 0.05), b=tune.qlograndint(10, 1000, 10))
    assert dict(found.space) == {"a": Int(1, 20, log=True), "b": Int(1, 100, log=True)}
    assert found.config({"a": 3, "b": 7}) == {"a": pytest.approx(0.15), "b": 70}
    assert found.params({"a": 0.15000000000000002, "b": 70}) == {"a": 3, "b": 7}
    assert isinstance(found.config({"a": 3, "b": 7})["b"], int)


def test_multiples_are_exact_and_others_are_refused() -> None:
    found = converted(x=tune.quniform(0.0, 1.0, 0.1))
    assert found.params({"x": 3 * 0.1}) == {"x": 0.3}
    with pytest.raises(ParamsError, match=r"got 0\.35, expected 0\.3 or 0\.4"):
        found.params({"x": 0.35})


def test_choices_that_no_study_can_hold_are_known_by_their_place() -> None:
    layers: list[Any] = [[64, 64], [32], {"wide": True}, 1, True, 1.0]
    found = converted(layers=tune.choice(layers))
    assert dict(found.space) == {"layers": Categorical([0, 1, 2, 3, 4, 5])}
    for place, choice in enumerate(layers):
        config = found.config({"layers": place})["layers"]
        assert (config, type(config)) == (choice, type(choice))
        assert found.params({"layers": choice}) == {"layers": place}
    assert found.params({"layers": (64, 64)}) == {"layers": 0}
    with pytest.raises(ParamsError, match=r"got \[7\]"):
        found.params({"layers": [7]})


def test_nested_tables_and_constants() -> None:
    found = converted(net={"depth": tune.randint(1, 5), "kind": "mlp"}, lr=tune.uniform(0.0, 1.0), data=[1, 2])
    assert set(found.space) == {"net/depth", "lr"}
    assert found.config({"net/depth": 3, "lr": 0.5}) == {"net": {"depth": 3}, "lr": 0.5}
    whole = {"net": {"depth": 3, "kind": "mlp"}, "lr": 0.5, "data": [1, 2]}
    assert found.params(whole) == found.params({"net/depth": 3, "lr": 0.5}) == {"net/depth": 3, "lr": 0.5}
    with pytest.raises(ParamsError, match="net/depth"):
        found.params({"lr": 0.5})
    assert tune_space({"lr": 0.1, "net": {"depth": 3}}) is None


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"a": {"b": tune.grid_search([1, 2])}}, "a/b: a grid is no space to search"),
        ({"a": tune.randn(0, 1)}, "a: Normal has no bounds"),
        ({"a": tune.sample_from(lambda _: 3)}, "a: Function has no bounds"),
        ({"a": [1, tune.uniform(0, 1)]}, "a/1: .* is in no list"),
        ({"a/b": tune.uniform(0, 1)}, "name without '/'"),
        ({"a": tune.choice([object(), 1])}, "a: choices must be what JSON can hold"),
        ({"a": tune.choice([{"lr": tune.uniform(0, 1)}])}, "a: choices must be what JSON can hold"),
        ({"a": tune.qrandint(11, 15, 10)}, "a: there is no multiple of 10 between 11 and 15"),
        ({"a": tune.uniform(1.0, 0.0)}, "a: .* expected low <= high"),
    ],
)
def test_what_cannot_be_searched(config: dict[str, Any], said: str) -> None:
    with pytest.raises(SpaceError, match=said):
        tune_space(config)


DOMAINS = st.one_of(
    st.builds(lambda low, width: tune.uniform(low, low + width), st.floats(-100, 100), st.floats(0.1, 100)),
    st.builds(lambda low, width: tune.randint(low, low + width), st.integers(-100, 100), st.integers(1, 50)),
    st.builds(
        lambda k, n, q: tune.quniform(k * q, (k + n) * q, q),
        st.integers(-9, 9),
        st.integers(1, 9),
        st.sampled_from([0.1, 0.25, 3.0]),
    ),
    st.builds(
        lambda low, n, q: tune.qrandint(low, low + n * q, q), st.integers(-9, 9), st.integers(1, 9), st.integers(2, 5)
    ),
    st.builds(
        lambda low, n, q: tune.qlograndint(low, low + n * q, q), st.integers(1, 9), st.integers(1, 9), st.integers(2, 5)
    ),
    st.just(tune.choice([[1], "a", None, {"b": 2}])),
)


@settings(max_examples=200, deadline=None)
@given(DOMAINS)
def test_what_tune_draws_is_in_the_space(domain: Any) -> None:
    """Every sample of a domain is a value of its parameter, and comes back as the same config."""
    found = converted(x=domain)
    for _ in range(5):
        value = domain.sample()
        params = found.params({"x": value})
        back = found.config(params)["x"]
        assert back == (pytest.approx(value) if isinstance(value, float) else value)
