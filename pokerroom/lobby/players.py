"""What operators do for players' accounts, which they find by name. For commands and pages alike: a `PlayerDesk`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from twisted.internet.defer import Deferred

from pokerroom.ledger.account_history import (
    AccountHistoryLedger,
    AccountTransfer,
    PlayedGame,
    PlayedHand,
    PlayedRound,
)
from pokerroom.ledger.account_standing import StandingLedger, gone_name
from pokerroom.ledger.api import AccountRow
from pokerroom.ledger.archives import archived
from pokerroom.ledger.credentials import CredentialLedger, SessionLifetime
from pokerroom.ledger.day_reports import ReportTooLong
from pokerroom.ledger.limits import LimitLedger, LimitRow
from pokerroom.ledger.operator_log import (
    NOTE_VERB,
    Acting,
    LoggedAct,
    LogQuery,
    OperatorLog,
    account_subject,
)
from pokerroom.ledger.recovery_codes import OPERATOR_CODE_S, code_hash, new_code
from pokerroom.ops.reports import OrderRefused, PlayerGame, PlayerNote, PlayerReport, PlayerSession
from pokerroom.table.house_bots import BOT_PREFIX, is_house_bot


class PlayersLedger(
    StandingLedger, CredentialLedger, AccountHistoryLedger, LimitLedger, OperatorLog, Protocol
):
    """What this module needs of the ledger."""

    def find_account(self, name: str) -> Deferred[AccountRow | None]:
        """See `Ledger.find_account`."""


class PlayersDesk:
    """See the module. `lifetime` is that of log-ins; `is_free_to_give` says which names the room allows."""

    def __init__(
        self, ledger: PlayersLedger, lifetime: SessionLifetime, is_free_to_give: Callable[[str], bool]
    ) -> None:
        self._ledger = ledger
        self._lifetime = lifetime
        self._is_free_to_give = is_free_to_give

    async def names(self, beginning: str, limit: int) -> Sequence[str]:
        """See `PlayerDesk`."""
        return await self._ledger.names_beginning(beginning, limit, but=BOT_PREFIX)

    async def account(self, name: str) -> AccountRow:
        """Return the account of a player, ignoring case; a house bot's and a deleted one are no player's."""
        row = None
        if name.isprintable() and not is_house_bot(name):  # PostgreSQL takes no zero byte
            row = await self._ledger.find_account(name)
        if row is None or row.name == gone_name(row.account):
            raise OrderRefused("unknown_player", f"No player has the name {name}. Write the whole name.")
        return row

    async def report(self, name: str) -> PlayerReport:
        """See `PlayerDesk`."""
        row = await self.account(name)
        overview = await self._ledger.overview(row.account)
        barred = await self._ledger.barred([row.account], [])
        return PlayerReport(
            account=row.account,
            name=row.name,
            wallet=overview.balance,
            tables=tuple(overview.tables),
            is_locked=any(one.account == row.account and one.why == "locked" for one in barred),
            is_excluded=overview.exclusion is not None,
            excluded_until_ms=None if overview.exclusion is None else overview.exclusion.until_ms,
            muted_until_ms=overview.muted_until_ms,
        )

    async def sessions(self, name: str) -> Sequence[PlayerSession]:
        """See `PlayerDesk`."""
        rows = await self._ledger.sessions_of((await self.account(name)).account, self._lifetime)
        return [
            PlayerSession(
                client=row.device.client,
                address=row.device.address,
                opened_ms=row.opened_ms,
                seen_ms=row.seen_ms,
            )
            for row in rows
        ]

    async def history(self, name: str, before: int | None, limit: int) -> Sequence[PlayerGame]:
        """See `PlayerDesk`."""
        account = (await self.account(name)).account
        return [_game(one) for one in await self._ledger.account_history(account, before, limit)]

    async def transfers(self, name: str, before: int | None, limit: int) -> Sequence[AccountTransfer]:
        """See `PlayerDesk`."""
        account = (await self.account(name)).account
        try:
            return await self._ledger.account_transfers(account, before, limit)
        except ReportTooLong:
            raise OrderRefused(ReportTooLong.code, "The database takes too long. Try again.") from None

    async def limits(self, name: str) -> Sequence[LimitRow]:
        """See `PlayerDesk`."""
        return await self._ledger.limits((await self.account(name)).account)

    async def notes(self, name: str, before: int | None, limit: int) -> Sequence[PlayerNote]:
        """See `PlayerDesk`."""
        subject = account_subject((await self.account(name)).account)
        query = LogQuery(verb=NOTE_VERB, subject=subject, before=before, limit=limit)
        return [
            PlayerNote(number=line.n, who=line.by.who, text=line.by.reason, at_ms=line.at_ms)
            for line in await self._ledger.log_lines(query)
        ]

    async def note(self, name: str, by: Acting) -> None:
        """See `PlayerDesk`."""
        account = (await self.account(name)).account
        if not by.reason.strip():
            raise OrderRefused("bad_reason", "The note is the reason: write it.")
        await self._ledger.record(LoggedAct(by=by, verb=NOTE_VERB, subject=account_subject(account)))

    async def lock(self, name: str, by: Acting) -> None:
        """See `PlayerDesk`."""
        await self._ledger.lock_out((await self.account(name)).account, by=by)

    async def unlock(self, name: str, by: Acting) -> None:
        """See `PlayerDesk`."""
        await self._ledger.unlock((await self.account(name)).account, by=by)

    async def mute(self, name: str, minutes: int, by: Acting) -> None:
        """See `PlayerDesk`."""
        await self._ledger.mute((await self.account(name)).account, minutes, by=by)

    async def unmute(self, name: str, by: Acting) -> None:
        """See `PlayerDesk`."""
        await self._ledger.unmute((await self.account(name)).account, by=by)

    async def log_out(self, name: str, by: Acting) -> None:
        """See `PlayerDesk`."""
        await self._ledger.end_sessions((await self.account(name)).account, by=by)

    async def exclude(self, name: str, days: int | None, by: Acting) -> None:
        """See `PlayerDesk`."""
        await self._ledger.exclude((await self.account(name)).account, days, by=by)

    async def rename(self, name: str, new_name: str, by: Acting) -> None:
        """See `PlayerDesk`."""
        account = (await self.account(name)).account
        if not self._is_free_to_give(new_name):
            raise OrderRefused("bad_name", f"A player cannot have the name {new_name}. Choose another one.")
        await self._ledger.rename(account, new_name, by=by)

    async def delete(self, name: str, source: str | None, by: Acting) -> None:
        """Erase what identifies a player, for ever; the rest of the wallet goes to this source of the cashier."""
        await self._ledger.delete_account((await self.account(name)).account, source, by=by)

    async def recovery_code(self, name: str, by: Acting, *, end_second_factor: bool) -> str:
        """See `PlayerDesk`."""
        account = (await self.account(name)).account
        if end_second_factor:
            await self._ledger.end_second_factor(account, by=by)
        code = new_code()
        await self._ledger.add_recovery_code(account, code_hash(account, code), OPERATOR_CODE_S, by=by)
        return code


def _game(played: PlayedGame) -> PlayerGame:
    match played:
        case PlayedHand():
            return PlayerGame(
                number=played.number,
                kind="hand",
                subject=played.hand_id,
                table=played.table,
                ended_ms=played.ended_ms,
                result=played.delta,
                in_chips=played.in_chips,
                archived=archived(played.record) is not None,
            )
        case PlayedRound():
            return PlayerGame(
                number=played.number,
                kind="round",
                subject=played.round_id,
                table=played.table,
                ended_ms=played.ended_ms,
                result=played.paid - played.staked,
                archived=played.archived,
            )
        case _:
            return PlayerGame(
                number=played.number,
                kind="tournament",
                subject=played.tournament,
                table="",
                ended_ms=played.ended_ms,
                result=played.prize - played.stake,
                place=played.place,
            )
