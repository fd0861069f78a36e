"""Rooms that were played, in a real PostgreSQL: a simulated room is run, and its calls of the ledger are made again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final
from unittest import mock

from psycopg import AsyncConnection
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from pokerroom.adapters import opened_ledger
from pokerroom.bridge import as_future
from pokerroom.chips import Money
from pokerroom.history.statistics.tally import tally_of
from pokerroom.ledger.adjustments import Adjustment
from pokerroom.ledger.archiving import archive_old
from pokerroom.ledger.cashier import CashRequest, RefillTerms
from pokerroom.ledger.checkpoints import CheckpointKey
from pokerroom.ledger.clubs import ClubChips
from pokerroom.ledger.hosted_tables import Gift, HostedLimits, private_offer
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import Acting
from pokerroom.ledger.operators import Role
from pokerroom.ledger.postgres.ledger import PostgresLedger
from pokerroom.ledger.tickets import TicketGift
from pokerroom.ledger.tournaments import Opening, PlaceGiven, owned_as
from pokerroom.ops.config_private_sit_and_go import private_sit_and_go
from pokerroom.simulation import simulated_room
from pokerroom.simulation.faults import NONE, Fault
from pokerroom.simulation.games import GAMES
from pokerroom.simulation.run import end, listening, play
from pokerroom.simulation.simulated_room import SimulatedRoom
from pokerroom.tournament.offers import private_opening_of

KEYS: Final = (bytes(range(32)),)
"""The key with which a simulated room seals cards."""

CASHIER: Final = Acting(who="carla", role="cashier", reason="a test")

_WRITES: Final = (
    "create_account",
    "take_table",
    "release_table",
    "buy_in",
    "top_up",
    "cash_out",
    "settle",
    "open_bank",
    "take_place",
    "close_bets",
    "add_stake",
    "settle_round",
    "void_round",
    "open_tournament",
    "enter",
    "set_sales",
    "buy_chips",
    "add_chips",
    "decline_rebuy",
    "let_out",
    "return_entry",
    "cancel_tournament",
    "start_tournament",
    "seat_entries",
    "close_entries",
    "move_players",
    "pause_tournament",
    "agree_deal",
    "give_places",
    "roll_back_tournament",
    "pay_place",
    "end_ticket",
    "open_hosted_table",
    "join_hosted_table",
    "change_hosted_table",
    "remove_guest",
    "ask_seat",
    "answer_seat",
    "give_host",
    "give_chips",
    "end_hosted_table",
    "create_club",
    "set_club_code",
    "join_club",
    "set_club_role",
    "leave_club",
    "remove_member",
    "move_club_chips",
    "close_club",
    "join_club_table",
    "close_club_table",
)

AHEAD_MS = 10_000_000_000_000
"""Some centuries."""

Call = tuple[str, tuple[Any, ...], dict[str, Any]]


def calls_of(game: str, seed: int, hands: int, faults: frozenset[Fault] = NONE) -> list[Call]:
    """The calls of the ledger that changed something, of a simulated room that was played to its end."""
    calls: list[Call] = []

    class Recorded(MemoryLedger):
        def __getattribute__(self, name: str) -> Any:
            found = super().__getattribute__(name)
            return partial(_recorded, calls, name, found) if name in _WRITES else found

    with mock.patch.object(simulated_room, "MemoryLedger", Recorded):
        room = SimulatedRoom(seed, GAMES[game], faults, strict=True)
        with listening(room):
            room.open()
            play(room, hands)
            end(room)
    assert not room.referee.violations
    return calls


def _recorded(
    calls: list[Call], name: str, method: Callable[..., Deferred[Any]], *args: Any, **named: Any
) -> Deferred[Any]:
    answer = method(*args, **named)
    if not isinstance(getattr(answer, "result", None), Failure):
        calls.append((name, args, named))
    return answer


def _ahead(opening: Opening) -> Opening:
    start = opening.scheduled
    if start is None:
        return opening
    return replace(opening, scheduled=replace(start, starts_ms=start.starts_ms + AHEAD_MS))


async def write(ledger: PostgresLedger, calls: list[Call]) -> None:
    """Make the calls again. Tournaments with a start are still ahead of it by the clock of this ledger."""
    loop = asyncio.get_running_loop()
    for name, args, named in calls:
        if name == "open_tournament":
            args = tuple(_ahead(opening) for opening in args)  # noqa: PLW2901 -- the same call, later
        await getattr(ledger, name)(*args, **named).asFuture(loop)


async def at_the_cashier(ledger: PostgresLedger) -> None:
    """Deposits and withdrawals of every outcome, and adjustments, of an account that does not play.

    Where the room has a tournament with a start, tickets for it, too.
    """
    loop = asyncio.get_running_loop()

    async def done(answer: Deferred[Any]) -> Any:
        return await answer.asFuture(loop)

    account = (await done(ledger.create_account("customer", "-", Money(100_000)))).account
    await done(ledger.add_operator("carla", Role.CASHIER, b"token of carla", by=CASHIER))
    await done(ledger.add_operator("dora", Role.ADMIN, b"token of dora", by=CASHIER))
    await done(ledger.revoke_operator("dora", by=CASHIER))
    await done(ledger.open_source("desk", by=CASHIER))
    await done(ledger.fund_source("first", "desk", Money(10_000_000), by=CASHIER))
    for number, (kind, decision) in enumerate(
        [
            ("deposit", True),
            ("deposit", False),
            ("deposit", None),
            ("withdrawal", True),
            ("withdrawal", False),
            ("withdrawal", None),
        ]
    ):
        asked = CashRequest(
            account=account, key=f"k{number}", kind=kind, amount=Money(1_000 + number), source="desk"
        )
        found = await done(ledger.request_cash(asked, waiting_max=9))
        if decision is not None:
            await done(ledger.decide_cash(found.number, approve=decision, note="", by=CASHIER))
    for key, amount in ("up", 700), ("down", -300):
        moved = Adjustment(account=account, key=key, amount=amount, source="desk")
        await done(ledger.adjust(moved, by=CASHIER))
    await _at_the_refills(ledger)
    await _at_the_help_desk(ledger)
    for target in (await done(ledger.scheduled_tournaments(0)))[:1]:
        gift = TicketGift(account=account, key="g1", offer=target.opening.offer, days=30, source="desk")
        await done(ledger.give_ticket(gift, by=CASHIER))
        ended = await done(ledger.give_ticket(replace(gift, key="g2"), by=CASHIER))
        await done(ledger.end_ticket(ended.number, by=CASHIER))


async def _at_the_refills(ledger: PostgresLedger) -> None:
    """Refills of an account that loses all, by the terms of two settings."""
    loop = asyncio.get_running_loop()

    async def done(answer: Deferred[Any]) -> Any:
        return await answer.asFuture(loop)

    poor = (await done(ledger.create_account("poor", "-", Money(30)))).account
    for key, to in ("r1", 500), ("r2", 600), ("r3", 600):
        terms = RefillTerms(source="desk", floor=Money(100), to=Money(to), every_s=0)
        await done(ledger.refill(poor, key, terms))
        spent = CashRequest(account=poor, key=key, kind="withdrawal", amount=Money(to - 20), source="desk")
        paid = await done(ledger.request_cash(spent, waiting_max=9))
        await done(ledger.decide_cash(paid.number, approve=True, note="", by=CASHIER))


async def _at_the_help_desk(ledger: PostgresLedger) -> None:
    """Accounts that are locked, unlocked, excluded, and with a limit."""
    loop = asyncio.get_running_loop()

    async def done(answer: Deferred[Any]) -> Any:
        return await answer.asFuture(loop)

    for name in ("locked", "unlocked", "away", "careful"):
        other = (await done(ledger.create_account(name, "-", Money(0)))).account
        if name in {"locked", "unlocked"}:
            await done(ledger.lock_out(other, by=CASHIER))
        if name == "unlocked":
            await done(ledger.unlock(other, by=CASHIER))
        if name == "away":
            await done(ledger.exclude(other, 30, by=CASHIER))
            await done(ledger.exclude(other, None, by=CASHIER))
        if name == "careful":
            for value in (500, 300, 400):
                await done(ledger.set_limit(other, "loss", "day", value))


async def at_the_wallet(ledger: PostgresLedger) -> None:
    """Debits of the operator's wallet of every outcome, and credits: one done, one that waits."""
    loop = asyncio.get_running_loop()

    async def done(answer: Deferred[Any]) -> Any:
        return await answer.asFuture(loop)

    account = (await done(ledger.create_account("wanda", "-", Money(0)))).account
    await done(ledger.link_wallet(account, "p-1", by=CASHIER))
    for needed, outcome in ((500, "done"), (900, "refused"), (700, "undone"), (800, "done")):
        debit = await done(ledger.ask_wallet_debit(account, None, Money(needed), 60))
        await done(ledger.end_wallet_debit(debit.number, outcome))
        if outcome == "done":
            await done(ledger.queue_wallet_credits(0, 9))
    credit, *_ = await done(ledger.claim_wallet_transfers(1, 60))
    await done(ledger.end_wallet_transfer(credit))


