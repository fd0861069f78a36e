"""The seat to act, and what is legal (B5, B6, C1, C2, D1 to D6, E1, E2), worked out from the public part of a hand.

`Betting` believes what it is told: the judge compares each step first with what is legal, then lets it happen. So one
wrong action is one difference, and the rest of the hand is still judged.
"""

from dataclasses import dataclass, field

from tests.referee.model import ANTES, Seat, Terms, Turn

STREETS = ("preflop", "flop", "turn", "river")
BOARD_CARDS = {"flop": 3, "turn": 1, "river": 1}


@dataclass(slots=True)
class Player:
    """A player dealt in. `bet` is of the street, `live` of the hand with a common ante; `dead` joins the main pot."""

    seat: int
    start: int
    stack: int
    bet: int = 0
    live: int = 0
    dead: int = 0
    folded: bool = False
    clocked: bool = False
    acted: bool = False
    posted: set[str] = field(default_factory=set)

    @property
    def can_act(self) -> bool:
        """Whether a decision of this player is still possible."""
        return not self.folded and not self.clocked and self.stack > 0

    @property
    def all_in(self) -> bool:
        """Without chips, or all-in by the clock (H3)."""
        return not self.folded and (self.clocked or self.stack == 0)


class Betting:
    """The betting of one hand. Seats are in the order of the deal."""

    def __init__(self, terms: Terms, seats: list[Seat], big_blind: int | None) -> None:
        self._terms = terms
        self.players = {seat.number: Player(seat.number, seat.stack, seat.stack) for seat in seats}
        self._order = [seat.number for seat in seats]
        self.street = "preflop"
        self.to_match = terms.big_blind
        self._increment = terms.big_blind
        self._base = terms.big_blind
        """Fixed limit: the last bet that counts as full."""
        self._counted = 1
        """Fixed limit: bets and raises of the street."""
        self._base_seen: dict[int, int] = {}
        """What `_base` was when a player acted last."""
        self._last_blind = big_blind
        self._shortfall = 0
        """What the blinds are short of their nominal size (D4)."""
        self.aggressor: int | None = None
        """Who bet or raised last on this street."""
        self.returned: int | None = None

    # --- what happens -----------------------------------------------------------------------------------------

    def post(self, seat: int, kind: str, amount: int, nominal: int) -> None:
        """A forced bet. `nominal` is its full size."""
        player = self.players[seat]
        player.stack -= amount
        player.posted.add(kind)
        if kind == "ante":
            player.live += amount
        elif kind in ANTES:
            player.dead += amount
        else:
            player.bet += amount
            player.live += amount
            self._shortfall += nominal - amount
        if kind == "straddle":
            self.to_match = self._increment = self._base = nominal
            self._counted = 2
            self._last_blind = seat

    def not_posted(self, nominal: int) -> None:
        """A blind without a chip, because its seat is empty or an ante took all; it counts in pot-limit (D4)."""
        self._shortfall += nominal

    def act(self, seat: int, kind: str, added: int) -> None:
        """A decision; `added` are the chips that it puts in."""
        player = self.players[seat]
        player.acted = True
        if kind == "fold":
            player.folded = True
            return
        if kind == "clock_all_in":
            player.clocked = True
            return
        player.stack -= added
        player.bet += added
        player.live += added
        if player.bet > self.to_match:
            self._raised(player)
        self._base_seen[seat] = self._base

    def _raised(self, player: Player) -> None:
        grown = player.bet - self.to_match
        self.aggressor = player.seat
        if self._terms.structure == "fixed_limit":
            over = player.bet - self._base
            if 2 * over >= self._size():
                self._base = player.bet
                self._counted += 1
        elif grown >= self._increment:
            self._increment = grown
        self.to_match = player.bet

    def uncalled(self, seat: int, amount: int) -> None:
        """A bet comes back (F1)."""
        player = self.players[seat]
        player.stack += amount
        player.bet = max(0, player.bet - amount)
        player.live -= amount
        self.returned = seat

    def next_street(self, street: str) -> None:
        """The bets of the street go to the pots."""
        self.street = street
        self.to_match = self._base = self._counted = self._shortfall = 0
        self._increment = self._terms.big_blind
        self._last_blind = self.aggressor = None
        self._base_seen = {}
        for player in self.players.values():
            player.bet, player.acted = 0, False

    # --- what must happen -------------------------------------------------------------------------------------

    @property
    def live(self) -> list[Player]:
        """Those who have not folded, in the order of the deal."""
        return [self.players[seat] for seat in self._order if not self.players[seat].folded]

    def actor(self, after: int | None) -> int | None:
        """The seat to act after this one; None: the street is over."""
        if len(self.live) < 2 or self.returned is not None:
            return None
        waiting = {
            player.seat
            for player in self.live
            if player.can_act and (not player.acted or player.bet < self.to_match)
        }
        able = [player for player in self.live if player.can_act]
        if len(able) == 1 and able[0].bet >= self._callable(able[0]):
            return None  # nothing to call, and no player to bet against (C2)
        after = self._last_blind if after is None else after
        for seat in self._from(after):
            if seat in waiting:
                return seat
        return None

    def _callable(self, only: Player) -> int:
        """What the only player with chips has to match: nothing beyond what the others have put in."""
        return max((player.bet for player in self.live if player is not only), default=0)

    def _from(self, after: int | None) -> list[int]:
        if after is None or after not in self._order:
            return self._order
        at = self._order.index(after) + 1
        return self._order[at:] + self._order[:at]

    def legal(self, seat: int) -> Turn:
        """What a player may do."""
        player = self.players[seat]
        facing = max(0, self.to_match - player.bet)
        low, high = self._range(player, facing)
        return Turn(
            seat=seat,
            check=facing == 0,
            call_amount=min(facing, player.stack),
            min_raise_to=low,
            max_raise_to=high,
        )

    def _range(self, player: Player, facing: int) -> tuple[int | None, int | None]:
        everything = player.bet + player.stack
        others = any(  # no player raises themselves (D1)
            other.can_act and other.bet + other.stack > self.to_match
            for other in self.live
            if other is not player
        )
        if everything <= self.to_match or not others or not self._reopened(player, facing):
            return None, None
        if self._terms.structure == "fixed_limit":
            low = high = self._next_level()
        else:
            low = self.to_match + self._increment
            high = everything
            if self._terms.structure == "pot_limit":
                pot = sum(other.live + other.dead for other in self.players.values()) + self._shortfall
                high = max(low, self.to_match + pot + facing)
        return min(low, everything), min(high, everything)

    def _reopened(self, player: Player, facing: int) -> bool:
        if self._terms.structure == "fixed_limit":
            heads_up = len(self.live) == 2 and not self._terms.cap_heads_up
            if self._counted > self._terms.raises_max and not heads_up:
                return False
            return (
                not player.acted
                or self._base > self._base_seen.get(player.seat, 0)
                or 2 * facing >= self._size()
            )
        return not player.acted or facing >= self._increment

    def _size(self) -> int:
        return self._terms.small_bet if self.street in {"preflop", "flop"} else self._terms.big_bet

    def _next_level(self) -> int:
        return self._base + self._size()

    @property
    def closed(self) -> bool:
        """Whether no player will act on any later street: the rest of the board runs out."""
        return sum(player.can_act for player in self.live) <= 1

    def excess(self) -> tuple[int, int] | None:
        """(seat, amount) of what no other player matched, of a common ante too (F1); None: nothing."""
        chips = sorted(self.players.values(), key=lambda player: player.live)
        if len(chips) < 2 or chips[-1].live == chips[-2].live or chips[-1].folded:
            return None
        return chips[-1].seat, chips[-1].live - chips[-2].live
