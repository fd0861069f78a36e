"""Keys, codes and checks that both adapters of the ledger share. No I/O.

This module knows the shape of a transfer. It knows no balance and no database.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pokerroom.chips import Money
from pokerroom.ledger.api import HandSettlement, LedgerConflict
from pokerroom.ledger.chip_sales import ChipPurchase
from pokerroom.ledger.rounds import RoundBets, RoundEnd

GENESIS: Final = Money(10**15)
"""The money of the room: from issuer to bank, once, under the key `genesis`. The schema has the same amount."""

Legs = tuple[tuple[str, int], ...]
"""(ledger account code, amount), in the order of the codes, without amounts of zero."""


def wallet_code(account: int) -> str:
    """The code of a wallet."""
    return f"wallet:{account}"


def stack_code(table: str, account: int) -> str:
    """The code of a stack at a table."""
    return f"stack:{table}:{account}"


def club_code(club: str) -> str:
    """The code of the bank of a club."""
    return f"club:{club}"


def chips_code(club: str, account: int) -> str:
    """The code of a member's balance in the chips of a club."""
    return f"chips:{club}:{account}"


def club_key(club: str, key: str) -> str:
    """The key of the transfer of a movement between bank and member."""
    return f"club:{club}:{key}"


def club_role_key(club: str, account: int, role: str, number: int) -> str:
    """The key of the transfer that says which role an account has in a club from now on; `none` after it has left."""
    return f"role:{club}:{account}:{role}:{number:032x}"


def host_key(table: str, account: int, version: int) -> str:
    """The key of the transfer that makes an account the host of a table, from its version on."""
    return f"host:{table}:{account}:{version}"


def gift_key(table: str, giver: int, key: str) -> str:
    """The key of the transfer of a gift."""
    return f"gift:{table}:{giver}:{key}"


def rake_code(table: str) -> str:
    """The code of the rake of a table."""
    return f"rake:{table}"


def hand_key(hand_id: str) -> str:
    """The key of the transfer of a hand."""
    return f"hand:{hand_id}"


def opening_key(account: int) -> str:
    """The key of the transfer that fills a new wallet."""
    return f"opening:{account}"


def escrow_code(tournament: str) -> str:
    """The code of the escrow of a tournament."""
    return f"escrow:{tournament}"


def entry_key(tournament: str, account: int, number: int) -> str:
    """The key of the transfer of an entry."""
    return f"sng:{tournament}:entry:{account}:{number}"


def bounties_code(tournament: str) -> str:
    """The code of the account of all heads of a tournament."""
    return f"bounties:{tournament}"


def bounty_key(tournament: str, account: int, number: int) -> str:
    """The key of the transfer that pays the head of an entry."""
    return f"sng:{tournament}:bounty:{account}:{number}"


def purchase_key(tournament: str, purchase: ChipPurchase) -> str:
    """The key of a rebuy or an add-on."""
    return f"sng:{tournament}:{purchase.kind}:{purchase.account}:{purchase.number}"


def return_key(tournament: str, account: int, number: int) -> str:
    """The key of the transfer that returns an entry."""
    return f"sng:{tournament}:return:{account}:{number}"


def overlay_key(tournament: str) -> str:
    """The key of what the house adds to the prizes of a tournament."""
    return f"sng:{tournament}:overlay"


def place_key(tournament: str, number: int) -> str:
    """The key of the transfer of a prize."""
    return f"sng:{tournament}:place:{number}"


def legs_of(settlement: HandSettlement) -> Legs:
    """The legs of the transfer of a hand. A stack that did not change has none, nor has a hand without rake."""
    table = settlement.table
    stacks = [(stack_code(table, account), delta) for account, delta in settlement.deltas]
    return whole([*stacks, (rake_code(table), settlement.rake)])


def whole(legs: Iterable[tuple[str, int]]) -> Legs:
    """Legs without zeros, sorted, so that they can be compared."""
    return tuple(sorted((code, amount) for code, amount in legs if amount))


def name_key(name: str) -> str:
    """The unique form of a name. Case is ignored; names are ASCII."""
    return name.lower()


_LOOKS: Final = str.maketrans({"0": "o", "1": "l", "i": "l", "m": "rn"})


def look_of(name: str) -> str:
    """What names that look alike have in common, as `accounts.look` in SQL: the skeleton of Unicode's UTS 39.

    Names are ASCII and ignore case. So `I`, `l` and `1`, `O` and `0`, `m` and `rn` are all of its confusable pairs.
    """
    return name.lower().translate(_LOOKS)


def check_amount(amount: Money, *, at_least: int) -> None:
    """Raises ValueError for an amount out of range: a bug of the caller."""
    if not at_least <= amount <= GENESIS:
        raise ValueError(f"an amount of {amount} is not between {at_least} and {GENESIS}")


