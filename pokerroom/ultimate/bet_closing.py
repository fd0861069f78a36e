"""Closes betting: which bets stand, what the journal must store before they are paid, and the ledger's answer.

The order: read the wallets, decide by the rules, store the cards in the journal, move the money, tell. A table that
stops at any of these steps loses nothing, and no player has paid for a round that cannot be played. Each step is an
answer that comes back into the table's mailbox. Knows no clocks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import structlog
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from pokerroom.chips import Money
from pokerroom.ledger.api import BankEmpty, BetsNotCovered, LedgerRefusal
from pokerroom.ledger.rounds import RoundBets
from pokerroom.ops.ultimate_settings import UltimateSettings
from pokerroom.rules.cards import DECK
from pokerroom.rules.ultimate.bets import Bet
from pokerroom.rules.ultimate.closing import Closed, Refused, close_betting
from pokerroom.rules.ultimate.deal import deal_round
from pokerroom.rules.ultimate.errors import Refusal
from pokerroom.rules.ultimate.exposure import exposure
from pokerroom.rules.ultimate.number import round_number
from pokerroom.rules.ultimate.round import RoundSetup, start
from pokerroom.rules.ultimate.slips import BettingSlip
from pokerroom.table.game import GamePorts
from pokerroom.table.ledger_requests import fault_of_ours
from pokerroom.table.outbox import Batch
from pokerroom.table.shuffle import shuffled
from pokerroom.ultimate.journal import bets_entry
from pokerroom.ultimate.places import BoxPlaces
from pokerroom.ultimate.play import RoundPlay
from pokerroom.ultimate.slips import BetSlips
from pokerroom.ultimate.state import UltimateState


@dataclass(slots=True, kw_only=True)
class _Close:
    """One betting time that is over."""

    slips: tuple[BettingSlip, ...]
    absent: frozenset[int]
    started_ms: int
    balances: dict[int, int] = field(default_factory=dict)
    """What each player may bet."""
    limited: set[int] = field(default_factory=set)
    """The players with a limit of their own that leaves less than their wallet."""
    round_id: str = ""


class BetClosing:
    """Takes one table from the red light to a round.

    One of two functions is called at the end: `begin` with the round and the refused bets, or `no_round` with the
    refused bets.
    """

    def __init__(
        self,
        settings: UltimateSettings,
        ports: GamePorts,
        state: UltimateState,
        slips: BetSlips,
        places: BoxPlaces,
        *,
        begin: Callable[[RoundPlay, Sequence[Refused]], None],
        no_round: Callable[[Sequence[Refused]], None],
    ) -> None:
        self._settings = settings
        self._context = ports.context
        self._ledger = ports.context.ledger
        self._writer = ports.writer
        self._ask = ports.requests.ask
        self._state = state
        self._slips = slips
        self._places = places
        self._begin = begin
        self._no_round = no_round
        self._log = structlog.get_logger().bind(table=settings.table)

    def close(self, slips: tuple[BettingSlip, ...]) -> None:
        """Close betting with these slips. Where the table has that rule, absent players have no bets (U16)."""
        close = _Close(
            slips=slips,
            absent=self._places.absent() if self._settings.presence else frozenset(),
            started_ms=self._context.now_ms(),
        )
        players = sorted(slip.player for slip in slips)
        self._ask(
            lambda: self._ledger.wallets(players),
            done=partial(self._wallets_known, close),
            refused=fault_of_ours,
            late=lambda _: None,
        )

    def _wallets_known(self, close: _Close, balances: Mapping[int, Money]) -> None:
        close.balances = dict(balances)
        self._ask(
            self._ledger.next_round,
            done=partial(self._numbered, close),
            refused=fault_of_ours,
            late=lambda _: None,
        )

    def _numbered(self, close: _Close, count: int) -> None:
        close.round_id = round_number(started_ms=close.started_ms, count=count)
        self._decide(close)

    def _decide(self, close: _Close) -> None:
        terms = self._settings.terms
        closed = close_betting(terms, close.slips, balances=close.balances, absent=close.absent)
        closed = Closed(boxes=closed.boxes, refused=tuple(_by_limit(one, close) for one in closed.refused))
        if not closed.boxes:
            self._no_round(closed.refused)
            return
        hands = 1 if self._settings.is_common_hand else len(closed.boxes)
        deal = deal_round(shuffled(DECK, self._context.random_bytes), hands)
        meter = self._state.meter or 0
        state = start(RoundSetup(terms=terms, boxes=closed.boxes, deal=deal, meter=meter))
        accounts = {bets.player for bets in closed.boxes}
        play = RoundPlay(
            table=self._settings.table,
            round_id=close.round_id,
            started_ms=close.started_ms,
            names={place.account: place.name for place in self._places if place.account in accounts},
            state=state,
        )
        entry = bets_entry(
            play,
            self._context.seal,
            closing=self._state.closing,
            last_bets=self._slips.last_bets,
            keys=self._state.keys.done(),
        )
        self._writer.write(entry, Batch(), first=True, then=partial(self._journalled, close, closed, play))

    def _journalled(self, close: _Close, closed: Closed, play: RoundPlay) -> None:
        """The cards are stored: move the money."""
        if self._state.abandoned:
            return
        staked: Counter[int] = Counter()
        for bets in closed.boxes:
            staked[bets.player] += bets.total
        asked = RoundBets(
            round_id=play.round_id,
            table=play.table,
            epoch=self._context.epoch,
            started_ms=play.started_ms,
            stakes=tuple(sorted(staked.items())),
            exposure=exposure(self._settings.terms, closed.boxes).total,
        )
        self._ask(
            lambda: self._close_bets(asked),
            done=partial(self._answered, close, closed, play),
            refused=fault_of_ours,
            late=lambda _: None,  # the restart asks the ledger whether the round is in progress
        )

    def _close_bets(self, bets: RoundBets) -> Deferred[LedgerRefusal | None]:
        def refused(failure: Failure) -> LedgerRefusal:
            failure.trap(BetsNotCovered, BankEmpty)
            assert isinstance(failure.value, LedgerRefusal)
            return failure.value

        return self._ledger.close_bets(bets).addErrback(refused)

    def _answered(self, close: _Close, closed: Closed, play: RoundPlay, why: LedgerRefusal | None) -> None:
        if why is None:
            self._begin(play, closed.refused)
        elif isinstance(why, BetsNotCovered):  # a limit, or money spent elsewhere since the wallets were read
            close.balances.update(why.balances)
            close.limited |= why.limited
            self._decide(close)
        else:
            self._log.warning("round.not_covered", round_id=play.round_id, reason=str(why))
            self._no_round((*closed.refused, *_all_refused(closed)))


def _by_limit(one: Refused, close: _Close) -> Refused:
    """Name the true reason of a refusal: to the rules, what a limit leaves is a balance."""
    if one.player not in close.limited or one.why is not Refusal.insufficient_balance:
        return one
    return Refused(box=one.box, player=one.player, bet=one.bet, amount=one.amount, why=Refusal.limit_reached)


def _all_refused(closed: Closed) -> tuple[Refused, ...]:
    """Return all bets as refused: the bank cannot put up what the round may cost it."""
    refused = []
    for bets in closed.boxes:
        amounts = ((Bet.ante, bets.ante), (Bet.trips, bets.trips), (Bet.progressive, bets.progressive))
        refused += [
            Refused(box=bets.box, player=bets.player, bet=bet, amount=amount, why=Refusal.house_limit)
            for bet, amount in amounts
            if amount
        ]
    return tuple(refused)
