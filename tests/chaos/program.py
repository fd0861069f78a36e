"""The room's own commands, as an operator runs them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from typing import Final

LIMIT_S: Final = 300.0


def clean_environment() -> dict[str, str]:
    """Return this process's environment without what is meant for a room."""
    return {name: value for name, value in os.environ.items() if not name.startswith("POKERROOM_")}


def differences(count: int, lines: str) -> int:
    """Return how many differences an audit has found, without the triggers with which `records.WATCH` notes owners."""
    return count - sum("chaos_note is not of this build" in line for line in lines.splitlines())


def said(command: Sequence[str], *arguments: str, **environment: str) -> str:
    """Run a command, and return what it prints. Blocks.

    Raises RuntimeError with that if it fails; an audit that finds differences does not.
    """
    if "POKERROOM_DATABASE_URL" in environment:  # both addresses are needed, or none
        environment.setdefault("POKERROOM_REDIS_URL", "redis://unused")
    done = subprocess.run(
        [*command, *arguments],
        capture_output=True,
        text=True,
        env=clean_environment() | environment,
        timeout=LIMIT_S,
        check=False,
    )
    if done.returncode != 0 and "differences" not in done.stdout:
        raise RuntimeError(
            f"{arguments[0]} ended with {done.returncode}: {(done.stdout + done.stderr)[-500:]}"
        )
    return done.stdout + done.stderr
