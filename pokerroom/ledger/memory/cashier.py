"""The cashier in memory: see `CashierLedger`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pokerroom.chips import Money
from pokerroom.ledger.adjustments import FourEyesNeeded
from pokerroom.ledger.api import BankEmpty
from pokerroom.ledger.cashier import (
    CashDecided,
    CashKeyUsed,
    CashRequest,
    CashRow,
    CashState,
    RefillNotNeeded,
    RefillState,
    RefillTerms,
    RefillTooSoon,
    SourceEmpty,
    SourceRow,
    TooManyRequests,
    UnknownSource,
)
from pokerroom.ledger.limits import LimitKind
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.operator_log import MemoryOperatorLog
from pokerroom.ledger.operator_log import THE_ROOM, Acting, account_subject
from pokerroom.ledger.transfers import (
    REFILL,
    Legs,
    cash_end_key,
    cash_key,
    check_amount,
    fund_key,
    refill_key,
    refill_terms_key,
    source_code,
    tickets_code,
    wallet_code,
    whole,
)

_DAY_S: Final = 86_400


@dataclass(slots=True, kw_only=True)
class PlayTime:
    """How long an account has played on one day."""

    seconds: int = 0
    noted_s: float


@dataclass(slots=True)
class _Source:
    is_open: bool


class MemoryCashier(MemoryOperatorLog):
    """Requests in a list (`CashierLedger`). The number of a request is its position, from 1."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        super().__init__(now_s)
        self._sources: dict[str, _Source] = {}
        self._requests: list[CashRow] = []
        self._four_eyes = False
        self._terms: RefillTerms | None = None
        """The terms of the last refill."""
        self._play_time: dict[tuple[int, int], PlayTime] = {}
        """By account and day since the epoch."""

    @fired
    def open_source(self, source: str, *, by: Acting = THE_ROOM) -> None:
        present = self._sources.setdefault(source, _Source(is_open=False))
        self._balances.setdefault(source_code(source), 0)
        if not present.is_open:
            present.is_open = True
            self._log(by, "cashier.open", source)

    @fired
    def close_source(self, source: str, *, by: Acting = THE_ROOM) -> None:
        if source not in self._sources:
            raise UnknownSource(f"there is no source {source}")
        if self._sources[source].is_open:
            self._sources[source].is_open = False
            self._log(by, "cashier.close", source)

    @fired
    def fund_source(self, key: str, source: str, amount: Money, *, by: Acting = THE_ROOM) -> None:
        check_amount(amount, at_least=1)
        if source not in self._sources:
            raise UnknownSource(f"there is no source {source}")
        legs = whole([("bank", -amount), (source_code(source), amount)])
        if self._is_repeated(fund_key(source, key), "source_fund", legs):
            return
        self._check_source(source)
        if self._balances["bank"] < amount:
            raise BankEmpty(f"the bank does not hold {amount}")
        self._write(fund_key(source, key), "source_fund", legs)
        self._log(by, "cashier.fund", source, amount=amount, key=key)

    @fired
    def sources(self) -> Sequence[SourceRow]:
        return [
            SourceRow(
                source=source,
                is_open=self._sources[source].is_open,
                balance=Money(self._balances[source_code(source)]),
            )
            for source in sorted(self._sources)
        ]

    @fired
    def request_cash(self, request: CashRequest, waiting_max: int, *, by: Acting | None = None) -> CashRow:
        return self._ask(request, waiting_max, by)

    def _ask(self, request: CashRequest, waiting_max: int, by: Acting | None) -> CashRow:
        check_amount(request.amount, at_least=1)
        self._check_account(request.account)
        own = [row for row in self._requests if row.request.account == request.account]
        for row in own:
            if row.request.key == request.key:
                if row.request != request:
                    raise CashKeyUsed(f"the key {request.key} was used for another request")
                return row
        if by is not None:
            self._check_alone()
        self._check_source(request.source)
        if sum(row.state == "waiting" for row in own) >= waiting_max:
            raise TooManyRequests(f"account {request.account} has {waiting_max} pending requests")
        if request.kind == "deposit":
            self._limits.check_not_excluded(request.account)
            self._limits.check(request.account, "deposit", request.amount)
        else:
            self._write(cash_key(request.account, request.key), "withdrawal", _asked(request))
        added = self._add(request)
        if by is not None:
            self._log(
                by,
                "cashier.deposit" if request.kind == "deposit" else "cashier.withdraw",
                account_subject(request.account),
                "requested",
                amount=request.amount,
                key=request.key,
                number=added.number,
                source=request.source,
            )
        return added

    def _check_alone(self) -> None:
        """With four eyes no operator moves money at once."""
        if self._four_eyes:
            raise FourEyesNeeded("two operators must agree: propose it by `pokerroom cashier adjust`")

    @fired
    def decide_cash(self, number: int, *, approve: bool, note: str, by: Acting = THE_ROOM) -> CashRow:
        return self._answer(number, approve=approve, note=note, by=by)

    def _answer(self, number: int, *, approve: bool, note: str, by: Acting) -> CashRow:
        if not 1 <= number <= len(self._requests):
            raise LookupError(f"there is no request {number}")
        row, decision = self._requests[number - 1], _decision(approve=approve)
        if row.state == decision:
            return row
        if row.state != "waiting":
            raise CashDecided(f"request {number} is {row.state} already")
        if decision == "approved" and row.request.kind == "deposit":
            self._check_holds(row.request)
        decided = self._decide(row, decision, note)
        request = row.request
        self._log(
            by,
            "cashier.approve" if approve else "cashier.refuse",
            account_subject(request.account),
            amount=request.amount,
            kind=request.kind,
            note=note,
            number=number,
            source=request.source,
        )
        return decided

    @fired
    def refill(self, account: int, key: str, terms: RefillTerms) -> CashRow:
        self._check_account(account)
        for row in self._requests:
            if row.request.account == account and row.request.key == refill_key(key):
                return row
        self._check_source(terms.source)
        state = self._refill_state(account)
        if state.owned >= terms.floor:
            raise RefillNotNeeded(f"account {account} owns {state.owned}")
        if state.since_s is not None and state.since_s < terms.every_s:
            raise RefillTooSoon(f"account {account} had a refill {state.since_s:.0f} seconds ago")
        request = CashRequest(
            account=account,
            key=refill_key(key),
            kind="deposit",
            amount=Money(terms.to - state.owned),
            source=terms.source,
        )
        self._limits.check_not_locked(account)
        self._limits.check_not_excluded(account)
        self._limits.check(account, "deposit", request.amount)
        self._check_holds(request)
        if terms != self._terms:
            number = len(self._numbers)
            noted = refill_terms_key(terms.source, terms.floor, terms.to, terms.every_s, number)
            self._write(noted, "refill_terms", ())
            self._terms = terms
        return self._decide(self._add(request), "approved", "")

    @fired
    def refill_state(self, account: int) -> RefillState:
        self._check_account(account)
        return self._refill_state(account)

    @fired
    def cash_requests(
        self, account: int | None, waiting: bool, limit: int, before: int | None = None
    ) -> Sequence[CashRow]:
        found = [
            row
            for row in reversed(self._requests)
            if account in {None, row.request.account}
            and (row.state == "waiting" or not waiting)
            and (before is None or row.number < before)
        ]
        return found[:limit]

    @fired
    def held(self, account: int) -> Money:
        return Money(sum(row.request.amount for row in self._held() if row.request.account == account))

    # --- inside -----------------------------------------------------------------------------------------------

    def _add(self, request: CashRequest) -> CashRow:
        row = CashRow(
            number=len(self._requests) + 1,
            request=request,
            name=self._accounts[request.account].name,
            state="waiting",
            asked_ms=int(self._now_s() * 1000),
            decided_ms=None,
            note="",
        )
        self._requests.append(row)
        return row

    def _check_holds(self, request: CashRequest) -> None:
        source = source_code(request.source)
        if self._balances[source] < request.amount:
            raise SourceEmpty(f"the source {source} does not hold {request.amount}")

    def _decide(self, row: CashRow, decision: CashState, note: str) -> CashRow:
        end = _ended(row.request, decision)
        if end is not None:
            self._write(cash_end_key(row.request.account, row.request.key), *end)
        row = replace(row, state=decision, decided_ms=int(self._now_s() * 1000), note=note)
        self._requests[row.number - 1] = row
        return row

    def _refill_state(self, account: int) -> RefillState:
        stacks = sum(
            amount
            for code, amount in self._balances.items()
            if code.startswith("stack:")
            and code.endswith(f":{account}")
            and self._purse_code(code.removeprefix("stack:").rpartition(":")[0], account)
            == wallet_code(account)
        )
        held = sum(row.request.amount for row in self._held() if row.request.account == account)
        tickets = self._balances.get(tickets_code(account), 0)
        owned = self._balances[wallet_code(account)] + tickets + stacks + held + self._in_games(account)
        asked = [
            row.asked_ms
            for row in self._requests
            if row.request.account == account and row.request.key.startswith(REFILL)
        ]
        since_s = self._now_s() - asked[-1] / 1000 if asked else None
        return RefillState(owned=Money(owned), since_s=since_s)

    def _in_games(self, account: int, *, with_tips: bool = False) -> int:
        """Bets in rounds in progress, and buy-ins of sit-and-gos in which the account has no place yet.

        Without tips it is what the account owns, so without chips of clubs, too.
        """
        bets = sum(
            row.amount
            for of_round in self._open.values()
            for row in self._rounds[of_round].stakes
            if row.account == account and (with_tips or row.kind != "tip")
        )
        return bets + self._bought_in(account, with_clubs=with_tips)

    def _used(self, account: int, kind: LimitKind, since_s: float) -> int:
        match kind:
            case "deposit":
                return sum(
                    row.request.amount
                    for row in self._requests
                    if (row.request.account, row.request.kind) == (account, "deposit")
                    and row.state != "refused"
                    and row.asked_ms >= since_s * 1000
                )
            case "loss":
                brought = sum(amount for (_, holder), amount in self._bought.items() if holder == account)
                lost = sum(
                    one.lost for one in self._results if one.account == account and one.ended_s >= since_s
                )
                return self._in_games(account, with_tips=True) + brought + lost
            case "session":
                return sum(
                    found.seconds
                    for (player, day), found in self._play_time.items()
                    if player == account and day * _DAY_S >= since_s
                )

    def _check_source(self, source: str) -> None:
        if source not in self._sources or not self._sources[source].is_open:
            raise UnknownSource(f"there is no open source {source}")

    def _held(self) -> list[CashRow]:
        return [row for row in self._requests if row.state == "waiting" and row.request.kind == "withdrawal"]

    # --- audit ------------------------------------------------------------------------------------------------

    def _cash_differences(self, sums: dict[str, int]) -> Iterable[str]:
        expected: dict[str, tuple[str, Legs]] = {}
        for row in self._requests:
            request = row.request
            if request.kind == "withdrawal":
                expected[cash_key(request.account, request.key)] = "withdrawal", _asked(request)
            end = _ended(request, row.state)
            if end is not None:
                expected[cash_end_key(request.account, request.key)] = end
        for key, transfer in expected.items():
            if self._transfers.get(key) != transfer:
                yield f"a cashier request has no transfer {key} with its legs"
        for key in self._transfers:
            if key.startswith("cash:") and key not in expected:
                yield f"transfer {key} belongs to no cashier request"
        waiting = sum(row.request.amount for row in self._held())
        if sums.get("held", 0) != waiting:
            yield f"held holds {sums.get('held', 0)}, pending withdrawals are {waiting}"


def _decision(*, approve: bool) -> CashState:
    return "approved" if approve else "refused"


def _asked(request: CashRequest) -> Legs:
    """The legs that hold a withdrawal."""
    return whole([(wallet_code(request.account), -request.amount), ("held", request.amount)])


def _ended(request: CashRequest, state: CashState) -> tuple[str, Legs] | None:
    """Kind and legs of the transfer of a decision, or None if nothing moves."""
    wallet, source, amount = wallet_code(request.account), source_code(request.source), request.amount
    match request.kind, state:
        case "deposit", "approved":
            return "deposit", whole([(source, -amount), (wallet, amount)])
        case "withdrawal", "approved":
            return "withdrawal_paid", whole([("held", -amount), (source, amount)])
        case "withdrawal", "refused":
            return "withdrawal_return", whole([("held", -amount), (wallet, amount)])
        case _:
            return None
