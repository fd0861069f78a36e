"""The room's output where its standard streams are closed."""

import subprocess
import sys

SCRIPT = """
import os, sys
from pokerroom.ops import logs
from pokerroom.ops.lasting_stream import open_closed_streams, tell

open_closed_streams()
logs.configure()
tell("ready")
numbers = [stream.fileno() for stream in (sys.stdin, sys.stdout, sys.stderr)]
with open(sys.argv[1], "x") as file:
    print(numbers, file.fileno() > 2, file=file)
"""


def test_streams_that_are_closed_lead_nowhere(tmp_path):
    """What is told and logged is lost, and no file of the room has the number of a standard stream."""
    done = tmp_path / "done"
    shell = ["/bin/sh", "-c", 'exec "$0" -c "$1" "$2" <&- >&- 2>&-', sys.executable, SCRIPT, str(done)]
    assert subprocess.run(shell, check=False).returncode == 0
    assert done.read_text() == "[0, 1, 2] True\n"
