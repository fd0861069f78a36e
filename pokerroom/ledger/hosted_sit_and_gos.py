"""The contract for sit-and-gos that players open for their guests, in addition to those of tables and tournaments.

Such a sit-and-go is a tournament with a start, which takes entries of its host and of its guests alone. They become
guests by the code, as at a hosted table. Its start is the time at which it is given up. When its last seat is taken,
or at the host's word, that moment becomes the start. From then on no entry comes or goes, and each node finds it due.
"""

from __future__ import annotations

from typing import Literal, Protocol

from twisted.internet.defer import Deferred

from pokerroom.ledger.api import LedgerRefusal
from pokerroom.ledger.hosted_tables import HostedLimits, HostedTableRow, Terms
from pokerroom.ledger.tournaments import Opening

SitAndGoOrder = Literal["start", "new_link"]


class NotInvited(LedgerRefusal):
    """The host of the sit-and-go has not invited the account. To that account there is none."""

    code = "unknown_tournament"


class HostedSitAndGoLedger(Protocol):
    """The contract, in addition to `HostedTableLedger` and `TournamentLedger`.

    `TournamentLedger.enter` raises `NotInvited` for an account that is neither host nor guest, and `SeatNotAccepted`
    for one that is to be removed from the club.
    """

    def open_hosted_sit_and_go(
        self,
        host: int,
        opening: Opening,
        terms: Terms,
        code: str,
        limits: HostedLimits,
        *,
        club: str | None = None,
    ) -> Deferred[HostedTableRow]:
        """Opens a sit-and-go, hosted as `hosted_as` says of its id.

        It needs all its seats taken to start (`players_min`). It counts as a hosted table while it fills and runs.
        One of a club is for its members: entries come from their balances in chips of the club, and prizes go there.
        Raises as `HostedTableLedger.open_hosted_table`.
        """

    def change_hosted_sit_and_go(
        self, table: str, host: int, order: SitAndGoOrder, new_code: str
    ) -> Deferred[HostedTableRow]:
        """Carries out an order of the host: it starts with those that have entered, or has another code.

        A repeated order changes nothing more. Raises `UnknownHostedTable` for an account that may not know of it,
        `NotHost` for a guest, `NotFull` for a start with fewer than two players, and `RegistrationClosed` if it is
        over.
        """
