"""Private tables in the terminal: what is typed, and a host and a friend at a real room."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from pokerroom.terminal.dialogs import TextDialog
from pokerroom.terminal.hosting import (
    GAMES,
    HostScreen,
    code_of,
    entrance,
    game_names,
    new_table,
    new_table_fields,
    results_text,
)
from pokerroom.terminal.table import TableScreen
from pokerroom_protocol import messages as m
from pokerroom_protocol._declarations import EXAMPLES
from pokerroom_protocol.codec import Encoding, decode_request, encode
from tests.terminal.support import asked_while_it_ends, new_name, on_a_loop, player

CODE = "q8Zl0c1yQm2rT5uVwX9aBd"
PROPOSED = {field.name: field.value for field in new_table_fields("ada")}


def test_the_proposed_table_needs_no_typing():
    """The form has a value in each line; what it makes is a message that the room takes."""
    assert new_table("4", PROPOSED) == m.CreateTable(
        id=0,
        name="ada's table",
        game="omaha",
        structure="pot_limit",
        small_blind=50,
        seats=6,
        action_clock_s=30,
    )
    assert all(
        decode_request(encode(new_table(key, PROPOSED), Encoding.JSON), Encoding.JSON) for key in GAMES
    )


def test_the_proposed_table_is_one_that_the_operator_offers():
    """Games that are not offered are not there; the bounds stand beside the field."""
    offered = EXAMPLES[m.HostedTables][0].offered
    assert list(game_names(offered)) == ["1"]
    assert list(game_names()) == list(GAMES)
    fields = {field.name: field for field in new_table_fields("ada", offered)}
    assert (fields["small_blind"].label, fields["small_blind"].value) == ("small blind (0.10-50)", "0.50")
    dear = msgspec.structs.replace(offered, small_blind_min=500, seats_max=4)
    proposed = {field.name: field.value for field in new_table_fields("ada", dear)}
    made = new_table("1", proposed)
    assert (made.small_blind, made.seats) == (500, 4)


@pytest.mark.parametrize(
    ("field", "typed"), [("seats", "11"), ("clock", "4"), ("seats", "six"), ("small_blind", "x")]
)
def test_a_wrong_entry_is_told(field, typed):
    """The text says what to enter."""
    with pytest.raises(ValueError, match=r"[Ee]nter"):
        new_table("1", {**PROPOSED, field: typed})


@pytest.mark.parametrize("typed", [CODE, f"http://192.0.2.1:4191/#table={CODE}", f"  /#table={CODE} "])
def test_a_link_and_a_code_are_the_same(typed):
    """A player may enter either."""
    assert code_of(typed) == CODE


@pytest.mark.parametrize("typed", ["", "short", f"{CODE}x", f"http://192.0.2.1/#hand={CODE}"])
def test_what_is_no_link_is_told(typed):
    """The host has a new one."""
    with pytest.raises(ValueError, match="Ask your host"):
        code_of(typed)


def test_a_number_and_a_password_are_another_way():
    """The number as it is told, or the id of the table; without a password the line is a link."""
    asked = m.EnterTable(id=0, table="host:7k2mq0xw94", password="mushroom risotto")
    for typed in ("7k2mq0xw94", " 7K2MQ0XW94 ", "host:7k2mq0xw94"):
        assert entrance(typed, "mushroom risotto") == asked
    assert entrance(CODE, "") == m.FindTable(id=0, code=CODE)
    for number, password in (("7k2mq0xw9", "mushroom risotto"), ("7k2mq0xw94", "short"), (CODE, "x" * 8)):
        with pytest.raises(ValueError, match="Check both"):
            entrance(number, password)


def test_the_results_are_a_table_and_the_payments():
    """Each player has a line with the sign of the net; below them is who pays whom."""
    results = m.TableResults(
        re=0,
        table="host:1",
        players=[
            m.PlayerResult(name="ada", bought_in=500_000, taken_out=0, on_table=501_250, net=1_250),
            m.PlayerResult(name="Bartholomew", bought_in=2_500, taken_out=1_250, on_table=0, net=-1_250),
        ],
        payments=[m.ResultPayment(payer="Bartholomew", payee="ada", amount=1_250)],
    )
    assert results_text(results).splitlines() == [
        "player          in    out  on the table     net",
        "ada          5,000      0      5,012.50  +12.50",
        "Bartholomew     25  12.50             0  -12.50",
        "",
        "Bartholomew pays ada 12.50",
    ]
    nothing = m.TableResults(re=0, table="host:1", players=[], payments=[])
    assert results_text(nothing) == "No player has bought in yet."


def test_a_host_who_answers_a_question_meanwhile_is_no_host_after_it():
    """The room's answer that another guest is the host now may come while a dialog is over the orders."""
    as_host, as_guest = EXAMPLES[m.HostedTable]

    class Port:
        def __init__(self) -> None:
            self.may_answer = asyncio.Event()

        async def asked(self, _request, _kind):
            await self.may_answer.wait()
            return as_guest

    async def scenario():
        port = Port()
        await asked_while_it_ends(HostScreen(port, as_host.hosted), "g1hc", port.may_answer.set)

    on_a_loop(scenario)


