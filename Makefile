PYTHON ?= python3
BIN := .venv/bin
UV_TOOL := $(BIN)/uv tool run --quiet --from
# Settings for tests and static checks: no real secret, and a data directory of their own.
THROWAWAY := SECRET_KEY=for-checks-and-tests-only CROWDGAME_DATA=$(CURDIR)/.play/throwaway

.DEFAULT_GOAL := help
.PHONY: help wheel release play test test-nightly test-all test-deploy test-openspiel test-solver mutants chaos bench bench-quick soak check check-frontend check-types check-rest lock clean audit fuzz bench-pages gallery generate messages solver bench-solver

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

wheel: ## build the wheel and the sdist in dist/, with their pins and the installer for servers
	@$(PYTHON) -m deploy.laptop.bootstrap build
	@rm -rf dist build
	@$(BIN)/python -m hatchling build
	@cp requirements/base.txt dist/requirements.txt
	@$(UV_TOOL) cyclonedx-bom~=7.5 cyclonedx-py requirements --output-reproducible \
		--output-file dist/sbom-python.cdx.json requirements/base.txt
	@cd frontend && PATH="$(CURDIR)/$(BIN):$$PATH" npm sbom --package-lock-only --omit dev --sbom-format cyclonedx >../dist/sbom-npm.cdx.json
	@mkdir dist/deploy && cp -r deploy/container deploy/kubernetes deploy/server dist/deploy/
	@sed -n 's/^\([^ ].*[^ ]\) *\\$$/\1/p' requirements/base.txt >dist/constraints.txt

release: ## build dist/, date the changelog's section of this version, commit and tag; pushes nothing
	@$(PYTHON) -m deploy.laptop.release

play: ## run everything on this machine, with 200 simulated phones (PORT=8001, GATEWAY=uvicorn)
	@$(PYTHON) -m deploy.laptop.bootstrap play $(ARGS)

test: ## run the full test suite with a real Valkey, worker, gateway and browser (ARGS="-k tally" to select)
	@$(PYTHON) -m deploy.laptop.bootstrap test
	@mkdir -p .play/throwaway
	@$(THROWAWAY) $(BIN)/python -m tests $(ARGS)

test-nightly: ## run every test, before a release: slow tests, more examples, deployments, OpenSpiel, mutants, fuzz, chaos
	@$(MAKE) --no-print-directory --keep-going test-all test-deploy test-openspiel test-solver mutants fuzz chaos ARGS=

test-all: # every test of `make test`, also those marked nightly
	@$(PYTHON) -m deploy.laptop.bootstrap test
	@mkdir -p .play/throwaway
	@$(THROWAWAY) $(BIN)/python -m tests --nightly

test-deploy: wheel ## test deployments: the wheel, PostgreSQL, a Valkey cluster, nginx (installs what is missing)
	@$(PYTHON) -m deploy.laptop.bootstrap machines
	@mkdir -p .play/throwaway
	@$(THROWAWAY) $(BIN)/python -m pytest tests/machines $(ARGS)

test-openspiel: ## test the OpenSpiel adapter, and our games against OpenSpiel's (installs OpenSpiel)
	@$(PYTHON) -m deploy.laptop.bootstrap openspiel
	@mkdir -p .play/throwaway
	@$(THROWAWAY) $(BIN)/python -m pytest tests/openspiel $(ARGS)

SOLVER := $(BIN)/python -m ziglang cc -target wasm32-freestanding -O3 -nostdlib -s -Wall -Wextra -Werror \
	-Wl,--no-entry -Wl,--export=__heap_base games/solver/solver.c -o

solver: ## compile the solver to WebAssembly (installs the compiler)
	@$(PYTHON) -m deploy.laptop.bootstrap solver
	@$(SOLVER) games/solver/solver.wasm && chmod 644 games/solver/solver.wasm

test-solver: # compare the compiled solver in the repository with its source
	@$(PYTHON) -m deploy.laptop.bootstrap solver
	@mkdir -p .play/throwaway
	@$(SOLVER) .play/throwaway/solver.wasm
	@cmp games/solver/solver.wasm .play/throwaway/solver.wasm

mutants: ## mutation testing of the pure core (90 %) and of use cases (70 %) (ARGS="voting.counting.*" to select)
	@$(PYTHON) -m deploy.laptop.bootstrap mutants
	@mkdir -p .play/throwaway
	@$(THROWAWAY) $(BIN)/python -m tests.mutants $(ARGS)

bench: ## measure every performance goal on this machine (ARGS=--small for a short run)
	@$(PYTHON) -m deploy.laptop.bootstrap test
	@mkdir -p .play/throwaway
	@$(THROWAWAY) $(BIN)/python -m tests.load.bench $(ARGS)

bench-quick: ## one-minute benchmark; fails on a regression of over a third (new baseline: make bench ARGS=--record)
	@$(MAKE) --no-print-directory bench ARGS="--quick $(ARGS)"

