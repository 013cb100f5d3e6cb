"""Factor, invert, extend: against numpy's general routines."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from nonstop.numerics.linalg import (
    JITTERS,
    NotPositiveDefiniteError,
    cholesky,
    einsum_dots,
    extend,
    gram,
    inverse_root,
    row_dots,
    symmetric_times,
    triangular_inverse,
)
from nonstop.types import Array

SIZES = [1, 2, 3, 31, 32, 33, 63, 64, 65, 66, 127, 128, 129, 130, 300]


def positive(n: int, seed: int = 0) -> Array:
    A = np.random.default_rng([seed, n]).normal(size=(n, n + 3))
    return np.asarray(A @ A.T / (n + 3) + 0.5 * np.eye(n))


@pytest.mark.parametrize("n", [0, *SIZES])
def test_triangular_inverse(n: int) -> None:
    L = np.linalg.cholesky(positive(n)) if n else np.empty((0, 0))
    R = triangular_inverse(np.asfortranarray(L))
    assert R.shape == (n, n)
    np.testing.assert_allclose(R, np.linalg.inv(L), rtol=1e-10, atol=1e-11)
    assert not np.triu(R, 1).any()


def test_triangular_inverse_leaves_its_argument_alone() -> None:
    L = np.asfortranarray(np.linalg.cholesky(positive(130)))
    before = L.copy()
    triangular_inverse(L)
    assert np.array_equal(L, before)


@pytest.mark.parametrize("n", [0, *SIZES])
def test_inverse_root(n: int) -> None:
    K = positive(n)
    before = K.copy()
    R, jitter = inverse_root(K)
    assert jitter == 0.0
    np.testing.assert_allclose(R.T @ R, np.linalg.inv(K), rtol=1e-9, atol=1e-10)
    assert not np.triu(R, 1).any()
    assert np.array_equal(K, before)


@pytest.mark.parametrize("n", SIZES)
def test_gram_is_the_lower_triangle_of_the_inverse(n: int) -> None:
    K = positive(n)
    R, _ = inverse_root(K)
    before = R.copy()
    np.testing.assert_allclose(np.tril(gram(R)), np.tril(np.linalg.inv(K)), rtol=1e-9, atol=1e-10)
    assert np.array_equal(R, before)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("columns", [1, 7])
def test_symmetric_times_reads_the_lower_triangle_only(n: int, columns: int) -> None:
    A = positive(n)
    B = np.random.default_rng(n).normal(size=(n, columns))
    garbage = np.tril(A) + np.triu(np.full((n, n), 777.0), 1)
    for order in ("C", "F"):
        lower = np.array(garbage, order=order)
        np.testing.assert_allclose(symmetric_times(lower, B), A @ B, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(("n", "m"), [(0, 1), (0, 5), (1, 1), (2, 3), (64, 1), (65, 66), (130, 10), (300, 2)])
def test_extend_equals_the_factor_of_everything(n: int, m: int) -> None:
    K = positive(n + m)
    R, _ = inverse_root(K[:n, :n])
    extended, jitter = extend(R, K[:n, n:], K[n:, n:])
    whole, _ = inverse_root(K)
    assert jitter == 0.0
    np.testing.assert_allclose(extended, whole, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("rank", [1, 3, 20])
def test_singular_matrices_climb_the_ladder(rank: int) -> None:
    A = np.random.default_rng(rank).normal(size=(40, rank))
    K = A @ A.T
    R, jitter = inverse_root(K)
    scale = np.trace(K) / 40
    assert 0.0 < jitter <= 1e-6 * scale
    assert any(jitter == step * scale for step in JITTERS)
    np.testing.assert_allclose((R @ (K + jitter * np.eye(40))) @ R.T, np.eye(40), atol=1e-3)


def test_the_ladder_is_relative_to_the_size_of_the_matrix() -> None:
    K = np.ones((5, 5)) * 1e-12
    _, jitter = inverse_root(K)
    assert 0.0 < jitter < 1e-15


def test_duplicated_rows() -> None:
    X = np.repeat(np.random.default_rng(0).random((6, 2)), 3, axis=0)
    K = np.exp(-0.5 * np.square(X[:, None] - X[None]).sum(axis=2))
    R, jitter = inverse_root(K)
    assert jitter > 0.0
    assert np.isfinite(R).all()


def test_slightly_indefinite_matrices_are_repaired() -> None:
    K = positive(20)
    values, vectors = np.linalg.eigh(K)
    values[0] = -1e-7
    R, jitter = inverse_root((vectors * values) @ vectors.T)
    assert jitter > 1e-7
    assert np.isfinite(R).all()


def test_hopeless_matrices_are_refused() -> None:
    with pytest.raises(NotPositiveDefiniteError, match="2 x 2"):
        inverse_root(np.array([[1.0, 2.0], [2.0, 1.0]]))
    with pytest.raises(NotPositiveDefiniteError):
        inverse_root(-np.eye(3))
    assert cholesky(np.ones((4, 4))) is None


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("n", [1, 3, 70, 200])
@pytest.mark.parametrize("place", ["first", "middle", "last", "corner", "off"])
def test_entries_that_are_not_finite_are_refused(value: float, n: int, place: str) -> None:
    K = positive(n)
    i, j = {
        "first": (0, 0),
        "middle": (n // 2, n // 2),
        "last": (n - 1, n - 1),
        "corner": (n - 1, 0),
        "off": (n // 2, n // 3),
    }[place]
    K[i, j] = K[j, i] = value
    with pytest.raises(NotPositiveDefiniteError):
        inverse_root(K)


@pytest.mark.parametrize("dots", [row_dots, einsum_dots])
def test_row_dots(dots: Callable[[Array, Array], Array]) -> None:
    A, B = np.random.default_rng(0).normal(size=(2, 5, 7))
    np.testing.assert_allclose(dots(A, B), np.diag(A @ B.T), rtol=1e-12)
    assert dots(A.astype(np.float32), A.astype(np.float32)).dtype == np.float32
