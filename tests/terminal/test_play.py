"""The terminal client at a real room: what a person sees and does, key by key."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.screen import Screen

from pokerroom.terminal.sessions import SavedSession, SessionFile
from pokerroom.terminal.widgets import SeatBox
from pokerroom_protocol import PokerClient
from pokerroom_protocol import messages as m
from tests.integration.support import RunningRoom
from tests.terminal.support import Player, caller, line, new_name, on_a_loop, player

pytestmark = [pytest.mark.services, pytest.mark.timeout(300)]


@asynccontextmanager
async def at_the_turn(
    room: RunningRoom, directory: Path, table: str, *, port: int | None = None
) -> AsyncIterator[Player]:
    """A user at a table for two against a caller, at the user's first turn."""
    async with (
        caller(room.game_port, new_name(), table) as other,
        player(port or room.game_port, directory, name=new_name(), table=table) as me,
    ):
        await me.sees("You are watching")
        await me.sit_down()
        other.may_play.set()
        await me.turn()
        yield me


def test_a_guest_plays_a_hand(room, tmp_path):
    """From the first screen to the end of a hand with a few keys: guest, table, seat, decisions."""

    async def scenario():
        async with AsyncExitStack() as stack:
            others = [
                await stack.enter_async_context(caller(room.game_port, new_name(), "six")) for _ in range(3)
            ]
            me = await stack.enter_async_context(player(room.game_port, tmp_path))
            await me.sees("Play as a guest")
            me.picture("entrance")
            await me.press("enter")
            await me.sees("The long table")
            await me.sees("10,000 in the wallet")
            me.picture("lobby")
            await me.choose("six")
            await me.press("enter")
            await me.sees("You are watching")
            await me.sit_down()
            for other in others:
                other.may_play.set()
            await me.turn()
            await me.sees("Your turn")
            assert me.cards is not None
            assert len(me.cards) == 2
            me.picture("table")
            hand_id = me.table.hand.hand_id
            while me.table.hand is not None and me.table.hand.hand_id == hand_id:
                if me.is_to_act:
                    await me.press("c")
                await me.pilot.pause(0.02)
            await me.sees("wins")
            me.picture("hand-over")
            await me.press("x")
            await me.sees("You stand up")

    on_a_loop(scenario)


def test_a_raise_is_typed_or_chosen(room, tmp_path):
    """R asks how much; half a pot, the pot, all-in and typed amounts are sent as totals; wrong ones are not."""

    async def scenario():
        async with at_the_turn(room, tmp_path, "duel-1") as me:
            await me.press("r")
            await me.sees("half pot")
            me.picture("raise")
            await me.press("p", "enter")
            await me.sees("raises to 3")
            await me.turn()
            await me.press("r")
            await me.press("backspace", *"0.01", "enter")
            await me.sees("Enter an amount from")
            await me.press("backspace", "backspace", "backspace", "backspace", *"x", "enter")
            await me.sees("Enter an amount like")
            await me.press("a", "enter")
            await me.sees("all-in")
            await me.sees("wins")

    on_a_loop(scenario)


def test_a_lost_line_comes_back(room, tmp_path):
    """While there is no line a banner says so; afterwards the hand goes on, with one's cards and at one's turn."""

    async def scenario():
        async with (
            line(room.game_port) as wire,
            at_the_turn(room, tmp_path, "duel-2", port=wire.port) as me,
        ):
            cards = me.cards
            hand_id = me.table.hand.hand_id
            file = SessionFile(tmp_path / "sessions.json", "room")
            file.write(SavedSession(name=me.app.me.name, token="an-older-one"))
            wire.down = True
            wire.cut()
            await me.sees("The connection is lost")
            me.picture("line-lost")
            wire.down = False
            await me.until(lambda: not me.app.line, "the line")
            await me.turn()
            assert me.table.hand.hand_id == hand_id
            assert cards == me.cards
            assert file.read(None).token == me.app.me.token  # the room may have renewed it
            seq = me.table.seq
            await me.press("c")
            await me.until(lambda: me.table.seq > seq, "the decision")

    on_a_loop(scenario)


