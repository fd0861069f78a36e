"""What the terminal says: amounts, cards, seats and every event."""

from __future__ import annotations

from typing import get_args

import pytest
from rich.console import Console
from rich.text import Text

from pokerroom.terminal.words import cards, felt, money, parse_money, pot, told
from pokerroom_protocol import messages as m
from pokerroom_protocol._examples import SERVER_EXAMPLES

SILENT = {m.SeatChanged, m.SeatReserved, m.SeatReleased, m.Turn, m.Mucked}


def rendered(thing) -> str:
    console = Console(width=100, no_color=True)
    with console.capture() as captured:
        console.print(thing)
    return captured.get()


@pytest.mark.parametrize(
    ("amount", "text"), [(0, "0"), (150, "1.50"), (20_000, "200"), (123_456_705, "1,234,567.05")]
)
def test_amounts_are_written_in_credits(amount, text):
    """The smallest unit is a hundredth; whole credits have no fraction."""
    assert money(amount) == text


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("2", 200),
        ("2.5", 250),
        ("2,05", 205),
        (" 7. ", 700),
        ("", None),
        ("-1", None),
        ("1.234", None),
        ("x", None),
    ],
)
def test_amounts_are_read_as_typed(text, amount):
    """With a point or a comma; anything else is no amount."""
    assert parse_money(text) == amount


def test_cards_have_suits():
    """A ten is written as such."""
    assert cards(["Td", "As"]).plain == "10♦ A♠ "


def test_every_event_is_told_or_known_to_need_no_words():
    """Each event of the protocol's examples is a sentence without loose markup, or silent on purpose."""
    events = get_args(m.HoldemEvent)
    names = {number: f"[p{number}]" for number in range(1, 11)}
    heard = set()
    for example in SERVER_EXAMPLES:
        if isinstance(example, events):
            text = told(example, names)
            if text is None:
                assert type(example) in SILENT or isinstance(example, m.HoleCards | m.HandEnded), example
            else:
                assert Text.from_markup(text).plain
                heard.add(type(example))
    assert heard >= set(events) - SILENT - {m.HandEnded}


def test_the_felt_shows_every_seat_yours_first():
    """Seats in order from yours, with cards, bets and whose turn it is."""
    snapshot = next(
        example
        for example in SERVER_EXAMPLES
        if isinstance(example, m.Snapshot) and example.your_seat and example.hand
    )
    text = rendered(felt(snapshot, {}, 7))
    lines = text.splitlines()
    own = next(seat for seat in snapshot.seats if seat.seat == snapshot.your_seat)
    assert own.name in lines[1]
    for seat in snapshot.seats:
        assert seat.name in text
    assert text.count("free") == snapshot.info.seats - len(snapshot.seats)
    assert pot(snapshot) == sum(each.amount for each in snapshot.hand.pots) + sum(
        seat.bet for seat in snapshot.seats
    )
