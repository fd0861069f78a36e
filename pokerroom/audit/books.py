"""Follows the books from one transfer to the next: what each may move, and what happened in each hand and round.

Every record is played again by the rules of its game, and compared with what is stored and with what it moved. Stacks
are followed from hand to hand. Memory does not grow with the number of transfers: it holds the stays and tournaments in
progress, and the first differences.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from pokerroom.audit.stacks import Stacks
from pokerroom.audit.tournaments import TournamentReplay
from pokerroom.history.hidden_cards import HAND_RECORDS
from pokerroom.history.record import read_record
from pokerroom.ledger import grammar
from pokerroom.ledger.books import BookedHand, BookedRound, BookedTransfer, Books
from pokerroom.ledger.tournaments import TournamentRow
from pokerroom.poker.record_audit import hand_played_again
from pokerroom.table.record_audit import NotPlayed, RecordAudit
from pokerroom.table.seal import Seal
from pokerroom.ultimate.record_audit import round_played_again

DIFFERENCES_MAX: Final = 10_000
"""So many sentences are kept; more are counted."""

TABLES_MAX: Final = 10_000
"""Of so many tables the last hand is remembered, and so many rows of tournaments."""

_HOUR_MS: Final = 3_600_000
_DAY_MS: Final = 24 * _HOUR_MS
"""Clocks of nodes and of the database may be wrong, but do not jump so far [D]."""

EVERY: Final = 500
"""The progress is told after so many transfers."""

Progress = Callable[[int, int], None]
"""Called with how many transfers are followed, and how many there are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BooksReport:
    """What following the books has found: `differences` are the first sentences, `count` is their number.

    `followed` counts transfers, `hands` and `rounds` those that were played again. `not_played` counts records that
    cannot be played, which is no difference. `last` is the number of the last transfer: give it as `after` next time.
    """

    differences: tuple[str, ...] = ()
    count: int = 0
    followed: int = 0
    hands: int = 0
    rounds: int = 0
    not_played: Mapping[NotPlayed, int]
    last: int = 0


async def follow(
    books: Books, keys: tuple[bytes, ...] | None, *, after: int = 0, progress: Progress = lambda *_: None
) -> BooksReport:
    """Follow the books from the transfer after number `after`. `keys` open hidden cards; None if they are not known.

    Raises `LedgerUnavailable`.
    """
    following = _Following(books, keys, after, await books.balances(after) if after else {})
    total = await books.count(after)
    async for transfer in books.transfers(after):
        await following.follow(transfer)
        if following.followed % EVERY == 0:
            progress(following.followed, total)
    await following.finish()
    return following.report()


