"""The end of a satellite: all that are left have a seat, and so have the best of those out in the last hand (L14)."""

from dataclasses import replace

from pokerroom.rules.tournament.hand_for_hand import elimination_order
from pokerroom.rules.tournament.satellites import last_seats
from pokerroom.rules.tournament.seat_draw import RandomNumbers
from pokerroom.rules.tournament.state import Tournament, TournamentPhase
from pokerroom.rules.tournament.tournament import standings_from


def with_seats(tournament: Tournament, numbers: RandomNumbers) -> Tournament:
    """Place the players that win no seat; once no table has a hand in progress, place all others first.

    For a satellite that is decided (`Tournament.seats_won`). A hand that another table still plays takes no seat away:
    only the hand that has decided does. Of equal stacks a draw decides.
    """
    seats, left = tournament.seats, tournament.indexed().left
    if len(tournament.players) - len(tournament.standings) > seats:
        won, without = last_seats(elimination_order(tournament.out), seats - left, numbers)
        tournament = replace(
            tournament,
            standings=standings_from(tournament.prizes, without, seats + 1) + tournament.standings,
            out=tuple([one for one in tournament.out if one.account in won]),
            synchronised=False,
            synchronised_ms=0,
        )
    if not tournament.between_hands:
        return tournament
    placed = {one.account for one in tournament.standings}
    first = [player.account for player in tournament.players if player.account not in placed]
    return replace(
        tournament,
        phase=TournamentPhase.finished,
        standings=standings_from(tournament.prizes, [first], 1) + tournament.standings,
        out=(),
    )
