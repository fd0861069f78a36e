"""The lines of a table's log: none fails, and what matters is said."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pokerroom.terminal.words import card, log_line, stakes, wait_ended
from pokerroom_protocol import messages as m
from tests.protocol import strategies
from tests.protocol.test_session import INFO

AT = {"table": "t", "seq": 1, "hand_id": "h"}
NAMES = {1: "ada", 2: "bob"}


@given(st.one_of([strategies.of_class(kind) for kind in get_args(m.TableEvent)]))
def test_every_event_has_a_line_or_none(event):
    """Whatever happens at a table, its log goes on."""
    assert log_line(event, NAMES) is None or isinstance(log_line(event, NAMES), str)


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (
            m.Acted(**AT, seat=1, action="raise", added=500, bet=650, stack=0, all_in=True),
            "ada raises to 6.50, all-in",
        ),
        (
            m.Acted(**AT, seat=2, action="clock_all_in", added=0, bet=0, stack=1, all_in=True, by_clock=True),
            "bob is all-in by the clock (time)",
        ),
        (m.StreetDealt(**AT, street="turn", cards=["Td"], pots=[]), "turn: 10♦"),
        (m.Shown(**AT, seat=1, cards=["As", "Ah"], rank="full_house"), "ada shows A♠ A♥, a full house"),
        (
            m.PotAwarded(**AT, pot=1, amount=300, shares=[m.Share(seat=1, amount=300)]),
            "ada wins 3 of side pot 1",
        ),
        (
            m.PotAwarded(**AT, pot=0, amount=300, shares=[m.Share(seat=1, amount=285)], rake=15),
            "ada wins 2.85 of the pot\nThe room takes a rake of 0.15",
        ),
        (m.HandEnded(**AT, stacks=[], void=True), "The hand is void. All stacks are as before it."),
        (m.SeatLeft(table="t", seq=1, seat=9, name="eve"), "eve leaves"),
    ],
)
def test_a_line_says_what_has_happened(event, line):
    """Names, amounts in credits, cards with their suits."""
    assert log_line(event, NAMES) == line


def test_a_seat_without_a_name_is_called_by_its_number():
    """A player may have left before the pot is awarded."""
    assert log_line(m.Mucked(**AT, seat=7), NAMES) == "seat 7 mucks"


def test_stakes():
    """The blinds, or the bets of a fixed limit, and antes."""
    assert stakes(INFO) == "0.50/1"
    limit = m.TableInfo(
        table="t",
        name="x",
        game="holdem",
        structure="fixed_limit",
        small_blind=200,
        big_blind=500,
        min_buy_in=1,
        max_buy_in=2,
        seats=6,
        occupied=0,
        players=0,
        small_bet=500,
        big_bet=1_000,
        ante=25,
    )
    assert stakes(limit) == "5/10, ante 0.25"


@pytest.mark.parametrize(
    ("caps", "text"),
    [([], "0.50/1, rake 2.50 %"), ([(2, 100), (5, 300)], "0.50/1, rake 2.50 %, at most 3")],
)
def test_stakes_with_a_rake(caps, text):
    """The share, and the most that one hand pays."""
    terms = m.RakeView(
        bps=250,
        caps=[m.RakeCap(players=players, amount=amount) for players, amount in caps],
        no_flop_no_drop=True,
        unit=1,
        min_pot=0,
    )
    assert stakes(msgspec.structs.replace(INFO, rake=terms)) == text


def test_why_one_waits_no_longer():
    """Each reason in words; one of a later version as it is."""
    event = m.WaitEnded(table="six", any_table=False, reason="away")

    assert (
        wait_ended(event, "six") == "You are off the waiting list of six: you were disconnected for too long."
    )
    assert card("As") == "A♠"
