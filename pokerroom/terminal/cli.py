"""`pokerroom play`: the command around the terminal client, whose library need not be installed."""

from __future__ import annotations

import os
from typing import Final

import click

_LIGHT: Final = frozenset({"7", "15"})
"""White and grey, among the colours that some terminals say they have behind their text."""


@click.command("play")
@click.option("--table", metavar="ID", help="Go to this table at once.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Where the room is.")
@click.option(
    "--port",
    default=4190,
    show_default=True,
    envvar="POKERROOM_GAME_PORT",
    show_envvar=True,
    type=click.IntRange(1, 65_535),
    help="Its TCP port.",
)
@click.option("--name", help="Play as a guest of this name, or go on with his session.")
@click.option("--light/--dark", default=None, help="Colours for such a terminal. [default: as it says]")
def play_command(*, table: str | None, host: str, port: int, name: str | None, light: bool | None) -> None:
    """Plays at a running room, in the terminal.

    Without --name it goes on with the session of the last time, or asks who you are.
    """
    try:
        from pokerroom.terminal.app import TerminalApp  # noqa: PLC0415 -- not every command needs Textual
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "textual":
            raise
        raise click.ClickException("this needs Textual: pip install 'pokerroom[terminal]'") from missing
    from pokerroom.terminal.sessions import SessionFile, default_path  # noqa: PLC0415 -- as above

    said = TerminalApp(
        host=host,
        port=port,
        sessions=SessionFile(default_path(), f"{host}:{port}"),
        name=name,
        table=table,
        light=_is_light() if light is None else light,
    ).run()
    if said:
        click.echo(said)


def _is_light() -> bool:
    return os.environ.get("COLORFGBG", "").rpartition(";")[2] in _LIGHT
