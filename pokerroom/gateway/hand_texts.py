"""Answers an account that asks for many of its hands as text, a page at a time.

A text takes some tenths of a millisecond for each hand. So a page is written hand by hand with rests between them, in
which the node plays on. A node writes one page at a time (`SessionContext.long`), so all exports of a node together
take a part of a core.
"""

from __future__ import annotations

from typing import Final

from twisted.internet.interfaces import IReactorTime
from twisted.internet.task import deferLater

from pokerroom.history.export import ExportLedger, HandExport, TournamentStories
from pokerroom.history.hidden_cards import CardSeal
from pokerroom.history.text_export import FORMATS
from pokerroom.ledger.account_history import HandQuery
from pokerroom_protocol import messages as wire

TEXT_STEPS_MAX: Final = 1_000
"""A longer hand has no text [D]. No-limit has no cap on raises (D6), and a text is written in a turn of the reactor."""

HANDS_MAX: Final = 50
"""Hands of a page [D]."""

TEXT_BYTES: Final = 131_072
"""A page ends with the hand that brings its text to so many bytes [D]."""

_REST_S: Final = 0.001
"""Between two hands: longer than each of them takes."""


class HandTextWriter:
    """`cards` opens the cards of settled hands. `text_bytes` is the length after which a page ends."""

    def __init__(
        self, ledger: ExportLedger, cards: CardSeal, clock: IReactorTime, text_bytes: int = TEXT_BYTES
    ) -> None:
        self._ledger = ledger
        self._cards = cards
        self._clock = clock
        self._text_bytes = text_bytes

    async def page(self, message: wire.ExportHands, account: int) -> wire.HandTexts:
        """Answer an account that is logged in. Raises what the ledger raises."""
        query = HandQuery(
            account=account, table=message.table, since_ms=message.since_ms or 0, until_ms=message.until_ms
        )
        export = HandExport(query=query, viewer=account, currency=None, seal=self._cards, rest=self._rest)
        told = await export.page(
            self._ledger, TournamentStories(self._ledger.tournament), message.after or 0, HANDS_MAX
        )
        texts: list[str] = []
        left_out = list(told.archived)
        after, more, size = told.after, told.after is not None, 0
        for done, story in enumerate(told.stories, 1):
            if len(story.record.events) > TEXT_STEPS_MAX:
                left_out.append(story.record.hand_id)
                continue
            texts.append(FORMATS[message.format](story))
            size += len(texts[-1].encode())
            if size >= self._text_bytes and done < len(told.stories):
                after, more = story.number, True
                break
            await self._rest()
        if after is None:
            after = told.stories[-1].number if told.stories else message.after
        return wire.HandTexts(
            re=message.id, text="".join(texts), hands=len(texts), left_out=left_out, after=after, more=more
        )

    async def _rest(self) -> None:
        await deferLater(self._clock, _REST_S)
