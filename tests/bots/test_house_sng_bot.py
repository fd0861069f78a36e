"""A house bot at a final table: it refuses deals, and lets no player wait."""

from __future__ import annotations

import asyncio
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
            await bot._refuse_deal(cast("Any", client), table)  # private: what it does of all messages

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
