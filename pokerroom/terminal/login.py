"""The login screen. A guest needs no password, and keeps the seat and the chips as long as the session."""

from __future__ import annotations

import secrets
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Button, Footer, Header, Input, Label

from pokerroom.terminal.ports import LoginScreenPort
from pokerroom.terminal.widgets import Banner
from pokerroom_protocol import messages as m

_NAME_RULE = "2 to 20 letters, digits, '.', '_' or '-', a letter or digit first"
_PASSWORD_RULE = "at least 8 characters"  # noqa: S105 -- the rule for one


def guest_name() -> str:
    """Return a name that is unlikely to be taken."""
    return f"guest-{secrets.randbelow(10**6):06}"


def guest_password() -> str:
    """Return a random password; a guest resumes by the session and never types it."""
    return secrets.token_urlsafe(24)


class LoginScreen(Screen[None]):
    """See the module. `proposed` fills the name field; `wrong` is an error text to show."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "app.other_colours", "light/dark"),
        Binding("ctrl+q", "app.quit", "quit", priority=True),
    ]

    def __init__(self, port: LoginScreenPort, proposed: str, wrong: str = "") -> None:
        super().__init__()
        self._port = port
        self._proposed = proposed
        self._wrong = wrong

    def compose(self) -> ComposeResult:
        """See `Screen`."""
        yield Header(icon="♠")
        yield Banner()
        with Vertical(classes="dialog", id="entrance"):
            yield Label("Log in or play as a guest", classes="title")
            yield Input(self._proposed, id="name", placeholder="name", max_length=20)
            yield Input(
                id="password", placeholder="password (guests: leave empty)", password=True, max_length=128
            )
            with Horizontal(classes="buttons"):
                yield Button("Play as a guest", id="guest", variant="primary")
                yield Button("Log in", id="log-in")
                yield Button("Register", id="register")
            yield Label(self._wrong, id="wrong")
        yield Footer()

    def on_mount(self) -> None:
        """See `Screen`."""
        self.query_one("#name", Input).focus()

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self._enter("log-in" if self._password else "guest")

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        self._enter(event.button.id or "")

    def _enter(self, how: str) -> None:
        name = self.query_one("#name", Input).value.strip()
        if how != "guest" and not self._password:
            self.say(f"Enter a password: {_PASSWORD_RULE}.")
            return
        password = guest_password() if how == "guest" else self._password
        self._ask(
            m.LogIn(id=0, name=name, password=password)
            if how == "log-in"
            else m.Register(id=0, name=name, password=password)
        )

    @work(exclusive=True)
    async def _ask(self, message: m.LogIn | m.Register) -> None:
        wrong = await self._port.enter(message)
        if wrong is not None and self.is_mounted:
            self.say(wrong)

    @property
    def _password(self) -> str:
        return self.query_one("#password", Input).value

    def say(self, wrong: str) -> None:
        """Show an error text."""
        self.query_one("#wrong", Label).update(wrong)


def in_words(code: str, message: str) -> str:
    """Return the text of a refused login, with the way to correct it."""
    match code:
        case "bad_message":
            return f"A name has {_NAME_RULE}. A password has {_PASSWORD_RULE}."
        case "name_taken":
            return "This name is taken. Log in with its password, or choose another name."
        case _:
            return message
