"""House bots in tournaments: once a player has registered, bots register one after the other until they are enough.

For a tournament that starts at a time they come shortly before the start. Bots unregister when no player is registered
any more. One pool of bots serves all offers. Knows the lobby only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pokerroom.bots.house_slots import BotSlot, HouseBotsContext, drop
from pokerroom.bots.house_sng_bot import HouseSngBot
from pokerroom.bots.house_turns import Pace
from pokerroom.bots.strategy import Strategy, style_of
from pokerroom_protocol import messages as m

BOTS_MAX: Final = 100
"""[D] Bots in all sit-and-gos of the room together."""
LOOKS_WITHOUT_PEOPLE: Final = 3
"""Bots leave when so many rows in a row show no player: a row may be older than a registration."""


BEFORE_START_S: Final = 120
"""[D] Seconds before the start at which bots begin to register for a tournament that starts at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Filling:
    """A tournament that takes entries. `target` is what a bot names to register: the offer, or the tournament."""

    target: str
    tournament: str
    taken: int
    seats: int
    house_bots: int


class HouseEntrants:
    """See the module. `numbers` gives each bot its number."""

    def __init__(self, context: HouseBotsContext, numbers: Iterator[int]) -> None:
        self._context = context
        self._numbers = numbers
        self._slots: list[BotSlot[HouseSngBot]] = []
        self._offer_of: dict[int, str] = {}
        """The offer, or tournament with a start, for which the bot of this number is about to register."""
        self._deserted: Counter[str] = Counter()
        """Tournament -> consecutive rows without a player."""
        self._hurries = False

    def plan(
        self, offers: Sequence[m.SitAndGoInfo], scheduled: Sequence[m.ScheduledTournament], now_ms: int
    ) -> None:
        """Adjust the bots to the rows of the lobby, by one bot for each row. `now_ms` is the time of the room."""
        if not self._slots:
            # the bots of an earlier run of the room may be in tournaments
            self._grow(
                sum(offer.house_bots * (1 + offer.running_count) for offer in offers)
                + sum(row.house_bots for row in scheduled if row.entries and row.ended_ms is None)
            )
        for slot in self._slots:
            if not slot.found and slot.is_free():
                self._send(slot, None)
        for offer in offers:
            if offer.house_bots and offer.filling:
                filling = _Filling(
                    target=offer.offer,
                    tournament=offer.filling[0].tournament,
                    taken=offer.filling[0].taken,
                    seats=offer.seats,
                    house_bots=offer.house_bots,
                )
                self._fill(filling)
        for row in scheduled:
            soon = row.starts_ms - now_ms <= 1000 * BEFORE_START_S
            if row.house_bots and row.phase == "registering" and soon:
                filling = _Filling(
                    target=row.tournament,
                    tournament=row.tournament,
                    taken=row.entries,
                    seats=row.players_max,
                    house_bots=row.house_bots,
                )
                self._fill(filling)

    def hurry(self) -> None:
        """Let all bots decide without delay: the room stops."""
        self._hurries = True
        for slot in self._slots:
            if slot.bot is not None:
                slot.bot.pace.hurries = True

    async def drop(self) -> None:
        """End the connections of all bots, which stay registered."""
        await drop(list(self._slots))

    def _fill(self, filling: _Filling) -> None:
        entered = [slot.bot for slot in self._slots if slot.bot and slot.bot.tournament == filling.tournament]
        coming = sum(
            slot.bot is not None
            and slot.bot.tournament is None
            and self._offer_of.get(slot.number) == filling.target
            for slot in self._slots
        )
        if filling.taken <= len(entered):
            self._deserted[filling.tournament] += 1
            if self._deserted[filling.tournament] >= LOOKS_WITHOUT_PEOPLE:
                for bot in entered:
                    bot.leave()
            return
        del self._deserted[filling.tournament]
        bots = len(entered) + coming
        if bots < filling.house_bots and filling.taken + coming < filling.seats:
            free = next((slot for slot in self._slots if slot.found and slot.is_free()), None)
            if free is None:
                self._grow(1, found=True)
            else:
                self._send(free, filling.target)

    def _grow(self, by: int, *, found: bool = False) -> None:
        for _ in range(min(by, BOTS_MAX - len(self._slots))):
            self._slots.append(BotSlot(next(self._numbers), found=found))

    def _send(self, slot: BotSlot[HouseSngBot], offer: str | None) -> None:
        context = self._context
        strategy = Strategy(style_of(slot.number), context.seed + slot.number)
        bot = HouseSngBot(context.host, context.port, strategy, Pace(context.think_ms))
        bot.pace.hurries = self._hurries
        if offer is not None:
            self._offer_of[slot.number] = offer
        slot.send(context, bot, lambda token: bot.run(token, offer))
