"""Tables against the house under the nemesis: a swarm bets all the time through each node, and the ledger is looked at.

The swarm is the room's own (`pokerroom swarm --ultimate`), a process for each node, for as long as the run lasts. What
must hold is then read from the ledger alone: every round has ended once, settled or void, with the money that went in,
and what was paid is what its cards come to, reckoned anew apart from the code that played it.
"""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psycopg

from pokerroom.simulation.checks.house_results import wrong
from tests.chaos import swarms
from tests.chaos.guard import Guard
from tests.chaos.records import Books

CONFIG: Final = """
[[ultimate]]
id = "boxes"
count = 3
seating = "boxes"
betting_s = 2
closing_s = 1
decision_s = 3
result_pause_ms = 0
away_limit_s = 3_600
[ultimate.progressive]
stake = 100
seed = 100_000
[[ultimate]]
id = "live"
seating = "common_hand"
qualification = "any_pair"
betting_s = 2
closing_s = 1
decision_s = 3
result_pause_ms = 0
away_limit_s = 3_600
"""

LEAVE_S: Final = 30.0
END_S: Final = 60.0
"""Rounds in progress are decided by their clocks within this."""

Blame = Callable[[str, str, str, str], None]


class RoundSwarms:
    """One for each node; each plays through its node's port, and comes back when that is there again."""

    def __init__(
        self,
        *,
        ports: Sequence[int],
        bots: int,
        think_ms: int,
        seed: int,
        command: Sequence[str],
        logs: Path,
        guard: Guard,
    ) -> None:
        self._processes: list[subprocess.Popen[bytes]] = []
        self._outputs = [logs / f"rounds-{number}.json" for number in range(1, len(ports) + 1)]
        for port, output in zip(ports, self._outputs, strict=True):
            arguments = [
                "swarm",
                "--ultimate",
                "--hands",
                "1000000",
                "--bots",
                str(bots),
                "--port",
                str(port),
            ]
            arguments += ["--json", "--processes", "1", "--think", str(think_ms), "--seed", str(seed + port)]
            with output.open("wb") as out, output.with_suffix(".log").open("wb") as log:
                process = subprocess.Popen(
                    [*command, *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=log,
                    start_new_session=True,
                )
            guard.watch(process.pid)
            self._processes.append(process)

    async def begun(self) -> None:
        """See `swarms.begun`."""
        await swarms.begun(self._outputs)

    async def leave(self, blame: Blame) -> dict[str, Any]:
        """They stop where they are; what they tell, added up."""
        for number, process in enumerate(self._processes, 1):
            if process.poll() is not None:
                blame("C8", "", "", f"swarm {number} at tables against the house has ended by itself")
            process.send_signal(signal.SIGINT)
        give_up = time.monotonic() + LEAVE_S
        for process in self._processes:
            try:
                await asyncio.to_thread(process.wait, max(0.0, give_up - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        return self._told(blame)

    def end(self) -> None:
        """Nothing of them stays."""
        for process in self._processes:
            if process.poll() is None:
                process.kill()
                process.wait()

    def _told(self, blame: Blame) -> dict[str, Any]:
        sums: Counter[str] = Counter()
        errors: Counter[str] = Counter()
        for output in self._outputs:
            try:
                found = json.loads(output.read_text())
            except ValueError:
                blame("C8", "", "", f"{output.name}: the swarm has told nothing")
                continue
            for name in ("rounds", "decisions", "decided_by_clock", "vanished", "disconnects"):
                sums[name] += found[name]
            errors.update(found["errors_by_code"])
        return {**sums, "errors": dict(sorted(errors.items()))}


# --- what must hold -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedRound:
    """One round of the ledger. `stakes` are (kind, account, amount), `deltas` (account, staked with tips, paid)."""

    round_id: str
    table: str
    over: bool
    void: bool
    house: int
    meter: int
    tronc: int
    stakes: tuple[tuple[str, int, int], ...]
    players: tuple[tuple[int, int, int], ...]
    record: dict[str, Any]


def wait_ended(database_url: str) -> None:
    """Until no round is in progress, or `END_S` are over. Blocks."""
    with psycopg.connect(database_url, connect_timeout=3, autocommit=True) as connection:
        give_up = time.monotonic() + END_S
        while time.monotonic() < give_up:
            if connection.execute("SELECT count(*) FROM open_rounds").fetchone() == (0,):
                return
            time.sleep(0.5)


def read_rounds(database_url: str) -> list[PlayedRound]:
    """All rounds that there ever were. Blocks."""
    with psycopg.connect(database_url) as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        stakes: dict[int, list[tuple[str, int, int]]] = {}
        for number, kind, account, amount in connection.execute(
            "SELECT round, kind, account, amount FROM round_stakes"
        ):
            stakes.setdefault(number, []).append((kind, account, amount))
        players: dict[int, list[tuple[int, int, int]]] = {}
        for number, account, staked, paid in connection.execute(
            "SELECT round, account, staked, paid FROM round_players"
        ):
            players.setdefault(number, []).append((account, staked, paid))
        rows = connection.execute(
            "SELECT rounds.transfer, round_id, table_id, round_ends.round IS NOT NULL, coalesce(void, false),"
            " coalesce(house, 0), coalesce(fed - paid + reseeded, 0), coalesce(tronc, 0), record"
            " FROM rounds LEFT JOIN round_ends ON round_ends.round = rounds.transfer ORDER BY rounds.transfer"
        ).fetchall()
    return [
        PlayedRound(
            round_id=round_id,
            table=table,
            over=over,
            void=void,
            house=house,
            meter=meter,
            tronc=tronc,
            stakes=tuple(stakes.get(number, ())),
            players=tuple(players.get(number, ())),
            record=record or {},
        )
        for number, round_id, table, over, void, house, meter, tronc, record in rows
    ]


def check_rounds(played: Sequence[PlayedRound], books: Books, blame: Blame) -> None:
    """C1, C3, C4, C8: each has ended, once; nothing is made or lost; what was paid is what its cards come to."""
    keys = Counter(transfer.key for transfer in books.transfers)
    for one in played:
        for check, line in _wrong(one, keys):
            blame(check, one.table, one.round_id, line)
    for code, balance in books.balances.items():
        if code.startswith("stakes:") and balance:
            blame("C1", code.removeprefix("stakes:"), "", f"{balance} still lie there")


def _wrong(one: PlayedRound, keys: Counter[str]) -> list[tuple[str, str]]:
    if not one.over:
        return [("C8", "the round has not ended")]
    found = [
        ("C3", f"{key} is booked {keys[key]} times")
        for key in (f"round:{one.round_id}", f"round:{one.round_id}:bets")
        if keys[key] != 1
    ]
    staked = sum(amount for kind, _, amount in one.stakes if kind != "tip")
    tipped = sum(amount for kind, _, amount in one.stakes if kind == "tip")
    paid = sum(amount for _, _, amount in one.players)
    if one.void:
        return found if paid == staked else [*found, ("C1", f"void, and {paid} of {staked} went back")]
    if tipped != one.tronc or paid + one.house + one.meter != staked:
        found.append(("C1", f"of {staked} are {paid} paid, {one.house} the house's, {one.meter} the meter's"))
    recorded: Counter[int] = Counter()
    for box in one.record["boxes"]:
        recorded[box["account"]] += sum(stake for _, stake, _ in box["bets"])
    booked: Counter[int] = Counter()
    for kind, account, amount in one.stakes:
        booked[account] += 0 if kind == "tip" else amount
    if recorded != booked:
        found.append(("C4", f"its record has the bets {dict(recorded)}, paid were {dict(booked)}"))
    return [*found, *(("C4", line) for line in wrong(one.record))]
