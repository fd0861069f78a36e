"""What the command line imports: a command answers at once."""

import subprocess
import sys


def test_the_command_line_starts_without_what_few_commands_need():
    """No driver of a database, no tables, no sockets of a server, no screens."""
    needless = (
        *("psycopg", "redis", "textual", "twisted.internet.tcp"),
        *("pokerroom.app", "pokerroom.table_factory", "pokerroom.ports"),
    )
    script = f"import sys, pokerroom.cli; print([name for name in {needless} if name in sys.modules])"
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert said.stdout == "[]\n"
