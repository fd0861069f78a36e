"""The command: what it hands on, and what it says where Textual is missing."""

from __future__ import annotations

import sys
from unittest import mock

import pytest
from click.testing import CliRunner

from pokerroom.cli import main
from pokerroom.terminal import app as app_module
from pokerroom.terminal import cli as cli_module


@pytest.fixture
def made(monkeypatch):
    """The apps that the command makes; they are not run."""
    monkeypatch.delenv("COLORFGBG", raising=False)
    monkeypatch.delenv("POKERROOM_GAME_PORT", raising=False)
    monkeypatch.setattr(cli_module, "is_terminal", lambda: True)
    with mock.patch.object(app_module, "TerminalApp") as kind:
        kind.return_value.run.return_value = "goodbye"
        yield kind


def test_the_room_and_the_table_are_handed_on(made):
    """What is asked for reaches the client, and its last word the terminal."""
    result = CliRunner().invoke(
        main, ["play", "--table", "six", "--sit-and-go", "two", "--host", "h", "--port", "5", "--name", "ada"]
    )

    assert result.output == "goodbye\n"
    fields = made.call_args.kwargs
    assert (fields["host"], fields["port"], fields["table"], fields["name"]) == ("h", 5, "six", "ada")
    assert fields["sit_and_go"] == "two"
    assert fields["light"] is False


@pytest.mark.parametrize(
    ("says", "options", "light"),
    [
        ("0;15", [], True),
        ("15;0", [], False),
        ("", [], False),
        ("0;15", ["--dark"], False),
        ("", ["--light"], True),
    ],
)
def test_the_colours_follow_the_terminal(made, monkeypatch, says, options, light):
    """A terminal that says that it is light gets light colours, unless told otherwise."""
    monkeypatch.setenv("COLORFGBG", says)

    CliRunner().invoke(main, ["play", *options])

    assert made.call_args.kwargs["light"] is light


@pytest.mark.parametrize(
    ("locale", "options", "language"),
    [
        ({"LANG": "de_AT.UTF-8"}, [], "de"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "pl_PL"}, [], "pl"),
        ({"LC_ALL": "C", "LANG": "pl_PL"}, [], "en"),
        ({"LANG": "fr_FR"}, [], "en"),
        ({}, [], "en"),
        ({"LANG": "de_DE"}, ["--language", "pl"], "pl"),
    ],
)
def test_the_language_follows_the_locale(made, monkeypatch, locale, options, language):
    """The first locale variable that is set decides, unless the command names the language."""
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in locale.items():
        monkeypatch.setenv(name, value)

    CliRunner().invoke(main, ["play", *options])

    assert made.call_args.kwargs["language"] == language


def test_without_a_terminal_it_does_not_wait(made, monkeypatch):
    """No key can come from a file or a pipe."""
    monkeypatch.undo()
    result = CliRunner().invoke(main, ["play"])
    assert (result.exit_code, "needs a terminal" in result.output) == (2, True)
    assert not made.called


def test_without_textual_it_says_what_to_install(monkeypatch):
    """The library is an extra of the package: its absence is no traceback."""
    monkeypatch.delitem(sys.modules, "pokerroom.terminal.app")
    monkeypatch.setitem(sys.modules, "textual", None)
    for name in [name for name in sys.modules if name.startswith("pokerroom.terminal.")]:
        if name != "pokerroom.terminal.cli":
            monkeypatch.delitem(sys.modules, name)

    result = CliRunner().invoke(main, ["play"])

    assert result.exit_code == 1
    assert "pip install 'pokerroom[terminal]'" in result.output
