"""Shared hands in PostgreSQL: see `SharedHandLedger`. A function of `schema/functions/shared_hands.sql` decides."""

from __future__ import annotations

from collections.abc import Sequence
from typing import LiteralString

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.ledger.postgres.calls import PostgresCalls
from pokerroom.ledger.shared_hands import LINKS_MAX, HandLinkRow, SharedHandRow, ShareOptions


class PostgresSharedHands(PostgresCalls):
    """A `SharedHandLedger`."""

    def share_hand(
        self, account: int, hand_id: str, options: ShareOptions, code_hash: bytes, sealed: bytes
    ) -> Deferred[HandLinkRow]:
        query: LiteralString = "SELECT share_hand(%s, %s, %s, %s, %s, %s, %s)"
        values = account, hand_id, options.names, options.own_cards, code_hash, sealed, LINKS_MAX

        async def shared() -> HandLinkRow:
            return HandLinkRow(hand_id=hand_id, options=options, sealed=await self._value(query, *values))

        return deferred(shared())

    def hand_links(self, account: int) -> Deferred[Sequence[HandLinkRow]]:

        async def found() -> Sequence[HandLinkRow]:
            rows = await self._rows(
                "SELECT hand_id, names, own_cards, sealed FROM shared_hands"
                " JOIN hands ON hands.transfer = shared_hands.hand WHERE account = %s ORDER BY number DESC",
                account,
            )
            return [
                HandLinkRow(
                    hand_id=hand_id, options=ShareOptions(names=names, own_cards=own_cards), sealed=sealed
                )
                for hand_id, names, own_cards, sealed in rows
            ]

        return deferred(found())

    def unshare_hand(self, account: int, hand_id: str, options: ShareOptions | None = None) -> Deferred[None]:
        query: LiteralString = (
            "DELETE FROM shared_hands USING hands"
            " WHERE account = %s AND hands.transfer = hand AND hand_id = %s"
        )
        if options is None:
            return deferred(self._done(query, account, hand_id))
        query += " AND names = %s AND own_cards = %s"
        return deferred(self._done(query, account, hand_id, options.names, options.own_cards))

    def shared_hand(self, code_hash: bytes) -> Deferred[SharedHandRow | None]:

        async def found() -> SharedHandRow | None:
            row = await self._row(
                "SELECT account, names, own_cards, record::text FROM shared_hands"
                " JOIN hands ON hands.transfer = shared_hands.hand WHERE code_hash = %s",
                code_hash,
            )
            if row is None:
                return None
            account, names, own_cards, record = row
            options = ShareOptions(names=names, own_cards=own_cards)
            return SharedHandRow(account=account, options=options, record=record.encode())

        return deferred(found())
