"""The client's side of one connection, without I/O: bodies in, happenings out.

Theory of operation. The session numbers requests and returns the bodies to send (`bodies_to_send`). Each body of the
room goes into `receive`, which returns what happened, in order:

- `Answered` for the answer to a request of the caller, matched by `re`;
- an event of a table, each exactly once and in the order of its `seq`, after the snapshot it continues;
- `Snapshot` (or `UltimateSnapshot`) whenever a table's state is replaced, requested or not;
- `SeatOffered`, `WaitEnded`, `TableTaken`, `RemovedFromTable`, `HostedTableNews`, `PreActCancelled`, `RealityCheck`,
  `ChatMuted`, `Announcements`, `SessionLimit`, `Goodbye`, and `Error` with no `re`, as they come.

Per table the session is in one of three states, which `_follow` alone changes: not followed (no snapshot yet:
events are dropped), followed (the snapshot is kept up to date), or lost. Lost is entered by an event whose
`seq` is not the next one; the session then requests a snapshot by itself and drops that table's events until it comes.
Events up to a snapshot's `seq` are contained in it, and dropped. After `TournamentMoved` the session observes the new
table by itself, and the old one no more, if it followed that one.

This module knows no sockets, no clock and no poker.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from msgspec.structs import replace

from .codec import RE_MAX, Encoding, decode_server, encode
from .messages import (
    Announcements,
    Authenticated,
    ClientMessage,
    DeleteAccount,
    Error,
    Event,
    GetSnapshot,
    Goodbye,
    HoldemEvent,
    HostedTableNews,
    LogOut,
    Observe,
    Ok,
    PreActCancelled,
    ProtectionNotice,
    RemovedFromTable,
    SeatOffered,
    ServerMessage,
    Snapshot,
    SngNotice,
    TableEvent,
    TableTaken,
    TournamentEvent,
    TournamentMoved,
    UltimateEvent,
    UltimateSnapshot,
    Unobserve,
    WaitEnded,
)
from .table_view import after_event, tournament_of
from .ultimate_view import after_ultimate_event

__all__ = ["Answered", "ClientSession", "Happening"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The room answered a request: `answer` is an `Error` for a refusal."""

    request: ClientMessage
    answer: ServerMessage


_Told = (
    Goodbye
    | SeatOffered
    | WaitEnded
    | TableTaken
    | RemovedFromTable
    | HostedTableNews
    | PreActCancelled
    | SngNotice
    | ProtectionNotice
    | Announcements
)

Happening = Answered | TableEvent | Snapshot | UltimateSnapshot | _Told | Error


