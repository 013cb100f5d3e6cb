"""Without its host, an integration says which extra it needs."""

from __future__ import annotations

import importlib
import sys

import pytest

import nonstop


@pytest.mark.parametrize(
    ("module", "host", "extra"),
    [("nonstop.integrations.gest", "gest_api", "gest"), ("nonstop.integrations.optuna", "optuna", "optuna")],
)
def test_a_missing_host_is_named(module: str, host: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == host or name.startswith(module)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, host, None)
    with pytest.raises(nonstop.MissingExtraError, match=rf"\[{extra}\]"):
        importlib.import_module(module)
