"""What the command line imports: a command answers at once."""

import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from pokerroom.cli import main


def test_the_command_line_starts_without_what_few_commands_need():
    """No driver of a database, no tables, no sockets of a server, no screens."""
    needless = (
        *("psycopg", "redis", "textual", "twisted.internet.tcp"),
        *("pokerroom.app", "pokerroom.table_factory", "pokerroom.ports"),
    )
    script = f"import sys, pokerroom.cli; print([name for name in {needless} if name in sys.modules])"
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert said.stdout == "[]\n"


@pytest.mark.parametrize(
    "group", [None, *(name for name, each in main.commands.items() if isinstance(each, click.Group))]
)
def test_a_list_of_commands_cuts_no_sentence(group):
    """Each command is listed with a whole sentence, also in a narrow window."""
    said = CliRunner().invoke(main, [*filter(None, [group]), "--help"], terminal_width=80)
    assert said.exit_code == 0
    _, commands = said.output.split("Commands:")
    assert "..." not in commands
    assert commands.rstrip().endswith(".")
