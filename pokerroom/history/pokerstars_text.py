"""A hand as the text that PokerStars writes, which most trackers read.

The format has no specification: this is the part of it on which readers agree. For an all-in by the clock there is a
remark on the player, and no more actions of theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pokerroom.history.story import Currency, HandStory, StoryStep, TournamentStory
from pokerroom.ledger.tournaments import table_number
from pokerroom.rules.betting import FixedLimit, NoLimit, PotLimit
from pokerroom.rules.cards import parse_card
from pokerroom.rules.events import PostKind
from pokerroom.rules.ranking import HandCategory, category, deciding_ranks
from pokerroom.rules.variants import HOLDEM, OMAHA, variant_named

_GAMES: Final = {HOLDEM.name: "Hold'em", OMAHA.name: "Omaha"}
_LIMITS: Final = {NoLimit.name: "No Limit", PotLimit.name: "Pot Limit", FixedLimit.name: "Limit"}
_SIGNS: Final[dict[Currency, str]] = {"EUR": "€", "GBP": "£", "USD": "$"}

_POSTS: Final = {
    PostKind.ante: "the ante",
    PostKind.big_blind_ante: "the ante",
    PostKind.small_blind: "small blind",
    PostKind.big_blind: "big blind",
    PostKind.straddle: "straddle",
    PostKind.live_post: "big blind",
    PostKind.dead_post: "small blind",
}
_POSITIONS: Final = {PostKind.small_blind: " (small blind)", PostKind.big_blind: " (big blind)"}
_STREETS: Final = {"flop": "Flop", "turn": "Turn", "river": "River"}
_NAMES: Final = (
    *("Deuce", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten"),
    *("Jack", "Queen", "King", "Ace"),
)
_HANDS: Final = {
    HandCategory.high_card: "high card {one}",
    HandCategory.pair: "a pair of {many}",
    HandCategory.two_pair: "two pair, {many} and {others}",
    HandCategory.three_of_a_kind: "three of a kind, {many}",
    HandCategory.straight: "a straight, {low} to {one}",
    HandCategory.flush: "a flush, {one} high",
    HandCategory.full_house: "a full house, {many} full of {others}",
    HandCategory.four_of_a_kind: "four of a kind, {many}",
    HandCategory.straight_flush: "a straight flush, {low} to {one}",
    HandCategory.royal_flush: "a Royal Flush",
}
_ROMAN: Final = (
    (100, "C"),
    (90, "XC"),
    (50, "L"),
    (40, "XL"),
    (10, "X"),
    (9, "IX"),
    (5, "V"),
    (4, "IV"),
    (1, "I"),
)


def pokerstars_text(story: HandStory) -> str:
    """Return the lines of a hand. In a file at least two empty lines stand between two hands."""
    return "".join(f"{line}\n" for line in _Lines(story).all())


class _Lines:
    """The lines of one hand, top to bottom."""

    def __init__(self, story: HandStory) -> None:
        self._story = story
        self._names = {seat: row.name for seat, row in story.seats.items()}
        self._sign = "" if story.currency is None else _SIGNS[story.currency]
        self._shown = {seat: self._cards(seat) for seat in story.shown}
        self._hands = {seat: hand_text(story, seat) for seat in story.shown}

    def all(self) -> Iterator[str]:
        story = self._story
        yield self._header()
        yield self._table()
        for seat in sorted(story.seats):
            yield f"Seat {seat}: {self._names[seat]} ({self._amount(story.seats[seat].stack)} in chips)"
        yield from self._posts()
        yield "*** HOLE CARDS ***"
        for seat in story.dealt:
            yield f"Dealt to {self._names[seat]} {self._cards(seat)}"
        yield from self._streets()
        yield from self._result()
        yield "*** SUMMARY ***"
        yield from self._summary()

    # --- the head ---------------------------------------------------------------------------------------------

    def _header(self) -> str:
        story, record = self._story, self._story.record
        game = f"{_GAMES[record.game]} {_LIMITS[record.structure]}"
        if record.structure == FixedLimit.name:  # a fixed limit is named by its bets
            sizes = (
                record.betting.get("small_bet", record.big_blind),
                record.betting.get("big_bet", 2 * record.big_blind),
            )
        else:
            sizes = record.small_blind, record.big_blind
        stakes = "/".join(map(self._amount, sizes))
        code = "" if story.currency is None else f" {story.currency}"
        of = story.tournament
        if of is None:
            return f"PokerStars Hand #{story.number}:  {game} ({stakes}{code}) - {_time(story.at)}"
        parts = (of.buy_in, of.bounty, of.fee) if of.bounty else (of.buy_in, of.fee)
        buy_in = "+".join(f"{self._sign}{story.money(part)}" for part in parts)
        level = _roman(of.level(record.small_blind, record.big_blind))
        return (
            f"PokerStars Hand #{story.number}: Tournament #{of.number}, {buy_in}{code} {game}"
            f" - Level {level} ({stakes}) - {_time(story.at)}"
        )

    def _table(self) -> str:
        story = self._story
        play = "(Play Money) " if story.currency is None and story.tournament is None else ""
        number = table_number(story.record.table)
        name = story.record.table if story.tournament is None else f"{story.tournament.number} {number}"
        return f"Table '{name}' {story.size}-max {play}Seat #{story.record.button} is the button"

    def _posts(self) -> Iterator[str]:
        """Antes and blinds. A player who missed both posts them in one line, the dead one included.

        A dead small blind alone is a second small blind to readers. If there is no first, it is written as an ante.
        """
        posts = [step for step in self._story.streets[0].steps if step.what == "post"]
        dead = {step.seat: step for step in posts if step.kind == PostKind.dead_post}
        both = {step.seat for step in posts if step.kind == PostKind.live_post} & dead.keys()
        for step in posts:
            if step.kind == PostKind.dead_post and step.seat in both:
                continue
            kind, added, all_in = _POSTS[PostKind(step.kind)], step.added, step.all_in
            if step.kind == PostKind.dead_post and not any(
                post.kind == PostKind.small_blind for post in posts
            ):
                kind = "the ante"
            if step.kind == PostKind.live_post and step.seat in both:
                other = dead[step.seat]
                kind, added, all_in = "small & big blinds", added + other.added, other.all_in
            yield f"{self._names[step.seat]}: posts {kind} {self._amount(added)}{_all_in(all_in)}"

    # --- what was played --------------------------------------------------------------------------------------

    def _streets(self) -> Iterator[str]:
        story = self._story
        acted = [street for street in story.streets if any(step.what in _VERBS for step in street.steps)]
        board: list[str] = []
        for street in story.streets:
            if street.cards:
                before = f"{_bracketed(board)} " if board else ""
                yield f"*** {street.name.upper()} *** {before}{_bracketed(street.cards)}"
                board += street.cards
            for step in street.steps:
                if step.what == "clock_all_in":
                    yield f"{self._names[step.seat]} has timed out"
                elif step.what in _VERBS:
                    yield f"{self._names[step.seat]}: {self._verb(step)}{_all_in(step.all_in)}"
            if street is (acted[-1] if acted else story.streets[0]) and story.uncalled is not None:
                seat, amount = story.uncalled
                yield f"Uncalled bet ({self._amount(amount)}) returned to {self._names[seat]}"

    def _verb(self, step: StoryStep) -> str:
        match step.what:
            case "fold" | "check":
                return f"{step.what}s"
            case "call":
                return f"calls {self._amount(step.added)}"
            case "bet":
                return f"bets {self._amount(step.bet)}"
            case _:
                return f"raises {self._amount(step.above)} to {self._amount(step.bet)}"

    def _result(self) -> Iterator[str]:
        story = self._story
        if story.shown or story.mucked:
            yield "*** SHOW DOWN ***"
        for step in [step for street in story.streets for step in street.steps]:
            name = self._names[step.seat]
            if step.what == "show":
                yield f"{name}: shows {self._shown[step.seat]} ({self._hands[step.seat]})"
            elif step.what == "muck":
                yield f"{name}: mucks hand"
        for pot in reversed(story.pots):
            for seat, won in pot.shares:
                yield f"{self._names[seat]} collected {self._amount(won)} from {self._pot(pot.number)}"
        if not story.shown:
            for seat in story.won:
                yield f"{self._names[seat]}: doesn't show hand"
        yield from self._finishes()

    def _pot(self, number: int) -> str:
        pots = len(self._story.pots)
        if pots == 1:
            return "pot"
        if number == 0:
            return "main pot"
        return "side pot" if pots == 2 else f"side pot-{number}"

    def _finishes(self) -> Iterator[str]:
        """Who leaves the tournament with this hand, as far as the ledger has given the places.

        The last player at a table has won where the second leaves, too: other tables may have players.
        """
        of = self._story.tournament
        if of is None:
            return
        yield from self._bounties(of)
        left = [row for row in self._story.seats.values() if row.end]
        is_last = False
        for row in self._story.seats.values():
            place = of.places.get(row.account)
            if place is None or row.end or place.out_in not in {None, self._story.number}:
                continue  # the player stays, or enters again after this hand
            is_last |= place.place == 2
            prize = f" and received {self._sign}{self._story.money(place.prize)}." if place.prize else ""
            yield f"{row.name} finished the tournament in {_ordinal(place.place)} place{prize}"
        if (
            is_last
            and len(left) == 1
            and (first := of.places.get(left[0].account)) is not None
            and first.place == 1
        ):
            prize = f"{self._sign}{self._story.money(first.prize)}"
            yield f"{left[0].name} wins the tournament and receives {prize} - congratulations!"

    def _bounties(self, of: TournamentStory) -> Iterator[str]:
        names = {row.account: row.name for row in self._story.seats.values()}
        for won in of.bounties.get(self._story.number, ()):
            if won.cash:
                amount = f"{self._sign}{self._story.money(won.cash)}"
                yield f"{names[won.winner]} wins the {amount} bounty for eliminating {names[won.account]}"

    # --- the summary ------------------------------------------------------------------------------------------

    def _summary(self) -> Iterator[str]:
        story = self._story
        total = sum(pot.amount for pot in story.pots)
        parts = ""
        if len(story.pots) > 1:
            named = [
                f"{self._pot(pot.number).capitalize()} {self._amount(pot.amount)}." for pot in story.pots
            ]
            parts = f" {' '.join(named)}"
        yield f"Total pot {self._amount(total)}{parts} | Rake {self._amount(story.record.rake)}"
        if story.board:
            yield f"Board {_bracketed(story.board)}"
        for seat in sorted(story.seats):
            yield f"Seat {seat}: {self._names[seat]}{self._position(seat)} {self._outcome(seat)}"

    def _position(self, seat: int) -> str:
        button = " (button)" if seat == self._story.record.button else ""
        return button + next(
            (text for kind, text in _POSITIONS.items() if self._story.seat_with(kind) == seat), ""
        )

    def _outcome(self, seat: int) -> str:
        story = self._story
        won = self._amount(story.won.get(seat, 0))
        if seat in story.folded:
            street = story.folded[seat]
            if street in _STREETS:
                return f"folded on the {_STREETS[street]}"
            bet = story.owed[seat].blind or seat in story.voluntary
            return "folded before Flop" if bet else "folded before Flop (didn't bet)"
        if seat in story.shown:
            how = f"won ({won})" if seat in story.won else "lost"
            return f"showed {self._shown[seat]} and {how} with {self._hands[seat]}"
        if seat in story.mucked:
            return f"mucked {self._cards(seat)}" if story.seats[seat].cards else "mucked"
        return f"collected ({won})"

    def _cards(self, seat: int) -> str:
        return _bracketed(self._story.seats[seat].cards or ())

    def _amount(self, amount: int) -> str:
        sign = self._sign if self._story.tournament is None else ""
        return f"{sign}{self._story.amount(amount)}"


_VERBS: Final = frozenset({"fold", "check", "call", "bet", "raise"})


def hand_text(story: HandStory, seat: int) -> str:
    """Return the hand that a player has shown, in words."""
    variant = variant_named(story.record.game)
    holes = tuple(map(parse_card, story.seats[seat].cards or ()))
    rank = variant.rank(holes, tuple(map(parse_card, story.board)))
    first, second, *_ = deciding_ranks(rank)
    return _HANDS[category(rank)].format(
        one=_NAMES[first],
        many=_plural(first),
        others=_plural(second),
        low=_NAMES[first - 4],  # below a Five the Ace: the last name
    )


def _plural(rank: int) -> str:
    return f"{_NAMES[rank]}{'es' if _NAMES[rank] == 'Six' else 's'}"


def _bracketed(cards: Sequence[str]) -> str:
    return f"[{' '.join(cards)}]"


def _all_in(all_in: bool) -> str:
    return " and is all-in" if all_in else ""


def _roman(number: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        count, number = divmod(number, value)
        text += letters * count
    return text


def _ordinal(number: int) -> str:
    return f"{number}{'th' if 10 < number < 14 else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def _time(at: datetime) -> str:
    """Return the time as readers expect it: UTC, and that of New York in brackets."""
    eastern = _eastern()
    there = "" if eastern is None else f" [{_clock(at.astimezone(eastern))} ET]"
    return f"{_clock(at)} UTC{there}"


def _clock(at: datetime) -> str:
    return f"{at:%Y/%m/%d %H:%M:%S}"


@cache
def _eastern() -> ZoneInfo | None:
    try:
        return ZoneInfo("America/New_York")
    except ZoneInfoNotFoundError:
        return None  # a machine without a database of time zones
