"""A scripted client: connects, resumes, takes seats, decides, and reconnects after every fault.

It is built on the protocol's own `ClientSession` and knows what the session tells it. A random stream of its own
decides what it does when; `habits` has its requests between decisions. It knows nothing of the room's code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from msgspec.structs import replace

from pokerroom.simulation import blunders, clubs, habits, hosting, noting, sharing, table_passwords
from pokerroom.simulation.checks.viewers import differences
from pokerroom.simulation.clubs import FellowWorld
from pokerroom.simulation.faults import Fault
from pokerroom.simulation.network import Connection
from pokerroom.simulation.noting import NotingWorld
from pokerroom.simulation.scenario import ClientPlan
from pokerroom.simulation.sharing import Audience
from pokerroom.simulation.streams import Stream
from pokerroom.simulation.table_passwords import PasswordSociety
from pokerroom_protocol import messages as wire
from pokerroom_protocol.codec import Encoding
from pokerroom_protocol.errors import Code
from pokerroom_protocol.session import Answered, ClientSession, Happening
from pokerroom_protocol.table_view import after_event

DOUBT_S = 2.0

EARLY_TURNS = 0.3
"""Before so many of the others' turns a client that decides in advance does."""

TICK_S = 20.0
"""About how often the client looks at other tables and sends a ping. The room must not take it for gone."""


class ClientSurroundings(PasswordSociety, Audience, NotingWorld, FellowWorld, Protocol):
    """What a client needs of the simulation."""

    def unlike(self, table: str, viewer: int, lines: Sequence[str]) -> None:
        """Report that a client's own state of a table differs from a snapshot."""

    def read(self, body: bytes, encoding: Encoding) -> wire.ServerMessage:
        """Decode a message of the room; equal bytes are decoded once for all clients."""

    def connect(self, client: SimulatedClient) -> Connection | None:
        """Open a new connection; None while no room listens."""


@dataclass(slots=True, kw_only=True)
class ClientAccount:
    """How the client authenticates: with the token of a session, else with the password."""

    name: str
    password: str = field(repr=False)
    token: str | None = field(repr=False)
    known: bool
    """Whether the account exists, as far as the client knows. If not, the client opens it."""


