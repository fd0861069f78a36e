"""Whole sessions over real tables, without sockets: a client that speaks in bytes, and what the room counts."""

from __future__ import annotations

import os
from typing import Any, Literal
from unittest import mock

from argon2 import PasswordHasher
from twisted.internet.defer import Deferred, execute
from twisted.internet.interfaces import IReactorTime

from pokerroom.chips import Money
from pokerroom.coordination.memory import MemoryLogInAttempts
from pokerroom.gateway.account_security import SecondFactorPolicy, SessionPolicy
from pokerroom.gateway.accounts import DEFAULT_POLICY, Accounts
from pokerroom.gateway.addresses import AddressPolicy
from pokerroom.gateway.clubs import ClubService
from pokerroom.gateway.code_guesses import CodeGuesses
from pokerroom.gateway.hand_sharing import HandSharing
from pokerroom.gateway.hand_texts import TEXT_BYTES, HandTextWriter
from pokerroom.gateway.hosting import HostingService
from pokerroom.gateway.limits import SessionLimits
from pokerroom.gateway.link_secrets import LinkSecrets
from pokerroom.gateway.names import ReservedNames
from pokerroom.gateway.openings import AccountOpenings
from pokerroom.gateway.password_rules import PasswordRules
from pokerroom.gateway.passwords import Passwords
from pokerroom.gateway.private_sit_and_gos import PrivateSitAndGoService
from pokerroom.gateway.session import Session
from pokerroom.gateway.session_context import SessionContext
from pokerroom.gateway.sessions import Sessions
from pokerroom.history.hidden_cards import HAND_RECORDS
from pokerroom.ledger.cashier import RefillTerms
from pokerroom.lobby.hosted_tables import HostedTableRegistry
from pokerroom.lobby.lobby import Lobby
from pokerroom.ops.config_hosting import HostingOffer
from pokerroom.ops.observer import Observer
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom.table.seal import Seal
from pokerroom_protocol import messages as wire
from pokerroom_protocol.codec import Encoding, encode
from pokerroom_protocol.errors import Code
from tests.lobby.support import Cardroom
from tests.tournament.registrations import made_registration

LIMITS = SessionLimits(
    frame_bytes_max=4_096, messages_per_s=1_000, message_burst=1_000, idle_s=60, connections_max=10
)


class Counting(Observer):
    """Keeps the codes of refusals."""

    def __init__(self) -> None:
        self.refusals: list[str] = []

    def refusal(self, code: str) -> None:
        self.refusals.append(code)


class Line:
    """A client and its `Link`; `got` is what it was sent."""

    encoding = Encoding.MSGPACK
    kind: Literal["tcp", "websocket"] = "tcp"
    peer = "192.0.2.1:40000"

    def __init__(self, sessions: Sessions, client: str = "", instance: str = "") -> None:
        self.got: list[wire.Answer] = []
        self.closed: Code | None = None
        self._id = 0
        self.session: Session = sessions.make(self)
        self.ask(wire.Hello, version=wire.PROTOCOL_VERSION, client=client, instance=instance)

    def send(self, outgoing: Outgoing | Bundle) -> None:
        self.got += [part.message for part in outgoing.parts]

    def close(self, code: Code) -> None:
        self.closed = code
        self.session.lost(code)

    def ask(self, kind: type[wire.Request], **fields: Any) -> wire.Answer:
        """Sends a request as bytes and returns the answer to it."""
        self.say(kind, **fields)
        return next(message for message in self.got if getattr(message, "re", None) == self._id)

    def say(self, kind: type[wire.Request], /, **fields: Any) -> int:
        """Sends a request that need not be answered at once."""
        self._id += 1
        self.session.received(encode(kind(id=self._id, **fields), self.encoding))
        return self._id

    def all(self, kind: type[wire.Answer]) -> list[Any]:
        return [message for message in self.got if isinstance(message, kind)]


def at_once(work: Any, *what: Any) -> Deferred[Any]:
    """In place of a thread."""
    return execute(work, *what)


def passwords(clock: IReactorTime, ledger: Any) -> Passwords:
    """Of a node without threads, with failures of its own. The hashes protect nothing, so they may be weak."""
    weak = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    return Passwords(at_once, MemoryLogInAttempts({}, clock), Observer(), ledger, hasher=weak)


def openings(clock: IReactorTime, at_once: int = 1000, with_money: int = 0) -> AccountOpenings:
    """Of a node, with a count of its own."""
    return AccountOpenings(
        MemoryLogInAttempts({}, clock), AddressPolicy(per_address=100), at_once, with_money
    )


