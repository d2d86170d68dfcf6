# Two commands: `make demo` shows ougi at work, `make test` checks everything. Both need only Python >= 3.11
# with venv, make and a package index. On another Python: make test PYTHON=python3.14 VENV=.venv-3.14

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
JOBS ?= 2
# Where `make test-pythons` runs: every Python that is found.
PYTHONS ?= $(shell .ci/pythons)

# What `make wheel` builds libraries of machine code for; empty: the wheel of pure Python alone.
PLATFORMS ?= linux-x86_64 linux-aarch64 windows-x86_64 macos-aarch64

.PHONY: demo test test-all test-pythons check wheel evidence docs clean

demo: $(VENV)/demo
	$(BIN)/ougi check examples/scenes/door_and_furniture.toml --margin 0.03 --exit-zero --plot out/door_and_furniture.png
	$(BIN)/ougi view examples/scenes/sword_and_enemies.toml --record out/sword_and_enemies.html
	@echo "Open out/sword_and_enemies.html in a browser; or look closer: $(BIN)/ougi view examples/scenes/sword_and_enemies.toml"

test: check
	$(BIN)/ougi warmup --jobs $(JOBS)
	$(BIN)/python -m pytest -n $(JOBS) -q -m "not slow"
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n $(JOBS) -q -m "plain and not slow"

test-all: check
	$(BIN)/python -m pytest -n $(JOBS) -q

# Fifty questions on each of several Pythons, with the newest NumPy and Numba that pip finds for it, which compiles.
test-pythons:
	@set -e; for python in $(PYTHONS); do \
		version=$$($$python -c 'import sys; print("%d.%d" % sys.version_info[:2])'); \
		venv=.venv-smoke-$$version; \
		echo "Python $$version: $$python"; \
		test -x $$venv/bin/python || $$python -m venv $$venv; \
		$$venv/bin/python -m pip install --quiet --disable-pip-version-check -e ".[jit,scene]" pytest pytest-xdist; \
		OUGI_LIBRARY=off $$venv/bin/python -m pytest -q -n $(JOBS) --noconftest tests/test_smoke.py; \
	done

# What can be checked without running anything.
check: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The sdist, the wheel of pure Python, and a wheel with machine code for each platform: out/dist. What was
# compiled before is used again.
wheel: $(VENV)/dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group wheel
	$(BIN)/python -m build --no-isolation --outdir out/dist
	test -z "$(PLATFORMS)" || $(BIN)/python -m ougi.cli.native --platform $(PLATFORMS) --jobs $(JOBS) --out out/native/PLATFORM/lib
	@set -e; for platform in $(PLATFORMS); do \
		OUGI_LIBRARY_FOLDER=out/native/$$platform/lib $(BIN)/python -m build --wheel --no-isolation --outdir out/dist; \
	done

# The summary of the committed runs that `ougi pairs` reads.
evidence: $(VENV)/dev
	$(BIN)/python -m ougi_lab.verify.evidence

# The pages of the experiments, from lab/results/ (RUN=out/reproduce first takes over the runs in that folder),
# the executed notebooks of the tasks, and the site, without a network: open out/site/index.html.
docs: $(VENV)/dev
	$(BIN)/python -m ougi_lab.reproduce.page $(RUN)
	$(BIN)/python -m ougi_lab.figures.command
	$(BIN)/python -m ougi_lab.site
	$(BIN)/python -m ougi_lab.notebooks
	NUMBA_ENABLE_CUDASIM=1 NUMBA_DISABLE_JIT=1 $(BIN)/python -m ougi_lab.notebooks gpu
	$(BIN)/zensical build --clean
	@echo "Open out/site/index.html; its search needs a server: $(BIN)/python -m http.server -d out/site --bind 127.0.0.1"

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "ougi needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "pip>=25.1"

$(VENV)/demo: $(BIN)/python pyproject.toml lab/pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[jit,cli,plot,viewer]" -e lab
	touch $@

$(VENV)/dev: $(BIN)/python pyproject.toml lab/pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group dev -e ".[jit]" -e "lab[test]"
	touch $@

clean:
	rm -rf $(VENV) .venv-smoke-* out .mypy_cache .ruff_cache .pytest_cache .hypothesis
