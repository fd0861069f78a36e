"""The state of a tournament, as immutable values.

`tournament` computes one state from another. A state knows accounts and tables by number. It does not know cards or
timers, or in which account money is. A sit-and-go has one table.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from pokerroom.chips import Chips, Money
from pokerroom.rules.button import HandPlan, Owes, Positions
from pokerroom.rules.tournament.final_table import final_table_seats
from pokerroom.rules.tournament.prizes import fixed_prizes, prize_pool
from pokerroom.rules.tournament.schedule import BlindSchedule, LevelClock


class TournamentRefusal(Exception):  # noqa: N818 -- a refusal answers a request, it is not an error of the room
    """Raised for a request that the state of the tournament does not allow; nothing has changed.

    `code` is stable: `not_full`, `tournament_started`, `not_running`, `hand_in_progress`, `no_hand`, `paused`,
    `not_paused`, `on_break`, `not_playing`, `prizes_won`, `too_few_players`. The functions of `entries` and
    `satellites` name theirs.
    """

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentTerms:
    """The stakes and the structure of a tournament.

    Money is in 1/100 credit; the house keeps `fee` of each `buy_in` (I1). `seats` is the number of players,
    `table_seats` (2 to 10) that of the seats at each table; 0: all sit at one. Raises `PrizeTableError` if the prizes
    do not add up to the pool, and ValueError for other impossible values.
    """

    seats: int
    table_seats: int = 0
    buy_in: Money
    fee: Money
    starting_stack: Chips
    schedule: BlindSchedule
    prizes: tuple[Money, ...]

    def __post_init__(self) -> None:
        if not self.table_seats:
            object.__setattr__(self, "table_seats", self.seats)
        if not 2 <= self.table_seats <= 10 or self.starting_stack < 1:
            raise ValueError("a table has two to ten seats, and a starting stack is at least 1")
        fixed_prizes(self.prizes, pool=self.pool, seats=self.seats)

    @property
    def tables(self) -> int:
        """The number of tables at the start."""
        return -(-self.seats // self.table_seats)

    @property
    def final_seats(self) -> int:
        """The number of seats of the final table, or of the only one (L9)."""
        return final_table_seats(self.table_seats) if self.tables > 1 else self.table_seats

    @property
    def pool(self) -> Money:
        """The sum of the prizes."""
        return prize_pool(self.seats, self.buy_in, self.fee)


class TournamentPhase(StrEnum):
    """The phase of a tournament; the last four are final."""

    registering = "registering"
    running = "running"
    finished = "finished"
    cancelled = "cancelled"
    rolled_back = "rolled_back"
    rolled_forward = "rolled_forward"


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentPlayer:
    """A player who sits, or has sat, at a table of the tournament.

    `chips` are as of the last finished hand, 0 for a bust player. A player with `away` is dealt in and posts, and is
    folded without a clock until they act or return (H5).
    """

    account: int
    table: int
    seat: int
    chips: Chips
    away: bool = False
    owes: Owes = Owes.nothing
    """What a player owes that has moved to the table and has not been dealt in there yet (L6)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedPlayer:
    """The place of a player. Players who tie share a `place`; `number` (1 to seats) and the prize are their own."""

    number: int
    place: int
    account: int
    prize: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentHand:
    """The hand in progress: its plan, and the level at which it was dealt."""

    plan: HandPlan
    level: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePlay:
    """The hands of one table; `number` is the table's, counted from 1."""

    number: int
    positions: Positions | None = None
    """The positions of the last hand that was dealt and is not void."""
    hand: TournamentHand | None = None
    """The hand in progress."""
    hands: int = 0
    """The number of finished hands."""


_BEGINNING: Final = LevelClock()


@dataclass(frozen=True, slots=True, kw_only=True)
class Tournament:
    """A tournament at one moment.

    `players` are in the order of tables and seats, `tables` in the order of their numbers, `standings` the best place
    first. A table that was broken is not among the `tables`; players that are out stay where they sat last.
    """

    terms: TournamentTerms
    phase: TournamentPhase = TournamentPhase.registering
    registered: tuple[int, ...] = ()
    """The registered accounts in the order of registration, until the start."""
    players: tuple[TournamentPlayer, ...] = ()
    clock: LevelClock = _BEGINNING
    paused: bool = False
    tables: tuple[TablePlay, ...] = ()
    standings: tuple[PlacedPlayer, ...] = ()

    @property
    def full(self) -> bool:
        """Whether every seat is taken."""
        return len(self.registered) == self.terms.seats

    @property
    def between_hands(self) -> bool:
        """Whether no table has a hand in progress."""
        return all(table.hand is None for table in self.tables)

    def table(self, number: int) -> TablePlay:
        """Return a table. Raises LookupError if there is none with this number."""
        for table in self.tables:
            if table.number == number:
                return table
        raise LookupError(f"there is no table {number}")

    def with_table(self, changed: TablePlay) -> "Tournament":
        """Return the tournament with this table in place of that of the same number."""
        tables = tuple(changed if table.number == changed.number else table for table in self.tables)
        return replace(self, tables=tables)

    def left_at(self, table: int) -> tuple[TournamentPlayer, ...]:
        """Return the players with chips at a table, from the first left of its button."""
        positions = self.table(table).positions
        button = 0 if positions is None else positions.button
        alive = [player for player in self.players if player.chips and player.table == table]
        return tuple(sorted(alive, key=lambda player: (player.seat <= button, player.seat)))

    def left(self) -> tuple[TournamentPlayer, ...]:
        """Return the players with chips, table by table."""
        return tuple(player for table in self.tables for player in self.left_at(table.number))

    def player(self, account: int) -> TournamentPlayer | None:
        """Return the player of an account, in or out; None if there is none."""
        return next((player for player in self.players if player.account == account), None)
