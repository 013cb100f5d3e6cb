# `make` lists the targets. Environments build themselves: .venv for everything, .venv-demo for the demo alone, .venv-peers
# for BoTorch and Optuna, .venv-hebo for HEBO, .venv-integrations for the tools that nonstop plugs into, .venv-sklearn for an old scikit-learn,
# .venv-lowest for the oldest dependencies, .venv-release for building, .venv-proteus for a planet simulator.
PYTHON ?= python3
# The oldest dependencies exist as wheels for the oldest Python only.
LOWEST_PYTHON ?= python3.11
BIN := .venv/bin
PEERS := .venv-peers/bin
LOWEST := .venv-lowest/bin
RELEASE := .venv-release/bin
PROTEUS := .venv-proteus/bin
HOSTS := .venv-integrations/bin
SHELL := /bin/bash
MAKEFLAGS += --no-print-directory

# Worker processes share the machine, and so do the processes of the test run: one BLAS thread each.
export OPENBLAS_NUM_THREADS := 1
export OMP_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help demo test test-lowest test-integrations test-sklearn-lowest test-slurm release browser screenshots lint format types docs check \
	oracle bench-suggest bench-storage bench-dashboard bench-corners bench-utilisation bench-noise bench-failures bench-small \
	bench-spaces bench-outcomes bench-configurations bench-large theory faults mutants partitions fuzz spaces \
	goldens paper paper-check paper-tables paper-report paper-figures peers test-peers peers-hebo test-peers-hebo arena \
	proteus proteus-env clean
.DEFAULT_GOAL := help

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-21s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# What is there already is used: the demo is for people who have just cloned this, and for those who develop it.
DEMO := $(if $(wildcard .venv/.ready),.venv,.venv-demo)

demo: $(DEMO)/.ready ## Optimise a built-in function with 8 asynchronous workers, live
	@$(DEMO)/bin/python examples/demo.py $(ARGS)

test: .venv/.ready browser ## Run all tests (ARGS="-k name" selects)
	@$(BIN)/python -m pytest -n auto $(ARGS)
	@.ci/browser say

# Rooms that need only the core and a database, in about two minutes on two cores. What takes long and has little to do with
# versions is left to make test, and so is most of PostgreSQL.
test-lowest: .venv-lowest/.ready ## Run the tests of the core with the lowest versions that pyproject.toml allows
	@$(LOWEST)/python -m pytest -n auto -q -k "not postgresql and not two_hundred" --ignore=tests/cli/test_kill.py \
		tests/space tests/numerics tests/surrogate tests/acquisition tests/trials tests/contracts tests/workers tests/cli \
		tests/test_propose.py $(ARGS)

# What needs no tool is left to make test.
test-integrations: .venv-integrations/.ready ## Run the tests inside other tools: Optuna, gest-api, scikit-learn, Hydra, Ray
	@NONSTOP_HOSTS=all $(HOSTS)/python -m pytest -n auto -q --ignore=tests/integrations/test_slurm.py \
		--ignore=tests/integrations/test_study_json.py tests/integrations $(ARGS)

test-slurm: .venv/.ready ## Run `nonstop slurm` on a real Slurm of one node (needs root, and Debian's slurm-wlm and munge)
	@$(BIN)/python -m pytest -v --timeout 600 tests/integrations/slurm_live.py $(ARGS)

# The inside of scikit-learn and joblib that NonstopSearchCV relies on is tested on two versions of them.
test-sklearn-lowest: .venv-sklearn/.ready ## Run the tests of NonstopSearchCV with the lowest versions that the extra allows
	@NONSTOP_HOSTS=all .venv-sklearn/bin/python -m pytest -n auto -q tests/integrations/test_sklearn*.py $(ARGS)

release: .venv-release/.ready ## Build nonstop and nonstop-bench into dist/ and try what was built; uploads nothing
	@.ci/release $(RELEASE)/python

browser: ## Install Chromium for the tests of the dashboard, where apt and root make that possible
	@.ci/browser install

lint: .venv/.ready ## Check style and formatting
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

format: .venv/.ready ## Format, and fix what can be fixed by itself
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

types: .venv/.ready ## Check types (mypy, strict)
	@$(BIN)/mypy

docs: .venv/.ready ## Build the documentation into site/
	@$(BIN)/mkdocs build --strict --quiet
	@echo "built site/index.html"

check: lint types test docs ## Everything that must pass before a change goes in

oracle: .venv-peers/.ready ## Compare posterior, fit and maxima with BoTorch, live
	@$(PEERS)/python -m nonstop_bench.oracle $(ARGS)

