"""Hyperparameters of models on the data that come with scikit-learn: tune-svm-digits and so on.

Small data, fixed splits and fixed seeds: an evaluation is a deterministic function (for a version of scikit-learn) that
takes some hundredths of a second, and nothing is tabulated or cached. All values are losses whose least value is agreed
to be 0, which no model attains: errors, cross-entropies, and squared errors in units of the variance.

The spaces are flat, because most optimisers know no other: where a choice makes a parameter meaningless it is ignored.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeAlias

import numpy as np

import nonstop
from nonstop import Categorical, Float, Int
from nonstop.errors import MissingExtraError
from nonstop.space import Parameter
from nonstop_bench.problems.task import BlackBox

Params: TypeAlias = Mapping[str, Any]
Split: TypeAlias = tuple[Any, Any, Any, Any]

_SEED = 0


def svm_digits() -> BlackBox:
    """A support vector machine: a smooth valley in C and gamma, for each of three kernels another."""
    space: dict[str, Parameter] = {
        "C": Float(1e-3, 1e3, log=True),
        "gamma": Float(1e-5, 1.0, log=True),
        "kernel": Categorical(["rbf", "poly", "sigmoid"]),
        "degree": Int(2, 5),
        "coef0": Float(0.0, 2.0),
    }

    def model(p: Params) -> Any:
        from sklearn.svm import SVC

        return SVC(C=p["C"], gamma=p["gamma"], kernel=p["kernel"], degree=p["degree"], coef0=p["coef0"])

    return _task("svm-digits", space, lambda p: _errors(model(p), _small_digits()))


def knn_digits() -> BlackBox:
    """Nearest neighbours after principal components: integers, two categories and an exponent."""
    space: dict[str, Parameter] = {
        "components": Int(2, 50),
        "neighbours": Int(1, 40, log=True),
        "exponent": Float(1.0, 4.0),
        "weights": Categorical(["uniform", "distance"]),
        "whiten": Categorical([False, True]),
    }

    def model(p: Params) -> Any:
        from sklearn.decomposition import PCA
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.pipeline import make_pipeline

        neighbours = KNeighborsClassifier(p["neighbours"], p=p["exponent"], weights=p["weights"])
        return make_pipeline(PCA(p["components"], whiten=p["whiten"], svd_solver="full"), neighbours)

    return _task("knn-digits", space, lambda p: _errors(model(p), _small_digits()[:1]))


def sgd_digits() -> BlackBox:
    """A linear classifier by stochastic gradients: schedules with parameters that some of them ignore."""
    space: dict[str, Parameter] = {
        "penalty": Categorical(["l2", "l1", "elasticnet"]),
        "alpha": Float(1e-6, 1.0, log=True),
        "l1_ratio": Float(0.0, 1.0),
        "schedule": Categorical(["constant", "invscaling", "optimal"]),
        "rate": Float(1e-4, 1.0, log=True),
        "power": Float(0.1, 1.0),
        "epochs": Int(1, 20, log=True),
        "average": Categorical([False, True]),
    }

    def model(p: Params) -> Any:
        from sklearn.linear_model import SGDClassifier

        return SGDClassifier(
            loss="log_loss",
            penalty=p["penalty"],
            alpha=p["alpha"],
            l1_ratio=p["l1_ratio"],
            learning_rate=p["schedule"],
            eta0=p["rate"],
            power_t=p["power"],
            max_iter=p["epochs"],
            tol=None,
            average=p["average"],
            random_state=_SEED,
        )

    return _task("sgd-digits", space, lambda p: _errors(model(p), _small_digits()))


def forest_diabetes() -> BlackBox:
    """A random forest for regression."""
    space: dict[str, Parameter] = {
        "trees": Int(3, 40, log=True),
        "depth": Int(1, 15),
        "leaf": Int(1, 40, log=True),
        "features": Float(0.1, 1.0),
        "samples": Float(0.1, 1.0),
    }

    def model(p: Params) -> Any:
        from sklearn.ensemble import RandomForestRegressor

        return RandomForestRegressor(
            p["trees"],
            max_depth=p["depth"],
            min_samples_leaf=p["leaf"],
            max_features=p["features"],
            max_samples=p["samples"],
            random_state=_SEED,
        )

    return _task("forest-diabetes", space, lambda p: _squares(model(p), _splits("diabetes")))


def svr_diabetes() -> BlackBox:
    """A support vector machine for regression."""
    space: dict[str, Parameter] = {
        "C": Float(1e-3, 1e3, log=True),
        "epsilon": Float(1e-3, 1.0, log=True),
        "gamma": Float(1e-4, 1e1, log=True),
        "kernel": Categorical(["rbf", "sigmoid", "laplacian"]),
    }

    def model(p: Params) -> Any:
        from sklearn.metrics.pairwise import laplacian_kernel
        from sklearn.svm import SVR

        kernel = p["kernel"] if p["kernel"] != "laplacian" else lambda A, B: laplacian_kernel(A, B, p["gamma"])
        return SVR(C=p["C"], epsilon=p["epsilon"], gamma=p["gamma"], kernel=kernel, max_iter=20_000)

    return _task("svr-diabetes", space, lambda p: _squares(model(p), _splits("diabetes")))


def ard_diabetes() -> BlackBox:
    """Kernel ridge regression with a weight for each of the ten columns: eleven numbers, half of them of little use."""
    space: dict[str, Parameter] = {f"w{j}": Float(1e-3, 1e1, log=True) for j in range(1, 11)}
    space["ridge"] = Float(1e-4, 1e2, log=True)

    def loss(p: Params) -> float:
        weights = np.array([p[f"w{j}"] for j in range(1, 11)])
        losses = []
        for X, y, X_test, y_test in _splits("diabetes"):
            A, B = X * weights, X_test * weights
            K = np.exp(-_square_distances(A, A) / 2.0)
            predicted = np.exp(-_square_distances(B, A) / 2.0) @ np.linalg.solve(K + p["ridge"] * np.eye(len(K)), y)
            losses.append(float(np.mean((predicted - y_test) ** 2)))
        return float(np.mean(losses))

    return _task("ard-diabetes", space, loss)


def pipeline_diabetes() -> BlackBox:
    """Features, scale and one of four regressors, each with its own parameters."""
    space: dict[str, Parameter] = {
        "features": Categorical(["plain", "squares", "splines"]),
        "knots": Int(3, 8),
        "scale": Categorical(["none", "standard", "quantile"]),
        "model": Categorical(["ridge", "lasso", "neighbours", "tree"]),
        "ridge": Float(1e-4, 1e4, log=True),
        "lasso": Float(1e-4, 1.0, log=True),
        "neighbours": Int(1, 60, log=True),
        "power": Float(1.0, 4.0),
        "leaf": Int(1, 100, log=True),
        "depth": Int(1, 10),
    }

    def model(p: Params) -> Any:
        from sklearn.linear_model import Lasso, Ridge
        from sklearn.neighbors import KNeighborsRegressor
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import PolynomialFeatures, QuantileTransformer, SplineTransformer, StandardScaler
        from sklearn.tree import DecisionTreeRegressor

        features = {"plain": None, "squares": PolynomialFeatures(2, include_bias=False)}
        scales = {"none": None, "standard": StandardScaler(), "quantile": QuantileTransformer(n_quantiles=50)}
        models = {
            "ridge": Ridge(p["ridge"]),
            "lasso": Lasso(p["lasso"], max_iter=300),
            "neighbours": KNeighborsRegressor(p["neighbours"], p=p["power"]),
            "tree": DecisionTreeRegressor(min_samples_leaf=p["leaf"], max_depth=p["depth"], random_state=_SEED),
        }
        chosen = features.get(p["features"], SplineTransformer(p["knots"]))
        return make_pipeline(chosen, scales[p["scale"]], models[p["model"]])

    return _task("pipeline-diabetes", space, lambda p: _squares(model(p), _splits("diabetes")))


def mlp_cancer() -> BlackBox:
    """A network of one hidden layer: rates of a narrow valley, and two categories."""
    space: dict[str, Parameter] = {
        "width": Int(2, 64, log=True),
        "activation": Categorical(["relu", "tanh", "logistic"]),
        "solver": Categorical(["adam", "sgd"]),
        "alpha": Float(1e-6, 1e1, log=True),
        "rate": Float(1e-4, 1.0, log=True),
        "batch": Int(8, 128, log=True),
        "momentum": Float(0.0, 0.99),
        "epochs": Int(2, 20, log=True),
    }

    def model(p: Params) -> Any:
        from sklearn.neural_network import MLPClassifier

        return MLPClassifier(
            (p["width"],),
            activation=p["activation"],
            solver=p["solver"],
            alpha=p["alpha"],
            learning_rate_init=p["rate"],
            batch_size=p["batch"],
            momentum=p["momentum"],
            max_iter=p["epochs"],
            random_state=_SEED,
        )

    return _task("mlp-cancer", space, lambda p: _entropies(model(p), _splits("breast_cancer")[:1]))


def boosting_cancer() -> BlackBox:
    """Boosted trees."""
    space: dict[str, Parameter] = {
        "rounds": Int(3, 60, log=True),
        "rate": Float(1e-2, 1.0, log=True),
        "depth": Int(1, 6),
        "subsample": Float(0.1, 1.0),
        "features": Float(0.05, 0.5),
        "leaf": Int(1, 30, log=True),
    }

    def model(p: Params) -> Any:
        from sklearn.ensemble import GradientBoostingClassifier

        return GradientBoostingClassifier(
            n_estimators=p["rounds"],
            learning_rate=p["rate"],
            max_depth=p["depth"],
            subsample=p["subsample"],
            max_features=p["features"],
            min_samples_leaf=p["leaf"],
            random_state=_SEED,
        )

    return _task("boosting-cancer", space, lambda p: _entropies(model(p), _splits("breast_cancer")[:1]))


def pipeline_cancer() -> BlackBox:
    """Scale, reduction and one of four classifiers, each with its own parameters."""
    space: dict[str, Parameter] = {
        "scale": Categorical(["none", "standard", "minmax", "robust"]),
        "reduction": Categorical(["none", "components", "best"]),
        "columns": Int(1, 30),
        "model": Categorical(["logistic", "neighbours", "tree", "bayes"]),
        "C": Float(1e-4, 1e3, log=True),
        "neighbours": Int(2, 60, log=True),
        "weights": Categorical(["uniform", "distance"]),
        "leaf": Int(1, 60, log=True),
        "depth": Int(1, 10),
        "smoothing": Float(1e-9, 1.0, log=True),
    }

    def model(p: Params) -> Any:
        from sklearn.decomposition import PCA
        from sklearn.feature_selection import SelectKBest
        from sklearn.linear_model import LogisticRegression
        from sklearn.naive_bayes import GaussianNB
        from sklearn.neighbors import KNeighborsClassifier
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import MinMaxScaler, RobustScaler, StandardScaler
        from sklearn.tree import DecisionTreeClassifier

        scales = {"none": None, "standard": StandardScaler(), "minmax": MinMaxScaler(), "robust": RobustScaler()}
        reductions = {
            "none": None,
            "components": PCA(p["columns"], svd_solver="full"),
            "best": SelectKBest(k=p["columns"]),
        }
        models = {
            "logistic": LogisticRegression(C=p["C"], max_iter=100),
            "neighbours": KNeighborsClassifier(p["neighbours"], weights=p["weights"]),
            "tree": DecisionTreeClassifier(min_samples_leaf=p["leaf"], max_depth=p["depth"], random_state=_SEED),
            "bayes": GaussianNB(var_smoothing=p["smoothing"]),
        }
        return make_pipeline(scales[p["scale"]], reductions[p["reduction"]], models[p["model"]])

    return _task("pipeline-cancer", space, lambda p: _entropies(model(p), _splits("breast_cancer")))


def weights_wine() -> BlackBox:
    """Neighbours that vote by distance, with a weight for each of the thirteen columns: the loss of leaving one out."""
    space: dict[str, Parameter] = {f"w{j}": Float(1e-2, 1e1, log=True) for j in range(1, 14)}
    space["floor"] = Float(1e-4, 1e-1, log=True)

    def loss(p: Params) -> float:
        X, y = _data("wine")
        A = X * np.array([p[f"w{j}"] for j in range(1, 14)])
        distances = _square_distances(A, A)
        np.fill_diagonal(distances, np.inf)
        votes = np.exp(distances.min(axis=1, keepdims=True) - distances)
        share = (votes * (y[:, None] == y)).sum(axis=1) / votes.sum(axis=1)
        return float(-np.mean(np.log((1.0 - p["floor"]) * share + p["floor"] / 3.0)))

    return _task("weights-wine", space, loss)


def _task(name: str, space: Mapping[str, Parameter], loss: Callable[[Params], float]) -> BlackBox:
    def function(params: Mapping[str, object]) -> float:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of training that stops early, or diverges
            with np.errstate(all="ignore"):
                return loss(params)

    _data("digits" if name.endswith("digits") else "wine")  # a missing package is no failed trial
    return BlackBox(f"tune-{name}", nonstop.Space(dict(space)), function, optimum=0.0)


def _errors(model: Any, splits: list[Split]) -> float:
    """The share of wrong answers."""
    return float(np.mean([np.mean(model.fit(X, y).predict(X_test) != y_test) for X, y, X_test, y_test in splits]))


def _entropies(model: Any, splits: list[Split], least: float = 1e-4) -> float:
    """The mean of -log p of the right answer; no probability counts less than `least`."""
    losses = []
    for X, y, X_test, y_test in splits:
        right = model.fit(X, y).predict_proba(X_test)[np.arange(len(y_test)), y_test]
        losses.append(-np.mean(np.log(np.clip(np.nan_to_num(right), least, 1.0))))
    return float(np.mean(losses))


def _squares(model: Any, splits: list[Split], most: float = 10.0) -> float:
    """The mean squared error; targets have variance 1. What diverges counts as `most`."""
    losses = [np.mean((model.fit(X, y).predict(X_test) - y_test) ** 2) for X, y, X_test, y_test in splits]
    return min(float(np.nan_to_num(np.mean(losses), nan=most)), most)


def _square_distances(A: Any, B: Any) -> Any:
    return np.maximum((A**2).sum(axis=1)[:, None] + (B**2).sum(axis=1) - 2.0 * A @ B.T, 0.0)


@cache
def _data(name: str) -> tuple[Any, Any]:
    """Columns and targets; columns, and targets that are real, have mean 0 and variance 1."""
    try:
        from sklearn import datasets
    except ImportError as error:
        raise MissingExtraError("tuning tasks", "bench", "nonstop-bench") from error
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    if name == "digits":
        return X / 16.0, y
    return (X - X.mean(axis=0)) / X.std(axis=0), y if y.dtype.kind == "i" else (y - y.mean()) / y.std()


@cache
def _splits(name: str) -> list[Split]:
    """Three-fold cross-validation."""
    X, y = _data(name)
    parts = np.array_split(np.random.RandomState(_SEED).permutation(len(X)), 3)
    rests = [np.concatenate([part for part in parts if part is not tested]) for tested in parts]
    return [(X[rest], y[rest], X[part], y[part]) for part, rest in zip(parts, rests, strict=True)]


@cache
def _small_digits(rows: int = 200, times: int = 3) -> list[Split]:
    """Few of the digits to learn from, three times others, and the rest as a test: quick, and many levels of error."""
    X, y = _data("digits")
    order = np.random.RandomState(_SEED).permutation(len(X))
    rest = order[rows * times :]
    parts = [order[i * rows : (i + 1) * rows] for i in range(times)]
    return [(X[part], y[part], X[rest], y[rest]) for part in parts]
