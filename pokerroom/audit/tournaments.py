"""Plays a tournament again from its hands: seats, moves, chips, blinds and button of each hand, places and prizes.

The rules of tournaments say for each hand which players are dealt in, what they owe and where the button is; then which
players are out, and what the places pay. Each table is followed for itself. A move of players to other tables comes
between the hands that the ledger has noted with it, so a hand waits for moves to its table, and for those that come
late. So does an entry after the start, which comes from no seat. After a loss of the journal the button began again
(B1), and the level followed from the start: both are taken as the record shows them.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Final

import msgspec

from pokerroom.audit.bounties import HeadReplay
from pokerroom.audit.deals import unlike_deal
from pokerroom.audit.places import LostHand, unlike, unlike_hands
from pokerroom.audit.satellites import unlike_seats, with_a_seat, without
from pokerroom.chips import Chips
from pokerroom.history.record import HandRecord, owed_in
from pokerroom.ledger.tournament_entries import seat_number, table_and_seat
from pokerroom.ledger.tournaments import MoveRow, Opening, TournamentRow, table_number
from pokerroom.rules.betting import FixedLimit
from pokerroom.rules.button import Owes
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.deal_making import places_by_deal, prizes_by_deal
from pokerroom.rules.tournament.hand_for_hand import EliminatedPlayer
from pokerroom.rules.tournament.refusal import TournamentRefusal
from pokerroom.rules.tournament.seat_draw import place_of
from pokerroom.rules.tournament.state import (
    PlacedPlayer,
    TablePlay,
    Tournament,
    TournamentHand,
    TournamentPhase,
    TournamentPlayer,
    TournamentTerms,
)
from pokerroom.rules.tournament.tables import tables_needed
from pokerroom.tournament.offers import offer_of, opening_as, terms_of
from pokerroom.tournament.restore import deal_of, standings_of

_FAILURES: Final = (InvariantBroken, TournamentRefusal, LookupError, TypeError, ValueError)


_UNREADABLE: Final = (msgspec.DecodeError, ValueError)
"""What terms raise that this build cannot read."""


def unlike_terms(opening: Opening) -> Iterator[str]:
    """Compare what the ledger says of a tournament with its terms."""
    try:
        offer = offer_of(opening)
        if opening_as(offer, opening) != replace(opening, terms=msgspec.json.encode(offer)):
            yield "its seats, amounts or prizes are not those of its terms"
        terms_of(offer)
    except _UNREADABLE as error:
        yield f"its terms cannot be read: {error}"


@dataclass(slots=True, eq=False)
class _Table:
    """A table. `moves` are those to it and from it that are not made yet: their number, and its hands before them."""

    play: TablePlay
    accounts: set[int] = field(default_factory=set)
    """Those that sit here, and those that went out here."""
    level: int = 0
    came: list[int] = field(default_factory=list)
    """Accounts that have come since its last hand, in order."""
    waiting: deque[HandRecord] = field(default_factory=deque)
    """Hands that are not followed yet."""
    moves: deque[tuple[int, int]] = field(default_factory=deque)

    @property
    def goes_on(self) -> bool:
        """Whether no move comes before the next hand."""
        return not self.moves or self.moves[0][1] > self.play.hands


class TournamentReplay:
    """One tournament; `row` is its row at the end, `moves` are all of its moves.

    The first seats of late entries are among them if it was started at `late_seats_since_ms` or later; an older one is
    not followed if it took late entries. Methods yield differences, `hand` with their subject.
    """

    def __init__(
        self, row: TournamentRow, moves: Sequence[MoveRow] = (), *, late_seats_since_ms: int = 0
    ) -> None:
        self._row = row
        self._terms: TournamentTerms | None = None
        self._players: dict[int, TournamentPlayer] = {}
        self._tables: dict[int, _Table] = {}
        self._moves = deque(tuple(together) for _, together in groupby(moves, key=lambda move: move.number))
        self._out: list[LostHand] = []
        self._purchases = sorted(
            (one for one in row.purchases if one.given), key=lambda one: (one.table, one.hands)
        )
        """Rebuys and add-ons that are not given yet."""
        self._replaced: list[tuple[int, int]] = []
        """Accounts that have entered again, and the numbers of the seats in which they were out."""
        self._bounties = HeadReplay(row)
        self._deal = self._agreed = deal_of(row)
        """The deal until play has come to it."""
        self._seen = 0
        self._hands = sum(table.hands for table in row.tables)
        self.differences: list[str] = []
        """What its seats show, before a hand."""
        try:
            terms = terms_of(offer_of(row.opening))
        except _UNREADABLE:
            return  # see `unlike_terms`
        takes_late = terms.entries is not None and terms.entries.late_levels > 0
        if takes_late and (row.started_ms or 0) < late_seats_since_ms:
            return
        seats = _seats_at_start(row, moves)
        if seats is None:
            self.differences.append("its late entries are not those that were given seats")
            return
        tables = tables_needed(len(seats), terms.table_seats)
        drawn = [seat_number(*place_of(number, tables)) for number in range(1, len(seats) + 1)]
        if sorted(seats.values()) != sorted(drawn) or (terms.entries is None and len(seats) != terms.seats):
            self.differences.append("its players were not drawn to its seats, one each")
            return
        for account, number in seats.items():
            self._sit_down(terms, account, number, Owes.nothing)
        if not self._expect(moves):
            return
        if {table.number for table in row.tables} != self._tables.keys():
            self.differences.append("its tables are not those of the draw and of late entries")
            return
        self._terms = terms

    def _expect(self, moves: Sequence[MoveRow]) -> bool:
        """Let the tables wait for these moves; return False if one is of a table that is not there."""
        for move in moves:
            if move.seat is None:
                self._table_of(move.to)  # it may open one
            sides = _hands_before(move)
            if not sides.keys() <= self._tables.keys():
                self.differences.append(f"move {move.number} is of a table that it does not have")
                return False
            if move.from_hands is not None and sides.get(table_and_seat(move.to)[0]) != move.to_hands:
                self.differences.append(f"move {move.number} is within a table, of two numbers of hands")
                return False
            for table, hands in sides.items():
                self._tables[table].moves.append((move.number, hands))
        return True

    def hand(self, hand: HandRecord) -> Iterator[tuple[str, str]]:
        """Follow a finished hand, and those that have waited for it."""
        self._seen += 1
        table = self._tables.get(table_number(hand.table))
        if self._terms is None or table is None:
            return
        table.waiting.append(hand)
        try:
            yield from self._follow_on(table)
        except _FAILURES as error:
            self._terms = None
            yield _subject(hand), f"its tournament does not come to it: {error}"

    def skip(self) -> None:
        """Go past a hand that is not here: of the tournament the sums alone are compared."""
        self._seen += 1
        self._terms = None

    @property
    def complete(self) -> bool:
        """Whether all hands that the tables have counted were given."""
        return self._seen >= self._hands

    def ended(self) -> Iterator[str]:
        """Compare the places, after the last hand. Those of a running tournament may not be given yet."""
        terms, row = self._terms, self._row
        if terms is None:
            return
        if (wrong := self._last_moves()) is not None:
            yield wrong
            return
        yield from self._unlike_deal(terms)
        if self._deal is not None:
            yield f"its deal was made after {self._deal.hands} hands at a final table, which there was not"
        yield from self._unlike_ledger()
        yield from self._unlike_terms(terms)
        yield from self._bounties.ended()
        given = standings_of(row)
        left = [player for player in self._players.values() if player.chips]
        seats = terms.seats_paid(row.prizes)
        if row.phase in {"running", "finished"} and len(left) <= seats:
            yield from self._unlike_satellite(given, [player.account for player in left], seats)
            return
        first = [one for one in given if one.number <= len(left)]
        match row.phase:
            case "finished" if self._agreed is not None and not self._agreed.for_the_winner:
                yield from unlike(first, [places_by_deal(self._agreed)])
            case "finished":
                if seats or len(left) != 1:
                    yield f"it is finished, and its hands leave {len(left)} players"
                    return
                won = rules.standings_from(row.prizes, [[left[0].account]], 1)
                yield from unlike(first, [prizes_by_deal(won, self._agreed)])
            case "rolled_forward":
                yield from unlike(first, list(self._rolled_forward(terms)))
            case "running" | "rolled_back":
                yield from unlike(first, [()])
            case _:
                yield f"it is {row.phase}, and has hands"
        ended = row.phase in {"finished", "rolled_forward"}
        yield from unlike_hands(
            row.prizes,
            self._out,
            given,
            players=len(self._players),
            left=len(left),
            all_given=ended,
            deal=self._agreed,
            ties=terms.ties,
        )

    def _last_moves(self) -> str | None:
        """Make the moves and give the chips that come after the last hand; return what is wrong."""
        try:
            while self._make_moves():
                pass
            self._add_chips()
        except _FAILURES as error:
            return f"its last moves cannot be made: {error}"
        return None

    def _unlike_satellite(
        self, given: Sequence[PlacedPlayer], left: Sequence[int], seats: int
    ) -> Iterator[str]:
        """Compare the places of a satellite that is decided: no more players are left than it has seats (L14)."""
        row, won = self._row, with_a_seat(self._players, given, seats)
        ended = row.phase == "finished"
        if ended:
            yield from unlike_seats(row.prizes, self._out, given, won, left)
        yield from unlike_hands(
            row.prizes,
            without(self._out, won),
            given,
            players=len(self._players),
            left=seats,
            all_given=ended,
        )

    def _unlike_terms(self, terms: TournamentTerms) -> Iterator[str]:
        """Compare the prizes that were fixed when entries closed with those of all entries (L11, L12)."""
        row = self._row
        if terms.payout is None or not row.fixed_prizes:
            return
        players = len(self._players)
        due = [
            terms.payout.prizes(entries=row.bought, players=players, bought=row.brought, left=left)
            for left in (
                players,
                len(row.fixed_prizes),
            )  # a satellite gives no more seats than players are left
        ]
        if row.fixed_prizes not in due:
            yield f"its prizes are {list(row.fixed_prizes)}, by its terms {list(due[0])}"

    def _unlike_deal(self, terms: TournamentTerms) -> Iterator[str]:
        """Compare the deal once play has come to it: between the hands of the last table."""
        open_tables = self._open()
        if self._deal is None or len(open_tables) != 1:
            return
        (table,) = (self._tables[number] for number in open_tables)
        if table.play.hands != self._deal.hands:
            return
        deal, self._deal = self._deal, None
        by_seat = sorted((each for each in self._players.values() if each.chips), key=lambda each: each.seat)
        positions = table.play.positions
        button = 0 if positions is None else positions.button
        from_button = sorted(by_seat, key=lambda each: (each.seat <= button, each.seat))
        yield from unlike_deal(deal, terms.deals, self._row.prizes, [from_button, by_seat])

    def _unlike_ledger(self) -> Iterator[str]:
        """Compare what is left over, and the chips and seats."""
        for table in self._tables.values():
            for hand in table.waiting:
                yield f"hand {hand.hand_id} does not come after the moves of its table"
        if self._moves:
            yield f"move {self._moves[0][0].number} is of other hands than those that were played"
        for late in self._purchases:
            yield f"a purchase of account {late.purchase.account} is of other hands than those that were played"
        found = {
            entry.account: (entry.chips, *table_and_seat(entry.seat))
            for entry in self._row.entries
            if entry.seat and not entry.replaced
        }
        replaced = [(entry.account, entry.seat) for entry in self._row.entries if entry.replaced]
        if sorted(replaced) != sorted(self._replaced) or found != {
            player.account: (player.chips, player.table, player.seat) for player in self._players.values()
        }:
            yield "its players have other chips or seats than after its hands and moves"

    # --- from hand to hand ------------------------------------------------------------------------------------------

    def _follow_on(self, table: _Table) -> Iterator[tuple[str, str]]:
        """Follow what waits at a table; once moves are made, what waits at the others, too."""
        yield from self._follow_waiting(table)
        while self._terms is not None and self._make_moves():
            for other in self._tables.values():
                yield from self._follow_waiting(other)

    def _follow_waiting(self, table: _Table) -> Iterator[tuple[str, str]]:
        while self._terms is not None and table.waiting and table.goes_on:
            hand = table.waiting.popleft()
            for difference in self._unlike_deal(self._terms):
                yield _subject(hand), difference
            for difference in self._follow(self._terms, table, hand):
                self._terms = None
                yield _subject(hand), difference

    def _make_moves(self) -> bool:
        """Make the next moves if their tables have come to them; return whether they have."""
        if not self._moves:
            return False
        together = self._moves[0]
        for move in together:
            if any(self._tables[table].play.hands != hands for table, hands in _hands_before(move).items()):
                return False
        self._moves.popleft()
        self._add_chips()
        before = self._open()
        for move in together:
            self._check_move(move)
        for move in together:
            self._move(move)
        after = self._open()
        for move in together:
            if move.seat is not None and table_and_seat(move.seat)[0] in after:
                self._owes(move.account, Owes.balanced)
        if len(before) > len(after) == 1 and self._is_final_table(together):
            self._draw_final_table(*after)
        return True

    def _table_of(self, seat: int) -> _Table:
        """Return the table of the seat with this number."""
        number, _ = table_and_seat(seat)
        return self._tables.setdefault(number, _Table(TablePlay(number=number)))

    def _check_move(self, move: MoveRow) -> None:
        player = self._players.get(move.account)
        if move.seat is None:
            if player is not None and player.chips:
                raise LookupError(
                    f"move {move.number} is a late entry of account {move.account}, which has chips"
                )
        elif player is None or (player.table, player.seat) != table_and_seat(move.seat) or not player.chips:
            raise LookupError(f"move {move.number} is of account {move.account}, which is not in that seat")

    def _move(self, move: MoveRow) -> None:
        """Seat a player, who owes as one from a broken table."""
        assert self._terms is not None
        for table in _hands_before(move):
            side = self._tables[table]
            if side.moves and side.moves[0][0] == move.number:
                side.moves.popleft()
        if move.seat is None:
            self._forget(move.account)
            self._sit_down(self._terms, move.account, move.to, Owes.moved)
        else:
            table, seat = table_and_seat(move.to)
            player = self._players[move.account]
            self._tables[player.table].accounts.discard(move.account)
            self._players[move.account] = replace(player, table=table, seat=seat, owes=Owes.moved)
            self._table_of(move.to).accounts.add(move.account)
        self._table_of(move.to).came.append(move.account)

    def _sit_down(self, terms: TournamentTerms, account: int, number: int, owes: Owes) -> None:
        table, seat = table_and_seat(number)
        self._players[account] = TournamentPlayer(
            account=account, table=table, seat=seat, chips=terms.starting_stack, owes=owes
        )
        self._table_of(number).accounts.add(account)
        self._bounties.sit_down(account)

    def _forget(self, account: int) -> None:
        """Take an account that enters again out of those that are out, and have no place yet."""
        player = self._players.get(account)
        if player is None:
            return
        self._replaced.append((account, seat_number(player.table, player.seat)))
        self._tables[player.table].accounts.discard(account)
        self._comes_back(account)

    def _comes_back(self, account: int) -> None:
        """Take an account out of those that are out."""
        self._out = [
            replace(hand, out=out)
            for hand in self._out
            if (out := tuple(one for one in hand.out if one.account != account))
        ]

    def _owes(self, account: int, owes: Owes) -> None:
        self._players[account] = replace(self._players[account], owes=owes)

    def _is_final_table(self, together: Sequence[MoveRow]) -> bool:
        """Return whether the last tables combined. While anything is sold, the last but one is broken as others are.

        The books do not say when sales closed. Where all that moved are of one table it may be either; then the next
        hand shows it.
        """
        assert self._terms is not None
        sells = self._terms.entries is not None and self._terms.entries.last_level > 0
        return not sells or any(
            move.seat is not None and table_and_seat(move.seat)[0] == table_and_seat(move.to)[0]
            for move in together
        )

    def _draw_final_table(self, number: int) -> None:
        """Begin as at a new table (L9)."""
        table = self._tables[number]
        table.play, table.came = replace(table.play, positions=None), []
        for player in self._at(number):
            self._players[player.account] = replace(player, owes=Owes.nothing)

    def _open(self) -> set[int]:
        return {number for number in self._tables if self._at(number)}

    def _at(self, table: int) -> list[TournamentPlayer]:
        there = (self._players[account] for account in self._tables[table].accounts)
        return sorted((player for player in there if player.chips), key=lambda player: player.seat)

    def _add_chips(self) -> None:
        """Give the chips of purchases of which the tables have come to their hands (L2)."""
        for row in list(self._purchases):
            account, kind = row.purchase.account, row.purchase.kind
            player, table = self._players.get(account), self._tables.get(row.table or 0)
            sold = self._row.opening.sale(kind)
            if player is None or table is None or sold is None:
                continue
            if (player.table, table.play.hands) == (row.table, row.hands):
                self._purchases.remove(row)
                self._comes_back(account)
                self._players[account] = replace(player, chips=Chips(player.chips + sold.chips))

    def _follow(self, terms: TournamentTerms, table: _Table, hand: HandRecord) -> Iterator[str]:
        self._add_chips()
        there = {player.seat: player for player in self._at(table.play.number)}
        for seat in hand.seats:
            player = there.get(seat.seat)
            if player is None or player.account != seat.account:
                yield f"seat {seat.seat} is of account {player and player.account}, not {seat.account}"
                return
            if player.chips != seat.stack:
                yield f"account {seat.account} begins it with {seat.stack}, the hands before leave {player.chips}"
                return
        planned = self._planned(terms, table, list(there.values()), hand)
        if planned is None:
            if not list(_levels(terms, table.level, hand)):
                yield "its blinds or its betting are those of no level"
            else:
                yield "its button, its players or what they owe are not those of its tournament"
            return
        table.play = TablePlay(
            number=table.play.number, positions=planned.plan.positions, hands=table.play.hands + 1
        )
        table.level, table.came = planned.level, []
        for seat in hand.seats:
            player = replace(there[seat.seat], chips=Chips(seat.end), owes=Owes.nothing)
            self._players[seat.account] = player
        out = [
            EliminatedPlayer(
                account=seat.account, table=table.play.number, position=position, stack=seat.stack
            )
            for position, seat in enumerate(hand.seats)
            if not seat.end
        ]
        self._bounties.hand(hand)
        if out:
            seats = {seat.account: seat.seat for seat in hand.seats}
            self._out.append(
                LostHand(table=table.play.number, number=table.play.hands, out=tuple(out), seats=seats)
            )

    def _planned(
        self, terms: TournamentTerms, table: _Table, players: Sequence[TournamentPlayer], hand: HandRecord
    ) -> TournamentHand | None:
        """Return the hand as the rules deal it at the level of its stakes; None where they deal no such hand.

        Players that came since the last hand may have come when this one was dealt already. Where the journal was lost
        the button began again, or it was forgotten which player waits.
        """
        for positions in (table.play.positions, None):
            for missing in range(len(table.came) + 1):
                late = set(table.came[len(table.came) - missing :])
                there = tuple(player for player in players if player.account not in late)
                if len(there) < 2:
                    break
                for seated in (there, _owing(there, Owes.moved), _owing(there, Owes.nothing)):
                    at_table = Tournament(
                        terms=terms,
                        phase=TournamentPhase.running,
                        players=seated,
                        tables=(replace(table.play, positions=positions),),
                    )
                    for level in _levels(terms, table.level, hand):
                        planned = rules.hand_at(at_table, table.play.number, level)
                        if _is_plan_of(planned, hand):
                            return planned
        return None

    def _rolled_forward(self, terms: TournamentTerms) -> Iterator[Sequence[PlacedPlayer]]:
        """Yield the places of an early end. Where the journal was lost, odd chips went by the first seat."""
        left = sorted(
            (player for player in self._players.values() if player.chips),
            key=lambda player: (player.table, player.seat),
        )
        if len(left) < 2:
            yield ()
            return
        tables = [self._tables[number].play for number in sorted({player.table for player in left})]
        for plays in (tables, [replace(play, positions=None) for play in tables]):
            running = Tournament(
                terms=terms,
                phase=TournamentPhase.running,
                players=tuple(left),
                tables=tuple(plays),
                fixed_prizes=self._row.fixed_prizes,
                deal=self._agreed,
            )
            yield rules.roll_forward(running).standings


def _hands_before(move: MoveRow) -> dict[int, int]:
    """Return the tables of a move by number, and the hands that they have had before it."""
    found = {table_and_seat(move.to)[0]: move.to_hands}
    if move.seat is not None and move.from_hands is not None:
        found[table_and_seat(move.seat)[0]] = move.from_hands
    return found


def _seats_at_start(row: TournamentRow, moves: Sequence[MoveRow]) -> dict[int, int] | None:
    """Return the seats by account at the start, by number; None if others came late than were given seats then."""
    seats, entered = dict[int, int](), Counter[int]()
    for entry in sorted(row.entries, key=lambda entry: entry.number):
        if entry.seat:
            seats.setdefault(entry.account, entry.seat)
            entered[entry.account] += 1
    late = Counter(move.account for move in moves if move.seat is None)
    if any(entered[account] - late[account] not in {0, 1} for account in entered | late):
        return None
    first = {move.account: move.seat for move in reversed(moves)}
    seats |= {account: seat for account, seat in first.items() if seat is not None}
    return {account: seat for account, seat in seats.items() if entered[account] > late[account]}


def _subject(hand: HandRecord) -> str:
    return f"hand {hand.hand_id} at {hand.table}"


def _owing(players: Sequence[TournamentPlayer], owes: Owes) -> tuple[TournamentPlayer, ...]:
    """Return the players as if those that wait owed this."""
    return tuple(
        replace(player, owes=owes) if player.owes is not Owes.nothing else player for player in players
    )


def _levels(terms: TournamentTerms, first: int, hand: HandRecord) -> Iterator[int]:
    """Yield the levels of these stakes, from `first` on, and then those before it."""
    levels = terms.schedule.levels
    for number in (*range(first, len(levels)), *range(first)):
        level = levels[number]
        structure = level.structure
        same_bets = not (isinstance(structure, FixedLimit) and hand.betting) or (
            hand.betting == structure.parameters
        )
        if (
            (hand.small_blind, hand.big_blind) == (level.stakes.small_blind, level.stakes.big_blind)
            and structure.name == hand.structure
            and same_bets
        ):
            yield number


def _is_plan_of(planned: TournamentHand, hand: HandRecord) -> bool:
    plan, owed = planned.plan, owed_in(hand)
    return (
        plan.positions.button == hand.button
        and list(plan.order) == [seat.seat for seat in hand.seats]
        and all(
            (post.ante, post.blind, post.blind_kind) == (owed[seat].ante, owed[seat].blind, owed[seat].post)
            for seat, post in plan.posts.items()
        )
    )
