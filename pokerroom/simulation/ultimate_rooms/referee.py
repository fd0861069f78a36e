"""The referee of tables of Ultimate: rounds, bets, decisions and the bank."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from msgspec import structs

from pokerroom.ledger.api import AuditReport
from pokerroom.simulation.checks.connections import CheckedConnection
from pokerroom.simulation.checks.referee import AnsweredRequest, Referee
from pokerroom.simulation.checks.ultimate_rounds import DealtRound, UltimateRoundChecker
from pokerroom.simulation.checks.ultimate_tables import UltimateTableChecker
from pokerroom.simulation.checks.viewers import CheckedViewer
from pokerroom.simulation.checks.violation import Kind
from pokerroom.simulation.clock import VirtualClock
from pokerroom_protocol import messages as wire


class UltimateReferee(Referee):
    """See the module."""

    def __init__(self, *, clock: VirtualClock, total: int) -> None:
        super().__init__(clock)
        self._frozen: set[str] = set()
        self._ordered: set[str] = set()
        """Tables that the operator has frozen."""
        self.rounds = UltimateRoundChecker(self._blame, total)
        self._play = UltimateTableChecker(self._blame, clock.seconds, self.rounds.dealt.get)

    @property
    def settled_count(self) -> int:
        return self.rounds.settled_count

    # --- processes and faults -------------------------------------------------------------------------------------

    def crashed(self) -> None:
        super().crashed()
        self._play.restarted()
        self._frozen.clear()

    def outage(self, until_s: float) -> None:
        super().outage(until_s)
        self._play.outage(until_s)

    def ordered(self, table: str, *, frozen: bool) -> None:
        """The operator is about to freeze a table, or lets it go on."""
        (self._ordered.add if frozen else self._ordered.discard)(table)

    def look(self) -> None:
        self._play.look([*self._frozen])

    @property
    def frozen(self) -> list[str]:
        """See `Referee`: tables that should go on by themselves."""
        return sorted(self._frozen - self._ordered)

    # --- the ledger and the deal ----------------------------------------------------------------------------------

    def account_opened(self, account: int, amount: int) -> None:
        self.rounds.opened(account, amount)

    def booked(self, name: str, args: tuple[Any, ...], result: Any) -> None:  # noqa: ARG002 -- as of hold'em
        self.rounds.booked(name, args)
        if name in {"settle_round", "void_round"}:
            self._play.ended(args[0].round_id)

    def round_dealt(self, dealt: DealtRound) -> None:
        """The room has sealed the cards of a round that is about to begin."""
        self.rounds.dealt[dealt.round_id] = dealt

    def audited(self, report: AuditReport, held: Mapping[int, int]) -> None:
        """The ledger as a whole, and what each account holds."""
        self.rounds.audited(report, held)

    # --- connections ----------------------------------------------------------------------------------------------

    def _asked(self, viewer: CheckedViewer, request: wire.Request) -> None:  # noqa: ARG002 -- the request says all
        if isinstance(request, wire.Decide):
            self._play.reached(request)

    def told(self, connection: CheckedConnection, bodies: Sequence[bytes]) -> None:
        viewer = self._viewers[connection]
        for body in bodies:
            message, cards = self.decoded(body, connection.encoding)
            if isinstance(message, wire.UltimateSnapshot):
                self._play.snapshot(message)
            if cards:
                self._shown(viewer, message, cards)
            self._told(connection, viewer, message)

    def _shown(self, viewer: CheckedViewer, message: wire.ServerMessage, cards: tuple[str, ...]) -> None:
        self._play.cards(viewer.name, viewer.account, message, cards)

    def _answered(self, asked: AnsweredRequest, answer: wire.ServerMessage) -> None:
        if isinstance(answer, wire.Ok) and isinstance(asked.request, wire.Decide):
            self.rounds.acknowledged(asked.request.table, asked.name, asked.request)

    def _snapshot(self, viewer: CheckedViewer, snapshot: wire.UltimateSnapshot) -> None:
        table = snapshot.table
        if snapshot.re is None:
            viewer.disturbed.discard(table)
        last = viewer.seqs.get(table)
        if last is not None and snapshot.seq < last:
            line = f"viewer {viewer.number} is told a snapshot of event {snapshot.seq} after event {last}"
            self._blame(Kind.ORDER, table, "", line)
        viewer.seqs[table] = snapshot.seq

    def _event(self, viewer: CheckedViewer, event: wire.TableEvent) -> None:
        table = event.table
        if isinstance(event, wire.TableNotice):
            if event.state == "frozen":
                viewer.disturbed.add(table)
                self._stopped(table, event.seq)
            elif event.state == "running":
                self._frozen.discard(table)
        pending = self._strikes.pending(table) or table in viewer.disturbed or table in self._ordered
        last = viewer.seqs.get(table)
        if not self._order.event(viewer, _for_all(event), may_jump=pending):
            return
        self.situations.told(event)
        if last is not None and event.seq > last + 1:
            self._play.restarted(table)  # a decision may have been lost: the boxes to decide are unknown
        if isinstance(event, wire.RoundEnded):
            self.rounds.told_end(event)
        if isinstance(event, wire.UltimateEvent):
            self._play.event(event)

    def _stopped(self, table: str, seq: int) -> None:
        """A table says that it is frozen: by a strike, by the operator, or because its node waits."""
        if table in self._frozen or self._order.was_told(table, seq):
            return
        waits = self._clock.rightNow <= self.outage_until_s
        if table not in self._ordered and not self._strikes.explains(table) and not waits:
            self._blame(Kind.FAULT, table, "", "the table froze, and no fault was injected")
        self._frozen.add(table)
        self._play.restarted(table)
        self._excuse(table)

    # --- the end --------------------------------------------------------------------------------------------------

    def finished(self) -> None:
        frozen = frozenset(self._frozen | self._ordered)
        # a room that stops leaves a round without connected players to journal and ledger
        self.rounds.finished(frozen | self._left)
        self._left_open(frozen)

    def there(self, table: str, accounts: Collection[int]) -> None:
        """The connected players of a table while the room stops: it waits for no round that they could not finish."""
        if self._drains and not self.rounds.players(table, self._play.waiting(table)) & set(accounts):
            self._left.add(table)


def _for_all(event: wire.TableEvent) -> wire.TableEvent:
    """The public form of a message, without private fields."""
    if isinstance(event, wire.HandsDealt):
        return structs.replace(event, hands=[])
    return structs.replace(event, refused=[]) if isinstance(event, wire.BetsRefused) else event