class SimulatedClient:
    """A `network.ClientEnd` and an `ActingClient`. `stream` is its own; it starts with the first of its `accounts`."""

    def __init__(
        self, world: ClientSurroundings, plan: ClientPlan, accounts: Sequence[ClientAccount], stream: Stream
    ) -> None:
        self.world = world
        self.plan = plan
        self.stream = stream
        self._accounts = accounts
        self.account = accounts[0]
        self.balance: int | None = None
        """Of the wallet, as the room told it last."""
        self._connection: Connection | None = None
        self._instance = ""
        """The name of the device, among those of the account."""
        self.session = ClientSession(plan.encoding)
        self.resumed = False
        """Whether the client believes that it is authenticated."""
        self.waits: set[tuple[str, type[wire.Request]]] = set()
        """(table, kind) of the requests that have no answer yet."""
        self.resting: dict[str, float] = {}
        """Table -> until when the client does not want to play there."""
        self._thinks_about: dict[str, int] = {}
        """Table -> seq of the turn that the client is thinking about."""
        self._doubts: dict[str, wire.Snapshot] = {}
        """Table -> its state by the events alone, where the last snapshot differs from it."""
        self._frozen: set[str] = set()
        """Tables that show no hand until they restart."""
        self.floor: dict[str, int] = {}
        """Table -> the least buy-in when the client comes back to it."""
        self.had: dict[str, int] = {}
        """Table -> the client's stack there, as last known."""
        self._last: dict[str, wire.Act] = {}
        """The last decision at each table, answered or not."""

    def come(self) -> None:
        """Connect soon, and look at other tables from time to time as long as the run lasts."""
        self.world.clock.callLater(self.stream.uniform(0, 5), self._connect)
        self.world.clock.callLater(self.stream.uniform(1, TICK_S), self._tick)

    # --- connections ------------------------------------------------------------------------------------------

    @property
    def connected(self) -> bool:
        """Whether the client believes that it is connected."""
        return self._connection is not None

    def _connect(self) -> None:
        if self._connection is None:
            self._use(self.world.connect(self))

    def _use(self, connection: Connection | None) -> None:
        if connection is None:
            self.world.clock.callLater(self.stream.uniform(0.1, 2.0), self._connect)
            return
        self._connection = connection
        self.session = ClientSession(self.plan.encoding)
        self._begin_anew()
        blunders.before_hello(self)
        self.ask(
            wire.Hello(
                id=0,
                version=wire.PROTOCOL_VERSION,
                client="simulation",
                pause=self.plan.pause,
                instance=self._instance,
            )
        )
        blunders.before_entering(self)
        sharing.before_entering(self)
        self._enter()

    def _begin_anew(self) -> None:
        """Forget the authentication and all open requests."""
        self.resumed = False
        self.waits.clear()
        self._doubts.clear()
        self._frozen.clear()
        self._thinks_about.clear()

    def _enter(self) -> None:
        """Authenticate: resume, else log in, else open the account."""
        own = self.account
        if self.resumed:
            return
        if own.token is not None:
            self.ask(wire.Resume(id=0, token=own.token))
        elif own.known:
            self.ask(wire.LogIn(id=0, name=own.name, password=own.password))
        else:
            self.ask(wire.Register(id=0, name=own.name, password=own.password))

    def log_out(self) -> None:
        """Log out, whatever is under way."""
        self.resumed = False
        self.ask(wire.LogOut(id=0))

    def _is_out(self) -> None:
        """The room has ended the authentication: continue with one of the accounts."""
        self._begin_anew()
        self.world.clock.callLater(self.stream.uniform(0, 2), self._enter)

    def closed(self, connection: Connection) -> None:
        if connection is not self._connection:
            return  # the other device has taken over
        self._connection = None
        self.resumed = False
        away = self.stream.random()
        away_s = 3 if away < 0.75 or self.world.dice.quiet else 40 if away < 0.95 else 200
        self.world.clock.callLater(self.stream.uniform(0.02, away_s), self._connect)

    def _break_the_line(self) -> None:
        """The faults of a connection, one at a time."""
        dice, connection, draw = self.world.dice, self._connection, self.stream
        if connection is None:
            return
        if dice.strikes(Fault.DISCONNECT, 25):
            connection.cut()
        elif dice.strikes(Fault.SILENCE, 60):
            connection.fall_silent()
            self.world.clock.callLater(draw.uniform(0.5, 30), self.closed, connection)
        elif dice.strikes(Fault.TAKEOVER, 40):
            self._take_over(connection)
        elif dice.strikes(Fault.SLOW_READER, 60):
            connection.stop_reading()
            for _ in range(draw.choice([0, 0, 40])):
                self.ask(wire.ListTables(id=0))
            self.world.clock.callLater(draw.uniform(1, 60), connection.read_on)

    def _take_over(self, first: Connection) -> None:
        """Go on over another device. With a name of its own it takes the tables alone, and the first one stays."""
        self._connection = None  # the first device does not fight
        before = self.session
        if self.stream.random() < 0.5:
            self._instance = f"device {self.stream.randint(1, 3)}"
            for table in list(before.tables)[:2]:
                late_s = self.stream.uniform(0, 10)
                self.world.clock.callLater(
                    late_s, self._say_over, first, before, wire.Chat(id=0, table=table, text="me")
                )
        self._use(self.world.connect(self))

    def _say_over(self, first: Connection, session: ClientSession, request: wire.ClientMessage) -> None:
        """Ask something over the device that was left; it does not read the answer."""
        session.request(request)
        first.send_bodies(session.bodies_to_send())

    # --- messages ---------------------------------------------------------------------------------------------

    def ask(self, request: wire.ClientMessage, *, at_s: float | None = None, overtakes: bool = False) -> None:
        """Sends a request; see `Connection.send_bodies`."""
        if self._connection is None:
            return
        self.session.request(request)
        self._connection.send_bodies(self.session.bodies_to_send(), at_s=at_s, overtakes=overtakes)
        if self.world.dice.strikes(Fault.DISCONNECT, 1500):  # at any point: with this request in flight
            self.world.clock.callLater(self.stream.uniform(0, 0.1), self._connection.cut)

    def wish(self, request: wire.ClientMessage) -> None:
        """As `ask`, once at a time for each kind and table."""
        key = (str(getattr(request, "table", "")), type(request))
        if key not in self.waits:
            self.waits.add(key)
            self.ask(request)

    def body(self, connection: Connection, body: bytes) -> None:
        if connection is not self._connection:
            return
        message = self.world.read(body, self.plan.encoding)
        before = self.session.tables.get(message.table) if isinstance(message, wire.Snapshot) else None
        for happening in self.session.take(message):
            if isinstance(happening, wire.Snapshot):
                self._doubt(before, happening)
            elif isinstance(happening, wire.HoldemEvent) and happening.table in self._doubts:
                self._doubts[happening.table] = after_event(self._doubts[happening.table], happening)
            self._happened(happening)
        bodies = self.session.bodies_to_send()
        if bodies and self._connection is not None:
            self._connection.send_bodies(bodies)

    def _doubt(self, kept: wire.Snapshot | None, fresh: wire.Snapshot) -> None:
        """A snapshot must equal the state that the client has built from the events up to the same number.

        What has changed and is not told yet may be in it: then the next events make both alike.
        """
        self._doubts.pop(fresh.table, None)
        if fresh.re is None:  # unasked for: it replaces what the client knew
            self._frozen.discard(fresh.table)
        elif (
            kept is not None
            and kept.seq == fresh.seq
            and fresh.table not in self._frozen
            and differences(kept, fresh)
        ):
            self._doubts[fresh.table] = replace(kept, your_seat=fresh.your_seat)
            self.world.clock.callLater(DOUBT_S, self._compare, fresh.table, kept.seq, self._connection)

    def _compare(self, table: str, seq: int, connection: Connection | None) -> None:
        kept, now = self._doubts.get(table), self.session.tables.get(table)
        if connection is not self._connection or connection is None or kept is None or now is None:
            return
        if now.seq == seq:  # nothing was told since: the journal or the ledger is away
            self.world.clock.callLater(DOUBT_S, self._compare, table, seq, connection)
        elif kept.seq == now.seq:
            del self._doubts[table]
            self.world.unlike(table, connection.number, differences(kept, now))

    def _happened(self, happening: Happening) -> None:
        match happening:
            case Answered():
                self._answered(happening.request, happening.answer)
            case wire.Turn():
                self.consider(happening.table)
                blunders.out_of_turn(self, happening)
                self._decide_ahead(happening)
            case wire.Snapshot():
                self.consider(happening.table)
                habits.tend(self, happening.table)
            case wire.HandEnded():
                habits.after_hand(self, happening.table)
                sharing.after_hand(self, happening.hand_id)
            case wire.TableNotice(state="frozen"):
                self._frozen.add(happening.table)
                self._doubts.pop(happening.table, None)
            case wire.SeatOffered():
                habits.offered(self, happening)
            case wire.RemovedFromTable():
                hosting.leave(self, happening.table)
            case wire.HostedTableNews():
                hosting.news(self)
            case _:
                pass

    def _answered(self, request: wire.ClientMessage, answer: wire.ServerMessage) -> None:
        table = str(getattr(request, "table", ""))
        self.waits.discard((table, type(request)))
        refused = Code(answer.code) if isinstance(answer, wire.Error) else None
        match request:
            case wire.Resume() | wire.LogIn() | wire.Register():
                if isinstance(answer, wire.Authenticated):
                    self._entered(answer)
                else:
                    self._not_entered(request, refused)
            case wire.LogOut():
                self._logged_out(refused)
            case _ if refused is not None:
                habits.refused(self, request, refused)
                hosting.refused(self, request, refused)
                table_passwords.refused(self, request, refused)
                clubs.refused(self, request, refused)
                sharing.refused(self, request, refused)
            case _:
                habits.answered(self, request, answer)
                hosting.answered(self, answer)
                table_passwords.answered(self, request)
                clubs.answered(self, request, answer)
                sharing.answered(self, answer)
                if isinstance(request, wire.ChangeHostedTable) and request.order == "close":
                    hosting.closed(self, request.table)

    def _entered(self, answer: wire.Authenticated) -> None:
        self.resumed = True
        self.account.token, self.account.known = answer.token, True
        self.balance = answer.balance
        for name in dict.fromkeys([*answer.tables, *self.plan.wanted, *self.plan.watched]):
            self.wish(wire.Observe(id=0, table=name))
        hosting.came(self)
        clubs.came(self)

    def _not_entered(self, request: wire.Resume | wire.LogIn | wire.Register, refused: Code | None) -> None:
        own = self.account
        meant = (
            request.token == own.token
            if isinstance(request, wire.Resume)
            else ((request.name, request.password) == (own.name, own.password))
        )
        if not meant or self.resumed:
            return  # a mistake made on purpose was refused
        if refused is Code.SESSION_UNKNOWN:
            own.token = None
        elif refused is Code.NAME_TAKEN:  # the answer that it was opened was lost
            own.known = True
        elif refused is Code.BAD_CREDENTIALS:
            own.known = False
        self.world.clock.callLater(self.stream.uniform(0.2, 2), self._enter)

    def _logged_out(self, refused: Code | None) -> None:
        if refused is None:
            self.account.token = None
            self.account = self.stream.choice(self._accounts)
            self._is_out()
        elif refused is Code.NOT_AUTHENTICATED:
            self._is_out()
        else:
            self.resumed = True  # nothing has changed

    def _tick(self) -> None:
        self.world.clock.callLater(self.stream.uniform(0.5, 1.0) * TICK_S, self._tick)
        if self.resumed:
            self.ask(wire.Ping(id=0))
            habits.look_around(self)
            if not self.world.dice.quiet:
                habits.whim(self)
                hosting.look_around(self)
                table_passwords.look_around(self)
                clubs.look_around(self)
                sharing.look_around(self)
                noting.look_around(self)
            blunders.between_decisions(self)
        self._break_the_line()

    # --- decisions --------------------------------------------------------------------------------------------

    def turn(self, table: str) -> tuple[str, wire.TurnView] | None:
        """The hand and the decision that the room asks of this client."""
        snapshot = self.session.tables.get(table)
        if snapshot is None or snapshot.hand is None or snapshot.hand.turn is None:
            return None
        turn = snapshot.hand.turn
        return (snapshot.hand.hand_id, turn) if turn.seat == snapshot.your_seat else None

    def consider(self, table: str) -> None:
        asked = self.turn(table)
        if asked is None or self._thinks_about.get(table) == asked[1].seq:
            return
        turn = asked[1]
        self._thinks_about[table] = turn.seq
        dice, now = self.world.dice, self.world.clock.rightNow
        if dice.strikes(Fault.CLOCK, 25):
            form = dice.one_of(Fault.CLOCK, "never", "late", "at", "before", "after")
            deadline_s = turn.deadline_ms / 1000
            if form == "never":
                self.world.clock.callLater(deadline_s - now + 60, self._forget, table, turn.seq)
                return
            at_s = deadline_s + {"at": 0.0, "before": -0.001, "after": 0.001, "late": 3.0}[form]
            self.world.clock.callLater(max(0.0, at_s - now - 0.3), self._decide, table, turn.seq, at_s)
            return
        thinks_s = self.stream.uniform(0.1, 2.0) * self.plan.haste
        self.world.clock.callLater(thinks_s, self._decide, table, turn.seq, None)

    def _decide_ahead(self, turn: wire.Turn) -> None:
        """Perhaps decide in advance; the line may break before the turn comes."""
        if not self.plan.early or self.world.dice.quiet or self.stream.random() > EARLY_TURNS:
            return
        if habits.decides_ahead(self, turn.table) and self.world.dice.strikes(Fault.DISCONNECT, 8):
            connection = self._connection
            if connection is not None:
                self.world.clock.callLater(self.stream.uniform(0.05, 1.0), connection.cut)

    def _forget(self, table: str, seq: int) -> None:
        if self._thinks_about.get(table) == seq:
            del self._thinks_about[table]
            self.consider(table)

    def _decide(self, table: str, seq: int, at_s: float | None) -> None:
        if self._thinks_about.get(table) != seq:
            return
        del self._thinks_about[table]
        asked = self.turn(table)
        if asked is None:
            return
        hand_id, turn = asked
        dice = self.world.dice
        if dice.strikes(Fault.STALE, 40):
            self.ask(blunders.stale(dice, table, hand_id, turn, before=self._last.get(table)))
        blunders.into_a_bet(self, table, hand_id, turn)
        last = self._last.get(table)
        if last is not None and (last.hand_id, last.seq) == (hand_id, turn.seq):
            act = last  # its answer was lost: the same again
        else:
            act = habits.decision(self.stream, table, hand_id, turn)
        self._last[table] = act
        if dice.strikes(Fault.REORDER, 40):
            self.ask(wire.GetSnapshot(id=0, table=table))
            self.ask(act, overtakes=True)
        else:
            self.ask(act, at_s=at_s)
        if dice.strikes(Fault.DUPLICATE, 40):
            self.ask(act)