async def at_the_club(ledger: PostgresLedger) -> None:
    """A club that issued chips and took some back, with one member at its table and another that left it.

    Of its sit-and-gos one fills, one was cancelled, and one was ended by an operator, which shared the prizes.
    """
    loop = asyncio.get_running_loop()

    async def done(answer: Deferred[Any]) -> Any:
        return await answer.asFuture(loop)

    club, table = "a" * 10, "host:club"
    owner, member = [
        (await done(ledger.create_account(name, "-", Money(1_000)))).account for name in ("olga", "mia")
    ]
    await done(ledger.create_club(club, owner, "Fridays", "invited", 1))
    await done(ledger.create_club("b" * 10, member, "Sundays", "other", 1))
    await done(ledger.join_club("other", owner))
    await done(ledger.leave_club("b" * 10, owner))
    await done(ledger.close_club("b" * 10, member))
    await done(ledger.set_club_code(club, owner, "again", 3600))
    await done(ledger.join_club("again", member))
    for name, role in (("mia", "manager"), ("mia", "member")):
        await done(ledger.set_club_role(club, owner, name, role, 1))
    for key, name, amount in (("k1", "olga", 900), ("k2", "mia", 700), ("k3", "mia", -100)):
        await done(
            ledger.move_club_chips(ClubChips(club=club, manager=owner, name=name, key=key, amount=amount))
        )
    terms = {"name": "Friday", "small_blind": 50, "seats": 6, "chat": True}
    limits = HostedLimits(per_account=1, in_room=99)
    await done(ledger.open_hosted_table(table, owner, terms, "link", limits, club=club))
    await done(ledger.join_club_table(table, member))
    epoch = await done(ledger.take_table(table, "n1", 0))
    for seat, account in enumerate((owner, member)):
        key = f"buyin:{account:032x}"
        await done(ledger.buy_in(key, table, epoch, seat, account, Money(400), 9))
    await done(ledger.cash_out(f"cashout:{member:032x}", table, epoch, member))
    for number in range(1, 4):
        opening, code = _of_friends(number), f"link-{number}"
        limits = HostedLimits(per_account=9, in_room=99)
        await done(ledger.open_hosted_sit_and_go(owner, opening, {"name": "Friday"}, code, limits, club=club))
        await done(ledger.join_club_table(f"host:sng{number}", member))
        for account in (owner, member):
            await done(ledger.enter(opening.tournament, account, 1))
    await done(ledger.return_entry("private:sng1.1", member, 1))
    await done(ledger.cancel_tournament("private:sng2.1"))
    last = "private:sng3.1"
    await done(ledger.change_hosted_sit_and_go("host:sng3", owner, "start", ""))
    epoch = await done(ledger.take_table(owned_as(last), "n1", 0))
    await done(ledger.start_tournament(last, epoch, [owner, member], 1_500))
    await done(ledger.close_entries(last, epoch, 2, [Money(140), Money(60)]))
    shared = [PlaceGiven(place=1, account=one, prize=Money(100)) for one in (owner, member)]
    await done(ledger.give_places(last, epoch, 1, shared, rolled_forward=True))
    await done(ledger.pay_place(last, 1))
    await done(ledger.pay_place(last, 2))


