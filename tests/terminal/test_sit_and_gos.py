"""Sit-and-gos in the terminal at a real room, and the texts about them."""

from __future__ import annotations

import time

import pytest
from msgspec import structs

from pokerroom.terminal.amounts import CHIPS
from pokerroom.terminal.deals import awaits_answer, deal_line, deal_text
from pokerroom.terminal.texts import speak
from pokerroom.terminal.tournaments import (
    cannot_watch,
    chips_offered,
    entry_question,
    headline,
    moved,
    overview,
    scheduled_row,
    sold_beside,
)
from pokerroom_protocol import messages as m
from pokerroom_protocol._declarations import EXAMPLES
from tests.protocol.test_table_view import DEALT
from tests.terminal.support import entrant, line, new_name, on_a_loop, player

on_services = [pytest.mark.services, pytest.mark.timeout(300)]


def services(test):
    for mark in on_services:
        test = mark(test)
    return test


@services
def test_a_sit_and_go_is_played_from_the_command_to_the_prize(room, tmp_path):
    """Registered at the start, seated when it is full, told the level, the players left, the place and the prize."""

    async def scenario():
        async with player(room.game_port, tmp_path, name=new_name(), sit_and_go="two") as me:
            await me.sees("You are registered")
            await me.sees("q quit")  # a notice covers no keys
            await me.sees("  registered  ")
            me.picture("registered")
            async with entrant(room.game_port, new_name(), "two") as other:
                await me.sees("level 1: 25/50")
                await me.sees("next after")
                await me.sees("2 of 2 left")
                await me.sees("prizes 10")
                assert "u top up" not in me.screen_text()
                assert "x stand up" not in me.screen_text()
                other.may_play.set()
                await me.turn()
                me.picture("tournament")
                while me.table.tournament.phase == "running":
                    if me.is_to_act:
                        await me.press(*("ra" if me.table.hand.turn.min_raise_to else "c"))
                        await me.press("enter")
                    await me.pilot.pause(0.02)
                await me.sees("The tournament is over")
                await me.sees("You finished at place")
                await me.sees("1. person")
                assert "free" not in me.screen_text()
                assert "seat 1 shows" not in me.screen_text()
                assert "seat 2 shows" not in me.screen_text()
                me.picture("tournament-over")
                await me.press("l")
                await me.sees("Two players")
                assert "you play" not in me.screen_text()

    on_a_loop(scenario)


@services
def test_a_seat_elsewhere_keeps_the_command_from_registering(room, tmp_path):
    """The table of the seat opens, and the player is told why, and how to register."""

    async def scenario():
        async with player(room.game_port, tmp_path, name=new_name(), table="duel-7") as me:
            await me.sees("You are watching")
            await me.sit_down()
        async with player(room.game_port, tmp_path, sit_and_go="two") as me:
            await me.sees("You have a seat at a table")
            await me.until(lambda: len(me.app.screen_stack) > 2 and me.table.your_seat, "the table")
            me.picture("elsewhere")

    on_a_loop(scenario)


@services
def test_a_seat_is_given_back(room, tmp_path):
    """G in the list registers, and once more gives the seat back for the whole buy-in."""

    async def scenario():
        async with player(room.game_port, tmp_path, name=new_name(), size=(80, 24)) as me:
            await me.sees("The long table")
            assert "g register" not in me.screen_text()
            await me.press("right")
            await me.sees("g register")
            await me.sees("Two in no hurry")
            await me.sees("7 · 3")
            await me.press("down", "enter")
            await me.sees("No tournament is running")
            await me.press("g")
            await me.sees("Two in no hurry: an entry costs 5. Buy it?")
            await me.press("n", "g")
            await me.sees("Before the start you can give it back, with G.")
            await me.press("y")
            await me.sees("  registered  ")
            await me.sees("9,995 in the wallet")
            await me.press("g")
            await me.sees("10,000 in the wallet")
            await me.press("left")
            await me.sees("The long table")

    on_a_loop(scenario)


