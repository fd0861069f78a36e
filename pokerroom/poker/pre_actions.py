"""Decisions made in advance: fold to any bet, check or fold, call this amount.

`fold_to_any_bet` holds for the rest of the hand. The other two are for the next decision at the price that the player
saw. When the price changes they are void and the player is told [D]. This module knows a hand in progress; it reads no
clock and sends no messages.
"""

from __future__ import annotations

from pokerroom.poker.play import HandPlay
from pokerroom.poker.seats import Seat
from pokerroom.rules.hand import PlayerStatus
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code


class PreActions:
    """The pre-actions of the hand in progress, by account."""

    def __init__(self) -> None:
        self._of: dict[int, wire.PreActView] = {}

    def of(self, account: int | None) -> wire.PreActView | None:
        """Return the account's decision for its next turn, if any."""
        return None if account is None else self._of.get(account)

    def put(self, play: HandPlay, seat: Seat, message: wire.PreAct) -> Code | None:
        """Note a pre-action, or return why it is refused."""
        player = play.player_of.get(seat.number)
        if player is None or play.state.statuses[player] is not PlayerStatus.active:
            return Code.NOT_IN_HAND
        if play.state.to_act == player:
            return Code.YOUR_TURN
        if message.action == "fold_to_any_bet":
            if message.call_amount is not None:
                return Code.AMOUNT_NOT_ALLOWED
        elif message.call_amount is None:
            return Code.AMOUNT_REQUIRED
        elif message.call_amount != _price(play, player):
            return Code.PRICE_CHANGED
        elif message.action == "call" and message.call_amount == 0:
            return Code.NOTHING_TO_CALL
        self._of[seat.account] = wire.PreActView(action=message.action, call_amount=message.call_amount)
        return None

    def cancel(self, account: int) -> None:
        """Drop the account's pre-action."""
        self._of.pop(account, None)

    def clear(self) -> None:
        """Drop all pre-actions: the hand is over."""
        self._of.clear()

    def void(self, play: HandPlay) -> list[int]:
        """Drop pre-actions with a changed price or without a decision left; return the accounts of the former."""
        changed: list[int] = []
        if not self._of:  # as nearly always
            return changed
        for account, pre_act in list(self._of.items()):
            player = next(player for player, seat in enumerate(play.seats) if seat.account == account)
            if play.state.statuses[player] is not PlayerStatus.active:
                del self._of[account]
            elif pre_act.call_amount not in {None, _price(play, player)}:
                del self._of[account]
                changed.append(account)
        return changed

    def take(self, account: int) -> wire.PreActView | None:
        """Return the pre-action of the player to act; one for a single decision is used up."""
        pre_act = self._of.get(account)
        if pre_act is not None and pre_act.action != "fold_to_any_bet":
            del self._of[account]
        return pre_act


def _price(play: HandPlay, player: int) -> int:
    """Return what a call would add for a player, in turn or not."""
    state = play.state
    return min(state.current_bet - state.bets[player], state.stacks[player])
