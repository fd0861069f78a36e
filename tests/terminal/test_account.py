"""The account in the terminal: the code of a second factor, devices, the password, recovery codes, limits."""

from __future__ import annotations

import time

import pyotp
import pytest
from textual.widgets import Button

from pokerroom.terminal.account import AccountScreen
from pokerroom.terminal.login import LoginScreen
from pokerroom_protocol import ReturningClient
from pokerroom_protocol import messages as m
from tests.terminal.support import PASSWORD, new_name, on_a_loop, player

pytestmark = pytest.mark.services


def test_a_log_in_asks_for_the_code_of_an_app(room, tmp_path):
    """The field appears when the room asks; a wrong code is asked for again."""
    name = new_name()

    async def scenario():
        client = await ReturningClient.connect("127.0.0.1", room.game_port, pause=False)
        await client.request(m.Register(id=0, name=name, password=PASSWORD), m.Authenticated)
        factor = await client.request(m.BeginSecondFactor(id=0, password=PASSWORD), m.SecondFactor)
        app = pyotp.TOTP(factor.secret)
        await client.request(m.ConfirmSecondFactor(id=0, password=PASSWORD, code=app.now()), m.Security)
        await client.close()
        async with player(room.game_port, tmp_path) as me:
            await me.until(lambda: isinstance(me.app.screen, LoginScreen), "the login")
            me.app.screen.query_one("#name").value = name
            me.app.screen.query_one("#password").value = PASSWORD
            me.app.screen.query_one("#password").focus()
            await me.press("enter")
            await me.sees("Enter the code of your authenticator app")
            await me.until(lambda: getattr(me.app.focused, "id", "") == "code", "the focus")
            await me.write("000000")
            await me.press("enter")
            await me.sees("The code is wrong")
            await me.write(app.at(int(time.time()), counter_offset=1))
            await me.press("enter")
            await me.sees("in the wallet")

    on_a_loop(scenario)


def test_the_account_is_looked_after(room, tmp_path):
    """Devices, another password, recovery codes, and a limit that holds at once."""
    name = new_name()

    async def scenario():
        async with player(room.game_port, tmp_path) as me:
            await me.until(lambda: isinstance(me.app.screen, LoginScreen), "the login")
            me.app.screen.query_one("#name").value = name
            me.app.screen.query_one("#password").value = PASSWORD
            me.app.screen.query_one("#register", Button).press()
            await me.sees("in the wallet")
            other = await ReturningClient.connect("127.0.0.1", room.game_port, pause=False, instance="other")
            await other.request(m.LogIn(id=0, name=name, password=PASSWORD), m.Authenticated)
            await me.press("a")
            await me.until(lambda: isinstance(me.app.screen, AccountScreen), "the account")
            await me.sees("* pokerroom play")
            await me.sees("Loss per week: none")
            me.picture("account")
            await me.press("o")
            await me.sees("All other devices are logged out.")
            await other.close()

            await me.press("l")
            await me.press("5")
            await me.write("12,50")
            await me.press("enter")
            await me.sees("Loss per week: 12.50")
            await me.press("l")
            await me.press("7")
            await me.write("2000")
            await me.press("enter")
            await me.sees("Enter whole minutes")

            await me.press("p")
            await me.write(PASSWORD)
            await me.press("enter")
            await me.write("battery staple")
            await me.press("enter")
            await me.sees("The password is changed.")
            await me.press("c")
            await me.write("battery staple")
            await me.press("enter")
            await me.sees("Write them down.")
            await me.press("escape")
            await me.sees("Recovery codes left")
            await me.press("escape")
            await me.sees("in the wallet")

    on_a_loop(scenario)


def test_operators_are_heard(room, tmp_path):
    """An announcement while the player looks on, and after a log-in; a mute with its time."""
    name = new_name()

    async def scenario():
        async with player(room.game_port, tmp_path) as me:
            await me.until(lambda: isinstance(me.app.screen, LoginScreen), "the login")
            me.app.screen.query_one("#name").value = name
            me.app.screen.query_one("#password").value = PASSWORD
            me.app.screen.query_one("#register", Button).press()
            await me.sees("in the wallet")
            number = room.command("announcement", "add", "The deck is new.", "--minutes", "30").stdout.strip()
            await me.sees("The deck is new.")
            assert room.command("account", "mute", name, "--minutes", "9", "--reason", "rude").returncode == 0
        async with player(room.game_port, tmp_path) as me:
            await me.sees("An operator has taken your right to chat until")
            await me.sees("The deck is new.")
        assert room.command("announcement", "withdraw", number).returncode == 0

    on_a_loop(scenario)
