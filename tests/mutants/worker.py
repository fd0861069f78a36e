"""One process that has read all tests of some directories, and tries mutants, each in a fork of it.

`python -m tests.mutants.worker FILE`: the file says what to do (`Job`), standard output is nothing. First it runs all
tests, and notes how long each takes and which lines it runs; this is kept in build/mutants until code or test change.
A mutant then meets the tests that run its line until one fails; and then simulated rooms.
"""

from __future__ import annotations

import gc
import hashlib
import json
import os
import resource
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from time import monotonic, process_time
from types import FunctionType
from typing import NoReturn

import coverage
import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from tests.mutants import statements
from tests.mutants.operators import Mutant
from tests.mutants.swap import CalledByImports, NotSwappedError, functions_of, import_mutated, swap

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "pokerroom"
NOTES = ROOT / "build" / "mutants"

HANDS = 10
FIRST_SEED = 205
"""Of the rooms that are simulated with the mutants that no test has killed."""

TEST_LIMIT_S = 4.0
"""Of processor time, beside ten times what it takes: a test with a mutant is in an endless loop then."""

NOTED_S = 15.0
"""Of processor time: a test that takes longer with coverage is left out."""

WALL_LIMIT_S = 300.0
"""Beside fifty times what it takes: the machine may be busy."""

WAIT_S = 30
"""For a Deferred that does not fire."""

