"""One bot: an account, a connection and a seat, from the registration to the last hand.

`Bot.run` is the life: connect, log in, sit down, play until told to stop, stand up; after a lost connection
it comes back and resumes. `Player` (see `player`) is the play at the table. This module knows the protocol's
requests around a seat and nothing of how hands are decided.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from pokerroom.bots.link import Link, LinkLost
from pokerroom.bots.player import Outcome, Player, Table
from pokerroom.bots.policy import Policy
from pokerroom.bots.tally import Tally
from pokerroom_protocol import PROTOCOL_VERSION, Code, CodecError
from pokerroom_protocol import messages as m

COME_BACK_S: Final = 90.0  # how long a bot tries to reconnect: a restart of the room takes less
PAUSE_MIN_S: Final = 0.1
PAUSE_MAX_S: Final = 2.0
SIT_DOWN_TRIES_S: Final = 30.0
CLIENT: Final = "pokerroom swarm"

# The room asks to try again, or another client was faster: no fault of either side.
_TRY_AGAIN: Final = frozenset(
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


class _ComeAgain(Exception):  # noqa: N818 - a turn of the bot's life, not a fault
    """Raised to start over on a new connection that was not lost."""


class Gate:
    """Opens when everybody has arrived, so that all sit down together and the clock measures play."""

    def __init__(self, awaited: int) -> None:
        self._awaited = awaited
        self._open = asyncio.Event()

    def arrive(self) -> None:
        """One of those awaited is here, or will never come."""
        self._awaited -= 1
        if self._awaited <= 0:
            self._open.set()

    async def passed(self) -> None:
        """Waits until it opens."""
        await self._open.wait()


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What all bots of a process share."""

    host: str
    port: int
    tally: Tally
    new_name: Callable[[], str]
    delay_s: Callable[[], float]
    registering: asyncio.Semaphore
    gate: Gate


@dataclass(slots=True)
class _Account:
    name: str
    password: str
    token: str


