"""How fast tables against the house are answered: one node, 500 players at boxes and at common hands, real services.

Players decide by the practical strategy, at some moment within a second of being asked, and once all together.
Some let the clock decide, some lose their connections. Rounds are settled, and the ledger audited in the end.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from tests.bench.printing import note, row
from tests.integration.support import RunningRoom, running_room

PLAYERS: Final = 500
BOXED, COMMON = 40, 6
"""40 tables of six boxes with five players each, and 50 players at each common hand."""
GOAL_MS: Final = 100.0
_TIMES: Final = """
betting_s = 2
closing_s = 1
decision_s = 4
result_pause_ms = 500
"""
ROOM: Final = f"""
[[ultimate]]
id = "boxes"
count = {BOXED}
seating = "boxes"
{_TIMES}
[[ultimate]]
id = "live"
count = {COMMON}
seating = "common_hand"
presence = true
{_TIMES}
"""


def swarm(room: RunningRoom, rounds: int, think_ms: int) -> dict[str, Any]:
    """Bots to the number of rounds; adds the node's own processor time per decision."""
    cpu_s, started = room.cpu_s(), time.monotonic()
    arguments = ["swarm", "--ultimate", "--bots", str(PLAYERS), "--hands", str(rounds), "--json"]
    arguments += ["--think", str(think_ms), "--port", str(room.game_port)]
    result = room.command(*arguments, timeout=900)
    if result.returncode != 0:
        raise SystemExit(f"the swarm failed:\n{result.stdout}{result.stderr}")
    report: dict[str, Any] = json.loads(result.stdout)
    cpu_s = room.cpu_s() - cpu_s
    report["cpu_us_per_decision"] = round(cpu_s / max(1, report["decisions"]) * 1e6, 1)
    report["wall_s"] = round(time.monotonic() - started, 1)
    report["think_ms"] = think_ms
    return report


def measure(rounds: int) -> dict[str, Any]:
    """A run with decisions spread over a second, one with all at once, and the audit."""
    with tempfile.TemporaryDirectory() as folder, running_room(Path(folder) / "data", ROOM) as room:
        load = os.getloadavg()[0]
        note(f"{rounds} rounds of {PLAYERS} players, deciding within a second")
        spread = swarm(room, rounds, 1_000)
        note(f"{rounds} rounds of {PLAYERS} players, deciding at once")
        at_once = swarm(room, rounds, 0)
        audit = room.audit()
    return {
        "spread": spread,
        "at_once": at_once,
        "audit": audit,
        "cores": os.cpu_count(),
        "load_before": round(load, 2),
        "goal_ms": GOAL_MS,
    }


def tell(measured: dict[str, Any]) -> None:
    """Prints the table and what became of the goal."""
    print(
        f"\n{PLAYERS} players, {BOXED} tables of six boxes and {COMMON} common hands, one node,"
        f" {measured['cores']} cores (load before: {measured['load_before']})"
    )
    for part, how in (("spread", "within a second"), ("at_once", "at once")):
        found = measured[part]
        answers = found["answer_ms"]
        row(f"decided {how}: decisions/s", found["decisions_per_s"])
        row(f"decided {how}: rounds/s", found["rounds_per_s"])
        row(
            f"decided {how}: answer p50 / p99 / max ms",
            f"{answers['p50']} / {answers['p99']} / {answers['max']}",
        )
        row(f"decided {how}: node's processor time, µs", found["cpu_us_per_decision"])
        row(f"decided {how}: by the clock, vanished", f"{found['decided_by_clock']}, {found['vanished']}")
    audit = measured["audit"]
    row("audit: differences / rounds", f"{audit['differences']} / {audit['rounds']}")
    reached = measured["spread"]["answer_ms"]["p99"] < GOAL_MS
    row(f"p99 of an answer below {GOAL_MS:.0f} ms", "yes" if reached else "NO")
