"""The referee of one simulation: hears everything that passes, and lets the checkers look at it.

What the room tells is heard where it leaves the room, what clients ask where it reaches the room, what is booked where
the ledger has done it. The referee knows the wire's messages and the ledger's interface, and no code that it judges.
Each game has a referee of its own (`PokerReferee`, `SitAndGoReferee`, `UltimateReferee`); this class has what is the
same for all: faults that were injected, answers, whether events come in order, and violations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

import msgpack
import msgspec

from pokerroom.simulation.checks.cards import may_hold_cards, texts_of_cards
from pokerroom.simulation.checks.connections import CheckedConnection
from pokerroom.simulation.checks.injected_faults import InjectedFaults
from pokerroom.simulation.checks.operator_wallet import OperatorWalletChecker
from pokerroom.simulation.checks.situations import Situations
from pokerroom.simulation.checks.viewers import AnswerChecker, CheckedViewer, OrderChecker
from pokerroom.simulation.checks.violation import Kind, Violation, place_of
from pokerroom.simulation.clock import VirtualClock
from pokerroom_protocol import messages as wire
from pokerroom_protocol.codec import Encoding, decode_request, decode_server

VIOLATIONS_MAX = 20
"""Beyond these a run only repeats itself."""

_MEMO_MAX = 4000


class AnsweredRequest(NamedTuple):
    """A request of a viewer, and the name and account under which it was asked: it may have another owner by now."""

    viewer: int
    name: str
    account: int | None
    request: wire.Request


class Referee(ABC):
    """See the module."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock
        self.violations: list[Violation] = []
        self.situations = Situations()
        self._drains = False
        self._left: set[str] = set()
        """Tables with a hand that no connected player could finish during the drain: the room stops waiting for it."""
        self._memo: dict[bytes, tuple[wire.ServerMessage, tuple[str, ...]]] = {}
        self._viewers: dict[CheckedConnection, CheckedViewer] = {}
        self.outage_until_s = 0.0
        """Until when journal, ledger or process may be away."""
        self._strikes = InjectedFaults(clock.seconds)
        self._order = OrderChecker(self._blame)
        self._answers = AnswerChecker(self._blame)
        self.wallet = OperatorWalletChecker(self._blame)

    def _blame(self, kind: Kind, table: str, hand_id: str, line: str) -> None:
        if len(self.violations) < VIOLATIONS_MAX:
            self.violations.append(
                Violation(kind=kind, table=table, hand_id=hand_id, at_s=self._clock.elapsed_s(), line=line)
            )

    # --- progress ---------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def settled_count(self) -> int:
        """Hands or rounds in the ledger."""

    @property
    def progress(self) -> tuple[int, ...]:
        """What grows while the room plays."""
        return (self.settled_count,)

    def has_seen(self, hands: int) -> bool:
        """Whether so many hands or rounds are played, so that the run may end."""
        return self.settled_count >= hands

    # --- processes and faults ---------------------------------------------------------------------------------

    def crashed(self) -> None:
        """The process is gone."""
        self.situations.crashed()
        self._order.restarted()
        self._strikes.crashed()

    def struck(self, table: str) -> None:
        """An exception is about to be raised inside a handler of this table, or of any ("")."""
        self._strikes.struck(table)

    def outage(self, until_s: float) -> None:
        """Journal, ledger or process may be away until then."""
        self.outage_until_s = max(self.outage_until_s, until_s)

    def fault(self, where: str, error: BaseException | str) -> None:
        """The room has raised, and no fault was injected."""
        text = error if isinstance(error, str) else f"{type(error).__name__}: {error}{place_of(error)}"
        self._blame(Kind.FAULT, "", "", f"{where}: {text}")

    def draining(self) -> None:
        """No new hands are dealt from now on."""
        self._drains = True

    @abstractmethod
    def look(self) -> None:
        """Called every few seconds of virtual time."""

    @property
    @abstractmethod
    def frozen(self) -> list[str]:
        """Tables that have said so last, and should go on by themselves."""

    # --- the ledger -------------------------------------------------------------------------------------------

    @abstractmethod
    def account_opened(self, account: int, amount: int) -> None:
        """The ledger has opened an account."""

    @abstractmethod
    def booked(self, name: str, args: tuple[Any, ...], result: Any) -> None:
        """The ledger has done something."""

    # --- connections ------------------------------------------------------------------------------------------

    def opened(self, connection: CheckedConnection) -> None:
        """A connection was made."""
        self._viewers[connection] = CheckedViewer(connection.number, address=connection.address)

    def closed(self, connection: CheckedConnection) -> None:
        """The room has been told that a connection is gone."""
        self._viewers.pop(connection, None)

    def _looks_away(self, viewer: CheckedViewer) -> None:
        """The viewer is sent no table any more."""
        viewer.seqs.clear()

    def _unobserved(self, viewer: CheckedViewer, table: str) -> None:
        """The viewer is not sent this table any more."""
        viewer.seqs.pop(table, None)

    def reached(self, connection: CheckedConnection, body: bytes) -> None:
        """A client's message is about to be handed to its session."""
        viewer = self._viewers[connection]
        request = decode_request(body, connection.encoding)
        self._answers.reached(viewer, request, self._clock.rightNow)
        if isinstance(request, wire.LogOut):
            viewer.logs_out = True
            viewer.excused.update(viewer.asked)  # the next account is not sent these answers
        self._asked(viewer, request)

    def _asked(self, viewer: CheckedViewer, request: wire.Request) -> None:  # noqa: B027 -- a game may have no use for it
        """A request of the viewer has reached the room."""

    def told(self, connection: CheckedConnection, bodies: Sequence[bytes]) -> None:
        """Messages leave the room for a client."""
        viewer = self._viewers[connection]
        for body in bodies:
            message, cards = self.decoded(body, connection.encoding)
            self._told(connection, viewer, message)
            if cards:
                self._shown(viewer, message, cards)

    @abstractmethod
    def _shown(self, viewer: CheckedViewer, message: wire.ServerMessage, cards: tuple[str, ...]) -> None:
        """A viewer was told a message with cards in it."""

    def decoded(self, body: bytes, encoding: Encoding) -> tuple[wire.ServerMessage, tuple[str, ...]]:
        """A message and every text of a card in it; the same bytes are read once for all viewers."""
        known = self._memo.get(body)
        if known is None:
            if len(self._memo) > _MEMO_MAX:
                self._memo.clear()
            known = self._memo[body] = decode_server(body, encoding), _cards_in(body, encoding)
        return known

    def _told(
        self, connection: CheckedConnection, viewer: CheckedViewer, message: wire.ServerMessage
    ) -> None:
        if isinstance(message, wire.Event):
            self._event(viewer, message)
            return
        request = self._answers.told(viewer, message, struck=self._strikes.at(self._clock.rightNow))
        if request is not None:
            name, account = viewer.asked_as.pop(request.id)
            self._answered(AnsweredRequest(viewer.number, name, account, request), message)
        match message:
            case wire.Ok() if isinstance(request, wire.Unobserve):
                self._unobserved(viewer, request.table)
            case wire.Ok() if isinstance(request, wire.LogOut) and viewer.logs_out:
                self._looks_away(viewer)
                viewer.name, viewer.account, connection.account = "", None, None
            case wire.TableTaken() | wire.RemovedFromTable():
                self._unobserved(viewer, message.table)
            case wire.Goodbye():  # the session has left its tables already
                self._looks_away(viewer)
            case wire.Authenticated():
                self._looks_away(viewer)
                viewer.logs_out = False
                viewer.name, viewer.account = message.name, message.account
                connection.account = message.account
            case wire.Snapshot() | wire.UltimateSnapshot():
                self._snapshot(viewer, message)
            case _:
                pass

    def _answered(self, asked: AnsweredRequest, answer: wire.ServerMessage) -> None:  # noqa: B027 -- as above
        """A request of a viewer is answered."""

    @abstractmethod
    def _snapshot(self, viewer: CheckedViewer, snapshot: Any) -> None:
        """A viewer is sent a whole table."""

    @abstractmethod
    def _event(self, viewer: CheckedViewer, event: wire.TableEvent) -> None:
        """A viewer is told an event of a table."""

    def _may_jump(self, viewer: CheckedViewer, event: wire.TableEvent) -> bool:
        """Whether a fault may have lost events before this one; a table with a gap has to say that it froze."""
        disturbed = event.table in viewer.disturbed
        pending = self._strikes.pending(event.table) and not disturbed
        last = viewer.seqs.get(event.table)
        if pending and last is not None and event.seq > last + 1:
            self._strikes.has_gap(event.table)
        return pending or disturbed

    def _excuse(self, table: str) -> None:
        """The table froze: its viewers may have lost something, and requests may stay without an answer."""
        for viewer in self._viewers.values():
            if table in viewer.seqs:
                viewer.disturbed.add(table)
            viewer.excused.update(
                number
                for number, (request, _) in viewer.asked.items()
                if getattr(request, "table", "") == table
            )

    def unlike(self, table: str, viewer: int, lines: Sequence[str]) -> None:
        """A client's own state of a table does not become what a snapshot said; after a fault it need not."""
        if any(table in one.disturbed for one in self._viewers.values() if one.number == viewer):
            return
        for line in lines[:3]:
            self._blame(Kind.SNAPSHOT, table, "", f"viewer {viewer}, kept and told differ: {line}")

    # --- the end ----------------------------------------------------------------------------------------------

    @abstractmethod
    def finished(self) -> None:
        """The simulation is over: nothing may be left open."""

    def _left_open(self, excused: AbstractSet[str]) -> None:
        """Requests without an answer, but at excused tables."""
        for viewer in self._viewers.values():
            self._answers.left_open(viewer, self._clock.rightNow, excused, self._strikes.at)


def _cards_in(body: bytes, encoding: Encoding) -> tuple[str, ...]:
    if not may_hold_cards(body):
        return ()
    plain = msgpack.unpackb(body) if encoding is Encoding.MSGPACK else msgspec.json.decode(body)
    return tuple(texts_of_cards(plain))
