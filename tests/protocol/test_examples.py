"""The first hand of the front page, in each of its languages, at a real room."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.conftest import rooms_in
from tests.integration.support import RunningRoom

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]

EXAMPLES = Path(__file__).parents[2] / "protocol" / "examples"
CONFIG = """
[[tables]]
id = "empty"
small_blind = 50
[[tables]]
id = "bots"
seats = 4
small_blind = 50
hand_pause_ms = 0
house_bots = 2
[house]
think_ms = 50
"""


@pytest.fixture(scope="module")
def room(tmp_path_factory, services, ledger_template) -> Iterator[RunningRoom]:
    with rooms_in(tmp_path_factory.mktemp("examples"), services, ledger_template) as rooms:
        yield rooms.started(CONFIG)


def command(name: str) -> list[str]:
    """What runs an example; skips where this machine has no toolchain for it."""
    path = EXAMPLES / name
    match path.suffix:
        case ".py":
            return [sys.executable, "-I", str(path)]
        case ".mjs":
            program = shutil.which("node")
            if program is None:
                pytest.skip("node is not installed")
            version = int(subprocess.check_output([program, "--version"], text=True)[1:].split(".")[0])
            if version < 20:
                pytest.skip("node is older than 20 and has no WebSocket")
            return [program, *(["--experimental-websocket"] if version < 22 else []), str(path)]
        case ".go":
            program = shutil.which("go")
            if program is None:
                pytest.skip("go is not installed")
            return [program, "run", str(path)]
    raise AssertionError(f"{name}: say how it runs")


def clocks(output: str) -> list[str]:
    """What the clock decided."""
    return re.findall(r"""['"]?by_clock['"]?: ?[Tt]rue""", output)


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.iterdir()))
def test_the_first_hand_is_played(room, name, tmp_path):
    """The program finds the table where bots play, sees its hand to the end, and leaves its seat."""
    port = room.http_port if name.endswith(".mjs") else room.game_port
    done = subprocess.run(
        [*command(name), str(port)],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"""['"]?type['"]?: ?['"]acted['"]""", done.stdout)
    assert re.search(r"""['"]?type['"]?: ?['"]hand_ended['"]""", done.stdout)
    assert len(clocks(done.stdout)) == 0, "the clock decided: the program, or the one before it, did not act"
