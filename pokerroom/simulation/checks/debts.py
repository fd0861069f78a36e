"""Check the seats dealt in, where the button and the blinds are, and what each player posts: B1, B3, B4, B7, B8.

Keeps the debts of every sitting from the ledger's records, which have every hand, and from its buy-ins. Which players
sat in is known of hands that a viewer was told; of others only the posts are judged. A debtor's choice to post is the
last one acknowledged; while an answer is open, either is right. A player that sits down waits, unless they say
otherwise: of a request without an answer a crash may leave the buy-in alone.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

from pokerroom.simulation.checks.blinds import (
    BIG,
    NEWCOMER,
    NOTHING,
    SMALL,
    Blinds,
    Debt,
    ExpectedHand,
    Waiting,
    blinds_of,
    expected,
    expected_first,
    missed,
)
from pokerroom.simulation.checks.checker import CheckContext, Checker, Key, Sitting
from pokerroom.simulation.checks.choices import PlayersChoice
from pokerroom.simulation.checks.settings import CheckedSettings
from pokerroom.simulation.checks.table_facts import CheckedTable
from pokerroom.simulation.checks.violation import Kind
from pokerroom_protocol import messages as wire


class _Ready(NamedTuple):
    """A player that sat in with chips before a hand, and may have left since."""

    account: int
    owes: Debt
    posts_now: PlayersChoice[bool]


_POSTS = {"big_blind", "small_blind", "live_post", "dead_post"}


class DebtChecker(Checker):
    """All cash tables."""

    def __init__(self, context: CheckContext) -> None:
        super().__init__(context)
        self._last: dict[str, Blinds] = {}
        self._debts: dict[Sitting, Debt] = {}
        """Of every account that sits."""
        self._seats: defaultdict[str, dict[int, int]] = defaultdict(dict)
        """Table -> seat -> account, in the order in which they sat down."""
        self._unordered: dict[str, set[int]] = {}
        """Table -> seats that a snapshot had: which of them was taken first is not known."""
        self._posts_now: defaultdict[Sitting, PlayersChoice[bool]] = defaultdict(lambda: PlayersChoice(False))
        self._may_cancel: set[Sitting] = set()
        """Players that have asked to sit out at the big blind: a `sit_in` may end that alone."""
        self._waiting: dict[str, dict[int, _Ready]] = {}
        """Hand -> by seat, the players that sat in before it, in the order in which they sat down."""

    # --- what players choose ----------------------------------------------------------------------------------

    def reached(self, account: int | None, key: Key, request: wire.Request) -> None:
        """A request has reached the room."""
        if account is None:
            return
        if isinstance(request, wire.SitDown | wire.SitIn):
            self._posts_now[request.table, account].asked(key, request.post, self._now_ms())
        elif isinstance(request, wire.SitOut) and request.when == "next_big_blind":
            self._may_cancel.add((request.table, account))

    def answered(self, account: int | None, key: Key, request: wire.Request, *, ok: bool) -> None:
        """A request is answered."""
        if account is None or not isinstance(request, wire.SitDown | wire.SitIn):
            return
        where = request.table, account
        open_end = isinstance(request, wire.SitIn) and where in self._may_cancel
        self._posts_now[where].answered(key, self._now_ms(), accepted=ok, certain=not open_end)

    # --- the ledger -------------------------------------------------------------------------------------------

    def booked(self, name: str, args: tuple[Any, ...]) -> None:
        """The ledger has moved money."""
        if name == "buy_in":
            _, table, _, seat, account, _, _ = args
            self._seats[table][seat] = account
            self._debts[table, account] = frozenset({NEWCOMER})
        elif name == "cash_out":
            table, account = args[1], args[3]
            self._debts.pop((table, account), None)
            self._posts_now.pop((table, account), None)
            self._may_cancel.discard((table, account))
            self._seats[table] = {seat: one for seat, one in self._seats[table].items() if one != account}

    def seat_of(self, table: str, account: int) -> int | None:
        """The seat of an account, as the ledger has it."""
        return next((seat for seat, one in self._seats[table].items() if one == account), None)

    def synced(self, facts: CheckedTable) -> None:
        """The facts start again from a snapshot."""
        self._unordered[facts.table] = set(facts.seats)

    def seat_taken(self, event: wire.SeatTaken) -> None:
        """A table tells that a player sits: in its own order, since answers of the ledger may pass each other."""
        sitting = self._seats[event.table]
        if event.seat in sitting:
            sitting[event.seat] = sitting.pop(event.seat)

    def started(self, facts: CheckedTable, event: wire.HandStarted) -> None:
        """A hand begins; the facts are those before it."""
        sitting = self._seats[facts.table]
        ready = {
            number
            for number, seat in facts.seats.items()
            if seat.stack > 0 and seat.status in {"playing", "waiting"}
        }
        if ready <= set(sitting):
            self._waiting[event.hand_id] = {
                number: self._ready(facts.table, account)
                for number, account in sitting.items()
                if number in ready
            }

    def _ready(self, table: str, account: int) -> _Ready:
        owes = self._debts.get((table, account), NOTHING)
        return _Ready(account=account, owes=owes, posts_now=self._posts_now[table, account])

    def settled(self, terms: CheckedSettings, record: dict[str, Any]) -> None:
        """A hand is settled for the first time."""
        table, hand_id = record["table"], record["hand_id"]
        dealt = {seat["seat"]: seat["account"] for seat in record["seats"]}
        last = self._last.get(table)
        now = blinds_of(record, last)
        waiting = self._waiting.pop(hand_id, None)
        if now is None:
            return  # told by another checker
        self._last[table] = now
        if waiting is not None and any(
            waiting[seat].account != account for seat, account in dealt.items() if seat in waiting
        ):
            waiting = None
        if last is None:
            if waiting is not None:
                self._check_first(terms, record, waiting, now)
            for account in dealt.values():
                self._debts[table, account] = NOTHING
            return
        known = None if waiting is None else self._expected(terms, record, last, waiting, now)
        self._check_posts(terms, record, now, known)
        for seat, account in self._seats[table].items():
            if seat in dealt:
                self._debts[table, account] = NOTHING
                continue
            owes = self._debts[table, account]
            if NEWCOMER not in owes:
                self._debts[table, account] = owes | missed(last, now, seat, terms.seats)

    # --- the plan ---------------------------------------------------------------------------------------------

    def _check_first(
        self, terms: CheckedSettings, record: dict[str, Any], waiting: dict[int, _Ready], now: Blinds
    ) -> None:
        """B1: of the players that sit in, the one that sat down first has the button."""
        table = record["table"]
        first = next(iter(waiting))
        if len(self._unordered.get(table, set()) & set(waiting)) > 1:
            return
        self._situations.note(table, "a first button")
        if first != next(iter(self._seats[table])):
            self._situations.note(table, "the first player has not the first button")
        due = expected_first(first, frozenset(waiting), terms.seats)
        self._compare(record, "at first", due, now, "B1")

    def _expected(
        self,
        terms: CheckedSettings,
        record: dict[str, Any],
        last: Blinds,
        waiting: dict[int, _Ready],
        now: Blinds,
    ) -> ExpectedHand:
        owing = {seat for seat, ready in waiting.items() if ready.owes}
        paid = self._paid(record)
        posting = set()
        for seat in owing:
            may = waiting[seat].posts_now.possible(record["started_ms"])
            if may == {True} or (may != {False} and seat in paid):
                posting.add(seat)
        due = expected(
            last,
            Waiting(seats=frozenset(waiting), owing=frozenset(owing), posting=frozenset(posting)),
            terms.seats,
            moving=terms.moving_button,
        )
        self._note(record, last, due, owing, moving=terms.moving_button)
        self._compare(record, f"after {last}", due, now, "B3, B4")
        return due

    def _compare(
        self, record: dict[str, Any], when: str, due: ExpectedHand, now: Blinds, clauses: str
    ) -> None:
        dealt = {seat["seat"] for seat in record["seats"]}
        if now != due.blinds:
            self._wrong(record, f"{when} come {now}, not {due.blinds} ({clauses})")
        elif dealt != due.dealt:
            self._wrong(record, f"dealt in are seats {sorted(dealt)}, not {sorted(due.dealt)} (B7, B8)")

    def _paid(self, record: dict[str, Any]) -> dict[int, set[str]]:
        """What each seat posts, beside antes and straddles."""
        paid: dict[int, set[str]] = {}
        for entry in record["events"]:
            if entry[0] == "post" and entry[2] in _POSTS:
                paid.setdefault(entry[1], set()).add(entry[2])
        return paid

    def _check_posts(
        self, terms: CheckedSettings, record: dict[str, Any], now: Blinds, known: ExpectedHand | None
    ) -> None:
        table, paid = record["table"], self._paid(record)
        antes = terms.ante + terms.big_blind_ante
        clear = [seat for seat in record["seats"] if not self._debts.get((table, seat["account"]), NOTHING)]
        forgiven = known.forgiven if known is not None else len(clear) <= 1 and not _owed_posts(paid)
        for seat in record["seats"]:
            number, owes = seat["seat"], self._debts.get((table, seat["account"]), NOTHING)
            due = set()
            if number == now.big:
                due = {"big_blind"}
            elif number == now.small:
                due = {"small_blind"}
            elif not forgiven:
                due = {"live_post"} if owes & {NEWCOMER, BIG} else set()
                due |= {"dead_post"} if SMALL in owes else set()
            if due & {"live_post", "dead_post"}:
                self._situations.note(table, "posts " + " and ".join(sorted(due)))
            posts = paid.get(number, set())
            rich = seat["stack"] >= antes + terms.small_blind + terms.big_blind
            if posts - due or (rich and posts != due):
                told = f"{sorted(posts)}, and owes {sorted(due)} ({', '.join(sorted(owes)) or 'no debt'})"
                self._wrong(record, f"seat {number} posts {told} (B7, B8)")

    def _note(
        self, record: dict[str, Any], last: Blinds, due: ExpectedHand, owing: set[int], *, moving: bool
    ) -> None:
        """What of the rules has come up."""
        note, blinds, table = self._situations.note, due.blinds, record["table"]
        dealt = {seat["seat"] for seat in record["seats"]}
        if due.forgiven:
            note(table, "the game starts again")
        if blinds.small not in dealt:
            note(table, "dead small blind")
        if blinds.button not in dealt:
            note(table, "dead button")
        if owing - dealt:
            note(table, "a debtor waits")
        if blinds.big in owing and not due.forgiven:
            note(table, "a debtor takes the big blind")
        if moving and blinds.small != last.big:
            note(table, "moving button, another than the dead one")
        if (last.button == last.small) != (blinds.button == blinds.small):
            note(table, "heads-up begins" if blinds.button == blinds.small else "heads-up ends")

    def _wrong(self, record: dict[str, Any], line: str) -> None:
        self._blame(Kind.BLINDS, record["table"], record["hand_id"], line)


def _owed_posts(paid: dict[int, set[str]]) -> bool:
    return any(posts & {"live_post", "dead_post"} for posts in paid.values())
