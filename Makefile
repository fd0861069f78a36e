# Two commands are enough on a machine with Python (3.11 or newer) and make:
#   make serve   sets up and runs a room       make test   sets up and runs the tests
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.current
# By another name: recipes with the usual one run at "make -n", too.
AGAIN := $(MAKE) --no-print-directory

# Many images set it. Then each process compiles all that it imports, and each worker of the tests all test modules.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup serve test test-long coverage test-compiled e2e check contract types soak chaos kills drill upgrade siege field tamper large-ledger referee malformed mutants bench report dashboards wheels compiled requirements clean

# Builds the environment from the hash-pinned list; does nothing when it is current. The list is whole, so nothing
# is looked for beside it: a newer release of a package that another asks for with an extra stopped older pips.
setup: $(STAMP)

# The room and its protocol package, both editable from the tree.
EDITABLE := --no-deps --no-build-isolation --editable . --editable protocol/python

$(STAMP): deploy/requirements.txt pyproject.toml protocol/python/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "pokerroom needs Python 3.11 or newer; set PYTHON=python3.x")'
	@echo 'Installing into $(VENV) takes a minute or two.'
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r deploy/requirements.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check $(EDITABLE)
	@$(BIN)/python -m pip check
	@touch $(STAMP)

# `make serve CONFIG=friday.toml` runs another room. It runs compiled if its compiled form is current. Otherwise it runs as
# Python, and the compiled form is made beside it for the next time, if there is a C compiler; not with COMPILE=no.
OPTIONS = $(if $(CONFIG),--config '$(CONFIG)')
serve: setup
	@mkdir -p $(dir $(COMPILED)); \
	if $(IS_COMPILED); then \
		echo 'The room runs compiled.'; \
		PYTHONPATH=$(abspath $(COMPILED))/package exec $(BIN)/pokerroom serve $(OPTIONS); \
	fi; \
	if [ '$(COMPILE)' = no ] || ! $(CAN_COMPILE); then \
		echo 'The room runs as Python.'; \
	elif $(IS_COMPILING); then \
		echo 'The room runs as Python. Its compiled form is still being made.'; \
	else \
		echo 'The room runs as Python. Its compiled form is made meanwhile; the next make serve runs that one. This takes'; \
		echo 'some minutes and 1 GB of memory, and goes on when the room stops. $(COMPILED).log has its output.'; \
		setsid nice -n 19 flock -n $(COMPILED).lock $(AGAIN) compiled >$(COMPILED).log 2>&1 </dev/null & \
	fi; \
	exec $(BIN)/pokerroom serve $(OPTIONS)

test: setup
	$(BIN)/python -m pytest -n auto --dist worksteal -q

# The tests that `make test` leaves out: most repeat a path of another test with more processes, seeds or languages.
test-long: setup
	$(BIN)/python -m pytest -n auto --dist worksteal -q --timeout 600 -m slow

# Which branches of the packages that hold cards and chips the tests near them take, as a table at the end.
coverage: setup
	$(BIN)/python -m pytest -n auto -q --timeout 900 --cov --cov-report= tests/rules tests/table tests/poker tests/ultimate \
		tests/tournament tests/ledger
	@$(BIN)/python -m tests.branch_coverage

# Players in real Chromiums at a real room; screenshots in build/e2e. Without a browser it says what is missing.
# `make e2e APPROVE=1` takes the screenshots of this run as the approved ones.
e2e: setup
	@$(BIN)/python -m tests.browser.chromium
	POKERROOM_E2E=1 POKERROOM_APPROVE=$(APPROVE) $(BIN)/python -m pytest -n 2 -q tests/browser
	@echo "screenshots and times are in build/e2e"

