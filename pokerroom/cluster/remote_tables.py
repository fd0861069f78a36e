"""Tables that live on other nodes, as the clients of this one see them: this is their clients' home node.

Behind a table's door is a line per client: a number under which its owner knows the client, and the requests that it
has not answered yet. A line belongs to one owner. When the table has another one, or none, the requests are answered
`unavailable`, what the old owner may still say finds no line, and who watched the table is announced to the new owner,
who shows it to him unasked. When only messages were lost the lines stay, and what was missed heals in the same way.
This module knows no rules and no bus, and does not look into what it passes on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import count
from typing import cast

from msgspec.structs import replace

from pokerroom.cluster.bus_sender import BusSender
from pokerroom.cluster.messages import (
    ChannelOpened,
    ChannelRequest,
    ChannelsClosed,
    ChannelsResumed,
    Delivery,
)
from pokerroom.table.api import LobbyRow, TableActor
from pokerroom.table.outbox import Viewer
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code


@dataclass(slots=True, kw_only=True, eq=False)
class _Line:
    """One client at one table of one owner. The account is the one that he had when it was opened."""

    number: int
    table: str
    viewer: Viewer
    account: int
    name: str
    wants_pause: bool
    watches: bool
    behind: bool = False
    """Events may be missing: what comes before the next snapshot would only confuse him."""
    unanswered: Counter[int] = field(default_factory=Counter)
    """Requests by their ids, which a client need not choose well."""

    def opened(self) -> ChannelOpened:
        """What its owner has to know."""
        return ChannelOpened(self.number, self.table, self.account, self.name, self.wants_pause, self.watches)


class RemoteTable:
    """The door of one table that does not live here: a `TableDoor`."""

    def __init__(self, tables: RemoteTables, name: str, info: Callable[[str], LobbyRow]) -> None:
        self._tables = tables
        self._name = name
        self._info = info

    def request(self, viewer: Viewer, message: wire.Request) -> None:
        """A client's message for this table."""
        self._tables.request(self._name, viewer, message)

    def viewer_gone(self, viewer: Viewer) -> None:
        """A client's connection is lost, or it logged out."""
        self._tables.viewer_gone(self._name, viewer)

    def info(self) -> LobbyRow:
        """The table's line in the lobby."""
        return self._info(self._name)


