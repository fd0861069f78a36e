"""One bot at a cash table: an account, a connection and a seat, from the registration to the last hand.

It connects, logs in, sits down, plays until it is told to stop, and stands up. `swarm_client` reconnects and resumes;
`cash_player` plays at the table. This module knows the requests about a seat. It does not decide hands.
"""

from __future__ import annotations

import asyncio
from typing import Final, NoReturn

from pokerroom.bots.cash_player import CashAssignment, CashOutcome, CashPlayer
from pokerroom.bots.connection import BotConnection
from pokerroom.bots.policy import Policy
from pokerroom.bots.swarm_client import BotFailed, Reconnect, SwarmContext, code_of
from pokerroom.bots.table_bot import PersistentTableBot, StartBarrier
from pokerroom_protocol import Code
from pokerroom_protocol import messages as m

SIT_DOWN_TRIES_S: Final = 30.0


class CashBot(PersistentTableBot[CashPlayer]):
    """See the module."""

    def __init__(self, room: SwarmContext, gate: StartBarrier, table: CashAssignment, seed: int) -> None:
        super().__init__(room, gate)
        self._table = table
        self._policy = Policy(seed)
        self._has_sat = False

    async def stay(self, link: BotConnection, tables: list[str]) -> bool:
        """See `SwarmClient`: sit down and play."""
        await self.all_here()
        if self.stopping and self._table.name not in tables:
            await self.log_out(link)
            return True
        context = self.at_table(link, self._table.name, self._table.watch)
        player = CashPlayer(context, self._policy, buy_in=self._table.buy_in, wallet=self.wallet)
        self.plays(player)
        if self._table.name in tables:
            answer = await link.ask(m.Observe(id=link.number(), table=self._table.name))
            if isinstance(answer, m.Error):
                await self.try_again(answer)
                raise Reconnect
        else:
            await self.sit_down(link)
        outcome = await player.outcome()
        self.leave_table()
        match outcome:
            case CashOutcome.LEFT if self.stopping:
                await self.log_out(link)
                return True
            case CashOutcome.LEFT:
                pass  # the room released the seat after an absence: sit down again
            case CashOutcome.BROKE:
                await self.log_out(link)
                self.start_over()
        return False

    # --- seat -----------------------------------------------------------------------------------------------

    async def sit_down(self, link: BotConnection) -> None:
        """Take the seat; raise `Reconnect` to start over with a new account, or `BotFailed`."""
        if self.wallet < self._table.buy_in:
            if not self._has_sat:
                raise BotFailed(Code.INSUFFICIENT_BALANCE)
            self.start_over()  # the wallet is empty
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
                self.tally.races[Code.BRING_BACK] += 1  # it left with a larger stack than its buy-in
                self.start_over()
            if loop.time() > give_up_at:
                raise BotFailed(code_of(answer))
            await self.try_again(answer)

    def start_over(self) -> NoReturn:
        self._has_sat = False
        super().start_over()
