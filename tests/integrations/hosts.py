"""The hosts that nonstop plugs into. `make test-integrations` has all of them, the ordinary environment some."""

from __future__ import annotations

import importlib
import os
from types import ModuleType

import pytest


def host(module: str) -> ModuleType:
    """The module of a host; the test is skipped where it is not installed, but not by `make test-integrations`."""
    if os.environ.get("NONSTOP_HOSTS") == "all":
        return importlib.import_module(module)
    found: ModuleType = pytest.importorskip(module, reason="`make test-integrations` has it", exc_type=ImportError)
    return found
