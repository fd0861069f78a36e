"""The house bots of a running room: how they get accounts, which node runs them, and where they connect.

What they do is in `bots.house_bots`, which knows the protocol alone; this module hands it what only the room has.
"""

from __future__ import annotations

import asyncio

from twisted.internet.defer import Deferred

from pokerroom.bots.house_bots import HouseBots
from pokerroom.bots.house_slots import HouseBotsContext
from pokerroom.chips import Money
from pokerroom.ops.config import RoomConfig
from pokerroom.room import Room
from pokerroom.table.house_bots import BOT_PREFIX

BUY_INS = 100
"""An account is opened with this many of the largest buy-ins [D]; a bot that has lost them comes again as another
account.
"""


def make_house_bots(config: RoomConfig, room: Room, address: tuple[str, int]) -> HouseBots:
    """Make the house bots. They connect to the `address`, host and port, like any client.

    Of several nodes the leader alone runs them.
    """
    buy_ins: list[int] = [table.max_buy_in for table in config.tables if table.house_bots]
    buy_ins += [offer.buy_in for offer in (*config.sit_and_gos, *config.tournaments) if offer.house_bots]
    opening = Money(BUY_INS * max(buy_ins, default=0))

    def enter(name: str) -> asyncio.Future[str]:
        entering = Deferred.fromCoroutine(room.sessions.context.accounts.enter_house_bot(name, opening))
        return entering.asFuture(asyncio.get_running_loop())

    def may_play() -> bool:
        membership = room.membership
        return membership.living()[0] == membership.node and not room.ownership.suspended()

    host, port = address
    around = HouseBotsContext(
        host=_reached_at(host),
        port=port,
        prefix=BOT_PREFIX,
        think_ms=config.house_bots.think_ms,
        enter=enter,
        may_play=may_play,
    )
    return HouseBots(around)


def _reached_at(host: str) -> str:
    """Return the address at which this machine reaches a port that listens on `host`."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 -- names what another setting means
