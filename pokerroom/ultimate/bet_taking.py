"""Takes bets while betting is open (U1): changes slips, which only their own players see.

Each request is decided against the wallet as it is at that moment. One question to the ledger covers all requests that
wait; the ledger is asked once, and not again if it is unavailable. Nothing is paid before betting closes
(`bet_closing`). Runs inside the table's mailbox; knows no cards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import assert_never

from twisted.python.failure import Failure

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ops.ultimate_settings import UltimateSettings
from pokerroom.rules.errors import IllegalAction
from pokerroom.rules.ultimate.bets import Bet
from pokerroom.rules.ultimate.slips import BettingSlip, choose_play, double, place, repeat, undo, undo_all
from pokerroom.table.game import GamePorts
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.viewer import Viewer
from pokerroom.ultimate import views
from pokerroom.ultimate.places import BoxPlaces
from pokerroom.ultimate.slips import BetSlips
from pokerroom.ultimate.state import UltimateState
from pokerroom.ultimate.table_light import TableLight
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

ChangeMessage = wire.PlaceBet | wire.ChoosePlay | wire.ChangeBets
SlipMessage = ChangeMessage | wire.DealNow


@dataclass(frozen=True, slots=True, kw_only=True)
class _SlipRequest:
    viewer: Viewer
    message: SlipMessage
    account: int


class BetTaking:
    """Takes the bets of one table."""

    def __init__(
        self,
        settings: UltimateSettings,
        ports: GamePorts,
        state: UltimateState,
        slips: BetSlips,
        places: BoxPlaces,
        *,
        light: TableLight,
        ready: Callable[[], None],
    ) -> None:
        self._settings = settings
        self._terms = settings.terms
        self._announcer = ports.announcer
        self._ledger = ports.context.ledger
        self._drain = ports.drain
        self._post = ports.mailbox.post
        self._state = state
        self._slips = slips
        self._places = places
        self._light = light
        self._ready = ready
        self._waiting: list[_SlipRequest] = []
        """Requests for which the ledger has not been asked yet."""
        self._asked: list[_SlipRequest] = []

    # --- requests ---------------------------------------------------------------------------------------------------

    def take(self, viewer: Viewer, message: SlipMessage) -> None:
        """Change a slip, or refuse to, as soon as the wallet is known."""
        account = viewer.account
        assert account is not None  # a stranger does not get this far
        code = self._not_now(account)
        if code is not None:
            self._announcer.refuse(viewer, message, code)
            return
        self._waiting.append(_SlipRequest(viewer=viewer, message=message, account=account))
        if not self._asked:
            self._ask()

    def abandon(self) -> None:
        """Refuse what waits: the game is broken off."""
        waiting, self._waiting = self._waiting, []
        for request in waiting:
            self._announcer.refuse(request.viewer, request.message, Code.TABLE_FROZEN)

    def facts_of(self, account: int | None) -> views.SlipFacts | None:
        """Return the slip of an account for its snapshot; None where it has no bets."""
        slip = self._slips.of(account)
        return None if slip is None else self._facts(slip, self._slips.balance(slip.player))

    # --- inside -----------------------------------------------------------------------------------------------------

    def _not_now(self, account: int) -> Code | None:
        held = self._places.held_by(account)
        if held is None:
            return Code.NOT_SEATED
        if held.leaving:
            return Code.LEAVING
        if self._state.closing or self._drain.draining:
            return Code.TABLE_CLOSING
        if self._state.bets is None or self._drain.no_more_hands:
            return Code.BETTING_CLOSED
        return None

    def _ask(self) -> None:
        self._asked, self._waiting = self._waiting, []
        self._ledger.wallets(sorted({request.account for request in self._asked})).addCallbacks(
            lambda balances: self._post(self._known, balances),
            lambda failure: self._post(self._unknown, failure),
        )

    def _known(self, balances: Mapping[int, Money]) -> None:
        asked, self._asked = self._asked, []
        for request in asked:
            self._decide(request, balances.get(request.account, 0))
        self._ask_next()

    def _unknown(self, failure: Failure) -> None:
        asked, self._asked = self._asked, []
        for request in asked:
            self._announcer.refuse(request.viewer, request.message, Code.UNAVAILABLE)
        self._ask_next()
        if not isinstance(failure.value, LedgerUnavailable):
            failure.raiseException()

    def _ask_next(self) -> None:
        if self._waiting and not self._state.abandoned:
            self._ask()

    def _decide(self, request: _SlipRequest, balance: int) -> None:
        viewer, message, account = request.viewer, request.message, request.account
        if viewer.account != account:  # logged out while the ledger was asked
            return
        code = Code.TABLE_FROZEN if self._state.abandoned else self._not_now(account)
        if code is not None:
            self._announcer.refuse(viewer, message, code)
            return
        if isinstance(message, wire.DealNow):  # decided in the order of the bets before it
            self._deal_now(viewer, message, account)
            return
        slip = self._slip(account)
        # a choice needs no key: repeated it changes nothing
        key = None if isinstance(message, wire.ChoosePlay) else message.key
        if not self._state.keys.knows(account, key):
            try:
                slip = self._changed(slip, message, balance)
            except IllegalAction as illegal:
                self._announcer.refuse(viewer, message, Code(illegal.code))
                return
            self._state.keys.note_bet(account, key)
            self._slips.put(slip, balance)
            if slip.bets:
                self._light.bet()
        view = views.slip_view(self._facts(slip, balance))
        answer = wire.Slip(re=message.id, table=self._settings.table, slip=view)
        self._announcer.tell(answers=[(viewer, Outgoing(answer))])

    def _deal_now(self, viewer: Viewer, message: wire.DealNow, account: int) -> None:
        if self._slips.of(account) is None:
            self._announcer.refuse(viewer, message, Code.ANTE_NEEDED)
            return
        self._slips.ready(account)
        self._announcer.tell(answers=[(viewer, Outgoing(wire.Ok(re=message.id)))])
        self._ready()

    def _changed(self, slip: BettingSlip, message: ChangeMessage, balance: int) -> BettingSlip:
        """Return the slip after the request. Raises `IllegalAction`."""
        terms, free = self._terms, self._places.free_boxes()
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
        if self._settings.is_common_hand or not 1 <= box <= self._terms.boxes:
            raise IllegalAction(Code.NO_SUCH_BOX.value)

    def _slip(self, account: int) -> BettingSlip:
        held = self._places.held_by(account)
        assert held is not None
        return self._slips.of(account) or BettingSlip(player=account, box=held.box)

    def _facts(self, slip: BettingSlip, balance: int) -> views.SlipFacts:
        return views.SlipFacts(
            slip=slip,
            balance=balance,
            can_double=_can(partial(double, slip, self._terms, balance=balance)),
            can_repeat=_can(partial(self._repeated, slip, balance)),
        )

    def _repeated(self, slip: BettingSlip, balance: int) -> BettingSlip:
        last, free = self._slips.last_bets.get(slip.player, ()), self._places.free_boxes()
        return repeat(slip, self._terms, last, balance=balance, free=free)


def _can(change: Callable[[], BettingSlip]) -> bool:
    try:
        change()
    except IllegalAction:
        return False
    return True
