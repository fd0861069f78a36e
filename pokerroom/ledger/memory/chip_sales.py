"""Rebuys and add-ons of tournaments in memory: see `ChipSaleLedger`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from pokerroom.ledger.api import LedgerConflict
from pokerroom.ledger.chip_sales import (
    ChipPurchase,
    OnSale,
    PurchasePending,
    PurchaseRow,
    PurchasesUsedUp,
    SaleClosed,
    SalesNow,
    StackTooLarge,
)
from pokerroom.ledger.memory.books import fired
from pokerroom.ledger.memory.scheduled_tournaments import MemoryScheduledTournaments
from pokerroom.ledger.memory.tournament_state import MemoryEntry, MemoryTournament, purchase_legs
from pokerroom.ledger.tournament_entries import table_and_seat
from pokerroom.ledger.tournaments import NotEntered, NotRunning, owned_as
from pokerroom.ledger.transfers import purchase_key


class MemoryChipSales(MemoryScheduledTournaments):
    """The part of `TournamentLedger` that sells chips."""

    @fired
    def buy_chips(self, tournament: str, purchase: ChipPurchase) -> None:
        found = self._found(tournament)
        if any(one.purchase == purchase for one in found.purchases):
            return
        account, kind = purchase.account, purchase.kind
        sale, entry = found.opening.sale(kind), _entry_of(found, account)
        if sale is None or kind not in found.on_sale or not found.takes_late_entries():
            raise SaleClosed(f"{tournament} sells no {kind} now")
        if entry is None:
            raise NotEntered(f"account {account} does not play {tournament}")
        if entry.gone or (kind == "add_on" and not entry.chips):
            raise SaleClosed(f"account {account} is out of {tournament}")
        own = [one for one in found.purchases if one.purchase.account == account]
        if not all(one.given for one in own):
            raise PurchasePending(f"account {account} waits for chips of {tournament}")
        bought = sum(one.purchase.kind == kind for one in own)
        if bought >= sale.most or purchase.number != bought + 1:
            raise PurchasesUsedUp(f"account {account} has bought {bought} times {kind} of {tournament}")
        below = found.opening.rebuy_below
        most = found.stack if below is None else below
        if kind == "rebuy" and (entry.chips or 0) > most:
            raise StackTooLarge(f"account {account} has more than {most} chips in {tournament}")
        self._limits.check_play(account, sale.price)
        self._write(purchase_key(tournament, purchase), kind, purchase_legs(found.opening, purchase))
        found.purchases.append(PurchaseRow(purchase=purchase, entry=entry.number))

    @fired
    def decline_rebuy(self, tournament: str, account: int) -> None:
        entry = _entry_of(self._found(tournament), account)
        if entry is None or entry.chips:
            raise NotEntered(f"account {account} has nothing to decide in {tournament}")
        self._let_out(self._found(tournament), [account])

    @fired
    def sales_now(self, tournament: str) -> SalesNow:
        found = self._found(tournament)
        return SalesNow(
            on_sale=frozenset(found.on_sale),
            ordered=tuple(one.purchase for one in found.purchases if not one.given),
            undecided=frozenset(
                entry.account for entry in found.active() if entry.chips == 0 and not entry.gone
            ),
        )

    @fired
    def set_sales(self, tournament: str, epoch: int, kinds: Collection[OnSale]) -> None:
        found = self._run_by(tournament, epoch)
        sold = {"entry", *(sale.kind for sale in found.opening.sales)}
        found.on_sale = {kind for kind in kinds if kind in sold}

    @fired
    def add_chips(self, tournament: str, epoch: int, purchases: Sequence[ChipPurchase]) -> None:
        found = self._found(tournament)
        given = {one.purchase: one.given for one in found.purchases}
        if all(given.get(purchase) for purchase in purchases):
            return
        self._run_by(tournament, epoch)
        if any(given.get(purchase) is not False for purchase in purchases):
            raise LedgerConflict(f"a purchase in {tournament} was not made, or has its chips")
        for number, row in enumerate(found.purchases):
            if row.purchase in purchases:
                entry, sale = _entry_of(found, row.purchase.account), found.opening.sale(row.purchase.kind)
                assert entry is not None
                assert entry.chips is not None
                assert sale is not None
                table, _ = table_and_seat(entry.seat or 0)
                entry.chips, entry.bought = entry.chips + sale.chips, entry.bought + sale.chips
                entry.out_in = None
                found.purchases[number] = replace(row, table=table, hands=found.hands[table])

    @fired
    def let_out(self, tournament: str, epoch: int, accounts: Sequence[int]) -> None:
        self._let_out(self._run_by(tournament, epoch), accounts)

    def _let_out(self, found: MemoryTournament, accounts: Collection[int]) -> None:
        stay = {one.purchase.account for one in found.purchases if not one.given}
        for entry in found.active():
            if entry.account in accounts and entry.chips == 0 and entry.account not in stay:
                entry.gone = True

    def _run_by(self, tournament: str, epoch: int) -> MemoryTournament:
        found = self._found(tournament)
        if found.phase != "running":
            raise NotRunning(f"{tournament} is {found.phase}")
        self._check_owner(owned_as(tournament), epoch)
        return found


def _entry_of(found: MemoryTournament, account: int) -> MemoryEntry | None:
    """Return the entry with which the account plays, or has played last."""
    entry = found.entry_of(account)
    return entry if entry is not None and entry.seat else None
