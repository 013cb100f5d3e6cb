"""For all tests: examples of property tests have no time limit, because a machine may be slow or busy."""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("hypothesis") is not None:  # the environment of the peers has none
    from hypothesis import settings

    settings.register_profile("unhurried", deadline=None)
    settings.load_profile("unhurried")
