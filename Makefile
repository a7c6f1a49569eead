# make demo   prove, rewrite, compile and time the examples
# make test   the tests; N times as many random programs in them
# make fuzz   N random programs (default 5000), rewritten and judged; SEED for others,
#             TIER=moving, around, meaning, native, real, cost, cluster or
#             text for another way
# make corpus 340 functions as people write them: what runs natively, and why not the rest;
#             ARGS=--write records it, FIELDS for some; ARGS=--built: ahead of time
# make corpus-numba  the same functions timed against Numba, one thread; ARGS=--cpu
#             where the machine is busy, FIELDS for some fields or functions
# make mutate  deliberate faults in looptx, each of which the fuzzer must find
# make sanitize  N random programs (default 500), native, under ASan and UBSan
# make stress the compile cache under processes, kills and damage; N times as much
# make bench  every example against plain Python, NumPy and C
# make bench-threads  what two threads are worth, in computing, in memory, in small loops
# make latency  what first calls cost, in seconds of the processor
# make bench-polybench  PolyBench's kernels against C compilers, Numba and Pythran:
#             SIZE=MINI, SMALL, MEDIUM, LARGE; ONLY="gemm lu"; THREADS=1; CLOCK=cpu where
#             the machine is busy; ARGS="--write FOLDER" for the table and the chart
# make bench-npbench NPBENCH=PATH  the programs of a clone of NPBench against NumPy:
#             SIZE=S, M; ONLY="gemm lu"; AGAINST="numba pythran"; ARGS="--write FILE"
# make bench-gemm  matrix products of three types against NumPy's
# make test-polybench  compiles all of them, plain and scheduled, and compares every bit
# make lint   format, lint and types
# make pages  write what looptx prints today into the pages of directives/
#
# Each sets up what it needs in .venv; a second run starts at once.

# The shell's python3, or the same of the system's where that is faster.
PYTHON ?= $(shell tests/quick/python)
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

.DEFAULT_GOAL := demo
.DELETE_ON_ERROR:
.PHONY: demo test test-polybench corpus corpus-numba fuzz mutate sanitize stress bench \
  bench-polybench bench-npbench bench-gemm bench-threads latency lint format pages \
  setup clean

demo: setup
	$(BIN)/python -m examples.demo

test: setup
	LOOPTX_SAMPLES=$(or $(N),1) $(BIN)/python -m pytest -n 2 --dist worksteal tests $(ARGS)

fuzz: setup
	PYTHONPATH=tests $(BIN)/python -m fuzz.run --tier $(or $(TIER),python) \
	  --cases $(or $(N),5000) --seed $(or $(SEED),0) --jobs 2 $(ARGS)

corpus: setup
	PYTHONPATH=tests CC=$(CURDIR)/tests/quick/cc $(BIN)/python -m corpus $(FIELDS) $(ARGS)

corpus-numba: setup
	PYTHONPATH=tests $(BIN)/python -m corpus.against $(FIELDS) $(ARGS)

mutate: setup
	PYTHONPATH=tests $(BIN)/python -m fuzz.mutate $(ARGS)

sanitize: setup
	LOOPTX_SANITIZE=$(or $(N),500) LOOPTX_SEED=$(or $(SEED),0) \
	  $(BIN)/python -m pytest -n 2 -rP -k random tests/lower/test_sanitize.py $(ARGS)

stress: setup
	$(BIN)/python tests/stress.py $(or $(N),1) $(or $(SEED),0)

bench: setup
	$(BIN)/python -m examples.bench $(ARGS)

bench-threads: setup
	$(BIN)/python -m examples.threads $(ARGS)

latency: setup
	$(BIN)/python -m examples.latency $(ARGS)

bench-polybench: setup
	$(BIN)/python -m examples.polybench $(SIZE) $(if $(ONLY),--only $(ONLY)) \
	  $(if $(THREADS),--threads $(THREADS)) $(if $(CLOCK),--clock $(CLOCK)) $(ARGS)

bench-npbench: setup
	$(BIN)/python -m examples.npbench $(NPBENCH) $(if $(SIZE),--size $(SIZE)) \
	  $(if $(ONLY),--only $(ONLY)) $(if $(AGAINST),--against $(AGAINST)) $(ARGS)

bench-gemm: setup
	$(BIN)/python -m examples.gemm.sizes $(if $(CLOCK),--clock $(CLOCK)) $(ARGS)

test-polybench: setup
	LOOPTX_POLYBENCH=1 $(BIN)/python -m pytest tests/test_polybench.py $(ARGS)

lint: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy --strict looptx

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

pages: setup
	$(BIN)/python tests/pages.py $(ARGS)

setup: $(READY)

# What describes the package is what its installation hangs on.
$(READY): pyproject.toml setup.py | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "looptx needs Python 3.11 or later; say make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
	  echo "no venv module: on Debian and Ubuntu, apt install python3-venv"; exit 1; }

clean:
	rm -rf $(VENV) build *.egg-info .mypy_cache .pytest_cache .ruff_cache