def test_the_seat_is_there_after_a_restart_of_the_client(room, tmp_path):
    """A user who closes the terminal and keeps the seat returns to it without a login."""

    async def scenario():
        async with caller(room.game_port, new_name(), "duel-3"):
            async with player(room.game_port, tmp_path, name=new_name(), table="duel-3") as me:
                await me.sees("You are watching")
                await me.sit_down()
                seat = me.table.your_seat
                await me.press("ctrl+q")
                await me.sees("keep the seat")
                await me.press("k")
                await me.until(lambda: me.app.return_value is not None, "the end")
            async with player(room.game_port, tmp_path) as again:
                await again.until(lambda: len(again.app.screen_stack) > 2, "the table")
                await again.until(lambda: again.table.your_seat is not None, "the seat")
                assert again.table.your_seat == seat
                await again.press("ctrl+q")
                await again.sees("stand up and quit")
                await again.press("s")
                await again.leaves()

    on_a_loop(scenario)


def test_each_name_keeps_its_session(room, tmp_path):
    """A guest has no password: if another name plays meanwhile, the account must not be lost."""

    async def scenario():
        guest = new_name()
        for name in (guest, new_name(), guest):
            async with player(room.game_port, tmp_path, name=name) as me:
                await me.sees("The long table")
                assert me.app.me.name == name

    on_a_loop(scenario)


def test_what_is_wrong_at_the_entrance_is_said(room, tmp_path):
    """A name that is none, or is taken, and a wrong password are told in words; then it can be mended."""

    async def scenario():
        taken = new_name()
        async with caller(room.game_port, taken, "duel-4"), player(room.game_port, tmp_path) as me:
            await me.sees("Play as a guest")
            await me.press("delete", *"-", "enter")
            await me.sees("A name has")
            await me.press("backspace", *taken, "enter")
            await me.sees("This name is taken")
            await me.press("tab", *"wrong horse", "enter")
            await me.sees("do not match")
            await me.press(*["backspace"] * 11, *"correct horse", "enter")
            await me.sees("The duel 4")

    on_a_loop(scenario)


def test_talk_sit_out_and_top_up(room, tmp_path):
    """Chat is shown; a player that sits out learns how to return; chips are bought up to the table's maximum."""

    async def scenario():
        async with player(room.game_port, tmp_path, name=new_name(), table="duel-5") as me:
            await me.sees("You are watching")
            await me.press("s")
            await me.sees("20 to 100")
            await me.press(*["backspace"] * 3, *"101", "enter")
            await me.sees("exceed the table's maximum")
            await me.press("s", *["backspace"] * 3, *"40", "enter")
            await me.until(lambda: me.table.your_seat is not None, "the seat")
            await me.press("t", *"hello there", "enter")
            await me.sees(f"{me.app.me.name}: hello")
            await me.press("u")
            await me.sees("How much do you buy")
            await me.press("enter")
            await me.until(lambda: me.table.seats[0].stack == 10_000, "the chips")
            await me.press("u")
            await me.sees("as many chips as the table")
            await me.press("o")
            await me.sees("S: sit in")
            await me.press("s")
            await me.until(lambda: me.table.seats[0].status != "sitting_out", "the way back")
            await me.press("l")
            await me.sees("you sit here")

    on_a_loop(scenario)


def test_a_seat_is_waited_for(room, tmp_path):
    """W in the lobby joins the waiting list; when a player leaves, the seat is offered, and S takes it."""

    async def scenario():
        async with (
            caller(room.game_port, new_name(), "pair") as leaver,
            caller(room.game_port, new_name(), "pair"),
            player(room.game_port, tmp_path, name=new_name()) as me,
        ):
            await me.sees("The pair")
            await me.until(lambda: me.app.screen.query_one("#tables").row_count > 1, "the lobby")
            await me.choose("pair")
            await me.press("w")
            await me.sees("You are number 1")
            await leaver.client.request(m.StandUp(id=0, table="pair"), m.Ok)
            leaver.may_play.set()
            await me.sees("A seat at The pair is held for you")
            me.picture("offer")
            await me.press("s")
            await me.sees("Buy-in at")
            await me.press("enter")
            await me.until(
                lambda: len(me.app.screen_stack) > 2 and me.table.your_seat is not None, "the seat"
            )

    on_a_loop(scenario)


GERMAN = ["Du siehst zu", "x gehen", "Du hast an diesem Tisch keinen Platz.", "Hinsetzen", "Du bist dran"]
POLISH = ["Oglądasz", "x wyjdź", "Nie masz miejsca przy tym stole.", "Siadasz przy stole", "Twoja kolej"]


