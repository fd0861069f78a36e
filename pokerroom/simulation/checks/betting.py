"""Follow the betting of one hand through its record: whose turn it was, the legal actions, and the pot.

Reads the record and the table's terms, and nothing else: sections B to E of the rules once more, apart from the code
that played the hand. `wrong` collects the violations. Winners are checked elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pokerroom.simulation.checks.settings import CheckedSettings

STREETS = ("flop", "turn", "river")
DECISIONS = frozenset({"fold", "check", "call", "bet", "raise", "clock_all_in"})
_DEAD = frozenset({"big_blind_ante", "dead_post"})


class BettingChecker:
    """See the module. All amounts are by seat; `order` begins left of the button."""

    def __init__(self, record: dict[str, Any], terms: CheckedSettings) -> None:
        self._terms = terms
        self.order: list[int] = [seat["seat"] for seat in record["seats"]]
        self.stacks: dict[int, int] = {seat["seat"]: seat["stack"] for seat in record["seats"]}
        self._at_start = dict(self.stacks)
        self.live = dict.fromkeys(self.order, 0)
        """What each has in that matches others' chips."""
        self.dead = dict.fromkeys(self.order, 0)
        self._bets = dict.fromkeys(self.order, 0)
        self.folded: set[int] = set()
        self.clocked: set[int] = set()
        """All-in by the clock (H3)."""
        self.board: list[str] = []
        self.aggressor: int | None = None
        """The last to bet or raise on the street that it is."""
        self.big_blind: int | None = None
        """The seat that has posted it."""
        self.wrong: list[str] = []
        self._street = "preflop"
        self._acted: set[int] = set()
        self._after = self.order[-1]
        self._current = self._full_bet = self._full_raise = self._raises = self._short = 0
        self._heads_up = len(self.order) == 2
        self._posted: dict[str, list[int]] = {}
        self._unknown = False
        """A player had nothing left for a blind: the record tells neither the player nor the amount to call."""
        self._follow(record["events"])

    @property
    def contesting(self) -> list[int]:
        """The seats that have not folded, in order."""
        return [seat for seat in self.order if seat not in self.folded]

    def _say(self, line: str) -> None:
        if not self._unknown:
            self.wrong.append(line)

    def _follow(self, events: Sequence[Sequence[Any]]) -> None:
        posts = [fields for kind, *fields in events if kind == "post"]
        for seat, kind, amount in posts:
            self._post(seat, kind, amount)
        self._begin()
        for kind, *fields in events[len(posts) :]:
            if kind in STREETS:
                self._deal(kind, fields)
            elif kind in DECISIONS:
                self._decide(kind, *fields)
            elif kind == "uncalled":
                self._uncalled(*fields)
            elif kind == "post":
                self._say(f"seat {fields[0]} posts in the middle of the hand")
        self._is_closed("the hand ends")

    # --- posts ------------------------------------------------------------------------------------------------

    def _post(self, seat: int, kind: str, amount: int) -> None:
        terms = self._terms
        owed = {
            "ante": terms.ante,
            "big_blind_ante": terms.big_blind_ante,
            "small_blind": terms.small_blind,
            "big_blind": terms.big_blind,
            "straddle": terms.straddle,
            "live_post": terms.big_blind,
            "dead_post": terms.small_blind,
        }[kind]
        kept = terms.big_blind if kind == "big_blind_ante" else 0  # the blind comes first (B9)
        if amount != min(owed, self.stacks[seat] - kept):
            self._say(f"seat {seat} posts {amount} as {kind}, and owes {owed} (B2, B5)")
        if kind in {"small_blind", "big_blind", "straddle", "live_post"}:
            self._short += owed - amount
        self._posted.setdefault(kind, []).append(seat)
        self.stacks[seat] -= amount
        if kind in _DEAD:
            self.dead[seat] += amount
            return
        self.live[seat] += amount
        if kind != "ante":
            self._bets[seat] += amount

    def _begin(self) -> None:
        terms, order, posted = self._terms, self.order, self._posted
        broke = [seat for seat in order if self._at_start[seat] <= terms.ante] if terms.ante else []
        big, small = posted.get("big_blind", []), posted.get("small_blind", [])
        straddle = posted.get("straddle", [])
        if broke and (len(big) != 1 or (terms.straddle and not straddle)):
            self._unknown = True
        if terms.ante and sorted(posted.get("ante", [])) != sorted(order):
            self._say("not everybody posts the ante (B9)")
        if len(big) != 1 or len(small) > 1 or len(straddle) > 1:
            self._say(f"big blinds: {big}, small blinds: {small}, straddles: {straddle} (B2)")
            self._unknown = True
            return
        self.big_blind = big[0]
        if not small:  # its seat is empty, or the ante took the player's last chip (D4)
            self._short += terms.small_blind
        places = [[big[0]], [*small, big[0]]] if len(order) > 2 else [[big[0], *small]]
        posting = [seat for seat in order if seat in {*small, *big} or seat not in broke]
        if posting[: 2 if len(order) == 2 else len(small) + 1] not in places:
            self._say(f"seats {order} from the button, blinds of {small}, {big} (B3, B4, B7)")
        self._after = big[0]
        largest = terms.big_blind
        if straddle:
            largest, self._after = terms.straddle, straddle[0]
            if straddle[0] != order[(order.index(big[0]) + 1) % len(order)]:
                self._say(f"seat {straddle[0]} straddles and is not left of the big blind")
        self._current = self._full_bet = largest
        self._full_raise = self._opening(largest)
        self._raises = max(1, largest // terms.small_bet) if terms.small_bet else 1

    def _opening(self, blind: int) -> int:
        terms = self._terms
        if terms.structure == "fixed_limit":
            return terms.small_bet if self._street in {"preflop", "flop"} else terms.big_bet
        return max(terms.big_blind, blind)

    # --- streets ----------------------------------------------------------------------------------------------

    def _deal(self, street: str, cards: list[str]) -> None:
        self._is_closed(f"the {street} is dealt")
        self._street = street
        self.board += cards
        self._bets = dict.fromkeys(self.order, 0)
        self._acted.clear()
        self._current = self._full_bet = self._raises = self._short = 0
        self._full_raise = self._opening(0)
        self._heads_up = len(self.contesting) == 2
        self._after = self.order[-1]
        self.aggressor = None

    def _is_closed(self, what: str) -> None:
        """The betting is over: the uncalled bet is returned (C2, F1)."""
        if len(self.contesting) > 1 and (seat := self._to_act()) is not None:
            self._say(f"{what} while seat {seat} is to act (C2)")
        seat, amount = self._excess()
        if amount and seat not in self.folded:
            self._say(f"{what} while {amount} of seat {seat} are uncalled (F1)")

    def _excess(self) -> tuple[int, int]:
        """The seat with the highest bet, and the part of it that no other seat has called."""
        top = max(self.order, key=lambda seat: self.live[seat])
        return top, self.live[top] - max(self.live[seat] for seat in self.order if seat != top)

    def _uncalled(self, seat: int, amount: int) -> None:
        if (seat, amount) != self._excess() or seat in self.folded:
            self._say(f"{amount} go back to seat {seat} as uncalled; it is {self._excess()} (F1)")
        self.live[seat] -= amount
        self._bets[seat] = max(0, self._bets[seat] - amount)  # the rest is of the ante
        self.stacks[seat] += amount

    # --- decisions --------------------------------------------------------------------------------------------

    def _active(self) -> list[int]:
        return [
            seat
            for seat in self.order
            if self.stacks[seat] and seat not in self.folded and seat not in self.clocked
        ]

    def _to_act(self) -> int | None:
        active = self._active()
        if len(active) == 1 and len(self.contesting) > 1:
            return active[0] if self._bets[active[0]] < max(self._bets.values()) else None
        at = self.order.index(self._after) + 1
        for seat in self.order[at:] + self.order[:at]:
            if seat in active and (seat not in self._acted or self._bets[seat] < self._current):
                return seat
        return None

    def _decide(self, action: str, seat: int, added: int, bet: int) -> None:
        if seat != self._to_act():
            self._say(f"seat {seat} acts ({action}), and it is seat {self._to_act()}'s turn (C1, H3)")
        stack, facing = self.stacks[seat], self._current - self._bets[seat]
        if action in {"bet", "raise"}:
            self._raise(seat, bet, facing)
            wanted = bet - self._bets[seat]
        else:
            wanted = min(facing, stack) if action == "call" else 0
        if (action == "call" and facing <= 0) or (action == "check" and facing):
            self._say(f"seat {seat} faces {facing}: {action}")
        if action == "clock_all_in" and not self.live[seat] + self.dead[seat]:
            self._say(f"seat {seat} is all-in by the clock with nothing in (H2)")
        if added != wanted or not 0 <= added <= stack or bet != self._bets[seat] + added:
            self._say(f"seat {seat} with {stack} behind adds {added} to {bet} ({action}, facing {facing})")
        self.stacks[seat] -= added
        self.live[seat] += added
        self._bets[seat] += added
        self._acted.add(seat)
        self._after = seat
        if action == "fold":
            self.folded.add(seat)
        elif action == "clock_all_in":
            self.clocked.add(seat)

    def _raise(self, seat: int, amount: int, facing: int) -> None:
        all_in = self._bets[seat] + self.stacks[seat]
        fixed = self._terms.structure == "fixed_limit"
        base = self._full_bet if fixed else self._current
        least = base + self._full_raise
        most = least if fixed else all_in
        if self._terms.structure == "pot_limit":
            pot = sum(self.live.values()) + sum(self.dead.values()) + self._short
            most = self._current + max(pot + facing, self._full_raise)
        if not max(min(least, all_in), self._current + 1) <= amount <= min(most, all_in):
            self._say(f"seat {seat} raises to {amount}: at least {least}, at most {most}, has {all_in} (D)")
        reopens = 2 * facing >= self._full_raise if fixed else facing >= self._full_raise
        if seat in self._acted and not reopens:
            self._say(f"seat {seat} has acted, faces {facing} and raises (E)")
        capped = fixed and (self._terms.cap_heads_up or not self._heads_up)
        if capped and self._raises > self._terms.raises_max:
            self._say(f"seat {seat} makes raise {self._raises} of the street (D5)")
        if not any(
            self._bets[other] + self.stacks[other] > self._current
            for other in self._active()
            if other != seat
        ):
            self._say(f"seat {seat} raises, and no other player can call (D1)")
        increment = amount - base
        if (2 * increment if fixed else increment) >= self._full_raise:
            self._full_raise = self._full_raise if fixed else increment
            self._full_bet = amount
            self._raises += 1
        self._current = amount
        self.aggressor = seat
