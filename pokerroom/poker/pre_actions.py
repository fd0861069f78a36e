"""Decisions made before the turn has come: fold to any bet, check or fold, call this amount.

`fold_to_any_bet` holds for the rest of the hand. The other two are for the next decision at the price that the player
saw; when it changes they are void and he is told [D]. Knows a hand in progress; asks no clock and tells nobody.
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
        """What the account has decided for its next turn."""
        return None if account is None else self._of.get(account)

    def put(self, play: HandPlay, seat: Seat, message: wire.PreAct) -> Code | None:
        """Notes it, or says why not."""
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
        """He decides when his turn comes."""
        self._of.pop(account, None)

    def clear(self) -> None:
        """The hand is over."""
        self._of.clear()

    def void(self, play: HandPlay) -> list[int]:
        """Drops those whose price has changed, or whose owner has nothing to decide any more; returns the former."""
        changed = []
        for account, pre_act in list(self._of.items()):
            player = next(player for player, seat in enumerate(play.seats) if seat.account == account)
            if play.state.statuses[player] is not PlayerStatus.active:
                del self._of[account]
            elif pre_act.call_amount not in {None, _price(play, player)}:
                del self._of[account]
                changed.append(account)
        return changed

    def take(self, account: int) -> wire.PreActView | None:
        """What the player whose turn has come has decided; one for a single decision is used up by it."""
        pre_act = self._of.get(account)
        if pre_act is not None and pre_act.action != "fold_to_any_bet":
            del self._of[account]
        return pre_act


def _price(play: HandPlay, player: int) -> int:
    """What a call would add for a player, whoever's turn it is."""
    state = play.state
    return min(state.current_bet - state.bets[player], state.stacks[player])
