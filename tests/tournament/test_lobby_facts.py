"""What the lobby tells of deals and sales before a tournament starts."""

from dataclasses import replace

import pytest

from pokerroom.coordination.registrations import RegistrationBook
from pokerroom.ledger.tournaments import TournamentRow
from pokerroom.tournament.lobby_rows import row_of, scheduled_row_of
from pokerroom.tournament.lobby_views import state_of
from pokerroom.tournament.offers import offer_of, opening_of, scheduled_opening_of, terms_of
from pokerroom_protocol import messages as wire
from tests.tournament.playing import STARTS_MS, offer, scheduled_offer

SOLD = {
    "rebuys_max": 3, "rebuy_levels": 2, "rebuy_price": 250, "rebuy_fee": 10, "rebuy_stack": 1_500, "rebuy_below": 700,
    "add_on_price": 120, "add_on_stack": 2_000, "add_on_break_s": 30,
}  # fmt: skip


def announced(**terms):
    """A tournament with a start that takes its first entries."""
    opening = scheduled_opening_of(scheduled_offer(**terms), 1, STARTS_MS)
    return TournamentRow(opening=opening, phase="registering", entries=(), places=(), tables=())


def state(row):
    return state_of(row, {}, [], None, account=1, re=1)


def test_the_list_tells_what_is_sold_beside_entries():
    """So that a player knows a tournament with rebuys by its row; one without says 0."""
    told = [scheduled_row_of(announced(**terms), 1) for terms in (SOLD, {})]
    assert [(one.rebuys_max, one.rebuy_price, one.add_on_price) for one in told] == [(3, 250, 120), (0, 0, 0)]


def test_the_state_tells_with_which_stack_a_rebuy_is_sold():
    """The add-on is for any stack."""
    sold = {one.kind: one.stack_max for one in state(announced(**SOLD)).sales}
    assert sold == {"add_on": None, "rebuy": 700}
    sold = {one.kind: one.stack_max for one in state(announced(**SOLD | {"rebuy_below": None})).sales}
    assert sold["rebuy"] == 1_500


@pytest.mark.parametrize("ties", ["stack", "share"])
def test_ties_of_hand_for_hand_are_told_and_played(ties):
    """Of both kinds of tournaments."""
    row = announced(hand_for_hand_ties=ties)
    filling = replace(row, opening=opening_of(offer(hand_for_hand_ties=ties), 1))
    for one in (row, filling):
        assert state(one).hand_for_hand_ties == ties
        assert terms_of(offer_of(one.opening)).ties.value == ties


@pytest.mark.parametrize(
    ("terms", "bounds"),
    [
        ({}, None),
        (
            {"deals": True, "deal_from_players": 4, "deal_leave_bps": 500},
            wire.DealBounds(players_max=4, leave_bps=500),
        ),
    ],
)
def test_deals_are_told_before_the_start(terms, bounds):
    """In the list of each kind, and with their bounds in the state."""
    row = announced(**terms)
    assert (scheduled_row_of(row, None).deals, state(row).deals) == (bool(terms), bounds)
    field = offer(seats=12, seats_per_table=6, prizes=(2_880,), **terms)
    assert row_of(field, RegistrationBook(), [], None).deals is bool(terms)
    filling = TournamentRow(
        opening=opening_of(field, 1), phase="registering", entries=(), places=(), tables=()
    )
    assert state(filling).deals == bounds
