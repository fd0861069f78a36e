"""The deals of a tournament at the desk of its final table: takes what players ask and answer, and tells how deals go.

The desk keeps proposal and answers until the director has them; the report and the journal of the table carry them.
Runs inside the table's mailbox.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Protocol

from msgspec import structs

from pokerroom.chips import Money
from pokerroom.poker.ports import HandPorts
from pokerroom.poker.seats import Seat, SeatState
from pokerroom.rules.planned_hand import HandPlan
from pokerroom.rules.tournament.deal_making import chip_chop
from pokerroom.rules.tournament.deals import DealKind, deal_amounts
from pokerroom.table.announcer import Announcer
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.viewer import Viewer
from pokerroom.tournament.messages import DealAsk, DealDeskState, PlannedDeals, SeatPlan
from pokerroom.tournament.seats import TournamentSeats
from pokerroom.tournament.settings import TournamentSettings
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code


class DealsAtTable(Protocol):
    """The desk of the table, as far as deals concern it."""

    plan: SeatPlan | None
    dealt: HandPlan | None

    def changed(self) -> None:
        """Report, if something is new."""


class DealDesk:
    """The deals at one table; `next_number` numbers proposals."""

    def __init__(
        self,
        settings: TournamentSettings,
        announcer: Announcer,
        hands: HandPorts,
        desk: DealsAtTable,
        *,
        seats: Callable[[], TournamentSeats],
        next_number: Callable[[], int],
    ) -> None:
        self._settings = settings
        self._announcer = announcer
        self._hands = hands
        self._desk = desk
        self._seats = seats
        self._next_number = next_number
        self.state: DealDeskState | None = None
        """What the director may not know yet; None before the first proposal."""

    # --- requests ---------------------------------------------------------------------------------------------------

    def handle(self, viewer: Viewer, message: wire.DealMessage) -> None:
        """Answer a request of a player."""
        seat = self._seats().held_by(viewer.account)
        if seat is None or not seat.stack:
            self._announcer.refuse(viewer, message, Code.NOT_SEATED)
            return
        match message:
            case wire.GetDeal():
                refused = self._refusal()
                if refused is None:
                    self._announcer.outbox.answer(viewer, Outgoing(self._options(message)))
            case wire.ProposeDeal():
                refused = self._proposed(seat, message)
            case wire.AnswerDeal():
                refused = self._answered(seat, message)
        if refused is not None:
            self._announcer.refuse(viewer, message, refused)
        elif not isinstance(message, wire.GetDeal):
            self._hands.journal.confirm(viewer, message)
            self._desk.changed()

    def _refusal(self) -> Code | None:
        """Return the code with which a proposal is refused now."""
        deals = self._deals()
        if deals is None:
            return Code.DEALS_NOT_OFFERED
        if deals.refusal is not None:
            return Code(deals.refusal)
        ask = None if self.state is None else self.state.ask
        return Code.DEAL_IN_PROGRESS if ask is not None and ask.number > deals.asked else None

    def _proposed(self, seat: Seat, message: wire.ProposeDeal) -> Code | None:
        refused, deals = self._refusal(), self._deals()
        if refused is not None or deals is None:
            return refused
        if not deals.least <= message.for_the_winner <= deals.most:
            return Code.WRONG_DEAL_AMOUNT
        if any(other.state is SeatState.AWAY for other in self._seats().seats if other.stack):
            return Code.DEAL_PLAYER_AWAY
        if message.kind == "chips" and self._chops_too_much(Money(message.for_the_winner)):
            return Code.CHIP_CHOP_TOO_LARGE
        ask = DealAsk(
            number=self._next_number(),
            account=seat.account,
            kind=message.kind,
            for_the_winner=message.for_the_winner,
        )
        self.state = DealDeskState(ask=ask)
        return None

    def _answered(self, seat: Seat, message: wire.AnswerDeal) -> Code | None:
        deals, state = self._deals(), self.state or DealDeskState()
        view = None if deals is None else deals.view
        if view is None or view.deal != message.deal:
            return Code.NO_DEAL
        votes = state.votes if state.on == message.deal else {}
        accepted = [share.seat for share in view.shares if share.accepted]
        if seat.account in votes or seat.number in accepted:
            return Code.NO_DEAL
        self.state = structs.replace(state, on=message.deal, votes={**votes, seat.account: message.accept})
        return None

    def _options(self, message: wire.GetDeal) -> wire.DealOptions:
        """Return what each would get by the stacks after the last hand."""
        plan, deals = self._desk.plan, self._deals()
        assert plan is not None
        assert deals is not None
        dealt = self._desk.dealt
        button = 0 if dealt is None else dealt.positions.button
        seats = sorted(plan.seats, key=lambda one: (one.seat <= button, one.seat))
        stacks = [one.chips for one in seats]
        by_icm, by_chips = _amounts(tuple(stacks), self._prizes(plan), deals.least)
        shares = [
            wire.DealShare(
                seat=one.seat,
                name=one.name,
                stack=one.chips,
                icm=by_icm[at],
                chips=None if by_chips is None else by_chips[at],
            )
            for at, one in enumerate(seats)
        ]
        return wire.DealOptions(
            re=message.id, table=message.table, least=deals.least, most=deals.most, shares=shares
        )

    def _chops_too_much(self, aside: Money) -> bool:
        """Return whether a chip chop gives a player more than the first prize, by the stacks after the last hand."""
        plan = self._desk.plan
        assert plan is not None
        return chip_chop([one.chips for one in plan.seats], self._prizes(plan), aside) is None

    def _prizes(self, plan: SeatPlan) -> tuple[Money, ...]:
        return tuple(Money(prize) for prize in plan.prizes or self._settings.terms.prizes)

    def _deals(self) -> PlannedDeals | None:
        return None if self._desk.plan is None else self._desk.plan.deals

    # --- what is told -----------------------------------------------------------------------------------------------

    def heard(self, plan: SeatPlan) -> None:
        """Forget a proposal that the director has taken, and answers to a deal that has ended."""
        deals, state = plan.deals, self.state
        if state is None or deals is None:
            return
        if state.ask is not None and state.ask.number <= deals.asked:
            state = structs.replace(state, ask=None)
        if state.on and (deals.view is None or deals.view.deal != state.on):
            state = structs.replace(state, on=0, votes={})
        self.state = state

    def events(
        self, before: PlannedDeals | None, now: PlannedDeals | None, level: wire.LevelView
    ) -> Iterator[wire.Event]:
        """Return what is new in a plan. A plan may be lost, so it may be more than one step."""
        if now is None:
            return
        was, view = None if before is None else before.view, now.view
        was_open = was is not None and was.deal is not None
        ended = now.ended if before is None or now.ended != before.ended else None
        goes_on = was_open and view is not None and was is not None and view.deal == was.deal
        agreed = view if view is not None and view.deal is None and (was is None or was_open) else None
        if agreed is not None or ended is not None or (was_open and not goes_on):
            number = was.deal if was is not None and was.deal is not None else now.asked
            yield wire.DealEnded(
                table=self._settings.table,
                seq=self._announcer.next_seq(),
                deal=ended.deal if ended is not None else number,
                reason="agreed" if agreed is not None else "stopped" if ended is None else ended.reason,
                name=None if ended is None else ended.name,
                agreed=agreed,
                level=level,
            )
        if view is None or view.deal is None:
            return
        if not goes_on or was is None:
            yield wire.DealOffered(table=self._settings.table, seq=self._announcer.next_seq(), deal=view)
            return
        for old, new in zip(was.shares, view.shares, strict=True):
            if new.accepted and not old.accepted:
                yield wire.DealAccepted(
                    table=self._settings.table,
                    seq=self._announcer.next_seq(),
                    deal=view.deal,
                    seat=new.seat,
                    name=new.name,
                )


@lru_cache(maxsize=64)
def _amounts(
    stacks: tuple[int, ...], prizes: tuple[Money, ...], aside: int
) -> tuple[tuple[Money, ...], tuple[Money, ...] | None]:
    """Return the amounts of both kinds; the same question costs nothing the next time."""
    by_icm = deal_amounts(DealKind.icm, stacks, prizes, for_the_winner=aside)
    return by_icm, chip_chop(stacks, prizes, Money(aside))
