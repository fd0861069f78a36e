"""The codes with which a player's wish is refused at an Ultimate table. They are stable and go to the client.

The exception is the rules' own `IllegalAction`; its code is one of these.
"""

from enum import StrEnum
from typing import NoReturn

from pokerroom.rules.errors import IllegalAction


class Refusal(StrEnum):
    """Why a bet or a decision is refused. It changes nothing."""

    # bets
    no_such_bet = "no_such_bet"
    """The table does not have this bet, or it is none that a player places."""
    no_such_box = "no_such_box"
    box_taken = "box_taken"
    bad_amount = "bad_amount"
    """Less than one unit."""
    above_maximum = "above_maximum"
    below_minimum = "below_minimum"
    """Told when betting closes, never before."""
    ante_not_even = "ante_not_even"
    """The Blind's odds cannot be paid in whole units: 3:2 asks for an Ante of an even number of units."""
    ante_needed = "ante_needed"
    """Trips and the progressive bet need an accepted Ante on their box."""
    own_box_needed = "own_box_needed"
    """An extra box needs an accepted Ante on the player's own."""
    play_needed = "play_needed"
    """An extra box needs its Play before the deal."""
    insufficient_balance = "insufficient_balance"
    limit_reached = "limit_reached"
    """A limit of the player's own, which the rules do not know."""
    house_limit = "house_limit"
    """With this bet the house would risk more in the round than it will."""
    not_present = "not_present"
    nothing_to_undo = "nothing_to_undo"
    nothing_to_double = "nothing_to_double"
    doubled_already = "doubled_already"
    nothing_to_repeat = "nothing_to_repeat"
    bets_placed = "bets_placed"
    """The last round's bets are repeated only before any other is placed."""
    # decisions
    round_over = "round_over"
    not_your_box = "not_your_box"
    decided_already = "decided_already"
    """The box has its Play, is folded, or has checked on this street."""
    cannot_check = "cannot_check"
    cannot_fold = "cannot_fold"
    play_not_allowed = "play_not_allowed"
    """Not with this multiple on this street."""


def refuse(why: Refusal) -> NoReturn:
    """Raise IllegalAction with the code."""
    raise IllegalAction(why.value)
