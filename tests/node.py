"""Runs JavaScript tests with node, where the machine has it; nothing of the project needs node but these tests."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

TIMEOUT_S = 60


def node(*arguments: str | Path, stdin: str | None = None) -> str:
    """Node's output; skips without node, fails with what it printed where it fails."""
    program = shutil.which("node")
    if program is None:
        pytest.skip("node is not installed: the JavaScript tests need it")
    result = subprocess.run(
        [program, *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout
