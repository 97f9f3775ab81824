# Everything runs in the virtual environment .venv, which the first command creates.
# Another Python: make PYTHON=python3.12 play

.DEFAULT_GOAL := help
VENV := .venv/bin
export PYTHONUTF8 := 1
# Tests that call make choose its variables themselves.
unexport ALL ARGS GAME NAME SCREENSHOTS
# Tests start hundreds of processes: what Python compiles is kept for the next one.
unexport PYTHONDONTWRITEBYTECODE
MAKEOVERRIDES :=
PYTEST := $(VENV)/python -m pytest
PARALLEL := --numprocesses auto --dist
# With ARGS a tier may be left without tests, which pytest tells by 5.
OR_NONE = $(if $(ARGS),|| [ $$? -eq 5 ])
MARKED := full or corpus or cluster or browser or external or clock

# The first of these that runs and is new enough; else python3, whose age is then reported.
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
ifndef PYTHON
PYTHON := $(shell for name in python3 python3.13 python3.12 python3.11 python; do \
	if "$$name" -c '$(NEW_ENOUGH)' >/dev/null 2>&1; then echo "$$name"; exit; fi; done; echo python3)
endif

.PHONY: help play test test-full lint format bench experiment docs clean setup setup-dev

help:
	@echo "make play        play in the browser where one can be shown, else at the terminal (GAME=name)"
	@echo "make test        run the tests that fit into three minutes (ARGS=\"tests/gdl -k infix\" for some of them)"
	@echo "make test-full   run all tests: every game, real rule sheets, browser, cluster, comparison with other programs"
	@echo "make lint        check style, types and who imports whom"
	@echo "make format      put the code in its standard layout"
	@echo "make bench       measure random play and search next to SWI-Prolog and OpenSpiel, the referee, the evaluation"
	@echo "make experiment  play the matches of an experiment and report on them (NAME=strength; no NAME lists all)"
	@echo "make docs        draw the pictures of the documentation and the gallery again (SCREENSHOTS=1: those too)"
	@echo "make clean       remove what the tools leave behind (ALL=1: .venv too)"

# The browser, where there is a screen; a rule sheet in a file, and ARGS, are for the terminal.
play: setup
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" -o "$$(uname)" = Darwin ] && [ -z '$(ARGS)' ] && [ ! -e "$(GAME)" ]; then \
		exec $(VENV)/python -m ludens web $(if $(GAME),"$(GAME)"); \
	else \
		exec $(VENV)/python -m ludens play $(if $(GAME),"$(GAME)") $(ARGS); \
	fi

# The default tier: everything but the marked tests; it needs no system packages.
test: setup-dev
	@$(VENV)/python -m ludens.runtime.warm_up
	$(PYTEST) $(PARALLEL) loadfile -m "not ($(MARKED))" $(ARGS) $(OR_NONE)

# All tests: after the default tier the marked ones, and property tests with more examples; then those with a clock.
test-full: test
	@scripts/install_tool.sh prolog browser curl
	$(PYTEST) $(PARALLEL) loadgroup -m "($(MARKED) or hypothesis) and not clock" --hypothesis-profile=full $(ARGS) $(OR_NONE)
	$(PYTEST) -m clock $(ARGS) $(OR_NONE)

lint: setup-dev
	$(VENV)/python -m ruff check
	$(VENV)/python -m ruff format --check
	$(VENV)/python -m mypy
	$(VENV)/lint-imports

format: setup-dev
	$(VENV)/python -m ruff check --fix
	$(VENV)/python -m ruff format

bench: setup-dev
	@scripts/install_tool.sh prolog
	$(VENV)/python -m benchmarks $(ARGS)
	$(VENV)/python -m benchmarks.native $(NATIVE_ARGS)
	$(VENV)/python -m benchmarks.searching $(SEARCH_ARGS)
	$(VENV)/python -m benchmarks.refereeing $(REFEREE_ARGS)
	$(VENV)/python -m benchmarks.evaluating $(EVALUATE_ARGS)

experiment: setup-dev
	@$(VENV)/python -m experiments $(NAME) $(ARGS)

# What is drawn of each game comes first: the gallery shows it.
docs: setup-dev
	$(VENV)/python scripts/board_facts.py
	$(VENV)/python scripts/gallery.py
	$(VENV)/python scripts/picture.py
ifdef SCREENSHOTS
	@scripts/install_tool.sh browser
	$(VENV)/python -m scripts.screenshots
endif

clean:
	rm -rf build dist .hypothesis .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find src tests scripts benchmarks experiments -name __pycache__ -type d -prune -exec rm -rf {} +
	$(if $(ALL),rm -rf .venv)

setup:
	@"$(PYTHON)" scripts/environment.py play

setup-dev:
	@"$(PYTHON)" scripts/environment.py dev