class _Following:
    def __init__(
        self, books: Books, keys: tuple[bytes, ...] | None, after: int, balances: Mapping[str, int]
    ) -> None:
        self._books = books
        self._after = after
        self._seal = None if keys is None else Seal(*keys).of(HAND_RECORDS)
        self._known_keys = frozenset(Seal(key).of(HAND_RECORDS).key_id for key in keys or ())
        stacks = {code: one for code, one in balances.items() if code.startswith("stack:")}
        self._stacks = Stacks(stacks if after else None)
        self._balances = Counter(
            {code: one for code, one in balances.items() if not code.startswith("stack:")}
        )
        self._tournaments: dict[str, TournamentReplay] = {}
        self._rows: OrderedDict[str, TournamentRow | None] = OrderedDict()
        self._clocks: OrderedDict[str, tuple[int, int]] = OrderedDict()
        self._created: tuple[int, int] | None = None
        self._found: list[str] = []
        self._count = 0
        self._played: Counter[str] = Counter()
        self._not_played: Counter[NotPlayed] = Counter()
        self.followed = 0

    def report(self) -> BooksReport:
        return BooksReport(
            differences=tuple(self._found),
            count=self._count,
            followed=self.followed,
            hands=self._played["hands"],
            rounds=self._played["rounds"],
            not_played=dict(self._not_played),
            last=self._books.last,
        )

    def _note(self, subject: str, differences: Iterator[str]) -> None:
        for difference in differences:
            self._count += 1
            if len(self._found) < DIFFERENCES_MAX:
                self._found.append(f"{subject}: {difference}")

    async def follow(self, transfer: BookedTransfer) -> None:
        self.followed += 1
        subject = f"transfer {transfer.number} ({transfer.key})"
        known = {}
        if transfer.hand is not None:
            known = {"hand": transfer.hand.hand_id, "table": transfer.hand.table}
        elif transfer.round_end is not None:
            known = {"round": transfer.round_end.round_id, "table": transfer.round_end.table}
        parsed = grammar.parse(transfer.kind, transfer.key, transfer.legs, known)
        self._note(subject, iter(parsed.differences))
        self._note(subject, self._in_time(transfer))
        self._note(subject, self._stays(transfer))
        if transfer.kind == "opening" and transfer.account_opened_ms != transfer.created_ms:
            self._note(subject, iter(["is not of the moment at which its account was opened"]))
        if "tournament" in parsed.parts and not parsed.differences:
            row = await self._row(parsed.parts["tournament"])
            self._note(subject, _tournament_amounts(transfer, parsed.parts, row))
        if transfer.hand is not None:
            await self._hand(transfer, transfer.hand)
        if transfer.round_end is not None:
            self._round(transfer, transfer.round_end)
        for code, amount in transfer.legs.items():
            if code.startswith(("meter:", "house:")):
                self._balances[code] += amount

    async def finish(self) -> None:
        """Compare what is in progress with the present state."""
        self._note("stacks", self._stacks.finished(await self._books.held_stacks()))
        for name in list(self._tournaments):
            self._tournament_ended(name)

    # --- one transfer -----------------------------------------------------------------------------------------------

    def _in_time(self, transfer: BookedTransfer) -> Iterator[str]:
        before, self._created = self._created, (transfer.number, transfer.created_ms)
        if before is not None and transfer.created_ms + _HOUR_MS < before[1]:
            yield f"was created long before transfer {before[0]}, which has a lower number"

    def _stays(self, transfer: BookedTransfer) -> Iterator[str]:
        for code, amount in transfer.legs.items():
            if code.startswith("stack:"):
                match transfer.kind:
                    case "buy_in":
                        yield from self._stacks.buy_in(code, amount)
                    case "top_up":
                        yield from self._stacks.top_up(code, amount)
                    case "cash_out":
                        yield from self._stacks.cash_out(code, -amount)
                    case _:
                        pass  # hands are followed with their records

    # --- hands ------------------------------------------------------------------------------------------------------

    async def _hand(self, transfer: BookedTransfer, hand: BookedHand) -> None:
        subject = f"hand {hand.hand_id} at {hand.table}"
        audit = hand_played_again(
            hand.record,
            self._seal,
            known_keys=self._known_keys,
            erased=transfer.number <= self._books.erased_to,
        )
        self._note(subject, iter(audit.differences))
        self._tally("hands", audit)
        try:
            record = read_record(hand.record)
        except (msgspec.DecodeError, msgspec.ValidationError):
            return  # the audit of the record has said so
        named = (record.hand_id, record.table, record.started_ms, record.ended_ms)
        booked = (hand.hand_id, hand.table, hand.started_ms, hand.ended_ms)
        self._note(subject, _unequal(named, booked))
        self._note(subject, self._at_time(transfer, hand))
        if audit.by_clock != hand.by_clock:
            late, counted = sorted(audit.by_clock), sorted(hand.by_clock)
            self._note(subject, iter([f"accounts {late} were all-in by the clock, {counted} are counted"]))
        changes = audit.changes
        if changes is None:
            changes = {seat.account: seat.end - seat.stack for seat in record.seats}
        if hand.in_chips:
            replay = await self._replay(hand.table)
            if replay is not None:
                self._note(subject, replay.hand(record))
                if replay.complete:
                    self._tournament_ended(hand.table)
            changes = {}
        else:
            for seat in record.seats:
                self._note(subject, self._stacks.hand(hand.table, seat.account, seat.stack, seat.end))
        due = {f"stack:{hand.table}:{account}": change for account, change in changes.items() if change}
        rake = -sum(changes.values())
        self._note(subject, _moved(transfer.legs, due | ({f"rake:{hand.table}": rake} if rake else {})))

    def _tally(self, what: str, audit: RecordAudit) -> None:
        if audit.not_played is None:
            self._played[what] += 1
        else:
            self._not_played[audit.not_played] += 1

    def _at_time(self, transfer: BookedTransfer, hand: BookedHand) -> Iterator[str]:
        """The clock of a node may differ from that of the ledger, but by about the same time from hand to hand."""
        if hand.ended_ms < hand.started_ms:
            yield "ends before it starts"
        if hand.epoch is None:
            return
        ahead = hand.ended_ms - transfer.created_ms
        last = self._clocks.pop(hand.table, None)
        self._clocks[hand.table] = hand.epoch, ahead
        if len(self._clocks) > TABLES_MAX:
            self._clocks.popitem(last=False)
        if last is not None and last[0] == hand.epoch and abs(last[1] - ahead) > _DAY_MS:
            yield "its times are more than a day away from those of the hand before it, by the ledger's clock"

    # --- tournaments ------------------------------------------------------------------------------------------------

    async def _row(self, tournament: str) -> TournamentRow | None:
        if tournament not in self._rows:
            self._rows[tournament] = await self._books.tournament(tournament)
            if len(self._rows) > TABLES_MAX // 10:
                self._rows.popitem(last=False)
        return self._rows[tournament]

    async def _replay(self, tournament: str) -> TournamentReplay | None:
        if tournament not in self._tournaments:
            row = await self._row(tournament)
            if row is None:
                return None
            self._tournaments[tournament] = replay = TournamentReplay(row)
            self._note(f"tournament {tournament}", iter(replay.differences))
            earlier = await self._books.hands_before(tournament, self._after) if self._after else ()
            for record in earlier:
                self._note(f"tournament {tournament}", replay.hand(read_record(record)))
        return self._tournaments[tournament]

    def _tournament_ended(self, tournament: str) -> None:
        self._note(f"tournament {tournament}", self._tournaments.pop(tournament).ended())

    # --- rounds -----------------------------------------------------------------------------------------------------

    def _round(self, transfer: BookedTransfer, over: BookedRound) -> None:
        subject = f"round {over.round_id} at {over.table}"
        audit = round_played_again(over.record)
        self._note(subject, iter(audit.differences))
        self._tally("rounds", audit)
        if audit.changes is None:
            return  # the record cannot be read or played
        record = msgspec.json.decode(over.record, type=dict[str, Any])
        self._note(subject, self._as_booked(over, record))
        if over.ended_ms < over.started_ms:
            self._note(subject, iter(["ends before it starts"]))
        if record.get("boxes") is not None:
            put_in: Counter[int] = Counter()
            for (account, _), amount in over.staked.items():
                put_in[account] += amount
            due = {
                f"wallet:{account}": put_in[account] + change
                for account, change in audit.changes.items()
                if put_in[account] + change
            }
            wallets = {code: amount for code, amount in transfer.legs.items() if code.startswith("wallet:")}
            self._note(subject, _moved(wallets, due))

    def _as_booked(self, over: BookedRound, record: Mapping[str, Any]) -> Iterator[str]:
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
        held = self._balances[f"meter:{over.table}"]
        if meter.get("before") != held:
            yield f"the meter holds {meter.get('before')} before it in its record, and {held} in the ledger"
        yield from _stakes(over, record)