MEMORY_BYTES = 4 * 2**30


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What a worker does: mutants of files that the tests of some directories are near, and the games to simulate."""

    directories: list[str]
    games: list[str]
    seconds: float
    """How much processor time the tests take, without the mutant, that a mutant meets."""

    rooms: int
    """How many rooms of each game are simulated with a mutant that no test has killed."""

    mutants: list[Mutant] = field(default_factory=list)
    cold: bool = False
    """Whether the one mutant is imported."""

    results: str
    """Where a line of JSON goes for each mutant."""


@dataclass(slots=True)
class Facts:
    """What is known of a test: seconds of its run, and the lines that it runs in each file, as bits."""

    seconds: float
    lines: dict[str, int]


def _bits(lines: Iterable[int]) -> int:
    return sum(1 << line for line in lines)


def _limit(seconds: float) -> None:
    """End this process by a signal if what comes now takes much longer than it should."""
    signal.setitimer(signal.ITIMER_VIRTUAL, TEST_LIMIT_S + 10 * seconds)
    signal.setitimer(signal.ITIMER_REAL, WALL_LIMIT_S + 50 * seconds)


def _too_long(*_: object) -> NoReturn:
    raise TimeoutError


class Worker:
    """A plugin of pytest."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._imports = CalledByImports(PACKAGE)
        self._failed: str | None = None
        self._facts: dict[str, Facts] = {}
        self._items: dict[str, pytest.Item] = {}
        self._tracer: coverage.Coverage | None = None
        self._owner_url: str | None = None

    def pytest_configure(self) -> None:
        """The same examples for each mutant, none kept, and none made smaller."""
        import hypothesis  # which pytest rewrites, after this module was imported

        hypothesis.settings.register_profile(
            "mutants",
            deadline=None,
            database=None,
            derandomize=True,
            phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
            suppress_health_check=list(hypothesis.HealthCheck),
        )
        hypothesis.settings.load_profile("mutants")

    def pytest_collection_finish(self) -> None:
        self._imports.stop()

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Notes lines inside of the switch that tests/conftest.py has for most tests."""
        if self._tracer is None:
            return (yield)
        self._tracer.start()
        self._tracer.switch_context(item.nodeid)
        try:
            return (yield)
        finally:
            self._tracer.stop()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and self._failed is None:
            self._failed = report.nodeid

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        assert not session.testsfailed, "the tests cannot be read"
        from pokerroom.simulation import run  # noqa: F401 -- all forks need it

        self._items = {item.nodeid: item for item in session.items}
        self._warm = self._items.pop(next(name for name in self._items if "warm.py" in name))
        if any("services" in getattr(item, "fixturenames", ()) for item in self._items.values()):
            self._run(self._warm, session.items[-1])  # the services then run for all forks
            assert self._failed is None, self._failed
            self._owner_url = self._warm.stash[statements.OWNER_URL]
        gc.unfreeze()  # what tests/conftest.py has frozen is seen again
        functions = functions_of(PACKAGE)
        gc.freeze()
        self._read_facts()
        with Path(self._job.results).open("a") as results:
            for mutant in self._job.mutants:
                began_s = monotonic()
                outcome = self._outcome(mutant, functions)
                line = {**asdict(mutant), "outcome": outcome, "seconds": round(monotonic() - began_s, 1)}
                print(json.dumps(line), file=results, flush=True)
        return True

    @staticmethod
    def _run(item: pytest.Item, following: pytest.Item) -> None:
        """Run one test; fixtures that the following one has too stay. In a fork those of the session always do."""
        item.ihook.pytest_runtest_protocol(item=item, nextitem=following)

    def _clear_databases(self) -> None:
        if self._owner_url is None:
            return
        with psycopg.connect(self._owner_url, autocommit=True) as connection:
            names = connection.execute(
                "SELECT datname FROM pg_database WHERE datname LIKE 'test\\_%'"
            ).fetchall()
            for (name,) in names:
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)")

    # --- what is known of the tests ---------------------------------------------------------------------------------

    def _read_facts(self) -> None:
        """From build/mutants, or by running the tests of the files that have changed."""
        common = hashlib.sha256()
        for path in sorted(
            [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.sql"), *(ROOT / "tests").rglob("*.py")]
        ):
            if not path.name.startswith("test_") and not path.is_relative_to(Path(__file__).parent):
                common.update(path.read_bytes())
        by_file: dict[Path, list[pytest.Item]] = {}
        for item in self._items.values():
            by_file.setdefault(item.path, []).append(item)
        NOTES.mkdir(parents=True, exist_ok=True)
        for path, items in by_file.items():
            digest = hashlib.sha256(common.digest() + path.read_bytes()).hexdigest()[:16]
            kept = NOTES / f"{path.parent.name}-{path.stem}-{digest}.json"
            if not kept.exists():
                said = self._fork(partial(self._note, items, kept))
                assert said == "done", f"{path}: {said}"
            for name, (seconds, lines) in json.loads(kept.read_text()).items():
                self._facts[name] = Facts(seconds, {file: int(bits, 16) for file, bits in lines.items()})

    def _note(self, items: list[pytest.Item], kept: Path) -> None:
        """Runs tests; writes down those that pass in a fork."""
        self._tracer = coverage.Coverage(
            data_file=None, include=[f"{PACKAGE}/*"], config_file=False, messages=False
        )
        self._tracer.set_option("run:disable_warnings", ["no-data-collected"])
        signal.signal(signal.SIGVTALRM, _too_long)
        passed = {}
        for item, following in zip(items, [*items, self._warm][1:], strict=True):
            self._failed, began_s = None, process_time()
            signal.setitimer(signal.ITIMER_VIRTUAL, NOTED_S)
            self._run(item, following)
            if self._failed is None:
                passed[item.nodeid] = round(process_time() - began_s, 3)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        data = self._tracer.get_data()
        noted: dict[str, tuple[float, dict[str, str]]] = {}
        for name, seconds in passed.items():
            data.set_query_context(name)
            lines = {file: data.lines(file) or () for file in data.measured_files()}
            noted[name] = (
                seconds,
                {str(Path(file).relative_to(ROOT)): hex(_bits(run)) for file, run in lines.items() if run},
            )
        unfinished = kept.with_suffix(f".{os.getpid()}")
        unfinished.write_text(json.dumps(noted))
        unfinished.rename(kept)

    def _tests_of(self, lines: dict[str, int] | None) -> list[pytest.Item]:
        """The tests that run some of these lines, or all; as many as there is time for.

        First come the fastest ones of each file, because tests of one file are alike.
        """
        fastest = sorted(
            (facts.seconds, name)
            for name, facts in self._facts.items()
            if name in self._items
            and (lines is None or any(facts.lines.get(file, 0) & bits for file, bits in lines.items()))
        )
        of_file: Counter[str] = Counter()
        near = []
        for seconds, name in fastest:
            file = name.partition("::")[0]
            near.append((of_file[file], seconds, name))
            of_file[file] += 1
        found, left_s = [], self._job.seconds
        for _, seconds, name in sorted(near):
            if seconds <= left_s:
                left_s -= seconds
                found.append(self._items[name])
        return found

    # --- a mutant ---------------------------------------------------------------------------------------------------

    def _outcome(self, mutant: Mutant, functions: dict[str, list[FunctionType]]) -> str:
        """`cold` if it must be imported, `survived`, or what has killed it."""
        path = ROOT / mutant.file
        if path.suffix == ".sql":
            return self._sql_outcome(mutant)
        imported = (str(path), mutant.function) in self._imports.found
        lines = _bits(range(mutant.lines[0], mutant.lines[1] + 1))
        if self._job.cold:
            lines = -1 if imported or not mutant.function else lines
            near = self._tests_of(
                {mutant.file: lines}
            )  # what only an import runs, no test runs: then all of them
            return self._tried(lambda: None, list(dict.fromkeys([*near, *self._tests_of(None)])))
        if not mutant.function:
            return "cold"
        mutate = partial(swap, functions.get(str(path), []), path, mutant.number)
        outcome = self._tried(mutate, self._tests_of({mutant.file: lines}))
        return "cold" if outcome == "survived" and imported else outcome

    def _sql_outcome(self, mutant: Mutant) -> str:
        template = make_conninfo(self._owner_url, dbname="template_ledger")
        source = (ROOT / mutant.file).read_text()
        with psycopg.connect(template, autocommit=True) as connection:
            try:
                connection.execute(statements.mutated(source, mutant.number).encode())
            except psycopg.Error as refused:
                return f"refused: {str(refused).splitlines()[0]}"
        any_call = {"pokerroom/ledger/postgres/calls.py": -1}
        callers = statements.callers(ROOT, mutant.function) or any_call
        in_database = self._tests_of(callers) or self._tests_of(any_call)
        try:
            return self._tried(lambda: None, in_database, simulated=False)
        finally:
            with psycopg.connect(template, autocommit=True) as connection:
                connection.execute(source.encode())

    def _tried(self, mutate: Callable[[], None], items: list[pytest.Item], *, simulated: bool = True) -> str:
        def trial() -> str:
            from tests import conftest

            conftest.RUN_LIMIT_S = WAIT_S
            try:
                mutate()
            except NotSwappedError:
                return "cold"
            self._failed = None
            for item, following in zip(items, [*items, self._warm][1:], strict=True):
                _limit(self._facts[item.nodeid].seconds)
                self._run(item, following)
                if self._failed is not None:
                    return str(self._failed)
            _limit(10)
            return self._simulated() if simulated else "survived"

        return self._fork(trial)

    def _simulated(self) -> str:
        from pokerroom.simulation.faults import ALL
        from pokerroom.simulation.run import run

        for game in self._job.games:
            for seed in range(FIRST_SEED, FIRST_SEED + self._job.rooms):
                found = run(seed, HANDS, ALL, game=game).violations
                if found:
                    return f"simulation of {game}, seed {seed}: {found[0].kind.value}"
        return "survived"

    def _fork(self, work: Callable[[], str | None]) -> str:
        """Do it in a fork, and return what it returns, or `timeout` if it was ended."""
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            self._in_fork(work, writing)
        os.close(writing)
        said = os.read(reading, 4096).decode()
        os.close(reading)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)  # with what a test has started
        os.waitpid(child, 0)
        self._clear_databases()
        return said or "timeout"

    @staticmethod
    def _in_fork(work: Callable[[], str | None], writing: int) -> NoReturn:
        """Ends the process."""
        try:
            os.setpgid(0, 0)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
            said = work() or "done"
        except BaseException as error:  # noqa: BLE001 -- whatever a mutant raises has killed it
            said = f"raised {type(error).__name__}: {error}"[:500]
        os.write(writing, said.encode())
        os.kill(os.getpid(), signal.SIGKILL)  # no cleaning up: all there is belongs to the parent
        raise AssertionError


def main() -> int:
    given = json.loads(Path(sys.argv[1]).read_text())
    mutants = [Mutant(**{**one, "lines": tuple(one["lines"])}) for one in given.pop("mutants")]
    job = Job(**given, mutants=mutants)
    if job.cold:
        import_mutated(ROOT / mutants[0].file, mutants[0].number)
    options = ["-p", "no:cacheprovider", "-o", "timeout=0", "-s", "-q"]
    directories = [str(ROOT / "tests" / name) for name in job.directories]
    return pytest.main([*options, str(Path(__file__).with_name("warm.py")), *directories], [Worker(job)])


if __name__ == "__main__":
    sys.exit(main())
