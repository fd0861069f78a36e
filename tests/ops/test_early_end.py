"""SIGTERM to a room that still starts: heard at once, and not lost where an exception is."""

import subprocess
import sys

import pytest

from pokerroom.ops.early_end import EXIT_CODE

LOST = """
class Library:
    def __del__(self):  # what it raises goes nowhere, as from a library written in C
        signal.raise_signal(signal.SIGTERM)
"""


def ended(script):
    """The exit code and the output of a process that can be ended early. nohup ignores hang-ups for the tests, too."""
    begin = "import signal\nsignal.signal(signal.SIGHUP, signal.SIG_DFL)\n"
    script = f"{begin}from pokerroom.ops.early_end import EarlyEnd\nearly_end = EarlyEnd()\n{script}"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_ends_the_process_by_an_exception(name):
    script = f"try:\n    signal.raise_signal(signal.{name})\nfinally:\n    print('stopped')"
    assert ended(script) == (EXIT_CODE, "stopped\n")


def test_an_exception_that_is_lost_is_raised_again():
    script = f"{LOST}\nearly_end.heed()\nLibrary()\nprint('lost')\nearly_end.heed()\nprint('missed')"
    assert ended(script) == (EXIT_CODE, "lost\n")


def test_a_hang_up_that_is_ignored_stays_so():
    script = (
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "EarlyEnd()\nsignal.raise_signal(signal.SIGHUP)\nprint('goes on')"
    )
    assert ended(script) == (0, "goes on\n")


def test_a_terminal_that_is_closed_ends_the_room_once():
    """A shell says so, and the kernel; a second SIGTERM would let the room hurry."""
    script = (
        "import signal\nasked = []\nsignal.signal(signal.SIGTERM, lambda *_: asked.append(1))\n"
        "signal.raise_signal(signal.SIGHUP)\nsignal.raise_signal(signal.SIGHUP)\nprint(len(asked))"
    )
    assert ended(script) == (0, "1\n")
