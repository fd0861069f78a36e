"""What every table asks of what is played at it: how it stands, and what to do at the turns of a table's life.

`base` asks, inside the table's mailbox; a kind of table answers. Knows no rules.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from pokerroom.table.outbox import Viewer
from pokerroom_protocol import messages as wire


class Game(ABC):
    """See the module."""

    @property
    @abstractmethod
    def state_name(self) -> str:
        """One word for the operator; `frozen` where nothing moves."""

    @property
    @abstractmethod
    def closing(self) -> bool:
        """Whether the operator lets nobody sit down any more."""

    @property
    @abstractmethod
    def playing(self) -> bool:
        """Whether a hand or round is in progress, settled or not; in a frozen table one that was."""

    @abstractmethod
    def hand_id(self) -> str | None:
        """Which one."""

    @property
    @abstractmethod
    def storing(self) -> bool:
        """Whether the journal has not answered all it was given, or the ledger all that was played."""

    @property
    @abstractmethod
    def asking(self) -> bool:
        """Whether the ledger still owes an answer to somebody's wish."""

    @abstractmethod
    def progress(self) -> object:
        """Another value whenever anything was given to journal or ledger: what was wished may have come about."""

    @abstractmethod
    def unfinished(self) -> bool:
        """Whether somebody is there to finish what is in progress, so that it is worth waiting for."""

    @abstractmethod
    def rest_no_more(self) -> None:
        """There is no next hand here: nobody need look at a result any longer."""

    @abstractmethod
    def hold_clocks(self) -> None:
        """Nobody can act for a while: the clocks of decisions stand still."""

    @abstractmethod
    def restart_clocks(self) -> None:
        """It can be acted again: what is awaited has its whole clock once more [D]."""

    @abstractmethod
    def consider_next(self) -> None:
        """Begins the next hand or round if nothing stands in the way."""

    @abstractmethod
    def note_frozen(self, *, frozen: bool) -> None:
        """The journal is to know whether the operator has frozen the table."""

    @abstractmethod
    def abandon(self) -> None:
        """A fault, or the operator: nothing moves any more; what is in progress is kept for inspection."""

    @abstractmethod
    async def standing(self) -> Any:
        """What ledger and journal say of the table; waits for them as long as it takes."""

    @abstractmethod
    def begin_anew(self, found: Any) -> None:
        """After a fault: made again of `standing`, in place of what may be wrong. What was said stays said."""

    @abstractmethod
    def sees_now(self, account: int | None) -> bool:
        """Whether the account sees the table at once where observers see it later."""

    @abstractmethod
    def when_settled(self, then: Callable[[], None], *, first: bool) -> None:
        """Does it now, or once the result on its way to the ledger is there; `first`: before what looks at seats."""

    @abstractmethod
    def snapshot(self, account: int | None, re: int | None) -> wire.Snapshot | wire.UltimateSnapshot:
        """The visible state of the table."""

    @abstractmethod
    def attached(self, account: int | None) -> None:
        """The account looks at the table: if it has a seat, its holder is here."""

    @abstractmethod
    def holds_seat(self, account: int | None) -> bool:
        """Whether the account has a seat here, or is about to: then it cannot stop watching."""

    @abstractmethod
    def detached(self, viewer: Viewer) -> None:
        """A viewer is gone."""

    @abstractmethod
    def close_doors(self) -> None:
        """By the operator: no new players."""

    @abstractmethod
    def open_doors(self) -> None:
        """By the operator: players may sit down again."""

    @abstractmethod
    def empty(self) -> bool:
        """Whether nobody has a seat or is about to."""

    @abstractmethod
    def stranger(self, viewer: Viewer, message: wire.Request) -> bool:
        """Whether the message is for players alone, and he is none: whatever goes on, he learns nothing of it."""

    @abstractmethod
    def handle(self, viewer: Viewer, message: wire.Request) -> None:
        """A client's message that is about what is played."""

    @abstractmethod
    def stop(self) -> None:
        """See `TableActor`."""
