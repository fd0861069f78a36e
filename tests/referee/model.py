"""A hand as the referee judges it, whichever way it came: from an export, or from the wire.

Amounts are integers in the smallest unit. What a source does not say is None, and the judge does not ask for it.
"""

from dataclasses import dataclass, field

ANTES = frozenset({"ante", "big_blind_ante", "dead_post"})
"""Posts that go to the pot at once; the others stand in front of the player."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rake:
    """The terms of a rake, as the room shows them. `caps` are (players, amount)."""

    bps: int
    unit: int
    caps: tuple[tuple[int, int], ...] = ()
    no_flop_no_drop: bool = True
    min_pot: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Game and stakes of a hand."""

    game: str
    structure: str
    hole_cards: int
    small_blind: int | None
    big_blind: int
    small_bet: int = 0
    big_bet: int = 0
    ante: int | None = 0
    """Of every player. None: the source does not say."""
    big_blind_ante: int | None = 0
    straddle: int | None = 0
    rake: Rake | None = None
    rake_known: bool = True
    """False: the source tells what was taken, and not by which terms."""
    tournament: bool = False
    unit: int | None = None
    """The smallest chip (F3). None: no source says it; then one number has to explain all splits of a table."""
    raises_max: int = 3
    cap_heads_up: bool = True
    show_all_in: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """A player dealt in, with the stack at the start."""

    number: int
    name: str
    stack: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What the room says is legal."""

    seat: int
    check: bool
    call_amount: int
    min_raise_to: int | None
    max_raise_to: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One event of a hand. `what` is post, turn, act, street, uncalled, show, muck or award; the rest as it needs."""

    what: str
    seat: int = 0
    kind: str = ""
    """Of a post; of an act the action; of a street its name."""
    amount: int | None = None
    """Chips of a post, an act or a return; the size of a pot. None: not said."""
    bet: int | None = None
    """The total of the street after an act; of a post what is owed, where the terms do not tell it."""
    stack: int | None = None
    all_in: bool | None = None
    cards: tuple[str, ...] = ()
    rank: str | None = None
    pot: int | None = 0
    pots: tuple[tuple[int, tuple[int, ...]], ...] | None = None
    """At a street: (amount, seats) of each pot."""
    shares: tuple[tuple[int, int], ...] = ()
    rake: int | None = 0
    turn: Turn | None = None
    by_clock: bool = False


@dataclass(slots=True, kw_only=True)
class Hand:
    """A whole hand. `seats` are in the order of the deal: from the first left of the button."""

    hand_id: str
    table: str
    terms: Terms
    button: int | None
    small_blind: int | None
    big_blind: int | None
    seats: list[Seat]
    steps: list[Step] = field(default_factory=list)
    ends: dict[int, int] | None = None
    void: bool = False
    later_table: bool = False
    """True: the source says that its tournament has several tables."""
    tells_returns: bool = True
    """False: the source has no step for an uncalled bet."""
    tells_clock: bool = True
    """False: the source has no step for an all-in by the clock."""
    show_order_unknown: bool = False
    """True: the source may leave out the last bet."""
    shows_in_time: bool = True
    """False: the source tells all hands that are turned up at its end."""
    tells_blinds: bool = True
    """False: the source tells the seats of the blinds by their posts alone."""
    tells_awards: bool = True
    """False: the source has the stacks at the end alone."""
    rake: int | None = None
    """What was taken in all, where the source tells that alone."""
    rake_unit: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Where a room is wrong: `kind` is a stable word, `detail` a sentence."""

    kind: str
    detail: str
    hand: str = ""
    table: str = ""

    def __str__(self) -> str:
        where = " ".join(part for part in (self.table, self.hand) if part)
        return f"{where or '-'}: {self.kind}: {self.detail}"
