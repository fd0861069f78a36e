"""The command `pokerroom play`: a table in a terminal."""

from __future__ import annotations

import secrets
import sys

import click

from pokerroom_protocol import messages as m


@click.command()
@click.option("--table", help="Open this table at once; the lobby shows which there are.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where the room is.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    default=4190,
    show_default=True,
    envvar="POKERROOM_GAME_PORT",
    show_envvar=True,
    help="Its TCP port.",
)
@click.option("--name", help="Your account; a guest without.")
@click.option("--register", is_flag=True, help="Open the account of --name first.")
def play(table: str | None, host: str, port: int, name: str | None, register: bool) -> None:
    """Play hold'em in a terminal: a lobby, and one table.

    Without --name as a guest, whose account is lost with the terminal.
    """
    from pokerroom.terminal.app import PlayApp  # noqa: PLC0415 -- the other commands start faster without it

    enter: m.Register | m.LogIn
    if name is None:
        guest = f"Guest-{10_000 + secrets.randbelow(90_000)}"
        enter = m.Register(id=0, name=guest, password=secrets.token_urlsafe(24))
    else:
        password: str = click.prompt("Password", hide_input=True, confirmation_prompt=register)
        enter = (m.Register if register else m.LogIn)(id=0, name=name, password=password)
    app = PlayApp(host, port, enter, table)
    app.run()
    if app.problem is not None:
        click.echo(f"pokerroom: {app.problem}", err=True)
        sys.exit(1)
