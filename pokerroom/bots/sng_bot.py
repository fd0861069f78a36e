"""One bot in sit-and-gos: it registers, plays to the end, checks that all prizes are paid, and registers again.

`SngBotPlayer` plays at the table. The bot adds up what its wallet should hold, and compares the two at the end.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from msgspec import structs

from pokerroom.bots.absence_plan import Absence, AbsencePlan, draw_absence_plan
from pokerroom.bots.connection import BotConnection, BotConnectionLost
from pokerroom.bots.policy import Policy, SplitMix64
from pokerroom.bots.sng_player import SngBotPlayer, SngOutcome
from pokerroom.bots.swarm_client import BotFailed, Reconnect, SwarmContext, code_of
from pokerroom.bots.table_bot import TableBot
from pokerroom.bots.tally import SngResult, TableWatch
from pokerroom_protocol import Code
from pokerroom_protocol import messages as m

LOOK_S: Final = 2.0
"""How often the bot asks whether its tournament has started: the message may be lost."""
TABLE_S: Final = 30.0
"""How long a started tournament may take to have a table, on any node."""
PAID_S: Final = 45.0
"""How long prizes may take to arrive in the wallets."""
NEXT_ONE: Final = frozenset({Code.TOURNAMENT_FULL, Code.REGISTRATION_CLOSED, Code.ALREADY_REGISTERED})
"""Refusals of a sit-and-go of which the next one is about to open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SngOffer:
    """An offer of the room, as far as the bots need it."""

    offer: str
    seats: int
    since: str | None = None
    """The tournament that registers next."""
    scheduled: str | None = None
    """The tournament itself, if it starts at a time; then the bots enter this one."""


class SngAgenda:
    """The tournaments that the bots of one process play, as a queue of seats."""

    def __init__(self, tournaments: Iterable[SngOffer]) -> None:
        self._seats = deque(offer for offer in tournaments for _ in range(offer.seats))
        self._watches: dict[str, TableWatch] = {}

    def take(self) -> SngOffer | None:
        """Return the next seat; None when no seat is left."""
        return self._seats.popleft() if self._seats else None

    def watch(self, tournament: str) -> TableWatch:
        """Return the shared watch of a tournament."""
        return self._watches.setdefault(tournament, TableWatch(tournament))

    def over(self, tournament: str) -> None:
        """Stop watching a tournament."""
        self._watches.pop(tournament, None)

    def watches(self) -> list[TableWatch]:
        """Return the watches of all tournaments."""
        return list(self._watches.values())


@dataclass(slots=True, kw_only=True)
class SngEntry:
    """The bot's current entry."""

    offer: SngOffer
    tournament: str
    absence: AbsencePlan
    buy_in: int
    gone: bool = False
    """The bot has disconnected, and waits for the end of the tournament."""


