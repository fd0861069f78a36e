"""`pokerroom play`: the command of the terminal client. Its library, Textual, is optional."""

from __future__ import annotations

import os
import sys
from typing import Final

import click

from pokerroom.terminal.texts import LANGUAGES, language_of

_LIGHT: Final = frozenset({"7", "15"})
"""White and grey, as COLORFGBG names background colours."""


@click.command("play")
@click.option("--table", metavar="ID", help="Open this table at once.")
@click.option("--sit-and-go", metavar="OFFER", help="Register for this sit-and-go, unless you have a seat.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Host of the room; tls://HOST for TLS.")
@click.option(
    "--port",
    default=4190,
    show_default=True,
    envvar="POKERROOM_GAME_PORT",
    show_envvar=True,
    type=click.IntRange(1, 65_535),
    help="TCP port of the room.",
)
@click.option("--name", help="Play as a guest of this name, or resume its session.")
@click.option(
    "--light/--dark", default=None, help="Colours for a light or dark terminal. [default: by COLORFGBG]"
)
@click.option("--language", type=click.Choice(LANGUAGES), help="Language. [default: by the locale]")
def play_command(
    *,
    table: str | None,
    sit_and_go: str | None,
    host: str,
    port: int,
    name: str | None,
    light: bool | None,
    language: str | None,
) -> None:
    """Play at a running room in the terminal.

    Without --name the client resumes the last session, or asks for a name.
    """
    try:
        from pokerroom.terminal.app import TerminalApp  # noqa: PLC0415 -- other commands do not need Textual
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] != "textual":
            raise
        raise click.ClickException(
            "This command needs Textual. Install it with: pip install 'pokerroom[terminal]'"
        ) from missing
    from pokerroom.terminal.sessions import SessionFile, default_path  # noqa: PLC0415 -- as above

    if not is_terminal():  # Textual would wait for keys that cannot come
        raise click.UsageError(
            "This command needs a terminal: its input and output must not be a file or a pipe."
        )
    said = TerminalApp(
        host=host,
        port=port,
        sessions=SessionFile(default_path(), f"{host}:{port}"),
        name=name,
        table=table,
        sit_and_go=sit_and_go,
        light=_is_light() if light is None else light,
        language=language or language_of(os.environ),
    ).run()
    if said:
        click.echo(said)


def is_terminal() -> bool:
    """Return whether a person can see the screen and press keys."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def _is_light() -> bool:
    return os.environ.get("COLORFGBG", "").rpartition(";")[2] in _LIGHT
