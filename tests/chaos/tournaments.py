"""Tournaments under the nemesis: a swarm plays sit-and-gos all the time through each node, and the ledger is looked at.

The swarm is the room's own (`pokerroom swarm --sng`, see `swarms`) for as long as the run lasts; at the end it plays
out what has started and leaves the rest. What must hold is then read from the ledger alone, also of tournaments that
start at a time (`fields`): every tournament has ended, each place is given and paid once, to the unit, what was paid in
and the overlay are the prizes, bounties and fees, and no escrow holds anything.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import psycopg

from tests.chaos.records import Books, Transfer
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

_KEY: Final = re.compile(r"sng:((?:private:)?[^:]+):")

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
    """One tournament of the ledger. `places` are (number, place, account, prize, transfer that paid it).

    `players` are the accounts that are in it, `sold` what each rebuy and add-on brought to prizes and to fees.
    """

    tournament: str
    phase: str
    seats: int
    buy_in: int
    fee: int
    prizes: tuple[int, ...]
    players: tuple[int, ...]
    places: tuple[tuple[int, int, int, int, int | None], ...]
    starts: bool = False
    """It starts at a time, and not when it is full."""
    players_min: int = 0
    entries: int = 0
    """Those of it, with re-entries."""
    bounty: int = 0
    guarantee: int = 0
    sold: tuple[tuple[int, int], ...] = ()
    ended_s: float | None = None
    """When it ended, by the clock of PostgreSQL."""
    seat_value: int = 0
    """What a ticket of a satellite is worth; 0: it pays money."""

    @property
    def has_started(self) -> bool:
        """Whether its fees are the house's."""
        return self.phase in {"running", "finished", "rolled_forward"}

    @property
    def fees(self) -> int:
        """What the house is due."""
        entries = self.entries if self.starts else self.seats
        return entries * self.fee + sum(fee for _, fee in self.sold)

    @property
    def brought(self) -> int:
        """What players have paid for the prizes."""
        entries = self.entries if self.starts else self.seats
        return entries * (self.buy_in - self.fee - self.bounty) + sum(prize for prize, _ in self.sold)


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
            "SELECT id, phase, seats, buy_in, fee, prizes, starts_ms IS NOT NULL, coalesce(players_min, 0), bounty,"
            " coalesce(guarantee, 0), extract(epoch FROM ended)::float8, ticket_value FROM tournaments ORDER BY id"
        ).fetchall()
        players: dict[str, list[int]] = {}
        entries: Counter[str] = Counter()
        for tournament, account, replaced in connection.execute(
            "SELECT tournament, account, replaced FROM tournament_entries WHERE NOT returned"
        ):
            entries[tournament] += 1
            if not replaced:
                players.setdefault(tournament, []).append(account)
        sold: dict[str, list[tuple[int, int]]] = {}
        for tournament, prize, fee in connection.execute(
            "SELECT tournament, prize, fee FROM tournament_purchases JOIN tournament_sales USING (tournament, kind)"
        ):
            sold.setdefault(tournament, []).append((prize, fee))
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
            starts=starts,
            players_min=players_min,
            entries=entries[tournament],
            bounty=bounty,
            guarantee=guarantee,
            sold=tuple(sold.get(tournament, ())),
            ended_s=ended_s,
            seat_value=seat_value,
        )
        for (
            tournament,
            phase,
            seats,
            buy_in,
            fee,
            prizes,
            starts,
            players_min,
            bounty,
            guarantee,
            ended_s,
            seat_value,
        ) in rows
    ]


def check_tournaments(
    played: Sequence[Played], books: Books, blame: Blame, changed: Collection[str] = ()
) -> None:
    """C1, C4, C8: each has ended, or has no client in it; its prizes are its table's, each paid once; no escrow.

    Those of the offers that an operator has `changed` may be cancelled.
    """
    keyed = {transfer.key: transfer for transfer in books.transfers}
    counted = Counter(transfer.key for transfer in books.transfers)
    fees = sum(one.fees for one in played if one.has_started)
    flows = flows_of(books.transfers)
    check_chips([one for one in played if not one.starts], books, blame)
    for one in played:
        may_be_cancelled = one.starts or one.tournament.rpartition(".")[0] in changed
        for check, line in _wrong(one, keyed, counted, may_be_cancelled=may_be_cancelled):
            blame(check, one.tournament, "", line)
        for check, line in _wrong_money(one, flows[one.tournament]):
            blame(check, one.tournament, "", line)
        for account in ("escrow", "bounties"):
            held = books.balances.get(f"{account}:{one.tournament}", 0)
            if held:
                blame("C1", one.tournament, "", f"its {account} holds {held} in the end")
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