@pytest.mark.services
def test_a_host_and_a_friend(room, tmp_path):
    """Create, join by the code, pause, remove, close; the friend is told of each."""
    hostess, friend = new_name(), new_name()

    async def scenario():
        async with player(room.game_port, tmp_path / "host", name=hostess, size=(80, 24)) as host:
            await host.sees("The long table")
            await host.press("right", "right", "right")
            await host.sees("n new table")
            await host.press("n")
            await host.sees("no limit")
            await host.press("1")
            await host.sees("small blind")
            host.picture("new-table")
            await host.press("enter")
            await host.until(lambda: isinstance(host.app.screen, TextDialog), "the link")
            host.picture("link")
            code = host.screen_text().partition("/#table=")[2][:22]
            await host.press("escape")
            await host.until(lambda: isinstance(host.app.screen, TableScreen), "the table")
            await host.sees("are the host")
            await host.sit_down()
            async with player(room.game_port, tmp_path / "guest", name=friend) as guest:
                await guest.sees("The long table")
                await guest.press("right", "right", "right")
                await guest.sees("j join")
                await guest.press("j")
                await guest.write(code)
                await guest.press("enter")
                await guest.sees(f"host: {hostess}")
                assert "h host" not in guest.screen_text()
                await guest.sit_down()
                await guest.press("w")
                await guest.sees("Results of the table")
                guest.picture("results")
                await guest.press("w")
                await guest.until(lambda: isinstance(guest.app.screen, TableScreen), "the table again")
                await guest.pilot.pause(0.3)
                assert isinstance(guest.app.screen, TableScreen)
                await host.press("h")
                await host.until(lambda: isinstance(host.app.screen, HostScreen), "the orders")
                host.picture("host")
                await host.press("a")
                await host.sees("need your word")
                await host.press("g")
                await host.press("1")
                await host.sees("let the guest sit down")
                await host.press("c")
                await host.write("5")
                await host.press("enter")
                await guest.sees("has given you 5")
                await host.press("p")
                await host.sees("The host has paused")
                await guest.sees("The host has paused the table.")
                await host.press("s")
                await host.write("1")
                await host.press("enter")
                await guest.sees("In ten seconds the stakes are")
                await host.sees("1/2")
                await host.press("n")
                await host.until(lambda: code not in host.screen_text(), "the new link")
                await host.press("r")
                await host.sees(friend)
                await host.press("2")
                await guest.sees("The host has removed you")
                await guest.sees("n new table")
                await host.press("c")
                await host.press("y")
                await host.sees("The table is closing")

    on_a_loop(scenario)


