"""A hand told once, for every format: who owed what, each step with what it meant, the pots, and who won.

It is derived from a record that was already redacted (`redaction.visible_hand`). A writer turns it into text and
derives nothing on its own. This module knows no format.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from pokerroom.chips import in_credits
from pokerroom.history.record import ACTIONS, FORCED, STREETS, HandRecord, Owed, SeatRecord, owed_in
from pokerroom.ledger.tournaments import BountyKind
from pokerroom.rules.events import PostKind

Currency = Literal["EUR", "GBP", "USD"]
"""What a credit is worth, where the operator says so. Else amounts are play money."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceWon:
    """The place of a player, with the prize in 1/100 credit.

    `out_in` is the number of the hand in which the player went out for good. It is None for a player with chips, and in
    tournaments of older builds.
    """

    place: int
    prize: int
    out_in: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BountyPaid:
    """What a winner was paid of the head of a player, by their accounts."""

    account: int
    winner: int
    cash: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentStory:
    """What a history says of a tournament. Money is in 1/100 credit; `fee` and `bounty` are not in `buy_in`."""

    tournament: str
    number: int
    name: str
    buy_in: int
    fee: int
    starting_stack: int
    started_ms: int
    level_s: int
    """The length of a level; 0 where levels last a number of hands."""
    levels: tuple[tuple[int, int], ...]
    """Small and big blind of each level; the levels after the last one double."""
    places: Mapping[int, PlaceWon]
    """By account."""
    has_several_tables: bool = False
    starts_when_full: bool = True
    """A sit-and-go; else it starts at a time."""
    has_re_entries: bool = False
    bounty: int = 0
    bounty_kind: BountyKind | None = None
    bounties: Mapping[int, Sequence[BountyPaid]] = field(default_factory=dict)
    """By the ledger's number of the hand in which the player was out."""

    @property
    def started(self) -> datetime:
        """When it began, UTC."""
        return _utc(self.started_ms)

    def level(self, small_blind: int, big_blind: int) -> int:
        """Return the number of the first level with these blinds, from 1."""
        if (small_blind, big_blind) in self.levels:
            return self.levels.index((small_blind, big_blind)) + 1
        number, last = len(self.levels), self.levels[-1][1]
        while last < big_blind:
            number, last = number + 1, 2 * last
        return number


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryStep:
    """One event of a street: `post`, `show`, `muck`, or an action of the record."""

    what: str
    seat: int
    kind: str = ""
    """Of a post."""
    added: int = 0
    """Chips put in."""
    bet: int = 0
    """The player's bet on the street afterwards."""
    above: int = 0
    """By how much the bet to match has grown."""
    all_in: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StreetStory:
    """A street with the cards that it brought, and its steps in order."""

    name: str
    cards: Sequence[str] = ()
    steps: list[StoryStep] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pot:
    """A pot without what was returned uncalled. `shares` are (seat, amount): the amount without the rake."""

    number: int
    amount: int
    shares: tuple[tuple[int, int], ...]
    rake: int = 0


@dataclass(slots=True, kw_only=True)
class HandStory:
    """The hand with everything that a writer needs; see the module.

    `number` is that of the ledger. `own_seat` is the seat of the player that the text is for, None for others. The
    cards of the seats in `dealt` are told when they are dealt.
    """

    record: HandRecord
    number: int
    own_seat: int | None
    dealt: Sequence[int]
    tournament: TournamentStory | None
    currency: Currency | None
    seats: dict[int, SeatRecord]
    """In the order of the deal."""
    owed: dict[int, Owed]
    streets: list[StreetStory] = field(default_factory=list)
    uncalled: tuple[int, int] | None = None
    """(seat, amount) of the bet that was returned."""
    pots: list[Pot] = field(default_factory=list)
    """The main pot first."""
    put_in: dict[int, int] = field(default_factory=dict)
    won: dict[int, int] = field(default_factory=dict)
    """Without seats that won nothing."""
    shown: set[int] = field(default_factory=set)
    mucked: set[int] = field(default_factory=set)
    folded: dict[int, str] = field(default_factory=dict)
    """The street of each fold."""
    voluntary: set[int] = field(default_factory=set)
    """The seats that called, bet or raised."""

    @property
    def at(self) -> datetime:
        """When the hand began, UTC."""
        return _utc(self.record.started_ms)

    @property
    def board(self) -> list[str]:
        """All board cards that came."""
        return [card for street in self.streets for card in street.cards]

    @property
    def size(self) -> int:
        """The number of the table's seats. Older records have only the seats that were dealt in."""
        return self.record.seats_max or max(2, *self.seats)

    @property
    def kept_back(self) -> dict[int, int]:
        """The chips behind of players that the clock put all-in (H3): they stay theirs, whatever happens."""
        clocked = {
            step.seat for street in self.streets for step in street.steps if step.what == "clock_all_in"
        }
        return {seat: self.seats[seat].stack - self.put_in[seat] for seat in clocked}

    def amount(self, amount: int) -> str:
        """Return an amount as files have it: money in credits, with decimals where they are needed; else chips."""
        if self.tournament is not None:
            return str(amount)
        return self.money(amount)

    @staticmethod
    def money(amount: int) -> str:
        """Return an amount of money in credits, with decimals where they are needed."""
        return in_credits(amount).removesuffix(".00")

    def seat_with(self, post: PostKind) -> int | None:
        """Return the seat that owes a blind of this kind; None for a dead small blind."""
        return next((seat for seat, owed in self.owed.items() if owed.post == post), None)


