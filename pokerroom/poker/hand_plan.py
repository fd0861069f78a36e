"""The plan of the next hand of a cash table: the button's rules (B1-B8) applied to its seats.

Changes what seats owe and which of them sit out. It deals no cards and sends no messages.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from pokerroom.ops.table_settings import TableSettings
from pokerroom.poker.seats import Seat, Seats, SeatState
from pokerroom.rules.button import Owes, missed_blinds, plan_hand
from pokerroom.rules.planned_hand import HandPlan, Positions

TIMEOUTS_IN_ROW_MAX = 2  # H6: after two timed-out hands in a row a cash player is sat out


def next_hand(
    settings: TableSettings,
    seats: Seats,
    previous: Positions | None,
    *,
    first_sitter: int | None,
    sits_out: Callable[[Seat], None],
) -> HandPlan | None:
    """Return the plan of the next hand, and set the debts of all seats as after its deal.

    Return None for too few players. `previous` are the positions of the last hand; in the first one `first_sitter` has
    the button. A player who asked to sit out at the big blind sits out instead of posting it, and `sits_out` is called.

    All players that are not dealt in may miss blinds (B8), also a player that is back and waits. Otherwise a player who
    returns just after the big blind has passed would never owe the small blind. A player who stands up and sits down
    again is a newcomer and owes the big blind alone (B7), whatever they have missed [D]: other players can take the
    seat meanwhile, and the player brings back the chips they left with.
    """
    plan = _plan(settings, seats, previous, first_sitter)
    while plan is not None:
        seat = seats[plan.positions.big_blind]
        if not seat.sits_out_next_big_blind:
            break
        seat.sits_out_next_big_blind = False
        seat.state = SeatState.SITTING_OUT
        sits_out(seat)
        plan = _plan(settings, seats, previous, first_sitter)
    if plan is None:
        return None
    if previous is not None:
        owed = missed_blinds(previous, plan.positions, seats.passed_over(plan.order), settings.seats_max)
        for number, owes in owed.items():
            seats[number].owes = owes
    for number in plan.order if previous is None else plan.settled:
        seats[number].owes = Owes.nothing
    return plan


def sit_out_the_timed_out(
    seats: Seats,
    timed_out: Collection[int],
    acted: Collection[int],
    *,
    sits_out: Callable[[Seat], None],
) -> None:
    """Apply H6 after a hand in which the clock has decided for some accounts, and others have acted.

    A hand counts once, however many of its decisions the clock took; a hand without a decision does not count [D].
    """
    for seat in seats:
        if seat.account in timed_out:
            seat.timeouts_in_row += 1
        elif seat.account in acted:
            seat.timeouts_in_row = 0
        if seat.timeouts_in_row >= TIMEOUTS_IN_ROW_MAX and seat.state is SeatState.PLAYING:
            seat.timeouts_in_row = 0
            seat.state = SeatState.SITTING_OUT
            sits_out(seat)


def _plan(
    settings: TableSettings, seats: Seats, previous: Positions | None, first_sitter: int | None
) -> HandPlan | None:
    return plan_hand(
        previous,
        seats.candidates(),
        settings.seats_max,
        settings.stakes,
        first_button=first_sitter,
        moving_button=settings.moving_button,
    )
