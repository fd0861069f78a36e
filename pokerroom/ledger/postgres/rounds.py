"""Rounds against the house in PostgreSQL: see `RoundLedger`. Functions of `schema/functions/rounds.sql` decide."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime

import psycopg
from twisted.internet.defer import Deferred

from pokerroom.bridge import deferred
from pokerroom.chips import Money
from pokerroom.ledger.api import BankEmpty, BetsNotCovered, LedgerConflict, NotOwner
from pokerroom.ledger.postgres.calls import PostgresCalls, array
from pokerroom.ledger.rounds import OpenRound, RoundBets, RoundEnd, RoundStake, StakeRow, VoidRound
from pokerroom.ledger.transfers import check_amount, check_round_bets, check_round_end


class PostgresRounds(PostgresCalls):
    """`RoundLedger` over the connections of a ledger."""

    def next_round(self) -> Deferred[int]:

        async def counted() -> int:
            ((number,),) = await self._rows("SELECT nextval('round_count')")
            return int(number)

        return deferred(counted())

    def open_bank(self, table: str, epoch: int, seed: Money) -> Deferred[Money]:
        check_amount(seed, at_least=0)

        async def holds() -> Money:
            return Money(await self._value("SELECT open_bank(%s, %s, %s)", table, epoch, seed))

        return deferred(holds())

    def take_place(  # noqa: PLR0917 -- see `RoundLedger.take_place`
        self, key: str, table: str, epoch: int, place: int, account: int, tables_max: int
    ) -> Deferred[None]:
        """See `RoundLedger.take_place`. Raises LookupError for an unknown account."""
        what = (key, table, epoch, place, account, tables_max)
        return deferred(self._done("SELECT take_place(%s, %s, %s, %s::smallint, %s, %s)", *what))

    def wallets(self, accounts: Sequence[int]) -> Deferred[Mapping[int, Money]]:

        async def found() -> Mapping[int, Money]:
            rows = await self._rows(
                "SELECT owner, balance FROM ledger_accounts"
                " WHERE code = ANY(SELECT 'wallet:' || account FROM unnest(%s::bigint[]) AS account)",
                array(accounts),
            )
            return {account: Money(balance) for account, balance in rows}

        return deferred(found())

    def close_bets(self, bets: RoundBets) -> Deferred[None]:

        async def close() -> None:
            check_round_bets(bets)
            await self._rows(
                "SELECT close_bets(%s, %s, %s, %s, %s, %s::bigint[], %s::bigint[])",
                bets.round_id,
                bets.table,
                bets.epoch,
                bets.started_ms,
                bets.exposure,
                array([account for account, _ in bets.stakes]),
                array([amount for _, amount in bets.stakes]),
            )

        return deferred(_checked(bets.round_id, close))

    def add_stake(self, stake: RoundStake) -> Deferred[None]:
        """See `RoundLedger.add_stake`. Raises LookupError for an unknown account."""
        check_amount(Money(stake.amount), at_least=1)

        async def add() -> None:
            await self._rows(
                "SELECT add_stake(%s, %s, %s, %s, %s, %s, %s)",
                stake.key,
                stake.round_id,
                stake.table,
                stake.epoch,
                stake.kind,
                stake.account,
                stake.amount,
            )

        return deferred(add())

    def settle_round(self, end: RoundEnd) -> Deferred[None]:
        """See `RoundLedger.settle_round`. Raises `LedgerConflict` for a record that is not JSON."""

        async def settle() -> None:
            check_round_end(end)
            await self._rows(
                "SELECT settle_round(%s, %s, %s, %s, %b::bytea, %s::bigint[], %s::bigint[], %s, %s, %s, %s, %s, %s)",
                end.round_id,
                end.table,
                end.epoch,
                end.ended_ms,
                end.record,
                array([account for account, _ in end.deltas]),
                array([delta for _, delta in end.deltas]),
                end.house,
                end.meter_before,
                end.meter_fed,
                end.meter_paid,
                end.meter_reseeded,
                end.tronc,
            )

        return deferred(_checked(end.round_id, settle))

    def void_round(self, void: VoidRound) -> Deferred[None]:

        async def give_back() -> None:
            await self._done(
                "SELECT void_round(%s, %s, %s, %s, %b::bytea)",
                void.round_id,
                void.table,
                void.epoch,
                void.ended_ms,
                void.record,
            )

        return deferred(_checked(void.round_id, give_back))

    def open_round(self, table: str) -> Deferred[OpenRound | None]:
        """See `RoundLedger.open_round`. One query, for one snapshot."""

        async def found() -> OpenRound | None:
            rows = await self._rows(
                "SELECT round_id, started, key, round_stakes.kind, account, amount"
                " FROM open_rounds JOIN rounds ON rounds.transfer = round"
                " JOIN round_stakes USING (round) JOIN transfers ON transfers.id = round_stakes.transfer"
                " WHERE open_rounds.table_id = %s ORDER BY round_stakes.transfer, account",
                table,
            )
            if not rows:
                return None
            stakes = [
                StakeRow(key=key, kind=kind, account=account, amount=Money(amount))
                for _, _, key, kind, account, amount in rows
            ]
            return OpenRound(round_id=rows[0][0], started_ms=_ms(rows[0][1]), stakes=tuple(stakes))

        return deferred(found())

    def open_rounds(self) -> Deferred[Mapping[str, str]]:

        async def found() -> Mapping[str, str]:
            rows = await self._rows(
                "SELECT open_rounds.table_id, round_id FROM open_rounds JOIN rounds ON rounds.transfer = round"
            )
            return dict(rows)

        return deferred(found())

    def ended_rounds(self, round_ids: Sequence[str]) -> Deferred[frozenset[str]]:

        async def found() -> frozenset[str]:
            rows = await self._rows(
                "SELECT round_id FROM rounds JOIN round_ends ON round = rounds.transfer"
                " WHERE round_id = ANY(%s)",
                list(round_ids),
            )
            return frozenset(row[0] for row in rows)

        return deferred(found())


async def _checked(round_id: str, work: Callable[[], Awaitable[None]]) -> None:
    """Turns a violated constraint without a meaning for clients into a LedgerConflict.

    The text and the error may quote the record with hidden cards: neither is passed on.
    """
    try:
        await work()
    except (BetsNotCovered, BankEmpty, NotOwner):
        raise
    except (psycopg.IntegrityError, psycopg.DataError) as refused:
        why = refused.diag.constraint_name or refused.sqlstate
        raise LedgerConflict(f"round {round_id} is refused: {why}") from None
    except Exception as refused:
        cause = refused.__cause__
        if isinstance(cause, psycopg.IntegrityError):
            why = cause.diag.constraint_name or cause.sqlstate
            raise LedgerConflict(f"round {round_id} is refused: {why}") from None
        raise


def _ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