class Bot:
    """See the module."""

    def __init__(self, around: Surroundings, table: Table, seed: int) -> None:
        self._around = around
        self._tally = around.tally
        self._table = table
        self._policy = Policy(seed)
        self._account: _Account | None = None
        self._link: Link | None = None
        self._player: Player | None = None
        self._stopping = False
        self._has_arrived = False
        self._is_fresh = False
        self._wallet = 0
        self._came_back_at: float | None = None
        self._heartbeat: asyncio.TimerHandle | None = None

    def stop(self) -> None:
        """Stand up after the hand, log out."""
        self._stopping = True
        if self._player is not None:
            self._player.stop()

    async def run(self) -> None:
        """Lives until `stop`; what makes it give up is counted in the tally."""
        loop = asyncio.get_running_loop()
        lost_at: float | None = None
        pause_s = PAUSE_MIN_S
        try:
            while True:
                try:
                    tables = await self._connect()
                    if lost_at is not None:
                        self._came_back_at = loop.time()
                    lost_at, pause_s = None, PAUSE_MIN_S
                    if await self._play(tables):
                        return
                except _ComeAgain:
                    await asyncio.sleep(PAUSE_MIN_S)
                except (LinkLost, OSError) as failure:
                    if self._stopping and self._player is None:
                        return
                    if lost_at is None:
                        lost_at = loop.time()
                        self._tally.disconnects += 1
                    if loop.time() - lost_at > COME_BACK_S:
                        raise BotFailed("cannot_reconnect") from failure
                    await asyncio.sleep(pause_s)
                    pause_s = min(2 * pause_s, PAUSE_MAX_S)
        except BotFailed as failure:
            self._tally.errors[failure.code] += 1
        finally:
            self._leave_table()
            self._hang_up()
            self._arrive()

    # --- connection and account -----------------------------------------------------------------------------

    async def _connect(self) -> list[str]:
        """A greeted and logged-in connection; returns the tables where the account sits."""
        self._hang_up()
        link = Link(
            on_message=lambda fields, body: self._on_message(link, fields, body),
            on_lost=lambda: self._on_lost(link),
            on_nonsense=self._on_nonsense,
        )
        self._link = link
        await link.open(self._around.host, self._around.port)
        hello = m.Hello(id=link.number(), version=PROTOCOL_VERSION, client=CLIENT, pause=False)
        welcome = await link.ask(hello)
        if not isinstance(welcome, m.Welcome):
            raise BotFailed(_code(welcome))
        self._beat(link, welcome.idle_s / 3)
        if self._account is None:
            authenticated = await self._register(link)
        else:
            authenticated = await self._resume(link, self._account)
        self._wallet = authenticated.balance
        return authenticated.tables

    async def _register(self, link: Link) -> m.Authenticated:
        account = _Account(self._around.new_name(), secrets.token_urlsafe(12), "")
        async with self._around.registering:
            while True:
                request = m.Register(id=link.number(), name=account.name, password=account.password)
                answer = await link.ask(request)
                if isinstance(answer, m.Authenticated):
                    break
                await self._try_again(answer, allowed=_TRY_AGAIN)
        account.token = answer.token
        self._account = account
        self._is_fresh = True
        self._tally.registered += 1
        return answer

    async def _resume(self, link: Link, account: _Account) -> m.Authenticated:
        answer = await link.ask(m.Resume(id=link.number(), token=account.token))
        while not isinstance(answer, m.Authenticated):
            await self._try_again(answer, allowed=_TRY_AGAIN | {Code.SESSION_UNKNOWN})
            answer = await link.ask(m.LogIn(id=link.number(), name=account.name, password=account.password))
        account.token = answer.token
        return answer

    async def _try_again(self, answer: m.ServerMessage, allowed: frozenset[Code]) -> None:
        code = _code(answer)
        if code not in allowed:
            raise BotFailed(code)
        self._tally.races[code] += 1
        await asyncio.sleep(0.5)

    def _hang_up(self) -> None:
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
                self._tally.errors[fields["code"]] += 1
        elif self._player is not None and self._player.link is link:
            self._player.on_message(fields, body)

    def _on_lost(self, link: Link) -> None:
        if self._player is not None and self._player.link is link:
            self._player.link_lost()

    def _on_nonsense(self, failure: CodecError) -> None:
        self._tally.errors[f"received_{failure.code}"] += 1

    # --- seat -----------------------------------------------------------------------------------------------

    def _arrive(self) -> None:
        if not self._has_arrived:
            self._has_arrived = True
            self._around.gate.arrive()

    async def _play(self, tables: list[str]) -> bool:
        """Sits and plays; returns whether the bot is done for good. Raises `LinkLost`."""
        assert self._link is not None
        link = self._link
        self._arrive()
        await self._around.gate.passed()
        if self._stopping and self._table.name not in tables:
            await self._log_out(link)
            return True
        player = Player(
            link=link,
            table=self._table,
            policy=self._policy,
            tally=self._tally,
            wallet=self._wallet,
            delay_s=self._around.delay_s,
            came_back_at=self._came_back_at,
        )
        self._leave_table()
        self._player = player
        if self._stopping:
            player.stop()
        if self._table.name in tables:
            answer = await link.ask(m.Observe(id=link.number(), table=self._table.name))
            if isinstance(answer, m.Error):
                await self._try_again(answer, allowed=_TRY_AGAIN)
                raise _ComeAgain
        else:
            await self._sit_down(link)
        outcome = await player.outcome()
        self._leave_table()
        match outcome:
            case Outcome.LEFT if self._stopping:
                await self._log_out(link)
                return True
            case Outcome.LEFT:
                pass  # the seat was taken away after an absence: sit down again
            case Outcome.BROKE:
                await self._log_out(link)
                self._account = None
        self._hang_up()
        return False

    async def _sit_down(self, link: Link) -> None:
        if self._wallet < self._table.buy_in:
            if self._is_fresh:
                raise BotFailed(Code.INSUFFICIENT_BALANCE)
            self._start_over()  # it has played away its money
        loop = asyncio.get_running_loop()
        give_up_at = loop.time() + SIT_DOWN_TRIES_S
        while True:
            request = m.SitDown(
                id=link.number(), table=self._table.name, buy_in=self._table.buy_in, seat=None, post=True
            )
            answer = await link.ask(request)
            if isinstance(answer, m.Snapshot):
                self._is_fresh = False
                return
            if _code(answer) == Code.BRING_BACK:
                self._tally.races[Code.BRING_BACK] += (
                    1  # it lost its seat with a larger stack than it buys in with
                )
                self._start_over()
            if loop.time() > give_up_at:
                raise BotFailed(_code(answer))
            await self._try_again(answer, allowed=_TRY_AGAIN)

    def _start_over(self) -> NoReturn:
        """Comes again with a new account."""
        self._account = None
        self._leave_table()
        raise _ComeAgain

    async def _log_out(self, link: Link) -> None:
        answer = await link.ask(m.LogOut(id=link.number()))
        if isinstance(answer, m.Error) and answer.code not in _TRY_AGAIN:
            self._tally.errors[answer.code] += 1

    def _leave_table(self) -> None:
        player, self._player = self._player, None
        if player is not None:
            player.close()


def _code(answer: m.ServerMessage) -> str:
    return answer.code if isinstance(answer, m.Error) else f"answered_with_{type(answer).__name__}"
