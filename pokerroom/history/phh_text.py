"""A hand as PHH (https://phh.readthedocs.io), which `phh` reads and `pokerroom replay` plays.

PHH has no clock. A player whom it put all-in has, in the file, only the chips that they put in; our own field
`_kept_back` has the rest. So the others bet on as they did, and every stack ends as it did.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pokerroom.history.story import HandStory, StoryStep
from pokerroom.rules.betting import FixedLimit, PotLimit
from pokerroom.rules.events import PostKind
from pokerroom.rules.variants import HOLDEM, variant_named


def phh_text(story: HandStory) -> str:
    """Return the fields of a hand, without the header that a file of many hands has for each."""
    record, players = story.record, list(story.seats.values())
    kept = {seat: story.kept_back.get(seat, 0) for seat in story.seats}
    owed = story.owed.values()
    # a short big blind pays the blind before the ante for the table: PokerKit would take the ante first (B9)
    dead = dict.fromkeys(story.seats, 0)
    for step in story.streets[0].steps:
        if step.kind in {PostKind.dead_post, PostKind.big_blind_ante}:
            dead[step.seat] += step.added
    ante = min(each.ante for each in owed)
    antes = [ante + dead[seat] for seat in story.owed]
    blinds = [-each.blind if each.post == PostKind.live_post else each.blind for each in owed]
    if len(players) == 2:
        # Heads-up, PHH writes antes and blinds the other way round: the first of them is the button's.
        antes.reverse()
        blinds.reverse()
    fixed = record.structure == FixedLimit.name
    holdem = record.game == HOLDEM.name
    small_bet = record.betting.get("small_bet", record.big_blind)
    big_bet = record.betting.get("big_bet", 2 * record.big_blind)
    bets = {"small_bet": small_bet, "big_bet": big_bet} if fixed else {"min_bet": record.big_blind}
    at = story.at
    fields = {
        "variant": _text("FT" if fixed else "NT" if holdem else "PO"),
        # antes that all owe are matched as bets are; what one owes beyond them is dead
        "ante_trimming_status": _flag(len(set(antes)) == 1),
        "antes": _amounts(story, antes),
        "blinds_or_straddles": _amounts(story, blinds),
        **{name: story.amount(bet) for name, bet in bets.items()},
        "starting_stacks": _amounts(story, [seat.stack - kept[seat.seat] for seat in players]),
        "actions": _array(_text(line) for line in _Actions(story).lines()),
        "venue": _text("pokerroom"),
        "time": f"{at:%H:%M:%S}",
        "time_zone": _text("UTC"),
        "day": str(at.day),
        "month": str(at.month),
        "year": str(at.year),
        "hand": _text(record.hand_id),
        "seats": _array(str(seat.seat) for seat in players),
        "seat_count": str(story.size),
        "table": _text(record.table),
        "players": _array(_text(seat.name) for seat in players),
        "finishing_stacks": _amounts(story, [seat.end - kept[seat.seat] for seat in players]),
    }
    if story.tournament is not None:
        fields["event"] = _text(story.tournament.tournament)
        fields["level"] = str(story.tournament.level(record.small_blind, record.big_blind))
    elif story.currency is not None:
        fields["currency"] = _text(story.currency)
    fields |= _own_fields(story, kept.values())
    return "".join(f"{name} = {value}\n" for name, value in fields.items())


def _own_fields(story: HandStory, kept: Collection[int]) -> dict[str, str]:
    """Return the fields that only `phh` reads: what PHH has no words for."""
    record, fields = story.record, {}
    if record.structure == PotLimit.name:
        if record.game == HOLDEM.name:
            fields["_bet_limit"] = _text("PL")
        if story.seat_with(PostKind.small_blind) is None:
            fields["_dead_blind"] = story.amount(record.small_blind)
    if "raises_max" in record.betting:
        fields["_raises_max"] = str(record.betting["raises_max"])
        fields["_cap_heads_up"] = _flag(record.betting["cap_heads_up"])
    fields["_unit"] = story.amount(record.unit)
    if record.rake:
        fields["_rake"] = story.amount(record.rake)
        fields["_rake_unit"] = story.amount(record.rake_unit)
    if any(kept):
        fields["_kept_back"] = _amounts(story, kept)
    return fields


class _Actions:
    """The lines of `actions`. Follows who can act in the file, where a player may be all-in earlier (H3)."""

    def __init__(self, story: HandStory) -> None:
        self._story = story
        self._number = {seat: f"p{number}" for number, seat in enumerate(story.seats, start=1)}
        kept = story.kept_back
        self._clocked = bool(kept)
        self._behind = {seat: row.stack - kept.get(seat, 0) for seat, row in story.seats.items()}
        self._bets: dict[int, int] = {}
        self._to_call = story.record.big_blind
        """The least bet to match: a short blind is called in full (B5)."""

    def lines(self) -> Iterable[str]:
        story = self._story
        hidden = "??" * variant_named(story.record.game).hole_cards
        for seat, row in story.seats.items():
            yield f"d dh {self._number[seat]} {''.join(row.cards) if row.cards else hidden}"
        for street in story.streets:
            if street.cards:
                self._bets, self._to_call = {}, 0
                yield f"d db {''.join(street.cards)}"
            for step in street.steps:
                if (line := self._line(step)) is not None:
                    yield f"{self._number[step.seat]} {line}"

    def _line(self, step: StoryStep) -> str | None:
        match step.what:
            case "post":
                self._pay(step.seat, step.added)
                if step.kind not in {PostKind.ante, PostKind.big_blind_ante, PostKind.dead_post}:
                    self._bets[step.seat] = step.added
                    self._to_call = max(self._to_call, self._story.owed[step.seat].blind)
                return None
            case "show":
                return f"sm {''.join(self._story.seats[step.seat].cards or ())}"
            case "muck":
                return "sm"
            case "fold":
                del self._behind[step.seat]
                return "f"
            case _:
                return self._acted(step)

    def _acted(self, step: StoryStep) -> str | None:
        if not self._behind[step.seat]:
            return None  # by the clock all-in, and in the file before
        facing = self._highest() - self._bets.get(step.seat, 0)
        others = [seat for seat, chips in self._behind.items() if chips and seat != step.seat]
        if self._clocked and not self._can_answer(others):
            # In the file no player can match more: what is bet beyond a call comes back uncalled.
            self._put_in(step.seat, min(facing, self._behind[step.seat]))
            return "cc" if facing or others else None
        self._put_in(step.seat, step.added)
        return f"cbr {self._story.amount(step.bet)}" if step.what in {"bet", "raise"} else "cc"

    def _can_answer(self, others: Iterable[int]) -> bool:
        """Return whether one of them has chips for more than the present bet."""
        highest = self._highest()
        return any(self._bets.get(seat, 0) + self._behind[seat] > highest for seat in others)

    def _highest(self) -> int:
        return max([self._to_call, *self._bets.values()])

    def _put_in(self, seat: int, added: int) -> None:
        self._pay(seat, added)
        self._bets[seat] = self._bets.get(seat, 0) + added

    def _pay(self, seat: int, amount: int) -> None:
        self._behind[seat] -= amount


def _text(value: str) -> str:
    """Return a literal string of TOML. Names, ids and cards have no quotes."""
    return f"'{value}'"


def _flag(value: int) -> str:
    return "true" if value else "false"


def _array(values: Iterable[str]) -> str:
    return f"[{', '.join(values)}]"


def _amounts(story: HandStory, amounts: Iterable[int]) -> str:
    return _array(map(story.amount, amounts))