def second_factors(clock: IReactorTime, key: bytes = bytes(32)) -> SecondFactorPolicy:
    """Of a room with a key of its own; its wall clock is that of the test."""
    return SecondFactorPolicy(
        room="test", seal=Seal(key), now_ms=lambda: int(clock.seconds() * 1000) + 1_700_000_000_000
    )


def made_accounts(ledger: Any, clock: IReactorTime, key: bytes = bytes(32), **others: Any) -> Accounts:
    """Of a node that bounds no new accounts. `key` seals second factors; `others` are for `Accounts`."""
    given = {"cards": Seal(bytes(32)), "openings": openings(clock)} | others
    return Accounts(
        ledger,
        passwords(clock, ledger),
        Money(100_000),
        rules=PasswordRules(8),
        reserved=ReservedNames(),
        second=second_factors(clock, key),
        **given,
    )


def made_hosting(ledger: Any, clock: IReactorTime, lobby: Lobby) -> HostingService:
    """Of a node at which no table is hosted."""
    registry = HostedTableRegistry(
        ledger=ledger,
        clock=clock,
        settings={},
        local={},
        owned={},
        idle_close_s=1,
        claim=lambda _: None,
        news=lambda: None,
        tell=lambda _: None,
        over=lambda _: None,
    )
    offer, secrets = HostingOffer(tables_per_account=0), LinkSecrets(bytes)
    sit_and_gos = PrivateSitAndGoService(
        ledger,
        offered=lambda: offer,
        secrets=secrets,
        changed=lambda *_: None,
        look=lambda: None,
        cancel=lambda *_: None,
        found=lambda *_: None,
        removed=lambda *_: None,
        now_ms=lambda: int(clock.seconds() * 1000),
        given_up_s=3_600,
    )
    return HostingService(
        ledger,
        registry,
        lobby,
        lambda: offer,
        sit_and_gos=sit_and_gos,
        guesses=made_guesses(clock),
        secrets=secrets,
    )


def made_guesses(clock: IReactorTime) -> CodeGuesses:
    """Of a room without a guess yet."""
    return CodeGuesses(MemoryLogInAttempts({}, clock))


def made_clubs(ledger: Any, hosting: HostingService, clock: IReactorTime) -> ClubService:
    """Of a node at which players create no clubs."""
    return ClubService(ledger, hosting, 0, made_guesses(clock))


def made_sharing(room: Cardroom, key: bytes = bytes(32)) -> HandSharing:
    """Of a node with a key of its own for codes."""
    seal = room.world.seal.of(HAND_RECORDS)
    return HandSharing(room.world.ledger, seal, Seal(key), os.urandom)


def made_sessions(
    room: Cardroom,
    observer: Observer,
    ledger: Any = None,
    *,
    accounts_at_once: int = 1000,
    with_money: int = 0,
    refill: RefillTerms | None = None,
    statistics_seated: bool = True,
    policy: SessionPolicy = DEFAULT_POLICY,
    key: bytes = bytes(32),
    limits: SessionLimits = LIMITS,
    text_bytes: int = TEXT_BYTES,
) -> Sessions:
    """`ledger` stands before the room's own for what accounts ask; `refill` are the terms of free play money.

    `policy` is how long sessions last, `key` seals second factors.
    """
    return Sessions(
        SessionContext(
            accounts=made_accounts(
                ledger or room.world.ledger,
                room.clock,
                key,
                cards=room.world.seal.of(HAND_RECORDS),
                openings=openings(room.clock, accounts_at_once, with_money),
                refill=refill,
                statistics_seated=statistics_seated,
                policy=policy,
            ),
            lobby=room.lobby,
            waitlist=room.waits,
            registration=made_registration(room.world.ledger, room.clock),
            hosting=(hosting := made_hosting(room.world.ledger, room.clock, room.lobby)),
            table_passwords=mock.Mock(),
            clubs=made_clubs(room.world.ledger, hosting, room.clock),
            sharing=made_sharing(room),
            texts=HandTextWriter(room.world.ledger, room.world.seal.of(HAND_RECORDS), room.clock, text_bytes),
            tournament_lobby=mock.Mock(),
            leagues=mock.Mock(features=[]),
            scheduled=mock.Mock(),
            connections=room.connections,
            arrived=room.room_bus.arrived,
            sessions_ended=room.room_bus.sessions_ended,
            clock=room.clock,
            now_ms=room.world.now_ms,
            limits=limits,
            addresses=AddressPolicy(per_address=100),
            server="test",
            observer=observer,
        )
    )


def player(sessions: Sessions, name: str) -> Line:
    """A new account, logged in."""
    line = Line(sessions)
    assert isinstance(line.ask(wire.Register, name=name, password="a password"), wire.Authenticated)
    return line


def token(line: Line) -> str:
    found: str = line.all(wire.Authenticated)[-1].token
    return found