def _of_friends(number: int) -> Opening:
    """A sit-and-go for 1.00 with three seats, as a host opens it."""
    terms = {
        "name": "Friday",
        "start": "2100-01-01T00:00:00+00:00",
        "players_max": 3,
        "seats_per_table": 3,
        "buy_in": 100,
        "starting_stack": 1_500,
        "prize_shares": [7_000, 3_000],
        "levels": [{"small_blind": 10, "big_blind": 20}],
        "level_s": 300,
        "hourly_breaks": False,
    }
    offer = private_sit_and_go(private_offer(f"host:sng{number}"), terms)
    return private_opening_of(offer, 4_102_444_800_000)


async def at_a_private_table(ledger: PostgresLedger) -> None:
    """A table of which each of two hosts, one after the other, gives chips to the other."""
    loop = asyncio.get_running_loop()

    async def done(answer: Deferred[Any]) -> Any:
        return await answer.asFuture(loop)

    table, limits = "host:private", HostedLimits(per_account=1, in_room=99)
    first, second = [
        (await done(ledger.create_account(name, "-", Money(1_000)))).account for name in ("henry", "ida")
    ]
    await done(ledger.open_hosted_table(table, first, {"name": "Monday"}, "private link", limits))
    await done(ledger.join_hosted_table("private link", second))
    await done(ledger.give_chips(Gift(table=table, giver=first, name="ida", key="g1", amount=Money(70))))
    await done(ledger.give_host(table, first, "ida", limits))
    await done(ledger.give_chips(Gift(table=table, giver=second, name="henry", key="g1", amount=Money(50))))