@services
def test_a_tournament_with_a_start_is_entered_and_left(room, tmp_path):
    """It has a list of its own: G enters it, and before the start once more leaves it for the whole buy-in."""

    async def scenario():
        async with player(room.game_port, tmp_path, name=new_name(), size=(110, 30)) as me:
            await me.sees("The long table")
            await me.press("right", "right")
            await me.sees("Every noon #1")
            await me.sees("12:00" if time.tzname[0] == "UTC" else ":00")
            await me.press("enter")
            await me.sees("The tournament is not running")
            await me.press("g")
            await me.sees("Every noon #1: an entry costs 7, including a fee of 1.")
            me.picture("entry")
            await me.press("escape")
            await me.sees("10,000 in the wallet")
            await me.press("g")
            await me.sees("Buy it?")
            await me.press("y")
            await me.sees("You are registered")
            await me.sees("  registered  ")
            await me.sees("9,993 in the wallet")
            await me.press("enter")
            await me.sees("Your table opens by itself.")
            await me.press("g")
            await me.sees("10,000 in the wallet")

    on_a_loop(scenario)


@services
def test_a_tournament_is_there_after_a_lost_line(room, tmp_path):
    """One that began without a connection opens when it is back; so it does after a restart of the client."""

    async def scenario():
        name = new_name()
        async with (
            line(room.game_port) as wire,
            player(wire.port, tmp_path, name=name, sit_and_go="slow") as me,
        ):
            await me.sees("  registered  ")
            wire.down = True
            wire.cut()
            await me.sees("The connection is lost")
            async with entrant(room.game_port, new_name(), "slow"):
                wire.down = False
                await me.sees("level 1: 25/50, ante 5")
                await me.sees("next in ")
                await me.until(lambda: me.table.your_seat is not None, "the seat")
                await me.press("o")
                await me.sees("You are away")
                await me.press("s")
                await me.sees("You sit in again")
                async with player(room.game_port, tmp_path, sit_and_go="slow") as again:
                    await again.sees("2 of 2 left")
                    assert "not registered" not in again.screen_text()
                    assert CHIPS.text(again.table.seats[0].stack) in again.screen_text()

    on_a_loop(scenario)


def tournament(**changes: object) -> tuple[m.Snapshot, m.TournamentView]:
    level = m.LevelView(level=2, small_blind=50, big_blind=100, hands_left=changes.pop("hands_left", None))
    fields = {"phase": "running", "seats": 6, "prizes": [1_000, 440], "level": level, **changes}
    return DEALT, m.TournamentView(**fields)


@pytest.mark.parametrize(
    ("language", "hands", "said"),
    [
        ("en", 1, "next after 1 hand\n"),
        ("en", 2, "next after 2 hands"),
        ("de", 1, "nach 1 Hand\n"),
        ("de", 3, "nach 3 Händen"),
        ("pl", 1, "za 1 rozdanie"),
        ("pl", 3, "za 3 rozdania"),
        ("pl", 5, "za 5 rozdań"),
        ("pl", 12, "za 12 rozdań"),
        ("pl", 22, "za 22 rozdania"),
    ],
)
def test_hands_are_counted_in_the_language(language, hands, said):
    """The plural forms of English, German and Polish."""
    speak(language)

    assert said in headline(*tournament(hands_left=hands), 0.0)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"paused": True}, "paused by the operator"),
        ({"break_until_ms": 90_000}, "break, 1:30 left"),
    ],
)
def test_a_break_and_a_pause_are_told(changes, said):
    """They stand where the next level stands else."""
    assert said in headline(*tournament(**changes), 0.0)


@pytest.mark.parametrize(
    ("prizes", "said"),
    [
        ([], None),
        ([1_000, 440], "prizes 10 · 4.40"),
        ([600, 500, 400, 300, 200, 100], "prizes 6 · 5 · 4 · 3 · 2 · …"),
    ],
)
def test_the_best_prizes_are_told_once_they_are_fixed(prizes, said):
    """A field pays hundreds of places, and none is known while entries are open."""
    lines = headline(*tournament(prizes=prizes), 0.0).casefold()
    assert said in lines if said else "prizes" not in lines


