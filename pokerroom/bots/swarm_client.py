"""An account and its connection: the base class of every bot of a swarm.

`SwarmClient.run` connects, logs in, and calls the subclass (`stay`). After a lost connection it reconnects and resumes.
It knows nothing about tables.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from pokerroom.bots.connection import BotConnection, BotConnectionLost
from pokerroom.bots.tally import SwarmTally
from pokerroom_protocol import PROTOCOL_VERSION, Code, CodecError
from pokerroom_protocol import messages as m

COME_BACK_S: Final = 90.0  # how long a bot tries to reconnect: longer than a restart of the room
PAUSE_MIN_S: Final = 0.1
PAUSE_MAX_S: Final = 2.0
CLIENT: Final = "pokerroom swarm"

# The room asks for a retry, or another client was faster: no error of either side.
TRY_AGAIN: Final = frozenset(
    {
        Code.RATE_LIMITED,
        Code.UNAVAILABLE,
        Code.SHUTTING_DOWN,
        Code.REQUEST_PENDING,
        Code.SEAT_TAKEN,
        Code.SEAT_HELD,
        Code.WAITING_LIST,
        Code.TABLE_FULL,
        Code.TABLE_CLOSING,
    }
)


class BotFailed(Exception):  # noqa: N818 - one bot gives up, the swarm goes on
    """Raised when a bot cannot go on; `code` is counted as an error."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Reconnect(Exception):  # noqa: N818 - a step of the bot, not an error
    """Raised to start over on a new connection after so many seconds."""

    def __init__(self, after_s: float = PAUSE_MIN_S) -> None:
        super().__init__()
        self.after_s = after_s


@dataclass(frozen=True, slots=True, kw_only=True)
class SwarmContext:
    """The room of a swarm, and what all bots of one process share."""

    host: str
    port: int
    tally: SwarmTally
    new_name: Callable[[], str]
    delay_s: Callable[[], float]
    registering: asyncio.Semaphore


@dataclass(slots=True)
class BotAccount:
    """The credentials of a bot."""

    name: str
    password: str
    token: str


