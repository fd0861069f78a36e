"""Sit-and-gos under the nemesis: a swarm plays them all the time through each node, and the ledger is looked at after.

The swarm is the room's own (`pokerroom swarm --sng`, see `swarms`) for as long as the run lasts; at the end it plays
out what has started and leaves the rest. What must hold is then read from the ledger alone: every tournament has ended,
each place is given and paid once, to the unit, and no escrow holds anything.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import psycopg

from tests.chaos.records import Books
from tests.chaos.stage import Blow, NotReached, Stage
from tests.chaos.swarms import Blame, Swarms

OFFERS: Final = """
[[sit_and_go]]
id = "six"
seats = 6
buy_in = 300
fee = 60
prizes = [1_000, 440]
{fast}
[[sit_and_go]]
id = "ten"
seats = 10
buy_in = 300
fee = 60
prizes = [1_200, 700, 500]
{fast}
"""
_FAST: Final = """
level_hands = 4
action_clock_s = 2
countdown_s = 1
hand_pause_ms = 0
levels = [
    { small_blind = 25 }, { small_blind = 50 }, { small_blind = 100 }, { small_blind = 200 },
    { small_blind = 400 }, { small_blind = 800 }, { small_blind = 1_600 },
]
"""
CONFIG: Final = OFFERS.replace("{fast}", _FAST)

LEAVE_S: Final = 150.0
PAID_S: Final = 30.0
REDELIVERED: Final = 10

_FIGURES: Final = ("finished", "prizes_expected", "prizes_paid", "hands", "actions", "dropped", "left")
_OURS: Final = ("wallet_differs", "swarm_fault", "cannot_reconnect", "received_bad_message")
"""What no fault excuses."""


class SngSwarms(Swarms):
    """In sit-and-gos, of which there are more than they can play."""

    name = "sit-and-gos"
    arguments = ("--sng", "100000")

    async def leave(self, blame: Blame) -> dict[str, Any]:
        """They play out what has started; what they tell, added up."""
        for number in await self.stopped(LEAVE_S):
            blame("C8", "", "", f"the sit-and-gos of swarm {number} have not ended within {LEAVE_S:.0f} s")
        sums, errors = self.told(_FIGURES, blame)
        if sums["prizes_paid"] != sums["prizes_expected"]:
            blame("C4", "", "", f"{sums['prizes_paid']} of {sums['prizes_expected']} were seen to be paid")
        for name in _OURS:
            if errors[name]:
                blame("C4" if name == "wallet_differs" else "C8", "", "", f"{name}: {errors[name]}")
        return {**sums, "errors": dict(sorted(errors.items()))}


# --- a fault of its own -------------------------------------------------------------------------------------------


async def payouts_again(stage: Stage) -> Blow:
    """Every place that was ever given is published again, ten times over, to all nodes."""
    at = stage.now()
    async with stage.database() as connection:
        cursor = await connection.execute("SELECT tournament, number FROM tournament_places WHERE prize > 0")
        places = await cursor.fetchall()
    if not places:
        raise NotReached("no place is given yet")
    client = stage.services.redis_writer()
    try:
        pipeline = client.pipeline(transaction=False)
        for tournament, number in places * REDELIVERED:
            pipeline.xadd("{sng}:payouts", {"tournament": tournament, "number": number})
        await asyncio.to_thread(pipeline.execute)
    finally:
        client.close()
    blow = stage.everywhere("payouts_again", at, f"{len(places)} places, {REDELIVERED} times")
    blow.takeover = True  # there is nothing to heal
    return blow


# --- what must hold -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """One tournament of the ledger. `places` are (number, place, account, prize, transfer that paid it)."""

    tournament: str
    phase: str
    seats: int
    buy_in: int
    fee: int
    prizes: tuple[int, ...]
    players: tuple[int, ...]
    places: tuple[tuple[int, int, int, int, int | None], ...]


def wait_paid(database_url: str) -> None:
    """Until every prize is paid, or `PAID_S` are over. Blocks."""
    with psycopg.connect(database_url, connect_timeout=3, autocommit=True) as connection:
        give_up = time.monotonic() + PAID_S
        while time.monotonic() < give_up:
            left = connection.execute(
                "SELECT count(*) FROM tournament_places WHERE paid IS NULL AND prize > 0"
            ).fetchone()
            if left == (0,):
                return
            time.sleep(0.5)


def read_played(database_url: str) -> list[Played]:
    """All tournaments that there ever were. Blocks."""
    with psycopg.connect(database_url) as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        rows = connection.execute(
            "SELECT id, phase, seats, buy_in, fee, prizes FROM tournaments ORDER BY id"
        ).fetchall()
        players: dict[str, list[int]] = {}
        for tournament, account in connection.execute(
            "SELECT tournament, account FROM tournament_entries WHERE NOT returned"
        ):
            players.setdefault(tournament, []).append(account)
        places: dict[str, list[tuple[int, int, int, int, int | None]]] = {}
        for tournament, *place in connection.execute(
            "SELECT tournament, number, place, account, prize, paid FROM tournament_places ORDER BY number"
        ):
            places.setdefault(tournament, []).append(tuple(place))
    return [
        Played(
            tournament=tournament,
            phase=phase,
            seats=seats,
            buy_in=buy_in,
            fee=fee,
            prizes=tuple(prizes),
            players=tuple(players.get(tournament, ())),
            places=tuple(places.get(tournament, ())),
        )
        for tournament, phase, seats, buy_in, fee, prizes in rows
    ]


def check_tournaments(played: Sequence[Played], books: Books, blame: Blame) -> None:
    """C1, C4, C8: each has ended, or has no client in it; its prizes are its table's, each paid once; no escrow."""
    keyed = {transfer.key: transfer for transfer in books.transfers}
    counted = Counter(transfer.key for transfer in books.transfers)
    fees = 0
    check_chips(played, books, blame)
    for one in played:
        for check, line in _wrong(one, keyed, counted):
            blame(check, one.tournament, "", line)
        held = books.balances.get(f"escrow:{one.tournament}", 0)
        if held:
            blame("C1", one.tournament, "", f"its escrow holds {held} in the end")
        if one.phase in {"running", "finished", "rolled_forward"}:
            fees += one.seats * one.fee
    if books.balances.get("fees", 0) != fees:
        blame("C1", "", "", f"the house holds {books.balances.get('fees', 0)} of fees, {fees} were due")
    given = {
        f"sng:{one.tournament}:place:{number}"
        for one in played
        for number, _, _, prize, _ in one.places
        if prize
    }
    for key in keyed:
        if key.startswith("sng:") and ":place:" in key and key not in given:
            blame("C4", "", "", f"{key} pays for a place that nobody has")


