"""An operator under the nemesis: changes an offer that is played, and makes and retires another one, all the time.

The orders go to any node that runs, over its operations socket. One without an answer is sent again under its key, also
to another node. In the end each order that was acknowledged is in the ledger once, and no other one is but those of
which the room said that it does not know. `tournaments` looks at tournaments that a change has cancelled.
"""

from __future__ import annotations

import asyncio
import json
import random
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from http.client import HTTPException
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import psycopg

from pokerroom.ops.embedded.places import operations_socket
from pokerroom.ops.operator_client import LocalConnection
from tests.chaos import tournaments
from tests.chaos.nodes import Node
from tests.chaos.swarms import Blame

CHANGED: Final = "six"
"""An offer of the settings (`tournaments.CONFIG`), which bots play."""
PRIZES: Final = ([1_000, 440], [900, 540], [1_440])
EXTRA: Final = {"seats": 2, "buy_in": 300, "fee": 60, "prizes": [480], "speed": "hyper"}
PAUSE_S: Final = (3.0, 8.0)
AGAIN_S: Final = 0.5
_NOT_HEARD: Final = 500
"""From this status on the room could not be asked."""


def terms_of_changed() -> dict[str, Any]:
    """The terms of `CHANGED` in the settings."""
    known = tomllib.loads(tournaments.CONFIG)["sit_and_go"]
    return next(one for one in known if one.pop("id") == CHANGED)


class OfferOrders:
    """See the module. `running` are the nodes that can be asked."""

    def __init__(self, data_dir: Path, running: Callable[[], Sequence[Node]], seed: int) -> None:
        self._data_dir = data_dir
        self._running = running
        self._terms = terms_of_changed()
        self._random = random.Random(seed)
        self._stopping = asyncio.Event()
        self.refused: list[str] = []
        self.acknowledged: set[str] = set()
        """The keys of the orders that the room has carried out."""
        self.unsure: set[str] = set()
        """Those that had begun at a node that died."""
        self.may_change_nothing: set[str] = set()
        """Those after an unsure one about the same offer: the room carries out what is so already without a line."""
        self._unsure_of: set[str] = set()

    def stop(self) -> None:
        """Give no further order."""
        self._stopping.set()

    async def run(self) -> None:
        """Give one order after the other until it is stopped; then the offers are again those of the settings."""
        number = 0
        while not self._stopping.is_set():
            prizes = PRIZES[number % len(PRIZES)]
            await self._order(number, CHANGED, "set", self._terms | {"prizes": prizes})
            await self._pause()
            await self._order(number, "extra", *(("set", EXTRA) if number % 2 == 0 else ("retire", None)))
            await self._pause()
            number += 1
        for offer in (CHANGED, "extra"):
            await self._order(number, offer, "reset", None)

    async def _pause(self) -> None:
        try:
            async with asyncio.timeout(self._random.uniform(*PAUSE_S)):
                await self._stopping.wait()
        except TimeoutError:
            return

    async def _order(self, number: int, offer: str, act: str, terms: dict[str, Any] | None) -> None:
        key = f"chaos-{offer}-{number}-{act}"
        sent = {"reason": key} if terms is None else {"reason": key, "terms": json.dumps(terms), "kind": ""}
        path = f"/v1/offers/{offer}/{act}?{urlencode(sent)}"
        while True:
            nodes = self._running()
            if nodes:
                status, said = await asyncio.to_thread(
                    _asked, operations_socket(self._data_dir, self._random.choice(nodes).ops_port), path, key
                )
                if status < _NOT_HEARD:
                    if offer in self._unsure_of:
                        self.may_change_nothing.add(key)
                    self._unsure_of.discard(offer)
                    if status < 400:
                        self.acknowledged.add(key)
                    elif '"order_begun"' in said:
                        self.unsure.add(key)
                        self._unsure_of.add(offer)
                    else:
                        self.refused.append(f"{key}: {status} {said[:300]}")
                    return
            await asyncio.sleep(AGAIN_S)


def _asked(socket: Path, path: str, key: str) -> tuple[int, str]:
    """Status and text of the answer; 599 without one. Blocks."""
    try:
        with closing(LocalConnection(socket)) as connection:
            connection.request("POST", path, headers={"Idempotency-Key": key})
            response = connection.getresponse()
            return response.status, response.read().decode()
    except (OSError, HTTPException) as error:
        return 599, str(error)


def read_orders(database_url: str) -> list[str]:
    """The reasons of all orders about offers, which are their keys. Blocks."""
    with psycopg.connect(database_url) as connection:
        rows = connection.execute("SELECT reason FROM offer_changes ORDER BY number").fetchall()
    return [reason for (reason,) in rows]


def check_offers(orders: OfferOrders, booked: Sequence[str], blame: Blame) -> None:
    """C4 and C5: each order once, if and only if it was acknowledged."""
    for line in orders.refused:
        blame("C8", "", "", f"an order about an offer was refused: {line}")
    for key, count in Counter(booked).items():
        if count > 1:
            blame("C4", "", "", f"the order {key} was carried out {count} times")
        if key not in orders.acknowledged | orders.unsure:
            blame("C4", "", "", f"the order {key} was carried out, and not acknowledged")
    for key in sorted(orders.acknowledged - orders.may_change_nothing - set(booked)):
        blame("C5", "", "", f"the order {key} was acknowledged, and not carried out")
