"""One bot at a table of Ultimate Texas Hold'em: an account, a connection and a place, until it is told to stop.

Now and then it disconnects in the middle of a round, and returns to the same place. `UltimateBotPlayer` plays.
"""

from __future__ import annotations

import asyncio
from typing import Final

from pokerroom.bots.connection import BotConnection, BotConnectionLost
from pokerroom.bots.swarm_client import TRY_AGAIN, BotFailed, Reconnect, SwarmContext, code_of
from pokerroom.bots.table_bot import PersistentTableBot, StartBarrier
from pokerroom.bots.ultimate_habits import HabitShares, UltimateHabits
from pokerroom.bots.ultimate_player import UltimateAssignment, UltimateBotPlayer
from pokerroom_protocol import Code
from pokerroom_protocol import messages as m

PLACE_TRIES_S: Final = 30.0
POOR: Final = 100
"""A bot with fewer smallest Antes than this starts over with a new account."""


class UltimateBot(PersistentTableBot[UltimateBotPlayer]):
    """See the module."""

    def __init__(
        self,
        room: SwarmContext,
        gate: StartBarrier,
        table: UltimateAssignment,
        *,
        ante_min: int,
        seed: int,
        shares: HabitShares,
    ) -> None:
        super().__init__(room, gate)
        self._table = table
        self._ante_min = ante_min
        self._habits = UltimateHabits(seed, shares)
        self._vanished = False

    async def stay(self, link: BotConnection, tables: list[str]) -> bool:
        """See `Guest`: take a place and play."""
        assert self.account is not None
        await self.all_here()
        seated = self._table.name in tables
        if self.stopping and not seated:
            await self.log_out(link)
            return True
        if not seated and self.wallet < POOR * self._ante_min:
            self.start_over()  # the wallet is empty
        player = UltimateBotPlayer(
            self.at_table(link, self._table.name, self._table.watch),
            name=self.account.name,
            habits=self._habits,
            counts_rounds=self._table.counts,
            vanish=self._vanish,
        )
        self.plays(player)
        await self._come_to(link, seated=seated)
        try:
            await player.outcome()
        except BotConnectionLost:
            if not self._vanished:
                raise
            self._vanished = False
            self.came_back_at = asyncio.get_running_loop().time()
            self.leave_table()
            raise Reconnect(self._habits.away_s()) from None
        self.leave_table()
        if self.stopping:
            await self.log_out(link)
            return True
        return False  # the room released the place after an absence: take one again

    # --- place ----------------------------------------------------------------------------------------------

    def _vanish(self) -> None:
        """Close the connection without a `stand_up`."""
        self._vanished = True
        self.hang_up()

    async def _come_to(self, link: BotConnection, *, seated: bool) -> None:
        loop = asyncio.get_running_loop()
        give_up_at = loop.time() + PLACE_TRIES_S
        while True:
            request: m.ClientMessage = (
                m.Observe(id=link.number(), table=self._table.name)
                if seated
                else m.TakePlace(id=link.number(), table=self._table.name)
            )
            answer = await link.ask(request)
            if isinstance(answer, m.UltimateSnapshot):
                return
            if code_of(answer) == Code.ALREADY_SEATED:
                seated = True
            elif loop.time() > give_up_at:
                raise BotFailed(code_of(answer))
            await self.try_again(answer, TRY_AGAIN | {Code.ALREADY_SEATED, Code.TABLE_FROZEN, Code.BOX_TAKEN})
