# Everything runs in the virtual environment .venv, which the first command creates.
# Another Python: make PYTHON=python3.12 play

.DEFAULT_GOAL := help
VENV := .venv/bin
export PYTHONUTF8 := 1
# Tests that call make choose its variables themselves.
unexport ARGS GAME GAMES CORPUS
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

.PHONY: help play test test-full machine-code lint format corpus curl bench scaling strength properties clune kuhlmann workers prolog browser picture gallery screenshots setup setup-dev clean distclean

help:
	@echo "make play      play in the browser where one can be shown, else at the terminal (GAME=name)"
	@echo "make test      run the tests that fit into three minutes"
	@echo "make test-full run all tests: every game, real rule sheets, browser, cluster, comparison with other programs"
	@echo "make lint      check style, types and who imports whom"
	@echo "make format    put the code in its standard layout"
	@echo "make corpus    replay recorded games (GAMES='a b' for some, CORPUS=folder)"
	@echo "make bench     measure random play and search next to SWI-Prolog and OpenSpiel, the referee, the evaluation"
	@echo "make scaling   measure how the cost of a state grows with the gates"
	@echo "make strength  play matches between the players at equal time; takes a while, and goes on after a break"
	@echo "make properties  how fluxplayer does at games with certain properties"
	@echo "make clune     play Table 2 of the paper on Cluneplayer: its model against early payoff"
	@echo "make kuhlmann  play Table 2 of the paper on the UT Austin player: one simple heuristic against none"
	@echo "make workers   let its player play with more and more workers against itself with one"
	@echo "make prolog    install SWI-Prolog, which the benchmark compares with"
	@echo "make browser   install Chromium, in which the pages are tested"
	@echo "make gallery   find what is drawn of the bundled games, and draw the browser's gallery again"
	@echo "make picture   draw the picture of the README again"
	@echo "make screenshots  take the screenshots of the browser interface again"
	@echo "make clean     remove what the tools leave behind; make distclean: .venv too"

# The browser, where there is a screen; a rule sheet in a file, and ARGS, are for the terminal.
play: setup
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" -o "$$(uname)" = Darwin ] && [ -z '$(ARGS)' ] && [ ! -e "$(GAME)" ]; then \
		exec $(VENV)/python -m ludens web $(if $(GAME),"$(GAME)"); \
	else \
		exec $(VENV)/python -m ludens play $(if $(GAME),"$(GAME)") $(ARGS); \
	fi

# The default tier: everything but the marked tests; it needs no system packages.
test: setup-dev machine-code
	$(PYTEST) $(PARALLEL) loadfile -m "not ($(MARKED))" $(ARGS) $(OR_NONE)

# All tests: after the default tier the marked ones, and property tests with more examples; then those with a clock.
test-full: test prolog browser curl
	$(PYTEST) $(PARALLEL) loadgroup -m "($(MARKED) or hypothesis) and not clock" --hypothesis-profile=full $(ARGS) $(OR_NONE)
	$(PYTEST) -m clock $(ARGS) $(OR_NONE)

machine-code: setup-dev
	@$(VENV)/python -m ludens.runtime.warm_up

lint: setup-dev
	$(VENV)/python -m ruff check
	$(VENV)/python -m ruff format --check
	$(VENV)/python -m mypy
	$(VENV)/lint-imports

format: setup-dev
	$(VENV)/python -m ruff check --fix
	$(VENV)/python -m ruff format

corpus: setup-dev
	$(VENV)/python -m tests.corpus_runner $(if $(CORPUS),--corpus "$(CORPUS)") $(GAMES) $(ARGS)

bench: setup-dev prolog
	$(VENV)/python -m benchmarks $(ARGS)
	$(VENV)/python -m benchmarks.native $(NATIVE_ARGS)
	$(VENV)/python -m benchmarks.searching $(SEARCH_ARGS)
	$(VENV)/python -m benchmarks.refereeing $(REFEREE_ARGS)
	$(VENV)/python -m benchmarks.evaluating $(EVALUATE_ARGS)

scaling: setup-dev
	$(VENV)/python -m benchmarks.scaling $(ARGS)

strength: setup-dev
	$(VENV)/python -m experiments.strength $(ARGS)

properties: setup-dev
	$(VENV)/python -m experiments.fluxplayer_properties $(ARGS)

clune: setup-dev
	$(VENV)/python -m experiments.clune_table2 $(ARGS)

kuhlmann: setup-dev
	$(VENV)/python -m experiments.kuhlmann_table2 $(ARGS)

workers: setup-dev
	$(VENV)/python -m experiments.worker_scaling $(ARGS)

# For the benchmark and its tests; without it they leave it out.
prolog:
	@scripts/install_tool.sh SWI-Prolog swi-prolog-nox swipl || echo "going on without SWI-Prolog"

# For a test of the server.
curl:
	@scripts/install_tool.sh curl curl curl

# For the tests of the pages and the screenshots.
browser:
	@scripts/install_tool.sh Chromium chromium chromium chromium-browser

picture: setup
	$(VENV)/python scripts/picture.py

gallery: setup
	$(VENV)/python scripts/board_facts.py
	$(VENV)/python scripts/gallery.py

screenshots: setup-dev browser
	$(VENV)/python -m scripts.screenshots

setup:
	@"$(PYTHON)" scripts/environment.py play

setup-dev:
	@"$(PYTHON)" scripts/environment.py dev

clean:
	rm -rf build dist .hypothesis .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find src tests scripts benchmarks experiments -name __pycache__ -type d -prune -exec rm -rf {} +

distclean: clean
	rm -rf .venv