class ClientSession:
    """The requests and tables of one connection; a new connection needs a new session (and `resume`)."""

    def __init__(self, encoding: Encoding = Encoding.MSGPACK) -> None:
        self.encoding = encoding
        self.authenticated: Authenticated | None = None
        self._tables: dict[str, Snapshot] = {}
        self._ultimate: dict[str, UltimateSnapshot] = {}
        self._lost: dict[str, int | None] = {}  # table -> id of the pending get_snapshot
        self._pending: dict[int, ClientMessage] = {}
        self._own: dict[int, str] = {}  # the session's own requests: id -> table
        self._outgoing: list[bytes] = []
        self._last_id = 0

    @property
    def tables(self) -> Mapping[str, Snapshot]:
        """The followed poker tables after the last `receive`; a lost one as it was before the gap."""
        return MappingProxyType(self._tables)

    @property
    def ultimate_tables(self) -> Mapping[str, UltimateSnapshot]:
        """The followed tables of Ultimate Texas Hold'em, likewise."""
        return MappingProxyType(self._ultimate)

    def request(self, message: ClientMessage) -> int:
        """Queue `message` with the next free id in place of its own; return that id."""
        number = self._next_id()
        numbered = replace(message, id=number)
        self._pending[number] = numbered
        self._outgoing.append(encode(numbered, self.encoding))
        return number

    def bodies_to_send(self) -> list[bytes]:
        """Return the bodies to send, in order; each is returned once."""
        bodies, self._outgoing = self._outgoing, []
        return bodies

    def receive(self, body: bytes) -> list[Happening]:
        """Take one body of the room; raise `CodecError`, without a change, if it is no message."""
        return self.take(decode_server(body, self.encoding))

    def take(self, message: ServerMessage) -> list[Happening]:
        """Do as `receive`, for a decoded message."""
        if isinstance(message, Event):
            return [message] if self._follow(message) else []
        if isinstance(message, _Told):
            self._heed(message)
            return [message]
        happenings: list[Happening] = []
        if message.re is not None:
            request = self._pending.pop(message.re, None)
            own_table = self._own.pop(message.re, None)
            if own_table is not None and own_table in self._lost:
                # Refused: the table stays lost; its next event causes another request.
                self._lost[own_table] = None
            if request is not None:
                self._note(request, message)
                happenings.append(Answered(request=request, answer=message))
        elif isinstance(message, Error):
            happenings.append(message)
        if isinstance(message, Snapshot):
            self._lost.pop(message.table, None)
            self._tables[message.table] = message
            happenings.append(message)
        elif isinstance(message, UltimateSnapshot):
            self._lost.pop(message.table, None)
            self._ultimate[message.table] = message
            happenings.append(message)
        return happenings

    def _next_id(self) -> int:
        number = self._last_id
        while True:
            number = number % RE_MAX + 1
            if number not in self._pending and number not in self._own:
                self._last_id = number
                return number

    def _note(self, request: ClientMessage, answer: ServerMessage) -> None:
        if isinstance(answer, Authenticated):
            self.authenticated = answer
        elif isinstance(request, Unobserve) and isinstance(answer, Ok):
            self._forget(request.table)
        elif isinstance(request, LogOut | DeleteAccount) and isinstance(answer, Ok):
            self.authenticated = None
            self._tables.clear()
            self._ultimate.clear()
            self._lost.clear()

    def _forget(self, table: str) -> None:
        self._tables.pop(table, None)
        self._ultimate.pop(table, None)
        self._lost.pop(table, None)

    def _heed(self, told: _Told) -> None:
        """Do what follows from a message to this client alone."""
        if isinstance(told, TableTaken | RemovedFromTable):
            self._forget(told.table)
        elif isinstance(told, TournamentMoved):
            self._move(told)

    def _move(self, moved: TournamentMoved) -> None:
        """Follow the player to the new table, if the one before is followed here."""
        old = moved.from_table
        knew = any(tournament_of(table) == moved.tournament for table in self._tables)
        if moved.table == old or not (old in self._tables if old is not None else knew):
            return
        if old is not None:
            self._forget(old)
            self._ask(old, Unobserve(id=self._next_id(), table=old))
        if moved.table not in self._tables:
            self._ask(moved.table, Observe(id=self._next_id(), table=moved.table))

    def _ask(self, table: str, message: ClientMessage) -> None:
        """Queue a request of the session's own."""
        self._own[message.id] = table
        self._outgoing.append(encode(message, self.encoding))

    def _follow(self, event: TableEvent) -> bool:
        table = self._tables.get(event.table) or self._ultimate.get(event.table)
        if table is None or event.seq <= table.seq:
            return False
        if event.table not in self._lost:
            if event.seq == table.seq + 1 and self._advance(table, event):
                return True
            self._lost[event.table] = None
        if self._lost[event.table] is None:
            number = self._lost[event.table] = self._next_id()
            self._ask(event.table, GetSnapshot(id=number, table=event.table))
        return False

    def _advance(self, table: Snapshot | UltimateSnapshot, event: TableEvent) -> bool:
        """Apply an event; return False for one of another game, which needs a snapshot."""
        if isinstance(table, Snapshot) and isinstance(event, HoldemEvent | TournamentEvent):
            self._tables[event.table] = after_event(table, event)
        elif isinstance(table, UltimateSnapshot) and isinstance(event, UltimateEvent):
            self._ultimate[event.table] = after_ultimate_event(table, event)
        else:
            return False
        return True
