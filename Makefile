# Every target makes the virtual environment that it needs, and re-uses it until pyproject.toml
# changes. Another interpreter: make test PYTHON=python3.12 VENV=.venv-3.12

SUPPORTED := import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))
PYTHON ?= $(shell for python in python3 python3.13 python3.12 python3.11; do \
	if $$python -c '$(SUPPORTED)' 2>/dev/null; then echo $$python; break; fi; done)
VENV ?= .venv
TESTS ?= not thorough
# Such as --rows 0:4, which tests/conftest.py explains.
PYTEST_OPTIONS ?=
BENCH_VENV ?= .venv-bench
DOCS_VENV ?= .venv-docs

# NumPy's threads would fight over the cores in these small programs.
export OPENBLAS_NUM_THREADS ?= 1

.DEFAULT_GOAL := help
.PHONY: help demo test thorough fuzz bench lint types docs clean

help:
	@echo "make demo    the Nile by maximum likelihood, and a short training on digits"
	@echo "make test    the tests, doctests included"
	@echo "make thorough  the long ones: second derivatives, forward mode, seeded bugs"
	@echo "make fuzz    20,000 random programs, each differentiated exactly; takes hours"
	@echo "make bench   zyg beside hand-written adjoints and other systems"
	@echo "make lint    ruff"
	@echo "make types   mypy"
	@echo "make docs    the documentation as web pages, in build/docs"
	@echo "make clean   remove the environments and all that was built"

demo: $(VENV)/.installed
	$(VENV)/bin/python -m examples.nile
	$(VENV)/bin/python -m examples.digits --short

test: $(VENV)/.installed
	$(VENV)/bin/python -m pytest -m "$(TESTS)" $(PYTEST_OPTIONS)

# Second derivatives, forward mode and the three systems over all programs and rules, and mistakes
# that are put into the compiler one at a time.
thorough: $(VENV)/.installed
	$(VENV)/bin/python -m pytest -m thorough $(PYTEST_OPTIONS)

# A nightly run: FUZZ_ARGUMENTS="--seed 100000" for other programs, --twice for second derivatives;
# --save FOLDER keeps what fails.
fuzz: $(VENV)/.installed
	$(VENV)/bin/python -m tests.fuzz --count 20000 $(FUZZ_ARGUMENTS)

bench: $(BENCH_VENV)/.installed
	$(BENCH_VENV)/bin/python -m tests.benchmarks

lint: $(VENV)/.installed
	$(VENV)/bin/ruff check .

types: $(VENV)/.installed
	$(VENV)/bin/mypy

docs: $(DOCS_VENV)/.installed
	$(DOCS_VENV)/bin/mkdocs build --site-dir build/docs

clean:
	rm -rf .venv* build dist *.egg-info examples/output
	rm -rf .pytest_cache .mypy_cache .ruff_cache
	find ir zyg tests examples -name __pycache__ -prune -exec rm -rf {} +

# JAX is compared with where it can be had: its absence must not stop the benchmark.
$(BENCH_VENV)/.installed: EXTRAS = bench
$(BENCH_VENV)/.installed: OPTIONAL = jax
$(DOCS_VENV)/.installed: EXTRAS = docs
EXTRAS = test,lint

%/.installed: pyproject.toml
	@if ! "$(PYTHON)" -c '$(SUPPORTED)'; then \
		echo "zyg needs Python 3.11 to 3.13: say make PYTHON=/path/to/python" >&2; exit 1; fi
	"$(PYTHON)" -m venv --clear $*
	$*/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[$(EXTRAS)]"
	@for package in $(OPTIONAL); do \
		$*/bin/python -m pip install --quiet --disable-pip-version-check $$package \
			|| echo "$$package could not be installed: its column stays empty"; done
	$*/bin/python -m zyg.precompile
	@touch $@
