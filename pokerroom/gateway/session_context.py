"""What the sessions of a node share: the parts that handle messages, the limits, and the places for slow requests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from twisted.internet.interfaces import IReactorTime

from pokerroom.cluster.room_bus import WaitlistClient
from pokerroom.gateway.account_security import SessionsEnded
from pokerroom.gateway.accounts import Accounts
from pokerroom.gateway.addresses import AddressPolicy
from pokerroom.gateway.clubs import ClubService
from pokerroom.gateway.connections import AccountConnections
from pokerroom.gateway.features import FEATURES
from pokerroom.gateway.hand_sharing import HandSharing
from pokerroom.gateway.hand_texts import HandTextWriter
from pokerroom.gateway.hosting import HostingService
from pokerroom.gateway.leagues import LeagueService
from pokerroom.gateway.limits import SessionLimits
from pokerroom.gateway.slow_requests import AT_ONCE
from pokerroom.gateway.table_passwords import TablePasswords
from pokerroom.lobby.lobby import Lobby
from pokerroom.ops.observer import Observer
from pokerroom.ops.slots import Slots
from pokerroom.table.traces import Traces
from pokerroom.tournament.lobby import TournamentLobby
from pokerroom.tournament.registration import RegistrationService
from pokerroom.tournament.scheduled import ScheduledTournaments


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionContext:
    """What the sessions of a node share; `now_ms` is the wall clock, `clock` runs timers."""

    accounts: Accounts
    lobby: Lobby
    waitlist: WaitlistClient
    registration: RegistrationService
    tournament_lobby: TournamentLobby
    scheduled: ScheduledTournaments
    leagues: LeagueService
    hosting: HostingService
    table_passwords: TablePasswords
    clubs: ClubService
    sharing: HandSharing
    texts: HandTextWriter
    connections: AccountConnections
    """The session of each account that is connected here."""
    arrived: Callable[[int, str, int | None], None]
    """Called with each account that is logged in here and the instance of its connection: one at another node ends.

    Then the time of its log-in, if that was at another node (`cluster/arrivals.py`).
    """
    sessions_ended: SessionsEnded
    clock: IReactorTime
    now_ms: Callable[[], int]
    limits: SessionLimits
    addresses: AddressPolicy
    server: str
    observer: Observer
    traces: Traces | None = None
    slots: Slots = field(default_factory=partial(Slots, AT_ONCE))
    """The slow requests of all connections."""
    long: Slots = field(default_factory=partial(Slots, 1))
    """The requests of all connections that may take seconds: pages of exports, tables of leagues."""

    def features(self) -> list[str]:
        """Return what this room can do that a client may ask for (`welcome.features`)."""
        return [
            *FEATURES,
            *self.accounts.side.features,
            *self.hosting.features,
            *self.clubs.features,
            *self.leagues.features,
        ]
