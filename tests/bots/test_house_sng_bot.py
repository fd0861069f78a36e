"""A house bot of tournaments: it refuses deals and declines rebuys, and lets no player wait."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

from msgspec import structs

from pokerroom.bots.house_sng_bot import HouseSngBot
from pokerroom.bots.house_turns import Pace
from pokerroom.bots.strategy import Strategy, style_of
from pokerroom_protocol import RequestRefused
from pokerroom_protocol import messages as m
from pokerroom_protocol._declarations import EXAMPLES
from tests.protocol.test_table_view import DEALT


class FakeClient:
    """Notes what is asked; the room refuses each answer if it `refuses`."""

    def __init__(self, *, refuses: bool = False) -> None:
        self.asked: list[m.ClientMessage] = []
        self._refuses = refuses

    async def request(self, message: m.ClientMessage, kind: type[Any]) -> Any:
        self.asked.append(message)
        if self._refuses:
            raise RequestRefused(m.Error(re=1, code="no_deal", message="It has ended."))
        return kind(re=1)


def looked(client: FakeClient, *deals: m.DealView | None) -> None:
    """A bot looks at a table with these deals, one after the other."""

    async def look() -> None:
        bot = HouseSngBot("localhost", 1, Strategy(style_of(1), 1), Pace(0))
        for deal in deals:
            (view,) = (one for one in EXAMPLES[m.Snapshot] if one.tournament is not None)
            table = structs.replace(
                DEALT, table="sunday.3", tournament=structs.replace(view.tournament, deals=True, deal=deal)
            )
            await bot.refuse_deal(cast("Any", client), table)

    asyncio.run(look())


def test_an_open_deal_is_refused_once_and_the_next_one_again():
    """The room may have ended it already; an agreed deal, or none, needs no answer."""
    (offered,) = EXAMPLES[m.DealOffered]
    later = structs.replace(offered.deal, deal=offered.deal.deal + 1)
    for refuses in (False, True):
        client = FakeClient(refuses=refuses)
        looked(client, None, offered.deal, offered.deal, structs.replace(offered.deal, deal=None), later)
        assert [(one.table, one.deal, one.accept) for one in client.asked] == [
            ("sunday.3", offered.deal.deal, False),
            ("sunday.3", later.deal, False),
        ]


class Telling(FakeClient):
    """A client that is told these messages, and then its connection ends."""

    def __init__(self, *told: m.ServerMessage, refuses: bool = False) -> None:
        super().__init__(refuses=refuses)
        self._told = told

    async def __aiter__(self) -> AsyncIterator[m.ServerMessage]:
        for message in self._told:
            yield message


def test_a_rebuy_is_declined_at_once_and_an_add_on_is_not_bought():
    """The table does not wait; the room may have let the bot out already."""
    (offer,) = EXAMPLES[m.ChipsOffered]
    add_on = structs.replace(offer, kind="add_on")
    for refuses in (False, True):
        client = Telling(add_on, offer, refuses=refuses)

        async def listen(client: Telling = client) -> None:
            bot = HouseSngBot("localhost", 1, Strategy(style_of(1), 1), Pace(0))
            await bot.listen(cast("Any", client))

        asyncio.run(listen())
        assert client.asked == [m.DeclineRebuy(id=0, tournament=offer.tournament)]
