"""Plays a sit-and-go again from its hands: seats, chips, blinds and button of each hand, places and prizes at the end.

The rules of tournaments say for each hand which players are dealt in, what they owe and where the button is; then which
players are out, and what the places pay. After a loss of the journal the button began again (B1), and the level
followed from the start: both are taken as the record shows them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import msgspec

from pokerroom.history.record import HandRecord, owed_in
from pokerroom.ledger.tournaments import TournamentRow
from pokerroom.rules.betting import FixedLimit
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.tournament import tournament as rules
from pokerroom.rules.tournament.state import (
    PlacedPlayer,
    TablePlay,
    Tournament,
    TournamentHand,
    TournamentPhase,
    TournamentPlayer,
    TournamentRefusal,
)
from pokerroom.tournament.offers import offer_of, opening_of, terms_of
from pokerroom.tournament.restore import hands_of

_TABLE = 1

_FAILURES = (InvariantBroken, TournamentRefusal, LookupError, TypeError, ValueError)


class TournamentReplay:
    """One tournament; `row` is its row at the end. Methods return differences, without the subject."""

    def __init__(self, row: TournamentRow) -> None:
        self._row = row
        self._state: Tournament | None = None
        self._level = 0
        self.differences: list[str] = []
        """What its terms show, before a hand."""
        try:
            offer = offer_of(row.opening)
            if opening_of(offer, row.opening.number) != replace(
                row.opening, terms=msgspec.json.encode(offer)
            ):
                self.differences.append("its seats, amounts or prizes are not those of its terms")
            terms = terms_of(offer)
        except (msgspec.DecodeError, msgspec.ValidationError, ValueError) as error:
            self.differences.append(f"its terms cannot be read: {error}")
            return
        seated = sorted((entry.seat, entry.account) for entry in row.entries if entry.seat)
        if [seat for seat, _ in seated] != list(range(1, terms.seats + 1)):
            self.differences.append("its players were not drawn to its seats, one each")
            return
        self._state = Tournament(
            terms=terms,
            phase=TournamentPhase.running,
            players=tuple(
                TournamentPlayer(account=account, table=_TABLE, seat=seat, chips=terms.starting_stack)
                for seat, account in seated
            ),
            tables=(TablePlay(number=_TABLE),),
        )

    def hand(self, hand: HandRecord) -> Iterator[str]:
        """Follow a finished hand."""
        state = self._state
        if state is None:
            return
        try:
            dealt, differences = self._dealt(state, hand)
            yield from differences
            if dealt is None:
                self._state = None
                return
            self._state = rules.finish_hand(dealt, _TABLE, {seat.seat: seat.end for seat in hand.seats})
        except _FAILURES as error:
            self._state = None
            yield f"its tournament does not come to it: {error}"

    @property
    def complete(self) -> bool:
        """Whether all hands that the ledger has of the players were followed, or no more can be."""
        return self._state is None or self._state.table(_TABLE).hands >= hands_of(self._row, _TABLE)

    def ended(self) -> Iterator[str]:
        """Compare the places, after the last hand. Those of a running tournament may not be given yet."""
        state, row = self._state, self._row
        if state is None:
            return
        chips = {entry.account: entry.chips for entry in row.entries if entry.seat}
        if chips != {player.account: player.chips for player in state.players}:
            yield "its players have other chips than after its hands"
        given = [
            PlacedPlayer(number=one.number, place=one.place, account=one.account, prize=one.prize)
            for one in row.places
        ]
        match row.phase:
            case "finished":
                if state.phase is not TournamentPhase.finished:
                    yield "it is finished, and its hands leave more than one player"
                yield from _unlike(given, [state.standings])
            case "rolled_forward":
                yield from _unlike(given, list(_rolled_forward(state)))
            case "running" | "rolled_back":
                yield from _unlike(given, [state.standings[len(state.standings) - len(given) :]])
            case _:
                yield f"it is {row.phase}, and has hands"

    def _dealt(self, state: Tournament, hand: HandRecord) -> tuple[Tournament | None, Sequence[str]]:
        """Return the tournament with this hand in progress."""
        account_in = {player.seat: player.account for player in state.players}
        chips = {player.seat: player.chips for player in state.players}
        for seat in hand.seats:
            if account_in.get(seat.seat) != seat.account:
                return None, [
                    f"seat {seat.seat} is of account {account_in.get(seat.seat)}, not {seat.account}"
                ]
            if chips[seat.seat] != seat.stack:
                return None, [
                    f"account {seat.account} begins it with {seat.stack}, the hands before leave {chips[seat.seat]}"
                ]
        table = state.table(_TABLE)
        fresh = state.with_table(replace(table, positions=None))
        for before in (state, fresh):
            for level in self._levels(state, hand):
                planned = rules.hand_at(before, _TABLE, level)
                if _is_plan_of(planned, hand):
                    self._level = level
                    return state.with_table(replace(table, hand=planned)), ()
        if not list(self._levels(state, hand)):
            return None, ["its blinds or its betting are those of no level"]
        return None, ["its button, its players or what they owe are not those of its tournament"]

    def _levels(self, state: Tournament, hand: HandRecord) -> Iterator[int]:
        """Yield the levels of these stakes, the present one first."""
        levels = state.terms.schedule.levels
        for number in (*range(self._level, len(levels)), *range(self._level)):
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


def _rolled_forward(state: Tournament) -> Iterator[Sequence[PlacedPlayer]]:
    """Yield the places of an early end. Where the journal was lost, odd chips went by the first seat."""
    if state.phase is not TournamentPhase.running:
        yield ()
        return
    yield rules.roll_forward(state).standings
    table = state.table(_TABLE)
    yield rules.roll_forward(state.with_table(replace(table, positions=None))).standings


def _unlike(given: Sequence[PlacedPlayer], possible: Sequence[Sequence[PlacedPlayer]]) -> Iterator[str]:
    if any(list(given) == list(due) for due in possible):
        return
    due = {one.number: one for one in possible[0]}
    found: Mapping[int, PlacedPlayer] = {one.number: one for one in given}
    for number in sorted(due.keys() | found.keys()):
        if found.get(number) != due.get(number):
            yield f"number {number} has {_place(found.get(number))}, by its hands it is {_place(due.get(number))}"


def _place(one: PlacedPlayer | None) -> str:
    return "no place" if one is None else f"account {one.account}, place {one.place} and prize {one.prize}"
