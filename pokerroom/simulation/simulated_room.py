"""One simulated room: the real room on memory adapters and virtual time, its clients, and the injected faults.

A process is a `Room` on adapters that can fail; when it crashes it is thrown away with all it had planned, and another
one starts on what the journal and the ledger hold, as soon as the lease of the first is over. Everything follows from
the seed.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

from argon2 import PasswordHasher
from twisted.internet.defer import Deferred
from twisted.python.failure import Failure

from pokerroom.chips import Money
from pokerroom.coordination.memory import (
    MemoryBus,
    MemoryDirectory,
    MemoryHub,
    MemoryJournalStore,
    MemoryLogInAttempts,
    MemoryPayouts,
    MemoryPayoutStore,
    MemoryRegistrations,
)
from pokerroom.coordination.registrations import RegistrationBook
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import THE_ROOM
from pokerroom.ledger.operator_wallet import WalletRow
from pokerroom.ledger.whole import WholeLedger
from pokerroom.room import Room, RoomDependencies
from pokerroom.simulation.checks.referee import Referee
from pokerroom.simulation.client import ClientAccount, SimulatedClient
from pokerroom.simulation.clock import ProcessClock, VirtualClock
from pokerroom.simulation.clubs import Fellowship
from pokerroom.simulation.faults import Dice, Fault
from pokerroom.simulation.faulty_dependencies import FaultyBytes, FaultyObserver
from pokerroom.simulation.game import SimulatedGame
from pokerroom.simulation.hosting import Invitations
from pokerroom.simulation.journal import FaultyJournal
from pokerroom.simulation.ledger import FaultyLedger, answer_of
from pokerroom.simulation.network import Connection
from pokerroom.simulation.noting import Curiosity
from pokerroom.simulation.operator_wallet import LINKED, RUNS_WALLETS, OuterWallet, ProcessWallet
from pokerroom.simulation.scenario import AccountPlan, ClientHabit, ClientPlan
from pokerroom.simulation.sharing import SharedHands
from pokerroom.simulation.streams import SeededBytes, stream
from pokerroom.simulation.table_passwords import ToldPasswords
from pokerroom_protocol import messages as wire
from pokerroom_protocol.codec import Encoding

HASHING_S = 0.03
LOOK_S = 2.0
AUDIT_S = 300.0
RESTART_S = 120.0
"""An operator restarts a room with a table that has been frozen for so long."""
CRASH_STEPS_PER_PERSON = 600
"""The more people, the more happens: a small room is to crash in a short run, too."""
OPENING_S = 3600.0
"""A large room plays the hands that it plays in any case within this."""

_HASHER = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""These passwords need no protection, and hashing has to be fast."""


@dataclass(slots=True, kw_only=True, eq=False)
class RoomProcess:
    """One run of the room."""

    room: Room
    clock: ProcessClock
    wallet: ProcessWallet | None
    listening_since_s: float | None = None


