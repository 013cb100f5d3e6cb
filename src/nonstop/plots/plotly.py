"""Plotly, or an error that says how to install it."""

from __future__ import annotations

from nonstop.errors import MissingExtraError

try:
    import plotly.graph_objects as go
    from plotly.offline import get_plotlyjs
    from plotly.subplots import make_subplots
except ImportError as error:
    raise MissingExtraError("drawing figures", "plots") from error

__all__ = ["get_plotlyjs", "go", "make_subplots"]
