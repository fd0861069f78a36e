"""What a table says: it numbers each event, queues it in the outbox, and answers requests.

Every event of a table has the next number, so that a client sees at once when it has missed one. Knows no rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, Unpack

from msgspec import structs

from pokerroom.ledger.api import Facts
from pokerroom.ops.observer import Observer
from pokerroom.table.outbox import Batch, Outbox
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.viewer import Broadcast, Viewer, public
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code

Notice = Literal["frozen", "running", "closing", "closed"]


class Announcer:
    """Numbers and tells the events of `table`; `first_seq` is the number before its first event."""

    def __init__(self, table: str, outbox: Outbox, observer: Observer, first_seq: int) -> None:
        self.table = table
        self.outbox = outbox
        self._observer = observer
        self._seq = outbox.last_seq = first_seq

    @property
    def seq(self) -> int:
        """The number of the last event."""
        return self._seq

    def next_seq(self) -> int:
        """Return the number of the next event; the caller must tell that event."""
        self._seq += 1
        return self._seq

    def take_back(self) -> None:
        """Free the numbers of events that a failed handler has numbered and not queued."""
        self._seq = self.outbox.last_seq

    def tell(
        self,
        *broadcasts: Broadcast,
        answers: list[tuple[Viewer, Outgoing]] | None = None,
        left: Callable[[], None] | None = None,
    ) -> None:
        """Tell what needs no journal, behind everything said before; `left` is called when it has left."""
        self.outbox.put(Batch(broadcasts=list(broadcasts), answers=answers or [], left=left))

    def confirm(self, viewer: Viewer, message: wire.Request) -> None:
        """Answer `ok`, behind everything said before."""
        self.tell(answers=[(viewer, Outgoing(wire.Ok(re=message.id)))])

    def notice(self, state: Notice, message: str) -> None:
        """Tell all viewers something about the table as a whole."""
        self.tell(
            public(wire.TableNotice(table=self.table, seq=self.next_seq(), state=state, message=message))
        )

    def refuse(
        self,
        viewer: Viewer,
        message: wire.Request,
        code: Code,
        detail: str | None = None,
        **facts: Unpack[Facts],
    ) -> None:
        """Answer at once with a stable code and a sentence for people; nothing has changed.

        `facts` are further fields of `wire.Error`: `retry_after_ms`, `amount`, `limit`, `until_ms`.
        """
        self._observer.refusal(code)
        self.outbox.answer(viewer, refusal(message.id, code, detail, **facts))

    def is_connected(self, account: int) -> bool:
        """Return whether any viewer of this table is this account."""
        return any(viewer.account == account for viewer in self.outbox.audience())


def refusal(re: int, code: Code, detail: str | None = None, **facts: Unpack[Facts]) -> Outgoing:
    """Return the error that answers request `re`."""
    error = wire.Error(re=re, code=code.value, message=detail or code.sentence)
    return Outgoing(structs.replace(error, **facts) if facts else error)
