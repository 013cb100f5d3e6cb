"""Several outcomes: problems with measured constraints or several objectives, and optimisers beside each other on them.

`problem` says what a problem is; `constrained`, `designs`, `fronts` and `tradeoffs` are the problems, `catalogue` knows
them by name. `contender` is what an optimiser must do, `sequence` (quasi-random), `optunas`, `botorches` and `own`
(nonstop) do it, `field` makes them by name; `race` runs one on a problem, `standing` compares many runs, `report` makes
tables of them, and `speed` times suggestions.
"""
