"""One bot in sit-and-gos: registers, plays to the end, looks whether all prizes are paid, and registers again.

`SngPlayer` is the play at the table. What it should have in its wallet it adds up by itself, and compares in the end.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from pokerroom.bots.guest import BotFailed, ComeAgain, Room, code_of
from pokerroom.bots.link import Link, LinkLost
from pokerroom.bots.manner import Habit, Manner, drawn
from pokerroom.bots.policy import Policy, SplitMix64
from pokerroom.bots.sitter import Sitter
from pokerroom.bots.sng_player import SngOutcome, SngPlayer
from pokerroom.bots.tally import Result, TableWatch
from pokerroom_protocol import Code
from pokerroom_protocol import messages as m

LOOK_S: Final = 2.0
"""A message about the start may be lost: it is looked for so often."""
TABLE_S: Final = 30.0
"""A tournament that has started is at a table by then, at whatever node."""
PAID_S: Final = 45.0
"""Prizes are in the wallets by then, whatever happened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What is played: an offer of the room, as far as its bots need to know."""

    offer: str
    seats: int


class Agenda:
    """The tournaments that the bots of a process are to play, as seats to take, one after the other."""

    def __init__(self, tournaments: Iterable[Offer]) -> None:
        self._seats = deque(offer for offer in tournaments for _ in range(offer.seats))
        self._watches: dict[str, TableWatch] = {}

    def take(self) -> Offer | None:
        """The next seat; None when there is none left."""
        return self._seats.popleft() if self._seats else None

    def watch(self, tournament: str) -> TableWatch:
        """What its bots see of a tournament together."""
        return self._watches.setdefault(tournament, TableWatch(tournament))

    def over(self, tournament: str) -> None:
        """It is not looked at any more."""
        self._watches.pop(tournament, None)

    def watches(self) -> list[TableWatch]:
        """All that are looked at."""
        return list(self._watches.values())


@dataclass(slots=True, kw_only=True)
class _Entry:
    """What it is in at the moment."""

    offer: Offer
    tournament: str
    manner: Manner
    buy_in: int
    gone: bool = False
    """It has vanished, and waits for its end."""


class SngBot(Sitter[SngPlayer]):
    """See the module."""

    def __init__(self, room: Room, agenda: Agenda, seed: int) -> None:
        super().__init__(room)
        self._agenda = agenda
        self._policy = Policy(seed)
        self._random = SplitMix64(seed ^ 0x5A5A5A5A)
        self._wanted: Offer | None = None  # a seat that is taken from the agenda, and not registered for yet
        self._entry: _Entry | None = None
        self._balance: int | None = None  # what its wallet should hold
        self._started: dict[str, None] = {}
        self._news = asyncio.Event()

    def stop(self) -> None:
        """Play to the end what has started, and nothing more."""
        self.stopping = True
        self._news.set()

    # --- what a guest is asked ------------------------------------------------------------------------------

    def heard(self, link: Link, fields: dict[str, Any], body: bytes) -> None:
        """See `Guest`."""
        if fields["type"] == "sng_started":
            self._started[fields["tournament"]] = None
            self._news.set()
        else:
            super().heard(link, fields, body)

    def link_lost(self, link: Link) -> None:
        """See `Guest`."""
        super().link_lost(link)
        self._news.set()

    def may_end(self) -> bool:
        """See `Guest`."""
        return self._entry is None

    async def stay(self, link: Link, tables: list[str]) -> bool:
        """See `Guest`."""
        if self._balance is None:
            self._balance = self.wallet
        await self._finds_its_seat(link, tables)
        while True:
            if self._entry is None and not await self._takes_seat(link):
                await self._compare_wallet(link)
                await self.log_out(link)
                return True
            if self._entry is not None and await self._begins(link, self._entry):
                await self._play(link, self._entry)

    # --- before the start -----------------------------------------------------------------------------------

    async def _takes_seat(self, link: Link) -> bool:
        """Takes a seat; False when there is nothing left to play."""
        if self._wanted is None:
            self._wanted = None if self.stopping else self._agenda.take()
        offer = self._wanted
        if offer is None:
            return False
        while True:
            answer = await link.ask(m.RegisterSng(id=link.number(), offer=offer.offer))
            if isinstance(answer, m.SngRegistered):
                self._enters(offer, answer.tournament, answer.buy_in)
                return True
            code = code_of(answer)
            if code in {Code.ALREADY_REGISTERED, Code.UNAVAILABLE}:  # an answer was lost, or may have been
                found = await self._registered(link, offer)
                if found is not None:
                    self.tally.races[code] += 1
                    self._enters(offer, *found)
                    return True
            if code in {Code.TOURNAMENT_FULL, Code.REGISTRATION_CLOSED, Code.ALREADY_REGISTERED}:
                self.tally.races[code] += 1
                await asyncio.sleep(0.2)
            else:
                await self.try_again(answer)

    async def _finds_its_seat(self, link: Link, tables: list[str]) -> None:
        """The answer to a registration was lost, and what it was for has started: there it sits."""
        offer = self._wanted
        name = next((table for table in tables if offer and table.rpartition(".")[0] == offer.offer), None)
        while offer is not None and name is not None and self._entry is None:
            answer = await link.ask(m.ListSitAndGos(id=link.number()))
            if isinstance(answer, m.SitAndGos):
                line = next(line for line in answer.sit_and_gos if line.offer == offer.offer)
                self._enters(offer, name, line.buy_in)
            else:
                await self.try_again(answer)

    async def _registered(self, link: Link, offer: Offer) -> tuple[str, int] | None:
        answer = await link.ask(m.ListSitAndGos(id=link.number()))
        if not isinstance(answer, m.SitAndGos):
            return None
        line = next(line for line in answer.sit_and_gos if line.offer == offer.offer)
        return None if line.your_tournament is None else (line.your_tournament, line.buy_in)

    def _enters(self, offer: Offer, tournament: str, buy_in: int) -> None:
        assert self._balance is not None
        self._balance -= buy_in
        self._wanted = None
        manner = drawn(self._random, together=offer.seats)
        self._entry = _Entry(offer=offer, tournament=tournament, manner=manner, buy_in=buy_in)

    async def _begins(self, link: Link, entry: _Entry) -> bool:
        """Waits for the start; False if it has given its seat back, or got its buy-in back."""
        wants_to_leave = entry.manner.unregisters
        while True:
            if not link.is_open:
                raise LinkLost("before the start")
            if entry.tournament in self._started:
                return True
            if self.stopping or wants_to_leave:
                wants_to_leave = False
                if await self._gives_back(link, entry):
                    return False
            self._news.clear()
            try:
                async with asyncio.timeout(LOOK_S):
                    await self._news.wait()
            except TimeoutError:
                standings = await self._standings(link, entry)
                # who is not among them has given his seat back, and the answer to that was lost
                is_in = any(self.account and player.name == self.account.name for player in standings.players)
                if standings.phase in {"cancelled", "rolled_back"} or not is_in:
                    self._refunded(entry)
                    if standings.phase != "rolled_back":  # it was not played: the seat is still to be taken
                        self._wanted = None if self.stopping else entry.offer
                    return False
                if standings.phase != "registering":
                    return True

    async def _gives_back(self, link: Link, entry: _Entry) -> bool:
        answer = await link.ask(m.UnregisterSng(id=link.number(), offer=entry.offer.offer))
        if isinstance(answer, m.Ok):
            self.tally.unregistered += 1
            self._refunded(entry)
            self._wanted = None if self.stopping else entry.offer
            return True
        code = code_of(answer)
        if code not in {Code.REGISTRATION_CLOSED, Code.NOT_REGISTERED, Code.UNAVAILABLE}:
            raise BotFailed(code)
        self.tally.races[code] += 1  # it has just started
        return False

    def _refunded(self, entry: _Entry) -> None:
        assert self._balance is not None
        self._balance += entry.buy_in
        self._entry = None

    # --- play -----------------------------------------------------------------------------------------------

    async def _play(self, link: Link, entry: _Entry) -> None:
        self.leave_table()
        watch = self._agenda.watch(entry.tournament)
        if entry.gone:
            await self._ended(link, entry)
            return
        self._player = player = SngPlayer(
            link=link,
            table=entry.tournament,
            watch=watch,
            policy=self._policy,
            manner=entry.manner,
            tally=self.tally,
            delay_s=self.room.delay_s,
            came_back_at=self.came_back_at,
        )
        if await self._observes(link, entry):
            outcome, manner = await player.outcome(), entry.manner
            if player.manner_done:
                entry.manner = replace(manner, habit=Habit.STAYS)
            if outcome is SngOutcome.GONE:
                self._hangs_up(link, entry, vanishes=manner.habit is Habit.VANISHES)
        self.leave_table()
        await self._ended(link, entry)

    def _hangs_up(self, link: Link, entry: _Entry, *, vanishes: bool) -> None:
        entry.gone = vanishes
        self.tally.dropped += 1
        self.leave_table()
        link.close()
        self.came_back_at = asyncio.get_running_loop().time()
        raise ComeAgain(entry.manner.away_s)

    async def _observes(self, link: Link, entry: _Entry) -> bool:
        """Whether the table is seen; it may be over already."""
        loop = asyncio.get_running_loop()
        give_up_at = loop.time() + TABLE_S
        while True:
            answer = await link.ask(m.Observe(id=link.number(), table=entry.tournament))
            if isinstance(answer, m.Snapshot):
                return True
            if (await self._standings(link, entry)).phase != "running":
                return False
            if loop.time() > give_up_at:
                raise BotFailed(code_of(answer))
            await self.try_again(answer, allowed=_NOT_THERE_YET)

    async def _ended(self, link: Link, entry: _Entry) -> None:
        """It is out, or all is over: what it has won is noted, and the prizes are, once the last is paid."""
        assert self.account is not None
        assert self._balance is not None
        name, loop = self.account.name, asyncio.get_running_loop()
        overdue_at: float | None = None
        while True:
            standings = await self._standings(link, entry)
            own = next((place for place in standings.places if place.name == name), None)
            is_over = standings.phase != "running"
            if is_over and overdue_at is None:
                overdue_at = loop.time() + PAID_S
            if standings.phase in {"rolled_back", "cancelled"}:
                self._note(entry, Result(phase=standings.phase, expected=0, paid=0))
                self._refunded(entry)
                return
            if not is_over and own is not None:
                break  # others play on, and who wins sees the end
            paid = sum(place.prize for place in standings.places if place.paid)
            expected = sum(standings.prizes)
            if is_over and (paid == expected or (overdue_at is not None and loop.time() > overdue_at)):
                self._note(entry, Result(phase=standings.phase, expected=expected, paid=paid))
                break
            await asyncio.sleep(0.2 if is_over else 1.0)
        self._balance += 0 if own is None else own.prize
        self._entry = None

    def _note(self, entry: _Entry, result: Result) -> None:
        self.tally.results[entry.tournament] = result
        self._agenda.over(entry.tournament)

    async def _standings(self, link: Link, entry: _Entry) -> m.Standings:
        while True:
            answer = await link.ask(m.GetStandings(id=link.number(), tournament=entry.tournament))
            if isinstance(answer, m.Standings):
                return answer
            await self.try_again(answer)

    async def _compare_wallet(self, link: Link) -> None:
        """Every entry, refund and prize is in the wallet to the unit; prizes may take a moment."""
        loop = asyncio.get_running_loop()
        give_up_at = loop.time() + PAID_S
        while True:
            answer = await link.ask(m.GetAccount(id=link.number()))
            if isinstance(answer, m.Account):
                if answer.balance == self._balance:
                    return
                if loop.time() > give_up_at:
                    self.tally.errors["wallet_differs"] += 1
                    return
                await asyncio.sleep(0.5)
            else:
                await self.try_again(answer)


_NOT_THERE_YET: Final = frozenset(
    {
        Code.UNKNOWN_TABLE,
        Code.UNAVAILABLE,
        Code.RATE_LIMITED,
        Code.REQUEST_PENDING,
        Code.TABLE_FROZEN,
        Code.SHUTTING_DOWN,
    }
)