@pytest.mark.services
def test_a_friend_enters_by_the_password(room, tmp_path):
    """The host sets one, and the friend types it with the number; an empty one removes it."""
    hostess, friend, password = new_name(), new_name(), "mushroom risotto"

    async def scenario():
        async with player(room.game_port, tmp_path / "host", name=hostess, size=(80, 24)) as host:
            await host.sees("The long table")
            await host.press("right", "right", "right", "n")
            await host.sees("no limit")
            await host.press("1")
            await host.sees("small blind")
            await host.press("enter")
            await host.until(lambda: isinstance(host.app.screen, TextDialog), "the link")
            await host.press("escape")
            await host.until(lambda: isinstance(host.app.screen, TableScreen), "the table")
            await host.sees("are the host")
            await host.press("h")
            await host.sees("no password beside the link")
            await host.press("w")
            await host.write(password)
            await host.press("enter")
            await host.sees("With the table ID")
            host.picture("password")
            number = host.screen_text().partition("With the table ID ")[2][:10]
            async with player(room.game_port, tmp_path / "guest", name=friend) as guest:
                await guest.sees("The long table")
                await guest.press("right", "right", "right")
                await guest.sees("j join")
                await guest.press("j")
                await guest.write(number)
                await guest.press("tab")
                await guest.write(password)
                guest.picture("enter")
                assert password not in guest.screen_text()
                await guest.press("enter")
                await guest.sees(f"host: {hostess}")
            await host.press("w")
            await host.press("enter")
            await host.sees("no password beside the link")

    on_a_loop(scenario)


@pytest.mark.services
def test_an_answer_that_was_overtaken_does_not_hide_a_guest(room, tmp_path, monkeypatch):
    """The room may answer an earlier question about the table last, from before the guest came."""
    hostess, friend = new_name(), new_name()

    async def scenario():
        async with player(room.game_port, tmp_path / "host", name=hostess) as host:
            await host.sees("The long table")
            await host.press("right", "right", "right", "n")
            await host.sees("no limit")
            await host.press("1")
            await host.sees("small blind")
            await host.press("enter")
            await host.until(lambda: isinstance(host.app.screen, TextDialog), "the link")
            code = host.screen_text().partition("/#table=")[2][:22]
            await host.press("escape")
            await host.sees("are the host")
            table, asked, came, late = host.app.screen, host.app.asked, asyncio.Event(), []

            async def overtaken(request, *kind, **others):
                answer = await asked(request, *kind, **others)
                if isinstance(request, m.GetHostedTables) and not late:
                    late.append(answer)
                    await came.wait()
                return answer

            monkeypatch.setattr(host.app, "asked", overtaken)
            table.look_for_host()
            await host.until(lambda: late, "the first answer")
            async with player(room.game_port, tmp_path / "guest", name=friend) as guest:
                await guest.sees("The long table")
                await guest.press("right", "right", "right", "j")
                await guest.write(code)
                await guest.press("enter")
                await guest.sees(f"host: {hostess}")
                await host.press("h")
                await host.sees(friend)
                came.set()
                await host.pilot.pause(0.3)
                assert friend in host.screen_text()

    on_a_loop(scenario)


def test_a_guest_asks_for_a_seat_in_the_terminal(room, tmp_path):
    """S asks the host, who accepts; then S offers the buy-in. The guest becomes the host at last."""
    hostess, friend = new_name(), new_name()

    async def scenario():
        async with player(room.game_port, tmp_path / "host", name=hostess) as host:
            await host.sees("The long table")
            await host.press("right", "right", "right", "n")
            await host.sees("no limit")
            await host.press("1")
            await host.sees("small blind")
            await host.press("enter")
            await host.until(lambda: isinstance(host.app.screen, TextDialog), "the link")
            code = host.screen_text().partition("/#table=")[2][:22]
            await host.press("escape")
            await host.until(lambda: isinstance(host.app.screen, TableScreen), "the table")
            await host.sees("are the host")
            await host.press("h")
            await host.until(lambda: isinstance(host.app.screen, HostScreen), "the orders")
            await host.press("a")
            await host.sees("need your word")
            async with player(room.game_port, tmp_path / "guest", name=friend) as guest:
                await guest.sees("The long table")
                await guest.press("right", "right", "right", "j")
                await guest.write(code)
                await guest.press("enter")
                await guest.sees(f"host: {hostess}")
                await guest.press("s")
                await guest.sees("You have asked for a seat")
                await host.sees("asks for a seat")
                host.picture("host-approves")
                await host.press("g")
                await host.press("1")
                await host.press("y")
                await guest.sees("You may sit down now")
                await guest.sit_down()
                await host.press("g")
                await host.press("1")
                await host.press("h")
                await guest.sees("You are the host of this table now")
                await guest.sees("h host")
                await host.until(lambda: isinstance(host.app.screen, TableScreen), "no more orders")

    on_a_loop(scenario)
