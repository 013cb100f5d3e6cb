"""Asynchronous Bayesian optimization whose workers never wait.

A tour of the rooms, in the order in which to read them. `space` says what may be tried and turns it into points of the
unit cube. `numerics` is arithmetic on arrays. `surrogate` fits a Gaussian process to the results, `acquisition` says
how good a next point would be, and `propose` puts these together: data in, next point out. `trials` says what happened
and which data the next trial may use, `storage` keeps it, `workers` evaluate. `history` and `plots` turn trials into
records and figures. `engines` are where workers run, `live` is what a run says meanwhile, and `study` is what users
hold: ask, tell, optimize. `report`, made of `pages`, and `dashboard` show a study, and `cli` is the command line.
docs/architecture.md has a picture.
"""

from nonstop.acquisition.adaptive import Adaptive
from nonstop.acquisition.aegis import Aegis
from nonstop.acquisition.believer import ConstantLiar, KrigingBeliever
from nonstop.acquisition.ehvi import EHVI
from nonstop.acquisition.expected import Expected
from nonstop.acquisition.initial import UncertaintyFirst
from nonstop.acquisition.penalized import Penalized
from nonstop.acquisition.rule import Acquisition, Choice, View
from nonstop.acquisition.schedule import Schedule
from nonstop.acquisition.sought import Prediction
from nonstop.acquisition.standard import UCB, LogEI, Mean, Random, Uncertainty
from nonstop.acquisition.thompson import Thompson
from nonstop.acquisition.turns import Turns
from nonstop.errors import (
    DataError,
    MissingExtraError,
    NonstopError,
    ObjectiveError,
    OutOfReachError,
    ParamsError,
    RowsError,
    RuleError,
    SpaceError,
    StorageError,
    StudyError,
    TrialError,
)
from nonstop.propose import Proposal, propose, propose_batch
from nonstop.space import Categorical, Float, Int, Ordinal, Space
from nonstop.studies import create_study, delete_study, load_study
from nonstop.study import Study
from nonstop.surrogate.hyperparameters import Hyperparameters
from nonstop.surrogate.kernels.kernel import Kernel
from nonstop.surrogate.kernels.matern52 import Matern52
from nonstop.surrogate.kernels.rbf import RBF
from nonstop.surrogate.model import LogNormal, Surrogate
from nonstop.trials.trial import Trial, TrialState
from nonstop.trials.until import Until
from nonstop.types import Params
from nonstop.workers.command import Command
from nonstop.workers.running import RunningTrial

__version__ = "0.1.0"

__all__ = [
    "EHVI",
    "RBF",
    "UCB",
    "Acquisition",
    "Adaptive",
    "Aegis",
    "Categorical",
    "Choice",
    "Command",
    "ConstantLiar",
    "DataError",
    "Expected",
    "Float",
    "Hyperparameters",
    "Int",
    "Kernel",
    "KrigingBeliever",
    "LogEI",
    "LogNormal",
    "Matern52",
    "Mean",
    "MissingExtraError",
    "NonstopError",
    "ObjectiveError",
    "Ordinal",
    "OutOfReachError",
    "Params",
    "ParamsError",
    "Penalized",
    "Prediction",
    "Proposal",
    "Random",
    "RowsError",
    "RuleError",
    "RunningTrial",
    "Schedule",
    "Space",
    "SpaceError",
    "StorageError",
    "Study",
    "StudyError",
    "Surrogate",
    "Thompson",
    "Trial",
    "TrialError",
    "TrialState",
    "Turns",
    "Uncertainty",
    "UncertaintyFirst",
    "Until",
    "View",
    "__version__",
    "create_study",
    "delete_study",
    "load_study",
    "propose",
    "propose_batch",
]
