"""How fast the room is, as a ratio to a bare server measured in the same run.

The room plays real hands over TCP with real PostgreSQL and Redis: 10 six-seat tables, 60 bots that think in no time,
no pause between hands, every hand settled. The peer is a bare Twisted fan-out server: it
decodes each message, encodes it once and writes it to six connections, and knows no poker, journal or ledger. It is
optional: POKERROOM_BASELINE names the folder of its `server.py` and `loadgen.py`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.bench.printing import note, row
from tests.integration.support import RunningRoom, running_room

TABLES = 10
BOTS = 6 * TABLES
ROOM = f"""
[limits]
messages_per_s = 100000
message_burst = 100000
[[tables]]
id = "six"
count = {TABLES}
seats = 6
small_blind = 50
hand_pause_ms = 0
"""
BASELINE = Path(os.environ.get("POKERROOM_BASELINE", "/nonexistent"))
BASELINE_PORT = 9741


def swarm(room: RunningRoom, hands: int, *more: str) -> dict[str, Any]:
    """Bots to the number of `hands`; adds the room's own processor time per action."""
    cpu_s, started = room.cpu_s(), time.monotonic()
    arguments = ("swarm", "--bots", str(BOTS), "--tables", str(TABLES), "--hands", str(hands), "--json")
    result = room.command(*arguments, "--port", str(room.game_port), *more, timeout=600)
    if result.returncode != 0:
        raise SystemExit(f"the swarm failed:\n{result.stdout}{result.stderr}")
    report: dict[str, Any] = json.loads(result.stdout)
    cpu_s = room.cpu_s() - cpu_s
    report["cpu_us_per_action"] = round(cpu_s / report["actions"] * 1e6, 1)
    report["wall_s"] = round(time.monotonic() - started, 1)
    return report


def baseline(seconds: int) -> dict[str, Any] | None:
    """The bare fan-out server with as many connections and one message in flight each; None where it is absent."""
    if not (BASELINE / "server.py").exists():
        return None
    server_command = [sys.executable, str(BASELINE / "server.py"), "--reactor", "asyncio", "--mode", "bcast"]
    server_command += ["--impl", "ticknow", "--port", str(BASELINE_PORT)]
    with subprocess.Popen(server_command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            server.stdout.readline()
            load_command = [sys.executable, str(BASELINE / "loadgen.py"), "--port", str(BASELINE_PORT)]
            load_command += ["--mode", "bcast", "--conns", str(BOTS), "--depth", "1", "--secs", str(seconds)]
            load_command += ["--server-pid", str(server.pid)]
            output = subprocess.run(
                load_command, capture_output=True, text=True, check=True, timeout=60
            ).stdout
        finally:
            server.terminate()
    measured: dict[str, Any] = json.loads(output)
    measured["cpu_us_per_message"] = round(measured["server_cpu"] / measured["in_per_s"] * 1e6, 1)
    return measured


def measure(hands: int, rate: int) -> dict[str, Any]:
    """A run without think time, one at `rate` actions/s offered, the bare server, and the audit."""
    with tempfile.TemporaryDirectory() as folder, running_room(Path(folder) / "data", ROOM) as room:
        note("warming up")
        swarm(room, hands // 10)
        note(f"{hands} hands, no think time")
        fast = swarm(room, hands)
        note(f"{hands // 2} hands at {rate} actions/s offered")
        paced = swarm(room, hands // 2, "--rate", str(rate))
        audit = room.audit()
    note("the bare fan-out server")
    return {
        "fast": fast,
        "paced": paced,
        "baseline": baseline(5),
        "audit": audit,
        "cores": os.cpu_count(),
    }


def tell(measured: dict[str, Any], rate: int) -> None:
    """Prints the tables."""
    fast, paced, bare, audit = (measured[part] for part in ("fast", "paced", "baseline", "audit"))
    print(f"\n{TABLES} six-seat no-limit tables, {BOTS} bots over TCP, one node, {measured['cores']} cores")
    row("actions/s, accepted and settled", fast["actions_per_s"])
    row("hands/s", fast["hands_per_s"])
    row("action to own event, p50 / p99 ms", f"{fast['latency_ms']['p50']} / {fast['latency_ms']['p99']}")
    row("processor time of the node per action, µs", fast["cpu_us_per_action"])
    row(f"at {rate}/s offered: actions/s", paced["actions_per_s"])
    row(
        f"at {rate}/s offered: p50 / p99 ms",
        f"{paced['latency_ms']['p50']} / {paced['latency_ms']['p99']}",
    )
    row("audit: differences / hands", f"{audit['differences']} / {audit['hands']}")
    if bare is None:
        print("no ratio: POKERROOM_BASELINE names no fan-out server")
        return
    row("bare fan-out 1 to 6, messages/s", bare["in_per_s"])
    row("bare: processor time per message, µs", bare["cpu_us_per_message"])
    row("room / bare, actions to messages per s", round(fast["actions_per_s"] / bare["in_per_s"], 3))
    cost = fast["cpu_us_per_action"] / bare["cpu_us_per_message"]
    row("room / bare, processor time", f"{cost:.1f} times")
