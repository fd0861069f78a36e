"""Which browser the tests drive, and what is missing where there is none.

`python -m tests.browser.chromium` says so, and exits with 1.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip


def program() -> str | None:
    """The browser: that of POKERROOM_CHROMIUM, or one on PATH."""
    return os.environ.get("POKERROOM_CHROMIUM") or next(filter(None, map(shutil.which, PROGRAMS)), None)


def missing() -> str | None:
    """What is not here that the tests need, and where to get it."""
    if importlib.util.find_spec("playwright") is None:
        return "the Python package playwright is not installed: make setup"
    if program() is None:
        return (
            f"there is no Chromium: none of {', '.join(PROGRAMS)} is on PATH, and POKERROOM_CHROMIUM names none. "
            "On Debian: apt-get install chromium"
        )
    return None


if __name__ == "__main__":
    if reason := missing():
        sys.stderr.write(f"make e2e: {reason}\n")
        sys.exit(1)
