"""Forges rooms that were played, past every trigger, and says how many of the forgeries the audit finds.

Starts a PostgreSQL of its own. A line for each forgery that is missed; the last line is JSON. The exit code is 1 if one
is missed that is not in the lists of `forgeries`.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from pathlib import Path

import click
import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from pokerroom.ops.embedded import EmbeddedServices, remove_data
from tests.audit.tamper import ARCHIVED, MORE_ROOMS, Tally, tampered


def main() -> int:
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        services = EmbeddedServices(data, lambda line: click.echo(line, err=True))
        owner = services.start().owner_database_url
        assert owner is not None
        try:
            whole, archived = [(room, "") for room in MORE_ROOMS], [(room, "_archived") for room in ARCHIVED]
            for room, more in whole + archived:  # some are in both lists
                name = f"tamper_{room[0]}_{room[1]}_{room[2]}{more}"
                archive = Path(folder) / name if more else None
                if archive is not None:
                    archive.mkdir()
                with psycopg.connect(owner, autocommit=True) as connection:
                    connection.execute(f"CREATE DATABASE {name}".encode())
                url = make_conninfo(**{**conninfo_to_dict(owner), "dbname": name})
                asyncio.run(tampered(url, room, tally, lambda generated: generated, archive=archive))
                click.echo(f"{name}: {json.dumps(tally.facts())}", err=True)
        finally:
            services.stop()
            remove_data(data)
    for name in tally.missed:
        click.echo(f"missed: {name}")
    click.echo(json.dumps(tally.facts()))
    return 1 if tally.missed else 0


if __name__ == "__main__":
    sys.exit(main())
