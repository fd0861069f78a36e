"""How the tests run Twisted: one asyncio loop and one reactor for the session, driven when asked.

    def test_wallet(run, ledger):
        assert run(ledger.wallet(1)) == 0

`run(deferred)` drives the loop until the Deferred has fired, and returns its result or raises its failure. A
test may make many Deferreds, run some other one first, and ask for them later: between two calls nothing
moves. The fixture is one function for the session, so tests under Hypothesis may take it.

The reactor must be chosen before anything imports `twisted.internet.reactor`, so at import of this file. It
is started once without signal handlers: `callLater`, listening, connecting and `deferToThread` work whenever
the loop is driven. No test calls `reactor.run()` or `reactor.stop()`.
"""

import asyncio
import gc
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any
from unittest import mock

import hypothesis
import psycopg
import pytest
import structlog
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from twisted.internet.defer import Deferred

from pokerroom.ops.reactor import install

LOOP = asyncio.new_event_loop()
asyncio.set_event_loop(LOOP)
install(LOOP)

from pokerroom.ledger.postgres.ledger import PostgresLedger  # noqa: E402 -- the reactor is chosen first
from pokerroom.ops.embedded import Addresses, EmbeddedServices, postgres, remove_data  # noqa: E402 -- as above
from tests import clusters  # noqa: E402 -- as above
from tests.databases import UsedDatabase, copied_database  # noqa: E402 -- as above
from tests.effort import times  # noqa: E402 -- as above
from tests.processor_time import ProcessorTime  # noqa: E402 -- as above

pytest.register_assert_rewrite(
    "tests.ledger.contract",
    "tests.ledger.contract_of_cashier",
    "tests.ledger.contract_of_ownership",
    "tests.ledger.contract_of_account_history",
    "tests.ledger.contract_of_round_ends",
    "tests.ledger.contract_of_rounds",
    "tests.ledger.contract_of_table_life",
    "tests.ledger.contract_of_tournament_hands",
    "tests.ledger.contract_of_tournaments",
)

# how long one example takes is the machine's, and says nothing of the room
hypothesis.settings.register_profile("room", deadline=None, max_examples=times(30))
hypothesis.settings.load_profile("room")

# structlog's default draws each traceback with the values of all variables: a second of processor time for each
structlog.configure(
    processors=[
        structlog.processors.add_log_level,
        structlog.processors.format_exc_info,
        structlog.processors.KeyValueRenderer(),
    ]
)

RUN_LIMIT_S = 60  # a Deferred that never fires fails its test by name, before pytest-timeout kills the worker

TESTS = Path(__file__).parent
WAITING = {"integration", "test_serve_nodes.py", "test_supervisor.py", "test_wheel.py"}
"""The tests that mostly wait for processes of their own, for seconds each."""


def pytest_xdist_auto_num_workers() -> int:
    """`-n auto`: one more than there are cores, because many tests wait for servers; each costs its own start."""
    return (os.cpu_count() or 1) + 1


def pytest_configure(config: pytest.Config) -> None:
    stack = ExitStack()
    stack.enter_context(clusters.shared_by_processes())
    config.add_cleanup(stack.close)
    config.pluginmanager.register(ProcessorTime())


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown() -> None:
    """`asyncio.run` in a test leaves its thread without a loop; what follows needs it, the end of fixtures first."""
    asyncio.set_event_loop(LOOP)


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    yield
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers > 1:
        items[:] = _waiting_first(items, workers)


def _top(item: pytest.Item) -> str:
    """The directory or module of `tests` to which a test belongs."""
    return item.path.relative_to(TESTS).parts[0]


