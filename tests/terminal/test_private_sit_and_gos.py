"""Private sit-and-gos in the terminal: what is typed and told, and a host and a friend at a real room."""

from __future__ import annotations

import pytest
from msgspec import structs

from pokerroom.terminal.private_sit_and_gos import (
    SPEEDS,
    SitAndGoScreen,
    new_sit_and_go,
    new_sit_and_go_fields,
    offers_them,
    sit_and_go_games,
    sit_and_go_text,
)
from pokerroom.terminal.texts import speak
from pokerroom_protocol import messages as m
from pokerroom_protocol._declarations import EXAMPLES
from pokerroom_protocol.codec import Encoding, decode_request, encode
from tests.terminal.support import Player, asked_while_it_ends, new_name, on_a_loop, player

OFFERED = EXAMPLES[m.HostedTables][0].offered
PROPOSED = {field.name: field.value for field in new_sit_and_go_fields("ada", "n", OFFERED)}
VIEW = EXAMPLES[m.PrivateSitAndGo][0].sit_and_go
RUNNING, FILLING = EXAMPLES[m.TournamentState]


def test_the_proposed_one_needs_no_typing():
    """The form has a value in each line; what it makes is a message that the room takes."""
    made = new_sit_and_go("1", "n", PROPOSED)
    assert (made.name, made.seats, made.buy_in, made.starting_stack) == ("ada's sit-and-go", 6, 1_000, 1_500)
    assert (made.prize_shares, len(made.levels)) == ([6_500, 3_500], 12)
    assert made.levels[0] == m.PrivateLevel(small_blind=10, big_blind=20, length_s=480)
    for speed in SPEEDS:
        values = {field.name: field.value for field in new_sit_and_go_fields("ada", speed, OFFERED)}
        sent = encode(new_sit_and_go("4", speed, values), Encoding.JSON)
        assert decode_request(sent, Encoding.JSON).structure == "pot_limit"


def test_the_proposed_one_is_one_that_the_operator_offers():
    """Games that are not offered are not there; a small bound of the buy-in is what is proposed."""
    assert list(sit_and_go_games(OFFERED)) == ["1"]
    assert list(sit_and_go_games(None)) == ["1", "2", "4"]
    cheap = structs.replace(OFFERED, sit_and_go_buy_in_max=250, seats_max=4)
    values = {field.name: field.value for field in new_sit_and_go_fields("ada", "t", cheap)}
    made = new_sit_and_go("1", "t", values)
    assert (made.buy_in, made.seats) == (250, 4)
    labels = {
        most: new_sit_and_go_fields("ada", "t", structs.replace(OFFERED, sit_and_go_buy_in_max=most))[2].label
        for most in (250, 10**13)
    }
    assert labels[250].endswith("(2.50 at most)")
    assert "most" not in labels[10**13]


def test_a_room_without_them_offers_none():
    """Nor one that has only games of fixed limit, or that has not answered yet."""
    assert offers_them(OFFERED)
    assert not offers_them(None)
    assert not offers_them(structs.replace(OFFERED, sit_and_go_buy_in_max=None))
    fixed = [m.OfferedGame(game="holdem", structure="fixed_limit")]
    assert not offers_them(structs.replace(OFFERED, games=fixed))


@pytest.mark.parametrize(
    ("field", "typed"),
    [("seats", "1"), ("seats", "six"), ("stack", "0"), ("places", "4"), ("places", "0"), ("buy_in", "x")],
)
def test_a_wrong_entry_is_told(field, typed):
    """The text says what to enter."""
    with pytest.raises(ValueError, match=r"[Ee]nter"):
        new_sit_and_go("1", "n", PROPOSED | {field: typed})


def test_a_free_one_has_no_prizes():
    """An amount of 0: the request has none, and the screen says what it is played for."""
    made = new_sit_and_go("1", "n", PROPOSED | {"buy_in": "0"})
    assert (made.buy_in, made.prize_shares) == (0, [])
    free = structs.replace(FILLING, buy_in=0, prizes=[], pool=0)
    assert "free entry, played for the places alone" in sit_and_go_text(VIEW, free, [])
    assert "prizes" not in sit_and_go_text(VIEW, free, [])


def test_there_are_no_more_paid_places_than_seats():
    """The text names the most."""
    with pytest.raises(ValueError, match="from 1 to 2"):
        new_sit_and_go("1", "n", PROPOSED | {"seats": "2", "places": "3"})


