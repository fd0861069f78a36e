"""A restore to a moment: a base backup and archived WAL of the running server, read back as of a time in between.

What was committed until then is there, and nothing that was committed later. `deploy/operations/running.md` has the
same steps for an operator.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import psycopg

from pokerroom.ops.embedded import remove_data
from pokerroom.ops.embedded.places import ServiceDirectories, choose_places, make_data_dir
from pokerroom.ops.embedded.postgres import Postgres, postgres_url
from tests.chaos.checks import Blame
from tests.chaos.drill import audited, compared, figures
from tests.chaos.evidence import Evidence
from tests.chaos.records import Books
from tests.chaos.services import Services
from tests.chaos.standby import copied
from tests.chaos.waiting import wait_until

PLAY_ON_S: Final = 8.0
"""From the end of the base backup to the moment to which the restore goes back."""

ARCHIVED_S: Final = 60.0
RESTORED_S: Final = 120.0


class PointInTime:
    """See the module. `services` archive their WAL, `work` is a directory for files. Blocking."""

    def __init__(self, services: Services, work: Path) -> None:
        self._services = services
        self._data = make_data_dir(work / "restored")
        self.places: ServiceDirectories = choose_places(self._data)
        self._server: Postgres | None = None

    def copy(self) -> None:
        """Make the base backup. Raises CalledProcessError with what `pg_basebackup` said."""
        self._services.guard.remove(self.places.shelter)
        self._server = copied(self._services.database_places, self.places, lambda _: None, follows=False)

    def moment(self) -> float:
        """The time of the server now, in seconds: what is committed from now on is later."""
        with psycopg.connect(self._services.database_url) as connection:
            row = connection.execute("SELECT extract(epoch FROM clock_timestamp())::float8").fetchone()
        assert row is not None
        return float(row[0])

    def restore(self, moment: float) -> str:
        """Start the copy as of a moment, and return its address. Raises TimeoutError."""
        assert self._server is not None
        archive = self._services.archive
        with psycopg.connect(self._services.owner_url, autocommit=True) as connection:
            row = connection.execute("SELECT pg_walfile_name(pg_switch_wal())").fetchone()
        assert row is not None
        wait_until("the last WAL is archived", ARCHIVED_S, (archive / str(row[0])).exists)
        (cluster,) = self.places.home.glob("postgres-*")
        with (cluster / "postgresql.auto.conf").open("a") as settings:
            settings.write(
                f'archive_mode = off\nrestore_command = \'cp "{archive}/%f" "%p"\'\n'
                f"recovery_target_time = '{datetime.fromtimestamp(moment, UTC)}'\nrecovery_target_action = promote\n"
            )
        (cluster / "recovery.signal").touch()
        self._server.launch()
        self._server.wait_ready()
        url = postgres_url(self.places, "postgres")
        with psycopg.connect(url, autocommit=True) as connection:
            wait_until(
                "the copy writes",
                RESTORED_S,
                lambda: connection.execute("SELECT NOT pg_is_in_recovery()").fetchone() == (True,),
            )
        return postgres_url(self.places)

    def end(self) -> None:
        """Stop the copy, and remove it."""
        if self._server is not None:
            self._server.ask_to_stop()
            self._server.wait_stopped()
        remove_data(self._data)


class PointInTimeDrill:
    """A drill as `drill.Drill`, with a restore to a moment. `command` is the room's program."""

    def __init__(self, command: tuple[str, ...], services: Services, work: Path) -> None:
        self._command = command
        self._restored = PointInTime(services, work)
        self._moment = self._took_s = 0.0

    def back_up(self, database_url: str) -> None:
        """Copy the running server; the moment is a while later. Blocks."""
        del database_url  # the copy is of the whole server
        began_s = time.time()
        self._restored.copy()
        self._took_s = time.time() - began_s
        time.sleep(PLAY_ON_S)
        self._moment = self._restored.moment()

    def come_back(self, evidence: Evidence, books: Books, blame: Blame) -> dict[str, Any]:
        """Restore to the moment, and compare that with the books at the end. Blocks."""
        began_s = time.time()
        try:
            url = self._restored.restore(self._moment)
            took_s = time.time() - began_s
            wrong = audited(self._command, url, blame)
            hands = compared(url, books, self._moment, blame, exactly=True)
        finally:
            self._restored.end()
        found = {"differences": wrong, "seconds": round(took_s, 1), "backup_s": round(self._took_s, 1)}
        return found | figures(evidence, hands)
