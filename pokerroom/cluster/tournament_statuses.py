"""The clocks of tournaments that other nodes own: every node sends those of its own tournaments as they change.

A node shows the clock of any tournament in its lobby. It is that of a moment ago, and after a takeover that of the last
owner until the next one has sent its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pokerroom.cluster.bus_sender import BusSender
from pokerroom.cluster.messages import TournamentStatusChanges
from pokerroom.ledger.tournaments import owned_as, tournament_owned_as
from pokerroom.tournament.messages import LiveTournament, TournamentStatus


class TournamentStatuses:
    """See the module. `local` are this node's tables and tournaments."""

    def __init__(self, sender: BusSender, local: Mapping[str, object]) -> None:
        self._sender = sender
        self._local = local
        self._sent: dict[str, TournamentStatus] = {}
        self._remote: dict[str, TournamentStatus] = {}

    def status(self, tournament: str) -> TournamentStatus | None:
        """Return the clock of a tournament; None if no node has told it, or if it has stopped here."""
        here = self._local.get(owned_as(tournament))
        return here.status() if isinstance(here, LiveTournament) else self._remote.get(tournament)

    def send_changes(self) -> None:
        """Send the clocks that changed; called every second."""
        if not self._sender.others:
            return
        now = {status.tournament: status for status in self._known_here()}
        changed = [status for name, status in now.items() if self._sent.get(name) != status]
        self._sent = now
        if changed:
            self._sender.to_all(TournamentStatusChanges(changed))

    def send_all_to(self, node: str) -> None:
        """Send all clocks to a node that is new or has missed some."""
        statuses = list(self._known_here())
        if statuses:
            self._sender.to(node, TournamentStatusChanges(statuses))

    def heard(self, statuses: Iterable[TournamentStatus]) -> None:
        """Note clocks of other nodes' tournaments. That of an earlier owner is late."""
        for status in statuses:
            known = self._remote.get(status.tournament)
            if known is None or status.epoch >= known.epoch:
                self._remote[status.tournament] = status

    def over(self, name: str) -> None:
        """Forget the clock of a tournament that does not exist any more."""
        tournament = tournament_owned_as(name)
        if tournament is not None:
            self._remote.pop(tournament, None)

    def _known_here(self) -> Iterator[TournamentStatus]:
        for actor in self._local.values():
            status = actor.status() if isinstance(actor, LiveTournament) else None
            if status is not None:
                yield status
