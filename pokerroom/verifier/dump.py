"""The rows of a backup, or of a database, by PostgreSQL's own `pg_restore` and `pg_dump`."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pokerroom.verifier.rows import TABLES, Rows, UnreadableRows

FindTool = Callable[[str], Path]
"""Returns the newest program of this name."""


def read_source(source: str, find: FindTool) -> Rows:
    """Read what `pokerroom backup` has written, or a database named by a URL. Raises UnreadableRows."""
    if "://" not in source:
        if not Path(source).is_file():
            raise UnreadableRows(f"there is no file {source}")
        tables = ["--schema=public", *(f"--table={table}" for table in TABLES)]
        return _rows_of(find("pg_restore"), ["--data-only", "--file=-", *tables, "--", source], {})
    try:
        url = urlsplit(source)
    except ValueError as error:
        raise UnreadableRows("the URL of the database cannot be read") from error
    # the arguments of a process can be read by all users of the machine
    secret = {} if url.password is None else {"PGPASSWORD": unquote(url.password)}
    user, _, host = url.netloc.rpartition("@")
    place = url._replace(netloc=f"{user.partition(':')[0]}@{host}" if user else host).geturl()
    tables = [f"--table=public.{table}" for table in TABLES]
    return _rows_of(find("pg_dump"), ["--data-only", "--format=plain", *tables, f"--dbname={place}"], secret)


def _rows_of(tool: Path, options: list[str], secret: dict[str, str]) -> Rows:
    """Run a tool and read the SQL text that it writes, as it comes."""
    rows = Rows()
    with tempfile.TemporaryFile() as errors:
        with subprocess.Popen(  # noqa: S603 -- no shell, and a program of PostgreSQL
            [tool, *options],
            stdout=subprocess.PIPE,
            stderr=errors,
            env={**os.environ, **secret, "PGCLIENTENCODING": "UTF8", "PGTZ": "UTC"},
        ) as process:
            assert process.stdout is not None
            try:
                rows.read_dump(process.stdout)
            except UnreadableRows:
                process.kill()
                raise
        if process.returncode:
            errors.seek(0)
            reason = errors.read().decode(errors="replace").strip().partition("\n")[0]
            raise UnreadableRows(f"{tool.name} failed: {reason}")
    rows.complete()
    return rows
