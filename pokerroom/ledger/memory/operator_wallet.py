"""The operator's wallet in memory: see `OperatorWalletLedger` and `OperatorWalletQueue`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from pokerroom.chips import Money
from pokerroom.ledger.api import NO_PASSWORD
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.cashier import MemoryCashier
from pokerroom.ledger.operator_log import Acting, account_subject
from pokerroom.ledger.operator_wallet import (
    FAILURE_MAX,
    REFUSALS_MAX,
    REFUSALS_S,
    REFUSED_S,
    DebitEnd,
    UnknownWalletTransfer,
    WalletBacklog,
    WalletBusy,
    WalletDebit,
    WalletInUse,
    WalletKind,
    WalletLinked,
    WalletPlayerTaken,
    WalletRefused,
    WalletRow,
    WalletState,
    WalletTransfer,
)
from pokerroom.ledger.transfers import Legs, check_amount, wallet_code, whole

EXTERNAL = "external"


@dataclass(slots=True, kw_only=True)
class _Moving:
    """A row of `wallet_transfers`. Times are those of the ledger's clock."""

    number: int
    account: int
    kind: WalletKind
    amount: int
    asked_s: float
    due_s: float
    undoes: int | None = None
    state: WalletState = "asked"
    ended_s: float | None = None
    tries: int = 0
    failure: str = ""

    @property
    def id(self) -> str:
        """The name by which the operator's server knows it: the same for the same order of calls."""
        return _id_of(self.number)

    @property
    def waits_to_be_sent(self) -> bool:
        """Whether it is a credit or a rollback that is not done."""
        return self.kind != "debit" and self.state == "asked"

    def transfer(self) -> tuple[str, tuple[str, Legs]] | None:
        """The key, kind and legs of what it has moved; None if it has moved nothing."""
        if self.kind == "rollback" or (self.kind == "debit" and self.state != "done"):
            return None
        into = self.amount if self.kind == "debit" else -self.amount
        legs = whole([(EXTERNAL, -into), (wallet_code(self.account), into)])
        return f"external:{self.account}:{self.number}", (f"wallet_{self.kind}", legs)


