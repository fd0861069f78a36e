"""`make serve`: which form of the room it runs, and when it makes the compiled one; with stand-ins for both."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ("pokerroom", "protocol/python", "protocol/javascript", "deploy")
FILES = ("deploy/requirements.txt", "deploy/room.toml", "pyproject.toml", "protocol/python/pyproject.toml")
COMPILES = "sh -c 'echo once >>made; until [ -e enough ]; do sleep 0.02; done' compile"
"""In place of `make compiled`: notes that it began, and goes on until it is told to end."""

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, ("make", "flock", "setsid", "cc"))), reason="needs make, flock, setsid and cc"
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A checkout with a room that only says how it was started."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in SOURCES:
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
    for name in FILES:
        (tmp_path / name).touch()
    programs = tmp_path / ".venv/bin"
    programs.mkdir(parents=True)
    (programs / "python").symlink_to(sys.executable)
    room = programs / "pokerroom"
    room.write_text('#!/bin/sh\necho "started: $*, from ${PYTHONPATH:-the sources}"\n')
    room.chmod(0o755)
    (tmp_path / ".venv/.current").touch()
    return tmp_path


def serve(tree: Path, *settings: str) -> str:
    env = {name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "MAKEFLAGS"}}
    command = ["make", "--no-print-directory", "serve", f"AGAIN={COMPILES}", *settings]
    ran = subprocess.run(command, cwd=tree, env=env, capture_output=True, text=True, check=True, timeout=30)
    return ran.stdout


def compilations(tree: Path, least: int) -> int:
    """How many have begun; waits until there are so many."""
    made, until = tree / "made", time.monotonic() + 10
    while not (made.exists() and len(made.read_text().splitlines()) >= least) and time.monotonic() < until:
        time.sleep(0.02)
    return len(made.read_text().splitlines())


def test_the_compiled_form_is_made_once_beside_the_room(tree: Path) -> None:
    """A second start says that it is still being made. After one that was killed it is made again."""
    assert "made meanwhile" in (told := serve(tree))
    assert "started: serve, from the sources" in told
    assert compilations(tree, 1) == 1
    assert "still being made" in serve(tree)
    assert compilations(tree, 1) == 1
    (tree / "enough").touch()
    subprocess.run(
        ["flock", "build/compiled.lock", "true"], cwd=tree, check=True, timeout=10
    )  # until it has ended
    assert "made meanwhile" in serve(tree)
    assert compilations(tree, 2) == 2


def test_a_current_compiled_form_runs(tree: Path) -> None:
    """Until a source is newer."""
    current = tree / "build/compiled/.current"
    current.parent.mkdir(parents=True)
    current.touch()
    told = serve(tree)
    assert "The room runs compiled." in told
    assert f"from {tree}/build/compiled/package" in told
    assert not (tree / "made").exists()
    source = tree / "pokerroom/new.py"
    source.touch()
    os.utime(source, (time.time() + 5, time.time() + 5))
    assert "from the sources" in serve(tree, "COMPILE=no")


def test_settings_are_handed_on(tree: Path) -> None:
    """`CONFIG` names the file of another room, and with `COMPILE=no` nothing is made."""
    told = serve(tree, "CONFIG=friday.toml", "COMPILE=no")
    assert "started: serve --config friday.toml, from the sources" in told
    assert not (tree / "made").exists()
