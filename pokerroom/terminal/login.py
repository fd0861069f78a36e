"""The login screen. A guest needs no password, and keeps the seat and the chips as long as the session."""

from __future__ import annotations

import secrets
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Input, Label

from pokerroom.terminal.frame import FramedScreen
from pokerroom.terminal.ports import LoginScreenPort
from pokerroom.terminal.texts import refusal, t
from pokerroom_protocol import messages as m


def guest_name() -> str:
    """Return a name that is unlikely to be taken."""
    return f"guest-{secrets.randbelow(10**6):06}"


def guest_password() -> str:
    """Return a random password; a guest resumes by the session and never types it."""
    return secrets.token_urlsafe(24)


class LoginScreen(FramedScreen):
    """See the module. `proposed` fills the name field; `wrong` is an error text to show."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f2", "app.other_colours", "key.colours"),
        Binding("ctrl+q", "app.quit", "key.quit", priority=True),
    ]

    def __init__(self, port: LoginScreenPort, proposed: str, wrong: str = "") -> None:
        super().__init__()
        self._port = port
        self._proposed = proposed
        self._wrong = wrong

    def content(self) -> ComposeResult:
        """See `FramedScreen`."""
        with Vertical(classes="dialog", id="entrance"):
            yield Label(t("login.title"), classes="title")
            yield Input(self._proposed, id="name", placeholder=t("login.name"), max_length=20)
            yield Input(id="password", placeholder=t("login.password"), password=True, max_length=128)
            code = Input(id="code", placeholder=t("login.code"), max_length=40)
            code.display = False  # until the room asks for it
            yield code
            with Horizontal(classes="buttons"):
                yield Button(t("login.guest"), id="guest", variant="primary")
                yield Button(t("login.log_in"), id="log-in")
                yield Button(t("login.register"), id="register")
            yield Label(self._wrong, id="wrong")

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
            self.say(t("login.no_password"))
            return
        password = guest_password() if how == "guest" else self._password
        self._ask(
            m.LogIn(
                id=0, name=name, password=password, code=self.query_one("#code", Input).value.strip() or None
            )
            if how == "log-in"
            else m.Register(id=0, name=name, password=password)
        )

    @work(exclusive=True)
    async def _ask(self, message: m.LogIn | m.Register) -> None:
        wrong = await self._port.enter(message)
        if wrong is None or not self.is_mounted:
            return
        self.say(wrong.text)
        if wrong.code in {"code_needed", "bad_code"}:
            code = self.query_one("#code", Input)
            code.display, code.value = True, ""
            code.focus()

    @property
    def _password(self) -> str:
        return self.query_one("#password", Input).value

    def say(self, wrong: str) -> None:
        """Show an error text."""
        self.query_one("#wrong", Label).update(wrong)


def in_words(refused: m.Error) -> str:
    """Return the text of a refused login, with the way to correct it."""
    match refused.code:
        case "bad_message":
            return t("login.bad_entry")
        case "name_taken":
            return t("login.name_taken")
        case _:
            return refusal(refused.code, refused.message)
