"""What the hands of a table ask of its seating, and what they offer to it.

The seating is that of a cash table (`poker.cash`) or of a tournament's table; hands do not know which. Its parts answer
one kind of question each.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pokerroom.ledger.api import SeatRow
from pokerroom.ops.table_settings import TableSettings
from pokerroom.poker.hand_state import HandInProgress
from pokerroom.poker.journal import SeatingFacts
from pokerroom.poker.play import HandPlay
from pokerroom.poker.recovery import JournalledPoker
from pokerroom.poker.seat_journal import SeatJournal
from pokerroom.poker.seats import Seat, Seats
from pokerroom.rules import events as rules_events
from pokerroom.rules.planned_hand import HandPlan, Positions
from pokerroom.table.game import GamePorts
from pokerroom.table.game_parts import GameSeats
from pokerroom.table.lifecycle import AfterSettlement
from pokerroom.table.viewer import Viewer
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

Dealing = tuple[TableSettings, HandPlan]
"""The settings of a hand, and its plan: players and positions."""


class HandPolicy(Protocol):
    """The players of the next hand, the work after a hand, and the treatment of players who do not act."""

    @property
    def awaited(self) -> bool:
        """Whether a player who took part is not back yet after a restart."""

    def plan(self, previous: Positions | None) -> Dealing | None:
        """Return the next hand; None if there is none now. `previous` are the positions of the last one here."""

    def settled(self, play: HandPlay, timed_out: Collection[int], acted: Collection[int]) -> None:
        """The hand is in the ledger and told, and its seats have their stacks: do what follows before the next one.

        `timed_out` and `acted` are the accounts that let the clock decide, or decided, in it.
        """

    def absent(self, seat: Seat) -> bool:
        """Return whether the seat's decisions are not waited for: it is folded when its turn comes."""

    def protected(self, seat: Seat) -> bool:
        """Return whether a seat whose time has run out is all-in for what is in (H2)."""

    def timed_out(self, play: HandPlay, seat: Seat, events: Sequence[rules_events.Event]) -> None:
        """The clock has decided for the seat; these events are on their way to the journal."""

    def pause_s(self) -> float:
        """Return how long the pause after a hand is, in seconds."""

    def no_more_hands(self) -> None:
        """The table is to be drained or handed over: the hand in progress is the last here."""


class PokerSeats(GameSeats, Protocol):
    """The seats, as hands and views read them."""

    @property
    def seats(self) -> Seats:
        """All taken seats."""

    def held_by(self, account: int | None) -> Seat | None:
        """Return the seat of an account once clients know of it."""

    def reserved(self) -> Sequence[int]:
        """Return the free seats that are held for an account, in order."""

    def facts(self) -> SeatingFacts:
        """Return what the ledger does not know of the table: whether it is closing, and the rest."""


class SeatRecovery(Protocol):
    """The seats rebuilt from ledger and journal."""

    def restore(
        self,
        rows: list[SeatRow],
        entries: list[bytes],
        settled: frozenset[str],
        begin: Callable[[Any, list[bytes], frozenset[str]], None],
    ) -> None:
        """Start at this node: call `begin` once the seats are known, unless the table is new."""

    async def rows(self) -> Any:
        """Return the players as in the ledger; wait for it as long as it takes."""

    def take_over(self, before: Any, rows: Any) -> None:
        """After a fault: take over from the seating `before` what still holds; `rows` are the ledger's."""

    def ended(self, rows: Any) -> bool:
        """Return whether nothing is played here any more."""

    def sit_again(self, rows: Any, found: JournalledPoker) -> None:
        """Seat the players as ledger and journal say. Raises `UnreadableJournal`, and then no player has sat down."""

    def plays_on(self, play: HandPlay | None, *, settled: bool) -> None:
        """The hand in the journal goes on; None if there is none, or it is `settled`, or void."""

    def standing_of(self, rows: Any) -> Mapping[int, Seat]:
        """Return by account the seats as the ledger alone knows them, for a hand that is only looked at."""

    def settings_of(self, found: JournalledPoker) -> TableSettings:
        """Return the settings of the hand in the journal. Raises `UnreadableJournal`."""

    def gathered(self) -> None:
        """Wait for players who are not back yet, when the table has started here between hands."""

    def restarted(self) -> None:
        """Finish a restart: all viewers have been shown the table."""


class SeatingView(Protocol):
    """What others may know of the seating."""

    def info(self) -> wire.TableInfo:
        """Return the table's row in the lobby."""

    def players(self) -> int:
        """Return how many are dealt in."""

    def settings_now(self) -> TableSettings:
        """Return the settings of the next hand."""

    def tournament_view(self) -> wire.TournamentView | None:
        """Return what a snapshot says of the tournament that is played here."""

    def opens(self) -> bool:
        """Return whether the seats are not known yet."""

    def when_open(self, then: Callable[[], None]) -> None:
        """Call `then` once the seats are known."""


class PokerSeating(Protocol):
    """The seating of a poker table, as the game sees it."""

    @property
    def seats(self) -> PokerSeats:
        """The seats."""

    @property
    def policy(self) -> HandPolicy:
        """The policy that hands follow."""

    @property
    def recovery(self) -> SeatRecovery:
        """The recovery of the seats."""

    @property
    def view(self) -> SeatingView:
        """The view of the seats."""

    @property
    def state_name(self) -> str | None:
        """A word for the operator in place of `waiting`; None if there is none."""

    def admit(self, viewer: Viewer, message: wire.Request) -> Code | None:
        """Take note of any request, ahead of its handling; return why it cannot be taken now, if so."""

    def handle(self, viewer: Viewer, message: wire.Request) -> None:
        """Handle a request that is not about the hand in progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandPorts:
    """What the hands offer to the seating, beside the state that it may read."""

    hand: HandInProgress
    settlement: AfterSettlement
    journal: SeatJournal
    consider_dealing: Callable[[], None]
    """Deal if nothing stands in the way; to be called whenever something has changed between hands."""
    leaves: Callable[[Seat], None]
    """The holder of a seat leaves: a turn of theirs is given up at once."""
    grace: Callable[[Seat], None]
    """The holder of a seat is back: the countdown of their decision starts once more (H4)."""
    forget: Callable[[int], None]
    """The account has left the table."""
    break_off: Callable[[], HandPlay | None]
    """Play the hand in progress no further, by the operator's order, and return it; it must not be settling."""


MakeSeating = Callable[[GamePorts, HandPorts], PokerSeating]
