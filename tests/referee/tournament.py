"""Levels, places and prizes of a sit-and-go (H5, I1, I2, I5); of one over several tables the levels alone."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from tests.referee.model import Hand, Seat

Message = Mapping[str, Any]
Wrong = list[tuple[str, str]]
STAKES = ("small_blind", "big_blind", "small_bet", "big_bet", "ante", "big_blind_ante")


class Tournament:
    """Follows one tournament at its table. `offer` is its line in `sit_and_gos`, once it is known.

    At one of several tables players come and go, and their places follow from hands at the others.
    """

    def __init__(self, tournament: str) -> None:
        self.tournament = tournament
        self.offer: Message | None = None
        self._chips = 0
        self._seats = 0
        self._prizes: list[int] = []
        self._places: dict[int, Message] = {}
        self._owed: dict[str, tuple[int, int]] = {}
        """Name -> (place, prize) of eliminated players that are not placed yet."""
        self._sure = False
        self._level = 0
        self.several = False

    def snapshot(self, view: Message, seats: Collection[Message], *, places: int, in_hand: bool) -> None:
        """The state of the tournament, as a snapshot of its table with so many places has it."""
        self.several = view["seats"] > places
        self._seats, self._prizes = view["seats"], list(view["prizes"])
        self._places = {place["number"]: place for place in view["places"]}
        self._chips = 0 if in_hand else sum(seat["stack"] for seat in seats)
        self._owed = {}
        self._level = view["level"]["level"]
        # between the end of a hand and its places nothing is sure
        self._sure = not in_hand and all(seat["stack"] for seat in seats)

    def hand_started(self, seats: Iterable[Seat], info: Message) -> Wrong:
        """A hand begins: no chip came or went, and every player is dealt in."""
        chips, wrong = sum(seat.stack for seat in seats), []
        if not self.several and self._chips and chips != self._chips:
            wrong.append(("tournament_chips", f"{chips} chips are in play, before {self._chips}"))
        if (
            not self.several
            and self.offer is not None
            and chips != self.offer["starting_stack"] * self._seats
        ):
            wrong.append(("tournament_chips", f"{chips} chips are in play"))
        self._chips = chips
        if self.offer is not None and self._level:
            wanted = self._scheduled(self._level)
            told = {name: info[name] for name in STAKES}
            if told != wanted:
                wrong.append(("level", f"level {self._level} has {told}, the schedule {wanted}"))
        return wrong

    def _scheduled(self, level: int) -> dict[str, int | None]:
        assert self.offer is not None
        levels = self.offer["levels"]
        row = levels[min(level, len(levels)) - 1]
        times = 2 ** max(0, level - len(levels))
        return {name: None if row[name] is None else row[name] * times for name in STAKES}

    def level(self, level: Message) -> Wrong:
        """A level is told."""
        before, self._level = self._level, level["level"]
        wrong: Wrong = []
        if before and level["level"] not in {before, before + 1}:
            wrong.append(("level", f"level {level['level']} follows {before}"))
        if self.offer is not None and (wanted := self._scheduled(self._level)) != {
            name: level[name] for name in STAKES
        }:
            wrong.append(("level", f"level {self._level} is told as {level}, the schedule has {wanted}"))
        return wrong

    def hand_ended(self, hand: Hand) -> Wrong:
        """The eliminated players and their places (I2): the larger stack at the start is better, equal ones share."""
        if self.several:
            return []
        wrong: Wrong = [("place", f"{name} is out, and has no place") for name in self._owed]
        self._sure = True
        ends = hand.ends or {}
        out = [seat for seat in hand.seats if not ends.get(seat.number)]
        left = [seat for seat in hand.seats if ends.get(seat.number)]
        self._owed = {}
        number = len(hand.seats)
        for stack in sorted({seat.stack for seat in out}):
            tied = [seat for seat in out if seat.stack == stack]
            numbers = range(number - len(tied) + 1, number + 1)
            each, odd = divmod(sum(map(self._prize, numbers)), len(tied))
            for at, seat in enumerate(tied):
                self._owed[seat.name] = numbers[0], each + (at < odd)
            number -= len(tied)
        if len(left) == 1:
            self._owed[left[0].name] = 1, self._prize(1)
        return wrong

    def _prize(self, number: int) -> int:
        return self._prizes[number - 1] if number <= len(self._prizes) else 0

    def placed(self, message: Message) -> Wrong:
        """A place is given."""
        if message["number"] in self._places:
            return [("place", f"number {message['number']} is given twice")]
        self._places[message["number"]] = message
        if self.several:
            return []
        wanted = self._owed.pop(message["name"], None)
        told = message["place"], message["prize"]
        if wanted is None:
            return (
                [("place", f"{message['name']} gets place {told[0]}, and is not out")] if self._sure else []
            )
        if told != wanted:
            return [("prize", f"{message['name']} gets (place, prize) {told}, by the rules {wanted}")]
        return []

    def ended(self, phase: str) -> tuple[Wrong, bool]:
        """The end; returns what is wrong, and whether the tournament was seen whole."""
        if phase != "finished" or self.several:
            return [], False
        wrong: Wrong = []
        if set(self._places) != set(range(1, self._seats + 1)):
            wrong.append(("place", f"the places {sorted(self._places)} are given, of {self._seats} players"))
        paid = sum(place["prize"] for place in self._places.values())
        if paid != sum(self._prizes):
            wrong.append(("prize", f"{paid} are paid, the prizes are {self._prizes}"))
        offer = self.offer
        if offer is not None and sum(self._prizes) != self._seats * (offer["buy_in"] - offer["fee"]):
            wrong.append(("prize", f"the prizes {self._prizes} are not the buy-ins without the fees"))
        return wrong, True