def story_of(
    record: HandRecord,
    *,
    number: int,
    viewer: int | None = None,
    whole: bool = False,
    tournament: TournamentStory | None = None,
    currency: Currency | None = None,
) -> HandStory:
    """Return the story of a redacted hand, or of a `whole` one. Raises ValueError for an unknown event: a bug."""
    own = record.seat_of(viewer)
    told = {seat.seat for seat in record.seats} if whole else {own}
    story = HandStory(
        record=record,
        number=number,
        own_seat=own,
        dealt=[seat.seat for seat in record.seats if seat.seat in told and seat.cards],
        tournament=tournament,
        currency=currency,
        seats={seat.seat: seat for seat in record.seats},
        owed=owed_in(record),
        put_in={seat.seat: 0 for seat in record.seats},
    )
    _Telling(story).tell()
    return story


class _Telling:
    """Follows the events: stacks behind, and the bet to match."""

    def __init__(self, story: HandStory) -> None:
        self._story = story
        self._behind = {seat: row.stack for seat, row in story.seats.items()}
        # a straddle counts in full if any of it was posted; what an ante took whole is no bet to a reader
        self._to_match = story.record.big_blind

    def tell(self) -> None:
        story = self._story
        story.streets.append(StreetStory(name="preflop"))
        for event in story.record.events:
            match event:
                case ["post", seat, kind, amount]:
                    self._step(
                        StoryStep(
                            what="post", seat=seat, kind=kind, added=amount, all_in=self._pays(seat, amount)
                        )
                    )
                    if kind not in FORCED:
                        self._to_match = max(self._to_match, story.owed[seat].blind)
                case [action, seat, added, bet] if action in ACTIONS:
                    self._acted(action, seat, added, bet)
                case [street, *cards] if street in STREETS:
                    story.streets.append(StreetStory(name=street, cards=cards))
                    self._to_match = 0
                case ["uncalled", seat, amount]:
                    story.uncalled = seat, amount
                case ["show" | "muck" as what, seat]:
                    (story.shown if what == "show" else story.mucked).add(seat)
                    self._step(StoryStep(what=what, seat=seat))
                case ["award", pot, amount, shares, *rake]:
                    won = tuple((seat, share) for seat, share in shares)
                    self._awarded(Pot(number=pot, amount=amount, shares=won, rake=sum(rake)))
                case _:
                    raise ValueError(f"no event of a record: {event[0]!r}")
        story.pots.sort(key=lambda pot: pot.number)

    def _acted(self, action: str, seat: int, added: int, bet: int) -> None:
        above = max(0, bet - self._to_match) if action in {"bet", "raise"} else 0
        self._to_match += above
        all_in = self._pays(seat, added) and added > 0
        if action == "fold":
            self._story.folded[seat] = self._story.streets[-1].name
        elif added:
            self._story.voluntary.add(seat)
        self._step(StoryStep(what=action, seat=seat, added=added, bet=bet, above=above, all_in=all_in))

    def _pays(self, seat: int, amount: int) -> bool:
        """Move chips to the middle; return whether nothing is left."""
        self._behind[seat] -= amount
        self._story.put_in[seat] += amount
        return self._behind[seat] == 0

    def _awarded(self, pot: Pot) -> None:
        self._story.pots.append(pot)
        for seat, won in pot.shares:
            self._story.won[seat] = self._story.won.get(seat, 0) + won

    def _step(self, step: StoryStep) -> None:
        self._story.streets[-1].steps.append(step)


def _utc(at_ms: int) -> datetime:
    return datetime.fromtimestamp(at_ms // 1000, UTC)
