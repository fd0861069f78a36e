"""One tournament of many tables and real clients, from registration to the last prize: `make field`.

Bots in processes of their own open accounts, register all at once, play without think time and follow their seats.
With faults a node is killed with SIGKILL while tables break, and Redis is emptied later; another node or the next
incarnation goes on. In the end the tournament has finished, every prize is paid to the unit, the escrow is empty, and
the audit finds no difference: otherwise this fails. Loopback only; it ends by itself.

Passwords are hashed at almost no cost: thousands of new accounts would take longer than the tournament, and are not
what is measured.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import psycopg
import redis

from pokerroom.ops.embedded import running
from tests.bench.printing import note, row
from tests.integration.support import RunningRoom, running_room

KILL_AT: Final = 75
EMPTY_AT: Final = 50
"""When so many in a hundred are left, a node is killed, and Redis is emptied."""
STUCK_S: Final = 90.0
"""A field in which no player goes out for so long does not go on."""
LOG: Final = Path("build/field.log")
LOOK_S: Final = 0.5
START_S: Final = 45
"""A tournament with a start begins so long after its room, and some more for each bot."""
LIMIT_S: Final = 1_500
"""The longest run of a field."""

ROOM = """
[limits]
messages_per_s = 100000
message_burst = 100000
connections_max = {connections}
[[tables]]
id = "cash"
small_blind = 50
[[{kind}]]
id = "field"
{start}
seats_per_table = 9
buy_in = 1_000
fee = 100
starting_stack = 3_000
level_hands = 6
action_clock_s = 10
countdown_s = 1
hand_pause_ms = 0
levels = [
    {{ small_blind = 25 }}, {{ small_blind = 50 }}, {{ small_blind = 100 }}, {{ small_blind = 200 }},
    {{ small_blind = 400 }}, {{ small_blind = 800 }}, {{ small_blind = 1_600 }}, {{ small_blind = 3_200 }},
    {{ small_blind = 6_400 }}, {{ small_blind = 12_800 }}, {{ small_blind = 25_600 }}, {{ small_blind = 51_200 }},
]
"""


class QuickAccounts(RunningRoom):
    """A room of which all processes hash passwords quickly."""

    def environment(self, ops_port: int | None = None) -> dict[str, str]:
        """See `RunningRoom`."""
        found = super().environment(ops_port)
        folders = [str(Path(__file__).parent / "quick_accounts"), found.get("PYTHONPATH")]
        return found | {"PYTHONPATH": os.pathsep.join(filter(None, folders))}


class TwoQuickNodes(QuickAccounts):
    """`pokerroom serve --nodes 2`."""

    nodes = 2


def _start(bots: int, bounty: int) -> dict[str, str]:
    """Return kind and start of the tournament: when all have entered, or at a time, if it has bounties."""
    if not bounty:
        return {"kind": "sit_and_go", "start": f'seats = {bots}\npayout = "standard"'}
    at = datetime.now(UTC) + timedelta(seconds=START_S + bots // 20)
    bounties = f'bounty = {bounty}\nbounty_kind = "progressive"'
    return {
        "kind": "tournament",
        "start": f"start = {at:%Y-%m-%dT%H:%M:%SZ}\nplayers_min = {bots}\n{bounties}",
    }


def measure(bots: int, *, nodes: int = 2, faults: bool = True, bounty: int = 0) -> dict[str, Any]:
    """Play a field of so many bots; raise SystemExit unless all is as it must be."""
    settings = ROOM.format(connections=bots + 1_000, **_start(bots, bounty))
    kind = TwoQuickNodes if nodes > 1 else QuickAccounts
    with (
        tempfile.TemporaryDirectory() as folder,
        running_room(Path(folder) / "data", settings, kind) as room,
        _log_kept(room),
    ):
        note(f"{bots} bots, {nodes} nodes, {'a killed node and an emptied Redis' if faults else 'no faults'}")
        started = time.monotonic()
        report, done = _played(room, bots, faults=faults and nodes > 1)
        took_s = time.monotonic() - started
        longest_wait_s = _longest_wait_s(room)
        audit = room.audit()
    if audit["differences"] or audit["escrow"] or audit["tournaments"] != 1:
        raise SystemExit(f"the audit: {audit}")
    return {
        "bots": bots,
        "nodes": nodes,
        "faults": done,
        "took_s": round(took_s, 1),
        "longest_wait_s": longest_wait_s,
        "swarm": report,
        "audit": audit,
        "cores": os.cpu_count(),
    }


@contextmanager
def _log_kept(room: RunningRoom) -> Iterator[None]:
    """Write what the nodes have said to `LOG`, whatever happens."""
    try:
        yield
    finally:
        LOG.parent.mkdir(exist_ok=True)
        LOG.write_text("".join(room.output))


def _played(room: RunningRoom, bots: int, *, faults: bool) -> tuple[dict[str, Any], dict[str, float]]:
    """Return the report of the swarm, and how many players were left at each fault."""
    command = ["swarm", "--mtt", "--bots", str(bots), "--port", str(room.game_port), "--json"]
    done: dict[str, float] = {}
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        swarm = subprocess.Popen(
            [sys.executable, "-m", "pokerroom", *command],
            stdout=out,
            stderr=err,
            text=True,
            env=room.environment(),
        )
        try:
            _watch(room, swarm, bots, done, faults=faults)
            code = swarm.wait(30)
        finally:
            swarm.kill()
            swarm.wait()
        out.seek(0)
        err.seek(0)
        said, errors = out.read(), err.read()[-4_000:]
    report: dict[str, Any] = json.loads(said) if said else {}
    tolerated = not report.get("problem") and report.get("finished") == 1 if done else code == 0
    if not tolerated or any(
        report[f"{won}_paid"] != report[f"{won}_expected"] for won in ("prizes", "bounties")
    ):
        raise SystemExit(f"the swarm failed ({code}): {report}\n{errors}")
    if faults and len(done) < 2:
        raise SystemExit(f"the faults did not come: {done}")
    return report, done


def _watch(
    room: RunningRoom, swarm: subprocess.Popen[str], bots: int, done: dict[str, float], *, faults: bool
) -> None:
    """Wait for the end of the swarm; inject the faults when so many are left."""
    plan: list[tuple[str, int, Callable[[], None]]] = []
    if faults:
        plan = [("killed", KILL_AT, lambda: _kill(room)), ("emptied", EMPTY_AT, lambda: _empty(room))]
    give_up_at, before = time.monotonic() + LIMIT_S, None
    while swarm.poll() is None:
        left = _left(room)
        if left != before:
            before, stuck_at = left, time.monotonic() + STUCK_S
        if time.monotonic() > (give_up_at if before is None else min(give_up_at, stuck_at)):
            raise SystemExit(f"the field does not go on: {_tables(room)}")
        if plan and left is not None and left * 100 <= plan[0][1] * bots:
            name, _, inject = plan.pop(0)
            note(f"{name}, {left} are left")
            inject()
            done[name] = left
        time.sleep(LOOK_S)


def _ports(room: RunningRoom) -> list[int]:
    """Return the operations ports that nodes have opened, also those that have started again since."""
    return [int(path.stem) for path in (room.data_dir / "operations").glob("*.sock")]


def _left(room: RunningRoom) -> int | None:
    """Return how many players are left in the running field; None if no node tells."""
    for port in _ports(room):
        with suppress(OSError, AssertionError, ValueError):
            for found in json.loads(room.get("/v1/sit_and_gos", port=port)):
                if found["phase"] == "running":
                    return int(found["left"])
            return None
    return None


def _tables(room: RunningRoom) -> str:
    """Return what the nodes tell of tournaments and tables."""
    told = []
    for port in _ports(room):
        with suppress(OSError, AssertionError):
            told += [room.get("/v1/sit_and_gos", port=port), room.get("/v1/tables", port=port)]
    return "\n".join(told)


def _kill(room: RunningRoom) -> None:
    os.kill(room.node_pids()[0], signal.SIGKILL)


def _empty(room: RunningRoom) -> None:
    addresses = running(room.data_dir)
    assert addresses is not None
    with redis.Redis.from_url(addresses.redis_url) as client:
        client.flushall()


def _longest_wait_s(room: RunningRoom) -> float:
    """Return the longest time between two hands of a table: for players of others, for a new owner, or for places."""
    addresses = running(room.data_dir)
    assert addresses is not None
    with psycopg.connect(addresses.database_url) as connection:
        found = connection.execute(
            "SELECT extract(epoch FROM max(wait)) FROM"
            " (SELECT started - lag(ended) OVER (PARTITION BY table_id ORDER BY started) AS wait FROM hands) AS waits"
        ).fetchone()
    assert found is not None
    return round(float(found[0]), 1)


def tell(measured: dict[str, Any]) -> None:
    """Print the table."""
    swarm, audit = measured["swarm"], measured["audit"]
    print(f"\na field of {measured['bots']} through {measured['nodes']} nodes, {measured['cores']} cores")
    row("registration, s", swarm["registration_s"])
    row("seconds, from the first deal to the last", swarm["seconds"])
    row("hands, hands/s", f"{swarm['hands']}, {swarm['hands_per_s']}")
    row("moves", swarm["moves"])
    row("longest wait of a table between two hands, s", measured["longest_wait_s"])
    row("action to own event, p50 / p99 ms", f"{swarm['latency_ms']['p50']} / {swarm['latency_ms']['p99']}")
    row("faults, by players left", measured["faults"])
    row("prizes paid / expected", f"{swarm['prizes_paid']} / {swarm['prizes_expected']}")
    row("bounties paid / expected", f"{swarm['bounties_paid']} / {swarm['bounties_expected']}")
    row("audit: differences, credits in escrow", f"{audit['differences']}, {audit['escrow']}")


def main() -> None:
    """Play one field, and print what was measured; the last line is JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bots", type=int, default=2_000)
    parser.add_argument("--nodes", type=int, choices=[1, 2], default=2)
    parser.add_argument(
        "--bounty", type=int, default=0, help="progressive, of a buy-in of 1,000 with a fee of 100"
    )
    parser.add_argument("--no-faults", action="store_true")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended from outside"))  # and stop the room
    measured = measure(options.bots, nodes=options.nodes, faults=not options.no_faults, bounty=options.bounty)
    tell(measured)
    print(json.dumps(measured))


if __name__ == "__main__":
    main()