def _waiting_first(items: list[pytest.Item], workers: int) -> list[pytest.Item]:
    """The tests in an order in which every second worker begins with those of `WAITING`.

    With `--dist worksteal` each worker begins with an equal run of the list. So the processors have work while these
    tests wait, and no worker is left with one of them at the end of the run.
    """
    lanes: list[list[pytest.Item]] = [[] for _ in range(workers // 2)]
    modules = groupby((item for item in items if _top(item) in WAITING), lambda item: item.path)
    for number, (_, tests) in enumerate(modules):
        lanes[number % len(lanes)] += tests
    others = [item for item in items if _top(item) not in WAITING]
    ordered = []
    for number, lane in enumerate(lanes):
        begin = max(0, number * 2 * len(items) // workers - len(ordered))
        ordered += others[:begin] + lane
        del others[:begin]
    return ordered + others


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Iterator[None]:
    """Reads the test modules.

    On a fresh clone most of this time goes into the asserts of the test modules, which pytest compiles. So each worker
    begins with modules of its own, and finds those of the others compiled.

    Modules and tests stay until the end, so no garbage collection looks at them: that is a tenth of the processor time.
    """
    gc.disable()
    try:
        worker = os.environ.get("PYTEST_XDIST_WORKER")
        if worker is not None and [Path(argument).resolve() for argument in session.config.args] == [TESTS]:
            _read_modules(int(worker.removeprefix("gw")), int(os.environ["PYTEST_XDIST_WORKER_COUNT"]))
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def _read_modules(first: int, step: int) -> None:
    """Read a part of the test modules."""
    for path in sorted(TESTS.rglob("test_*.py"))[first::step]:
        if path.is_relative_to(TESTS / "browser"):
            continue
        with suppress(Exception, pytest.skip.Exception):  # pytest's own import says what is wrong
            import_module(".".join(path.relative_to(TESTS.parent).with_suffix("").parts))


async def _outcome(deferred: Deferred[Any]) -> Any:
    return await asyncio.wait_for(deferred.asFuture(LOOP), RUN_LIMIT_S)


def _run(deferred: Deferred[Any]) -> Any:
    return LOOP.run_until_complete(_outcome(deferred))


@pytest.fixture(scope="session")
def run() -> Callable[[Deferred[Any]], Any]:
    """Drives the loop until the Deferred fires; returns its result, raises its failure."""
    return _run


QUICK = {"fsync": "off", "full_page_writes": "off", "autovacuum": "off", "jit": "off"}
"""PostgreSQL for data that no test needs after a power failure: a database is dropped in a tenth of the time.

A room compiles no query either; those of the tests themselves take longer to compile than to run.
"""


@pytest.fixture(scope="session")
def services() -> Iterator[Addresses]:
    """The room's own PostgreSQL and Redis in a directory of the tests; with pytest-xdist, of each worker."""
    home = clusters.home("services-")
    data = home / "data"
    own = EmbeddedServices(data, lambda _: None)
    try:
        with (
            clusters.copied(),
            mock.patch.dict(
                postgres._SETTINGS,  # private: no room may have these settings
                QUICK,
            ),
        ):
            addresses = own.start()
        yield addresses
        _end_at_once(addresses)
    finally:
        own.stop()
        remove_data(data)
        home.rmdir()


@pytest.fixture(scope="session")
def ledger_template(run: Callable[[Deferred[Any]], Any], services: Addresses) -> str:
    """The name of a database that has the ledger's schema, to copy: the migrations take seven times as long."""
    name = "template_ledger"
    owner = services.owner_database_url
    assert owner is not None
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    ledger = PostgresLedger(
        make_conninfo(services.database_url, dbname=name), make_conninfo(owner, dbname=name)
    )
    run(ledger.open())
    run(ledger.close())
    return name


@pytest.fixture
def own_database(services: Addresses, ledger_template: str) -> Iterator[tuple[str, str]]:
    """The addresses for the rooms and for the owner of a database with the schema, dropped after the test."""
    with copied_database(services, ledger_template, "test_own") as addresses:
        yield addresses


@pytest.fixture(scope="session")
def used_rows(services: Addresses, ledger_template: str) -> Iterator[tuple[UsedDatabase, tuple[str, str]]]:
    """What `own_rows` empties, and its addresses."""
    with copied_database(services, ledger_template, "test_rows") as addresses:
        used = UsedDatabase(addresses[1])
        yield used, addresses
        used.close()


@pytest.fixture
def own_rows(used_rows: tuple[UsedDatabase, tuple[str, str]]) -> tuple[str, str]:
    """As `own_database`, in much less time, for tests that leave the schema as it is."""
    used, addresses = used_rows
    used.empty()
    return addresses


def _end_at_once(addresses: Addresses) -> None:
    """PostgreSQL without its last checkpoint, half a minute after hundreds of databases: no test reads them again."""
    sockets = Path(str(conninfo_to_dict(addresses.database_url)["host"]))
    postmaster = int((sockets / ".s.PGSQL.5432.lock").read_text().split()[0])
    os.kill(postmaster, signal.SIGQUIT)


def pytest_sessionstart() -> None:
    from twisted.internet import reactor

    reactor.startRunning(installSignalHandlers=False)


def pytest_sessionfinish() -> None:
    """Stops the reactor's threads and closes the loop, so that the interpreter has nothing to warn of."""
    from twisted.internet import reactor

    LOOP.run_until_complete(LOOP.shutdown_asyncgens())
    reactor.fireSystemEvent("shutdown")
    LOOP.close()
