"""How many bots the house sends to a table, and under which names."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from pokerroom.bots.house_bots import wanted
from pokerroom.bots.house_slots import BotSlot
from pokerroom.bots.house_turns import HouseTurns, Pace
from pokerroom.bots.policy import Decision
from pokerroom_protocol import messages as m
from tests.bots.support import INFO


@pytest.mark.parametrize(
    ("people", "waiting", "bots"),
    [(0, 0, 4), (1, 0, 4), (2, 0, 3), (4, 0, 1), (5, 0, 0), (6, 0, 0), (2, 2, 2), (4, 3, 0)],
)
def test_bots_make_room_for_people(people, waiting, bots):
    """At a table of six with four bots, one seat stays free, and one for each waiting player."""
    info = replace(INFO, house_bots=4, waiting=waiting)
    assert wanted(info, held=people, playing=people) == bots


@pytest.mark.parametrize(
    ("held", "playing", "waiting", "bots"),
    [(0, 0, 0, 1), (1, 1, 0, 1), (1, 0, 0, 1), (1, 1, 1, 0), (2, 2, 0, 0), (2, 1, 0, 0)],
)
def test_a_lone_player_keeps_the_bot_of_a_heads_up_table(held, playing, waiting, bots):
    """The bot stays in the last seat while one player plays against it, and leaves when another player waits."""
    info = replace(INFO, seats=2, house_bots=1, waiting=waiting)
    assert wanted(info, held=held, playing=playing) == bots


def test_a_player_among_absent_ones_keeps_an_opponent():
    """Absent players hold all seats but one, and the game goes on for the one that is present."""
    info = replace(INFO, seats=6, house_bots=4)
    assert wanted(info, held=5, playing=1) == 1
    assert wanted(info, held=5, playing=2) == 0


def test_no_bot_goes_to_a_table_that_closes_or_wants_none():
    """A table without `house_bots` gets none, a closing one none any more."""
    assert wanted(replace(INFO, house_bots=0), held=0, playing=0) == 0
    assert wanted(replace(INFO, house_bots=4, closing=True), held=0, playing=0) == 0
    assert wanted(replace(INFO, house_bots=1, seats=2, closing=True), held=1, playing=1) == 0


def test_names_are_short_and_all_different():
    """Every slot of a large room has a name of its own that an account may have, whatever its generation."""
    names = {BotSlot(number, generation).name("Bot.") for number in range(200) for generation in range(10)}
    assert len(names) == 2000
    assert max(map(len, names)) <= 20


def table_with(*people: m.SeatView, asked: int | None = None) -> m.Snapshot:
    """A table where the bot in seat 3 plays a hand with these players; `asked` is the seat to act."""
    bot = m.SeatView(
        seat=3, name="Bot.Ada", stack=100, status="playing", connected=True, in_hand=True, bot=True
    )
    turn = (
        None
        if asked is None
        else m.TurnView(
            seat=asked, seq=1, check=False, call_amount=100, min_raise_to=None, max_raise_to=None,
            countdown_ms=0, deadline_ms=0,
        )
    )  # fmt: skip
    hand = m.HandView(
        hand_id="h", button=3, small_blind=3, big_blind=1, street="preflop", board=[], pots=[], turn=turn
    )
    return m.Snapshot(table="six", seq=1, info=INFO, seats=[bot, *people], hand=hand, your_seat=3)


def person(**fields: object) -> m.SeatView:
    """A player in seat 1."""
    one = m.SeatView(seat=1, name="ada", stack=100, status="playing", connected=True, in_hand=True)
    return replace(one, **fields)


def test_bots_are_slower_among_themselves():
    """They play at a third of the pace where no player has a seat; when the room stops they do not wait."""
    pace = Pace(600)
    assert pace.least_ms(table_with()) == 1_800
    pace.hurries = True
    assert pace.least_ms(table_with()) == 0


def test_bots_hurry_until_a_new_player_has_had_a_turn():
    """A new player's first turn comes soon: no bot thinks in a hand without them, and bots think briefly in the first
    hand with them. From their turn on bots take their time, also while the player sits out; a player that comes back
    is new.
    """
    pace = Pace(600)
    assert pace.least_ms(table_with(person(in_hand=False, status="waiting"))) == 0
    assert pace.least_ms(table_with(person())) == 100
    pace.look(table_with(person(), asked=1))
    assert pace.least_ms(table_with(person())) == 600
    pace.look(table_with())
    assert pace.least_ms(table_with(person())) == 100
    assert pace.least_ms(table_with(person(in_hand=False, status="sitting_out"))) == 600


class AskedClient:
    """What the turns of a bot use of a client: the table's state, and the requests."""

    def __init__(self, table: m.Snapshot) -> None:
        self.session = SimpleNamespace(tables={table.table: table})
        self.acts: list[m.Act] = []
        self.acted = asyncio.Event()

    async def request(self, message: m.Act, _expect: type[m.Ok]) -> None:
        self.acts.append(message)
        self.acted.set()


class FoldingStrategy:
    """Folds whatever comes, and thinks no longer than it must."""

    def below(self, _bound: int) -> int:
        return 0

    def decide(self, _situation: object) -> Decision:
        return Decision(action="fold")


@pytest.mark.parametrize(
    ("fields", "call_amount", "action"),
    [({}, INFO.big_blind, "call"), ({}, INFO.big_blind + 1, "fold"), ({"in_hand": False}, 1, "fold")],
)
def test_a_bot_does_not_end_the_hand_before_a_new_player_has_a_turn(fields, call_amount, action):
    """It calls a big blind where it would fold, if a player in the hand waits for their first turn."""
    table = table_with(person(**fields), asked=3)
    assert table.hand is not None
    assert table.hand.turn is not None
    turn = replace(table.hand.turn, call_amount=call_amount)
    client = AskedClient(replace(table, hand=replace(table.hand, turn=turn)))

    async def play() -> None:
        HouseTurns(FoldingStrategy(), Pace(0)).look(client, client.session.tables["six"])
        await client.acted.wait()

    asyncio.run(play())
    assert [act.action for act in client.acts] == [action]


def test_a_bot_that_thinks_hurries_when_a_player_comes():
    """The delay that it began among bots is cut, and it decides once."""
    alone, joined = table_with(asked=3), table_with(person(in_hand=False), asked=3)
    client = AskedClient(joined)

    async def play() -> None:
        turns = HouseTurns(FoldingStrategy(), Pace(3_600_000))
        turns.look(client, alone)
        await asyncio.sleep(0)
        assert client.acts == []
        turns.look(client, joined)
        await client.acted.wait()
        turns.look(client, joined)
        await asyncio.sleep(0)
        turns.stop()

    asyncio.run(play())
    assert len(client.acts) == 1
