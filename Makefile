# Everything happens in .venv; nothing outside this folder is touched.
# Another interpreter: make test PYTHON=/path/to/python3.12

VENV   := .venv
BIN    := $(VENV)/bin
RIGHT   = import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python3.14 python; do \
            $$p -c '$(RIGHT)' >/dev/null 2>&1 && command -v $$p && break; done)
PIP    := PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip install -qq

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# The torch that make test-gpu installs; TORCH=torch==2.13.0 chooses another.
TORCH ?= torch
# What pytest is given: a process each core, and the tests in them.
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal

.PHONY: help demo test test-all test-browser test-gpu test-plain test-oldest test-matrix lint format bench compat course course-check docs clean

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.installed-run  ## Train on the shipped Heart data and write an HTML report
	@$(BIN)/maxmargin demo
	@echo "To see models learn: $(BIN)/pip install '.[studio]' and then $(BIN)/maxmargin studio"

test: $(VENV)/.installed-test  ## Run the tests (ARGS="-k kernels" picks some)
	@$(PYTEST) $(ARGS)

test-gpu:  ## Run the tests of a card's engine in an environment of its own (downloads torch)
	@$(MAKE) --no-print-directory VENV=.venv-gpu .venv-gpu/.installed-test
	@PIP_DISABLE_PIP_VERSION_CHECK=1 .venv-gpu/bin/python -m pip install -qq '$(TORCH)' triton
	@.venv-gpu/bin/python -c 'import torch; print("a card:", torch.cuda.get_device_name(0) if \
	  torch.cuda.is_available() else "none, so torch works on the CPU")'
	@.venv-gpu/bin/python -m pytest tests/gpu -q $(ARGS)

test-all: $(VENV)/.installed-test  ## Run the long sweeps too
	@$(PYTEST) -m 'not browser' $(ARGS)

test-browser: $(VENV)/.installed-browser  ## Run the studio's tests in Chromium, where it is installed
	@$(BIN)/python -m pytest tests/browser -m browser -p no:cacheprovider $(ARGS)

test-plain: $(VENV)/.installed-test  ## Run the tests without private parts of Numba
	@MAXMARGIN_PLAIN=1 $(PYTEST) $(ARGS)

test-oldest: $(VENV)/.installed-test  ## Run the tests with the lowest allowed versions
	@$(BIN)/python .ci/step.py test-oldest

test-matrix: $(VENV)/.installed-test  ## Run the tests as other processors would (takes half an hour)
	@$(BIN)/python tests/matrix/run.py -n auto --dist worksteal $(ARGS)

lint: $(VENV)/.installed-lint  ## Check style, types and the layers of imports
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/python .ci/step.py workflows

format: $(VENV)/.installed-lint  ## Let ruff put the code in order
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(VENV)/.installed-bench  ## Measure against scikit-learn and its peers (takes long)
	@$(BIN)/python -m benchmarks.run $(ARGS)

compat: $(VENV)/.installed-test  ## Run scikit-learn's own tests on our seven SVMs and AdaBoost
	@$(BIN)/python tests/compat/run.py $(ARGS)

course: $(VENV)/.installed-test  ## Run the examples, write their output into the pages (ARGS="ten_points" picks some)
	@$(BIN)/python docs/course.py $(ARGS)

course-check: $(VENV)/.installed-test  ## Run the examples and check that the pages show what they give
	@$(BIN)/python docs/course.py --check $(ARGS)

docs: $(VENV)/.installed-docs  ## Build the site from the pages as they are, with every link checked, into site/
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo 'Open site/index.html'

clean:  ## Remove the environment, caches and build outputs
	rm -rf $(VENV) build dist site .pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@test -n '$(PYTHON)' || { echo 'maxmargin needs Python 3.11 or later with its venv module:' \
	  'install it, or name it with make PYTHON=/path/to/python3.' >&2; exit 1; }
	@'$(PYTHON)' -c '$(RIGHT)' || { echo '$(PYTHON) is older than Python 3.11 or lacks venv:' \
	  'name another with make PYTHON=/path/to/python3.' >&2; exit 1; }
	@echo 'Creating $(VENV) with $(PYTHON)'
	@'$(PYTHON)' -m venv $(VENV)

# One stamp an extra: a second run installs nothing, a changed pyproject.toml installs again.
$(VENV)/.installed-run: pyproject.toml | $(BIN)/python
	@echo 'Installing maxmargin (the first time takes a minute or two)'
	@$(PIP) --editable '.[command]'
	@touch $@

$(VENV)/.installed-%: pyproject.toml | $(BIN)/python
	@echo 'Installing maxmargin with its $* extra (the first time takes a minute or two)'
	@$(PIP) --editable '.[$*]'
	@touch $@