def tournament_of_key(key: str) -> str:
    """The tournament of the key of a transfer: `six.1`, or `private:a.1`."""
    found = _KEY.match(key)
    assert found is not None, key
    return found[1]


def flows_of(transfers: Sequence[Transfer]) -> defaultdict[str, Counter[str]]:
    """What each tournament moved by all of its transfers, by kind of transfer and of account: `prize wallet`."""
    flows: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for transfer in transfers:
        if transfer.key.startswith("sng:"):
            tournament = tournament_of_key(transfer.key)
            for code, amount in transfer.legs:
                flows[tournament][f"{transfer.kind} {code.partition(':')[0]}"] += amount
    return flows


def _wrong_money(one: Played, flows: Counter[str]) -> list[tuple[str, str]]:
    """C1 of one that starts at a time: what came in is what went out, each kind what its terms say.

    Of a cancelled one of any kind: all of it went back.
    """
    if one.phase == "cancelled":
        one = replace(one, starts=True, sold=())  # no seat was played for
    if not one.starts or one.phase not in {"finished", "cancelled"}:
        return []
    paid = -sum(
        flows[f"{kind} {payer}"]
        for kind in ("entry", "late_entry", "rebuy", "add_on", "entry_return", "cancellation")
        for payer in ("wallet", "tickets")
    )
    overlay = max(0, one.guarantee - one.brought) if one.phase == "finished" else 0
    due = {
        "paid in": (paid, one.entries * one.buy_in + sum(map(sum, one.sold))),
        "overlay": (-flows["overlay bank"], overlay),
        "prizes": (flows["prize wallet"] + flows["prize tickets"], one.brought + overlay),
        "bounties": (flows["bounty wallet"], one.entries * one.bounty),
        "fees": (sum(amount for name, amount in flows.items() if name.endswith(" fees")), one.fees),
    }
    found = [
        ("C1", f"{name}: {moved} moved, {wanted} due")
        for name, (moved, wanted) in due.items()
        if moved != wanted
    ]
    out = sum(due[name][0] for name in ("prizes", "bounties", "fees"))
    if paid - flows["overlay bank"] != out:
        found.append(
            ("C1", f"{paid} paid and {-flows['overlay bank']} overlay are not the {out} that went out")
        )
    if flows["cancellation wallet"] + flows["cancellation tickets"] >= one.players_min * one.buy_in > 0:
        found.append(("C8", "it was cancelled with enough players"))
    return found


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


def _not_ended(one: Played, *, may_be_cancelled: bool) -> str | None:
    """What is wrong with its phase; None of one that is not to be played, or was played to its end."""
    if one.phase == "running":
        return f"it has not ended: {len(one.places)} of {len(one.players)} places are given"
    if one.phase == "registering":
        return f"{len(one.players)} of {one.seats} wait in it for ever" if one.players else None
    if one.has_started or (one.phase == "cancelled" and may_be_cancelled):
        return None
    return f"it is {one.phase}, and no order asked for that"


def _wrong(
    one: Played, keyed: dict[str, Any], counted: Counter[str], *, may_be_cancelled: bool
) -> list[tuple[str, str]]:
    wrong = _not_ended(one, may_be_cancelled=may_be_cancelled)
    if wrong is not None or not one.has_started:
        return [] if wrong is None else [("C8", wrong)]
    found: list[tuple[str, str]] = []
    count = len(one.players) if one.starts else one.seats
    if [number for number, *_ in one.places] != list(range(1, count + 1)):
        found.append(("C4", f"the places {[number for number, *_ in one.places]} are given"))
    if sorted(account for _, _, account, _, _ in one.places) != sorted(one.players):
        found.append(("C4", "places and players are not the same accounts"))
    if sum(prize for _, _, _, prize, _ in one.places) != sum(one.prizes):
        found.append(("C4", f"the prizes {[prize for _, _, _, prize, _ in one.places]} are not {one.prizes}"))
    for number, _, account, prize, paid in one.places:
        if not prize:
            continue
        key = f"sng:{one.tournament}:place:{number}"
        if paid is None or counted[key] != 1 or not _pays(dict(keyed[key].legs), one, account, prize):
            found.append(("C4", f"place {number} with {prize} is paid {counted[key]} times"))
    return found


def _pays(legs: dict[str, int], one: Played, account: int, prize: int) -> bool:
    """Whether these legs pay a prize: as money, or as a ticket and what is more than its value as money."""
    seats = {0, one.seat_value} if prize >= one.seat_value else {0}
    for seat in seats:
        due = {
            f"escrow:{one.tournament}": -prize,
            f"wallet:{account}": prize - seat,
            f"tickets:{account}": seat,
        }
        if legs == {code: amount for code, amount in due.items() if amount}:
            return True
    return False
