# `make run` and `make test` need nothing but Python 3.11 or newer and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Kept freed memory goes back to the system after large uploads (see README, "Hosting").
MEMORY := MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=1048576 MALLOC_TRIM_THRESHOLD_=1048576

.PHONY: help run test test-slow test-browser test-browser-again test-js lint types docs docs-check bench bench-browser clean

help:           ## this list
	@sed -n 's/^\([a-z-]*\):.*##/\1:/p' $(MAKEFILE_LIST)

$(VENV)/.app: requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "chunkviz needs Python 3.11 or newer; this is " + sys.version.split()[0])'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.dev: $(VENV)/.app requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@

run: $(VENV)/.app   ## start the app on a sample document; it prints the address to open
	$(MEMORY) $(BIN)/python -m streamlit run app.py

test: $(VENV)/.dev  ## the tests that a newcomer needs
	$(BIN)/python -m pytest

test-slow: $(VENV)/.dev  ## the same properties on many more examples
	CHUNKVIZ_TEST_PROFILE=thorough $(BIN)/python -m pytest -m "not browser" tests/test_contract.py tests/test_units.py tests/test_parity.py tests/test_graphemes.py
	$(BIN)/python -m pytest -m slow tests

test-browser: $(VENV)/.dev  ## drive the app in the Chromium of this machine
	$(BIN)/python -m pytest -m browser tests/browser

test-browser-again: $(VENV)/.dev  ## those of them that failed last
	$(BIN)/python -m pytest -m browser tests/browser --last-failed --last-failed-no-failures none

test-js:        ## the viewer's pure functions
	node --test tests/js/

lint: $(VENV)/.dev  ## style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev  ## types, strict
	$(BIN)/mypy

docs: $(VENV)/.dev  ## write the generated parts of README.md
	$(BIN)/python scripts/render_readme.py

docs-check: $(VENV)/.dev  ## fail where the generated parts are out of date
	$(BIN)/python scripts/render_readme.py --check

bench: $(VENV)/.dev  ## speed, as ratios to other libraries in the same run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[bench]"
	$(BIN)/python -m benchmarks --embedding

bench-browser: $(VENV)/.dev  ## from a slider step to painted text, beside the same page built with st.html
	$(BIN)/python -m benchmarks.browser
	$(BIN)/python -m benchmarks.drag

clean:          ## remove what make has made
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build dist *.egg-info
