"""Betting closes: which bets stand, what the journal must have before they are paid, and the ledger's word on them.

In this order, so that whatever stops the table in between nothing is lost and nobody has paid for a round that cannot
be played: the wallets as they are now, the rules' decision, the cards in the journal, the money. Each step is an answer
that comes back into the table's mailbox; nobody is told anything before the last. Knows no clocks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import structlog
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from pokerroom.chips import Money
from pokerroom.ledger.api import BankEmpty, BetsNotCovered, LedgerRefusal
from pokerroom.ledger.rounds import RoundBets
from pokerroom.rules.cards import DECK
from pokerroom.rules.ultimate.bets import Bet
from pokerroom.rules.ultimate.closing import Closed, Refused, close_betting
from pokerroom.rules.ultimate.deal import deal_round
from pokerroom.rules.ultimate.errors import Refusal
from pokerroom.rules.ultimate.exposure import exposure
from pokerroom.rules.ultimate.number import round_number
from pokerroom.rules.ultimate.round import RoundSetup, start
from pokerroom.rules.ultimate.slips import Slip
from pokerroom.table.ledger_requests import LedgerRequests, fault_of_ours
from pokerroom.table.outbox import Batch
from pokerroom.table.shuffle import shuffled
from pokerroom.ultimate.play import RoundPlay
from pokerroom.ultimate.recovery import bets_entry

if TYPE_CHECKING:  # the felt makes it
    from pokerroom.ultimate.felt import Felt


@dataclass(slots=True, kw_only=True)
class _Close:
    """One betting time that is over."""

    slips: tuple[Slip, ...]
    absent: frozenset[int]
    started_ms: int
    balances: dict[int, int] = field(default_factory=dict)
    round_id: str = ""


class Closing:
    """The way from red to a round on `felt`."""

    def __init__(self, felt: Felt, asking: LedgerRequests) -> None:
        self._felt = felt
        self._table = felt.table
        self._settings = felt.table.settings
        self._world = felt.table.world
        self._ask = asking.ask
        self._log = structlog.get_logger().bind(table=felt.table.settings.table)

    def begin(self, slips: tuple[Slip, ...]) -> None:
        """The light is red. Who is not there has no bets, where the table has that rule (U16)."""
        close = _Close(
            slips=slips,
            absent=self._felt.places.absent() if self._settings.presence else frozenset(),
            started_ms=self._world.now_ms(),
        )
        players = sorted(slip.player for slip in slips)
        self._ask(
            lambda: self._world.ledger.wallets(players),
            done=partial(self._wallets_known, close),
            refused=fault_of_ours,
            late=lambda _: None,
        )

    def _wallets_known(self, close: _Close, balances: Mapping[int, Money]) -> None:
        close.balances = dict(balances)
        self._ask(
            self._world.ledger.next_round,
            done=partial(self._numbered, close),
            refused=fault_of_ours,
            late=lambda _: None,
        )

    def _numbered(self, close: _Close, count: int) -> None:
        close.round_id = round_number(started_ms=close.started_ms, count=count)
        self._decide(close)

    def _decide(self, close: _Close) -> None:
        closed = close_betting(
            self._settings.terms, close.slips, balances=close.balances, absent=close.absent
        )
        if not closed.boxes:
            self._felt.no_round(closed.refused)
            return
        hands = 1 if self._felt.is_common else len(closed.boxes)
        deal = deal_round(shuffled(DECK, self._world.random_bytes), hands)
        state, _ = start(
            RoundSetup(terms=self._settings.terms, boxes=closed.boxes, deal=deal, meter=self._felt.meter or 0)
        )
        accounts = {bets.player for bets in closed.boxes}
        play = RoundPlay(
            table=self._settings.table,
            round_id=close.round_id,
            started_ms=close.started_ms,
            names={place.account: place.name for place in self._felt.places if place.account in accounts},
            state=state,
        )
        entry = bets_entry(
            play, self._world.seal, closing=self._felt.closing, last_bets=self._felt.betting.last_bets
        )
        self._table.ports.writer.write(
            entry, Batch(), first=True, then=partial(self._journalled, close, closed, play)
        )

    def _journalled(self, close: _Close, closed: Closed, play: RoundPlay) -> None:
        """The cards are safe: now the money."""
        if self._felt.abandoned:
            return
        staked: Counter[int] = Counter()
        for bets in closed.boxes:
            staked[bets.player] += bets.total
        asked = RoundBets(
            round_id=play.round_id,
            table=play.table,
            epoch=self._world.epoch,
            started_ms=play.started_ms,
            stakes=tuple(sorted(staked.items())),
            exposure=exposure(self._settings.terms, closed.boxes).total,
        )
        self._ask(
            lambda: self._close_bets(asked),
            done=partial(self._answered, close, closed, play),
            refused=fault_of_ours,
            late=lambda _: None,  # `rebuilding` asks the ledger
        )

    def _close_bets(self, bets: RoundBets) -> Deferred[LedgerRefusal | None]:
        def refused(failure: Failure) -> LedgerRefusal:
            failure.trap(BetsNotCovered, BankEmpty)
            assert isinstance(failure.value, LedgerRefusal)
            return failure.value

        return self._world.ledger.close_bets(bets).addErrback(refused)

    def _answered(self, close: _Close, closed: Closed, play: RoundPlay, why: LedgerRefusal | None) -> None:
        if why is None:
            self._felt.rounds.begin(play, closed.refused)
        elif isinstance(why, BetsNotCovered):  # spent elsewhere since the wallets were read
            close.balances.update(why.balances)
            self._decide(close)
        else:
            self._log.warning("round.not_covered", round_id=play.round_id, reason=str(why))
            self._felt.no_round((*closed.refused, *_all_refused(closed)))


def _all_refused(closed: Closed) -> tuple[Refused, ...]:
    """The house cannot put up what the round may cost it."""
    refused = []
    for bets in closed.boxes:
        amounts = ((Bet.ante, bets.ante), (Bet.trips, bets.trips), (Bet.progressive, bets.progressive))
        refused += [
            Refused(box=bets.box, player=bets.player, bet=bet, amount=amount, why=Refusal.house_limit)
            for bet, amount in amounts
            if amount
        ]
    return tuple(refused)
