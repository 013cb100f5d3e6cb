"""Conditional and constrained spaces: tasks declared without nonstop, and optimisers beside each other on them.

`declared` says what a task searches in, and `task` what a task is; `formulas`, `engineering` and `classifiers` are the
tasks, `catalogue` knows them by name. `contender` is what an optimiser must do, `feasible` (random), `optunas`, `smacs`
and `own` (nonstop) do it, `field` makes them by name; `race` runs one on a task, `report` makes tables of many runs.
"""