# --- comparing ------------------------------------------------------------------------------------------------------


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


def _tournament_amounts(
    transfer: BookedTransfer, parts: Mapping[str, str], row: TournamentRow | None
) -> Iterator[str]:
    """Compare the amounts of a transfer with its tournament."""
    if row is None:
        yield "is of a tournament that does not exist"
        return
    opening = row.opening
    amounts = set(transfer.legs.values())
    match transfer.kind:
        case "entry" | "entry_return":
            number, account = int(parts["number"]), int(parts["account"])
            entry = next((one for one in row.entries if (one.account, one.number) == (account, number)), None)
            if entry is None or (transfer.kind == "entry_return" and not entry.returned):
                yield "is of an entry that does not exist, or was not returned"
            due = {opening.buy_in, -opening.buy_in}
        case "fees":
            fees = opening.seats * opening.fee
            due = {fees, -fees} - {0}
        case "prize":
            place = next((one for one in row.places if one.number == int(parts["number"])), None)
            if place is None or int(parts["account"]) != place.account:
                yield "pays a place that is of another account"
                return
            due = {place.prize, -place.prize}
        case "cancellation" | "roll_back":
            amounts = {amount for code, amount in transfer.legs.items() if code.startswith("wallet:")}
            due = {opening.buy_in} if amounts else set()
        case _:
            return
    if amounts != due:
        yield f"moves {max(amounts, default=0)}, by its tournament {max(due, default=0)}"