def distinct(settlements: Sequence[HandSettlement]) -> list[HandSettlement]:
    """The settlements in order, each hand once.

    Raises LedgerConflict if a hand is given twice with different legs, its deltas and its rake do not sum to zero, its
    rake is negative, it names an account twice, or an account that was all-in by the clock is not in it.
    """
    by_hand: dict[str, HandSettlement] = {}
    for settlement in settlements:
        accounts = {account for account, _ in settlement.deltas}
        if len(accounts) != len(settlement.deltas):
            raise LedgerConflict(f"hand {settlement.hand_id} names an account twice")
        if settlement.rake < 0 or sum(delta for _, delta in settlement.deltas) + settlement.rake:
            raise LedgerConflict(f"hand {settlement.hand_id} does not sum to zero")
        by_clock = settlement.timeout_all_ins
        if by_clock and (len(set(by_clock)) != len(by_clock) or not accounts.issuperset(by_clock)):
            raise LedgerConflict(
                f"hand {settlement.hand_id} counts an account twice, or one that is not in it"
            )
        first = by_hand.setdefault(settlement.hand_id, settlement)
        if first is not settlement and legs_of(first) != legs_of(settlement):
            raise LedgerConflict(f"hand {settlement.hand_id} is given twice with different legs")
    return list(by_hand.values())


# --- rounds against the house ---------------------------------------------------------------------------------------


def stakes_code(table: str) -> str:
    """The code of the stakes on a table."""
    return f"stakes:{table}"


def house_code(table: str) -> str:
    """The code of the house at a table."""
    return f"house:{table}"


def meter_code(table: str) -> str:
    """The code of a table's progressive meter."""
    return f"meter:{table}"


def seed_key(table: str, epoch: int) -> str:
    """The key of the transfer with which an owner fills the meter before its first round."""
    return f"seed:{table}:{epoch}"


def round_bets_key(round_id: str) -> str:
    """The key of the transfer of a round's bets."""
    return f"round:{round_id}:bets"


def round_key(round_id: str) -> str:
    """The key of the transfer of a round's end."""
    return f"round:{round_id}"


def paid_out(put_in: Mapping[int, tuple[int, int]], deltas: Mapping[int, int]) -> dict[int, int]:
    """The payment to each wallet when a round ends. `put_in` has the stakes and tips of each account."""
    return {account: staked + tipped + deltas[account] for account, (staked, tipped) in put_in.items()}


def check_round_bets(bets: RoundBets) -> None:
    """Raises LedgerConflict for no bets, an account named twice, or an amount out of range."""
    accounts = {account for account, _ in bets.stakes}
    if not accounts or len(accounts) != len(bets.stakes):
        raise LedgerConflict(f"round {bets.round_id} has no bets, or names an account twice")
    if any(not 1 <= amount <= GENESIS for _, amount in bets.stakes) or not 0 <= bets.exposure <= GENESIS:
        raise LedgerConflict(f"round {bets.round_id} has an amount out of range")


def check_round_end(end: RoundEnd) -> None:
    """Raises LedgerConflict for an end that does not sum to zero, or names an account twice."""
    if len({account for account, _ in end.deltas}) != len(end.deltas):
        raise LedgerConflict(f"round {end.round_id} names an account twice")
    if sum(delta for _, delta in end.deltas) + end.house + end.meter + end.tronc:
        raise LedgerConflict(f"round {end.round_id} does not sum to zero")
    if min(end.meter_fed, end.meter_paid, end.meter_reseeded, end.tronc) < 0:
        raise LedgerConflict(f"round {end.round_id} has an amount out of range")


# --- the cashier ----------------------------------------------------------------------------------------------------


REFILL: Final = "refill:"
"""How the key of a refill begins."""


def tickets_code(account: int) -> str:
    """The code of the account of a player's unused tickets."""
    return f"tickets:{account}"


def ticket_key(account: int, key: str) -> str:
    """The key of the transfer of a ticket that an operator gives."""
    return f"ticket:{account}:{key}"


def ticket_end_key(account: int, number: int) -> str:
    """The key of the transfer that ends a ticket."""
    return f"ticket_end:{account}:{number}"


def source_code(source: str) -> str:
    """The code of a source of the cashier."""
    return f"source:{source}"


def fund_key(source: str, key: str) -> str:
    """The key of the transfer with which the operator funds a source."""
    return f"source:{source}:{key}"


def refill_terms_key(source: str, below: int, to: int, every_s: int, number: int) -> str:
    """The key of the transfer that says the terms of refills from now on."""
    return f"refill_terms:{source}:{below}:{to}:{every_s}:{number:032x}"


def refill_key(key: str) -> str:
    """The key of the request of a refill; no key that a client chooses has a colon."""
    return f"{REFILL}{key}"


def cash_key(account: int, key: str) -> str:
    """The key of the transfer that holds a withdrawal."""
    return f"cash:{account}:{key}"


def cash_end_key(account: int, key: str) -> str:
    """The key of the transfer of a decision: a deposit, or the end of a withdrawal."""
    return f"cash:{account}:{key}:end"


def adjustment_key(account: int, key: str) -> str:
    """The key of the transfer of an adjustment."""
    return f"adjust:{account}:{key}"
