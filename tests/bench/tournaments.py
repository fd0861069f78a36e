"""Sit-and-gos through two nodes, to the last prize: six and ten players, fast levels, and bots that come and go.

Bots leave and return, let the clock decide, lose their connections and come back, or vanish until they are blinded off.
In the end every tournament has finished, every prize is paid to the unit, no escrow holds anything, and the audit finds
no difference: otherwise this fails.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench.nodes import TwoNodes
from tests.bench.printing import note, row
from tests.integration.support import RunningRoom, running_room

BOTS = 200
FAST = """
level_hands = 4
action_clock_s = 1
countdown_s = 1
hand_pause_ms = 0
levels = [
    { small_blind = 25 }, { small_blind = 50 }, { small_blind = 100 }, { small_blind = 200 },
    { small_blind = 400 }, { small_blind = 800 }, { small_blind = 1_600 },
]
"""
ROOM = f"""
[limits]
messages_per_s = 100000
message_burst = 100000
[[tables]]
id = "cash"
small_blind = 50
[[sit_and_go]]
id = "six"
seats = 6
buy_in = 300
fee = 60
prizes = [1_000, 440]
{FAST}
[[sit_and_go]]
id = "ten"
seats = 10
buy_in = 300
fee = 60
prizes = [1_200, 700, 500]
{FAST}
"""


def measure(tournaments: int, bots: int = BOTS) -> dict[str, Any]:
    """Plays so many of them; raises SystemExit unless all is as it must be."""
    with tempfile.TemporaryDirectory() as folder, running_room(Path(folder) / "data", ROOM, TwoNodes) as room:
        note(f"{tournaments} sit-and-gos, {bots} bots, two nodes")
        cpu_s, started = room.cpu_s(), time.monotonic()
        report = played(room, tournaments, bots)
        took_s, cpu_s = time.monotonic() - started, room.cpu_s() - cpu_s
        audit = room.audit()
    if audit["differences"] or audit["escrow"] or audit["tournaments"] < tournaments:
        raise SystemExit(f"the audit: {audit}")
    return {
        "swarm": report,
        "audit": audit,
        "took_s": round(took_s, 1),
        "cpu_us_per_action": round(cpu_s / report["actions"] * 1e6, 1),
        "cores": os.cpu_count(),
    }


def played(room: RunningRoom, tournaments: int, bots: int, *more: str) -> dict[str, Any]:
    """What the swarm reports. Raises SystemExit unless it is content, with every prize paid to the unit."""
    command = (
        "swarm",
        "--sng",
        str(tournaments),
        "--bots",
        str(bots),
        "--port",
        str(room.game_port),
        "--json",
    )
    result = room.command(*command, *more, timeout=60 + 10 * tournaments)
    if result.returncode != 0:
        raise SystemExit(f"the swarm failed:\n{result.stdout}{result.stderr[-4000:]}")
    report: dict[str, Any] = json.loads(result.stdout)
    if report["finished"] < tournaments or report["prizes_paid"] != report["prizes_expected"]:
        raise SystemExit(f"not all is finished or paid: {report}")
    return report


def tell(measured: dict[str, Any]) -> None:
    """Prints the table."""
    swarm, audit = measured["swarm"], measured["audit"]
    print(f"\nsit-and-gos of six and ten players through two nodes, {measured['cores']} cores")
    row("finished / tournaments", f"{swarm['finished']} / {swarm['tournaments']}")
    row("prizes paid / expected", f"{swarm['prizes_paid']} / {swarm['prizes_expected']}")
    row("seconds, from the first deal to the last", swarm["seconds"])
    row("hands, hands/s", f"{swarm['hands']}, {swarm['hands_per_s']}")
    row("processor time of the nodes per action, µs", measured["cpu_us_per_action"])
    row(
        "left and returned / dropped / timed out",
        f"{swarm['left']} / {swarm['dropped']} / {swarm['timeouts']}",
    )
    row("errors", swarm["errors"])
    row("audit: differences, credits in escrow", f"{audit['differences']}, {audit['escrow']}")
