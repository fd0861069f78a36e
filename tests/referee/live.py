"""`python -m tests.referee.live`: a real room with bots, watched over the wire, and then its exports.

The last line is JSON: what the observer found, and what was found in the exports of each format.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.integration.support import RunningRoom, running_room

FORMATS = ("phh", "ohh", "pokerstars")

ROOM = """
[limits]
messages_per_s = 100000
message_burst = 100000
[house]
think_ms = 0
[[tables]]
id = "no-limit"
small_blind = 50
unit = 25
rake_bps = 500
rake_cap = { 2 = 100, 4 = 300 }
action_clock_s = 1
countdown_s = 1
hand_pause_ms = 0
house_bots = 5
[[tables]]
id = "dead-button"
seats = 9
structure = "pot_limit"
small_blind = 50
ante = 10
moving_button = false
action_clock_s = 1
countdown_s = 1
hand_pause_ms = 0
house_bots = 7
[[tables]]
id = "fixed"
structure = "fixed_limit"
small_bet = 200
action_clock_s = 1
countdown_s = 1
hand_pause_ms = 0
house_bots = 4
[[tables]]
id = "omaha"
game = "omaha"
structure = "pot_limit"
small_blind = 50
rake_bps = 300
action_clock_s = 1
countdown_s = 1
hand_pause_ms = 0
house_bots = 5
[[sit_and_go]]
id = "six"
seats = 6
buy_in = 300
fee = 60
prizes = [1_000, 440]
level_hands = 4
action_clock_s = 1
countdown_s = 1
hand_pause_ms = 0
levels = [{ small_blind = 25 }, { small_blind = 50, ante = 10 }, { small_blind = 100 }, { small_blind = 400 }]
[[ultimate]]
id = "boxes"
seating = "boxes"
betting_s = 1
closing_s = 1
decision_s = 2
result_pause_ms = 500
"""
"""Rules that differ, each with bots; tables are quick."""


def referee(*arguments: str, text: str | None = None) -> dict[str, Any]:
    """Run the referee, and return its last line; what it finds is printed."""
    result = subprocess.run(
        [sys.executable, "-m", "tests.referee", *arguments],
        input=text,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    *found, last = result.stdout.splitlines() or ["{}"]
    sys.stdout.write("".join(f"{line}\n" for line in found))
    told: dict[str, Any] = json.loads(last)
    return told


def exported(room: RunningRoom, form: str) -> dict[str, Any]:
    """What the referee finds in all hands of the room, in one format."""
    result = room.command("history", "export", "--all", "--format", form)
    if result.returncode != 0:
        raise SystemExit(f"there is no export: {result.stderr}")
    return referee("exports", text=result.stdout)


def played(seconds: float) -> dict[str, Any]:
    """Watch the room for so long, then read its exports."""
    with tempfile.TemporaryDirectory() as folder, running_room(Path(folder) / "data", ROOM) as room:
        port = ("--port", str(room.game_port))
        swarms = [
            room.start_command("swarm", "--sng", "10000", "--bots", "12", "--processes", "1", *port),
            room.start_command(
                "swarm", "--ultimate", "--hands", "10000", "--bots", "4", "--processes", "1", *port
            ),
        ]
        try:
            live = referee(
                "watch", f"127.0.0.1:{room.game_port}", "--seconds", str(seconds), "--clock", "1+1"
            )
        finally:
            for swarm in swarms:
                swarm.terminate()
                swarm.wait(60)
        return {"live": live, "exports": {form: exported(room, form) for form in FORMATS}}


def main() -> int:
    """Return the exit code: 1 with differences, 2 if there was nothing to check."""
    parser = argparse.ArgumentParser(prog="python -m tests.referee.live", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long the room plays (default 60)")
    found = played(parser.parse_args().seconds)
    sys.stdout.write(f"{json.dumps(found)}\n")
    reports = [found["live"], *found["exports"].values()]
    if any(report.get("differences") for report in reports):
        return 1
    return 0 if all(report.get("hands") for report in reports) else 2


if __name__ == "__main__":
    sys.exit(main())