class SngBot(TableBot[SngBotPlayer]):
    """See the module."""

    def __init__(self, room: SwarmContext, agenda: SngAgenda, seed: int) -> None:
        super().__init__(room)
        self.agenda = agenda
        self.policy = Policy(seed)
        self._random = SplitMix64(seed ^ 0x5A5A5A5A)
        self.wanted: SngOffer | None = None
        """The next seat of the agenda, taken but not registered for yet."""
        self.entry: SngEntry | None = None
        self.expected_balance: int | None = None
        """What the wallet should hold, by the bot's own books."""
        self.started: dict[str, None] = {}
        self.news = asyncio.Event()

    def stop(self) -> None:
        """Finish the current tournament, and register no more."""
        self.stopping = True
        self.news.set()

    # --- what a client implements ------------------------------------------------------------------------------

    def heard(self, link: BotConnection, fields: dict[str, Any], body: bytes) -> None:
        if fields["type"] == "sng_started":
            self.started[fields["tournament"]] = None
            self.news.set()
        else:
            super().heard(link, fields, body)

    def link_lost(self, link: BotConnection) -> None:
        super().link_lost(link)
        self.news.set()

    def may_end(self) -> bool:
        return self.entry is None

    async def stay(self, link: BotConnection, tables: list[str]) -> bool:
        if self.expected_balance is None:
            self.expected_balance = self.wallet
        await self._find_started(link, tables)
        while True:
            if self.entry is None and not await self.register_next(link):
                await self.compare_wallet(link)
                await self.log_out(link)
                return True
            if self.entry is not None and await self.await_start(link, self.entry):
                await self.play(link, self.entry)

    # --- before the start -----------------------------------------------------------------------------------

    async def register_next(self, link: BotConnection) -> bool:
        """Register for the next seat; return False when no seat is left."""
        if self.wanted is None:
            self.wanted = None if self.stopping else self.agenda.take()
        offer = self.wanted
        if offer is None:
            return False
        while True:
            answer = await link.ask(self.entry_request(link, offer))
            if isinstance(answer, m.SngRegistered | m.TournamentRegistered):
                self.enter(offer, answer.tournament, answer.buy_in)
                return True
            code = code_of(answer)
            if code in {Code.ALREADY_REGISTERED, Code.UNAVAILABLE}:  # an answer may have been lost
                found = await self.registered(link, offer)
                if found is not None:
                    self.tally.races[code] += 1
                    self.enter(offer, *found)
                    return True
            if offer.scheduled is None and code in NEXT_ONE:
                self.tally.races[code] += 1
                await asyncio.sleep(0.2)
            else:
                await self.try_again(answer)

    def entry_request(self, link: BotConnection, offer: SngOffer) -> m.RegisterSng | m.RegisterTournament:
        """Return the request for an entry."""
        return m.RegisterSng(id=link.number(), offer=offer.offer)

    def return_request(
        self, link: BotConnection, entry: SngEntry
    ) -> m.UnregisterSng | m.UnregisterTournament:
        """Return the request that gives an entry back."""
        return m.UnregisterSng(id=link.number(), offer=entry.offer.offer)

    async def _find_started(self, link: BotConnection, tables: list[str]) -> None:
        """Find the tournament that has started although the answer to the registration was lost."""
        offer = self.wanted
        name = next((table for table in tables if offer and table.rpartition(".")[0] == offer.offer), None)
        if offer is not None and offer.scheduled is not None:
            return  # a second request for an entry finds it
        while offer is not None and name is not None and self.entry is None:
            answer = await link.ask(m.ListSitAndGos(id=link.number()))
            if isinstance(answer, m.SitAndGos):
                line = next(line for line in answer.sit_and_gos if line.offer == offer.offer)
                self.enter(offer, name, line.buy_in)
            else:
                await self.try_again(answer)

    async def registered(self, link: BotConnection, offer: SngOffer) -> tuple[str, int] | None:
        """Return the tournament and buy-in of an entry that the bot has; None without one."""
        answer = await link.ask(m.ListSitAndGos(id=link.number()))
        if not isinstance(answer, m.SitAndGos):
            return None
        line = next(line for line in answer.sit_and_gos if line.offer == offer.offer)
        return None if line.your_tournament is None else (line.your_tournament, line.buy_in)

    def enter(self, offer: SngOffer, tournament: str, buy_in: int) -> None:
        """Note that the bot has registered."""
        assert self.expected_balance is not None
        self.expected_balance -= buy_in
        self.wanted = None
        absence = draw_absence_plan(self._random, together=offer.seats)
        self.entry = SngEntry(offer=offer, tournament=tournament, absence=absence, buy_in=buy_in)

    async def await_start(self, link: BotConnection, entry: SngEntry) -> bool:
        """Wait for the start; return False if the bot unregistered or was refunded."""
        wants_to_leave = entry.absence.unregisters
        while True:
            if not link.is_open:
                raise BotConnectionLost("before the start")
            if entry.tournament in self.started:
                return True
            if self.stopping or wants_to_leave:
                wants_to_leave = False
                if await self.unregister(link, entry):
                    return False
            self.news.clear()
            try:
                async with asyncio.timeout(LOOK_S):
                    await self.news.wait()
            except TimeoutError:
                standings = await self._standings(link, entry)
                # a bot that is not listed has unregistered, and the answer was lost
                is_in = any(self.account and player.name == self.account.name for player in standings.players)
                if standings.phase in {"cancelled", "rolled_back"} or not is_in:
                    self._refunded(entry)
                    if standings.phase != "rolled_back":  # not played: the seat is still to be filled
                        self.wanted = None if self.stopping else entry.offer
                    return False
                if standings.phase != "registering":
                    return True

    async def unregister(self, link: BotConnection, entry: SngEntry) -> bool:
        """Give the entry back; return False if that is too late."""
        answer = await link.ask(self.return_request(link, entry))
        if isinstance(answer, m.Ok):
            self.tally.unregistered += 1
            self._refunded(entry)
            self.wanted = None if self.stopping else entry.offer
            return True
        code = code_of(answer)
        if code not in {Code.REGISTRATION_CLOSED, Code.NOT_REGISTERED, Code.UNAVAILABLE}:
            raise BotFailed(code)
        self.tally.races[code] += 1  # it has just started
        return False

    def _refunded(self, entry: SngEntry) -> None:
        assert self.expected_balance is not None
        self.expected_balance += entry.buy_in
        self.entry = None

    # --- play -----------------------------------------------------------------------------------------------

    async def play(self, link: BotConnection, entry: SngEntry) -> None:
        """Play a tournament that has started, until the bot is out."""
        self.leave_table()
        watch = self.agenda.watch(entry.tournament)
        if entry.gone:
            await self.finish(link, entry)
            return
        context = self.at_table(link, entry.tournament, watch)
        self._player = player = SngBotPlayer(context, self.policy, entry.absence)
        if await self.observe(link, entry):
            outcome, absence = await player.outcome(), entry.absence
            if player.absence_done:
                entry.absence = replace(absence, kind=Absence.STAYS)
            if outcome is SngOutcome.GONE:
                self._disconnect(link, entry, vanishes=absence.kind is Absence.VANISHES)
        self.leave_table()
        await self.finish(link, entry)

    def _disconnect(self, link: BotConnection, entry: SngEntry, *, vanishes: bool) -> None:
        entry.gone = vanishes
        self.tally.dropped += 1
        self.leave_table()
        link.close()
        self.came_back_at = asyncio.get_running_loop().time()
        raise Reconnect(entry.absence.away_s)

    async def observe(self, link: BotConnection, entry: SngEntry) -> bool:
        """Observe the table; return False if the tournament is already over."""
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
            await self.try_again(answer, allowed=NOT_THERE_YET)

    async def finish(self, link: BotConnection, entry: SngEntry) -> None:
        """Note the bot's prize, and all prizes once the last is paid."""
        assert self.account is not None
        assert self.expected_balance is not None
        name, loop = self.account.name, asyncio.get_running_loop()
        overdue_at: float | None = None
        while True:
            standings = await self._standings(link, entry)
            own = next((place for place in standings.places if place.name == name), None)
            is_over = standings.phase != "running"
            if is_over and overdue_at is None:
                overdue_at = loop.time() + PAID_S
            if standings.phase in {"rolled_back", "cancelled"}:
                self._note(entry, SngResult(phase=standings.phase, expected=0, paid=0))
                self._refunded(entry)
                return
            if not is_over and own is not None:
                break  # the others play on; the winner sees the end
            paid = sum(place.prize for place in standings.places if place.paid)
            expected = sum(standings.prizes)
            if is_over and (paid == expected or (overdue_at is not None and loop.time() > overdue_at)):
                result = SngResult(phase=standings.phase, expected=expected, paid=paid)
                self._note(entry, await self.with_bounties(link, entry, result))
                break
            await asyncio.sleep(0.2 if is_over else 1.0)
        self.expected_balance += 0 if own is None else own.prize
        self.entry = None

    async def with_bounties(self, link: BotConnection, entry: SngEntry, result: SngResult) -> SngResult:  # noqa: ARG002 -- for bots of tournaments that have them
        """Return the result with the bounties of all players."""
        return result

    def _note(self, entry: SngEntry, result: SngResult) -> None:
        self.tally.results[entry.tournament] = result
        self.agenda.over(entry.tournament)

    async def _standings(self, link: BotConnection, entry: SngEntry) -> m.Standings:
        """Return the standings with all of their places."""
        first, places = None, list[m.SngPlace]()
        while True:
            asked = m.GetStandings(id=link.number(), tournament=entry.tournament, offset=len(places))
            answer = await link.ask(asked)
            if not isinstance(answer, m.Standings):
                await self.try_again(answer)
                continue
            first = first or answer
            places += answer.places
            if len(answer.places) < asked.count:
                return structs.replace(first, places=places)

    async def compare_wallet(self, link: BotConnection) -> None:
        """Check that the wallet holds every refund and prize, to the unit; prizes may take a moment."""
        loop = asyncio.get_running_loop()
        give_up_at = loop.time() + PAID_S
        while True:
            answer = await link.ask(m.GetAccount(id=link.number()))
            if isinstance(answer, m.Account):
                if answer.balance == self.expected_balance:
                    return
                if loop.time() > give_up_at:
                    self.tally.errors["wallet_differs"] += 1
                    return
                await asyncio.sleep(0.5)
            else:
                await self.try_again(answer)


NOT_THERE_YET: Final = frozenset(
    {
        Code.UNKNOWN_TABLE,
        Code.UNAVAILABLE,
        Code.RATE_LIMITED,
        Code.REQUEST_PENDING,
        Code.TABLE_FROZEN,
        Code.SHUTTING_DOWN,
    }
)
