"""One client connection: greeting, authentication, limits, and the way of each message to the part that handles it.

A session is a `FrameReceiver` to its transport and a `Viewer` to the tables. It knows no rules, no sockets and no other
session.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Coroutine
from enum import Enum, auto
from functools import partial
from typing import Any, Final, TypeAlias, TypeVar

import structlog
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from pokerroom.gateway import tournament_requests
from pokerroom.gateway.account_security import Known
from pokerroom.gateway.accounts import Identity
from pokerroom.gateway.failures import refusal_of
from pokerroom.gateway.fair_turns import units_of
from pokerroom.gateway.limits import REFUSALS_AT_ONCE, REFUSALS_PER_S, TokenBucket, turn_units
from pokerroom.gateway.link import ClientLink, host_of
from pokerroom.gateway.message_kinds import (
    ACCOUNT_MESSAGES,
    BRINGS_TO_PLAY,
    CLUB_MESSAGES,
    HOSTING_MESSAGES,
    LEAGUE_MESSAGES,
    PROTECTION_MESSAGES,
    SECURITY_MESSAGES,
    SERVICE_MESSAGES,
    SHARING_MESSAGES,
    TABLE_MESSAGES,
    TOURNAMENT_MESSAGES,
)
from pokerroom.gateway.moved_session import MovedSession
from pokerroom.gateway.password_queue import ClientGone
from pokerroom.gateway.player_limits import needs_password
from pokerroom.gateway.session_context import SessionContext
from pokerroom.gateway.slow_requests import ConnectionClosed, SlowRequests
from pokerroom.ledger.account_standing import Exclusion
from pokerroom.ledger.hosted_tables import is_hosted
from pokerroom.table.house_bots import HOUSE_BOT_CLIENT, is_house_bot
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom_protocol import messages as wire
from pokerroom_protocol.codec import CodecError, decode_request
from pokerroom_protocol.errors import Code

BACKLOG_MAX = 64  # messages that may wait for an authentication in progress

_T = TypeVar("_T")
_Answering: TypeAlias = Coroutine[Any, Any, wire.Answer]


class SessionPhase(Enum):
    """How far a connection has come."""

    NEW = auto()
    GREETED = auto()
    AUTHENTICATING = auto()
    AUTHENTICATED = auto()
    CLOSED = auto()


_CLOSED: Final = SessionPhase.CLOSED  # reading an enum's member takes several times as long as reading a name


class Session:
    """One connection; see the module. `gone` is called when it is lost."""

    def __init__(self, context: SessionContext, link: ClientLink, gone: Callable[[Session], None]) -> None:
        self._context = context
        self._gone = gone
        self.link = link
        self._log = structlog.get_logger().bind(session=secrets.token_hex(6), peer=link.peer)
        self._progress = SessionPhase.NEW
        self._identity: Known | None = None
        self._unanswered = 0
        """Requests that a store or another part of the room has not answered yet; those of tables are not counted."""
        self.tables: dict[str, None] = {}  # not a set: the order of a set differs from run to run
        """Those of which the client has asked something since its log-in."""
        self._backlog: list[wire.ClientMessage] = []
        limits, now_s = context.limits, context.clock.seconds()
        self._allowance = TokenBucket(limits.messages_per_s, limits.message_burst, now_s)
        self._refusals = TokenBucket(REFUSALS_PER_S, REFUSALS_AT_ONCE, now_s)
        """How often this connection is still refused for its rate before it is closed."""
        self._slow = SlowRequests(context.slots)
        self._long = SlowRequests(context.long)
        self._traced = None if context.traces is None else context.traces.connection()
        self.heard_at = now_s
        """When the client sent its last message, in seconds of the clock."""
        self.kind = link.kind
        self.address = host_of(link.peer)
        self.address_group = context.addresses.group_of(self.address) or ""
        self.is_counted = False
        """Whether it has a place among the connections of its address; one that has none is closed at once."""
        self.wants_pause = True
        self.instance = ""
        self.account: int | None = None
        self.name = ""
        self.client_name = ""
        self._says_house_bot = False

    # --- Viewer -------------------------------------------------------------------------------------------------------

    @property
    def connected(self) -> bool:
        """False once the connection is closed or being closed."""
        return self._progress is not SessionPhase.CLOSED

    def deliver(self, outgoing: Outgoing | Bundle) -> None:
        """See `Viewer`."""
        if self._progress is not _CLOSED:
            self.link.send(outgoing)
            if self._traced is not None:
                self._traced.delivered(outgoing)

    @property
    def session_id(self) -> int | None:
        """The number of the session in the ledger; None before the log-in."""
        return None if self._identity is None else self._identity.session

    # --- Receiver -----------------------------------------------------------------------------------------------------

    def received(self, body: bytes) -> int:
        """Check and decode one frame, and hand it on. Returns the units of the turn that it has cost."""
        units = units_of(len(body))
        if self._progress is _CLOSED:
            return units
        self._context.observer.frames_in()
        self.heard_at = now_s = self._context.clock.seconds()
        too_many = self._allowance.spent(units, now_s)
        if too_many and self._is_cut_off(now_s):
            return units
        try:
            message = decode_request(body, self.link.encoding)
        except CodecError as error:
            if too_many:
                self._slow_down(error.re, units)
            else:
                self._refuse(error.re, error.code, str(error), path=error.path)
            return units
        price = self._context.limits.price(message, stranger=self._identity is None)
        if too_many:
            self._slow_down(message.id, units + price)
            return units
        if price and not self._affords(message.id, price, now_s, units):
            return units
        if self._progress is not SessionPhase.AUTHENTICATING:
            self._dispatch(message)
        elif len(self._backlog) < BACKLOG_MAX:
            self._backlog.append(message)
        else:
            self._refuse(message.id, Code.RATE_LIMITED)
        return units + turn_units(message)

    def _affords(self, re: int, price: int, now_s: float, units: int = 0) -> bool:
        """Take the price of a request that has cost `units`. Refuse it, and return False, if there is not so much."""
        if not self._allowance.spent(price, now_s):
            return True
        if not self._is_cut_off(now_s):
            self._slow_down(re, units + price)
        return False

    def _slow_down(self, re: int | None, units: int) -> None:
        self._refuse(re, Code.RATE_LIMITED, retry_after_ms=self._allowance.wait_ms(units))

    def _is_cut_off(self, now_s: float) -> bool:
        """Count a refusal for the rate. Close the connection, and return True, if it has had too many of them."""
        if not self._refusals.spent(1, now_s):
            return False
        self._log.warning("connection.flooded", account=self.account)
        self.broken(Code.RATE_LIMITED)
        return True

    def broken(self, code: Code) -> None:
        """See `FrameReceiver`."""
        self._context.observer.refusal(code)
        self.goodbye(code)

    def lost(self, reason: str) -> None:
        """See `FrameReceiver`."""
        self._note("connection.lost", reason=reason, account=self.account)
        self._leave()
        self._gone(self)

    def _note(self, event: str, **facts: object) -> None:
        """Log an event of the connection: as a detail if it has no account or is a house bot, for there are many."""
        is_detail = self.account is None or (self._says_house_bot and is_house_bot(self.name))
        (self._log.debug if is_detail else self._log.info)(event, **facts)

    def goodbye(self, code: Code) -> None:
        """Tell the client why, and close."""
        if self._progress is SessionPhase.CLOSED:
            return
        self.deliver(Outgoing(wire.Goodbye(code=code.value, message=code.sentence)))
        self._leave()
        self.link.close(code)

    def _leave(self) -> None:
        self._progress = SessionPhase.CLOSED
        self._backlog.clear()
        self._slow.close()
        self._long.close()
        if self._traced is not None:
            self._traced.end()
        self._context.accounts.gone(self)
        self._leave_tables()

    def _leave_tables(self) -> None:
        if self.account is not None:
            self._context.connections.left(self.account, self)
            self._context.waitlist.disconnected(self)
        for name in self.tables:
            table = self._context.lobby.table(name)
            if table is not None:
                table.viewer_gone(self)
        self.tables.clear()

    # --- between nodes ------------------------------------------------------------------------------------------------

    def as_moved(self, home: str) -> MovedSession | None:
        """Return what another node must know to go on with this session; None while a request is on its way.

        Its tables and the time of its arrival are missing there.
        """
        identity, connections, now_ms = self._identity, self._context.connections, self._context.now_ms()
        if self._progress is not SessionPhase.AUTHENTICATED or identity is None or self._unanswered:
            return None
        return MovedSession(
            home=home,
            account=identity.account,
            name=identity.name,
            session=identity.session,
            instance=self.instance,
            client=self.client_name,
            wants_pause=self.wants_pause,
            kind=self.kind,
            peer=self.link.peer,
            encoding=self.link.encoding,
            allowance=self._allowance.left(),
            refusals=self._refusals.left(),
            exclusion=connections.exclusion(identity.account, now_ms),
            muted_until_ms=connections.muted_until_ms(identity.account, now_ms),
            arrived_ms=0,
            announced=bool(connections.announced.announcements),
            tables=[],
        )

    def go_on(self, moved: MovedSession) -> None:
        """Go on with a session of another node."""
        context, now_s = self._context, self._context.clock.seconds()
        self._greeted_by(moved.client, moved.instance, wants_pause=moved.wants_pause)
        self._allowance.spent(max(0, context.limits.message_burst - moved.allowance), now_s)
        self._refusals.spent(max(0, REFUSALS_AT_ONCE - moved.refusals), now_s)
        self.tables = dict.fromkeys(table for table, _ in moved.tables)
        if not self._logged_in(moved, moved.exclusion, moved.arrived_ms):
            return
        if moved.announced or context.connections.announced.announcements:
            self.deliver(Outgoing(context.connections.announced))
        if moved.muted_until_ms is not None:
            context.connections.mute(moved.account, moved.muted_until_ms)
        context.waitlist.connected(self)
        self._note("connection.moved_here", home=moved.home)

    # --- messages -----------------------------------------------------------------------------------------------------

    def _dispatch(self, message: wire.ClientMessage) -> None:  # noqa: C901, PLR0912, PLR0915 -- one case per message
        if isinstance(message, wire.Act) and self._progress is SessionPhase.AUTHENTICATED:
            self._to_table(message)  # the hot path first
            return
        if isinstance(message, wire.Ping):
            self._answer(wire.Pong(re=message.id, server_time_ms=self._context.now_ms()))
            return
        if isinstance(message, wire.Hello):
            self._hello(message)
            return
        if self._progress is SessionPhase.NEW:
            self._refuse(message.id, Code.HELLO_FIRST)
            return
        accounts = self._context.accounts
        match message:
            case wire.ListTables():
                self._answer(self._context.lobby.listed(message.id))
            case wire.ListSitAndGos() | wire.ListTournaments():
                self._list_tournaments(message)
            case wire.GetSharedHand():
                self._when_known(message.id, partial(self._context.sharing.opened, message))
            case wire.Register() | wire.LogIn() | wire.Resume() | wire.Recover() if (
                self._progress is SessionPhase.AUTHENTICATED
            ):
                self._refuse(message.id, Code.ALREADY_AUTHENTICATED)
            case wire.Register():
                self._authenticate(message.id, accounts.register(self, message.name, message.password))
            case wire.LogIn():
                entered = accounts.log_in(self, message.name, message.password, message.code)
                self._authenticate(message.id, entered)
            case wire.Recover():
                entered = accounts.recover(self, message, self._context.sessions_ended)
                self._authenticate(message.id, entered)
            case wire.Resume():
                self._authenticate(message.id, self._resumed(message.token))
            case _ if self._identity is None:
                self._refuse(message.id, Code.NOT_AUTHENTICATED)
            case _ if isinstance(message, BRINGS_TO_PLAY) and (
                exclusion := self._context.connections.exclusion(
                    self._identity.account, self._context.now_ms()
                )
            ):
                self._refuse(message.id, Code.EXCLUDED, until_ms=exclusion.until_ms)
            case wire.Chat() if muted_until_ms := self._context.connections.muted_until_ms(
                self._identity.account, self._context.now_ms()
            ):
                self._refuse(message.id, Code.CHAT_MUTED, until_ms=muted_until_ms)
            case _ if (hidden := self._context.hosting.hidden(self._identity.account, message)) is not None:
                self._look_up(message, hidden, Code.UNKNOWN_TOURNAMENT)
            case wire.LogOut():
                self._log_out(message, self._identity)
            case wire.DeleteAccount():
                self._delete_account(message, self._identity)
            case wire.GetAccount():
                self._when_known(message.id, partial(self._account, message.id, self._identity))
            case wire.RegisterSng() | wire.UnregisterSng() | wire.GetStandings():
                self._to_registration(message, self._identity)
            case _ if isinstance(message, wire.ChipSaleMessage | wire.EntryMessage):
                self._to_scheduled(message, self._identity)
            case wire.JoinWaitlist() | wire.LeaveWaitlist():
                self._to_waitlist(message)
            case wire.ExportHands():
                page = partial(self._context.texts.page, message, self._identity.account)
                self._when_answered(message.id, self._long.ask(page), self._answer)
            case wire.GetLeague():
                table = partial(self._context.leagues.answered, message, self._identity.account)
                self._when_answered(message.id, self._long.ask(table), self._answer)
            case _ if isinstance(message, SECURITY_MESSAGES):
                self._to_security(message, self._identity)
            case _ if isinstance(message, PROTECTION_MESSAGES):
                self._to_protection(message, self._identity)
            case _ if isinstance(message, SERVICE_MESSAGES):
                self._to_service(message, self._identity)
            case _:
                self._to_table(message)

    def _hello(self, message: wire.Hello) -> None:
        if self._progress is not SessionPhase.NEW:
            self._refuse(message.id, Code.ALREADY_GREETED)
            return
        if message.version != wire.PROTOCOL_VERSION:
            self._refuse(message.id, Code.UNSUPPORTED_VERSION, versions=[wire.PROTOCOL_VERSION])
            return
        self._greeted_by(message.client, message.instance, wants_pause=message.pause)
        limits = self._context.limits
        self._answer(
            wire.Welcome(
                re=message.id,
                version=wire.PROTOCOL_VERSION,
                server=self._context.server,
                server_time_ms=self._context.now_ms(),
                frame_bytes_max=limits.frame_bytes_max,
                idle_s=limits.idle_s,
                features=self._context.features(),
            )
        )
        self._note("connection.greeted")

    def _greeted_by(self, client: str, instance: str, *, wants_pause: bool) -> None:
        self._progress = SessionPhase.GREETED
        self.wants_pause, self.instance, self.client_name = wants_pause, instance, client
        self._says_house_bot = client == HOUSE_BOT_CLIENT
        self._log = self._log.bind(client=client, kind=self.kind)

    def _authenticate(self, re: int, attempt: Coroutine[Any, Any, Identity]) -> None:
        def known(identity: Identity) -> None:
            if self._progress is SessionPhase.CLOSED or not self._logged_in(identity, identity.exclusion):
                return
            self._answer(
                wire.Authenticated(
                    re=re,
                    account=identity.account,
                    name=identity.name,
                    token=identity.token,
                    balance=identity.balance,
                    tables=identity.tables,
                    settings=identity.settings,
                    last_log_in_ms=identity.last_log_in_ms,
                )
            )
            if self._context.connections.announced.announcements:
                self.deliver(Outgoing(self._context.connections.announced))
            if identity.muted_until_ms is not None:
                self._context.connections.mute(identity.account, identity.muted_until_ms)
            self._context.waitlist.connected(self)

        self._change_account(re, attempt, known)

    def _logged_in(self, identity: Known, exclusion: Exclusion | None, arrived_ms: int | None = None) -> bool:
        """Note the account. Return False if the session has ended meanwhile: then the connection is closed."""
        self._identity = identity
        self._progress = SessionPhase.AUTHENTICATED
        self.account, self.name = identity.account, identity.name
        self._log = self._log.bind(account=identity.account)
        self._context.connections.authenticated(identity.account, self)
        self._context.connections.excluded(identity.account, exclusion)
        if self.connected:
            self._context.arrived(identity.account, self.instance, arrived_ms)
        return self.connected

    def _log_out(self, message: wire.LogOut, identity: Known) -> None:
        """End the session in the ledger first: if that is refused, the session goes on unchanged."""

        def ended(_: object) -> None:
            self._logged_out(message.id)

        ending = self._context.accounts.log_out(identity.account, identity.session)
        self._change_account(message.id, ending, ended)

    def _delete_account(self, message: wire.DeleteAccount, identity: Known) -> None:
        """Delete the account, if the ledger allows it: this connection is logged out, all others end."""

        def deleted(over: list[int]) -> None:
            self._logged_out(message.id)
            self._context.sessions_ended(identity.account, over)

        self._change_account(message.id, self._context.accounts.delete(self, message, identity), deleted)

    def _logged_out(self, re: int) -> None:
        if self._progress is SessionPhase.CLOSED:
            return
        self._leave_tables()
        self._identity = None
        self.account, self.name = None, ""
        self._progress = SessionPhase.GREETED
        self._answer(wire.Ok(re=re))

    def _change_account(
        self, re: int, attempt: Coroutine[Any, Any, _T], changed: Callable[[_T], None]
    ) -> None:
        """Log in or out: other messages wait meanwhile. After a refusal everything is as before."""
        before, self._progress = self._progress, SessionPhase.AUTHENTICATING

        def refused(failure: Failure) -> None:
            if isinstance(failure.value, (ClientGone, ConnectionClosed)):
                return
            if self._progress is SessionPhase.AUTHENTICATING:
                self._progress = before
            self._refuse_failed(re, failure)

        asked = Deferred.fromCoroutine(attempt).addCallbacks(changed, refused)
        asked.addCallback(self._go_on).addErrback(self._half_changed)

    def _half_changed(self, failure: Failure) -> None:
        """Close the connection after a defect: nothing says what holds of its account now."""
        self._fault(failure)
        self.broken(Code.INTERNAL)

    def _go_on(self, _: object) -> None:
        """Handle the messages that came while the authentication was in progress."""
        backlog, self._backlog = self._backlog, []
        for position, message in enumerate(backlog):
            if self._progress is SessionPhase.AUTHENTICATING:  # that message was itself a log-in or a log-out
                self._backlog = backlog[position:]
                return
            if self._progress is not SessionPhase.CLOSED:
                self._dispatch(message)

    async def _resumed(self, token: str) -> Identity:
        """Any text may be sent as a token, and each is looked up: in turns, as all slow requests."""
        return await self._slow.ask(partial(self._context.accounts.resume, self, token))

    async def _account(self, re: int, identity: Known) -> wire.Account:
        balance, tables = await self._context.accounts.holdings(identity.account)
        return wire.Account(
            re=re, account=identity.account, name=identity.name, balance=balance, tables=tables
        )

    async def _protected(self, message: wire.ProtectionMessage, identity: Known) -> wire.Limits:
        answer = await self._context.accounts.limits.answered(message, self, identity)
        exclusion = Exclusion(until_ms=answer.excluded_until_ms) if answer.excluded else None
        self._context.connections.excluded(identity.account, exclusion)
        return answer

    def _when_known(self, re: int, ask: Callable[[], _Answering], *, in_turn: bool = True) -> None:
        """Answer a slow request, in its turn if it does not have to wait; not if the client has logged out since."""
        asked = self._slow.ask(ask) if in_turn else Deferred.fromCoroutine(ask())
        self._when_answered(re, asked, self._answer)

    def _when_answered(self, re: int, asked: Deferred[_T], then: Callable[[_T], object]) -> None:
        identity = self._identity
        self._unanswered += 1

        def known(answer: _T) -> None:
            self._unanswered -= 1
            if self._identity is identity and self.connected:
                then(answer)

        def not_known(failure: Failure) -> None:
            self._unanswered -= 1
            if failure.check(ConnectionClosed, ClientGone) is None:
                self._refuse_failed(re, failure)

        asked.addCallbacks(known, not_known).addErrback(self._fault)

    def _to_registration(
        self, message: wire.RegisterSng | wire.UnregisterSng | wire.GetStandings, identity: Known
    ) -> None:
        answered, registration = tournament_requests.answered, self._context.registration
        answer = partial(answered, registration, message, identity.account, self.address_group)
        # the others may wait for a store that is away, and no request waits for them
        self._when_known(message.id, answer, in_turn=isinstance(message, wire.GetStandings))

    def _list_tournaments(self, message: wire.ListSitAndGos | wire.ListTournaments) -> None:
        ask = partial(tournament_requests.listed, self._context.registration, self._context.scheduled)
        self._when_known(message.id, partial(ask, message, self.account))

    def _to_scheduled(self, message: wire.ChipSaleMessage | wire.EntryMessage, identity: Known) -> None:
        """The ledger may be away: requests of others do not wait for it."""
        entered, scheduled = tournament_requests.entered, self._context.scheduled
        answer = partial(entered, scheduled, message, identity.account, self.address_group)
        self._when_known(message.id, answer, in_turn=False)

    def _to_service(self, message: wire.ClientMessage, identity: Known) -> None:
        context = self._context
        if isinstance(message, wire.TablePasswordMessage):  # it waits in the queue of passwords
            entering = partial(context.table_passwords.answered, message, self, identity.account)
            self._when_known(message.id, entering, in_turn=False)
            return
        services: tuple[tuple[tuple[type, ...], Callable[..., _Answering]], ...] = (
            (HOSTING_MESSAGES, partial(context.hosting.answered, address=self.address_group)),
            (CLUB_MESSAGES, partial(context.clubs.answered, address=self.address_group)),
            (SHARING_MESSAGES, context.sharing.answered),
            (TOURNAMENT_MESSAGES, context.tournament_lobby.answered),
            (LEAGUE_MESSAGES, context.leagues.answered),
            (ACCOUNT_MESSAGES, context.accounts.side.answered),
        )
        answered = next(service for kinds, service in services if isinstance(message, kinds))
        self._when_known(message.id, partial(answered, message, identity.account))

    def _to_security(self, message: wire.SecurityMessage, identity: Known) -> None:
        context = self._context
        answer = partial(context.accounts.security.answered, message, self, identity, context.sessions_ended)
        # the others wait in the queue of passwords
        self._when_known(message.id, answer, in_turn=isinstance(message, wire.GetSecurity | wire.EndSessions))

    def _to_protection(self, message: wire.ProtectionMessage, identity: Known) -> None:
        answer = partial(self._protected, message, identity)
        self._when_known(message.id, answer, in_turn=not needs_password(message))  # as above

    def _to_table(self, message: wire.ClientMessage) -> None:
        assert isinstance(message, TABLE_MESSAGES)
        if not self._context.hosting.admits(self.account, message.table):
            self._look_up(message, message.table, Code.UNKNOWN_TABLE)
            return
        table = self._context.lobby.table(message.table)
        if table is None:
            self._refuse(message.id, Code.UNKNOWN_TABLE)
            return
        self.tables[message.table] = None
        if self._traced is None:
            table.request(self, message)
        else:
            handle = partial(table.request, self, message)
            self._traced.begin(message.table, type(message).__name__, message.id, handle)

    def _look_up(self, message: wire.ClientMessage, name: str, unknown: Code) -> None:
        """Ask the ledger for what this node may have missed, and handle the message if the account may know of it."""
        if not self._affords(message.id, self._context.limits.look_up_price, self._context.clock.seconds()):
            return
        look = partial(self._context.hosting.look_up, name, self.account, unknown)
        self._when_answered(message.id, self._slow.ask(look), lambda _: self._dispatch(message))

    def _to_waitlist(self, message: wire.JoinWaitlist | wire.LeaveWaitlist) -> None:
        if is_hosted(message.table) and self._context.hosting.admits(self.account, message.table):
            self._refuse(message.id, Code.NO_WAITING_LIST)
            return
        if (code := self._context.waitlist.request(self, message)) is not None:
            self._refuse(message.id, code)

    # --- answers ------------------------------------------------------------------------------------------------------

    def _answer(self, message: wire.Answer) -> None:
        self.deliver(Outgoing(message))

    def _refuse(self, re: int | None, code: Code, detail: str | None = None, **facts: Any) -> None:
        self._context.observer.refusal(code)
        self.deliver(Outgoing(wire.Error(re=re, code=code.value, message=detail or code.sentence, **facts)))

    def _refuse_failed(self, re: int, failure: Failure) -> None:
        known = refusal_of(failure.value)
        if known is None:
            self._fault(failure)
            self._refuse(re, Code.INTERNAL)
        else:
            self._refuse(re, known.code, known.detail, **known.facts)

    def _fault(self, failure: Failure) -> None:
        self._log.critical("session.fault", exc_info=failure.value)