bench-suggest: .venv-peers/.ready ## Time suggestions against BoTorch and Optuna; write benchmarks/results
	@$(PEERS)/python -m nonstop_bench.suggest --out benchmarks/results $(ARGS)
	@$(PEERS)/python -m nonstop_bench.rulespeed --out benchmarks/results

bench-storage: .venv/.ready ## Time the storage at 100,000 trials; write benchmarks/results
	@$(BIN)/python benchmarks/storage.py $(ARGS) | tee benchmarks/results/storage.md

bench-dashboard: .venv/.ready ## Time the dashboard at 10,000 trials; write benchmarks/results
	@$(BIN)/python benchmarks/dashboard.py $(ARGS)

bench-corners: .venv/.ready ## Time proposals in discrete spaces beside continuous ones; write benchmarks/results
	@$(BIN)/python benchmarks/corners.py $(ARGS)

screenshots: .venv/.ready browser ## Make the pictures of docs/images anew, with Chromium
	@$(BIN)/python -m tests.dashboard.screenshots docs/images
	@$(BIN)/python -m tests.dashboard.pictures docs/images
	@$(BIN)/python -m tests.dashboard.outcome_pictures docs/images

bench-utilisation: .venv/.ready ## Measure how much of their time 8 workers evaluate; write benchmarks/results
	@$(BIN)/python benchmarks/utilisation.py $(ARGS)

theory: .venv/.ready ## Measure Bayes regret beside the paper's bounds; write benchmarks/results
	@$(BIN)/python -m nonstop_bench.theory $(ARGS)

faults: .venv/.ready ## The fault suite at length: 32 processes, killed and stopped, on both databases; misbehaving objectives
	@NONSTOP_FAULT_SECONDS=$${NONSTOP_FAULT_SECONDS:-30} $(BIN)/python -m pytest -s -v tests/faults $(ARGS)

fuzz: .venv/.ready ## A million nonsense inputs for everything that reads input, in about half an hour; write benchmarks/results
	@$(BIN)/python -m tests.fuzz --out benchmarks/results/fuzz.md $(ARGS)

spaces: .venv/.ready ## 100,000 random spaces, nested, constrained and stepped: every check on each of them; write benchmarks/results
	@$(BIN)/python -m tests.space --out benchmarks/results/spaces.md $(ARGS)

mutants: .venv/.ready ## Mistakes in the source, one by one: nine in ten must make a test fail; write benchmarks/results
	@$(BIN)/python -m tests.mutants.run --out benchmarks/results/mutants.md $(ARGS)

partitions: .venv/.ready ## Part workers from a real PostgreSQL, in network namespaces: lost, slow, frozen, killed (needs root)
	@$(BIN)/python -m pytest -s -v tests/partitions/namespaces.py $(ARGS)

bench-failures: .venv-peers/.ready ## Count failures where a part of the space fails, beside Optuna; write benchmarks/results
	@$(PEERS)/python benchmarks/failures.py $(ARGS)

bench-small: .venv-peers/.ready ## Compare initial designs on budgets of 20 to 100, beside Optuna's TPE; write benchmarks/results
	@$(PEERS)/python benchmarks/small_budgets.py $(ARGS)

# A fixed hash seed, because SMAC iterates over sets.
bench-spaces: .venv-peers/.ready ## Compare on conditional and constrained spaces, beside Optuna and SMAC; write benchmarks/results
	@PYTHONHASHSEED=0 $(PEERS)/python benchmarks/spaces.py $(ARGS)

bench-outcomes: .venv-peers/.ready ## Compare on constraints and several objectives, beside BoTorch and Optuna; write benchmarks/results
	@$(PEERS)/python benchmarks/outcomes.py $(ARGS)
	@$(if $(ARGS),,$(PEERS)/python benchmarks/outcomes.py --speed)

bench-noise: .venv/.ready ## Compare the default with the paper's rules under noise; write benchmarks/results
	@$(BIN)/python benchmarks/noise.py $(ARGS)

# ARGS names configurations: make bench-configurations ARGS="nonstop default@rbf --levels 10,30 --seeds 400:408".
bench-configurations: .venv/.ready ## Compare configurations with the default, with and without noise; write benchmarks/results
	@$(BIN)/python benchmarks/configurations.py $(ARGS)

bench-large: .venv-peers/.ready ## Time and judge proposals from 10,000 results, beside Optuna's TPE; write benchmarks/results
	@$(PEERS)/python benchmarks/large.py $(ARGS)

goldens: .venv-peers/.ready ## Make the golden values of the tests anew, with BoTorch
	@$(PEERS)/python tests/goldens/make_goldens.py $(ARGS)

paper: .venv/.ready ## Run every experiment of the paper into runs/: hours; started again it goes on where it was
	@$(BIN)/nonstop-bench run $$($(BIN)/nonstop-bench list | awk '/^(paper|walk)\/|^designed/ { print $$1 }') $(ARGS)