# Long runs: whole rooms in virtual time with every fault, random hands against PokerKit, tests of the rules, of the ledger
# and of the simulation with more seeds, every seven-card hand for Trips, and a few faults planted in the rules. `make soak SEEDS=5000..5999 HANDS=50` runs others.
SEEDS ?= 0..2999
HANDS ?= 50
DIFFERENTIAL ?= 35
EFFORT ?= 10
soak: setup
	$(BIN)/pokerroom simulate --seeds $(SEEDS) --hands $(HANDS) --faults all
	$(BIN)/pokerroom simulate --game omaha --seeds $(SEEDS) --hands $(HANDS) --faults all
	$(BIN)/pokerroom simulate --game sit_and_go --seeds $(SEEDS) --hands $(HANDS) --faults all
	$(BIN)/pokerroom simulate --game mtt --seeds $(SEEDS) --hands $(HANDS) --faults all
	$(BIN)/pokerroom simulate --game private_sit_and_go --seeds $(SEEDS) --hands $(HANDS) --faults all
	$(BIN)/pokerroom simulate --game mtt --field 300 --seeds 0..1 --faults all
	$(BIN)/pokerroom simulate --game ultimate --seeds $(SEEDS) --hands $(HANDS) --faults all
	for corpus in tests/simulation/corpora/*.jsonl; do $(BIN)/pokerroom simulate --corpus $$corpus || exit 1; done
	POKERROOM_DIFFERENTIAL=$(DIFFERENTIAL) $(BIN)/python -m pytest -n auto -q tests/rules/test_pokerkit.py
	POKERROOM_EFFORT=$(EFFORT) $(BIN)/python -m pytest -n auto -q --timeout 600 tests/rules tests/ledger tests/lobby \
		tests/poker/test_views_permutation.py tests/tournament/test_journal_shapes.py \
		tests/history/test_pokerkit_writes.py tests/history/test_exports.py tests/protocol/test_pages.py tests/simulation \
		tests/test_chips.py tests/bots tests/cluster/test_placement.py tests/coordination/test_batches.py \
		tests/coordination/test_registrations.py tests/gateway/test_addresses.py tests/gateway/test_outbound.py \
		tests/gateway/test_proxy_header.py tests/protocol/test_codec.py tests/protocol/test_framing.py tests/table/test_chat.py \
		tests/table/test_outgoing.py tests/table/test_spectator_delay_at_a_table.py tests/terminal/test_words.py \
		tests/terminal/test_amounts.py
	POKERROOM_EFFORT=$(EFFORT) $(BIN)/python -m pytest -n auto -q --timeout 600 -m slow
	$(BIN)/python -m tests.mutants --package rules --sample 40

# Real nodes on real PostgreSQL and Redis under load, with faults from a seed; loopback only, a little over ten minutes.
# The last line is JSON. `make chaos SECONDS=60 SEED=7` runs another seed, `make chaos NODES=3` more nodes,
# `make chaos CHAOS=--supervised` all nodes under one parent, `CHAOS='--redis sentinel'` or `cluster` another Redis; see
# tests/chaos/README.md. Assigned with =, because shells set SECONDS themselves.
SECONDS = 600
SEED = 1
NODES = 2
CHAOS =
chaos: setup
	$(BIN)/python -m tests.chaos --seconds $(SECONDS) --seed $(SEED) --nodes $(NODES) $(CHAOS)

# A hundred kills of nodes in play, between hands, and on either side of a COMMIT. The last line is JSON: `kills` has the
# shortest, the median and the longest time to the next prompt of the last table. Some twenty minutes.
kills: setup
	$(BIN)/python -m tests.chaos --kills 100 --seconds 3600 --seed $(SEED) --nodes $(NODES) --crowd 100

# A backup while the room plays under faults, restored to a second room and compared, a minute and a half; the last line is JSON.
# `make drill DRILL=--point-in-time` restores to a moment instead, from a base backup and archived WAL.
DRILL = --drill
drill: setup
	$(BIN)/python -m tests.chaos --seconds 40 --seed $(SEED) --nodes 2 $(DRILL) --faults kill_mid_bet,redis_restart

# Nodes of an earlier version, built from git, change to this one and back, one by one while the room plays; two minutes.
# If both have the same schema, this one is made into a next version first. The last line is JSON.
FROM = $(shell git describe --tags --abbrev=0 2>/dev/null || git rev-parse HEAD)
upgrade: setup
	$(BIN)/python -m tests.chaos --seconds $(UPGRADE_S) --seed $(SEED) --nodes 2 --upgrade-from $(FROM) --faults change_version
UPGRADE_S = 90

# Attacks of strangers and greedy players on a room in which bots play; loopback only, some four minutes. The last line
# is JSON, and every figure is in build/siege.json. `make siege SIEGE='--attacks guesses,cashier --seconds 3'`
SIEGE =
siege: setup
	$(BIN)/python -m tests.siege $(SIEGE)

# One tournament of 2,000 real clients through two nodes, of which one is killed, and Redis is emptied; loopback only, some
# three minutes on two cores. The last line is JSON. `make field FIELD='--bots 300'`
FIELD =
field: setup
	$(BIN)/python -m tests.bench.field $(FIELD)

# Forgeries past every trigger in rooms that were played, and what the audit finds; some minutes. The last line is
# JSON.
tamper: setup
	$(BIN)/python -m tests.audit

# A referee from outside: honest rooms and exports of some thousand hands, and forgeries of them; some minutes. Then a real
# room with bots over the wire, and its exports; the last line is JSON. For a running room: `.venv/bin/python -m tests.referee watch HOST:PORT`.
REFEREE ?= 20
referee: setup
	POKERROOM_EFFORT=$(REFEREE) $(BIN)/python -m pytest -n auto -q --timeout 3600 tests/referee
	$(BIN)/python -m tests.referee.live

# A room that was played, copied to a large ledger, and how long its audit takes. The last line is JSON.
# `make large-ledger LEDGER='--hands 1000000 --jobs 8'`
LEDGER =
large-ledger: setup
	$(BIN)/python -m tests.audit.large $(LEDGER)

# A million malformed frames over real sockets, each answered by an error of the protocol; some three minutes. The last line
# is JSON. `make malformed FRAMES=20000`
FRAMES = 1000000
malformed: setup
	$(BIN)/python -m tests.siege.malformed --frames $(FRAMES)

# Small faults planted one at a time in rules, tables, tournaments and ledger, and which of them no test finds; a sample of
# each package, some minutes each. The last line is JSON. `make mutants MUTANTS='--package rules --sample 450'`
MUTANTS =
mutants: setup
	$(BIN)/python -m tests.mutants $(MUTANTS)

# Two wheels in dist: the room and its protocol package. Install them together: `pip install dist/*.whl`.
WHEEL = $(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation
wheels: setup
	rm -rf dist
	$(WHEEL) --wheel-dir dist . ./protocol/python

# The way of an action compiled to C by mypyc (needs a C compiler, and some minutes): both wheels in build/compiled, unpacked
# into package/ there. Built from a copy, so the checkout does not change, and put in place when it is whole.
COMPILED := build/compiled
compiled: setup
	@mkdir -p $(dir $(COMPILED))
	@find $(dir $(COMPILED)) -maxdepth 1 -path '$(COMPILED).new.*' -mmin +120 -exec rm -rf {} +  # of one that was killed
	set -e; new=$$(mktemp -d $(abspath $(COMPILED)).new.XXXXXX); trap 'rm -rf "$$new"' EXIT; \
	touch "$$new/.current"; mkdir "$$new/source"; \
	cp -R .gitignore pyproject.toml README.md LICENSE pokerroom protocol deploy "$$new/source"; \
	HATCH_BUILD_HOOK_ENABLE_MYPYC=1 $(WHEEL) --wheel-dir "$$new" "$$new/source" "$$new/source/protocol/python"; \
	rm -rf "$$new/source"; \
	for wheel in "$$new"/*.whl; do $(BIN)/python -m zipfile -e "$$wheel" "$$new/package"; done; \
	rm -rf $(COMPILED); mv "$$new" $(COMPILED)

# Whether there is a compiled form that no source is newer than.
IS_COMPILED = test -e $(COMPILED)/.current && test -z "$$(find pokerroom protocol/python protocol/javascript deploy/room.toml \
	pyproject.toml -not -name '*.pyc' -type f -newer $(COMPILED)/.current)"
IS_COMPILING = ! flock -n $(COMPILED).lock true
CAN_COMPILE = { { command -v flock && command -v setsid; } >/dev/null && $(BIN)/python -c 'import pathlib, shutil, sys, sysconfig as s; \
	sys.exit(not (shutil.which((s.get_config_var("CC") or "cc").split()[0]) and pathlib.Path(s.get_path("include"), "Python.h").exists()))'; }

# The tests of what is compiled, and whole rooms in virtual time, against the compiled form.
test-compiled: compiled
	POKERROOM_TEST_COMPILED=1 $(BIN)/python -m pytest -n auto -q -o pythonpath="$(COMPILED)/package ." tests/rules tests/table \
		tests/poker tests/history tests/tournament tests/gateway tests/ultimate tests/simulation

check: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pokerroom_protocol.schema --check

# Generates what follows from the message classes and the room: schemas, vectors, transcripts, the reference.
contract: setup
	$(BIN)/python -m tests.protocol.transcripts
	$(BIN)/python -m pokerroom_protocol.schema

# Types in TypeScript, Go and Rust as ordinary generators make them of the schema, compiled where a compiler is; needs npm.
types: setup
	npm install --silent --no-audit --no-fund --prefix build/types quicktype@26.0.0 json-schema-to-typescript@16.0.0 typescript@7.0.2
	$(BIN)/python -m pytest -q tests/protocol/test_generated_types.py

# A separate environment with the engines to compare with. `make bench WHAT=engines`, or another part.
BENCH := build/bench
bench: $(BENCH)/.current
	@$(COMPILE_AGAIN)
	$(BENCH)/bin/python -m tests.bench $(WHAT)

# Load, engines, faults and attacks measured one after the other, and one page of HTML with pictures: build/report/index.html.
# Loopback only, some eight minutes. The last line is JSON. Each part is a file there, so that one can be repeated:
# `make report REPORT='--parts load --seconds 10'`. POKERROOM_BASELINE may name the folder of a bare fan-out server.
REPORT =
report: $(BENCH)/.current
	@$(COMPILE_AGAIN)
	$(BENCH)/bin/python -m tests.bench.report $(REPORT)

# The dashboards of `deploy`, filled by Prometheus (of Debian) from a room in which players play; pages in build/dashboards. Two
# minutes on loopback. The last line is JSON; the exit code is 1 if a panel has no value.
DASHBOARDS =
dashboards: setup
	$(BIN)/python -m tests.bench.dashboards $(DASHBOARDS)

COMPILE_AGAIN = $(IS_COMPILED) || $(AGAIN) compiled || echo "nothing is compiled: is there a C compiler?"

$(BENCH)/.current: deploy/requirements-bench.txt pyproject.toml protocol/python/pyproject.toml
	$(PYTHON) -m venv --clear $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r $<
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check $(EDITABLE)
	@touch $@

# Rewrites the hash-pinned lists from pyproject.toml (needs uv: `pip install uv`).
LOCK := uv pip compile --quiet --generate-hashes --no-emit-index-url --no-annotate --no-header \
	--universal --python-version 3.11 --no-emit-package pokerroom --no-emit-package pokerroom-protocol pyproject.toml
requirements:
	$(LOCK) --extra dev -o deploy/requirements.txt
	$(LOCK) --extra bench -o deploy/requirements-bench.txt
	$(LOCK) --extra embedded --extra traces --constraint deploy/requirements.txt -o deploy/requirements-room.txt

clean:
	rm -rf $(VENV) build dist
