"""Follows the books from one transfer to the next: stacks, meters, tournaments and times, in the order of the ledger.

What a transfer shows by itself is examined first (`examine`), here or by other processes (`workers`). Memory does not
grow with the number of transfers: it holds the stays and tournaments in progress, and the first differences.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pokerroom.audit.examine import Examined, ExaminedHand, Examiner
from pokerroom.audit.refills import Refills
from pokerroom.audit.stacks import Stacks
from pokerroom.audit.tournaments import TournamentReplay, unlike_terms
from pokerroom.history.record import HandRecord, read_record
from pokerroom.ledger.archive_files import ArchiveFolder
from pokerroom.ledger.books import Books, RefillTermsRow
from pokerroom.ledger.tournaments import tournament_at
from pokerroom.table.record_audit import NotPlayed

DIFFERENCES_MAX: Final = 10_000
"""So many sentences are kept; more are counted."""

TABLES_MAX: Final = 10_000
"""Of so many tables the last hand is remembered."""

_HOUR_MS: Final = 3_600_000
_DAY_MS: Final = 24 * _HOUR_MS
"""Clocks of nodes and of the database may be wrong, but do not jump so far [D]."""

EVERY: Final = 500
"""The progress is told after so many transfers."""

Progress = Callable[[int, int], None]
"""Called with how many transfers are followed, and how many there are."""

ExamineAll = Callable[[Books, int], AsyncIterator[Examined]]
"""Examines all transfers after a number, in order; see `workers`."""


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
    refill_terms: Sequence[RefillTermsRow] = ()
    """All terms of refills that were in force, in order: the operator knows which of them the settings had."""


async def follow(
    books: Books,
    keys: tuple[bytes, ...] | None,
    *,
    after: int = 0,
    archive: ArchiveFolder | None = None,
    progress: Progress = lambda *_: None,
    examine_all: ExamineAll | None = None,
) -> BooksReport:
    """Follow the books from the transfer after number `after`. `keys` open hidden cards; None if they are not known.

    `archive` has archived records; without it such hands are followed by their legs. `examine_all` may let other
    processes examine. Raises `LedgerUnavailable`.
    """
    examiner = Examiner(books, keys, archive)
    balances = await books.balances(after) if after else {}
    refills = Refills(
        await books.refill_terms(),
        last_ms=await books.last_refills(after) if after else {},
        balances=balances,
        without_to=books.refills_without_terms_to,
    )
    following = _Following(books, examiner, after, balances, refills)
    total = await books.count(after)
    async for examined in (
        examine_all(books, after) if examine_all else _examined_here(books, examiner, after)
    ):
        await following.follow(examined)
        if following.followed % EVERY == 0:
            progress(following.followed, total)
    await following.finish()
    return following.report()


async def _examined_here(books: Books, examiner: Examiner, after: int) -> AsyncIterator[Examined]:
    async for transfer in books.transfers(after):
        yield await examiner.examine(transfer)


class _Following:
    def __init__(
        self, books: Books, examiner: Examiner, after: int, balances: Mapping[str, int], refills: Refills
    ) -> None:
        self._books = books
        self._examiner = examiner
        self._after = after
        stacks = {code: one for code, one in balances.items() if code.startswith("stack:")}
        self._stacks = Stacks(stacks if after else None)
        self._meters = Counter({code: one for code, one in balances.items() if code.startswith("meter:")})
        self._refills = refills
        self._tournaments: dict[str, TournamentReplay] = {}
        self._last_hands: OrderedDict[str, tuple[ExaminedHand, int]] = OrderedDict()
        self._created: tuple[int, int] | None = None
        self._has_terms = False
        """Whether a hand has had the terms of its rake: since then all have them."""
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
            refill_terms=self._refills.terms,
        )

    def _note(self, subject: str, differences: Iterator[str]) -> None:
        for difference in differences:
            self._count += 1
            if len(self._found) < DIFFERENCES_MAX:
                self._found.append(f"{subject}: {difference}")

    async def follow(self, examined: Examined) -> None:
        self.followed += 1
        for subject, difference in examined.notes:
            self._note(subject, iter([difference]))
        self._note(examined.subject, self._in_time(examined))
        self._note(examined.subject, self._stays(examined))
        self._note(examined.subject, self._refills.follow(examined))
        if examined.played is not None:
            self._played[examined.played] += 1
        elif examined.not_played is not None:
            self._not_played[examined.not_played] += 1
        if examined.hand is not None:
            await self._hand(examined, examined.hand)
        if examined.round is not None:
            held = self._meters[f"meter:{examined.round.table}"]
            if examined.round.meter != held:
                told = f"the meter holds {examined.round.meter} before it in its record, and {held} in the ledger"
                self._note(examined.round.subject, iter([told]))
        for code, amount in examined.legs.items():
            if code.startswith("meter:"):
                self._meters[code] += amount

    async def finish(self) -> None:
        """Compare what is in progress with the present state."""
        self._note("stacks", self._stacks.finished(await self._books.held_stacks()))
        for name in list(self._tournaments):
            self._tournament_ended(name)
        async for opening in self._books.openings():
            self._note(f"tournament {opening.tournament}", unlike_terms(opening))

    # --- one transfer -----------------------------------------------------------------------------------------------

    def _in_time(self, examined: Examined) -> Iterator[str]:
        before, self._created = self._created, (examined.number, examined.created_ms)
        if before is not None and examined.created_ms + _HOUR_MS < before[1]:
            yield f"was created long before transfer {before[0]}, which has a lower number"

    def _stays(self, examined: Examined) -> Iterator[str]:
        moved = {
            "buy_in": self._stacks.buy_in,
            "top_up": self._stacks.top_up,
            "cash_out": self._stacks.cash_out,
        }
        follow = moved.get(examined.kind)  # hands are followed with their records
        if follow is not None:
            for code, amount in examined.legs.items():
                if code.startswith("stack:"):
                    yield from follow(code, -amount if examined.kind == "cash_out" else amount)

    # --- hands ------------------------------------------------------------------------------------------------------

    async def _hand(self, examined: Examined, hand: ExaminedHand) -> None:
        if hand.archived:
            await self._archived_hand(examined, hand)
            return
        self._note(hand.subject, self._goes_on(examined, hand))
        if hand.rake_terms is not None:
            self._has_terms = True
        elif examined.not_played == "no_terms" and (
            self._has_terms or examined.created_ms >= self._books.rake_terms_since_ms
        ):
            self._note(
                hand.subject, iter(["the terms of its rake were removed: hands of its time have them"])
            )
        if hand.record is not None:
            await self._tournament_hand(tournament_at(hand.table), hand.record)
            return
        for account, before, after in hand.stacks:
            self._note(hand.subject, self._stacks.hand(hand.table, account, before, after))

    async def _archived_hand(self, examined: Examined, hand: ExaminedHand) -> None:
        if hand.in_chips:
            tournament = tournament_at(hand.table)
            replay = await self._replay(tournament)
            if replay is not None:
                replay.skip()
                if replay.complete:
                    self._tournament_ended(tournament)
            return
        for code, amount in examined.legs.items():
            if code.startswith("stack:"):
                self._note(hand.subject, self._stacks.change(code, amount))

    def _goes_on(self, examined: Examined, hand: ExaminedHand) -> Iterator[str]:
        """Compare a hand with the one before it at its table, under the same owner.

        The clock of a node may differ from that of the ledger, but by about the same time from hand to hand. A node
        reads the terms of the rake when it starts.
        """
        if hand.epoch is None:
            return
        ahead = hand.ended_ms - examined.created_ms
        last = self._last_hands.pop(hand.table, None)
        self._last_hands[hand.table] = hand, ahead
        if len(self._last_hands) > TABLES_MAX:
            self._last_hands.popitem(last=False)
        if last is None or last[0].epoch != hand.epoch:
            return
        if abs(last[1] - ahead) > _DAY_MS:
            yield "its times are more than a day away from those of the hand before it, by the ledger's clock"
        if last[0].rake_terms != hand.rake_terms:
            yield "its terms of the rake are not those of the hand before it"

    # --- tournaments ------------------------------------------------------------------------------------------------

    async def _tournament_hand(self, tournament: str, record: HandRecord) -> None:
        replay = await self._replay(tournament)
        if replay is not None:
            self._replayed(replay, record)
            if replay.complete:
                self._tournament_ended(tournament)

    async def _replay(self, tournament: str) -> TournamentReplay | None:
        if tournament not in self._tournaments:
            row = await self._examiner.row(tournament)
            if row is None:
                return None
            self._tournaments[tournament] = replay = TournamentReplay(
                row,
                await self._books.moves(tournament),
                late_seats_since_ms=self._books.late_seats_since_ms,
            )
            self._note(f"tournament {tournament}", iter(replay.differences))
            earlier = await self._books.hands_before(tournament, self._after) if self._after else ()
            for record in earlier:
                restored, _ = self._examiner.restored(record)  # what is wrong is told where it is followed
                if restored is None:
                    replay.skip()
                else:
                    self._replayed(replay, read_record(restored))
        return self._tournaments[tournament]

    def _replayed(self, replay: TournamentReplay, record: HandRecord) -> None:
        for subject, difference in replay.hand(record):
            self._note(subject, iter([difference]))

    def _tournament_ended(self, tournament: str) -> None:
        self._note(f"tournament {tournament}", self._tournaments.pop(tournament).ended())
