"""An account and its connection: what every bot of a swarm is before it does anything at a table.

`Guest.run` connects, logs in, and does what the subclass has it do (`stay`); after a lost connection it comes back and
resumes. It knows nothing of tables.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from pokerroom.bots.link import Link, LinkLost
from pokerroom.bots.tally import Tally
from pokerroom_protocol import PROTOCOL_VERSION, Code, CodecError
from pokerroom_protocol import messages as m

COME_BACK_S: Final = 90.0  # how long a bot tries to reconnect: a restart of the room takes less
PAUSE_MIN_S: Final = 0.1
PAUSE_MAX_S: Final = 2.0
CLIENT: Final = "pokerroom swarm"

# The room asks to try again, or another client was faster: no fault of either side.
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


class ComeAgain(Exception):  # noqa: N818 - a turn of the bot's life, not a fault
    """Raised to start over on a new connection that was not lost, after so many seconds."""

    def __init__(self, after_s: float = PAUSE_MIN_S) -> None:
        super().__init__()
        self.after_s = after_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """The room of a swarm, and what all bots of a process share."""

    host: str
    port: int
    tally: Tally
    new_name: Callable[[], str]
    delay_s: Callable[[], float]
    registering: asyncio.Semaphore


@dataclass(slots=True)
class Account:
    """Who a bot is."""

    name: str
    password: str
    token: str


class Guest:
    """See the module."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.tally = room.tally
        self.account: Account | None = None
        self.wallet = 0
        self.stopping = False
        self.came_back_at: float | None = None
        self._link: Link | None = None
        self._heartbeat: asyncio.TimerHandle | None = None

    # --- what a subclass says -------------------------------------------------------------------------------

    async def stay(self, link: Link, tables: list[str]) -> bool:
        """Does what it came for, where the account sits at these tables; whether it is done for good.

        Raises `LinkLost`, `ComeAgain`, `BotFailed`.
        """
        raise NotImplementedError

    def heard(self, link: Link, fields: dict[str, Any], body: bytes) -> None:
        """Any message of the connection but `goodbye`."""

    def link_lost(self, link: Link) -> None:
        """The connection is gone."""

    def at_end(self) -> None:
        """Whatever happened, it is over."""

    def may_end(self) -> bool:
        """Whether a bot that is to stop need not come back for anything."""
        return True

    # --- life -----------------------------------------------------------------------------------------------

    async def run(self) -> None:
        """Lives until it is done; what makes it give up is counted in the tally."""
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
                except ComeAgain as again:
                    self.hang_up()
                    await asyncio.sleep(again.after_s)
                except (LinkLost, OSError) as failure:
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

    async def _connect(self) -> tuple[Link, list[str]]:
        """A greeted and logged-in connection, and the tables where the account sits."""
        self.hang_up()
        link = Link(
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

    async def _register(self, link: Link) -> m.Authenticated:
        account = Account(self.room.new_name(), secrets.token_urlsafe(12), "")
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

    async def _resume(self, link: Link, account: Account) -> m.Authenticated:
        answer = await link.ask(m.Resume(id=link.number(), token=account.token))
        while not isinstance(answer, m.Authenticated):
            await self.try_again(answer, allowed=TRY_AGAIN | {Code.SESSION_UNKNOWN})
            answer = await link.ask(m.LogIn(id=link.number(), name=account.name, password=account.password))
        account.token = answer.token
        return answer

    async def try_again(self, answer: m.ServerMessage, allowed: frozenset[Code] = TRY_AGAIN) -> None:
        """Waits a moment after a refusal that is no fault; raises `BotFailed` for any other."""
        code = code_of(answer)
        if code not in allowed:
            raise BotFailed(code)
        self.tally.races[code] += 1
        await asyncio.sleep(0.5)

    async def log_out(self, link: Link) -> None:
        """The session ends."""
        answer = await link.ask(m.LogOut(id=link.number()))
        if isinstance(answer, m.Error) and answer.code not in TRY_AGAIN:
            self.tally.errors[answer.code] += 1

    def hang_up(self) -> None:
        """No connection any more."""
        if self._heartbeat is not None:
            self._heartbeat.cancel()
            self._heartbeat = None
        link, self._link = self._link, None
        if link is not None:
            link.close()

    def _beat(self, link: Link, every_s: float) -> None:
        def beat() -> None:
            link.send(m.Ping(id=link.number()))
            self._beat(link, every_s)

        self._heartbeat = asyncio.get_running_loop().call_later(every_s, beat)

    def _on_message(self, link: Link, fields: dict[str, Any], body: bytes) -> None:
        if fields["type"] == "goodbye":
            # A room that goes down or is full says so; anything else is about us.
            if fields["code"] not in {Code.SHUTTING_DOWN, Code.UNAVAILABLE} and self._link is not None:
                self.tally.errors[fields["code"]] += 1
        else:
            self.heard(link, fields, body)

    def _on_nonsense(self, failure: CodecError) -> None:
        self.tally.errors[f"received_{failure.code}"] += 1


def code_of(answer: m.ServerMessage) -> str:
    """The code of a refusal; of any other answer that nobody expected, its kind."""
    return answer.code if isinstance(answer, m.Error) else f"answered_with_{type(answer).__name__}"