def check_chips(played: Sequence[Played], books: Books, blame: Blame) -> None:
    """C1: each hand of a tournament begins with the chips that the one before has left, and none is made or lost."""
    stacks: dict[str, dict[int, int]] = {one.tournament: {} for one in played}
    for hand in books.hands:
        left = stacks.get(hand.table)
        if left is None:
            continue
        begun = {seat["account"]: seat["stack"] for seat in hand.record["seats"]}
        ended = {seat["account"]: seat["end"] for seat in hand.record["seats"]}
        alive = {account: stack for account, stack in left.items() if stack}
        if left and begun != alive:
            blame("C1", hand.table, hand.hand_id, f"it begins with {begun}, the one before has left {alive}")
        if sum(begun.values()) != sum(ended.values()):
            blame("C1", hand.table, hand.hand_id, f"from {begun} to {ended}")
        stacks[hand.table] = ended


def _wrong(one: Played, keyed: dict[str, Any], counted: Counter[str]) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    if one.phase == "running":
        return [("C8", f"it has not ended: {len(one.places)} of {one.seats} places are given")]
    if one.phase == "registering":
        return [("C8", f"{len(one.players)} of {one.seats} wait in it for ever")] if one.players else []
    if one.phase not in {"finished", "rolled_forward"}:
        return [("C8", f"it is {one.phase}, and nobody has asked for that")]
    if [number for number, *_ in one.places] != list(range(1, one.seats + 1)):
        found.append(("C4", f"the places {[number for number, *_ in one.places]} are given"))
    if sorted(account for _, _, account, _, _ in one.places) != sorted(one.players):
        found.append(("C4", "places and players are not the same accounts"))
    if sum(prize for _, _, _, prize, _ in one.places) != sum(one.prizes):
        found.append(("C4", f"the prizes {[prize for _, _, _, prize, _ in one.places]} are not {one.prizes}"))
    for number, _, account, prize, paid in one.places:
        if not prize:
            continue
        key = f"sng:{one.tournament}:place:{number}"
        legs = {f"escrow:{one.tournament}": -prize, f"wallet:{account}": prize}
        if paid is None or counted[key] != 1 or dict(keyed[key].legs) != legs:
            found.append(("C4", f"place {number} with {prize} is paid {counted[key]} times"))
    return found