@pytest.mark.parametrize(
    ("changes", "own", "state"),
    [
        ({}, "registered", "open"),
        ({"your_status": None, "registration_open": False}, "", ""),
        ({"phase": "running", "your_status": "playing"}, "you play", "17 left, entries open"),
        ({"phase": "running", "your_status": "out", "registration_open": False}, "", "17 left"),
        ({"phase": "finished", "your_status": "out", "ended_ms": 1}, "", "over"),
        ({"phase": "cancelled", "your_status": None, "ended_ms": 1}, "", "cancelled"),
        ({"phase": "rolled_back", "your_status": "out", "ended_ms": 1}, "", "rolled back"),
        ({"phase": "rolled_forward", "your_status": "out", "ended_ms": 1}, "", "rolled forward"),
    ],
)
def test_the_list_tells_how_a_tournament_with_a_start_stands(changes, own, state):
    """Whether the player is in it, whether players may still enter, and how many are left."""
    announced = EXAMPLES[m.Tournaments][0].tournaments[0]
    cells = scheduled_row(structs.replace(announced, **changes), [])
    assert (cells[0], cells[1], cells[-1]) == ("Sunday evening #3", own, state)
    assert cells[4:7] == ["11", "17", "500"]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"your_status": None}, "The tournament is not running. G: register"),
        ({}, "The tournament has not begun. Your table opens by itself."),
        (
            {"your_status": None, "registration_open": False},
            "The tournament begins in a moment. Try again then.",
        ),
        ({"phase": "cancelled", "ended_ms": 1}, "This tournament has no tables any more: cancelled."),
    ],
)
def test_a_tournament_without_a_table_says_why(changes, said):
    """It offers to register only where that is possible."""
    announced = EXAMPLES[m.Tournaments][0].tournaments[0]
    assert cannot_watch(structs.replace(announced, **changes)) == said


def test_an_entry_is_bought_after_a_question():
    """With the price, the bounty, what else is sold, and whether it can be given back."""
    announced = EXAMPLES[m.Tournaments][0].tournaments[0]
    early = structs.replace(announced, bounty=400, bounty_kind="knockout", your_status=None)
    assert entry_question(early, sold=["Rebuys."]).split("\n") == [
        "Sunday evening #3: an entry costs 11, including a fee of 1. Buy it?",
        "There is a bounty of 4 on each player, paid at once.",
        "Rebuys.",
        "Before the start you can give it back, with G.",
    ]
    late = structs.replace(announced, phase="running", bounty=0, bounty_kind=None)
    assert entry_question(late, by_ticket=True).split("\n") == [
        "Sunday evening #3: your ticket pays the entry. Use it?",
        "A late entry cannot be given back.",
    ]


def test_a_player_learns_before_the_end_which_deals_are_possible():
    """At how many players, and what must stay for the winner; nothing where there are none."""
    state = next(one for one in EXAMPLES[m.TournamentState] if one.deals is not None)
    assert sold_beside(state)[-1] == (
        "Deal: possible at the final table, with 4 players left or fewer. "
        "10 % of the unpaid prizes or more stay for the winner."
    )
    whole = structs.replace(state, deals=structs.replace(state.deals, leave_bps=0))
    assert sold_beside(whole)[-1] == "Deal: possible at the final table, with 4 players left or fewer."
    assert not any(line.startswith("Deal:") for line in sold_beside(structs.replace(state, deals=None)))
    shared = sold_beside(structs.replace(state, hand_for_hand_ties="share"))
    assert shared == [
        *sold_beside(state),
        "Hand for hand: players out in the same hand share the prizes of their places.",
    ]


def test_a_player_is_asked_for_a_rebuy_and_for_the_add_on():
    """With the chips, the price, how many are left, and the time; none while the clock stands."""
    (offer,) = EXAMPLES[m.ChipsOffered]
    assert chips_offered(offer, offer.until_ms - 13_000).split("\n") == [
        "You have lost all your chips. A rebuy of 5,000 chips for 11 (2 left): buy it?",
        "Time to answer: 0:13",
    ]
    add_on = structs.replace(offer, kind="add_on", until_ms=None)
    assert chips_offered(add_on, 0) == "The add-on is sold now: 5,000 chips for 11. Buy it?"


