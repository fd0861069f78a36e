"""`make siege`: a room in which 60 bots play, under one attack after the other; loopback only, a few minutes.

Progress goes to standard error: for each attack the bystanders' figures beside those of the quiet seconds before it.
The last line of standard output is one JSON object; exit code 1 if a bound is not kept.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

from tests.integration.support import RunningRoom, running_room
from tests.siege.attacks import ATTACKS, LOG_IN_ATTACKS
from tests.siege.bystanders import Bystanders, Seen, quantile

ROOM = """
[[tables]]
id = "duel"
seats = 2
small_blind = 50
hand_pause_ms = 0
[[tables]]
id = "six"
count = 10
seats = 6
small_blind = 50
hand_pause_ms = 0
"""
BOTS, RATE = 60, 100
LOOPBACK_BYTES = Path("/sys/class/net/lo/statistics/tx_bytes")
RATIO_MAX, WORST_MS_MAX, LOG_IN_S_MAX = 5.0, 250.0, 2.0


def loopback_mb() -> float:
    """What has gone over loopback since the machine started; 0 where the system does not say."""
    return int(LOOPBACK_BYTES.read_text()) / 1e6 if LOOPBACK_BYTES.exists() else 0.0


def figures(seen: Seen) -> dict[str, Any]:
    """Of one stretch of time, in milliseconds."""
    kinds = {"ping": seen.pings, "action": seen.actions, "newcomer": seen.newcomers, "log_in": seen.log_ins}
    return {
        f"{kind}_{name}_ms": round(quantile(values, part) * 1000, 1)
        for kind, values in kinds.items()
        for name, part in (("p50", 0.5), ("p99", 0.99), ("worst", 1.0))
    } | {"pings": len(seen.pings), "actions": len(seen.actions), "refused": seen.refused}


async def besiege(room: RunningRoom, names: list[str], seconds: float) -> list[dict[str, Any]]:
    bystanders = Bystanders(room.game_port)
    await bystanders.start()
    found = []
    try:
        for name in names:
            bystanders.seen = quiet = Seen()
            await asyncio.sleep(seconds)
            bystanders.seen = stormy = Seen()
            before_mb = loopback_mb()
            command = [sys.executable, "-m", "tests.siege.attacks", name, "--seconds", str(seconds)]
            command += ["--game-port", str(room.game_port), "--http-port", str(room.http_port)]
            attacker = await asyncio.create_subprocess_exec(*command)
            await attacker.wait()
            attack_mb = round(loopback_mb() - before_mb, 1)
            await asyncio.sleep(1)  # what the attack has left behind counts, too
            if not (stormy.pings and stormy.actions):  # otherwise silence would be the best of figures
                stormy.refused.append(f"no answers; the players' last messages: {bystanders.last}")
            bystanders.seen = after = Seen()
            while not after.log_ins:  # the last one that began under the attack has ended
                bystanders.check()
                await asyncio.sleep(0.1)
            found.append({"attack": name, "mb": attack_mb, "quiet": figures(quiet), "under": figures(stormy)})
            tell(found[-1])
    finally:
        await bystanders.stop()
    return found


def tell(one: dict[str, Any]) -> None:
    quiet, under = one["quiet"], one["under"]
    parts = []
    for kind in ("ping", "action", "newcomer", "log_in"):
        before, after, worst = quiet[f"{kind}_p99_ms"], under[f"{kind}_p99_ms"], under[f"{kind}_worst_ms"]
        parts.append(f"{kind} p99 {before:.0f} > {after:.0f}, worst {worst:.0f}")
    parts = [f"{'   '.join(parts)} ms", f"refused {len(under['refused'])}", f"{one['mb']:.0f} MB"]
    click.echo(f"{one['attack']:18} {'   '.join(parts)}", err=True)
    for reason in dict.fromkeys(under["refused"]):
        click.echo(f"  refused: {reason}", err=True)


def summary(found: list[dict[str, Any]], suspensions: int, differences: int) -> dict[str, Any]:
    kinds = ("ping", "action")
    ratios = [
        one["under"][f"{kind}_p99_ms"] / max(1.0, one["quiet"][f"{kind}_p99_ms"])
        for one in found
        for kind in kinds
    ]
    log_ins = [one["under"]["log_in_p99_ms"] for one in found if one["attack"] in LOG_IN_ATTACKS]
    return {
        "attacks": len(found),
        "p99_ratio": round(max(ratios), 2),
        "worst_ms": max(one["under"][f"{kind}_worst_ms"] for one in found for kind in kinds),
        "suspensions": suspensions,
        "honest_refused": sum(len(one["under"]["refused"]) for one in found),
        "log_in_p99_s": max(log_ins, default=0.0) / 1000,
        "differences": differences,
    }


def kept(last: dict[str, Any]) -> bool:
    """Whether all bounds are kept."""
    return (
        last["p99_ratio"] <= RATIO_MAX
        and last["worst_ms"] <= WORST_MS_MAX
        and last["log_in_p99_s"] <= LOG_IN_S_MAX
        and not last["suspensions"]
        and not last["honest_refused"]
        and not last["differences"]
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.siege", description=__doc__)
    parser.add_argument("--seconds", type=float, default=6, help="of each attack, and of quiet before it")
    parser.add_argument("--attacks", default="", help="names with commas between them; default: all")
    parser.add_argument("--out", type=Path, default=Path("build/siege.json"), help="all figures")
    asked = parser.parse_args()
    names = list(filter(None, asked.attacks.split(","))) or list(ATTACKS)
    unknown = [name for name in names if name not in ATTACKS]
    if unknown:
        parser.error(f"no such attacks: {', '.join(unknown)}; there are {', '.join(ATTACKS)}")
    with tempfile.TemporaryDirectory() as folder, running_room(Path(folder) / "data", ROOM) as room:
        swarm = ["swarm", "--bots", str(BOTS), "--tables", "10", "--rate", str(RATE), "--hands", "1000000"]
        bots = room.start_command(*swarm, "--port", str(room.game_port))
        try:
            found = asyncio.run(besiege(room, names, asked.seconds))
            bots_play = bots.poll() is None
        finally:
            bots.terminate()
            bots.wait(30)
        suspensions = "".join(room.output).count("node.suspended")
        differences = room.audit()["differences"]
    last = summary(found, suspensions, differences)
    if not bots_play:
        last["honest_refused"] += 1
        click.echo("the bots were refused or cut off", err=True)
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    asked.out.write_text(json.dumps({"found": found, **last}, indent=1))
    click.echo(json.dumps(last))
    return 0 if kept(last) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.TimeoutExpired:
        sys.exit("the bots do not end")
