"""Chips are constant: in what a table tells, and in the ledger.

Adds up for itself: what is put in leaves a stack, what is won comes from the middle, a hand ends with the chips that it
began with, and the ledger holds what was told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import msgspec

from pokerroom.ledger.api import AuditReport, HandSettlement, SeatRow
from pokerroom.ledger.hosted_tables import Gift, HostedTableRow
from pokerroom.ledger.rake import RakeRow
from pokerroom.simulation.checks.clubs import ClubChecker
from pokerroom.simulation.checks.table_facts import CheckedTable
from pokerroom.simulation.checks.violation import Blame, Kind
from pokerroom_protocol import messages as wire


class ChipChecker:
    """What the tables tell of chips."""

    def __init__(self, blame: Blame) -> None:
        self._blame = blame

    def event(self, facts: CheckedTable, event: wire.Event) -> None:  # noqa: C901 -- one case per event
        """An event about to be applied to the facts."""
        match event:
            case wire.Acted():
                self._put_in(facts, event.seat, event.added, event.stack)
                before = facts.seats[event.seat].bet
                if event.bet != before + event.added:
                    self._wrong(
                        facts, f"seat {event.seat} bet {before}, added {event.added}: {event.bet} is told"
                    )
            case wire.Posted():
                self._put_in(facts, event.seat, event.amount, event.stack)
            case wire.UncalledBet():
                self._put_in(facts, event.seat, -event.amount, event.stack)
            case wire.StreetDealt():
                pots = sum(pot.amount for pot in event.pots)
                if facts.hand is not None and pots != facts.hand.middle:
                    self._wrong(facts, f"{facts.hand.middle} chips were put in, the pots hold {pots}")
            case wire.PotAwarded():
                shared, rake = sum(share.amount for share in event.shares), event.rake or 0
                if shared + rake != event.amount:
                    told = f"pot {event.pot} of {event.amount}"
                    self._wrong(facts, f"{told} is shared out as {shared}, with a rake of {rake}")
            case wire.HandStarted():
                self._started(facts, event)
            case wire.HandEnded():
                self._ended(facts, event)
            case _:
                pass

    def synced(self, facts: CheckedTable, snapshot: wire.Snapshot) -> None:
        """Facts that start again in the middle of a hand whose start is known: it has the same chips."""
        hand = facts.hand
        if hand is None or not hand.start:
            return
        behind = {seat.seat: seat.stack for seat in snapshot.seats}
        now = sum(behind.get(seat, 0) for seat in hand.start) + hand.middle + hand.rake
        before = sum(hand.start.values())
        if now != before:
            self._wrong(facts, f"the hand began with {before} chips, a snapshot shows {now}")

    def _put_in(self, facts: CheckedTable, seat: int, amount: int, stack: int) -> None:
        before = facts.seats[seat].stack
        if stack != before - amount or stack < 0:
            self._wrong(facts, f"seat {seat} has {before} behind and puts {amount} in: {stack} is told")

    def _started(self, facts: CheckedTable, event: wire.HandStarted) -> None:
        for seat in event.seats:
            known = facts.seats.get(seat.seat)
            if known is None or known.stack != seat.stack:
                told = None if known is None else known.stack
                self._wrong(
                    facts, f"seat {seat.seat} is dealt in with {seat.stack}, it was told to have {told}"
                )

    def _ended(self, facts: CheckedTable, event: wire.HandEnded) -> None:
        hand = facts.hand
        if hand is None:
            return  # told by another checker
        ended = {seat.seat: seat.stack for seat in event.stacks}
        if event.void:
            if hand.start and ended != hand.start:
                self._wrong(facts, f"void, but the stacks {ended} are not those of the start {hand.start}")
            return
        if hand.middle:
            self._wrong(facts, f"{hand.middle} chips stay in the middle at the end")
        for seat, stack in ended.items():
            if facts.seats[seat].stack != stack:
                self._wrong(facts, f"seat {seat} has {facts.seats[seat].stack}, {stack} is told at the end")
        before, after = sum(hand.start.values()), sum(ended.values())
        if hand.start and before != after + hand.rake:
            told = f"the hand began with {before} chips and ends with {after}"
            self._wrong(facts, f"{told}, and its rake is {hand.rake}")

    def _wrong(self, facts: CheckedTable, line: str) -> None:
        self._blame(Kind.CHIPS, facts.table, "" if facts.hand is None else facts.hand.hand_id, line)


class LedgerChecker:
    """A bookkeeping of its own beside the ledger's: wallets and stacks, from what was booked."""

    def __init__(self, blame: Blame, total: int) -> None:
        self._blame = blame
        self._total = total
        self._keys: set[str] = set()
        self.wallets: defaultdict[int, int] = defaultdict(int)
        self.stacks: defaultdict[tuple[str, int], int] = defaultdict(int)
        self._bought: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
        """Top-ups since the account sat down at the table."""
        self._rakes: defaultdict[str, int] = defaultdict(int)
        self.clubs = ClubChecker(blame, self.stacks)

    def opened(self, account: int, amount: int) -> None:
        """An account has its play money."""
        self.wallets[account] += amount

    def booked(self, name: str, args: tuple[Any, ...], result: Any) -> None:
        """The ledger has done what moves money, perhaps not for the first time."""
        self.clubs.booked(name, args, result)
        if name == "give_chips":
            self._given(args[0], result)
            return
        if name not in {"buy_in", "top_up", "cash_out"} or args[0] in self._keys:
            return
        self._keys.add(args[0])
        table = args[1]
        if name == "buy_in":
            _, _, _, _, account, amount, _ = args
            self._bought.pop((table, account), None)
        elif name == "top_up":
            _, _, _, account, amount = args
            self._bought[table, account].append(amount)
        else:
            account, amount = args[3], -result
            if self.stacks[table, account] != result:
                self._blame(
                    Kind.CHIPS,
                    table,
                    "",
                    f"account {account} takes {result} with it, and had {self.stacks[table, account]}",
                )
        if not self.clubs.pays(table, account, amount):
            self.wallets[account] -= amount
        self.stacks[table, account] += amount

    def _given(self, gift: Gift, row: HostedTableRow) -> None:
        """A host has given chips to a guest."""
        key = f"gift of {gift.giver}: {gift.key}"
        if key in self._keys:
            return
        self._keys.add(key)
        taker = next(
            account for account, guest in row.guests.items() if guest.name.lower() == gift.name.lower()
        )
        self.wallets[gift.giver] -= gift.amount
        self.wallets[taker] += gift.amount

    def settled(self, settlement: HandSettlement, record: dict[str, Any]) -> None:
        """A hand is settled for the first time."""
        blame, table, hand_id = self._blame, settlement.table, settlement.hand_id
        seats = record["seats"]
        began, ended = sum(seat["stack"] for seat in seats), sum(seat["end"] for seat in seats)
        rake = record.get("rake", 0)
        if began != ended + rake or any(seat["end"] < 0 for seat in seats):
            told = f"the record begins with {began} chips and ends with {ended}"
            blame(Kind.CHIPS, table, hand_id, f"{told}, and its rake is {rake}")
        deltas = {seat["account"]: seat["end"] - seat["stack"] for seat in seats}
        if deltas != dict(settlement.deltas) or settlement.rake != rake or sum(deltas.values()) != -rake:
            moved = f"{settlement.deltas} and a rake of {settlement.rake}"
            blame(
                Kind.CHIPS, table, hand_id, f"the ledger moves {moved}, the record says {deltas} and {rake}"
            )
        self._rakes[table] += settlement.rake
        for seat in seats:
            held, account = self.stacks[table, seat["account"]], seat["account"]
            if not self._explained(table, account, held - seat["stack"]):
                blame(
                    Kind.CHIPS,
                    table,
                    hand_id,
                    f"account {account} held {held} in the ledger and was dealt in with {seat['stack']}",
                )
            self.stacks[table, account] += deltas[account]

    def _explained(self, table: str, account: int, more: int) -> bool:
        """Whether what the ledger has more than the table is the last of the top-ups."""
        for amount in reversed([0, *self._bought[table, account]]):
            if more <= 0:
                break
            more -= amount
        return more == 0

    def audited(self, report: AuditReport, rows: list[SeatRow], rakes: Sequence[RakeRow]) -> None:
        """The ledger was looked at as a whole."""
        taken: defaultdict[str, int] = defaultdict(int)
        for rake in rakes:
            taken[rake.table] += rake.rake
        booked_rakes = {table: rake for table, rake in self._rakes.items() if rake}
        if taken != booked_rakes:
            self._blame(
                Kind.CHIPS, "", "", f"the ledger's rakes are {dict(taken)}, booked were {booked_rakes}"
            )
        for difference in report.differences:
            self._blame(Kind.CHIPS, "", "", f"the ledger's audit: {difference}")
        if report.total != self._total:
            self._blame(Kind.CHIPS, "", "", f"the ledger holds {report.total}, issued were {self._total}")
        for row in rows:
            if row.stack != self.stacks[row.table, row.account]:
                booked = self.stacks[row.table, row.account]
                self._blame(
                    Kind.CHIPS,
                    row.table,
                    "",
                    f"account {row.account} holds {row.stack}, booked were {booked}",
                )


def record_of(settlement: HandSettlement) -> dict[str, Any]:
    """The hand's record as plain data."""
    record: dict[str, Any] = msgspec.json.decode(settlement.record)
    return record
