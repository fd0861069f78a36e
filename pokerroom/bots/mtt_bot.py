"""One bot in a tournament of several tables: it follows its seat from table to table until it is out.

It asks for the state of the tournament, not for all of its players, and seldom: a field has thousands of bots. Rebuys,
add-ons and deals it answers at once, by its seed. A ticket that it has won it uses: it plays that tournament, too.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from time import time
from typing import Any, Final, Literal

from pokerroom.bots.absence_plan import Absence, AbsencePlan
from pokerroom.bots.connection import BotConnection, BotConnectionLost
from pokerroom.bots.policy import Policy, SplitMix64
from pokerroom.bots.sng_bot import NEXT_ONE, NOT_THERE_YET, SngAgenda, SngBot, SngEntry, SngOffer
from pokerroom.bots.sng_player import SngBotPlayer, SngOutcome
from pokerroom.bots.stay import Handler, StayContext
from pokerroom.bots.swarm_client import TRY_AGAIN, BotFailed, SwarmContext, code_of
from pokerroom.bots.table_bot import StartBarrier
from pokerroom.bots.tally import SngResult
from pokerroom_protocol import Code, Encoding, decode_server
from pokerroom_protocol import messages as m

STARTED_S: Final = 20.0
"""How often the bot asks whether its tournament has started: the message may be lost."""
JITTER_S: Final = 20
"""Up to so much later, so that not all ask at once."""
AGAIN_S: Final = 0.5
"""When the bot asks for a table again that is not there yet."""
TABLE_S: Final = 90.0
"""How long a table may take to be there, on any node, also after a fault."""
LEFT_S: Final = 1.0
"""A bot without its seat is out if it is not told of another one for so long."""
BOUGHT_S: Final = 15.0
"""How long the chips of a rebuy may take to be in the lobby, also after a fault."""

TICKET_S: Final = 90
"""A ticket is used for a tournament that starts within so long: a swarm waits for no later one."""

BUYS_OF: Final = 2
"""A bot buys one in so many rebuys and add-ons that it is offered."""
PROPOSES_OF: Final = 8
"""After one in so many hands a bot proposes a deal, where the tournament has them."""
REFUSES_OF: Final = 16
"""A bot refuses one in so many deals."""

_SALE_OVER: Final = frozenset(
    {Code.SALE_CLOSED, Code.PURCHASE_PENDING, Code.PURCHASES_USED_UP, Code.STACK_TOO_LARGE}
)
"""The offer came again after a fault, or its time was over."""
_NO_DEAL: Final = frozenset(
    {
        Code.NO_FINAL_TABLE, Code.DEAL_IN_PROGRESS, Code.DEAL_MADE, Code.DEAL_PAUSED, Code.DEAL_TOO_SOON,
        Code.DEAL_PLAYER_AWAY, Code.WRONG_DEAL_AMOUNT, Code.CHIP_CHOP_TOO_LARGE, Code.NO_DEAL, Code.NOT_SEATED,
        *NOT_THERE_YET,
    }
)  # fmt: skip
"""Other players, hands or faults were faster, or the table cannot make a deal now."""


class MttBotPlayer(SngBotPlayer):
    """A stay at one table. Of the bots that were dealt a hand, that of the first seat counts it."""

    def __init__(
        self, context: StayContext, policy: Policy, absence: AbsencePlan, choices: SplitMix64
    ) -> None:
        super().__init__(context, policy, absence)
        self._choices = choices
        self._counts = False
        self._deals = False
        """Whether the tournament has deals."""

    def moved(self) -> None:
        """End the stay: the bot has a seat at another table."""
        self.finish(SngOutcome.MOVED)

    def handlers(self) -> dict[str, Handler]:
        return {
            **super().handlers(),
            "seat_left": self._on_seat_left,
            "deal_offered": self._on_deal_offered,
            "deal_ended": self._on_deal_ended,
        }

    def on_snapshot(self, snapshot: m.Snapshot) -> m.SeatView | None:
        own = super().on_snapshot(snapshot)
        if own is not None and snapshot.tournament is not None:
            self._deals = snapshot.tournament.deals
            self._consider_deal(snapshot.tournament.deal)
        return own

    def _on_hand_started(self, fields: dict[str, Any], body: bytes) -> None:
        super()._on_hand_started(fields, body)
        self._counts = fields["seats"][0]["seat"] == self.seat

    def _on_hand_ended(self, fields: dict[str, Any], _body: bytes) -> None:
        if self._counts:
            self.tally.hand_ended(void=fields.get("void", False))
            if self._deals and not self._choices.below(PROPOSES_OF):
                self.spawn(self._propose())
        self._counts = False
        self.turn_over()

    def _on_seat_left(self, fields: dict[str, Any], _body: bytes) -> None:
        """Await the message of a move; without one the bot is out, and has no place before registration closes."""
        if fields["seat"] == self.seat:
            self.sits(None)
            self.spawn(self._left())

    async def _left(self) -> None:
        await asyncio.sleep(LEFT_S)
        self.finish(SngOutcome.OUT)

    # --- deals ------------------------------------------------------------------------------------------------

    async def _propose(self) -> None:
        answer = await self.link.ask(m.GetDeal(id=self.link.number(), table=self.table))
        if isinstance(answer, m.DealOptions):
            kind: Literal["icm", "chips"] = "icm" if self._choices.below(2) else "chips"
            aside = answer.most if not self._choices.below(4) else answer.least
            answer = await self.link.ask(
                m.ProposeDeal(id=self.link.number(), table=self.table, kind=kind, for_the_winner=aside)
            )
        self._count_refusal(answer)

    def _on_deal_offered(self, _fields: dict[str, Any], body: bytes) -> None:
        offered = decode_server(body, Encoding.MSGPACK)
        assert isinstance(offered, m.DealOffered)
        self._consider_deal(offered.deal)

    def _consider_deal(self, deal: m.DealView | None) -> None:
        waits = deal is not None and any(
            share.seat == self.seat and not share.accepted for share in deal.shares
        )
        if deal is not None and deal.deal is not None and waits:
            self.spawn(self._answer_deal(deal.deal, accept=self._choices.below(REFUSES_OF) > 0))

    async def _answer_deal(self, deal: int, *, accept: bool) -> None:
        answer = await self.link.ask(
            m.AnswerDeal(id=self.link.number(), table=self.table, deal=deal, accept=accept)
        )
        self._count_refusal(answer)

    def _count_refusal(self, answer: m.ServerMessage) -> None:
        if isinstance(answer, m.Error):
            crossed = answer.code in _NO_DEAL or self._outcome.done()
            counted = self.tally.races if crossed else self.tally.errors
            counted[answer.code] += 1

    def _on_deal_ended(self, fields: dict[str, Any], _body: bytes) -> None:
        """Count a deal; of its players, the first one does."""
        agreed = fields.get("agreed")
        self.tally.deals += agreed is not None and agreed["shares"][0]["seat"] == self.seat


class MttBot(SngBot):
    """See the module."""

    def __init__(self, room: SwarmContext, agenda: SngAgenda, seed: int, gate: StartBarrier) -> None:
        super().__init__(room, agenda, seed)
        self._gate = gate
        self._at_gate = False
        self._counted = False
        """Whether the tally counts it among those that play."""
        self._asked = False
        """Whether the room was asked for an entry already: the answer may have been lost."""
        self._table: str | None = None
        """The table where the bot sits, as it was told last."""
        self._target: SngOffer | None = None
        """The tournament that a ticket of the bot pays, while it asks for the entry."""
        self._jitter = SplitMix64(seed ^ 0x3C3C3C3C)
        self._choices = SplitMix64(seed ^ 0x69696969)
        self._bought: set[tuple[str, int]] = set()
        """Rebuys and the add-on that are paid."""
        self._chips_until = 0.0
        """Until when, in seconds of the event loop, chips may be on their way."""

    def heard(self, link: BotConnection, fields: dict[str, Any], body: bytes) -> None:
        if fields["type"] == "tournament_moved":
            self._table = fields["table"]
            self.tally.moves += fields["from_table"] is not None
            if isinstance(self._player, MttBotPlayer):
                self._player.moved()
            return
        if fields["type"] == "chips_offered":
            if isinstance(self._player, MttBotPlayer):
                self._player.spawn(self.decide_on_chips(link, fields))
            return
        if fields["type"] == "sng_started":
            self._table = fields["table"]
        super().heard(link, fields, body)

    def at_end(self) -> None:
        self.tally.playing -= self._counted
        self._counted = False
        if self.entry is not None:
            self.tally.abandoned[self.entry.tournament] = None
        self._arrive()
        super().at_end()

    def _arrive(self) -> None:
        if not self._at_gate:
            self._at_gate = True
            self._gate.arrive()

    async def register_next(self, link: BotConnection) -> bool:
        """Register once all bots have accounts: a crowd at the door. After that, for what a ticket pays."""
        self._arrive()
        await self._gate.passed()
        self.tally.entry_asked()
        return await super().register_next(link) or await self._enter_by_ticket(link)

    async def _enter_by_ticket(self, link: BotConnection) -> bool:
        """Enter the next tournament that a ticket pays; return False without one, or while the bot stops."""
        while not self.stopping:
            target = self._target = self._target or await self._paid_by_ticket(link)
            if target is None:
                return False
            answer = await link.ask(self.entry_request(link, target))
            found: tuple[str, int] | None
            if isinstance(answer, m.TournamentRegistered):
                found = answer.tournament, answer.buy_in
            else:  # an earlier answer may have been lost
                found = await self.registered(link, target)
            if found is not None:
                self.enter(target, *found)
                return True
            if code_of(answer) in NEXT_ONE:  # it has just started
                self.tally.races[code_of(answer)] += 1
                self._target = None
                await asyncio.sleep(AGAIN_S)
            else:
                await self.try_again(answer)
        return False

    async def _paid_by_ticket(self, link: BotConnection) -> SngOffer | None:
        """Return the next tournament that a ticket pays; None if none starts soon, or without a ticket."""
        while not isinstance(owned := await link.ask(m.GetTickets(id=link.number())), m.Tickets):
            await self.try_again(owned)
        until_ms = (time() + TICKET_S) * 1000
        pays = {(ticket.offer, ticket.value) for ticket in owned.tickets}
        while pays:
            answer = await link.ask(m.ListTournaments(id=link.number()))
            if isinstance(answer, m.Tournaments):
                due = [row for row in answer.tournaments if (row.offer, row.buy_in) in pays]
                row = min(
                    (row for row in due if row.phase == "registering" and row.starts_ms <= until_ms),
                    key=lambda row: row.starts_ms,
                    default=None,
                )
                if row is None:
                    return None
                return SngOffer(offer=row.offer, seats=row.players_max, scheduled=row.tournament)
            await self.try_again(answer)
        return None

    def entry_request(self, link: BotConnection, offer: SngOffer) -> m.RegisterSng | m.RegisterTournament:
        if offer.scheduled is not None:
            return m.RegisterTournament(id=link.number(), tournament=offer.scheduled)
        since, self._asked = offer.since if self._asked else None, True
        return m.RegisterSng(id=link.number(), offer=offer.offer, since=since)

    def return_request(
        self, link: BotConnection, entry: SngEntry
    ) -> m.UnregisterSng | m.UnregisterTournament:
        if entry.offer.scheduled is not None:
            return m.UnregisterTournament(id=link.number(), tournament=entry.tournament)
        return super().return_request(link, entry)

    async def registered(self, link: BotConnection, offer: SngOffer) -> tuple[str, int] | None:
        if offer.scheduled is None:
            return await super().registered(link, offer)
        state = await self._state(link, offer.scheduled)
        return None if state.you is None else (offer.scheduled, state.buy_in)

    def enter(self, offer: SngOffer, tournament: str, buy_in: int) -> None:
        super().enter(offer, tournament, buy_in)
        if offer is self._target:
            self.tally.tickets += 1
            self._target = self._table = None  # the table of the tournament before is another one
            self._bought.clear()
        else:
            self.tally.entered()
            self.tally.playing += not self._counted
            self._counted = True
        absence = AbsencePlan(kind=Absence.STAYS, hands=0, away_s=0.0, unregisters=False)
        self.entry = SngEntry(offer=offer, tournament=tournament, absence=absence, buy_in=buy_in)

    async def await_start(self, link: BotConnection, entry: SngEntry) -> bool:
        while entry.tournament not in self.started:
            if not link.is_open:
                raise BotConnectionLost("before the start")
            if self.stopping and await self.unregister(link, entry):
                return False
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
                self._table = await self.seat_of(link, entry)
            table = self._table
            if table is None:
                break
            self.leave_table()
            context = self.at_table(link, table, self.agenda.watch(table))
            self._player = player = MttBotPlayer(context, self.policy, entry.absence, self._choices)
            outcome = SngOutcome.OUT
            if await self._observes(link, table):
                outcome = await player.outcome()
            self.leave_table()
            self.agenda.over(table)
            if outcome is SngOutcome.OVER:
                await self.finish(link, entry)
                return
            if self._table == table:  # else it was told where it sits now
                self._table = await self.seat_of(link, entry) if outcome is SngOutcome.OUT else table
        state = await self._state(link, entry.tournament)
        if state.phase == "running":
            self.entry = None  # the others play on; the winner sees the end, if it is a bot
            self.tally.outlasted[entry.tournament] = None
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
                self._table = await self.seat_of(link, self.entry)
        return False

    async def seat_of(self, link: BotConnection, entry: SngEntry) -> str | None:
        """Return the table where the bot sits; None if it is out, or the tournament is over."""
        while True:
            state = await self._state(link, entry.tournament)
            if state.phase != "running" or state.you is None or state.you.place is not None:
                return None
            if state.you.stack or asyncio.get_running_loop().time() > self._chips_until:
                return state.you.table
            await asyncio.sleep(AGAIN_S)  # a rebuy is paid

    async def decide_on_chips(self, link: BotConnection, offer: dict[str, Any]) -> None:
        """Buy, or decline a rebuy at once so that the table does not wait."""
        buys = not self._choices.below(BUYS_OF)
        while buys or offer["kind"] == "rebuy":
            answer = await link.ask(_decision(link, offer, buys=buys))
            if isinstance(answer, m.ChipsBought):
                self.paid(answer)
                return
            if isinstance(answer, m.Ok):
                return
            code = code_of(answer)
            if code in TRY_AGAIN:
                await self.try_again(answer)
            elif buys and code == Code.INSUFFICIENT_BALANCE:
                buys = False
            else:
                counted = self.tally.races if code in _SALE_OVER else self.tally.errors
                counted[code] += 1
                return

    def paid(self, answer: m.ChipsBought) -> None:
        """Count a purchase once: after a fault it is offered, and answered, again."""
        if (answer.kind, answer.number) not in self._bought:
            self._bought.add((answer.kind, answer.number))
            self.tally.rebuys += answer.kind == "rebuy"
            self.tally.add_ons += answer.kind == "add_on"
        self._chips_until = asyncio.get_running_loop().time() + BOUGHT_S

    async def with_bounties(self, link: BotConnection, entry: SngEntry, result: SngResult) -> SngResult:
        state, paid, seen = await self._state(link, entry.tournament), 0, 0
        while state.bounty and state.phase == "running":  # what the room has read is up to a second old
            await asyncio.sleep(AGAIN_S)
            state = await self._state(link, entry.tournament)
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


def _decision(
    link: BotConnection, offer: dict[str, Any], *, buys: bool
) -> m.BuyRebuy | m.BuyAddOn | m.DeclineRebuy:
    """Return the answer to an offer of chips."""
    number, tournament = link.number(), offer["tournament"]
    if not buys:
        return m.DeclineRebuy(id=number, tournament=tournament)
    if offer["kind"] == "rebuy":
        return m.BuyRebuy(id=number, tournament=tournament, number=offer["number"])
    return m.BuyAddOn(id=number, tournament=tournament)
