"""Betting time at a table against the house: everybody's slip, which nobody else sees, and the last bets to repeat.

Each wish about a slip is decided against what the wallet holds at that moment: the ledger is asked for all who have
wished something, in one question at a time, and is not kept waiting for. Nothing is paid before betting closes
(`closing`). Runs inside the table's mailbox; knows no cards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, assert_never

from twisted.python.failure import Failure

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.rules.errors import IllegalAction
from pokerroom.rules.ultimate.bets import Bet, BoxBets
from pokerroom.rules.ultimate.slips import Slip, choose_play, double, place, repeat, undo, undo_all
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.viewer import Viewer, public
from pokerroom.ultimate import views
from pokerroom.ultimate.clocks import Light
from pokerroom.ultimate.play import RoundPlay
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

if TYPE_CHECKING:  # the felt makes its betting
    from pokerroom.ultimate.felt import Felt

SlipWish = wire.PlaceBet | wire.ChoosePlay | wire.ChangeBets


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    viewer: Viewer
    message: SlipWish
    account: int


class Betting:
    """The slips on `felt`, in the order in which they were begun."""

    def __init__(self, felt: Felt) -> None:
        self._felt = felt
        self._table = felt.table
        self._terms = felt.table.settings.terms
        self._world = felt.table.world
        self.slips: dict[int, Slip] = {}
        self.last_bets: dict[int, tuple[BoxBets, ...]] = {}
        """What each account bet in its last round here, until it gives its place up."""
        self._balances: dict[int, int] = {}
        """What those with a slip held when they last touched it."""
        self._wishes: list[_Wish] = []
        """Those that the ledger has not been asked for yet."""
        self._asked: list[_Wish] = []

    # --- the light --------------------------------------------------------------------------------------------------

    def made_light(self) -> Light:
        """Of a betting time that begins."""
        settings, post = self._table.settings, self._table.mailbox.post
        return Light(
            self._world.clock,
            self._world.now_ms,
            betting_s=settings.betting_s,
            closing_s=settings.closing_s,
            turned=lambda: post(self._turned),
            over=lambda: post(self._over),
        )

    def tell_light(self) -> None:
        """Everybody sees the light."""
        view = self._felt.light()
        changed = wire.LightChanged(
            table=self._table.settings.table,
            seq=self._table.next_seq(),
            light=view.light,
            closes_ms=view.closes_ms,
        )
        self._table.tell(public(changed))

    def _turned(self) -> None:
        if self._felt.course.bets is not None:
            self.tell_light()

    def _over(self) -> None:
        if self._felt.course.bets is not None:
            self._felt.consider_closing()

    # --- wishes -----------------------------------------------------------------------------------------------------

    def wish(self, viewer: Viewer, message: SlipWish) -> None:
        """Changes a slip, or refuses to: as soon as the wallet is known."""
        account = viewer.account
        assert account is not None  # a stranger does not get this far
        code = self._not_now(account)
        if code is not None:
            self._table.refuse(viewer, message, code)
            return
        self._wishes.append(_Wish(viewer=viewer, message=message, account=account))
        if not self._asked:
            self._ask()

    def _not_now(self, account: int) -> Code | None:
        mine = self._felt.places.held_by(account)
        if mine is None:
            return Code.NOT_SEATED
        if mine.leaving:
            return Code.LEAVING
        if self._felt.closing or self._table.ending.draining:
            return Code.TABLE_CLOSING
        if self._felt.course.bets is None or self._table.ending.no_more_hands:
            return Code.BETTING_CLOSED
        return None

    def _ask(self) -> None:
        self._asked, self._wishes = self._wishes, []
        post = self._table.mailbox.post
        self._world.ledger.wallets(sorted({wish.account for wish in self._asked})).addCallbacks(
            lambda balances: post(self._known, balances), lambda failure: post(self._unknown, failure)
        )

    def _known(self, balances: Mapping[int, Money]) -> None:
        asked, self._asked = self._asked, []
        for wish in asked:
            self._decide(wish, balances.get(wish.account, 0))
        self._next()

    def _unknown(self, failure: Failure) -> None:
        asked, self._asked = self._asked, []
        for wish in asked:
            self._table.refuse(wish.viewer, wish.message, Code.UNAVAILABLE)
        self._next()
        if not isinstance(failure.value, LedgerUnavailable):
            failure.raiseException()

    def _next(self) -> None:
        if self._wishes and not self._felt.abandoned:
            self._ask()

    def _decide(self, wish: _Wish, balance: int) -> None:
        viewer, message, account = wish.viewer, wish.message, wish.account
        if viewer.account != account:  # he logged out while the ledger was asked
            return
        code = Code.TABLE_FROZEN if self._felt.abandoned else self._not_now(account)
        if code is not None:
            self._table.refuse(viewer, message, code)
            return
        try:
            slip = self._changed(self._slip(account), message, balance)
        except IllegalAction as illegal:
            self._table.refuse(viewer, message, Code(illegal.code))
            return
        self._balances[account] = balance
        if slip.bets:
            self.slips[account] = slip
        else:
            self.slips.pop(account, None)  # whoever bets again stands behind the others
        light = self._felt.course.bets
        if slip.bets and light is not None and light.bet():
            self.tell_light()
        facts = self._facts(slip, balance)
        answer = wire.Slip(re=message.id, table=self._table.settings.table, slip=views.slip_view(facts))
        self._table.tell(answers=[(viewer, Outgoing(answer))])

    def _changed(self, slip: Slip, message: SlipWish, balance: int) -> Slip:
        """Raises `IllegalAction`."""
        terms, free = self._terms, self._felt.places.free_boxes()
        match message:
            case wire.PlaceBet():
                bet = Bet(message.bet)
                return place(slip, terms, bet, message.amount, balance=balance, box=message.box, free=free)
            case wire.ChoosePlay():
                self._check_box(message.box)
                return choose_play(slip, message.multiple, box=message.box, balance=balance)
            case wire.ChangeBets(action="double"):
                return double(slip, terms, balance=balance)
            case wire.ChangeBets(action="repeat"):
                return self._repeated(slip, balance)
            case wire.ChangeBets(action="undo"):
                return undo(slip)
            case wire.ChangeBets():
                return undo_all(slip)
            case _:
                assert_never(message)

    def _check_box(self, box: int) -> None:
        if self._felt.is_common or not 1 <= box <= self._terms.boxes:
            raise IllegalAction(Code.NO_SUCH_BOX.value)

    # --- slips ------------------------------------------------------------------------------------------------------

    def _slip(self, account: int) -> Slip:
        held = self._felt.places.held_by(account)
        assert held is not None
        return self.slips.get(account) or Slip(player=account, box=held.box)

    def facts_of(self, account: int | None) -> views.SlipFacts | None:
        """For his snapshot; None where nothing lies on his slip."""
        slip = None if account is None else self.slips.get(account)
        return None if slip is None else self._facts(slip, self._balances.get(slip.player, 0))

    def _facts(self, slip: Slip, balance: int) -> views.SlipFacts:
        return views.SlipFacts(
            slip=slip,
            balance=balance,
            can_double=_can(partial(double, slip, self._terms, balance=balance)),
            can_repeat=_can(partial(self._repeated, slip, balance)),
        )

    def _repeated(self, slip: Slip, balance: int) -> Slip:
        last, free = self.last_bets.get(slip.player, ()), self._felt.places.free_boxes()
        return repeat(slip, self._terms, last, balance=balance, free=free)

    def close(self) -> tuple[Slip, ...]:
        """All slips; from now on there are none."""
        slips, self.slips = tuple(self.slips.values()), {}
        self._balances.clear()
        return slips

    def played(self, play: RoundPlay) -> None:
        """A round begins with these bets: whoever is in it may repeat his."""
        bets: dict[int, list[BoxBets]] = {}
        for one in play.state.setup.boxes:
            bets.setdefault(one.player, []).append(one)
        self.last_bets.update((account, tuple(boxes)) for account, boxes in bets.items())

    def take_over(self, before: Betting) -> None:
        """The operator has stopped the table and lets it go on: what lay on the slips of those still here lies there.

        The time runs once more from its beginning [D]. After a fault slips are lost: nothing was paid.
        """
        for account, slip in before.slips.items():
            held = self._felt.places.held_by(account)
            if held is not None and held.box == slip.box:
                self.slips[account] = slip
                self._balances[account] = before._balances.get(account, 0)

    def drop(self, account: int) -> None:
        """The account leaves: nothing was paid."""
        self.slips.pop(account, None)
        self._balances.pop(account, None)

    def forget(self, account: int) -> None:
        """The account has left."""
        self.last_bets.pop(account, None)
        self._table.refusals.forget(account)

    def abandon(self) -> None:
        """The table is about to begin anew: who waits for the ledger's word is told."""
        wishes, self._wishes = self._wishes, []
        for wish in wishes:
            self._table.refuse(wish.viewer, wish.message, Code.TABLE_FROZEN)


def _can(change: Callable[[], Slip]) -> bool:
    try:
        change()
    except IllegalAction:
        return False
    return True
