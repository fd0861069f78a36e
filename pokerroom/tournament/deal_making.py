"""The deals of one tournament at its owner: a proposal opens between two hands, and ends by the players' answers (L15).

The table says what its players have asked and answered; the ledger makes the deal, before any viewer hears of it. Runs
inside the mailbox of the tournament's actor.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Protocol, TypeVar

import structlog
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import IDelayedCall
from twisted.python.failure import Failure

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerConflict, LedgerRefusal
from pokerroom.rules.tournament import deal_making as rules
from pokerroom.rules.tournament.deal_stages import DEAL_WINDOW_MS, AgreedDeal, DealProposal, OpenDeal
from pokerroom.rules.tournament.deals import DealError, DealKind
from pokerroom.rules.tournament.refusal import TournamentRefusal
from pokerroom.rules.tournament.state import Tournament, TournamentPhase
from pokerroom.table.game import GamePorts
from pokerroom.tournament.messages import DealDeskState, DealEnd, DealEndReason, PlannedDeals
from pokerroom.tournament.restore import deal_row_of
from pokerroom.tournament.views import agreed_deal_view, open_deal_view

T = TypeVar("T")


class MakesDeals(Protocol):
    """The director, as far as deals concern it."""

    tournament: Tournament | None
    names: Mapping[int, str]

    def is_busy(self) -> bool:
        """Return whether nothing may change now, because an answer of the ledger or the end is awaited."""

    def at_rest(self) -> Collection[int]:
        """Return the tables whose last hand has ended, and that deal no other without an order."""

    def ask(self, attempt: Callable[[], Deferred[T]], done: Callable[[T], None]) -> None:
        """Ask the ledger; no hand is ordered until it has answered."""

    def changed_by_deal(self, tournament: Tournament) -> None:
        """Take a state, and write it to the journal."""

    def stored(self, tournament: Tournament) -> None:
        """Go on with a state that the ledger has."""

    def consider_ordering(self) -> None:
        """Look at what is due."""


class DealMaking:
    """The deals of one tournament; nothing happens in one that offers none."""

    def __init__(self, name: str, ports: GamePorts, director: MakesDeals) -> None:
        self._name = name
        self._post = ports.mailbox.post
        self._context = ports.context
        self._director = director
        self._log = structlog.get_logger().bind(tournament=name)
        self._asked = 0
        """The number of the last proposal that was taken."""
        self._ended: DealEnd | None = None
        self._timer: IDelayedCall | None = None
        self._stopped = False
        self._said = DealDeskState()
        """What the players have said last; answers count once nothing is awaited."""

    # --- questions --------------------------------------------------------------------------------------------------

    @property
    def is_open(self) -> bool:
        """Whether the players answer: no hand may be ordered."""
        tournament = self._director.tournament
        return tournament is not None and isinstance(tournament.deal, OpenDeal)

    def planned(self) -> PlannedDeals | None:
        """Return what the tables are told; None where no deals are offered."""
        tournament = self._director.tournament
        if tournament is None or tournament.terms.deals is None:
            return None
        refusal, names = rules.refusal(tournament), self._director.names
        least, most = rules.bounds(tournament) if refusal is None else (0, 0)
        view = None
        if isinstance(tournament.deal, OpenDeal):
            view = open_deal_view(tournament.deal, tournament, names)
        elif isinstance(tournament.deal, AgreedDeal):
            view = agreed_deal_view(tournament.deal, tournament, names)
        return PlannedDeals(
            refusal=refusal, least=least, most=most, asked=self._asked, view=view, ended=self._ended
        )

    # --- what the players say -----------------------------------------------------------------------------------------

    def heard(self, said: DealDeskState | None) -> None:
        """Take what the players of the final table have asked and answered."""
        tournament = self._director.tournament
        if said is None or tournament is None or tournament.phase is not TournamentPhase.running:
            return
        self._said = said
        if isinstance(tournament.deal, DealProposal):
            self._asked = max(self._asked, tournament.deal.number)
        elif isinstance(tournament.deal, OpenDeal):
            self._asked = max(self._asked, tournament.deal.proposal.number)
        ask = said.ask
        if ask is None or ask.number <= self._asked:
            return
        self._asked = ask.number
        proposal = DealProposal(
            number=ask.number,
            proposer=ask.account,
            kind=DealKind(ask.kind),
            for_the_winner=Money(ask.for_the_winner),
        )
        try:
            self._director.changed_by_deal(rules.propose(tournament, proposal))
        except TournamentRefusal as refusal:  # it has changed since the table asked
            self._log.info("deal.not_taken", code=refusal.code)
            self._ended = DealEnd(deal=ask.number, reason="impossible")

    # --- what is due ----------------------------------------------------------------------------------------------

    def consider(self) -> None:
        """Open a deal when the table is at rest, make one that all have accepted, or end one that is not agreed."""
        tournament = self._director.tournament
        if self._stopped or tournament is None or self._director.is_busy():
            return
        if tournament.phase is not TournamentPhase.running:
            return
        match tournament.deal:
            case DealProposal() if tournament.paused:
                self._end("stopped")
            case DealProposal() as proposal if self._director.at_rest():
                self._open(tournament, proposal)
            case OpenDeal() as deal:
                self._go_on(tournament, deal)
            case _:
                pass

    def _open(self, tournament: Tournament, proposal: DealProposal) -> None:
        now_ms = self._context.now_ms()
        try:
            opened = rules.opened(tournament, now_ms, now_ms + DEAL_WINDOW_MS)
        except DealError as error:
            self._log.info("deal.impossible", reason=str(error))
            self._end("impossible")
            return
        self._log.info("deal.opened", kind=proposal.kind.value, for_the_winner=proposal.for_the_winner)
        self._director.changed_by_deal(opened)
        self._wait()

    def _go_on(self, tournament: Tournament, deal: OpenDeal) -> None:
        now_ms = self._context.now_ms()
        votes = self._said.votes if self._said.on == deal.proposal.number else {}
        refused = [account for account, accepts in votes.items() if not accepts]
        away = [player.account for player in tournament.left() if player.away]
        if tournament.paused or not rules.stands(tournament, deal):
            self._end("stopped")
        elif refused:
            self._end("refused", refused[0])
        elif away:
            self._end("left", away[0])
        elif now_ms >= deal.until_ms:
            self._end("timed_out")
        else:
            for account in votes:
                tournament = rules.accepted(tournament, account, now_ms)
            self._accepted(tournament)

    def _accepted(self, tournament: Tournament) -> None:
        """Take acceptances. A deal of all is made when the table is at rest, as its report says."""
        if tournament is not self._director.tournament:
            self._director.changed_by_deal(tournament)
        assert isinstance(tournament.deal, OpenDeal)
        if tournament.deal.is_agreed and self._director.at_rest():
            self._agree(tournament)
        else:
            self._wait()

    def _agree(self, tournament: Tournament) -> None:
        deal = rules.agreement(tournament)

        def attempt() -> Deferred[LedgerConflict | LedgerRefusal | None]:
            asked = self._context.ledger.agree_deal(self._name, self._context.epoch, deal_row_of(deal))
            return asked.addErrback(refused)

        def refused(failure: Failure) -> LedgerConflict | LedgerRefusal:
            failure.trap(LedgerConflict, LedgerRefusal)
            assert isinstance(failure.value, LedgerConflict | LedgerRefusal)
            return failure.value

        def answered(refusal: LedgerConflict | LedgerRefusal | None) -> None:
            present = self._director.tournament
            assert present is not None
            if refusal is not None:  # the players are asked another time; play is not at stake
                self._log.error("deal.refused_by_ledger", error=repr(refusal))
                self._director.stored(self._end("stopped"))
                return
            self._log.info("deal.agreed", kind=deal.kind.value, for_the_winner=deal.for_the_winner)
            self._ended = DealEnd(deal=self._asked, reason="agreed")
            self._cancel()
            self._director.stored(rules.made(present, deal))

        self._director.ask(attempt, answered)

    def _end(self, reason: DealEndReason, account: int | None = None) -> Tournament:
        tournament = self._director.tournament
        assert tournament is not None
        number = tournament.deal.proposal.number if isinstance(tournament.deal, OpenDeal) else self._asked
        name = None if account is None else self._director.names[account]
        self._ended = DealEnd(deal=number, reason=reason, name=name)
        self._log.info("deal.ended", reason=reason)
        self._cancel()
        tournament = rules.dropped(tournament)
        self._director.changed_by_deal(tournament)
        return tournament

    # --- time -------------------------------------------------------------------------------------------------------

    def stop(self) -> None:
        """Leave nothing on the clock, and do nothing more."""
        self._stopped = True
        self._cancel()

    def _wait(self) -> None:
        self._cancel()
        tournament = self._director.tournament
        if tournament is not None and isinstance(tournament.deal, OpenDeal):
            left_s = max(0, tournament.deal.until_ms - self._context.now_ms()) / 1000
            self._timer = self._context.clock.callLater(left_s, self._post, self._due)

    def _due(self) -> None:
        if not self._stopped:
            self._director.consider_ordering()

    def _cancel(self) -> None:
        if self._timer is not None and self._timer.active():
            self._timer.cancel()
        self._timer = None