class SwarmClient:
    """See the module."""

    def __init__(self, room: SwarmContext) -> None:
        self.room = room
        self.tally = room.tally
        self.account: BotAccount | None = None
        self.wallet = 0
        self.stopping = False
        self.came_back_at: float | None = None
        self._link: BotConnection | None = None
        self._heartbeat: asyncio.TimerHandle | None = None

    # --- what a subclass implements -------------------------------------------------------------------------------

    async def stay(self, link: BotConnection, tables: list[str]) -> bool:
        """Do the bot's work on a new connection; return whether it is done for good.

        `tables` are those where the account has a seat. Raise `BotConnectionLost`, `Reconnect`, `BotFailed`.
        """
        raise NotImplementedError

    def heard(self, link: BotConnection, fields: dict[str, Any], body: bytes) -> None:
        """Take any message of the connection except `goodbye`."""

    def link_lost(self, link: BotConnection) -> None:
        """Take note that the connection is lost."""

    def at_end(self) -> None:
        """Clean up at the end."""

    def may_end(self) -> bool:
        """Tell whether a stopping bot may end without a reconnection."""
        return True

    # --- life -----------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Run until the bot is done. A failure that ends it is counted in the tally."""
        loop = asyncio.get_running_loop()
        lost_at: float | None = None
        pause_s = PAUSE_MIN_S
        try:
            while True:
                try:
                    link, tables = await self._connect()
                    if lost_at is not None:
                        self.came_back_at = loop.time()
                    lost_at, pause_s = None, PAUSE_MIN_S
                    if await self.stay(link, tables):
                        return
                    self.hang_up()
                except Reconnect as again:
                    self.hang_up()
                    await asyncio.sleep(again.after_s)
                except (BotConnectionLost, OSError) as failure:
                    if self.stopping and self.may_end():
                        return
                    if lost_at is None:
                        lost_at = loop.time()
                        self.tally.disconnects += 1
                    if loop.time() - lost_at > COME_BACK_S:
                        raise BotFailed("cannot_reconnect") from failure
                    await asyncio.sleep(pause_s)
                    pause_s = min(2 * pause_s, PAUSE_MAX_S)
        except BotFailed as failure:
            self.tally.errors[failure.code] += 1
        finally:
            self.at_end()
            self.hang_up()

    async def _connect(self) -> tuple[BotConnection, list[str]]:
        """Return a greeted and logged-in connection, and the tables where the account has a seat."""
        self.hang_up()
        link = BotConnection(
            on_message=lambda fields, body: self._on_message(link, fields, body),
            on_lost=lambda: self.link_lost(link),
            on_nonsense=self._on_nonsense,
        )
        self._link = link
        await link.open(self.room.host, self.room.port)
        hello = m.Hello(id=link.number(), version=PROTOCOL_VERSION, client=CLIENT, pause=False)
        welcome = await link.ask(hello)
        if not isinstance(welcome, m.Welcome):
            raise BotFailed(code_of(welcome))
        self._beat(link, welcome.idle_s / 3)
        if self.account is None:
            authenticated = await self._register(link)
        else:
            authenticated = await self._resume(link, self.account)
        self.wallet = authenticated.balance
        return link, authenticated.tables

    async def _register(self, link: BotConnection) -> m.Authenticated:
        account = BotAccount(self.room.new_name(), secrets.token_urlsafe(12), "")
        async with self.room.registering:
            while True:
                request = m.Register(id=link.number(), name=account.name, password=account.password)
                answer = await link.ask(request)
                if isinstance(answer, m.Authenticated):
                    break
                await self.try_again(answer)
        account.token = answer.token
        self.account = account
        self.tally.registered += 1
        return answer

    async def _resume(self, link: BotConnection, account: BotAccount) -> m.Authenticated:
        answer = await link.ask(m.Resume(id=link.number(), token=account.token))
        while not isinstance(answer, m.Authenticated):
            await self.try_again(answer, allowed=TRY_AGAIN | {Code.SESSION_UNKNOWN})
            answer = await link.ask(m.LogIn(id=link.number(), name=account.name, password=account.password))
        account.token = answer.token
        return answer

    async def try_again(self, answer: m.ServerMessage, allowed: frozenset[Code] = TRY_AGAIN) -> None:
        """Wait a moment after a refusal in `allowed`; raise `BotFailed` for any other."""
        code = code_of(answer)
        if code not in allowed:
            raise BotFailed(code)
        self.tally.races[code] += 1
        await asyncio.sleep(0.5)

    async def log_out(self, link: BotConnection) -> None:
        """End the session."""
        answer = await link.ask(m.LogOut(id=link.number()))
        if isinstance(answer, m.Error) and answer.code not in TRY_AGAIN:
            self.tally.errors[answer.code] += 1

    def hang_up(self) -> None:
        """Close the connection."""
        if self._heartbeat is not None:
            self._heartbeat.cancel()
            self._heartbeat = None
        link, self._link = self._link, None
        if link is not None:
            link.close()

    def _beat(self, link: BotConnection, every_s: float) -> None:
        def beat() -> None:
            link.send(m.Ping(id=link.number()))
            self._beat(link, every_s)

        self._heartbeat = asyncio.get_running_loop().call_later(every_s, beat)

    def _on_message(self, link: BotConnection, fields: dict[str, Any], body: bytes) -> None:
        if fields["type"] == "goodbye":
            # The room shuts down or is full. Any other code is an error of the bot.
            if fields["code"] not in {Code.SHUTTING_DOWN, Code.UNAVAILABLE} and self._link is not None:
                self.tally.errors[fields["code"]] += 1
        else:
            self.heard(link, fields, body)

    def _on_nonsense(self, failure: CodecError) -> None:
        self.tally.errors[f"received_{failure.code}"] += 1


def code_of(answer: m.ServerMessage) -> str:
    """Return the code of a refusal, or the type of another unexpected answer."""
    return answer.code if isinstance(answer, m.Error) else f"answered_with_{type(answer).__name__}"