paper-check: .venv/.ready ## Make some runs of benchmarks/results again, and say whether they hold (ARGS="--sample 40 --seed 7")
	@$(BIN)/nonstop-bench check $(ARGS)

paper-tables: .venv/.ready ## Make the tables of benchmarks/results anew, from the results there
	@$(BIN)/nonstop-bench table --all --results benchmarks/results > benchmarks/results/paper/tables.md
	@$(BIN)/nonstop-bench table choosing/q8 choosing/q4 choosing/q16 choosing/pareto choosing/faster --results benchmarks/results \
		> benchmarks/results/choosing/tables.md
	@$(BIN)/nonstop-bench peers --only-table --results benchmarks/results > benchmarks/results/peers/table.md
	@$(BIN)/nonstop-bench arena held-out held-out-noise held-out-sparse --only-table --results benchmarks/results \
		> benchmarks/results/arena/held-out.md
	@$(BIN)/nonstop-bench arena held-out --tasks formulas --only-table --results benchmarks/results \
		> benchmarks/results/arena/formulas.md
	@$(BIN)/nonstop-bench arena choosing-noise --only-table --results benchmarks/results \
		> benchmarks/results/arena/choosing-noise.md

paper-report: .venv/.ready ## Judge the paper's claims by the results in benchmarks/results: page, statistics, pictures, PDF
	@$(BIN)/nonstop-bench report --results benchmarks/results --pictures docs/images --pdf benchmarks/results/paper/report.pdf

paper-figures: .venv/.ready ## Draw the paper's figures anew, from the results in benchmarks/results
	@$(BIN)/nonstop-bench figures --results benchmarks/results --out benchmarks/results/figures $(ARGS)

test-peers: .venv-peers/.ready ## Run the tests that need torch or other optimisers
	@$(PEERS)/python -m pytest -q tests/bench/test_peers.py tests/bench/test_released_peers.py tests/bench/test_outcomes_peers.py tests/bench/test_outcomes.py \
		tests/bench/test_spaces.py tests/bench/test_cnn.py tests/bench/test_cifar.py tests/files/test_optuna.py \
		tests/integrations/test_gest_xopt.py $(ARGS)

peers: .venv-peers/.ready ## Run other optimisers in the same simulator into runs/, and compare
	@$(PEERS)/nonstop-bench peers $(ARGS)

peers-hebo: .venv-hebo/.ready ## Make .venv-hebo, in which HEBO answers through a pipe: it needs NumPy 1

test-peers-hebo: .venv-peers/.ready .venv-hebo/.ready ## Run the tests of the real HEBO
	@$(PEERS)/python -m pytest -v tests/bench/hebo_live.py $(ARGS)

# ARGS chooses: make arena ARGS="choosing --rules nonstop,hebo --seeds 3". Days, if it is all of a half with HEBO in it.
arena: .venv-peers/.ready .venv-hebo/.ready ## Run a part of the arena into runs/, and print its tables (ARGS="choosing --seeds 3")
	@PYTHONHASHSEED=0 $(PEERS)/nonstop-bench arena $(ARGS)

proteus-env: .venv-proteus/.ready ## Make .venv-proteus, in which the planet simulator PROTEUS runs without network

proteus: .venv/.ready .venv-proteus/.ready ## Optimise PROTEUS with two workers, UCB and random; write benchmarks/results/proteus
	@# At the same time, so that both rules meet the same load. The same command again goes on where it was stopped.
	@printf '%s\n' ucb random | xargs -P 2 -I RULE \
		$(BIN)/nonstop run examples/proteus/study.toml --name RULE --rule RULE --quiet $(ARGS)
	@printf '%s\n' ucb random | xargs -I RULE \
		$(BIN)/nonstop export sqlite:///proteus.db RULE --format jsonl -o benchmarks/results/proteus/RULE.jsonl
	@$(BIN)/python examples/proteus/figure.py benchmarks/results/proteus

clean: ## Remove environments, caches and what was built
	rm -rf .venv .venv-demo .venv-hebo .venv-integrations .venv-lowest .venv-peers .venv-proteus .venv-release .venv-sklearn site build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp that is newer than both pyproject.toml means: nothing to install.
define virtual
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo "nonstop needs Python 3.11 or newer, and '$(PYTHON)' is not: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(1)/bin/python -m pip --version >/dev/null 2>&1 || { echo "making $(1) ..."; $(PYTHON) -m venv --clear $(1); } || { \
		echo "could not make $(1): is the venv module of '$(PYTHON)' installed (on Debian: python3-venv)?" >&2; exit 1; }
	@echo "installing into $(1) ..."
