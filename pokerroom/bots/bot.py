"""One bot at a cash table: an account, a connection and a seat, from the registration to the last hand.

Connect, log in, sit down, play until told to stop, stand up; after a lost connection come back and resume (`guest`).
`Player` (see `player`) is the play at the table. This module knows the protocol's requests around a seat and nothing of
how hands are decided.
"""

from __future__ import annotations

import asyncio
from typing import Final, NoReturn

from pokerroom.bots.guest import BotFailed, ComeAgain, Room, code_of
from pokerroom.bots.link import Link
from pokerroom.bots.player import Outcome, Player, Table
from pokerroom.bots.policy import Policy
from pokerroom.bots.sitter import Gate, Patron
from pokerroom_protocol import Code
from pokerroom_protocol import messages as m

SIT_DOWN_TRIES_S: Final = 30.0


class Bot(Patron[Player]):
    """See the module."""

    def __init__(self, room: Room, gate: Gate, table: Table, seed: int) -> None:
        super().__init__(room, gate)
        self._table = table
        self._policy = Policy(seed)
        self._has_sat = False

    async def stay(self, link: Link, tables: list[str]) -> bool:
        """See `Guest`: sits and plays."""
        await self.all_here()
        if self.stopping and self._table.name not in tables:
            await self.log_out(link)
            return True
        player = Player(
            link=link,
            table=self._table,
            policy=self._policy,
            tally=self.tally,
            wallet=self.wallet,
            delay_s=self.room.delay_s,
            came_back_at=self.came_back_at,
        )
        self.plays(player)
        if self._table.name in tables:
            answer = await link.ask(m.Observe(id=link.number(), table=self._table.name))
            if isinstance(answer, m.Error):
                await self.try_again(answer)
                raise ComeAgain
        else:
            await self._sit_down(link)
        outcome = await player.outcome()
        self.leave_table()
        match outcome:
            case Outcome.LEFT if self.stopping:
                await self.log_out(link)
                return True
            case Outcome.LEFT:
                pass  # the seat was taken away after an absence: sit down again
            case Outcome.BROKE:
                await self.log_out(link)
                self._forget_account()
        return False

    # --- seat -----------------------------------------------------------------------------------------------

    async def _sit_down(self, link: Link) -> None:
        if self.wallet < self._table.buy_in:
            if not self._has_sat:
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
                self._has_sat = True
                return
            if code_of(answer) == Code.BRING_BACK:
                self.tally.races[Code.BRING_BACK] += (
                    1  # it lost its seat with a larger stack than it buys in with
                )
                self._start_over()
            if loop.time() > give_up_at:
                raise BotFailed(code_of(answer))
            await self.try_again(answer)

    def _start_over(self) -> NoReturn:
        """Comes again with a new account."""
        self._forget_account()
        self.leave_table()
        raise ComeAgain

    def _forget_account(self) -> None:
        self.account = None
        self._has_sat = False