def test_the_host_is_told_all_before_the_start():
    """Seats, buy-in, prizes, levels, players, and the link at the end."""
    state = structs.replace(FILLING, name="Friday final", buy_in=300, provisional=True)
    ranks = [m.TournamentRank(rank=None, name="alice", stack=None, status="registered")]
    lines = sit_and_go_text(VIEW, state, ranks).splitlines()
    assert [*lines[:9], *lines[-2:]] == [
        "Friday final   no limit   host: alice",
        "Seats taken: 1 of 6. You are not registered. G: register",
        "",
        "buy-in 3, all of it for the prizes",
        "prizes 10 · 4.40 with the players so far",
        "",
        "Players: alice",
        "Guests without an entry: bob",
        "There is no password beside the link (W).",
        "starting stack 1,500",
        "levels of 5:00: 10/20 · 15/30",
    ]
    assert f"/#table={VIEW.code}" in sit_and_go_text(VIEW, state, ranks)
    assert "/#table=" not in sit_and_go_text(structs.replace(VIEW, code=None), state, ranks)
    assert "No other guest has opened your link." in sit_and_go_text(
        structs.replace(VIEW, guests=["alice"]), state, ranks
    )
    told = sit_and_go_text(structs.replace(VIEW, guests=["carol", "Bob"], has_password=True), state, ranks)
    assert "Guests without an entry: Bob, carol" in told
    assert f"With the table ID {VIEW.table.removeprefix('host:')} and the password" in told
    none = sit_and_go_text(VIEW, state, [])
    assert "No player has registered yet." in none


def test_levels_of_different_lengths_and_antes_are_told():
    """Each with its own, and with the bets of a fixed limit."""
    levels = [
        m.SngLevel(small_blind=10, big_blind=20, length=90),
        m.SngLevel(small_blind=10, big_blind=20, length=600, small_bet=20, big_bet=40, big_blind_ante=5),
    ]
    told = sit_and_go_text(VIEW, structs.replace(FILLING, levels=levels), [])
    assert "levels 10/20 (1:30) · 20/40 (5) (10:00)" in told


def test_ranks_are_told_after_the_start():
    """With chips while it runs, with prizes at the end; the link is of no use any more."""
    ranks = EXAMPLES[m.TournamentRanks][0].ranks
    running = sit_and_go_text(VIEW, RUNNING, ranks)
    assert "It is played: 4 of 6 players left. O: open the table" in running
    assert "  2. ada" in running
    assert "2,500" in running
    assert "/#table=" not in running
    winner = m.TournamentRank(rank=1, name="lou", stack=9_000, status="playing", place=1, prize=1_000)
    over = sit_and_go_text(VIEW, structs.replace(RUNNING, phase="finished", ended_ms=1), [winner])
    assert over.splitlines()[1] == "over"
    assert "  1. lou                            10" in over.splitlines()


@pytest.mark.parametrize("language", ["de", "pl"])
def test_it_is_told_in_the_language(language):
    """No English text is left in the lines about the state."""
    as_guest = structs.replace(VIEW, code=None)
    english = sit_and_go_text(as_guest, FILLING, []).splitlines()
    speak(language)
    own = sit_and_go_text(as_guest, FILLING, []).splitlines()
    assert {line for line in own if line and line in english} == set()


def test_one_that_is_shown_no_more_is_left_after_the_question_above_it():
    """The answer may come while a dialog is over the screen."""

    class Port:
        def __init__(self) -> None:
            self.rows = [VIEW]

        async def asked(self, request, _kind, **_named):
            match request:
                case m.GetHostedTables():
                    return m.HostedTables(re=1, tables=[], sit_and_gos=self.rows)
                case m.GetTournament():
                    return FILLING
                case _:
                    return m.TournamentRanks(re=1, tournament=VIEW.tournament, total=0, offset=0, ranks=[])

    async def scenario():
        port = Port()
        shown = SitAndGoScreen(port, VIEW)

        def ends():
            port.rows = []
            shown.look()

        await asked_while_it_ends(shown, "c", ends)

    on_a_loop(scenario)


async def at_private(one: Player) -> None:
    """From the first list of the lobby."""
    await one.sees("The long table")
    await one.press("right", "right", "right")
    await one.sees("n new table")


async def opened(one: Player, speed: str) -> None:
    """One of no-limit hold'em, with the proposed terms."""
    await at_private(one)
    await one.press("n")
    await one.sees("Create a private sit-and-go")
    await one.press("s", "1", speed)
    await one.sees("starting stack")
    await one.press("enter")
    await shown(one, "Seats taken: 0 of 6.")


async def shown(one: Player, text: str) -> None:
    """The screen of the sit-and-go, with this text."""
    await one.until(lambda: isinstance(one.app.screen, SitAndGoScreen), "the sit-and-go")
    await one.sees(text)