class RemoteTables:
    """See the module. `info` gives a table's line in the lobby, `refused` counts the codes of refusals."""

    def __init__(
        self, sender: BusSender, info: Callable[[str], LobbyRow], refused: Callable[[str], None]
    ) -> None:
        self._sender = sender
        self._info = info
        self._refused = refused
        self._numbers = count(1)
        self._owners: dict[str, str] = {}
        self._lines: dict[int, _Line] = {}
        self._at: dict[str, dict[Viewer, _Line]] = {}

    def door(self, name: str) -> RemoteTable:
        """The door of a table; it refuses everything while the table has no owner that lives."""
        return RemoteTable(self, name, self._info)

    # --- of clients -------------------------------------------------------------------------------------------------

    def request(self, table: str, viewer: Viewer, message: wire.Request) -> None:
        """A client's message for a table."""
        owner = self._owners.get(table)
        if owner is None:
            self._unavailable(viewer, message.id)
            return
        line = self._at.get(table, {}).get(viewer)
        if line is None:
            line = self._open(table, viewer, watches=False)
            self._sender.to(owner, line.opened())
        line.unanswered[message.id] += 1
        self._sender.to(owner, ChannelRequest(line.number, cast("wire.TableRequest", message)))

    def viewer_gone(self, table: str, viewer: Viewer) -> None:
        """A client's connection is lost, or it logged out: nothing reaches him any more."""
        line = self._at.get(table, {}).get(viewer)
        if line is None:
            return
        self._drop(line)
        owner = self._owners.get(table)
        if owner is not None:
            self._sender.to(owner, ChannelsClosed([line.number]))

    # --- of owners --------------------------------------------------------------------------------------------------

    def told(self, deliveries: Iterable[Delivery]) -> None:
        """What an owner tells clients; a line that is there no more was another owner's, or of who is gone."""
        for delivery in deliveries:
            bundle = Bundle(None, delivery.framed)
            for number in delivery.lines:
                line = self._lines.get(number)
                if line is not None:
                    self._deliver(line, delivery, bundle)

    def _deliver(self, line: _Line, delivery: Delivery, bundle: Bundle) -> None:
        re = delivery.re
        if re is not None and not self._answered(line, re):
            if not delivery.snapshot:
                return
            bundle = _unasked(bundle)  # its request is answered already, but from here on he watches
        if delivery.watches is not None:
            line.watches = delivery.watches
        if delivery.snapshot:
            line.behind = False
        elif line.behind and re is None:
            return
        line.viewer.deliver(bundle)

    def _answered(self, line: _Line, re: int) -> bool:
        """False if it was answered already."""
        left = line.unanswered.get(re, 0)
        if left > 1:
            line.unanswered[re] = left - 1
        elif left:
            del line.unanswered[re]
        return left > 0

    def moved(self, table: str, owner: str | None) -> None:
        """The table lives at another node from now on; None while nobody has it that lives."""
        before = self._owners.pop(table, None)
        lines = list(self._at.pop(table, {}).values())
        for line in lines:
            del self._lines[line.number]
        if before is not None and lines:
            self._sender.to(before, ChannelsClosed([line.number for line in lines]))
        if owner is not None:
            self._owners[table] = owner
        for line in lines:
            if line.watches:
                self._open(table, line.viewer, watches=True)
        for line in lines:
            self._give_up(line)
        again = [line.opened() for line in self._at.get(table, {}).values()]
        if owner is not None and again:
            self._sender.to(owner, ChannelsResumed(table, again))

    def missed(self, owner: str, table: str | None) -> None:
        """Messages from or to the owner were lost, or (with a table) it has lost that table."""
        tables = [name for name, node in self._owners.items() if node == owner and table in {None, name}]
        lines = [line for name in tables for line in self._at.get(name, {}).values()]
        for line in lines:
            line.behind = True
            self._give_up(line)
        alive = [line.opened() for line in lines if line.number in self._lines]
        self._sender.to(owner, ChannelsResumed(table, alive))

    # --- tables that come and go ------------------------------------------------------------------------------------

    def attached(self, table: TableActor) -> None:
        """The table lives here from now on: who watches it has it before him now."""
        name = table.settings.table
        self.moved(name, None)
        for line in list(self._at.pop(name, {}).values()):
            del self._lines[line.number]
            table.rejoin(line.viewer)

    def detached(
        self, table: str, viewers: Iterable[Viewer], unanswered: Iterable[tuple[Viewer, int]]
    ) -> None:
        """The table lives here no more: these clients of this node watched it, and these had asked it something."""
        lines = [
            self._open(table, viewer, watches=True)
            for viewer in viewers
            if viewer.connected and viewer.account is not None
        ]
        owner = self._owners.get(table)
        if owner is not None and lines:  # it was known before the table was lost here
            self._sender.to(owner, ChannelsResumed(table, [line.opened() for line in lines]))
        for viewer, re in unanswered:
            self._unavailable(viewer, re)

    def over(self, table: str) -> None:
        """There is no such table any more."""
        for line in self._at.pop(table, {}).values():
            del self._lines[line.number]
            self._give_up(line)

    # --- inside -----------------------------------------------------------------------------------------------------

    def _open(self, table: str, viewer: Viewer, *, watches: bool) -> _Line:
        assert viewer.account is not None  # a session passes messages for tables only when it is logged in
        line = _Line(
            number=next(self._numbers),
            table=table,
            viewer=viewer,
            account=viewer.account,
            name=viewer.name,
            wants_pause=viewer.wants_pause,
            watches=watches,
        )
        self._lines[line.number] = self._at.setdefault(table, {})[viewer] = line
        return line

    def _drop(self, line: _Line) -> None:
        del self._lines[line.number]
        del self._at[line.table][line.viewer]

    def _give_up(self, line: _Line) -> None:
        """What its owner has not answered it will not answer any more, or too late."""
        unanswered, line.unanswered = line.unanswered, Counter()
        for re in unanswered.elements():
            self._unavailable(line.viewer, re)

    def _unavailable(self, viewer: Viewer, re: int) -> None:
        code = Code.UNAVAILABLE
        self._refused(code)
        viewer.deliver(Outgoing(wire.Error(re=re, code=code.value, message=code.sentence)))


def _unasked(bundle: Bundle) -> Bundle:
    [part] = bundle.parts
    assert isinstance(part.message, wire.Snapshot | wire.UltimateSnapshot)
    return Bundle([Outgoing(replace(part.message, re=None))])