endef

# pip is renewed first, because the one that comes with Python may be too old to know dependency groups.
define environment
	$(call virtual,$(1))
	@$(1)/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
endef

.venv/.ready: pyproject.toml bench/pyproject.toml
	$(call environment,.venv)
	@$(BIN)/python -m pip install --quiet --editable . --editable ./bench --group dev
	@touch $@

# The core, and Plotly for the report. What is never imported need not be compiled.
.venv-demo/.ready: pyproject.toml
	$(call virtual,.venv-demo)
	@.venv-demo/bin/python -m pip install --quiet --no-compile --editable '.[plots]'
	@touch $@

# Exactly the lower bounds, as .ci/lowest.py reads them.
.venv-lowest/.ready: PYTHON = $(LOWEST_PYTHON)
.venv-lowest/.ready: pyproject.toml .ci/lowest.py
	$(call environment,.venv-lowest)
	@$(LOWEST)/python -m pip install --quiet --editable . --group databases --group test \
		$$($(LOWEST)/python .ci/lowest.py)
	@touch $@

.venv-integrations/.ready: pyproject.toml
	$(call environment,.venv-integrations)
	@$(HOSTS)/python -m pip install --quiet --editable . --group integrations
	@touch $@

# NumPy, SciPy and pandas are of the time of that scikit-learn; dask is one that its joblib knows.
.venv-sklearn/.ready: PYTHON = $(LOWEST_PYTHON)
.venv-sklearn/.ready: pyproject.toml
	$(call environment,.venv-sklearn)
	@.venv-sklearn/bin/python -m pip install --quiet --editable . --group test scikit-learn==1.4.2 joblib==1.3.2 'numpy<2.1' \
		'scipy<1.15' 'pandas<3' 'distributed<2025'
	@touch $@

.venv-release/.ready: pyproject.toml
	$(call environment,.venv-release)
	@$(RELEASE)/python -m pip install --quiet --group release
	@touch $@

# torch alone and first, at the version bench/pyproject.toml pins: as a dependency of something else, pip may choose a build
# that brings gigabytes of CUDA.
.venv-peers/.ready: pyproject.toml bench/pyproject.toml
	$(call environment,.venv-peers)
	@$(PEERS)/python -m pip install --quiet "$$(sed -n 's/.*"\(torch==[^"]*\)".*/\1/p' bench/pyproject.toml | head -n 1)"
	@$(PEERS)/python -m pip install --quiet --editable . --editable './bench[peers,arena]' pytest pytest-timeout
	@touch $@

# HEBO 0.3.6 names versions that no longer go together, so it comes without its dependencies, beside those that it runs
# with: NumPy 1, and the pymoo and scikit-learn of its time. The same torch, first, as above.
.venv-hebo/.ready: PYTHON = $(LOWEST_PYTHON)
.venv-hebo/.ready: bench/pyproject.toml
	$(call environment,.venv-hebo)
	@.venv-hebo/bin/python -m pip install --quiet \
		"$$(sed -n 's/.*"\(torch==[^"]*\)".*/\1/p' bench/pyproject.toml | head -n 1)"
	@.venv-hebo/bin/python -m pip install --quiet numpy==1.26.4 pymoo==0.6.1 'scikit-learn==1.4.*' gpytorch==1.15.2 \
		disjoint-set==0.9.0 catboost==1.2.10 'pandas<3'
	@.venv-hebo/bin/python -m pip install --quiet --no-deps HEBO==0.3.6
	@touch $@

# PROTEUS without its full-physics modules, which need compilers and gigabytes of data. It wants Python 3.12 and runs with
# 3.11; it imports juliacall at the start, which would download Julia, so a stub stands before it (the runs put stubs/ on
# PYTHONPATH); and it takes the folder that has a pyproject.toml for its own repository.
define JULIACALL
"""Stands in for juliacall, which PROTEUS imports but the modules used here never call."""


class JuliaError(Exception):
    pass


Main = None


def convert(*_):
    raise JuliaError("there is no Julia in this environment")
endef
export JULIACALL

.venv-proteus/.ready: examples/proteus/requirements.txt
	$(call environment,.venv-proteus)
	@$(PROTEUS)/python -m pip install --quiet --requirement examples/proteus/requirements.txt
	@$(PROTEUS)/python -m pip install --quiet --no-deps --ignore-requires-python fwl-proteus==26.7.14 fwl-calliope==26.7.3
	@mkdir -p .venv-proteus/stubs
	@echo "$$JULIACALL" > .venv-proteus/stubs/juliacall.py
	@touch "$$($(PROTEUS)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/../pyproject.toml"
	@touch $@