@pytest.mark.slow  # those below make and enter one; `test_sit_and_gos` plays one
@pytest.mark.services
def test_a_host_and_a_friend_play_one(room, tmp_path):
    """Create, join by the link, register, give back, a new link, start, play; both are shown the table."""
    hostess, friend = new_name(), new_name()

    async def scenario():
        async with player(room.game_port, tmp_path / "host", name=hostess, size=(80, 24)) as host:
            await at_private(host)
            await host.press("n")
            await host.sees("Create a private sit-and-go")
            await host.press("s")
            await host.sees("no limit")
            await host.press("1")
            await host.sees("Turbo")
            host.picture("sit-and-go-speed")
            await host.press("t")
            await host.sees("starting stack")
            host.picture("sit-and-go-new")
            await host.press("enter")
            await shown(host, "Seats taken: 0 of 6.")
            await host.sees("No player has registered yet.")
            host.picture("sit-and-go-host")
            code = host.screen_text().partition("/#table=")[2][:22]
            await host.press("s")
            await host.sees("Two players at least")
            await host.press("g")
            await host.sees("an entry costs 10. Buy it?")
            await host.press("y")
            await host.sees("Seats taken: 1 of 6. You are registered")
            async with player(room.game_port, tmp_path / "guest", name=friend, size=(80, 24)) as guest:
                await at_private(guest)
                await guest.press("j")
                await guest.write(f"/#table={code}")
                await guest.press("enter")
                await shown(guest, f"host: {hostess}")
                await guest.sees("g register")
                assert "s start" not in guest.screen_text()
                assert code not in guest.screen_text()
                await guest.press("s", "n", "c", "o")
                assert isinstance(guest.app.screen, SitAndGoScreen)
                for gives_back in (True, False):
                    await guest.press("g")
                    await guest.sees("Buy it?")
                    await guest.press("y")
                    await guest.sees("Seats taken: 2 of 6. You are registered")
                    if gives_back:
                        await guest.press("g")
                        await guest.sees("You are not registered")
                guest.picture("sit-and-go-guest")
                await host.sees(friend)
                await host.press("n")
                await host.until(
                    lambda: code not in host.screen_text() and "/#table=" in host.screen_text(),
                    "the new link",
                )
                await host.press("s")
                for one in (host, guest):
                    await one.sees("level 1: 10/20")
                await guest.press("l")
                await shown(guest, "It is played: 2 of 2 players left.")
                guest.picture("sit-and-go-runs")
                await guest.press("o")
                await guest.sees("level 1: 10/20")

    on_a_loop(scenario)


@pytest.mark.services
def test_a_guest_comes_by_the_password_and_is_removed(room, tmp_path):
    """W sets it, J takes it with the number, R removes the guest: the buy-in is back, and the screen closes."""
    friend = new_name()

    async def scenario():
        async with player(room.game_port, tmp_path / "host", name=new_name(), size=(80, 24)) as host:
            await opened(host, "n")
            await host.sees("There is no password beside the link")
            await host.press("r")
            await host.sees("No guest has opened your link yet.")
            await host.press("w")
            await host.write("short")
            await host.press("enter")
            await host.sees("Choose")
            await host.press("w")
            await host.write("mushroom risotto")
            await host.press("enter")
            await host.sees("With the table ID")
            number = host.screen_text().partition("With the table ID ")[2][:10]
            async with player(room.game_port, tmp_path / "guest", name=friend, size=(80, 24)) as guest:
                await at_private(guest)
                await guest.press("j")
                await guest.write(number)
                await guest.press("tab")
                await guest.write("mushroom risotto")
                await guest.press("enter")
                await shown(guest, "Seats taken: 0 of 6.")
                await host.sees(f"Guests without an entry: {friend}")
                host.picture("sit-and-go-guests")
                await guest.press("g")
                await guest.sees("Buy it?")
                await guest.press("y")
                await guest.sees("Seats taken: 1 of 6. You are registered")
                await host.sees("Seats taken: 1 of 6.")
                await host.press("r")
                await host.sees("Remove a guest?")
                host.picture("sit-and-go-remove")
                await host.press("1")
                await guest.sees("The host has removed you")
                await host.sees("Seats taken: 0 of 6.")
                await guest.until(lambda: not isinstance(guest.app.screen, SitAndGoScreen), "the lobby")
                await guest.sees("10,000 in the wallet")

    on_a_loop(scenario)


@pytest.mark.services
def test_a_host_cancels_one_and_finds_it_in_the_list(room, tmp_path):
    """After a question; the buy-in is back, and the list of private tables leads to it."""

    async def scenario():
        async with player(room.game_port, tmp_path, name=new_name(), size=(80, 24)) as host:
            await opened(host, "d")
            await host.sees("5,000")
            await host.press("g")
            await host.sees("Buy it?")
            await host.press("y")
            await host.sees("Seats taken: 1 of 6.")
            await host.press("c")
            await host.sees("All buy-ins go back.")
            await host.press("n")
            await host.press("c", "y")
            await host.sees("cancelled")
            await host.until(lambda: "s start" not in host.screen_text(), "no keys of the host")
            await host.press("escape")
            await host.sees("10,000 in the wallet")
            await host.sees("sit-and-go")
            host.picture("sit-and-go-list")
            await host.press("enter")
            await shown(host, "cancelled")

    on_a_loop(scenario)
