PYTHON ?= python3
BIN := .venv/bin
# Tools that only look at the code need settings, but neither a real secret nor anybody's data.
THROWAWAY := SECRET_KEY=for-checks-and-tests-only CROWDGAME_DATA=$(CURDIR)/.play/throwaway

MARKED := not thorough
SOME_TESTS := pytest --ignore=tests/machines --ignore=tests/openspiel

.DEFAULT_GOAL := help
.PHONY: help play test test-thorough test-deploy test-openspiel chaos bench bench-quick soak check check-types check-rest lock clean audit fuzz faces gallery

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

play: ## run everything here, with a crowd of 200 simulated phones (PORT=8001, GATEWAY=uvicorn)
	@$(PYTHON) -m deploy.laptop.bootstrap play $(ARGS)

test: ## the full test suite, with a real Valkey, worker, gateway and browser (ARGS="-k tally" for some tests)
	@$(PYTHON) -m deploy.laptop.bootstrap test
	@mkdir -p .play/throwaway
	@$(THROWAWAY) $(BIN)/python -m $(if $(ARGS),$(SOME_TESTS) $(ARGS),tests "$(MARKED)")

test-thorough: ## the slow tests, before a release: every size, language, server and way to fail
	@$(MAKE) --no-print-directory test MARKED=thorough

test-deploy: ## PostgreSQL, a Valkey cluster, two gateways behind nginx: all real, here (installs what is missing)
	@$(PYTHON) -m deploy.laptop.bootstrap machines
	@mkdir -p .play/throwaway
	@$(THROWAWAY) $(BIN)/python -m pytest tests/machines $(ARGS)

test-openspiel: ## OpenSpiel's games as ours, and ours against its own (installs it)
	@$(PYTHON) -m deploy.laptop.bootstrap openspiel
	@mkdir -p .play/throwaway
	@$(THROWAWAY) $(BIN)/python -m pytest tests/openspiel $(ARGS)

bench: ## the goals' whole table, on this machine, in ten minutes (ARGS=--small for a look)
	@$(PYTHON) -m deploy.laptop.bootstrap test
	@mkdir -p .play/throwaway
	@$(THROWAWAY) $(BIN)/python -m tests.load.bench $(ARGS)

bench-quick: ## ratios in a minute; fails if one fell by over a third (make bench ARGS=--record: anew)
	@$(MAKE) --no-print-directory bench ARGS="--quick $(ARGS)"

soak: ## a crowd of 5,000 for half an hour: does anything grow? (ARGS="--minutes 5 --phones 500")
	@$(PYTHON) -m deploy.laptop.bootstrap test
	@mkdir -p .play/throwaway
	@$(THROWAWAY) $(BIN)/python -m tests.load.bench.soak $(ARGS)

chaos: ## 1,000 turns in which something dies, drawn from a seed (ARGS="--seed 7 --turns 100"; --help)
	@$(PYTHON) -m deploy.laptop.bootstrap machines
	@mkdir -p .play/throwaway
	@$(THROWAWAY) $(BIN)/python -m tests.chaos $(ARGS)

check: ## linters, types, imports, migrations, generated files
	@$(PYTHON) -m deploy.laptop.bootstrap check
	@mkdir -p .play/throwaway
	@$(MAKE) --no-print-directory --jobs 2 check-types check-rest

check-types:
	$(THROWAWAY) $(BIN)/mypy

check-rest:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(THROWAWAY) $(BIN)/lint-imports
	$(THROWAWAY) $(BIN)/python manage.py makemigrations --check --dry-run
	$(THROWAWAY) $(BIN)/python manage.py generate_protocol --check
	$(THROWAWAY) $(BIN)/python manage.py generate_settings --check
	cd frontend && PATH="$(CURDIR)/$(BIN):$$PATH" npm run check

lock: ## pin what pyproject.toml asks for, by hash (ARGS=--upgrade for the newest)
	@$(PYTHON) -m deploy.laptop.bootstrap lock
	@$(BIN)/python -m deploy.laptop.pins $(ARGS)

audit: ## pinned packages against lists of known holes; never green without a list
	@$(PYTHON) -m deploy.laptop.bootstrap check
	@$(BIN)/python -m deploy.laptop.audit

fuzz: ## nonsense at the sockets (ARGS="--frames 1000000 --server uvicorn --seed 7")
	@$(PYTHON) -m deploy.laptop.bootstrap test
	@mkdir -p .play/throwaway
	@$(THROWAWAY) $(BIN)/python -m tests.fuzz $(ARGS)

faces: ## measure phone, projector and control room in a browser (ARGS="--turns 200")
	@$(PYTHON) -m deploy.laptop.bootstrap test
	@mkdir -p .play/throwaway
	@$(THROWAWAY) $(BIN)/python -m tests.e2e.measurements $(ARGS)

gallery: ## take the screenshots of docs/gallery (ARGS="--only voting")
	@$(PYTHON) -m deploy.laptop.bootstrap test
	@mkdir -p .play/throwaway
	@$(THROWAWAY) $(BIN)/python -m tests.e2e.gallery $(ARGS)

clean: ## remove what can be made again; the data in .play stays
	rm -rf .venv frontend/node_modules frontend/dist .mypy_cache .ruff_cache .pytest_cache