class MemoryOperatorWallet(MemoryCashier):
    """An `OperatorWalletLedger` and an `OperatorWalletQueue`, in dictionaries."""

    def __init__(self, now_s: Callable[[], float]) -> None:
        super().__init__(now_s)
        self._wallet_links: dict[int, str] = {}  # account -> player
        self._moving: dict[int, _Moving] = {}  # number -> transfer
        self._moved_count = 0

    # --- what operators use -------------------------------------------------------------------------------------------

    @fired
    def link_wallet(self, account: int, player: str, *, by: Acting) -> None:
        self._check_account(account)
        linked = self._wallet_links.get(account)
        if linked == player:
            return
        if linked is not None:
            raise WalletLinked(f"account {account} has another player: unlink it first")
        if self._accounts[account].password_hash in {NO_PASSWORD, "!gone"}:
            raise LookupError(f"account {account} is no player")
        self._check_wallet_rest(account)
        if player in self._wallet_links.values():
            raise WalletPlayerTaken(f"another account is linked with {player}")
        self._wallet_links[account] = player
        self._balances.setdefault(EXTERNAL, 0)
        self._log(by, "wallet.link", account_subject(account), fingerprint=_fingerprint(player))

    @fired
    def unlink_wallet(self, account: int, *, by: Acting) -> None:
        self._check_account(account)
        self._check_wallet_rest(account)
        player = self._wallet_links.pop(account, None)
        if player is not None:
            self._log(by, "wallet.unlink", account_subject(account), fingerprint=_fingerprint(player))

    @fired
    def wallet_player(self, account: int) -> str | None:
        return self._wallet_links.get(account)

    @fired
    def wallet_transfers(
        self, account: int | None, *, waiting: bool, before: int | None, limit: int
    ) -> Sequence[WalletRow]:
        found = [
            self._wallet_row(one)
            for one in reversed(self._moving.values())
            if account in {None, one.account}
            and (one.state == "asked" or not waiting)
            and (before is None or one.number < before)
        ]
        return found[:limit]

    @fired
    def wallet_transfer(self, number: int) -> WalletRow:
        return self._wallet_row(self._known(number))

    @fired
    def retry_wallet_transfers(self, number: int | None, *, by: Acting) -> int:
        chosen = list(self._moving.values()) if number is None else [self._known(number)]
        now_s = self._now_s()
        late = [one for one in chosen if one.waits_to_be_sent and one.due_s > now_s]
        for one in late:
            one.due_s = now_s
        if late:
            subject = "" if number is None else f"transfer:{number}"
            self._log(by, "wallet.retry", subject, transfers=len(late))
        return len(late)

    # --- what nodes need ----------------------------------------------------------------------------------------------

    @fired
    def ask_wallet_debit(
        self, account: int, table: str | None, needed: Money, limit_s: int
    ) -> WalletDebit | None:
        check_amount(needed, at_least=0)
        player = self._wallet_links.get(account)
        if player is None:
            return None
        if table is not None and self._purse_code(table, account) != wallet_code(account):
            return None
        self._limits.check_play(account, needed)
        lacking = Money(max(0, needed - self._balances[wallet_code(account)]))
        if not lacking:
            return WalletDebit(number=None, id="", player=player, amount=lacking)
        if any(one.kind == "debit" and one.state == "asked" for one in self._of(account)):
            raise WalletBusy(f"another debit of account {account} waits")
        self._check_refusals(account, lacking)
        debit = self._add_moving(account, "debit", lacking)
        debit.due_s, debit.tries = self._now_s() + limit_s, 1
        return WalletDebit(number=debit.number, id=debit.id, player=player, amount=lacking)

    @fired
    def end_wallet_debit(self, number: int, end: DebitEnd, why: str = "") -> DebitEnd:
        debit = self._known(number)
        if debit.kind != "debit":
            raise UnknownWalletTransfer(f"there is no debit {number}")
        return self._end_debit(debit, end, why)

    @fired
    def undo_late_wallet_debits(self) -> int:
        late = [
            one
            for one in self._moving.values()
            if one.kind == "debit" and one.state == "asked" and one.due_s <= self._now_s()
        ]
        for one in late:
            self._end_debit(one, "undone", "the node did not end it")
        return len(late)

    @fired
    def queue_wallet_credits(self, free_s: int, at_most: int) -> int:
        written = 0
        for account in sorted(self._wallet_links):
            rest = self._balances[wallet_code(account)]
            if not rest or written == at_most or self._uses(account, free_s):
                continue
            self._move_money(self._add_moving(account, "credit", rest))
            written += 1
        return written

    @fired
    def claim_wallet_transfers(self, at_most: int, lease_s: int) -> Sequence[WalletTransfer]:
        now_s = self._now_s()
        due = [one for one in self._moving.values() if one.waits_to_be_sent and one.due_s <= now_s]
        chosen = sorted(due, key=lambda one: (one.due_s, one.number))[:at_most]
        for one in chosen:
            one.tries, one.due_s = one.tries + 1, now_s + lease_s
        return [self._claimed(one) for one in sorted(chosen, key=lambda one: one.number)]

    @fired
    def end_wallet_transfer(self, transfer: WalletTransfer) -> None:
        one = self._moving[transfer.number]
        if one.waits_to_be_sent:
            one.state, one.ended_s, one.failure = "done", self._now_s(), ""

    @fired
    def fail_wallet_transfer(self, transfer: WalletTransfer, why: str, pause_s: int) -> None:
        one = self._moving[transfer.number]
        if one.waits_to_be_sent and one.tries == transfer.tries:
            one.due_s, one.failure = self._now_s() + pause_s, why[:FAILURE_MAX]

    @fired
    def wallet_backlog(self) -> WalletBacklog:
        waiting = [one for one in self._moving.values() if one.waits_to_be_sent]
        return WalletBacklog(
            waiting=len(waiting),
            owed=sum(one.amount for one in waiting if one.kind == "credit"),
            oldest_s=max((self._now_s() - one.asked_s for one in waiting), default=0.0),
        )

    # --- inside -------------------------------------------------------------------------------------------------------

    def _wallet_is_waiting(self, account: int) -> bool:
        """Whether something is on its way between the account and the operator's wallet."""
        return any(one.state == "asked" for one in self._of(account))

    def _check_wallet_rest(self, account: int) -> None:
        owned = self._refill_state(account).owned
        if self._wallet_is_waiting(account) or owned > 0 or account in self._seats.values():
            raise WalletInUse(f"account {account} has money in the room, or on its way")

    def _check_refusals(self, account: int, lacking: int) -> None:
        now_s = self._now_s()
        refused = [
            (now_s - one.ended_s, one.amount)
            for one in self._of(account)
            if one.state == "refused" and one.ended_s is not None and now_s - one.ended_s < REFUSALS_S
        ]
        if len(refused) >= REFUSALS_MAX or any(
            age_s < REFUSED_S and amount <= lacking for age_s, amount in refused
        ):
            raise WalletRefused(f"the wallet of account {account} has just refused")

    def _uses(self, account: int, free_s: int) -> bool:
        """Whether money of the account is about to be used: see `queue_wallet_credits`."""
        since_s = self._now_s() - free_s
        return any(holder == account for _, holder in self._places) or any(
            one.kind == "debit"
            and (one.state == "asked" or (one.state == "done" and (one.ended_s or 0.0) > since_s))
            for one in self._of(account)
        )

    def _of(self, account: int) -> Iterator[_Moving]:
        return (one for one in self._moving.values() if one.account == account)

    def _known(self, number: int) -> _Moving:
        if number not in self._moving:
            raise UnknownWalletTransfer(f"there is no transfer {number}: list them, and choose one")
        return self._moving[number]

    def _add_moving(self, account: int, kind: WalletKind, amount: int, undoes: int | None = None) -> _Moving:
        self._moved_count += 1
        now_s = self._now_s()
        one = self._moving[self._moved_count] = _Moving(
            number=self._moved_count,
            account=account,
            kind=kind,
            amount=amount,
            asked_s=now_s,
            due_s=now_s,
            undoes=undoes,
        )
        return one

    def _end_debit(self, debit: _Moving, end: DebitEnd, why: str) -> DebitEnd:
        if debit.state != "asked":
            return debit.state
        debit.state, debit.ended_s, debit.failure = end, self._now_s(), why[:FAILURE_MAX]
        if end == "undone":
            self._add_moving(debit.account, "rollback", debit.amount, debit.number)
        elif end == "done":
            self._move_money(debit)
        return end

    def _move_money(self, moving: _Moving) -> None:
        transfer = moving.transfer()
        assert transfer is not None, "it moves money"
        key, (kind, legs) = transfer
        self._write(key, kind, legs)

    def _claimed(self, one: _Moving) -> WalletTransfer:
        return WalletTransfer(
            number=one.number,
            id=one.id,
            kind=one.kind,
            player=self._wallet_links[one.account],
            amount=Money(one.amount),
            asked_ms=int(one.asked_s * 1000),
            tries=one.tries,
            undoes=None if one.undoes is None else _id_of(one.undoes),
        )

    def _wallet_row(self, one: _Moving) -> WalletRow:
        return WalletRow(
            number=one.number,
            id=one.id,
            account=one.account,
            name=self._accounts[one.account].name,
            kind=one.kind,
            amount=one.amount,
            state=one.state,
            asked_ms=int(one.asked_s * 1000),
            ended_ms=None if one.ended_s is None else int(one.ended_s * 1000),
            due_ms=int(one.due_s * 1000),
            tries=one.tries,
            failure=one.failure,
            undoes=one.undoes,
        )

    def _wallet_differences(self) -> Iterable[str]:
        said = dict(filter(None, (one.transfer() for one in self._moving.values())))
        written = {
            key: transfer
            for key, transfer in self._transfers.items()
            if transfer[0] in {"wallet_debit", "wallet_credit"}
        }
        for key in sorted(said.keys() | written.keys()):
            if said.get(key) != written.get(key):
                yield f"the operator's wallet moves {said.get(key)} by transfer {key}, written is {written.get(key)}"
        backs = {one.undoes: one for one in self._moving.values() if one.kind == "rollback"}
        for debit in self._moving.values():
            back = backs.get(debit.number)
            if debit.kind == "debit" and (debit.state == "undone") != (back is not None):
                yield f"debit {debit.number} of the operator's wallet is {debit.state}, its rollback is {back}"


def _id_of(number: int) -> str:
    return f"wt_{number:032x}"


def _fingerprint(player: str) -> str:
    """What a line of the log has of a player of the operator: the same for the same one, and not the id."""
    return sha256(player.encode()).hexdigest()[:16]
