"""Comparisons with other optimisers: BoTorch as a reference for correctness and speed, Optuna's GPSampler for speed.

`datasets` makes the common data; `own`, `botorch` and `optuna` are thin adapters (the last two can be imported only
where those packages are installed); `timing` times suggestions, `footprint` measures memory, import time and installed
size, `effort` compares our own time with the BLAS limit, and `report` makes tables of all results.

`registry` makes peers for the simulator, by name; `optimizers` has an adapter for each.
"""
