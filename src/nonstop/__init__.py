"""Asynchronous Bayesian optimization whose workers never wait.

The flow, in the order of the files: `space` says what may be tried, `encoding` turns it into points of the unit cube,
`surrogate` fits a Gaussian process to what was tried, `acquisition` says how good a next point would be, `propose`
puts these together, `storage` keeps trials, `study` asks and tells.
"""

from nonstop.acquisition.rule import Acquisition, Choice, View
from nonstop.acquisition.standard import UCB, LogEI, Mean, Random
from nonstop.errors import (
    DataError,
    MissingExtraError,
    NonstopError,
    ParamsError,
    RuleError,
    SpaceError,
    StorageError,
    StudyError,
    TrialError,
)
from nonstop.propose import Proposal, propose
from nonstop.space import Categorical, Float, Int, Space
from nonstop.study import Study, create_study, load_study
from nonstop.surrogate.fit import Hyperparameters
from nonstop.surrogate.model import LogNormal, Surrogate
from nonstop.trial import Trial, TrialState

__version__ = "0.1.0"

__all__ = [
    "UCB",
    "Acquisition",
    "Categorical",
    "Choice",
    "DataError",
    "Float",
    "Hyperparameters",
    "Int",
    "LogEI",
    "LogNormal",
    "Mean",
    "MissingExtraError",
    "NonstopError",
    "ParamsError",
    "Proposal",
    "Random",
    "RuleError",
    "Space",
    "SpaceError",
    "StorageError",
    "Study",
    "StudyError",
    "Surrogate",
    "Trial",
    "TrialError",
    "TrialState",
    "View",
    "__version__",
    "create_study",
    "load_study",
    "propose",
]
