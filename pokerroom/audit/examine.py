"""Examines single transfers: the grammar, the record of a hand or round played again, and what both say of each other.

Nothing here depends on the transfers before, so many processes may examine at once. `books` follows in order what they
find.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

import msgspec

from pokerroom.history.hidden_cards import HAND_RECORDS
from pokerroom.history.record import HandRecord, RakeTermsRecord
from pokerroom.ledger import grammar
from pokerroom.ledger.archive_files import ArchiveFolder
from pokerroom.ledger.archives import archived
from pokerroom.ledger.books import BookedHand, BookedRound, BookedTransfer, Books
from pokerroom.ledger.tournaments import Opening, PlaceRow, TournamentRow
from pokerroom.ledger.transfers import REFILL
from pokerroom.poker.record_audit import hand_played_again
from pokerroom.table.record_audit import NotPlayed, RecordAudit
from pokerroom.table.seal import Seal
from pokerroom.ultimate.record_audit import round_played_again
from pokerroom.verifier.records import hand_digest, record_digest

ROWS_MAX: Final = 1_000
"""So many rows of tournaments are remembered."""


class ExaminedHand(msgspec.Struct, frozen=True, kw_only=True):
    """What follows from a hand for the next one. `record` is set for a hand of a tournament.

    `archived`: its record is in a file that was not given, so its legs alone tell of it.
    """

    subject: str
    table: str
    epoch: int | None
    ended_ms: int
    stacks: tuple[tuple[int, int, int], ...]
    """Account, stack before and after, of each player."""
    record: HandRecord | None = None
    rake_terms: RakeTermsRecord | None = None
    archived: bool = False
    in_chips: bool = False


class ExaminedRound(msgspec.Struct, frozen=True, kw_only=True):
    """What follows from a round for the next one: `meter` is what the meter held before it, by its record."""

    subject: str
    table: str
    meter: int | None


class Examined(msgspec.Struct, kw_only=True):
    """A transfer, and what it shows by itself. `notes` are pairs of a subject and a difference."""

    number: int
    subject: str
    kind: str
    created_ms: int
    legs: dict[str, int]
    refill_of: int | None = None
    """The account, if the transfer is a refill of play money."""
    notes: list[tuple[str, str]] = []
    hand: ExaminedHand | None = None
    round: ExaminedRound | None = None
    played: Literal["hands", "rounds"] | None = None
    not_played: NotPlayed | None = None

    def note(self, subject: str, differences: Iterator[str]) -> None:
        """Keep these differences."""
        self.notes += [(subject, difference) for difference in differences]


class Examiner:
    """Examines the transfers of these books. `keys` open hidden cards; None if they are not known.

    `archive` has the records that were moved to files; None if it was not given.
    """

    def __init__(
        self, books: Books, keys: tuple[bytes, ...] | None, archive: ArchiveFolder | None = None
    ) -> None:
        self._books = books
        self._archive = archive
        self._seal = None if keys is None else Seal(*keys).of(HAND_RECORDS)
        self._known_keys = frozenset(Seal(key).of(HAND_RECORDS).key_id for key in keys or ())
        self._rows: OrderedDict[str, TournamentRow | None] = OrderedDict()

    async def examine(self, transfer: BookedTransfer) -> Examined:
        """Return what a transfer shows. Raises `LedgerUnavailable`."""
        subject = f"transfer {transfer.number} ({transfer.key})"
        found = Examined(
            number=transfer.number,
            subject=subject,
            kind=transfer.kind,
            created_ms=transfer.created_ms,
            legs=dict(transfer.legs),
        )
        known = {}
        if transfer.hand is not None:
            known = {"hand": transfer.hand.hand_id, "table": transfer.hand.table}
        elif transfer.round_end is not None:
            known = {"round": transfer.round_end.round_id, "table": transfer.round_end.table}
        parsed = grammar.parse(transfer.kind, transfer.key, transfer.legs, known)
        found.note(subject, iter(parsed.differences))
        if transfer.kind == "opening" and transfer.account_opened_ms != transfer.created_ms:
            found.note(subject, iter(["is not of the moment at which its account was opened"]))
        if transfer.kind == "deposit" and parsed.parts.get("client", "").startswith(REFILL):
            found.refill_of = int(parsed.parts["account"])
        if "tournament" in parsed.parts and not parsed.differences:
            row = await self.row(parsed.parts["tournament"])
            found.note(subject, _tournament_amounts(transfer, parsed.parts, row))
        if transfer.hand is not None:
            self._hand(found, transfer, transfer.hand)
        if transfer.round_end is not None:
            self._round(found, transfer, transfer.round_end)
        return found

    async def row(self, tournament: str) -> TournamentRow | None:
        """Return a tournament at the end of the books."""
        if tournament not in self._rows:
            self._rows[tournament] = await self._books.tournament(tournament)
            if len(self._rows) > ROWS_MAX:
                self._rows.popitem(last=False)
        return self._rows[tournament]

    # --- archives ---------------------------------------------------------------------------------------------------

    def restored(
        self, record: bytes, *, is_round: bool = False, of: BookedTransfer | None = None
    ) -> tuple[bytes | None, str | None]:
        """Return a record, from its file if it was archived; None if it is not here, and what is wrong with it.

        With its transfer more is compared: the one in the file, and of a hand the encrypted cards, which the hash that
        is left does not have.
        """
        left = archived(record)
        if left is None:
            return record, None
        if self._archive is not None and not self._archive.names(left.archive):
            return None, f"its record is said to be in archive {left.archive}, which does not exist"
        if self._archive is None or not self._archive.has(left.archive):  # a missing file is named once
            return None, None
        found = self._archive.record(left, None if of is None else of.number)
        if found is None:
            return None, f"archive {left.archive} lacks its record"
        text = found.decode(errors="replace")
        digest = record_digest(text) if is_round else hand_digest(text)
        if digest[:32].hex() != left.digest:
            return None, f"its record in archive {left.archive} was changed"
        if of is not None and of.hand is not None:
            sealed = digest[32:] or None
            erased = sealed is None and of.number <= self._books.erased_to
            if sealed != of.hand.sealed and not erased:
                return None, f"its encrypted cards in archive {left.archive} are not those that were signed"
        return found, None

    # --- hands ------------------------------------------------------------------------------------------------------

    def _hand(self, found: Examined, transfer: BookedTransfer, hand: BookedHand) -> None:
        subject = f"hand {hand.hand_id} at {hand.table}"
        restored, wrong = self.restored(hand.record, of=transfer)
        if restored is None:
            found.note(subject, iter([] if wrong is None else [wrong]))
            found.not_played = "archived"
            found.hand = ExaminedHand(
                subject=subject,
                table=hand.table,
                epoch=hand.epoch,
                ended_ms=hand.ended_ms,
                stacks=(),
                archived=True,
                in_chips=hand.in_chips,
            )
            return
        audit = hand_played_again(
            restored,
            self._seal,
            known_keys=self._known_keys,
            erased=transfer.number <= self._books.erased_to,
        )
        found.note(subject, iter(audit.differences))
        _tally(found, "hands", audit)
        record = audit.record
        if record is None:
            return  # the audit of the record has said so
        named = (record.hand_id, record.table, record.started_ms, record.ended_ms)
        booked = (hand.hand_id, hand.table, hand.started_ms, hand.ended_ms)
        found.note(subject, _unequal(named, booked))
        if hand.ended_ms < hand.started_ms:
            found.note(subject, iter(["ends before it starts"]))
        if audit.by_clock != hand.by_clock:
            late, counted = sorted(audit.by_clock), sorted(hand.by_clock)
            found.note(subject, iter([f"accounts {late} were all-in by the clock, {counted} are counted"]))
        found.hand = ExaminedHand(
            subject=subject,
            table=hand.table,
            epoch=hand.epoch,
            ended_ms=hand.ended_ms,
            stacks=tuple([(seat.account, seat.stack, seat.end) for seat in record.seats]),
            record=record if hand.in_chips else None,
            in_chips=hand.in_chips,
            rake_terms=record.rake_terms,
        )
        changes = audit.changes
        if changes is None:
            changes = {account: after - before for account, before, after in found.hand.stacks}
        if hand.in_chips:
            changes = {}
        due = {f"stack:{hand.table}:{account}": change for account, change in changes.items() if change}
        rake = -sum(changes.values())
        found.note(subject, _moved(transfer.legs, due | ({f"rake:{hand.table}": rake} if rake else {})))

    # --- rounds -----------------------------------------------------------------------------------------------------

    def _round(self, found: Examined, transfer: BookedTransfer, over: BookedRound) -> None:
        subject = f"round {over.round_id} at {over.table}"
        restored, wrong = self.restored(over.record, is_round=True, of=transfer)
        if restored is None:
            found.note(subject, iter([] if wrong is None else [wrong]))
            found.not_played = "archived"
            return
        audit = round_played_again(restored)
        found.note(subject, iter(audit.differences))
        _tally(found, "rounds", audit)
        record = audit.record
        if audit.changes is None or record is None:
            return  # the record cannot be read or played
        found.note(subject, _as_booked(over, record))
        if over.ended_ms < over.started_ms:
            found.note(subject, iter(["ends before it starts"]))
        if record.get("boxes") is not None:
            meter = (record.get("meter") or {}).get("before")
            found.round = ExaminedRound(subject=subject, table=over.table, meter=meter)
            put_in: Counter[int] = Counter()
            for (account, _), amount in over.staked.items():
                put_in[account] += amount
            due = {
                f"wallet:{account}": put_in[account] + change
                for account, change in audit.changes.items()
                if put_in[account] + change
            }
            wallets = {code: amount for code, amount in transfer.legs.items() if code.startswith("wallet:")}
            found.note(subject, _moved(wallets, due))


# --- comparing ------------------------------------------------------------------------------------------------------


def _tally(found: Examined, what: Literal["hands", "rounds"], audit: RecordAudit) -> None:
    if audit.not_played is None:
        found.played = what
    else:
        found.not_played = audit.not_played


def _as_booked(over: BookedRound, record: Mapping[str, Any]) -> Iterator[str]:
    named = (
        record.get("round_id"),
        record.get("table"),
        over.started_ms,
        record.get("ended_ms"),
        record.get("void"),
    )
    booked = (over.round_id, over.table, over.started_ms, over.ended_ms, over.void)
    yield from _unequal(named, booked)
    if record.get("boxes") is None:
        return
    if record.get("started_ms") != over.started_ms:
        yield "its times are not those of its record"
    meter = record.get("meter") or {}
    amounts = ("house", over.house), ("tronc", over.tronc)
    for name, amount in amounts:
        if record.get(name) != amount:
            yield f"{name} is {record.get(name)} in its record, and {amount} in the ledger"
    for name, amount in (
        ("fed", over.meter_fed),
        ("paid", over.meter_paid),
        ("reseeded", over.meter_reseeded),
    ):
        if meter.get(name) != amount:
            yield f"the meter's {name} is {meter.get(name)} in its record, and {amount} in the ledger"
    yield from _stakes(over, record)


def _unequal(named: tuple[object, ...], booked: tuple[object, ...]) -> Iterator[str]:
    names = ("id", "table", "start", "end", "void")
    for name, recorded, stored in zip(names, named, booked, strict=False):
        if recorded != stored:
            yield f"its {name} is {recorded} in its record, and {stored} in the ledger"


def _moved(legs: Mapping[str, int], due: Mapping[str, int]) -> Iterator[str]:
    for code in sorted(legs.keys() | due.keys()):
        if legs.get(code, 0) != due.get(code, 0):
            yield f"moves {legs.get(code, 0)} of {code}, by the rules {due.get(code, 0)}"


def _stakes(over: BookedRound, record: Mapping[str, Any]) -> Iterator[str]:
    """Compare what each account put in with the bets of the record."""
    due: Counter[tuple[int, str]] = Counter()
    for box in record["boxes"]:
        for bet, staked, _ in box["bets"]:
            kind = "play" if bet == "play" and not box["extra"] else "bets"
            due[box["account"], kind] += staked
    for account, amount in record["tips"]:
        due[account, "tip"] += amount
    for account, kind in sorted(over.staked.keys() | due.keys()):
        put_in, said = over.staked.get((account, kind), 0), due[account, kind]
        if put_in != said:
            yield f"account {account} has put {put_in} into it as {kind}, {said} in its record"


def _players_at_start(transfer: BookedTransfer, row: TournamentRow) -> int:
    """Return the number of players that have paid a fee at the start: all, or all but those that came late."""
    opening = row.opening
    if opening.scheduled is None or not opening.fee:
        return opening.seats
    found = max(transfer.legs.values(), default=0) // opening.fee
    return min(max(found, opening.scheduled.players_min), row.bought)


def _tournament_amounts(  # noqa: C901, PLR0912 -- one case per kind
    transfer: BookedTransfer, parts: Mapping[str, str], row: TournamentRow | None
) -> Iterator[str]:
    """Compare the amounts of a transfer with its tournament."""
    if row is None:
        yield "is of a tournament that does not exist"
        return
    opening = row.opening
    amounts = set(transfer.legs.values())
    match transfer.kind:
        case "entry" | "entry_return" | "late_entry":
            number, account = int(parts["number"]), int(parts["account"])
            entry = next((one for one in row.entries if (one.account, one.number) == (account, number)), None)
            if entry is None or (transfer.kind == "entry_return" and not entry.returned):
                yield "is of an entry that does not exist, or was not returned"
            fee = opening.fee if transfer.kind == "late_entry" else 0
            due = {-opening.buy_in, opening.buy_in - fee - opening.bounty, fee, opening.bounty} - {0}
            if transfer.kind == "entry_return":
                due = {-amount for amount in due}
        case "fees":
            fees = _players_at_start(transfer, row) * opening.fee
            due = {fees, -fees} - {0}
        case "overlay":
            added = sum(row.prizes) - row.brought
            due = {added, -added}
        case "prize":
            place = next((one for one in row.places if one.number == int(parts["number"])), None)
            if place is None or int(parts["account"]) != place.account:
                yield "pays a place that is of another account"
                return
            yield from _unlike_prize(transfer, place, opening)
            return
        case "bounty":
            yield from _unlike_bounty(transfer, int(parts["entered"]), int(parts["number"]), row)
            return
        case "rebuy" | "add_on":
            number, account = int(parts["number"]), int(parts["account"])
            sale = next((one for one in opening.sales if one.kind == transfer.kind), None)
            named = [(one.purchase.account, one.purchase.kind, one.purchase.number) for one in row.purchases]
            if sale is None or (account, transfer.kind, number) not in named:
                yield "is of a purchase that does not exist"
                return
            due = {-sale.price, sale.prize, sale.fee} - {0}
        case "roll_back":
            players = {entry.account for entry in row.entries if not entry.returned}
            paid = {account: row.paid_by(account) for account in players}
            if _to_players(transfer) != {account: amount for account, amount in paid.items() if amount}:
                yield "returns other amounts than its players have paid"
            return
        case "cancellation":
            amounts = set(_to_players(transfer).values())
            due = {opening.buy_in} if amounts else set()
        case _:
            return
    if amounts != due:
        yield f"moves {max(amounts, default=0)}, by its tournament {max(due, default=0)}"


def _to_players(transfer: BookedTransfer) -> dict[int, int]:
    """Return what a transfer moves to each account, as money, as tickets and in chips of a club."""
    found: Counter[int] = Counter()
    for code, amount in transfer.legs.items():
        kind, _, rest = code.partition(":")
        if kind in {"wallet", "tickets", "chips"}:
            found[int(rest.rpartition(":")[2])] += amount
    return dict(found)


def _unlike_prize(transfer: BookedTransfer, place: PlaceRow, opening: Opening) -> Iterator[str]:
    """Compare the legs of a prize, of which a part may be a ticket of a satellite."""
    ticket = transfer.legs.get(f"tickets:{place.account}", 0)
    seat = opening.ticket is not None and place.prize >= opening.ticket.value == ticket
    if _to_players(transfer) != {place.account: place.prize} or (ticket and not seat):
        yield f"moves {max(transfer.legs.values())}, by its tournament {place.prize}"


def _unlike_bounty(transfer: BookedTransfer, account: int, number: int, row: TournamentRow) -> Iterator[str]:
    """Compare the legs of a transfer with what was won of the head of this entry."""
    won = [one for one in row.bounties if (one.account, one.number) == (account, number)]
    cash = {f"wallet:{one.winner}": int(one.cash) for one in won if one.cash}
    if not won or {code: amount for code, amount in transfer.legs.items() if amount > 0} != cash:
        yield "pays other parts of a head than were won, or other accounts"
