"""Pages of the operations port for accounts of players, with the verbs of `pokerroom account`.

    GET  /players?name=BEGINNING              as `search`: ?limit=
    GET  /players/<name>                      as `show`
    GET  /players/<name>/sessions             as `sessions`
    POST /players/<name>/lock                 likewise unlock, log_out
    POST /players/<name>/exclude?days=N       or ?for_ever=1
    POST /players/<name>/rename?new_name=TEXT
    POST /players/<name>/recovery_code        ?end_second_factor=1

The ledger writes the line of the operators' log in the transaction of the change.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from twisted.web.server import Request

from pokerroom.ledger.operator_log import Acting
from pokerroom.ops.booked_orders import BookedOrders
from pokerroom.ops.operator_page import OperatorPage, line_of, number_of, query_page
from pokerroom.ops.reports import OrderRefused, PlayerAccepted, PlayerReport, PlayerSession, RecoveryCode

EXCLUSION_DAYS_MAX: Final = 36_500
"""The longest exclusion that ends, in days."""

ORDERS: Final = frozenset({"lock", "unlock", "log_out", "exclude", "rename"})
"""The orders that answer with `PlayerAccepted`."""

_LISTED_MAX: Final = 100
_LISTED: Final = 20
_NAME_MAX: Final = 40


class PlayerDesk(Protocol):
    """What operators do for players' accounts. Each raises `OrderRefused` or `LedgerRefusal`; `by` has the reason."""

    async def names(self, beginning: str, limit: int) -> Sequence[str]:
        """Return names of players that begin so, in order, ignoring case."""

    async def report(self, name: str) -> PlayerReport:
        """Return what an operator is told of a player."""

    async def sessions(self, name: str) -> Sequence[PlayerSession]:
        """Return the valid log-ins of a player, the one used last first."""

    async def lock(self, name: str, by: Acting) -> None:
        """Lock an account, and end its log-ins."""

    async def unlock(self, name: str, by: Acting) -> None:
        """Let a locked account log in again."""

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

    def page(self, request: Request, path: str, parts: list[str]) -> OperatorPage | None:
        """Return the page of a path; None if it is none of these."""
        match path, parts:
            case "players", []:
                return query_page("account.search", lambda _: self._names(request))
            case "players", [name] if name:
                return query_page("account.show", lambda _: self._desk.report(name))
            case "players", [name, "sessions"] if name:
                return query_page("account.sessions", lambda _: self._desk.sessions(name))
            case "players", [name, "recovery_code"] if name:
                return self._orders.page(
                    "account.recovery_code", {"player": name}, lambda by: self._code(request, name, by)
                )
            case "players", [name, order] if name and order in ORDERS:
                return self._orders.page(
                    f"account.{order}", {"player": name}, lambda by: self._ordered(request, name, order, by)
                )
        return None

    async def _names(self, request: Request) -> object:
        limit = line_of(request, "limit", 16)
        most = number_of(limit, _LISTED_MAX, "limit") if limit else _LISTED
        return await self._desk.names(line_of(request, "name", _NAME_MAX), most)

    async def _ordered(self, request: Request, name: str, order: str, by: Acting) -> object:
        match order:
            case "lock":
                await self._desk.lock(name, by)
            case "unlock":
                await self._desk.unlock(name, by)
            case "log_out":
                await self._desk.log_out(name, by)
            case "exclude":
                await self._desk.exclude(name, _days_of_exclusion(request), by)
            case _:
                await self._desk.rename(name, line_of(request, "new_name", _NAME_MAX), by)
        return PlayerAccepted(player=name, asked=order)

    async def _code(self, request: Request, name: str, by: Acting) -> object:
        ends = line_of(request, "end_second_factor", 1) == "1"
        return RecoveryCode(
            player=name, code=await self._desk.recovery_code(name, by, end_second_factor=ends)
        )


def _days_of_exclusion(request: Request) -> int | None:
    """Return the length; None: for ever. There is no default, because an exclusion cannot be lifted."""
    days, for_ever = line_of(request, "days", 16), line_of(request, "for_ever", 1)
    if bool(days) is (for_ever == "1"):
        raise OrderRefused("bad_exclusion", "Give either `days` or `for_ever=1`.")
    return number_of(days, EXCLUSION_DAYS_MAX, "days") if days else None
