"""Rebuys and add-ons at the owner of a tournament: offers, chips of what was bought, players that do not decide (L2).

Any node sells, and the ledger keeps what is sold. The owner says what is on sale, as the clock has it. It gives the
chips to players at a table at rest, so a purchase during a hand counts for the next one. A player without chips has
`DECIDE_S` to decide, and the table waits; then the ledger lets the player out, unless the player was faster. The state
follows from the ledger alone, so a new owner goes on with it, and with new deadlines.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Final, Protocol, TypeVar

import structlog
from twisted.internet.defer import Deferred

from pokerroom.ledger.chip_sales import ChipPurchase, OnSale, SaleKind, SalesNow
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.entries import EntryStage
from pokerroom.rules.tournament.state import Tournament, TournamentPlayer
from pokerroom.table.game import GamePorts
from pokerroom_protocol import messages as wire

T = TypeVar("T")

DECIDE_S: Final = 15.0
"""[D] Seconds in which a player without chips decides on a rebuy."""


class TakesEntries(Protocol):
    """The director, as far as entries concern it."""

    tournament: Tournament | None

    def at_rest(self) -> Collection[int]:
        """Return the tables that deal no hand without an order."""

    def frozen_tables(self) -> Collection[int]:
        """Return the tables that cannot answer."""

    def is_busy(self) -> bool:
        """Return whether nothing may change now, because an answer of the ledger or the end is awaited."""

    def ask(self, attempt: Callable[[], Deferred[T]], done: Callable[[T], None]) -> None:
        """Ask the ledger; no hand is ordered until it has answered."""

    def entered(self, tournament: Tournament, names: Mapping[int, str]) -> None:
        """Go on with players that have come; tables may be new."""

    def consider_ordering(self) -> None:
        """Order hands that had to wait."""

    def stored(self, tournament: Tournament) -> None:
        """Go on with other chips, or without players that might have bought some."""

    def entries_closed(self, tournament: Tournament) -> None:
        """Go on with prizes, and with places of players that are out."""


_Loss = tuple[int, int, int]
"""A player that is without chips: the account, its entries and its rebuys so far."""


def _loss(tournament: Tournament, account: int) -> _Loss:
    player = tournament.indexed().player(account)
    return account, player.entries, player.rebuys


class RebuyService:
    """The sale of chips in one tournament; most sell none."""

    def __init__(self, name: str, ports: GamePorts, director: TakesEntries) -> None:
        self._name = name
        self._context = ports.context
        self._director = director
        self._log = structlog.get_logger().bind(tournament=name)
        self._deadlines: dict[_Loss, float] = {}
        """When the time of each player that decides is over: a rebuy or another entry ends the one of before."""
        self._asked_about: Collection[int] = ()
        """Those that were deciding when the ledger was asked what is sold."""
        self.unsure: set[int] = set()
        """Tables that have finished a hand since the ledger was asked what is sold."""
        self._asked_of: frozenset[int] = frozenset()
        """Those of them that had finished it when the ledger was asked."""
        self._pending: frozenset[int] = frozenset()
        """Accounts that have bought chips which have not come."""
        self._on_sale: Collection[OnSale] = ()
        """As the ledger has said last."""
        self.sells = False
        """Whether this tournament sells chips."""

    def offer(self, tournament: Tournament, table: int | None = None) -> bool:
        """Tell players that have lost all chips what they can buy, once. `table` has finished a hand.

        Return whether the ledger must be asked at once: a player may have bought chips during that hand, or one that
        is out in the last moment in which it was sold.
        """
        terms = tournament.terms.entries
        self.sells = terms is not None and (terms.rebuy is not None or terms.add_on is not None)
        before, until_s = self._deadlines, self._context.clock.seconds() + DECIDE_S
        losses = {account: _loss(tournament, account) for account in tournament.deciding}
        self._deadlines = {loss: before.get(loss, until_s) for loss in losses.values()}
        new = [account for account, loss in losses.items() if loss not in before]
        sold = bool(new) and (tournament.entries.rebuys_open or "rebuy" in self._on_sale)
        for account in new if sold else ():
            self._tell(tournament, account, "rebuy", self._context.now_ms() + round(DECIDE_S * 1000))
        if table is not None and "rebuy" in self._on_sale:
            self.unsure.add(table)
        return (bool(new) and not sold) or table in self.unsure

    def looks(self, tournament: Tournament) -> None:
        """Note who decides, before the ledger is asked what is sold."""
        self._asked_about, self._asked_of = tournament.deciding, frozenset(self.unsure)

    def heard(self, sales: SalesNow) -> None:
        """Note what the ledger has said is sold."""
        self._on_sale = sales.on_sale if self.sells else ()
        self.unsure -= self._asked_of
        self._pending = frozenset(one.account for one in sales.ordered)

    def waiting(self, tournament: Tournament) -> frozenset[int]:
        """Return the tables that deal no next hand before chips have come, or it is known that none come."""
        players = [tournament.player(account) for account in self._pending]
        return frozenset({*self.unsure, *(player.table for player in players if player is not None)})

    def serves(
        self, tournament: Tournament, sales: SalesNow, again: Callable[[], None], *, closing: bool
    ) -> bool:
        """Do what is due next by what the ledger said; return False if nothing is. `again` asks the ledger again.

        While entries are `closing` nothing is put on sale any more.
        """
        if not self.sells:
            return False
        return (
            self._gives(tournament, sales)
            or self._lets_out(tournament, sales, again)
            or (not closing and self._puts_on_sale(_wanted(tournament, sales), sales, again))
            or bool(sales.ordered)
        )

    def ends_sale(self, sales: SalesNow, again: Callable[[], None]) -> bool:
        """Sell nothing more, no entry either; return False if nothing is sold."""
        return self._puts_on_sale(set(), sales, again)

    def _gives(self, tournament: Tournament, sales: SalesNow) -> bool:
        """Give the chips of purchases, to players at tables at rest."""
        rest = self._director.at_rest()
        due = [
            one
            for one in sales.ordered
            if (player := tournament.player(one.account)) is not None
            and player.table in rest
            and (player.chips or any(one.account in group for group in tournament.unplaced))
        ]
        if due:
            give = partial(self._context.ledger.add_chips, self._name, self._context.epoch, due)
            self._director.ask(give, lambda _: self._given(due))
        return bool(due)

    def _given(self, purchases: Collection[ChipPurchase]) -> None:
        tournament = self._director.tournament
        assert tournament is not None
        self._pending -= {one.account for one in purchases}
        for one in purchases:
            tournament = rules.buy_chips(tournament, one.account, add_on=one.kind == "add_on")
            self._log.info("tournament.chips_bought", kind=one.kind)
        self._director.stored(tournament)

    def _lets_out(self, tournament: Tournament, sales: SalesNow, again: Callable[[], None]) -> bool:
        """Let players out that have declined a rebuy, have used up their time, or came too late for one.

        A seat is free only when the ledger has let its player out: a new owner knows of nothing else.
        """
        ordered = {one.account for one in sales.ordered}
        deciding = [account for account in tournament.deciding if account not in ordered]
        known = [account for account in deciding if account in self._asked_about]
        declined = [account for account in known if account not in sales.undecided]
        if declined:
            self._director.stored(rules.without_rebuys(tournament, declined))
            again()
            return True
        now_s = self._context.clock.seconds()
        late = [one for one in deciding if now_s >= self._deadlines.get(_loss(tournament, one), now_s)]
        if not (tournament.entries.rebuys_open or "rebuy" in sales.on_sale):
            late = known
        if late:
            out = partial(self._context.ledger.let_out, self._name, self._context.epoch, late)
            self._director.ask(out, lambda _: self._asked(again))
        return bool(late)

    def _puts_on_sale(self, wanted: set[OnSale], sales: SalesNow, again: Callable[[], None]) -> bool:
        """Say what is sold from now on."""
        if wanted == sales.on_sale:
            return False
        sell = partial(self._context.ledger.set_sales, self._name, self._context.epoch, wanted)

        def sold(_: None) -> None:
            self._log.info("tournament.on_sale", kinds=sorted(wanted))
            self._asked(again)
            if "add_on" in wanted:
                self._tell_add_ons()

        self._director.ask(sell, sold)
        return True

    def _asked(self, again: Callable[[], None]) -> None:
        """Go on after an answer of the ledger that has changed no chips."""
        tournament = self._director.tournament
        assert tournament is not None
        self._director.stored(tournament)
        again()

    # --- what players are told --------------------------------------------------------------------------------------

    def _tell_add_ons(self) -> None:
        tournament = self._director.tournament
        assert tournament is not None
        until_ms = self._context.now_ms() + tournament.clock.break_left_ms
        for player in tournament.left():
            if not player.add_ons:
                self._tell(tournament, player.account, "add_on", until_ms)

    def _tell(self, tournament: Tournament, account: int, kind: SaleKind, until_ms: int) -> None:
        terms, player = tournament.terms.entries, tournament.player(account)
        assert terms is not None
        assert player is not None
        sold = terms.rebuy if kind == "rebuy" else terms.add_on
        assert sold is not None
        self._context.offered(
            account,
            wire.ChipsOffered(
                tournament=self._name,
                kind=kind,
                price=sold.paid,
                chips=sold.chips,
                number=1 + (player.rebuys if kind == "rebuy" else player.add_ons),
                left=_left(tournament, player, kind),
                until_ms=until_ms,
            ),
        )


def _left(tournament: Tournament, player: TournamentPlayer, kind: SaleKind) -> int:
    terms = tournament.terms.entries
    assert terms is not None
    return terms.rebuys_max - player.rebuys if kind == "rebuy" else 1 - player.add_ons


def _wanted(tournament: Tournament, sales: SalesNow) -> set[OnSale]:
    """Return what is to be sold now; rebuys until all have decided that could when their level ended."""
    entries, wanted = tournament.entries, set[OnSale]()
    if entries.registration_open:
        wanted.add("entry")
    if entries.rebuys_open or ("rebuy" in sales.on_sale and tournament.deciding):
        wanted.add("rebuy")
    if entries.stage is EntryStage.add_on_break:
        wanted.add("add_on")
    return wanted
