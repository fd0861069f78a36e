"""The ledger in memory, for the simulation and fast tests: the same contract, nothing stored.

Every Deferred has fired when it is returned. The rules of the database are applied in the same order, and the tests
compare the answers of both adapters.
"""

from __future__ import annotations

import secrets
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import msgspec

from pokerroom.chips import Money
from pokerroom.ledger.account_standing import AccountInUse, AccountOverview, WalletNotEmpty, gone_name
from pokerroom.ledger.api import (
    AccountRow,
    AuditReport,
    HandSettlement,
    InsufficientBalance,
    LedgerConflict,
    NameTaken,
    NotSeated,
    SeatRow,
)
from pokerroom.ledger.cashier import CashRequest
from pokerroom.ledger.credentials import LIFETIME, Device, FoundSession, SessionLifetime
from pokerroom.ledger.hosted_tables import is_hosted
from pokerroom.ledger.limits import LimitKind, LimitPeriod, LimitRow, PlayWatched
from pokerroom.ledger.memory.adjustments import MemoryAdjustments
from pokerroom.ledger.memory.announcements import MemoryAnnouncements
from pokerroom.ledger.memory.books import fired, may_be_negative
from pokerroom.ledger.memory.cashier import PlayTime
from pokerroom.ledger.memory.hosted_sit_and_gos import MemoryHostedSitAndGos
from pokerroom.ledger.memory.leagues import MemoryLeagues
from pokerroom.ledger.memory.offers import MemoryOffers
from pokerroom.ledger.memory.operator_wallet import MemoryOperatorWallet
from pokerroom.ledger.memory.order_keys import MemoryOrderKeys
from pokerroom.ledger.memory.player_notes import MemoryPlayerNotes
from pokerroom.ledger.memory.rake import MemoryRake
from pokerroom.ledger.memory.shared_hands import MemorySharedHands
from pokerroom.ledger.memory.ticket_orders import MemoryTicketOrders
from pokerroom.ledger.memory.tournament_audit import tournament_differences
from pokerroom.ledger.operator_log import HOUR_MS, SAME_PER_HOUR, Acting, account_subject
from pokerroom.ledger.transfers import (
    GENESIS,
    Legs,
    check_amount,
    distinct,
    hand_key,
    legs_of,
    look_of,
    name_key,
    opening_key,
    stack_code,
    wallet_code,
    whole,
)


