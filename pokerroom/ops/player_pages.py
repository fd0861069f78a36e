"""The pages of the operator API for accounts of players, with the verbs of `pokerroom account`.

The ledger writes the line of the operators' log in the transaction of the change.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from pokerroom.ledger.account_history import AccountTransfer
from pokerroom.ledger.limits import LimitRow
from pokerroom.ledger.operator_log import Acting
from pokerroom.ops.api_page import ApiCall, Handler
from pokerroom.ops.booked_orders import BookedOrders
from pokerroom.ops.reports import (
    OrderRefused,
    PlayerAccepted,
    PlayerGame,
    PlayerNote,
    PlayerReport,
    PlayerSession,
    RecoveryCode,
)

ORDERS: Final = frozenset({"lock", "unlock", "log_out", "exclude", "rename", "note", "mute", "unmute"})
"""The orders that answer with `PlayerAccepted`."""

_LISTED: Final = 20


class PlayerDesk(Protocol):
    """What operators do for players' accounts. Each raises `OrderRefused` or `LedgerRefusal`; `by` has the reason."""

    async def names(self, beginning: str, limit: int) -> Sequence[str]:
        """Return names of players that begin so, in order, ignoring case."""

    async def report(self, name: str) -> PlayerReport:
        """Return what an operator is told of a player."""

    async def sessions(self, name: str) -> Sequence[PlayerSession]:
        """Return the valid log-ins of a player, the one used last first."""

    async def history(self, name: str, before: int | None, limit: int) -> Sequence[PlayerGame]:
        """Return the games of a player below this number, the newest first, without cards."""

    async def transfers(self, name: str, before: int | None, limit: int) -> Sequence[AccountTransfer]:
        """Return what changed the wallet or the tickets of a player below this number, the newest first."""

    async def limits(self, name: str) -> Sequence[LimitRow]:
        """Return the limits of a player, also those that are not set."""

    async def notes(self, name: str, before: int | None, limit: int) -> Sequence[PlayerNote]:
        """Return the notes of operators about a player below this number, the newest first."""

    async def note(self, name: str, by: Acting) -> None:
        """Write a note about a player: the reason."""

    async def lock(self, name: str, by: Acting) -> None:
        """Lock an account, and end its log-ins."""

    async def unlock(self, name: str, by: Acting) -> None:
        """Let a locked account log in again."""

    async def mute(self, name: str, minutes: int, by: Acting) -> None:
        """Take the right to chat from a player for so many minutes, in place of an earlier time."""

    async def unmute(self, name: str, by: Acting) -> None:
        """Let a player chat again."""

    async def log_out(self, name: str, by: Acting) -> None:
        """End all log-ins of a player."""

    async def exclude(self, name: str, days: int | None, by: Acting) -> None:
        """Exclude a player from play for so many days; None: for ever."""

    async def rename(self, name: str, new_name: str, by: Acting) -> None:
        """Give an account another name."""

    async def recovery_code(self, name: str, by: Acting, *, end_second_factor: bool) -> str:
        """Return a code with which the player sets a new password, once."""


class PlayerPages:
    """See the module."""

    def __init__(self, desk: PlayerDesk, orders: BookedOrders) -> None:
        self._desk = desk
        self._orders = orders

    def handlers(self) -> Mapping[str, Handler]:
        """Return who answers each verb."""
        return {
            "account.search": self._names,
            "account.show": self._report,
            "account.sessions": self._sessions,
            "account.history": self._history,
            "account.transfers": self._transfers,
            "account.limits": self._limits,
            "account.notes": self._notes,
            "account.recovery_code": self._code,
            **{f"account.{order}": self._ordered for order in ORDERS},
        }

    async def _names(self, call: ApiCall) -> object:
        return await self._desk.names(call.text("name"), call.number("limit") or _LISTED)

    async def _report(self, call: ApiCall) -> object:
        return await self._desk.report(call.args["player"])

    async def _sessions(self, call: ApiCall) -> object:
        return await self._desk.sessions(call.args["player"])

    async def _history(self, call: ApiCall) -> object:
        most = call.number("limit") or _LISTED
        return await self._desk.history(call.args["player"], call.number("before"), most)

    async def _transfers(self, call: ApiCall) -> object:
        most = call.number("limit") or _LISTED
        return await self._desk.transfers(call.args["player"], call.number("before"), most)

    async def _limits(self, call: ApiCall) -> object:
        return await self._desk.limits(call.args["player"])

    async def _notes(self, call: ApiCall) -> object:
        most = call.number("limit") or _LISTED
        return await self._desk.notes(call.args["player"], call.number("before"), most)

    async def _ordered(self, call: ApiCall) -> object:
        return await self._orders.carried_out(call, lambda by: self._done(call, by))

    async def _done(self, call: ApiCall, by: Acting) -> PlayerAccepted:
        name, order = call.args["player"], call.page.verb.partition(".")[2]
        match order:
            case "lock":
                await self._desk.lock(name, by)
            case "unlock":
                await self._desk.unlock(name, by)
            case "log_out":
                await self._desk.log_out(name, by)
            case "note":
                await self._desk.note(name, by)
            case "mute":
                minutes = call.number("minutes")
                if minutes is None:
                    raise OrderRefused("bad_parameter", "Give the `minutes`.")
                await self._desk.mute(name, minutes, by)
            case "unmute":
                await self._desk.unmute(name, by)
            case "exclude":
                await self._desk.exclude(name, _days_of_exclusion(call), by)
            case _:
                await self._desk.rename(name, call.text("new_name"), by)
        return PlayerAccepted(player=name, asked=order)

    async def _code(self, call: ApiCall) -> object:
        return await self._orders.carried_out(call, lambda by: self._new_code(call, by))

    async def _new_code(self, call: ApiCall, by: Acting) -> RecoveryCode:
        name, ends = call.args["player"], call.flag("end_second_factor")
        return RecoveryCode(
            player=name, code=await self._desk.recovery_code(name, by, end_second_factor=ends)
        )


def _days_of_exclusion(call: ApiCall) -> int | None:
    """Return the length; None: for ever. There is no default, because an exclusion cannot be lifted."""
    days = call.number("days")
    if (days is not None) is call.flag("for_ever"):
        raise OrderRefused("bad_exclusion", "Give either `days` or `for_ever=1`.")
    return days