@pytest.mark.parametrize(
    ("language", "table", "said"),
    [pytest.param("de", "tongue-1", GERMAN, marks=pytest.mark.slow), ("pl", "tongue-2", POLISH)],
)
def test_the_whole_table_is_in_the_language(room, tmp_path, language, table, said):
    """Hints, keys, dialogs, turn and refusals; a hand is played in German and in Polish."""

    async def scenario():
        watching, key, refused, buy_in, turn = said
        async with (
            caller(room.game_port, new_name(), table) as other,
            player(room.game_port, tmp_path, name=new_name(), table=table, language=language) as me,
        ):
            await me.sees(watching)
            await me.sees(key)
            await me.press("x")
            await me.sees(refused)
            await me.press("s")
            await me.sees(buy_in)
            await me.press("b", "enter")
            other.may_play.set()
            await me.turn()
            await me.sees(turn)
            me.picture(f"table-{language}")

    on_a_loop(scenario)


@pytest.mark.parametrize(
    ("language", "keys"),
    [
        pytest.param("en", ["q quit", "l lobby", "l leagues"], marks=pytest.mark.slow),
        ("de", ["q beenden", "l Lobby", "l Ligen"]),
        pytest.param("pl", ["q koniec", "l lobby", "l ligi"], marks=pytest.mark.slow),
    ],
)
def test_the_keys_fit_into_a_small_terminal(room, tmp_path, language, keys):
    """In 80 columns the last key of the lobby and of a table is seen, in every language."""

    async def scenario():
        async with player(room.game_port, tmp_path, name=new_name(), size=(80, 24), language=language) as me:
            await me.sees("The long table")
            await me.sees(keys[0])
            await me.press("right")
            await me.sees(keys[2])
            await me.sees(keys[0])
            await me.press("left", "enter")
            await me.sees(keys[1])

    on_a_loop(scenario)


def test_a_refusal_of_the_room_is_told(room, tmp_path):
    """What the room refuses is said in its own words."""

    async def scenario():
        async with player(room.game_port, tmp_path, name=new_name(), table="duel-6") as me:
            await me.sees("You are watching")
            await me.press("x")
            await me.sees("You have no seat at this table.")

    on_a_loop(scenario)


def test_the_countdown_follows_the_rooms_deadline(room, tmp_path):
    """H1: at first there is no clock to see; from the countdown's begin on the seconds run."""

    async def scenario():
        async with at_the_turn(room, tmp_path, "quick") as me:
            await me.sees("Your turn  1")
            await me.sees("then you ")
            me.picture("countdown")
            await me.press("f")

    on_a_loop(scenario)


def test_a_table_that_another_client_opens_is_left(room, tmp_path):
    """The lobby is shown, and the notice says why; from there the table is taken back."""

    async def scenario():
        async with at_the_turn(room, tmp_path, "duel-7") as me:
            token = me.app.me.token
            other = await PokerClient.connect("127.0.0.1", room.game_port, instance="another client")
            await other.request(m.Resume(id=0, token=token), m.Authenticated)
            await other.request(m.Observe(id=0, table="duel-7"), m.Snapshot)
            await me.sees("in the wallet")
            await me.sees("open in another window")
            await me.choose("duel-7")
            await me.press("enter")
            await me.sees("Your turn")
            other.close()

    on_a_loop(scenario)


def _shows_whole_seats(screen: Screen[Any], count: int) -> bool:
    """Whether the screen has this many seats, all inside it, and no two on the same place."""
    seats = [box.region for box in screen.query(SeatBox)]
    return (
        len(seats) == count
        and all(seat.area and screen.region.contains_region(seat) for seat in seats)
        and not any(one.overlaps(other) for one, other in itertools.combinations(seats, 2))
    )


@pytest.mark.parametrize(
    ("size", "light"),
    [
        pytest.param((80, 24), False, id="small"),
        pytest.param((80, 24), True, id="small, light", marks=pytest.mark.slow),
        pytest.param((140, 40), False, id="large", marks=pytest.mark.slow),
        pytest.param((140, 40), True, id="large, light"),
    ],
)
def test_a_full_table_fits_on_the_screen(room, tmp_path, size, light):
    """All ten seats, the board and the keys are to be seen in a terminal of 80 by 24, in either theme."""

    async def scenario():
        async with player(
            room.game_port, tmp_path, name=new_name(), table="ten", size=size, light=light
        ) as me:
            await me.sees("You are watching")
            await me.until(
                lambda: _shows_whole_seats(me.app.screen, 10), "ten whole seats, each in its place"
            )
            for key in (
                "f fold",
                "c call",
                "r raise",
                "s sit",
                "o out",
                "u top up",
                "x stand up",
                "t chat",
                "l lobby",
            ):
                await me.sees(key)
            me.picture(f"ten-{size[0]}x{size[1]}-{'light' if light else 'dark'}")

    on_a_loop(scenario)
