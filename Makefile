# make demo    a virtual environment, the package, and a private analysis of a real table
# make test    what every change must pass: the checks, and the tests with few examples
# make test-whole    the same tests with all their examples, and the thorough ones; CI runs it after make test
# make test-all    the slow suites too: statistics, fuzzing, mutants
# make slowest    the tests of make test that take longest
# make late    measure which tests take too long for make test; tests/late.txt lists them
# make soundness    random whole programs against what is claimed of them; COUNT=20000
# make mutants    every rule made slightly too permissive, and whether the falsifier detects it
# make oracle    the accountant compared with dp-accounting and prv-accountant, the samplers against OpenDP, data in
#                pandas, Polars and Arrow, in an environment of their own
# make tightness    how close each rule comes to its bound
# make tables    the numbers of the literature compared with the accountant's
# make audit-figures    the figures of attacks, audits and samplers, each with its goal; SHARE=1 takes hours
# make bench    how fast duetpy is, as ratios: against NumPy written by hand, and the libraries of make bench-peers; minutes
# make bench-full    the same on the largest tables, which takes much longer and 16 GB of memory
# make docs    the site of these pages, in build/site
# make playground    a page that checks programs in the browser, in build/playground; needs Node.js
# make bench-peers    other libraries to compare with, in an environment of their own; TORCH=torch==2.13.0+cpu names a wheel

VENV = .venv
BIN = $(VENV)/bin
PROGRAM = examples/spread.eps.duet
COUNT = 20000
SHARE = 0.01
TORCH = torch
TABLE = examples/data/diabetes.csv:bmi

# Every process of a test imports the package: without its bytecode that takes half of the time. What the tools import is compiled
# when it is imported first, for most of it never is.
export PYTHONDONTWRITEBYTECODE =

PYTEST = $(BIN)/python -m pytest --numprocesses auto --dist worksteal

.PHONY: demo test in-brief test-whole test-all slowest late soundness mutants oracle tightness audit-figures tables bench bench-full bench-peers docs playground lint format clean

demo: $(VENV)/.installed
	$(BIN)/duetpy check $(PROGRAM)
	$(BIN)/duetpy run $(PROGRAM) --data $(TABLE) --set eps=0.5

test: lint in-brief

in-brief: $(VENV)/.tools
	$(PYTEST)

test-whole: lint
	$(PYTEST) -m "not slow"

test-all: lint
	$(PYTEST) -m ""

slowest: $(VENV)/.tools
	$(PYTEST) --durations 40 --durations-min 0.5

late: $(VENV)/.tools
	$(PYTEST) --late

soundness: $(VENV)/.tools
	$(BIN)/python -m tests.soundness $(COUNT)

mutants: $(VENV)/.tools
	$(BIN)/python -m tests.soundness.mutants

oracle: $(VENV)/.tools
	$(BIN)/python -m tests.oracle
	$(BIN)/python -m tests.oracle.samplers
	$(BIN)/python -m tests.oracle.frames

tightness: $(VENV)/.tools
	$(BIN)/python -m tests.soundness.tightness

tables: $(VENV)/.installed
	$(BIN)/python -m benchmarks.tables

audit-figures: $(VENV)/.tools
	$(BIN)/python -m benchmarks.audit_figures
	$(BIN)/python -m benchmarks.security_figures $(SHARE)

bench: $(VENV)/.tools
	$(BIN)/python -m benchmarks

bench-full: $(VENV)/.tools
	$(BIN)/python -m benchmarks --scale full

# A library that cannot be installed is missing in the table, and stops nothing.
bench-peers: | $(BIN)/python
	test -x .venv-peers/bin/python || $(BIN)/python -m venv .venv-peers
	$(BIN)/python tools/requirements.py peers | sed 's/^torch$$/$(TORCH)/' | while read -r peer; do \
	    .venv-peers/bin/python -m pip install --quiet --disable-pip-version-check "$$peer" || echo "$$peer: not installed"; \
	done

docs: $(VENV)/.tools
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --clean

playground: $(VENV)/.installed
	$(BIN)/python tools/playground.py build/playground

lint: $(VENV)/.tools
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(VENV)/.tools
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:
	rm -rf $(VENV) .venv-oracle .venv-peers build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	python=$$(tools/find-python) && "$$python" -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/.tools: tools/requirements.py $(VENV)/.installed
	$(BIN)/python tools/requirements.py dev > $(VENV)/requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --requirement $(VENV)/requirements.txt
	touch $@
