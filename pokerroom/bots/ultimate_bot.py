"""One bot at a table against the house: an account, a connection and a place, until it is told to stop.

Now and then it vanishes in the middle of a round, and comes back to the same place. `UltimatePlayer` is the play.
"""

from __future__ import annotations

import asyncio
from typing import Final

from pokerroom.bots.guest import TRY_AGAIN, BotFailed, ComeAgain, Room, code_of
from pokerroom.bots.link import Link, LinkLost
from pokerroom.bots.sitter import Gate, Patron
from pokerroom.bots.ultimate_habits import Habits, Shares
from pokerroom.bots.ultimate_player import Table, UltimatePlayer
from pokerroom_protocol import Code
from pokerroom_protocol import messages as m

PLACE_TRIES_S: Final = 30.0
POOR: Final = 100
"""With less than so many times the smallest Ante it comes again as somebody else."""


class UltimateBot(Patron[UltimatePlayer]):
    """See the module."""

    def __init__(
        self, room: Room, gate: Gate, table: Table, *, ante_min: int, seed: int, shares: Shares
    ) -> None:
        super().__init__(room, gate)
        self._table = table
        self._ante_min = ante_min
        self._habits = Habits(seed, shares)
        self._vanished = False

    async def stay(self, link: Link, tables: list[str]) -> bool:
        """See `Guest`: takes a place and plays."""
        assert self.account is not None
        await self.all_here()
        seated = self._table.name in tables
        if self.stopping and not seated:
            await self.log_out(link)
            return True
        if not seated and self.wallet < POOR * self._ante_min:
            self._start_over()
        player = UltimatePlayer(
            link=link,
            name=self.account.name,
            table=self._table,
            habits=self._habits,
            tally=self.tally,
            delay_s=self.room.delay_s,
            came_back_at=self.came_back_at,
            vanish=self._vanish,
        )
        self.plays(player)
        await self._come_to(link, seated=seated)
        try:
            await player.outcome()
        except LinkLost:
            if not self._vanished:
                raise
            self._vanished = False
            self.came_back_at = asyncio.get_running_loop().time()
            self.leave_table()
            raise ComeAgain(self._habits.away_s()) from None
        self.leave_table()
        if self.stopping:
            await self.log_out(link)
            return True
        return False  # the place was taken away after an absence: takes one again

    # --- place ----------------------------------------------------------------------------------------------

    def _vanish(self) -> None:
        """The connection is gone, without a word."""
        self._vanished = True
        self.hang_up()

    async def _come_to(self, link: Link, *, seated: bool) -> None:
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

    def _start_over(self) -> None:
        """Comes again with a new account: it has played away its money."""
        self.account = None
        self.leave_table()
        raise ComeAgain
