"""Where seats stand, and when the countdown is seen."""

from __future__ import annotations

from unittest import mock

import pytest
from textual.app import App
from textual.binding import Binding
from textual.content import Content

from pokerroom.terminal.frame import FramedScreen, Keys
from pokerroom.terminal.texts import speak
from pokerroom.terminal.widgets import SteadyText, faces, places, time_left
from pokerroom_protocol import messages as m
from tests.terminal.support import Player, on_a_loop

TURN = m.TurnView(
    seat=1,
    seq=1,
    check=True,
    call_amount=0,
    min_raise_to=None,
    max_raise_to=None,
    countdown_ms=10_000,
    deadline_ms=30_000,
)


@pytest.mark.parametrize("seats", range(2, 11))
def test_seats_go_round_clockwise_from_yours(seats):
    """Below from the middle to the left, above to the right, and back: each seat once, in its order."""
    for yours in range(1, seats + 1):
        upper, lower = places(seats, yours)
        middle = lower.index(yours)
        circle = [*lower[middle::-1], *upper, *lower[:middle:-1]]

        assert circle == [(yours - 1 + step) % seats + 1 for step in range(seats)]
        assert middle == (len(lower)) // 2
        assert 0 <= len(lower) - len(upper) <= 1


def test_a_player_who_looks_on_sees_the_first_seat_below():
    """Without a seat of one's own the table has an order, too."""
    assert places(6, None) == places(6, 1)


@pytest.mark.parametrize(
    ("now_ms", "seconds", "share"),
    [
        (0, None, 1.0),
        (9_999, None, 1.0),
        (10_000, 20, 1.0),
        (20_000, 10, 0.5),
        (30_000, 0, 0.0),
        (99_000, 0, 0.0),
    ],
)
def test_the_countdown_begins_when_the_room_says(now_ms, seconds, share):
    """H1: quiet at first, then the seconds run down to nothing and not below."""
    left = time_left(TURN, now_ms)

    assert (left.seconds, left.share) == (seconds, share)


def test_a_time_bank_is_seen_at_once():
    """Once it runs there is no quiet time."""
    bank = m.TurnView(
        seat=1,
        seq=1,
        check=True,
        call_amount=0,
        min_raise_to=None,
        max_raise_to=None,
        countdown_ms=40_000,
        deadline_ms=45_000,
        in_time_bank=True,
    )

    assert time_left(bank, 35_000).seconds == 10
    assert time_left(None, 0).seconds is None


@pytest.mark.parametrize(
    ("cards", "width", "row"),
    [
        ("As Kd", 11, " A♠   K♦ "),
        ("As Kd 9c 2h", 19, " A♠   K♦   9♣   2♥ "),
        ("As Kd 9c 2h", 13, "A♠ K♦ 9♣ 2♥"),
        ("Ts Td Tc 2h", 13, "10♠10♦10♣2♥"),
        ("As Kd 9c 2h 3s", None, " A♠   K♦   9♣   2♥   3♠ "),
    ],
)
def test_a_hand_stays_on_one_line(cards, width, row):
    """Four cards have less room than two; the board has all it needs."""
    assert faces(cards.split(), width).plain == row


def test_a_text_is_drawn_again_only_if_it_is_another():
    """A layout of the whole screen follows each drawing; a style alone makes another text, too."""
    text = SteadyText()
    with mock.patch.object(text, "refresh") as refresh:
        for content in ("one", "one", "two", "two"):
            text.update(Content(content))
        assert refresh.call_count == 2
        text.update(Content.styled("two", "bold"))
        assert refresh.call_count == 3


class Keyed(FramedScreen):
    """A screen with a key."""

    BINDINGS = [Binding("x", "stand_up", "key.stand_up")]  # noqa: RUF012 -- declared so by Textual

    def action_stand_up(self) -> None:
        """Is there to be offered."""


class Framed(App[None]):
    """What `Banner` reads of its app."""

    line = ""


class ManyKeys(FramedScreen):
    """A screen with more keys than fit in a line."""

    BINDINGS = [Binding(key, f"key_{key}", f"what {key} does") for key in "abcdefgh"]  # noqa: RUF012 -- as above

    def __getattr__(self, name):
        """Each key has its action."""
        if name.startswith("action_key_"):
            return lambda: None
        raise AttributeError(name)


def test_the_keys_take_as_many_lines_as_they_need():
    """None is cut off on a narrow screen; a wide one has a line of them."""

    async def scenario():
        async with Framed().run_test(size=(60, 20)) as pilot:
            me = Player(pilot.app, pilot)

            def keys() -> list[int]:
                return [count for text in me.screen_text().splitlines() if (count := text.count(" does"))]

            await pilot.app.push_screen(ManyKeys())
            await me.until(lambda: keys() == [4, 4], "two lines")
            assert "h what h does" in me.screen_text()
            await pilot.resize_terminal(160, 20)
            await me.until(lambda: keys() == [8], "one line")

    on_a_loop(scenario)


def test_the_keys_are_composed_again_only_if_they_are_others():
    """The same ones stay where they are; those of another language take their place."""

    async def scenario():
        async with Framed().run_test() as pilot:
            await pilot.app.push_screen(Keyed())
            await pilot.pause()
            keys = pilot.app.screen.query_one(Keys)
            first = [*keys.children]
            assert first

            pilot.app.screen.refresh_bindings()
            await pilot.pause(0.1)
            assert [*keys.children] == first

            speak("de")
            pilot.app.screen.refresh_bindings()
            await pilot.pause(0.1)
            assert not set(first) & set(keys.children)

    on_a_loop(scenario)
