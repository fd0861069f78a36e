"""Compute the result of a hand from its record, apart from the rules: pots, winners, odd chips and shown hands.

Layers of equal commitment, the best hand and the shares are worked out here, apart from the code that played
the hand; the library that ranks five cards is the one thing in common. Also where the big blind goes from one hand to
the next.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from pokerroom.simulation.checks.betting import BettingChecker
from pokerroom.simulation.checks.settings import CheckedSettings
from pokerroom.simulation.checks.violation import Blame, Kind
from pokerroom_protocol import messages as wire

with warnings.catch_warnings():
    warnings.simplefilter(
        "ignore", DeprecationWarning
    )  # of pyparsing, by a part of the library not used here
    import eval7

_CARDS = {rank + suit: eval7.Card(rank + suit) for rank in "23456789TJQKA" for suit in "cdhs"}

Pot = tuple[int, list[int]]
"""Its chips, and the seats that can win them."""


def pots(live: Mapping[int, int], dead: int, contesting: Sequence[int]) -> list[Pot]:
    """The pots, the main one first (F2). `dead` lies in the first; folded chips above all others in the last."""
    found: list[Pot] = []
    below = 0
    for level in sorted({live[seat] for seat in contesting}):
        amount = dead + sum(min(chips, level) - min(chips, below) for chips in live.values())
        if amount:
            found.append((amount, [seat for seat in contesting if live[seat] >= level]))
            dead = 0
        below = level
    above = sum(max(0, chips - below) for chips in live.values())
    amount, eligible = found[-1] if found else (0, list(contesting))
    return [*found[:-1], (amount + above, eligible)]


def shares(pot: Pot, strengths: Mapping[int, int], unit: int) -> list[list[int]]:
    """[seat, chips] of each winner; odd chips one each from the first left of the button, the order of `pot` (F3).

    `unit` is the smallest chip of the table.
    """
    amount, eligible = pot
    best = max(strengths[seat] for seat in eligible)
    winners = [seat for seat in eligible if strengths[seat] == best]
    chip = unit if amount >= unit * len(winners) else 1
    each, odd = divmod(amount // chip, len(winners))
    won = [[seat, chip * (each + (place < odd))] for place, seat in enumerate(winners)]
    won[0][1] += amount % chip
    return won


def rakes(terms: CheckedSettings, found: Sequence[Pot], players: int, *, flop: bool) -> list[int]:
    """The rake of each pot, by the table's terms (F4)."""
    pot = sum(amount for amount, _ in found)
    if not terms.rake_bps or pot < terms.rake_min_pot or (terms.no_flop_no_drop and not flop):
        return [0] * len(found)
    rake = pot * terms.rake_bps // 10_000
    rake = min([rake, *[cap for least, cap in terms.rake_caps if least <= players][-1:]])
    units = rake // terms.rake_unit
    taken = [amount * units // max(1, pot) for amount, _ in found]
    largest = min(range(len(found)), key=lambda number: (-found[number][0], number))
    taken[largest] += units - sum(taken)
    return [each * terms.rake_unit for each in taken]


def rake_parts(rake: int, put_in: Mapping[int, int]) -> dict[int, int]:
    """The part of each seat, in the order of the deal: by the chips that it has in the pots (F5)."""
    exact = {seat: Fraction(rake * chips, sum(put_in.values())) for seat, chips in put_in.items()}
    parts = {seat: int(part) for seat, part in exact.items()}
    order = sorted(exact, key=lambda seat: parts[seat] - exact[seat])
    for seat in order[: rake - sum(parts.values())]:
        parts[seat] += 1
    return parts


class ResultChecker:
    """All hands of a simulation, by their records.

    `mucks` tells whether a player mucks a beaten hand, by table, account and the beginning of the hand.
    """

    def __init__(self, blame: Blame, mucks: Callable[[str, int, int], set[bool]]) -> None:
        self._blame = blame
        self._mucks = mucks
        self._big_blinds: dict[str, int | None] = {}
        self._deals: dict[str, tuple[Sequence[tuple[str, ...]], Sequence[str]]] = {}
        self._decks: set[tuple[Any, ...]] = set()
        self._told: dict[str, list[tuple[str, int]]] = {}
        """Hand -> the hands turned up or given up, as told."""
        self._rakes: dict[str, dict[int, int]] = {}
        """Hand -> the rake of each pot, until the hand is told to have ended."""

    # --- what is heard before ---------------------------------------------------------------------------------

    def dealt(self, hand_id: str, holes: Sequence[tuple[str, ...]], board: Sequence[str]) -> None:
        """The room has dealt a hand; no deal comes twice (K1)."""
        if hand_id in self._deals:
            return  # its file is read again
        deck = (*holes, *board)
        if deck in self._decks:
            self._blame(Kind.CARDS, "", hand_id, "the same cards were dealt before (K1)")
        self._decks.add(deck)
        self._deals[hand_id] = holes, board

    def event(self, event: wire.Event) -> None:
        """An event that is told for the first time."""
        if isinstance(event, wire.Shown):
            self._told.setdefault(event.hand_id, []).append(("show", event.seat))
        elif isinstance(event, wire.Mucked):
            self._told.setdefault(event.hand_id, []).append(("muck", event.seat))
        elif isinstance(event, wire.PotAwarded):
            due = self._rakes.get(event.hand_id, {}).get(event.pot, 0)
            if (event.rake or 0) != due:
                line = f"the rake of pot {event.pot} is {due}, {event.rake} is told (F4)"
                self._blame(Kind.RESULT, event.table, event.hand_id, line)
        elif isinstance(event, wire.HandEnded):
            self._rakes.pop(event.hand_id, None)

    # --- the record -------------------------------------------------------------------------------------------

    def settled(self, terms: CheckedSettings, hand_id: str, record: dict[str, Any]) -> None:
        """A hand is settled for the first time."""
        table = record["table"]
        betting = BettingChecker(record, terms)
        wrong = [*betting.wrong]
        button, order = record["button"], betting.order
        if order != sorted(order, key=lambda seat: (seat - button - 1) % terms.seats):
            wrong.append(f"seats {order} are not clockwise from button {button} (C1)")
        wrong += self._cards(hand_id, record, betting)
        wrong += self._moved(table, terms, betting)
        wrong += self._awards(terms, hand_id, record, betting)
        told = self._told.pop(hand_id, [])
        entries = [(entry[0], entry[1]) for entry in record["events"] if entry[0] in {"show", "muck"}]
        if any(one not in entries for one in told):
            wrong.append(f"told were {told}, in the record are {entries} (G3)")
        for line in wrong:
            self._blame(Kind.RESULT, table, hand_id, line)

    def _cards(self, hand_id: str, record: dict[str, Any], betting: BettingChecker) -> list[str]:
        deal = self._deals.pop(hand_id, None)
        if deal is None:
            return []  # told by another checker
        holes, board = deal
        seen = [card for pair in holes for card in pair] + [*board]
        wrong = [] if len(set(seen)) == len(seen) else ["a card exists twice (A2)"]
        if [tuple(seat["cards"]) for seat in record["seats"]] != [*holes] or betting.board != [
            *board[: len(betting.board)]
        ]:
            wrong.append("the record's cards are not those that were dealt")
        return wrong

    def drawn(self, table: str) -> None:
        """All seats of a table have been drawn again, and the first button."""
        self._big_blinds.pop(table, None)

    def _moved(self, table: str, terms: CheckedSettings, betting: BettingChecker) -> list[str]:
        """B3, B4: the big blind goes to the next player that is dealt in; with a moving button at least to another."""
        before, now = self._big_blinds.get(table), betting.big_blind
        self._big_blinds[table] = now
        if before is None or now is None:
            return []
        if before == now:
            return [f"seat {now} has the big blind twice running (B3)"]
        way = (now - before) % terms.seats
        passed = [seat for seat in betting.order if 0 < (seat - before) % terms.seats < way]
        if passed and not terms.moving_button:
            return [f"the big blind goes from seat {before} to {now} and skips {passed} (B3)"]
        return []

    def _awards(
        self, terms: CheckedSettings, hand_id: str, record: dict[str, Any], betting: BettingChecker
    ) -> list[str]:
        contesting, dead = betting.contesting, sum(betting.dead.values())
        layers = pots(betting.live, dead, contesting)
        strengths = dict.fromkeys(contesting, 0)
        if len(contesting) > 1:
            held = {seat["seat"]: seat["cards"] for seat in record["seats"]}
            if len(betting.board) != 5:
                return [f"a showdown with {len(betting.board)} cards on the board"]
            strengths = {seat: STRENGTHS[terms.game](held[seat], betting.board) for seat in contesting}
        taken = rakes(terms, layers, len(betting.order), flop=bool(betting.board))
        awards: list[tuple[Any, ...]] = [
            (
                number,
                amount,
                shares((amount - rake, eligible), strengths, terms.unit),
                *([rake] if rake else []),
            )
            for number, ((amount, eligible), rake) in enumerate(zip(layers, taken, strict=True))
            if amount
        ]
        awards.reverse()  # a side pot before the main pot
        told = [tuple(entry[1:]) for entry in record["events"] if entry[0] == "award"]
        wrong = []
        if told != awards:
            wrong.append(f"awarded is {told}, it should be {awards} (F2, F3, F4, H3)")
        wrong += self._rake(hand_id, record, betting, taken)
        ends = dict(betting.stacks)
        for _, _, won, *_ in awards:
            for seat, amount in won:
                ends[seat] += amount
        settled = {seat["seat"]: seat["end"] for seat in record["seats"]}
        if settled != ends:
            wrong.append(f"the stacks are {settled}, they should be {ends}")
        return wrong + self._turned_up(record, betting, terms, layers=layers, strengths=strengths)

    def _rake(
        self, hand_id: str, record: dict[str, Any], betting: BettingChecker, taken: Sequence[int]
    ) -> list[str]:
        """F4, F5: the whole rake, and the part of each player."""
        rake = sum(taken)
        if rake:
            self._rakes[hand_id] = dict(enumerate(taken))
        if record.get("rake", 0) != rake:
            return [f"the rake is {record.get('rake', 0)}, it should be {rake} (F4)"]
        said = {seat["seat"]: seat.get("rake", 0) for seat in record["seats"]}
        put_in = {seat: betting.live[seat] + betting.dead[seat] for seat in betting.order}
        due = rake_parts(rake, put_in) if rake else dict.fromkeys(said, 0)
        return [] if said == due else [f"the parts of the rake are {said}, they should be {due} (F5)"]

    def _turned_up(
        self,
        record: dict[str, Any],
        betting: BettingChecker,
        terms: CheckedSettings,
        *,
        layers: Sequence[Pot],
        strengths: Mapping[int, int],
    ) -> list[str]:
        """G1 to G3: an uncontested hand need not show; with a player all-in all show; else in order, unless beaten."""
        entries = [(entry[0], entry[1]) for entry in record["events"] if entry[0] in {"show", "muck"}]
        contesting = betting.contesting
        if len(contesting) == 1:
            return [f"{entries} without a showdown (G1)"] if entries else []
        first = contesting.index(betting.aggressor) if betting.aggressor in contesting else 0
        order = contesting[first:] + contesting[:first]
        all_in = any(not betting.stacks[seat] or seat in betting.clocked for seat in contesting)
        if all_in and terms.show_all_in:
            everybody = [("show", seat) for seat in sorted(contesting)]
            return [] if sorted(entries) == everybody else [f"all-in at {contesting}, and {entries} (G2)"]
        if [seat for _, seat in entries] != order:
            return [f"hands are shown in the order {entries}, it should be {order} (G3)"]
        accounts = {seat["seat"]: seat["account"] for seat in record["seats"]}
        wrong: list[str] = []
        shown: list[int] = []
        for kind, seat in entries:
            beaten = all(
                any(strengths[other] > strengths[seat] for other in shown if other in eligible)
                for _, eligible in layers
                if seat in eligible
            )
            if kind == "muck" and not beaten:
                wrong.append(f"seat {seat} mucks and is not beaten by what is shown (G3)")
            if beaten and (kind == "muck") not in self._mucks(
                record["table"], accounts[seat], record["started_ms"]
            ):
                wrong.append(f"the beaten hand of seat {seat}: {kind} is not what its player chose (G3)")
            if kind == "show":
                shown.append(seat)
        return wrong


def _strength(cards: Sequence[str]) -> int:
    return int(eval7.evaluate([_CARDS[card] for card in cards]))


def _any_cards(holes: Sequence[str], board: Sequence[str]) -> int:
    """The best five of seven (J1)."""
    return _strength([*holes, *board])


def _two_of_four(holes: Sequence[str], board: Sequence[str]) -> int:
    """The best of all hands of two hole cards and three board cards (J2)."""
    return max(
        _strength([*two, *three]) for two in combinations(holes, 2) for three in combinations(board, 3)
    )


STRENGTHS = {"holdem": _any_cards, "omaha": _two_of_four}
"""By game: the strength of hole cards with a whole board. More is better, equal is a tie."""
