"""Tables against the house under the nemesis: a swarm bets all the time through each node, and the ledger is looked at.

The swarm is the room's own (`pokerroom swarm --ultimate`, see `swarms`) for as long as the run lasts. What must hold is
then read from the ledger alone: every round has ended once, settled or void, with the money that went in, and what was
paid is what its cards come to, reckoned again apart from the code that played it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import psycopg

from pokerroom.bots.ultimate_swarm import LEAVE_S as SWARM_LEAVE_S
from pokerroom.simulation.checks.ultimate_results import wrong
from tests.chaos.records import Books
from tests.chaos.swarms import Blame, Swarms

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

LEAVE_S: Final = SWARM_LEAVE_S + 10
"""A swarm ends within its own limit, with a report of what is stuck."""
END_S: Final = 60.0
"""Rounds in progress are decided by their clocks within this."""

_FIGURES: Final = ("rounds", "decisions", "decided_by_clock", "vanished", "disconnects")


class RoundSwarms(Swarms):
    """At the tables against the house, with more rounds before them than they can play."""

    name = "rounds"
    arguments = ("--ultimate", "--hands", "1000000")

    async def leave(self, blame: Blame) -> dict[str, Any]:
        """They stop where they are; what they tell, added up."""
        for number, process in enumerate(self.processes, 1):
            if process.poll() is not None:
                blame("C8", "", "", f"swarm {number} at tables against the house has ended by itself")
        for number in await self.stopped(LEAVE_S):
            blame(
                "C8",
                "",
                "",
                f"swarm {number} at tables against the house has not ended within {LEAVE_S:.0f} s",
            )
        sums, errors = self.told(_FIGURES, blame)
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
