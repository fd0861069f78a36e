"""The state of a tournament, as immutable values.

`tournament` computes one state from another. A state knows accounts and tables by number. It does not know cards or
timers, or in which account money is. A sit-and-go has one table.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from pokerroom.chips import Chips, Money
from pokerroom.rules.button import Owes
from pokerroom.rules.planned_hand import HandPlan, Positions
from pokerroom.rules.tournament.deal_stages import AgreedDeal, DealStage, DealTerms, OpenDeal
from pokerroom.rules.tournament.entries import EnteredPlayer, Entries, EntryStage, EntryTerms
from pokerroom.rules.tournament.final_table import final_table_seats
from pokerroom.rules.tournament.hand_for_hand import EliminatedPlayer, TiedEliminations, is_hand_for_hand
from pokerroom.rules.tournament.prize_table import PayoutTerms, seats_in
from pokerroom.rules.tournament.prizes import fixed_prizes, prize_pool
from pokerroom.rules.tournament.schedule import BlindSchedule, LevelClock
from pokerroom.rules.tournament.tables import SeatedTable


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
    entries: EntryTerms | None = None
    """What may be bought, and when, where the tournament starts at a time. `seats` is then the most players."""
    payout: PayoutTerms | None = None
    """How prizes follow from the entries once these close; `prizes` are empty then."""
    hourly_breaks: bool = False
    """Whether all tables rest from five minutes to the hour (L10)."""
    deals: DealTerms | None = None
    """When players may make a deal (L15); None: never."""
    ties: TiedEliminations = TiedEliminations.stack
    """The places of players that are out in one hand of hand-for-hand (L8)."""

    def __post_init__(self) -> None:
        if not self.table_seats:
            object.__setattr__(self, "table_seats", self.seats)
        if not 2 <= self.table_seats <= 10 or self.starting_stack < 1:
            raise ValueError("a table has two to ten seats, and a starting stack is at least 1")
        if (self.entries is None) != (self.payout is None) or (self.entries is not None and self.prizes):
            raise ValueError("a tournament that starts at a time has entries and a payout, and no prizes yet")
        if self.entries is None:
            fixed_prizes(self.prizes, pool=self.pool, seats=self.seats)

    @property
    def part(self) -> Money:
        """What an entry brings to the prizes: all but the fee and the bounty."""
        return Money(self.buy_in - self.fee) if self.entries is None else self.entries.entry.prize

    @property
    def tables(self) -> int:
        """The number of tables of a full tournament at the start."""
        return -(-self.seats // self.table_seats)

    @property
    def final_seats(self) -> int:
        """The number of seats of the final table, or of the only one (L9)."""
        return final_table_seats(self.table_seats) if self.tables > 1 else self.table_seats

    def seats_paid(self, prizes: Sequence[Money]) -> int:
        """Return how many of these prizes have a seat (L14); 0: it is no satellite."""
        return 0 if self.payout is None else seats_in(prizes, self.payout.seat_value)

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
    entries: int = 1
    """The number of stacks that the player has bought, one after the other (L2)."""
    rebuys: int = 0
    add_ons: int = 0


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


class PlayerIndex:
    """The players of a state, found by account and by table.

    The index after it shares the tables as draws see them, of which each is made again once its players have changed.
    """

    def __init__(
        self,
        players: tuple[TournamentPlayer, ...],
        left_at: dict[int, tuple[TournamentPlayer, ...]] | None = None,
        seated: dict[int, tuple[TablePlay, tuple[TournamentPlayer, ...], SeatedTable]] | None = None,
        positions: Mapping[int, int] | None = None,
        left: int | None = None,
    ) -> None:
        self.players = players
        self.left_at = _left_at(players) if left_at is None else left_at
        """By table: its players with chips, by seat. A table without any is not there."""
        self.left = sum([len(there) for there in self.left_at.values()]) if left is None else left
        """The number of players with chips."""
        self._seated = {} if seated is None else seated
        self._positions = (
            {player.account: at for at, player in enumerate(players)} if positions is None else positions
        )

    def seated(self, play: TablePlay, seats: int) -> SeatedTable:
        """Return a table of so many seats as draws see it; the one of before, if nothing has changed there."""
        players = self.left_at.get(play.number, ())
        known = self._seated.get(play.number)
        if known is not None and known[0] is play and known[1] is players:
            return known[2]
        found = SeatedTable(
            number=play.number,
            seats=seats,
            players={player.seat: player.account for player in players},
            positions=play.positions if play.hand is None else play.hand.plan.positions,
            waiting=frozenset(player.seat for player in players if player.owes is not Owes.nothing),
        )
        self._seated[play.number] = play, players, found
        return found

    def after(self, changed: Mapping[int, TournamentPlayer]) -> "PlayerIndex":
        """Return the index after these players have `changed`, each in the seat of before.

        A field may have thousands of players, and each hand changes a table of them: the others are not looked at.
        """
        players = list(self.players)
        for account, player in changed.items():
            players[self._positions[account]] = player
        left_at, left = dict(self.left_at), self.left
        for table in {player.table for player in changed.values()}:
            before = left_at.pop(table, ())
            there = [changed.get(player.account, player) for player in before]
            after = tuple([player for player in there if player.chips])
            left += len(after) - len(before)
            if after:
                left_at[table] = after
        return PlayerIndex(tuple(players), left_at, self._seated, self._positions, left)

    def player(self, account: int) -> TournamentPlayer:
        """Return the player of an account, in or out. Raises LookupError if there is none."""
        return self.players[self._positions[account]]

    def __contains__(self, account: int) -> bool:
        return account in self._positions


def _left_at(players: Sequence[TournamentPlayer]) -> dict[int, tuple[TournamentPlayer, ...]]:
    found: dict[int, list[TournamentPlayer]] = {}
    for player in players:
        if player.chips:
            found.setdefault(player.table, []).append(player)
    return {
        table: tuple(sorted(there, key=lambda player: player.seat)) for table, there in sorted(found.items())
    }


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
    out: tuple[EliminatedPlayer, ...] = ()
    """Players that are out in the synchronised hand in progress (L8): they have no place yet."""
    synchronised: bool = False
    """Whether the hands in progress were dealt hand for hand: one that began before is not one of them (L8)."""
    synchronised_ms: int = 0
    """What the synchronised hand has taken off the level so far."""
    unplaced: tuple[tuple[int, ...], ...] = ()
    """Accounts without chips that have no place while entries are open: the last out first, ties together."""
    deciding: tuple[int, ...] = ()
    """Accounts without chips that may still buy a rebuy: they count as left, and their tables wait (L2)."""
    fixed_prizes: tuple[Money, ...] = ()
    """The prizes of a tournament that starts at a time, once its entries have closed."""
    deal: DealStage | None = None
    """A deal that players make, or have made (L15)."""
    deals_from_hand: int = 0
    """So many hands of the final table come before the next proposal."""
    deals_failed: int = 0
    """How many deals were not agreed, as far as that counts."""
    index: PlayerIndex | None = field(default=None, repr=False, compare=False)
    """Made when it is needed; see `indexed`."""

    @property
    def prizes(self) -> tuple[Money, ...]:
        """The prizes, the best place first; none while entries are open."""
        return self.terms.prizes or self.fixed_prizes

    @property
    def seats(self) -> int:
        """How many seats a satellite gives, once its entries have closed (L14); 0 in any other tournament."""
        return self.terms.seats_paid(self.prizes)

    @property
    def seats_won(self) -> bool:
        """Whether a satellite is decided: each player left has a seat, and no hand of this moment takes one away."""
        return (
            self.phase is TournamentPhase.running
            and self.indexed().left <= self.seats
            and (self.between_hands or not self.hand_for_hand)
        )

    @property
    def entries_closed(self) -> bool:
        """Whether no account can enter any more, so that prizes and places are final."""
        return bool(self.prizes)

    @property
    def entries(self) -> Entries:
        """The entries, for the rules about them. Raises LookupError for a sit-and-go, of which none can be bought."""
        terms = self.terms.entries
        if terms is None:
            raise LookupError("all entries to a sit-and-go are bought before its start")
        break_of_add_on = terms.add_on is not None and self.clock.level == terms.rebuy_levels
        stage = EntryStage.running
        if self.entries_closed:
            stage = EntryStage.closed
        elif break_of_add_on and self.clock.break_left_ms:
            stage = EntryStage.add_on_break
        return Entries(
            terms=terms,
            stage=stage,
            level=self.clock.level + 1,
            players=tuple(
                EnteredPlayer(
                    account=player.account,
                    entries=player.entries,
                    rebuys=player.rebuys,
                    add_ons=player.add_ons,
                    in_play=player.chips > 0 or player.account in self.deciding,
                )
                for player in self.players
            ),
        )

    @property
    def agreed_deal(self) -> AgreedDeal | None:
        """The deal that is made, if there is one."""
        return self.deal if isinstance(self.deal, AgreedDeal) else None

    @property
    def clock_stands(self) -> bool:
        """Whether the level waits: for the operator, for a break, or for the answers to a deal."""
        return self.paused or self.clock.break_left_ms > 0 or isinstance(self.deal, OpenDeal)

    @property
    def full(self) -> bool:
        """Whether every seat is taken."""
        return len(self.registered) == self.terms.seats

    @property
    def between_hands(self) -> bool:
        """Whether no table has a hand in progress."""
        return all(table.hand is None for table in self.tables)

    @property
    def hand_for_hand(self) -> bool:
        """Whether all tables deal hand for hand (L8); the players that are `out` in this hand count as left."""
        return len(self.tables) > 1 and is_hand_for_hand(
            self.indexed().left + len(self.out),
            paid=self.seats or len(self.prizes),
            tables=len(self.tables),
            registration_closed=self.entries_closed,
            final_table_seats=self.terms.final_seats,
        )

    @property
    def ties(self) -> TiedEliminations:
        """How the players are placed that are `out`: only those of a hand dealt hand for hand may all tie (L8)."""
        return self.terms.ties if self.synchronised else TiedEliminations.stack

    def indexed(self) -> PlayerIndex:
        """Return the index of the players."""
        index = self.index
        if index is None or index.players is not self.players:
            index = PlayerIndex(self.players)
            object.__setattr__(self, "index", index)
        return index

    def table(self, number: int) -> TablePlay:
        """Return a table. Raises LookupError if there is none with this number."""
        return self.tables[self._position_of(number)]

    def _position_of(self, number: int) -> int:
        at = bisect_left(self.tables, number, key=lambda table: table.number)
        if at == len(self.tables) or self.tables[at].number != number:
            raise LookupError(f"there is no table {number}")
        return at

    def with_table(self, changed: TablePlay) -> "Tournament":
        """Return the tournament with this table in place of that of the same number. Raises LookupError without one."""
        at = self._position_of(changed.number)
        return replace(self, tables=(*self.tables[:at], changed, *self.tables[at + 1 :]))

    def with_hand(self, table: int, hand: TournamentHand) -> "Tournament":
        """Return the tournament with a hand in progress at a table. Raises LookupError without the table."""
        synchronised = self.synchronised or (self.hand_for_hand and self.between_hands)
        return replace(self.with_table(replace(self.table(table), hand=hand)), synchronised=synchronised)

    def with_players(self, changed: Mapping[int, TournamentPlayer]) -> "Tournament":
        """Return the tournament with these players, by account, in place of those of the same accounts and seats."""
        index = self.indexed().after(changed)
        return replace(self, players=index.players, index=index)

    def seated_at(self, table: int) -> tuple[TournamentPlayer, ...]:
        """Return the players with a seat at a table, and those who went out there, by seat."""
        first = bisect_left(self.players, table, key=lambda player: player.table)
        after = bisect_right(self.players, table, lo=first, key=lambda player: player.table)
        return self.players[first:after]

    def left_at(self, table: int) -> tuple[TournamentPlayer, ...]:
        """Return the players with chips at a table, from the first left of its button."""
        positions = self.table(table).positions
        alive = self.indexed().left_at.get(table, ())
        if positions is None:
            return alive
        return tuple(sorted(alive, key=lambda player: (player.seat <= positions.button, player.seat)))

    def left(self) -> tuple[TournamentPlayer, ...]:
        """Return the players with chips, table by table."""
        return tuple([player for table in self.tables for player in self.left_at(table.number)])

    def chips_bought(self, player: TournamentPlayer) -> int:
        """Return the chips of all rebuys and add-ons of a player."""
        terms = self.terms.entries
        if terms is None:
            return 0
        rebuy = 0 if terms.rebuy is None else terms.rebuy.chips
        add_on = 0 if terms.add_on is None else terms.add_on.chips
        return rebuy * player.rebuys + add_on * player.add_ons

    def waits_for_rebuys(self) -> frozenset[int]:
        """Return the tables at which a player decides on a rebuy."""
        index = self.indexed()
        return frozenset(index.player(account).table for account in self.deciding)

    def player(self, account: int) -> TournamentPlayer | None:
        """Return the player of an account, in or out; None if there is none."""
        index = self.indexed()
        return index.player(account) if account in index else None