bench-solver: ## measure the solver's speed and accuracy (ARGS=--help)
	@$(PYTHON) -m deploy.laptop.bootstrap solver
	@$(THROWAWAY) $(BIN)/python -m tests.games.solver $(ARGS)

soak: ## soak test for leaks: 5,000 phones for 30 minutes (ARGS="--minutes 5 --phones 500")
	@$(PYTHON) -m deploy.laptop.bootstrap test
	@mkdir -p .play/throwaway
	@$(THROWAWAY) $(BIN)/python -m tests.load.bench.soak $(ARGS)

chaos: ## chaos test: 1,000 turns with seeded random failures (ARGS="--seed 7 --turns 100"; --help)
	@$(PYTHON) -m deploy.laptop.bootstrap machines
	@mkdir -p .play/throwaway
	@$(THROWAWAY) $(BIN)/python -m tests.chaos $(ARGS)

check: ## run linters and check types, imports, migrations and generated files
	@$(PYTHON) -m deploy.laptop.bootstrap check
	@mkdir -p .play/throwaway
	@$(MAKE) --no-print-directory --jobs 2 check-frontend check-types check-rest

check-frontend:
	cd frontend && PATH="$(CURDIR)/$(BIN):$$PATH" npm run check

check-types:
	$(THROWAWAY) $(BIN)/mypy

check-rest:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(THROWAWAY) $(BIN)/lint-imports
	$(THROWAWAY) $(BIN)/python manage.py makemigrations --check --dry-run
	$(THROWAWAY) $(BIN)/python manage.py generate_protocol --check
	$(THROWAWAY) $(BIN)/python manage.py generate_actions --check
	$(THROWAWAY) $(BIN)/python manage.py generate_settings --check
	$(THROWAWAY) $(BIN)/python manage.py generate_messages --check

PIN := @$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-header --no-annotate $(ARGS) --output-file

lock: ## pin the dependencies in pyproject.toml by hash (ARGS=--upgrade for the newest)
	@$(PYTHON) -m deploy.laptop.bootstrap lock
	$(PIN) requirements/base.txt --extra logos --extra pdf --extra postgresql pyproject.toml
	$(PIN) requirements/dev.txt --all-extras --constraint requirements/base.txt pyproject.toml
	$(PIN) requirements/build.txt --group build --constraint requirements/dev.txt
	$(PIN) requirements/mutants.txt --group mutants --constraint requirements/dev.txt
	$(PIN) requirements/node.txt --group node
	$(PIN) requirements/openspiel.txt --group openspiel --no-deps # its games need no dependencies
	$(PIN) requirements/solver.txt --group solver
	$(PIN) requirements/uv.txt --group uv

audit: ## check pinned packages for known vulnerabilities (ARGS="-s osv" for OSV's list); fails without a list
	@$(PYTHON) -m deploy.laptop.bootstrap check
	@$(UV_TOOL) pip-audit~=2.10 pip-audit --strict --disable-pip --require-hashes --progress-spinner off $(ARGS) \
		$(addprefix -r ,$(wildcard requirements/*.txt))
	@cd frontend && PATH="$(CURDIR)/$(BIN):$$PATH" npm audit

fuzz: ## fuzz the WebSockets with malformed frames (ARGS="--frames 1000000 --server uvicorn --seed 7")
	@$(PYTHON) -m deploy.laptop.bootstrap test
	@mkdir -p .play/throwaway
	@$(THROWAWAY) $(BIN)/python -m tests.fuzz $(ARGS)

bench-pages: ## measure the phone, projector and console pages in a browser (ARGS="--turns 200")
	@$(PYTHON) -m deploy.laptop.bootstrap test
	@mkdir -p .play/throwaway
	@$(THROWAWAY) $(BIN)/python -m tests.e2e.measurements $(ARGS)

gallery: ## take screenshots of every screen in .play/gallery (ARGS="--only voting", ARGS="--language de", ARGS=--docs)
	@$(PYTHON) -m deploy.laptop.bootstrap test
	@mkdir -p .play/throwaway
	@$(THROWAWAY) $(BIN)/python -m tests.e2e.gallery $(ARGS)

generate: ## write all generated files, and the catalogs like `make messages`
	@$(PYTHON) -m deploy.laptop.bootstrap check
	@mkdir -p .play/throwaway
	@for name in protocol actions settings; do $(THROWAWAY) $(BIN)/python manage.py generate_$$name || exit 1; done
	@$(MAKE) --no-print-directory messages

messages: ## extract the texts into the catalogs in locale/, and list what is not translated
	@$(PYTHON) -m deploy.laptop.bootstrap check
	@mkdir -p .play/throwaway
	@$(THROWAWAY) $(BIN)/python manage.py generate_messages
	@cd frontend && PATH="$(CURDIR)/$(BIN):$$PATH" npm run --silent messages
	@$(THROWAWAY) $(BIN)/python manage.py generate_messages --check

clean: ## remove installed packages, builds and caches; keep the data in .play
	rm -rf .venv locale/.stamp locale/*/LC_MESSAGES/*.mo frontend/node_modules frontend/dist build dist .mypy_cache .ruff_cache .pytest_cache
