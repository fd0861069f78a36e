"""One bot in a tournament of several tables: it follows its seat from table to table until it is out.

It asks for the state of the tournament, not for all of its players, and seldom: a field has thousands of bots.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, Final

from pokerroom.bots.absence_plan import Absence, AbsencePlan
from pokerroom.bots.connection import BotConnection, BotConnectionLost
from pokerroom.bots.policy import Policy, SplitMix64
from pokerroom.bots.sng_bot import NOT_THERE_YET, SngAgenda, SngBot, SngEntry, SngOffer
from pokerroom.bots.sng_player import SngBotPlayer, SngOutcome
from pokerroom.bots.stay import StayContext
from pokerroom.bots.swarm_client import BotFailed, SwarmContext, code_of
from pokerroom.bots.table_bot import StartBarrier
from pokerroom.bots.tally import SngResult
from pokerroom_protocol import messages as m

STARTED_S: Final = 20.0
"""How often the bot asks whether its tournament has started: the message may be lost."""
JITTER_S: Final = 20
"""Up to so much later, so that not all ask at once."""
AGAIN_S: Final = 0.5
"""When the bot asks for a table again that is not there yet."""
TABLE_S: Final = 90.0
"""How long a table may take to be there, on any node, also after a fault."""


class MttBotPlayer(SngBotPlayer):
    """A stay at one table. Of the bots that were dealt a hand, that of the first seat counts it."""

    def __init__(self, context: StayContext, policy: Policy, absence: AbsencePlan) -> None:
        super().__init__(context, policy, absence)
        self._counts = False

    def moved(self) -> None:
        """End the stay: the bot has a seat at another table."""
        self.finish(SngOutcome.MOVED)

    def _on_hand_started(self, fields: dict[str, Any], body: bytes) -> None:
        super()._on_hand_started(fields, body)
        self._counts = fields["seats"][0]["seat"] == self.seat

    def _on_hand_ended(self, fields: dict[str, Any], _body: bytes) -> None:
        if self._counts:
            self.tally.hand_ended(void=fields.get("void", False))
        self._counts = False
        self.turn_over()


class MttBot(SngBot):
    """See the module."""

    def __init__(self, room: SwarmContext, agenda: SngAgenda, seed: int, gate: StartBarrier) -> None:
        super().__init__(room, agenda, seed)
        self._gate = gate
        self._at_gate = False
        self._asked = False
        """Whether the room was asked for an entry already: the answer may have been lost."""
        self._table: str | None = None
        """The table where the bot sits, as it was told last."""
        self._jitter = SplitMix64(seed ^ 0x3C3C3C3C)

    def heard(self, link: BotConnection, fields: dict[str, Any], body: bytes) -> None:
        if fields["type"] == "tournament_moved":
            self._table = fields["table"]
            self.tally.moves += fields["from_table"] is not None
            if isinstance(self._player, MttBotPlayer):
                self._player.moved()
            return
        if fields["type"] == "sng_started":
            self._table = fields["table"]
        super().heard(link, fields, body)

    def at_end(self) -> None:
        self._arrive()
        super().at_end()

    def _arrive(self) -> None:
        if not self._at_gate:
            self._at_gate = True
            self._gate.arrive()

    async def register_next(self, link: BotConnection) -> bool:
        """Register once all bots have accounts: a crowd at the door."""
        self._arrive()
        await self._gate.passed()
        self.tally.entry_asked()
        return await super().register_next(link)

    def entry_request(self, link: BotConnection, offer: SngOffer) -> m.RegisterSng | m.RegisterTournament:
        if offer.scheduled is not None:
            return m.RegisterTournament(id=link.number(), tournament=offer.scheduled)
        since, self._asked = offer.since if self._asked else None, True
        return m.RegisterSng(id=link.number(), offer=offer.offer, since=since)

    async def registered(self, link: BotConnection, offer: SngOffer) -> tuple[str, int] | None:
        if offer.scheduled is None:
            return await super().registered(link, offer)
        state = await self._state(link, offer.scheduled)
        return None if state.you is None else (offer.scheduled, state.buy_in)

    def enter(self, offer: SngOffer, tournament: str, buy_in: int) -> None:
        super().enter(offer, tournament, buy_in)
        self.tally.entered()
        absence = AbsencePlan(kind=Absence.STAYS, hands=0, away_s=0.0, unregisters=False)
        self.entry = SngEntry(offer=offer, tournament=tournament, absence=absence, buy_in=buy_in)

    async def await_start(self, link: BotConnection, entry: SngEntry) -> bool:
        while entry.tournament not in self.started:
            if not link.is_open:
                raise BotConnectionLost("before the start")
            self.news.clear()
            try:
                async with asyncio.timeout(STARTED_S + self._jitter.below(JITTER_S)):
                    await self.news.wait()
            except TimeoutError:
                state = await self._state(link, entry.tournament)
                if state.phase == "cancelled" or state.you is None:
                    self.entry = None
                    return False
                if state.phase != "registering":
                    return True
        return True

    async def play(self, link: BotConnection, entry: SngEntry) -> None:
        while True:
            if self._table is None:
                self._table = await self._seat(link, entry)
            table = self._table
            if table is None:
                break
            self.leave_table()
            context = self.at_table(link, table, self.agenda.watch(table))
            self._player = player = MttBotPlayer(context, self.policy, entry.absence)
            outcome = SngOutcome.OUT
            if await self._observes(link, table):
                outcome = await player.outcome()
            self.leave_table()
            self.agenda.over(table)
            if outcome is SngOutcome.OVER:
                await self.finish(link, entry)
                return
            if self._table == table:  # else it was told where it sits now
                self._table = await self._seat(link, entry) if outcome is SngOutcome.OUT else table
        state = await self._state(link, entry.tournament)
        if state.phase == "running":
            self.entry = None  # the others play on; the winner sees the end
        else:
            await self.finish(link, entry)

    async def _observes(self, link: BotConnection, table: str) -> bool:
        """Observe the table; return False if the bot sits elsewhere by now, or nowhere."""
        loop = asyncio.get_running_loop()
        give_up_at = loop.time() + TABLE_S
        while self._table == table:
            answer = await link.ask(m.Observe(id=link.number(), table=table))
            if isinstance(answer, m.Snapshot):
                return True
            if loop.time() > give_up_at:
                raise BotFailed(code_of(answer))
            await self.try_again(answer, allowed=NOT_THERE_YET)
            await asyncio.sleep(AGAIN_S)
            if self.entry is not None and self._table == table:
                self._table = await self._seat(link, self.entry)
        return False

    async def _seat(self, link: BotConnection, entry: SngEntry) -> str | None:
        """Return the table where the bot sits; None if it is out, or the tournament is over."""
        state = await self._state(link, entry.tournament)
        sits = state.phase == "running" and state.you is not None and state.you.place is None
        return state.you.table if sits and state.you is not None and state.you.stack else None

    async def with_bounties(self, link: BotConnection, entry: SngEntry, result: SngResult) -> SngResult:
        state, paid, seen = await self._state(link, entry.tournament), 0, 0
        while state.bounty and seen < state.players:
            asked = m.GetTournamentRanks(id=link.number(), tournament=entry.tournament, offset=seen)
            answer = await link.ask(asked)
            if isinstance(answer, m.TournamentRanks):
                paid += sum(player.bounties for player in answer.ranks)
                seen += asked.count
            else:
                await self.try_again(answer)
        return replace(result, bounties_expected=state.bounty * state.entries, bounties_paid=paid)

    async def _state(self, link: BotConnection, tournament: str) -> m.TournamentState:
        while True:
            answer = await link.ask(m.GetTournament(id=link.number(), tournament=tournament))
            if isinstance(answer, m.TournamentState):
                return answer
            await self.try_again(answer)

    async def compare_wallet(self, link: BotConnection) -> None:
        """Nothing: the bot does not stay for the prizes. The audit compares them."""
