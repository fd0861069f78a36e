"""Pages of the operations port for commands on the ledger: requests to the cashier, and accounts of players.

    GET  /cash_sources                         as `pokerroom cashier sources`
    GET  /cash_requests                        as `pokerroom cashier list`: ?all=1, ?limit=
    POST /cash_requests/<number>/approve       as `pokerroom cashier approve`: ?note=; likewise refuse
    GET  /players/<name>                       as `pokerroom account show`
    POST /players/<name>/lock                  as `pokerroom account lock`; likewise unlock

The verbs are those of the commands, and the ledger is asked as the commands ask it: it decides a request once, and
writes the line of the operators' log in the transaction of the change. A refusal of the ledger has a line of its own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, Protocol

from twisted.web.server import Request

from pokerroom.ledger.account_standing import StandingLedger
from pokerroom.ledger.api import AccountRow, LedgerRefusal, LedgerUnavailable
from pokerroom.ledger.cashier import NOTE_MAX, CashDecided, CashierLedger, CashRow
from pokerroom.ledger.operator_log import Acting, OperatorLog, refusal_line
from pokerroom.ledger.operators import acting_as
from pokerroom.ops import http_answers as answers
from pokerroom.ops.http_answers import HttpAnswer
from pokerroom.ops.operator_access import Asker
from pokerroom.ops.operator_page import ORDER, OperatorPage, line_of, number_of, query_page
from pokerroom.ops.reports import OrderRefused, PlayerAccepted, PlayerReport

PATHS: Final = frozenset({"cash_sources", "cash_requests", "players"})
"""The first parts of their paths."""

_LISTED_MAX: Final = 200
_NUMBER_MAX: Final = 2**53


class PagedLedger(CashierLedger, StandingLedger, OperatorLog, Protocol):
    """What the pages need of the ledger."""


class LedgerPages:
    """See the module. `find` returns the account of a player by name, `report` what an operator is told of it."""

    def __init__(
        self,
        ledger: PagedLedger,
        find: Callable[[str], Awaitable[AccountRow | None]],
        report: Callable[[str], Awaitable[PlayerReport | None]],
    ) -> None:
        self._ledger = ledger
        self._find = find
        self._report = report

    def page(self, request: Request, path: str, parts: list[str]) -> OperatorPage | None:
        """Return the page of a path that begins with one of `PATHS`."""
        match path, parts:
            case "cash_sources", []:
                return query_page("cashier.sources", lambda _: self._sources())
            case "cash_requests", []:
                return query_page("cashier.list", lambda _: self._requests(request))
            case "cash_requests", [number, "approve" | "refuse" as decision]:
                return _order(
                    f"cashier.{decision}",
                    {"number": number},
                    lambda asker: self._decided(asker, request, number, decision),
                )
            case "players", [name] if name:
                return query_page("account.show", lambda _: self._player(name))
            case "players", [name, "lock" | "unlock" as order] if name:
                return _order(
                    f"account.{order}", {"player": name}, lambda asker: self._locked(asker, name, order)
                )
        return None

    async def _sources(self) -> object:
        return await self._ledger.sources()

    async def _requests(self, request: Request) -> object:
        limit = line_of(request, "limit", 16)
        most = _LISTED_MAX if not limit else number_of(limit, _LISTED_MAX, "limit")
        return await self._ledger.cash_requests(None, not line_of(request, "all", 1), most)

    async def _decided(self, asker: Asker, request: Request, number: str, decision: str) -> HttpAnswer:
        wanted = number_of(number, _NUMBER_MAX, "number")
        note = line_of(request, "note", NOTE_MAX)
        by = _by(asker)
        verb = f"cashier.{decision}"

        async def decided() -> CashRow:
            return await self._ledger.decide_cash(wanted, approve=decision == "approve", note=note, by=by)

        return answers.as_json(await self._carried_out(decided, by, verb))

    async def _player(self, name: str) -> PlayerReport:
        found = await self._report(name)
        if found is None:
            raise OrderRefused("unknown_player", "No player has this name. Write the whole name.")
        return found

    async def _locked(self, asker: Asker, name: str, order: str) -> HttpAnswer:
        by = _by(asker)
        row = await self._find(name)
        if row is None:
            raise OrderRefused("unknown_player", "No player has this name. Write the whole name.")
        account = row.account

        async def locked() -> None:
            change = self._ledger.lock_out if order == "lock" else self._ledger.unlock
            await change(account, by=by)

        await self._carried_out(locked, by, f"account.{order}")
        return answers.as_json(PlayerAccepted(player=row.name, asked=order))

    async def _carried_out(self, change: Callable[[], Awaitable[object]], by: Acting, verb: str) -> object:
        """Change the ledger. A refusal has a line of the log, and is raised as `OrderRefused`."""
        try:
            return await change()
        except (LedgerRefusal, CashDecided, LookupError) as refused:
            with suppress(LedgerUnavailable):
                await self._ledger.record_rarely(refusal_line(by, verb, refused))
            raise _refusal(refused) from refused


def _refusal(refused: Exception) -> OrderRefused:
    match refused:
        case LedgerRefusal():
            return OrderRefused(refused.code, str(refused))
        case CashDecided():
            return OrderRefused(
                "cash_decided", "The request was decided differently before. Nothing has changed."
            )
        case _:
            return OrderRefused("unknown_request", "There is no request of this number.")


def _order(verb: str, args: dict[str, str], answer: Callable[[Asker], Awaitable[HttpAnswer]]) -> OperatorPage:
    return OperatorPage(verb=verb, methods=ORDER, answer=answer, args=args, is_booked=True)


def _by(asker: Asker) -> Acting:
    return acting_as(asker.operator, asker.reason, asker.address)