class SimulatedRoom:
    """See the module; the `ClientSurroundings` of its clients."""

    def __init__(
        self, seed: int, game: SimulatedGame[Any], chosen: frozenset[Fault], *, strict: bool
    ) -> None:
        self.seed = seed
        self._game = game
        self.plan = plan = game.scenario(seed)
        self.clock = VirtualClock()
        self.dice = Dice(seed, chosen, len(plan.people))
        self.referee: Referee = game.referee(plan, self.clock, strict)
        self.ledger = MemoryLedger(lambda: self.clock.rightNow)
        self.journal = MemoryJournalStore()
        self._directory: dict[str, bytes] = {}
        self._books: dict[str, RegistrationBook] = {}
        self._permits: dict[tuple[str, str], dict[int, int]] = {}
        self._payouts = MemoryPayoutStore()
        self._failures: dict[str, tuple[int, float, float]] = {}
        self._processes_count = 0
        self._random_bytes = SeededBytes(seed, "cards and keys")
        self._latencies = stream(seed, "latencies")
        self.invitations = Invitations(stream(seed, "removed guests"))
        has_hosts = any(client.hosts for client in plan.people)
        self.told_passwords = ToldPasswords(stream(seed, "table passwords"), has_hosts)
        self.fellowship = Fellowship(stream(seed, "clubs"), has_hosts)
        self.shared_hands = SharedHands(stream(seed, "shared hands"), Fault.LEDGER in chosen)
        self.curiosity = Curiosity(stream(seed, "curiosity"), Fault.LEDGER in chosen)
        self._links = stream(seed, "outer wallets")
        self._wallet_bytes = SeededBytes(seed, "ids of the wallet")
        self.wallet: OuterWallet | None = None
        if game.may_have_wallet and self._links.random() < RUNS_WALLETS:
            moved = self.referee.wallet.moved
            self.wallet = OuterWallet(self.clock, self.dice, stream(seed, "outer wallet"), moved)
        self._wire = hashlib.sha256()
        self.transcript_done = False
        self._connections: dict[int, Connection] = {}
        self._connection_count = 0
        self._crash_at_step = 0
        self._frozen_since: float | None = None
        self.process: RoomProcess | None = None
        self.people = [self._client(client) for client in plan.people]

    # --- people -----------------------------------------------------------------------------------------------

    def _client(self, plan: ClientPlan) -> SimulatedClient:
        accounts = [self._account(account, plan) for account in plan.accounts]
        draw = stream(self.seed, f"{self._game.client_stream}:{accounts[0].name}")
        return self._game.client(self, plan, accounts, draw)

    def _account(self, plan: AccountPlan, owner: ClientPlan) -> ClientAccount:
        """Open an account with a session, unless the client is to open it. Only a switcher needs the password."""
        account = ClientAccount(
            name=plan.name, password=plan.password, token=None, known=plan.wallet is not None
        )
        if plan.wallet is not None:
            password_hash = _HASHER.hash(plan.password) if ClientHabit.SWITCHER in owner.habits else "-"
            account.token = hashlib.sha256(f"{self.seed}:{plan.name}".encode()).hexdigest()
            outer = self.wallet if self._links.random() < LINKED else None
            held = plan.wallet if outer is None else 0
            row = answer_of(self.ledger.create_account(plan.name, password_hash, Money(held)))
            answer_of(self.ledger.open_session(row.account, hashlib.sha256(account.token.encode()).digest()))
            self.referee.account_opened(row.account, held)
            if outer is not None:
                self._link(outer, row.account, plan)
        return account

    def _link(self, outer: OuterWallet, account: int, plan: AccountPlan) -> None:
        """The account has its money at the operator's server, and nothing in the room."""
        assert plan.wallet is not None
        player = f"w-{plan.name}"
        outer.has(player, plan.wallet)
        answer_of(self.ledger.link_wallet(account, player, by=THE_ROOM))
        self.referee.wallet.opened(account, player, plan.wallet)

    def _wallet_moved(self) -> None:
        """See `FaultyLedger`."""
        if self.wallet is not None:
            self.referee.wallet.look(*self._wallet_rows())

    def _wallet_rows(self) -> tuple[list[WalletRow], dict[int, int]]:
        """All transfers, and what linked accounts hold."""
        asked = self.ledger.wallet_transfers(None, waiting=False, before=None, limit=sys.maxsize)
        held = {account: answer_of(self.ledger.wallet(account)) for account in self.referee.wallet.linked}
        return answer_of(asked), held

    def connect(self, client: SimulatedClient) -> Connection | None:
        process = self.process
        if process is None or process.listening_since_s is None:
            return None
        self._connection_count += 1
        connection = Connection(
            number=self._connection_count,
            client=client,
            encoding=client.plan.encoding,
            address=client.plan.address,
            world=self.clock,
            process=process.clock,
            referee=self.referee,
            dice=self.dice,
            stream=stream(self.seed, f"connection:{self._connection_count}"),
            buffer_bytes=self.plan.config.limits.outbound_bytes_max,
            heard=self._heard,
        )
        self._connections[connection.number] = connection
        self.referee.opened(connection)
        connection.attach(process.room.sessions.make(connection))
        return connection

    def unlike(self, table: str, viewer: int, lines: Sequence[str]) -> None:
        """See `ClientSurroundings`.

        A frozen table sends no events; it continues with a snapshot for all. A viewer that came meanwhile does not know
        that it is frozen.
        """
        room = None if self.process is None else self.process.room
        here = None if room is None else room.local_tables.get(table)
        if here is None or here.frozen_by is None:
            self.referee.unlike(table, viewer, lines)

    def read(self, body: bytes, encoding: Encoding) -> wire.ServerMessage:
        return self.referee.decoded(body, encoding)[0]

    def _heard(self, direction: bytes, number: int, body: bytes) -> None:
        if self.transcript_done:
            return
        self._wire.update(b"%b %d %d " % (direction, number, int(self.clock.elapsed_s() * 1_000_000)))
        self._wire.update(body)

    def transcript(self) -> str:
        """A hash of every byte that passed between clients and room, in its order and time."""
        return self._wire.hexdigest()

    # --- processes --------------------------------------------------------------------------------------------

    def start_process(self) -> None:
        """A room on what the journal and the ledger hold."""
        clock = ProcessClock(self.clock)
        ledger = FaultyLedger(
            self.ledger,
            clock,
            dice=self.dice,
            stream=self._latencies,
            referee=self.referee,
            wallet_moved=self._wallet_moved,
        )
        wallet = None
        if self.wallet is not None:
            wallet = ProcessWallet(self.wallet, ledger, clock, self._wallet_bytes, leads=self._leads)

        def journal(sealed: Callable[[str], None]) -> FaultyJournal:
            return FaultyJournal(
                self.journal,
                clock,
                self.dice,
                self._latencies,
                sealed=sealed,
                outage=self.referee.outage,
                struck=self.referee.struck,
                crash=self.crash,
            )

        def bus(
            heard: Callable[[str, bytes], None], lost: Callable[[str], None], cut: Callable[[], None]
        ) -> MemoryBus:
            return MemoryBus(MemoryHub(clock), node=node, heard=heard, lost=lost, cut=cut)

        self._processes_count += 1
        node = f"node-{self._processes_count}"
        around = RoomDependencies(
            node=node,
            ledger=cast("WholeLedger", ledger) if wallet is None else wallet.ledger,
            journal=journal,
            directory=MemoryDirectory(self._directory),
            bus=bus,
            registrations=MemoryRegistrations(self._books, self._permits),
            payouts=MemoryPayouts(self._payouts, clock),
            log_in_attempts=MemoryLogInAttempts(self._failures, clock),
            clock=clock,
            now_ms=self.clock.now_ms,
            random_bytes=FaultyBytes(self._random_bytes, self.dice, self.referee.struck),
            seal=self._game.seal(self.referee),
            observer=FaultyObserver(self.dice, self.referee.struck),
            in_thread=partial(_in_thread, clock),
            hasher=_HASHER,
        )
        process = self.process = RoomProcess(room=Room(self.plan.config, around), clock=clock, wallet=wallet)
        self._crash_at_step = self.clock.steps + self._steps_to_crash()
        starting: Deferred[None] = Deferred.fromCoroutine(process.room.start())
        starting.addCallbacks(
            self._listens, self._not_started, callbackArgs=(process,), errbackArgs=(process,)
        )

    def _leads(self) -> bool:
        room = self._listening_room()
        return room is not None and room.membership.leads()

    def _listens(self, _: None, process: RoomProcess) -> None:
        process.listening_since_s = self.clock.rightNow

    def _not_started(self, failure: Failure, process: RoomProcess) -> None:
        if failure.value is not None and not failure.check(LedgerUnavailable):
            self.referee.fault("start", failure.value)
        if process is self.process:
            self.crash()

    def _steps_to_crash(self) -> int:
        return int(self.dice.number(Fault.CRASH, 500, 1_000 + CRASH_STEPS_PER_PERSON * len(self.people)))

    def crash(self) -> None:
        """The process is gone with everything that it had not yet given away; another starts a little later."""
        process, self.process = self.process, None
        if process is None:
            return
        process.clock.kill()
        self.referee.crashed()
        self.referee.outage(self.clock.rightNow + 15)
        self._frozen_since = None
        connections, self._connections = list(self._connections.values()), {}
        for connection in connections:
            connection.process_died()
        self.clock.callLater(self._latencies.uniform(0.5, 5.0), self.start_process)

    # --- the run ----------------------------------------------------------------------------------------------

    def open(self) -> None:
        """The first process starts, people come, and play the hands that are played in any case."""
        referee = self.referee
        self.start_process()
        for client in self.people:
            client.come()
        if self.plan.operated:
            draw = stream(self.seed, self._game.operator_stream)
            self._game.operator(self.clock, draw, self.dice, self._listening_room, referee).come()
        self.clock.callLater(LOOK_S, self._look)
        self.clock.callLater(AUDIT_S, self._audit_again)
        while referee.settled_count < self.plan.hands_min and not referee.violations:
            self.step()
            if self.clock.elapsed_s() > OPENING_S:
                referee.fault("room", f"{self.plan.hands_min} hands are not played in {OPENING_S:.0f} s")

    def _listening_room(self) -> Room | None:
        process = self.process
        return None if process is None or process.listening_since_s is None else process.room

    def step(self) -> None:
        """The next thing that happens; perhaps a crash before it."""
        if self.clock.steps >= self._crash_at_step and self.process is not None:
            self._crash_at_step = self.clock.steps + self._steps_to_crash()
            if self.dice.strikes(Fault.CRASH, 1):
                self.crash()
        self.clock.step()
        if self.dice.quiet and self.process is not None:
            self._game.stopping(self.referee, self.process.room, self.ledger)

    def _look(self) -> None:
        self.clock.callLater(LOOK_S, self._look)
        self.referee.look()
        for number, connection in list(self._connections.items()):
            if connection.ended:
                del self._connections[number]
        if not self.referee.frozen:
            self._frozen_since = None
        elif self._frozen_since is None:
            self._frozen_since = self.clock.rightNow
        elif self.clock.rightNow - self._frozen_since > RESTART_S:
            self.crash()

    def _audit_again(self) -> None:
        self.clock.callLater(AUDIT_S, self._audit_again)
        self.audit()

    def stop(self) -> None:
        """The room goes down in good order; what passes from now on is not part of the transcript."""
        self.transcript_done = True
        assert self.process is not None
        self.process.listening_since_s = None
        self.process.room.stop()
        if self.process.wallet is not None:
            self.process.wallet.stop()

    def wallet_waits(self) -> bool:
        """Whether something is on its way to the operator's server, or has to go there."""
        rows, held = self._wallet_rows()
        return any(row.state == "asked" for row in rows) or any(held.values())

    def retry_wallet(self) -> None:
        """The operator lets what waits for the server be sent at once."""
        answer_of(self.ledger.retry_wallet_transfers(None, by=THE_ROOM))

    def stopped(self) -> None:
        """Nothing may be left on the clock of a room that has stopped."""
        assert self.process is not None
        left = self.process.clock.getDelayedCalls()
        if left:
            kinds = sorted({getattr(call.args[0], "__qualname__", "?") for call in left})
            self.referee.fault("stop", f"{len(left)} timers are left: {', '.join(kinds)}")

    def audit(self) -> None:
        """Looks at the whole ledger."""
        self._wallet_moved()
        self._game.audit(self.referee, self.ledger)

    def finished(self) -> None:
        """Nothing may be left open."""
        if self.wallet is not None:
            self.referee.wallet.finished(*self._wallet_rows())
        self.referee.finished()


def _in_thread(clock: ProcessClock, work: Callable[..., Any], *args: Any) -> Deferred[Any]:
    """A thread that takes `HASHING_S`."""
    done: Deferred[Any] = Deferred()
    clock.callLater(HASHING_S, lambda: done.callback(work(*args)))
    return done