def test_the_texts_of_a_field_say_where_the_player_sits_and_how_it_stands():
    """The number of a table is that in its tournament; a reason that the room lost is left out."""
    broken = m.TournamentMoved(
        tournament="sunday.3", from_table="sunday.3-4", table="sunday.3-7", seat=3, reason="broken"
    )
    assert moved(broken) == "You were moved to table 7, seat 3: table 4 was broken."
    lost = m.TournamentMoved(tournament="sunday.3", from_table=None, table="sunday.3", seat=1, reason=None)
    assert moved(lost) == "You were moved to table 1, seat 1."
    (state, _), ranks = EXAMPLES[m.TournamentState], EXAMPLES[m.TournamentRanks][0]
    assert isinstance(state, m.TournamentState)
    assert isinstance(ranks, m.TournamentRanks)
    lines = overview(state, ranks.ranks).split("\n")
    assert lines[:2] == ["4 of 6 players left, tables: 1", "your rank 2, your stack 2,500"]
    assert lines[-3].split() == ["1.", "lou", "3,000", "1.50"]
    you = structs.replace(state.you, head=150, bounties=50)
    with_heads = structs.replace(state, bounty=100, bounty_kind="progressive", you=you, deals=None)
    told = overview(with_heads, ()).split("\n")
    assert told[-3:] == ["a bounty of 1 on each player, progressive", "on you 1.50, won 0.50", ""]


def test_the_overview_tells_what_a_tournament_sells():
    """Rebuys, the add-on and re-entries, each with when; nothing of them once it has ended."""
    state, _ = EXAMPLES[m.TournamentState]
    assert isinstance(state, m.TournamentState)
    fields = {"price": 1_100, "fee": 100, "chips": 5_000, "levels": 6, "sold": 0, "yours": 0}
    sales = [
        m.ChipSaleState(kind="rebuy", most=3, stack_max=1_000, open_to_you=False, **fields),
        m.ChipSaleState(kind="add_on", most=1, open_to_you=False, **fields),
    ]
    selling = structs.replace(
        state, sales=sales, registration_open=True, late_levels=6, entries_max=0, deals=None
    )
    told = overview(selling, ()).split("\n")
    terms = "5,000 chips for 11, up to 3 for each player, until the end of level 6"
    assert told[-4:-1] == [
        f"Rebuy: {terms}, with at most 1,000 chips.",
        "Add-on: 5,000 chips for 11, once for each player, in the break after level 6.",
        "Re-entry: 1,500 chips for 3, as often as you like, until the end of level 6.",
    ]
    limited = structs.replace(selling, sales=[], entries_max=2)
    assert "up to 2 entries" in overview(limited, ())
    assert "Re-entry" not in overview(structs.replace(limited, entries_max=1), ())
    assert "Rebuy" not in overview(structs.replace(selling, ended_ms=1), ())


def test_a_deal_is_told_with_the_amounts_of_each_player():
    """Both kinds while it is open, which players have accepted, and what is left for the winner."""
    speak("en")
    (open_deal,) = EXAMPLES[m.DealOffered]
    refused, agreed = EXAMPLES[m.DealEnded]
    text = deal_text(structs.replace(open_deal.deal, for_the_winner=500), 0)
    assert "lou proposes a deal: by ICM" in text
    assert "5 are left for the winner" in text
    lines = [" ".join(each.split()) for each in text.splitlines()]
    assert "ada 5,000 38.39 40" in lines
    assert "✓ lou 2,000 28.86 28" in lines
    assert "Agreed, as lou has proposed: by chips" in deal_text(agreed.agreed, 0)
    told = [deal_line(event) for event in (open_deal, refused, agreed)]
    assert told == ["lou offers a deal", "ada refuses the deal", "all players have agreed to the deal"]


def test_a_deal_awaits_the_answer_of_a_player_who_has_not_accepted():
    """Not that of the proposer, nor of a player who looks on, nor once it is agreed."""
    (open_deal,) = EXAMPLES[m.DealOffered]
    told = {
        seat: awaits_answer(structs.replace(DEALT, your_seat=seat), open_deal.deal) for seat in (2, 6, None)
    }
    assert told == {2: True, 6: False, None: False}
    agreed = structs.replace(open_deal.deal, deal=None)
    assert not awaits_answer(structs.replace(DEALT, your_seat=2), agreed)
