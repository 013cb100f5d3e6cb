"""Pure functions from trials to plain records, which plots, reports and the command line show."""

from nonstop.history.calibration import Check, Coverage, check
from nonstop.history.coordinates import Column, Parallel, parallel
from nonstop.history.cuts import Contour, Slice, Slices, contour, slices
from nonstop.history.feasibility import Feasibility, Kept, feasibility
from nonstop.history.front import Front, front
from nonstop.history.lanes import Lane, Segment, Timeline, timeline, utilisation
from nonstop.history.listing import Listing, listing
from nonstop.history.progress import Trace, trace
from nonstop.history.queries import Distances, distances
from nonstop.history.relevance import Lengthscales, lengthscales
from nonstop.history.scale import Scale
from nonstop.history.view import View, view
from nonstop.history.volume import Hypervolume, hypervolume
from nonstop.history.window import Beyond, Window

__all__ = [
    "Beyond",
    "Check",
    "Column",
    "Contour",
    "Coverage",
    "Distances",
    "Feasibility",
    "Front",
    "Hypervolume",
    "Kept",
    "Lane",
    "Lengthscales",
    "Listing",
    "Parallel",
    "Scale",
    "Segment",
    "Slice",
    "Slices",
    "Timeline",
    "Trace",
    "View",
    "Window",
    "check",
    "contour",
    "distances",
    "feasibility",
    "front",
    "hypervolume",
    "lengthscales",
    "listing",
    "parallel",
    "slices",
    "timeline",
    "trace",
    "utilisation",
    "view",
]