class MemoryLedger(
    MemoryAdjustments,
    MemoryAnnouncements,
    MemoryRake,
    MemoryPlayerNotes,
    MemoryHostedSitAndGos,
    MemorySharedHands,
    MemoryOrderKeys,
    MemoryOffers,
    MemoryLeagues,
    MemoryTicketOrders,
    MemoryOperatorWallet,
):
    """`Ledger` and `LimitLedger` in dictionaries. Instances share nothing.

    `now_s` is its clock, in seconds from any origin.
    """

    def __init__(self, now_s: Callable[[], float] = time.time) -> None:
        super().__init__(now_s)
        self._departures: dict[tuple[str, int], tuple[float, Money]] = {}  # table, account -> time, amount
        self._write("genesis", "genesis", whole([("issuer", -GENESIS), ("bank", GENESIS)]))

    # --- accounts ------------------------------------------------------------------------------

    @fired
    def create_account(self, name: str, password_hash: str, opening: Money) -> AccountRow:
        check_amount(opening, at_least=0)
        if look_of(name) in self._looks:
            raise NameTaken(name)
        account = len(self._accounts) + 1
        if opening:
            self._write(
                opening_key(account), "opening", whole([("bank", -opening), (wallet_code(account), opening)])
            )
        self._balances.setdefault(wallet_code(account), 0)
        row = AccountRow(account=account, name=name, password_hash=password_hash)
        self._accounts[account] = row
        self._opened_s[account] = self._now_s()
        self._names[name_key(name)] = account
        self._looks[look_of(name)] = account
        return row

    @fired
    def find_account(self, name: str) -> AccountRow | None:
        account = self._names.get(name_key(name))
        return None if account is None else self._accounts[account]

    @fired
    def delete_account(self, account: int, source: str | None, *, by: Acting) -> list[int]:
        self._check_account(account)
        row, new_name = self._accounts[account], gone_name(account)
        if row.name == new_name:
            return []
        self._limits.check_not_excluded(account)
        rest, owned = self._balances[wallet_code(account)], self._refill_state(account).owned
        waiting = any(
            found.state == "waiting" and found.request.account == account for found in self._requests
        )
        proposed = any(
            self._told(found).state == "proposed" and found.adjustment.account == account
            for found in self._adjustments
        )
        in_games = account in self._seats.values() or self._is_owed_a_prize(account)
        if (
            owned != rest
            or waiting
            or self._wallet_is_waiting(account)
            or proposed
            or in_games
            or self._hosts(account)
            or self._is_in_club(account)
        ):
            raise AccountInUse(f"account {account} has seats, entries, tables or requests")
        if rest and source is None:
            raise WalletNotEmpty(f"account {account} has {rest}")
        if rest and source is not None:
            if by.who != account_subject(account):
                self._check_alone()
            leaving = CashRequest(
                account=account,
                key=secrets.token_hex(16),
                kind="withdrawal",
                amount=Money(rest),
                source=source,
            )
            self._answer(self._ask(leaving, 1, None).number, approve=True, note="", by=by)
        del self._names[name_key(row.name)], self._looks[look_of(row.name)]
        self._accounts[account] = replace(row, name=new_name, password_hash="!gone")  # noqa: S106 -- of no password
        self._names[new_name] = self._looks[look_of(new_name)] = account
        self._settings.pop(account, None)
        self._shared.pop(account, None)
        self._wallet_links.pop(account, None)
        self._forget_notes(account)
        self._locked.add(account)
        self._log(by, "account.delete", account_subject(account), returned=rest)
        return self._forget(account)

    @fired
    def limits(self, account: int) -> Sequence[LimitRow]:
        return self._limits.rows(account)

    @fired
    def set_limit(self, account: int, kind: LimitKind, period: LimitPeriod, value: int | None) -> None:
        self._check_account(account)
        before = self._limits.value(account, kind, period)
        self._limits.set_limit(account, kind, period, value)
        holds = self._limits.value(account, kind, period)
        subject, since_ms = account_subject(account), int(self._now_s() * 1000) - HOUR_MS
        told = sum(
            (line.verb, line.subject) == ("limit.set", subject) and line.at_ms > since_ms
            for line in self._lines
        )
        is_less = before is not None and holds is not None and holds < before
        if holds != before and not (is_less and told >= SAME_PER_HOUR):
            by = Acting(who=subject, role="player")
            self._log(by, "limit.set", subject, kind=kind, period=period, value=value)

    @fired
    def watch_play(
        self, connected: Collection[int], seated: Collection[int], every_s: int
    ) -> Sequence[PlayWatched]:
        playing = [account for account in sorted(connected) if self._plays(account)]
        added = {account: self._play_on(account, every_s) for account in playing}
        found = (self._watched(account, added.get(account, 0)) for account in sorted({*playing, *seated}))
        return [one for one in found if one.check_due or one.left_s is not None]

    def _plays(self, account: int) -> bool:
        return any(holder == account for _, holder in self._seat_of) or bool(self._played_by(account))

    def _play_on(self, account: int, every_s: int) -> int:
        """Note that the account plays; return the seconds that count."""
        now_s = self._now_s()
        found = self._play_time.setdefault((account, int(now_s // 86_400)), PlayTime(noted_s=now_s))
        since_s = now_s - found.noted_s
        added = round(since_s) if since_s < 2 * every_s else 0
        found.seconds, found.noted_s = found.seconds + added, now_s
        return added

    def _watched(self, account: int, added: int) -> PlayWatched:
        midnight_s = self._now_s() // 86_400 * 86_400
        played = self._used(account, "session", midnight_s)
        left = self._limits.left(account, "session")
        check_s = 60 * int(self._settings.get(account, {}).get("reality_check_min", 0))
        due = check_s > 0 and added > 0 and played // check_s > (played - added) // check_s
        return PlayWatched(
            account=account,
            played_s=played,
            added_s=added,
            left_s=None if left is None else left.left,
            ends_ms=None if left is None else left.ends_ms,
            check_due=due,
            net=self._net_since(account, midnight_s) if due else 0,
        )

    def _net_since(self, account: int, since_s: float) -> int:
        stacks = sum(
            self._balances[stack_code(table, account)] - brought
            for (table, holder), brought in self._bought.items()
            if holder == account
        )
        lost = sum(one.lost for one in self._results if one.account == account and one.ended_s >= since_s)
        return stacks - lost

    @fired
    def set_limit_caps(self, caps: Mapping[tuple[LimitKind, LimitPeriod], int]) -> None:
        self._limits.set_caps(caps)

    @fired
    def account_names(self, accounts: Sequence[int]) -> dict[int, str]:
        return {account: self._accounts[account].name for account in accounts if account in self._accounts}

    # --- money and seats ------------------------------------------------------------------------------------

    @fired
    def wallet(self, account: int) -> Money:
        """See `Ledger.wallet`. Raises LookupError for an unknown account."""
        self._check_account(account)
        return Money(self._balances[wallet_code(account)])

    @fired
    def seats(self, tables: Sequence[str] | None = None) -> list[SeatRow]:
        return [
            SeatRow(
                table=table,
                seat=seat,
                account=account,
                name=self._accounts[account].name,
                stack=Money(self._balances.get(stack_code(table, account), 0)),
            )
            for (table, seat), account in sorted(self._seats.items())
            if tables is None or table in tables
        ]

    @fired
    def tables_of(self, account: int) -> list[str]:
        return self._tables_of(account)

    @fired
    def find_session(
        self, token_hash: bytes, device: Device | None = None, lifetime: SessionLifetime = LIFETIME
    ) -> FoundSession | None:
        return self._found_session(token_hash, device, lifetime, self._overview)

    @fired
    def overview(self, account: int) -> AccountOverview:
        return self._overview(account)

    def _overview(self, account: int) -> AccountOverview:
        self._check_account(account)
        return AccountOverview(
            balance=Money(self._balances[wallet_code(account)]),
            tables=self._tables_of(account),
            settings=dict(self._settings.get(account, {})),
            last_log_in_ms=self._last_log_in(account),
            exclusion=self._limits.exclusion(account),
            muted_until_ms=self._muted_until_ms(account),
        )

    def _tables_of(self, account: int) -> list[str]:
        seats = [table for table, holder in self._seat_of if holder == account]
        return sorted([*seats, *self._played_by(account)])

    @fired
    def buy_in(  # noqa: PLR0917 -- see `Ledger.buy_in`
        self, key: str, table: str, epoch: int, seat: int, account: int, amount: Money, tables_max: int
    ) -> None:
        """See `Ledger.buy_in`. Raises LookupError for an unknown account."""
        check_amount(amount, at_least=1)
        self._check_account(account)
        legs = whole([(self._purse_code(table, account), -amount), (stack_code(table, account), amount)])
        if self._is_repeated(key, "buy_in", legs):
            return
        self._check_owner(table, epoch)
        self._limits.check_play(account, amount)
        self._check_hosted(table, account)
        self._check_seat(table, seat, account, tables_max)
        self._write(key, "buy_in", legs)
        self._bought[table, account] = amount
        self._seats[table, seat] = account
        self._seat_of[table, account] = seat

    @fired
    def top_up(self, key: str, table: str, epoch: int, account: int, amount: Money) -> None:
        check_amount(amount, at_least=1)
        legs = whole([(self._purse_code(table, account), -amount), (stack_code(table, account), amount)])
        if self._is_repeated(key, "top_up", legs):
            return
        self._check_owner(table, epoch)
        self._limits.check_play(account, amount)
        if (table, account) not in self._seat_of or (table, account) in self._places:
            raise NotSeated(f"account {account} has no seat at {table}")
        self._write(key, "top_up", legs)
        self._bought[table, account] += amount

    @fired
    def is_booked(self, key: str) -> bool:
        return key in self._transfers

    @fired
    def cash_out(self, key: str, table: str, epoch: int, account: int) -> Money:
        wallet, stack = self._purse_code(table, account), stack_code(table, account)
        if key in self._transfers:
            kind, legs = self._transfers[key]
            if kind != "cash_out" or not {code for code, _ in legs} <= {wallet, stack}:
                raise LedgerConflict(f"the key {key} is used with other legs")
            return Money(dict(legs).get(wallet, 0))
        self._check_owner(table, epoch)
        if (table, account) not in self._seat_of:
            raise NotSeated(f"account {account} has no seat at {table}")
        amount = self._balances.get(stack, 0)
        self._write(key, "cash_out", whole([(stack, -amount), (wallet, amount)]))
        del self._seats[table, self._seat_of.pop((table, account))]
        self._places.discard((table, account))
        self._note_result(account, self._bought.pop((table, account), 0) - amount)
        self._departures[table, account] = self._now_s(), Money(amount)
        return Money(amount)

    @fired
    def left_with(self, table: str, account: int, within_s: int) -> Money | None:
        departed, amount = self._departures.get((table, account), (0.0, Money(0)))
        return amount if amount and self._now_s() - departed < within_s else None

    # --- settled hands --------------------------------------------------------------------------------------

    @fired
    def settle(self, settlements: Sequence[HandSettlement]) -> None:
        """See `Ledger.settle`. A record that is not JSON is a LedgerConflict too."""
        new = [hand for hand in distinct(settlements) if not self._is_settled(hand)]
        for hand in new:
            self._check_owner(hand.table, hand.epoch)
        for hand in new:
            self._check_players(hand)
            try:
                msgspec.json.decode(hand.record, type=msgspec.Raw)
            except msgspec.DecodeError:
                raise LedgerConflict(f"the record of hand {hand.hand_id} is not JSON") from None
        if len({hand.table for hand in new if self._in_chips(hand.table)}) != sum(
            self._in_chips(hand.table) for hand in new
        ):
            raise LedgerConflict("two hands of a tournament come one after the other")
        try:
            self._move(leg for hand in new for leg in self._legs_of(hand))
        except InsufficientBalance as negative:
            raise LedgerConflict(f"a batch of {len(new)} hands is refused: {negative}") from negative
        for hand in sorted(new, key=lambda hand: hand.hand_id):
            self._note(hand_key(hand.hand_id), "hand", self._legs_of(hand))
            if self._in_chips(hand.table):
                self._move_chips(hand)
            self._hands[hand.hand_id] = hand

    def _check_players(self, hand: HandSettlement) -> None:
        if hand.rake and (self._in_chips(hand.table) or is_hosted(hand.table)):
            raise LedgerConflict(f"hand {hand.hand_id} of a tournament or a private table has a rake")
        if self._in_chips(hand.table):
            self._check_chips(hand)
            return
        for account, _ in hand.deltas:
            if (hand.table, account) not in self._seat_of:
                raise LedgerConflict(f"hand {hand.hand_id}: account {account} has no seat at {hand.table}")

    def _legs_of(self, hand: HandSettlement) -> Legs:
        """The legs of the transfer of a hand: none for a tournament, where no money moves."""
        return () if self._in_chips(hand.table) else legs_of(hand)

    def _is_settled(self, hand: HandSettlement) -> bool:
        """As `_is_repeated`. A past owner may have played the hand differently: it gets `NotOwner`."""
        key, legs = hand_key(hand.hand_id), self._legs_of(hand)
        before = self._hands.get(hand.hand_id)
        other = before is not None and legs_of(before) != legs_of(hand)
        if other or (key in self._transfers and self._transfers[key] != ("hand", legs)):
            self._check_owner(hand.table, hand.epoch)
        if other:
            raise LedgerConflict(f"hand {hand.hand_id} was settled with other changes")
        return self._is_repeated(key, "hand", legs)

    @fired
    def timeout_all_ins(self, since_ms: int) -> dict[int, int]:
        counts: Counter[int] = Counter()
        for hand in self._hands.values():
            if hand.ended_ms >= since_ms:
                counts.update(hand.timeout_all_ins)
        return dict(counts)

    @fired
    def settled_hands(self, hand_ids: Sequence[str]) -> frozenset[str]:
        return frozenset(self._hands).intersection(hand_ids)

    # --- audit ----------------------------------------------------------------------------------------------

    @fired
    def audit(self, after: int = 0) -> AuditReport:  # noqa: ARG002 -- all is compared
        sums: defaultdict[str, int] = defaultdict(int)
        for _, legs in self._transfers.values():
            for code, amount in legs:
                sums[code] += amount
        held = sum(amount for code, amount in sums.items() if code != "issuer")
        return AuditReport(
            differences=tuple(
                sorted(
                    [
                        *self._money_differences(sums, held),
                        *self._club_differences(sums),
                        *self._hand_differences(),
                        *self._round_differences(),
                        *tournament_differences(self._tournaments, self._transfers, sums, self._now_s()),
                        *self._ticket_differences(sums),
                        *self._cash_differences(sums),
                        *self._adjustment_differences(),
                        *self._wallet_differences(),
                        *self._log_differences(),
                    ]
                )
            ),
            accounts=len(self._accounts),
            transfers=len(self._transfers),
            hands=len(self._hands),
            rounds=len(self._rounds),
            total=held,
            escrow=sum(amount for code, amount in sums.items() if code.startswith("escrow:")),
            tournaments=len(self._tournaments),
            cash_requests=len(self._requests),
            held=sums["held"],
            log_lines=len(self._lines),
        )

    def _money_differences(self, sums: dict[str, int], held: int) -> Iterable[str]:
        for key, (_, legs) in self._transfers.items():
            if total := sum(amount for _, amount in legs):
                yield f"the legs of transfer {key} sum to {total}"
        seated = {stack_code(table, account) for table, account in self._seat_of.keys() - self._places}
        for code in self._balances.keys() | sums.keys():
            balance, legs_sum = self._balances.get(code), sums.get(code, 0)
            if balance != legs_sum:
                yield f"{code} has the balance {balance}, its legs sum to {legs_sum}"
            if legs_sum < 0 and not may_be_negative(code):
                yield f"{code} is negative: its legs sum to {legs_sum}"
            if legs_sum and code.startswith("stack:") and code not in seated:
                yield f"{code} holds {legs_sum} without a seat at the table"
        for code in seated - self._balances.keys():
            yield f"{code} has a seat without a stack account"
        if held != -sums.get("issuer", 0) or held != GENESIS:
            yield f"{-sums.get('issuer', 0)} was issued, {held} is held, genesis was {GENESIS}"

    def _hand_differences(self) -> Iterable[str]:
        newest: dict[str, int] = {}
        for hand in self._hands.values():
            before = newest[hand.table] = max(hand.epoch, newest.get(hand.table, 0))
            if hand.epoch < before:
                yield (
                    f"hand {hand.hand_id} at {hand.table} is of epoch {hand.epoch},"
                    f" and was settled after one of epoch {before}"
                )
            if (total := sum(delta for _, delta in hand.deltas)) != -hand.rake:
                yield (
                    f"the players of hand {hand.hand_id} won and lost {total} together,"
                    f" and its rake is {hand.rake}"
                )
            if self._transfers.get(hand_key(hand.hand_id)) != ("hand", self._legs_of(hand)):
                yield f"hand {hand.hand_id} has no transfer with its legs"
        for key, (kind, _) in self._transfers.items():
            if kind == "hand" and key.removeprefix("hand:") not in self._hands:
                yield f"transfer {key} has no hand"
