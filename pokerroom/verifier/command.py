"""`pokerroom verify-dump`: proves from a backup and the public key alone that what was signed was not changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path

import click
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_public_key

from pokerroom.verifier.dump import FindTool, read_source
from pokerroom.verifier.published import Published
from pokerroom.verifier.rows import UnreadableRows
from pokerroom.verifier.verify import Verified, differences_of_published, verify

_END = "-----END PUBLIC KEY-----"

_LONGEST = 1_000
"""Letters of a difference that are printed."""


class _Unreadable(click.ClickException):
    """A file is not what it should be. Printed in one line, without how the command is used."""

    exit_code = 2


def verify_command(find: FindTool, errors: Callable[[], AbstractContextManager[None]]) -> click.Command:
    """Return the command. `find` finds PostgreSQL's programs; `errors` prints what that raises."""

    @click.command("verify-dump")
    @click.argument("source", metavar="FILE|URL")
    @click.option(
        "--key",
        "key_file",
        required=True,
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        help="The public keys that may have signed, in PEM, as `pokerroom checkpoint public-key` prints them.",
    )
    @click.option(
        "--published",
        type=click.Path(path_type=Path, dir_okay=False, exists=True),
        help="The file of published checkpoints, as it was copied: none of them may be missing.",
    )
    def command(source: str, key_file: Path, published: Path | None) -> None:
        """Prove from a backup that nothing was changed that a checkpoint had signed; exit 1 otherwise.

        FILE is what `pokerroom backup` has written, URL a database. Needs no room and none of its secrets: it computes
        each hash again from the rows, and trusts the public key alone. It tells the number of what differs. If a file
        cannot be read, the exit code is 2.
        """
        keys = _keys(key_file)
        with errors():
            try:
                rows = read_source(source, find)
            except UnreadableRows as unreadable:
                name = "the database" if "://" in source else source
                raise _Unreadable(f"{name}: {unreadable}") from unreadable
        try:
            found = verify(rows, keys)
            lines = [] if published is None else Published.of(published).lines()
            lost = list(differences_of_published(rows, keys, lines))
        except UnreadableRows as unreadable:
            raise _Unreadable(str(unreadable)) from unreadable
        finally:
            rows.close()
        _print(found, lost)
        raise SystemExit(1 if found.count or lost or not found.checkpoints else 0)

    return command


def _keys(file: Path) -> list[Ed25519PublicKey]:
    keys = []
    for number, block in enumerate(file.read_text(encoding="ascii", errors="replace").split(_END)[:-1], 1):
        try:
            key = load_pem_public_key((block + _END).strip().encode())
        except (ValueError, UnsupportedAlgorithm):
            key = None
        if not isinstance(key, Ed25519PublicKey):
            raise _Unreadable(f"{file}: key {number} is not the public key of a room")
        keys.append(key)
    if not keys:
        raise _Unreadable(f"{file} has no public key")
    return keys


def _print(found: Verified, lost: list[str]) -> None:
    if not found.checkpoints:
        click.echo("there is no checkpoint: nothing is proven")
    elif found.until_ms is None:
        click.echo(f"{found.checkpoints} checkpoints, none of them signed with the key: nothing is proven")
    else:
        click.echo(f"{found.checkpoints} checkpoints, the last one of {_time(found.until_ms)}")
        click.echo(
            f"{found.transfers} transfers with their hands and rounds, {found.lines} lines of the operators' log"
        )
        if found.erased:
            click.echo(f"{found.erased} hands without their hidden cards, which were erased")
        if found.archived:
            click.echo(f"{found.archived} records in archives, known by their hash alone")
        if found.open or found.open_lines:
            since = "" if found.open_since_ms is None else f", the first of {_time(found.open_since_ms)}"
            click.echo(
                f"not signed yet: {found.open} transfers after the last checkpoint{since}, and {found.open_lines} lines"
                " of the operators' log: of them nothing is proven"
            )
    print_differences((*found.differences, *lost), found.count + len(lost))
    click.echo(f"{found.count + len(lost)} differences")


def _time(at_ms: int) -> str:
    return f"{datetime.fromtimestamp(at_ms / 1000, UTC):%Y-%m-%d %H:%M:%S UTC}"


def print_differences(differences: Sequence[str], count: int) -> None:
    """Print a line on stderr for each, and how many there are more.

    The names in a sentence may be of an attacker: what a terminal would obey is written as an escape.
    """
    for difference in differences:
        plain = [letter if letter.isprintable() else ascii(letter)[1:-1] for letter in difference[:_LONGEST]]
        click.echo("".join(plain), err=True)
    if count > len(differences):
        click.echo(f"and {count - len(differences)} more", err=True)
