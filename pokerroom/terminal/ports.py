"""What the screens of the terminal client need of the application, as small interfaces.

The application builds the screens and implements these; no screen imports it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeVar

from textual.screen import Screen

from pokerroom_protocol import messages as m

_A = TypeVar("_A", bound=m.ServerMessage | m.Answer)


class RequestPort(Protocol):
    """Requests to the room."""

    async def asked(self, message: m.ClientMessage, expect: type[_A], *, quietly: bool = False) -> _A | None:
        """Send a request and return the answer; None after a refusal, which is shown unless `quietly`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogInFailure:
    """Why a log-in failed: a text for the player, and the room's code, if the room has refused."""

    text: str
    code: str = ""


class LoginScreenPort(Protocol):
    """What the login screen needs."""

    async def enter(self, message: m.Register | m.LogIn) -> LogInFailure | None:
        """Register or log in, and go to the lobby; return why that fails."""


class LobbyScreenPort(RequestPort, Protocol):
    """What the lobby needs."""

    def open_account(self) -> None:
        """Show the account screen."""

    def open_table(self, table: str) -> object:
        """Observe a table and show it."""


class TableScreenPort(RequestPort, Protocol):
    """What the screen of a table needs."""

    def room_time_ms(self) -> float:
        """Return the room's clock, in milliseconds since the Unix epoch."""

    def leave_table(self, screen: Screen[None], table: str, *, seated: bool) -> object:
        """Return to the lobby; a client without a seat stops observing the table."""

    def buy_in(self, info: m.TableInfo, balance: int) -> None:
        """Ask for a buy-in and sit down."""