async def at_private_sit_and_gos(ledger: PostgresLedger) -> None:
    """One that fills, one that its host has cancelled, and one that starts: with two of three players."""
    loop = asyncio.get_running_loop()

    async def done(answer: Deferred[Any]) -> Any:
        return await answer.asFuture(loop)

    limits = HostedLimits(per_account=9, in_room=99)
    terms = {"name": "Friday", "start": "2030-01-01T20:00:00+00:00", "players_max": 3, "seats_per_table": 3}
    terms |= {"buy_in": 300, "starting_stack": 1_500, "prize_shares": [10_000]}
    terms |= {"level_s": 300, "levels": [{"small_blind": 10, "big_blind": 20}]}
    host, guest = [
        (await done(ledger.create_account(name, "-", Money(1_000)))).account for name in ("kim", "lou")
    ]
    for number, order in enumerate(("", "cancel", "start")):
        table, code = f"host:friday{number}", f"friday {number}"
        opening = private_opening_of(private_sit_and_go(private_offer(table), terms), 4_000_000_000_000)
        await done(ledger.open_hosted_sit_and_go(host, opening, {"name": "Friday"}, code, limits))
        await done(ledger.join_hosted_table(code, guest))
        for account in (host, guest):
            await done(ledger.enter(opening.tournament, account, 1))
        if order == "cancel":
            await done(ledger.cancel_tournament(opening.tournament))
        elif order:
            await done(ledger.change_hosted_sit_and_go(table, host, "start", ""))


_AGELESS: Final = """
CREATE OR REPLACE FUNCTION archive_bound(before timestamptz) RETURNS bigint LANGUAGE sql STABLE
    AS 'SELECT {} FROM transfers';
CREATE OR REPLACE FUNCTION goes_to_archive(was jsonb, becomes jsonb, is_round boolean) RETURNS boolean
    LANGUAGE sql STABLE AS 'SELECT true'
"""


async def archived(url: str, folder: Path, until: str = "max(id) / 2") -> int:
    """Archive records that may go, of transfers up to this number, as if they were old. Return how many."""
    async with await AsyncConnection.connect(url, autocommit=True) as owner:
        cursor = await owner.execute(
            "SELECT pg_get_functiondef(name) FROM unnest('{archive_bound,goes_to_archive}'::regproc[]) AS name"
        )
        own = await cursor.fetchall()
        await owner.execute(_AGELESS.format(until).encode())
        async with opened_ledger(url) as ledger:
            done = await as_future(archive_old(ledger, folder, AHEAD_MS, CASHIER, batch=4))
        for (definition,) in own:
            await owner.execute(definition.encode())
    return done.records


async def counted(ledger: PostgresLedger) -> None:
    """The statistics of all that was played."""
    found = await ledger.count_statistics(tally_of).asFuture(asyncio.get_running_loop())
    assert found is not None
    assert not found.more
    assert not found.unread


async def signed(ledger: PostgresLedger) -> None:
    """Two checkpoints: of all that was played, and of a line of the operators' log. No transaction is open."""
    loop = asyncio.get_running_loop()
    key = CheckpointKey(KEYS[0])
    assert await ledger.write_checkpoint(key, open_s=0).asFuture(loop) is not None
    await ledger.close_source("desk", by=CASHIER).asFuture(loop)
    assert await ledger.write_checkpoint(key, open_s=0).asFuture(loop) is not None
