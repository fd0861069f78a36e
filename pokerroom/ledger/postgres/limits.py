"""Limits of players in PostgreSQL: see `LimitLedger`. Functions of `schema/functions/limits.sql` decide."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.ledger.limits import CONFIRM_S, INCREASE_S, LimitKind, LimitPeriod, LimitRow, PlayWatched
from pokerroom.ledger.postgres.calls import PostgresCalls, array


class PostgresLimits(PostgresCalls):
    """A `LimitLedger`."""

    def limits(self, account: int) -> Deferred[Sequence[LimitRow]]:

        async def found() -> Sequence[LimitRow]:
            rows = await self._rows(
                "SELECT of_kind, of_period, own, of_room, used, (extract(epoch FROM ends) * 1000)::bigint,"
                " asked, (extract(epoch FROM asked_from) * 1000)::bigint FROM limits_of(%s, %s)",
                account,
                CONFIRM_S,
            )
            return [
                LimitRow(
                    kind=kind,
                    period=period,
                    value=value,
                    cap=cap,
                    used=used,
                    ends_ms=ends_ms,
                    wanted=wanted,
                    wanted_from_ms=wanted_from_ms,
                )
                for kind, period, value, cap, used, ends_ms, wanted, wanted_from_ms in rows
            ]

        return deferred(found())

    def set_limit(
        self, account: int, kind: LimitKind, period: LimitPeriod, value: int | None
    ) -> Deferred[None]:
        return deferred(
            self._done(
                "SELECT set_limit(%s, %s, %s, %s, %s, %s)",
                account,
                kind,
                period,
                value,
                INCREASE_S,
                CONFIRM_S,
            )
        )

    def watch_play(
        self, connected: Collection[int], seated: Collection[int], every_s: int
    ) -> Deferred[Sequence[PlayWatched]]:

        async def watched() -> Sequence[PlayWatched]:
            rows = await self._rows(
                "SELECT of_account, played_s, added_s, left_s, (extract(epoch FROM ends) * 1000)::bigint,"
                " check_due, net FROM watch_play(%s::bigint[], %s::bigint[], %s) ORDER BY of_account",
                array(sorted(connected)),
                array(sorted(seated)),
                every_s,
            )
            return [
                PlayWatched(
                    account=account,
                    played_s=played_s,
                    added_s=added_s,
                    left_s=left_s,
                    ends_ms=ends_ms,
                    check_due=check_due,
                    net=net,
                )
                for account, played_s, added_s, left_s, ends_ms, check_due, net in rows
            ]

        return deferred(watched())

    def set_limit_caps(self, caps: Mapping[tuple[LimitKind, LimitPeriod], int]) -> Deferred[None]:
        return deferred(
            self._done(
                "SELECT set_limit_caps(%s::text[], %s::text[], %s::bigint[])",
                [kind for kind, _ in caps],
                [period for _, period in caps],
                array(list(caps.values())),
            )
        )
