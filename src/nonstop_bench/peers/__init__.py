"""The peers: BoTorch as oracle and rival, Optuna's GPSampler as rival.

`datasets` makes the data all sides see; `own`, `botorch` and `optuna` are thin adapters to the sides (the last two
only import where those packages are installed); `timing` lets them suggest in turn, `footprint` weighs processes and
installs, `effort` says how far our own time is from the BLAS limit, and `report` makes tables of all that.

`registry` makes peers for the simulator, by name; `optimizers` has an adapter for each.
"""
