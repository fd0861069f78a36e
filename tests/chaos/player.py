"""One player of the swarm: keeps a seat and plays, whatever happens to the room, and tells what it hears.

It comes back after any loss with `resume`, at any node; a decision whose answer was lost is sent again as it was. It
does not help a table that has fallen silent: only after `POKE_S` without a word it asks for a snapshot, which is
counted.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from pokerroom.bots.policy import Options, Policy
from pokerroom_protocol import Code
from pokerroom_protocol import messages as m
from tests.chaos.evidence import Evidence
from tests.chaos.reading import Heard, Reader
from tests.chaos.wire import Lost, Unanswered, Wire

POKE_S: Final = 25.0
AGAIN_S: Final = 0.2
BACK_S_MIN: Final = 0.05
BACK_S_MAX: Final = 0.5
BUY_IN: Final = 6000

# A decision that comes too late, after a fault or the clock: the turn is another's by now.
_TOO_LATE: Final = frozenset(
    {Code.STALE_SEQ, Code.NOT_YOUR_TURN, Code.NO_HAND, Code.WRONG_HAND, Code.NOT_IN_HAND}
)
_LATER: Final = frozenset(
    {Code.UNAVAILABLE, Code.TABLE_FROZEN, Code.RATE_LIMITED, Code.SHUTTING_DOWN, Code.REQUEST_PENDING}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What all clients share. `ports` are those of all nodes, running or not."""

    evidence: Evidence
    reader: Reader
    ports: Sequence[int]
    think_s: float
    random: random.Random


class Player:
    """See the module."""

    def __init__(self, around: Around, name: str, table: str, seed: int) -> None:
        self.name = name
        self.table = table
        self.port = 0
        self._around = around
        self._evidence = around.evidence
        self._policy = Policy(seed)
        self._token = ""
        self._wire: Wire | None = None
        self._seat: int | None = None
        self._last_seq: int | None = None
        self.heard_at = 0.0
        self._turn: tuple[str, int] | None = None
        """Hand and number of the turn that is this player's."""
        self._decision: m.Act | None = None
        self._acts: dict[int, m.Act] = {}
        self._rest = False
        self._wanted: set[str] = set()
        self._gone = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self.stack: int | None = None
        self.hand_seen: str | None = None

    @property
    def connected(self) -> bool:
        """Whether it has a connection that is authenticated and follows its table."""
        return self._wire is not None and self._last_seq is not None and not self._wire.ended

    def drop(self) -> None:
        """Loses the connection; comes back by itself."""
        if self._wire is not None:
            self._wire.abort()

    def send_to_table(self, make: Callable[[int], m.Request]) -> None:
        """A message of no use, as part of a flood; `make` gets its number."""
        if self._wire is not None and self.connected:
            self._wire.send(make(self._wire.number()))  # type: ignore[arg-type]  # one of the requests

    def rest(self) -> None:
        """Sits out: the table is to come to rest."""
        self._rest = True
        self._soon(self._sit_out)

    async def look_again(self) -> None:
        """Asks for a snapshot of the table; no matter if it does not come."""
        if self._wire is not None and self.connected:
            with contextlib.suppress(Lost):
                await self._wire.ask(m.GetSnapshot(id=self._wire.number(), table=self.table))

    async def run(self) -> None:
        """Lives until it is cancelled."""
        pause = BACK_S_MIN
        try:
            while True:
                try:
                    await self._live()
                    pause = BACK_S_MIN
                except Unanswered:
                    self._evidence.counts["unanswered"] += 1
                except (Lost, OSError):
                    pass
                self._leave()
                await asyncio.sleep(pause * (0.5 + self._around.random.random()))
                pause = min(BACK_S_MAX, 2 * pause)
        finally:
            self._leave()

    def _leave(self) -> None:
        wire, self._wire = self._wire, None
        self._last_seq = None
        self._turn = None
        self._acts.clear()
        self._wanted.clear()
        for task in list(self._tasks):
            task.cancel()
        if wire is not None:
            wire.abort()

    # --- connection and seat ----------------------------------------------------------------------------------

    async def _live(self) -> None:
        self._gone = gone = asyncio.Event()
        wire = Wire(self._around.reader, lambda heard: self._heard(wire, heard), gone.set)
        self._wire = wire
        self.port = self._around.random.choice(self._around.ports)
        await wire.open(self.port)
        await self._log_in(wire)
        await self._take_seat(wire)
        self.heard_at = asyncio.get_running_loop().time()
        while not gone.is_set():
            try:
                async with asyncio.timeout(1):
                    await gone.wait()
            except TimeoutError:
                await self._look(wire)
        raise Lost("gone")

    async def _log_in(self, wire: Wire) -> None:
        while True:
            if self._token:
                answer = await wire.ask(m.Resume(id=wire.number(), token=self._token))
            else:
                answer = await wire.ask(
                    m.Register(id=wire.number(), name=self.name, password="correct horse")
                )
                if isinstance(answer, m.Error) and answer.code == Code.NAME_TAKEN:  # the answer was lost
                    answer = await wire.ask(
                        m.LogIn(id=wire.number(), name=self.name, password="correct horse")
                    )
            if isinstance(answer, m.Authenticated):
                self._token = answer.token
                return
            await self._again(answer)

    async def _take_seat(self, wire: Wire) -> None:
        while True:
            answer = await wire.ask(m.Observe(id=wire.number(), table=self.table))
            if isinstance(answer, m.Snapshot) and answer.your_seat is None and not self._rest:
                sit = m.SitDown(id=wire.number(), table=self.table, buy_in=BUY_IN, seat=None, post=True)
                answer = await wire.ask(sit)
                if isinstance(answer, m.Error) and answer.code in {Code.ALREADY_SEATED, Code.SEAT_TAKEN}:
                    continue
            if isinstance(answer, m.Snapshot):
                return
            await self._again(answer)

    async def _again(self, answer: m.ServerMessage) -> None:
        code = answer.code if isinstance(answer, m.Error) else type(answer).__name__
        self._evidence.counts[f"again_{code}"] += 1
        await asyncio.sleep(AGAIN_S)

    async def _look(self, wire: Wire) -> None:
        """Once a second: whether there is something to ask."""
        now = asyncio.get_running_loop().time()
        if now - self.heard_at > POKE_S and not self._rest:
            self._evidence.counts["pokes"] += 1
            self.heard_at = now
            await wire.ask(m.GetSnapshot(id=wire.number(), table=self.table))
        if self._decision is not None and self._turn == (self._decision.hand_id, self._decision.seq):
            self._send_decision(self._turn)  # its answer has not come

    # --- what is heard ----------------------------------------------------------------------------------------

    def _heard(self, wire: Wire, heard: Heard) -> None:
        if wire is not self._wire:
            return
        message = heard.message
        of_table = getattr(message, "table", None) == self.table
        self._evidence.heard(self.name, heard, self._last_seq if of_table else None)
        if isinstance(message, m.Goodbye):
            self._evidence.counts[f"goodbye_{message.code}"] += 1
        if isinstance(message, m.Ok | m.Error) and message.re in self._acts:
            self._answered(self._acts.pop(message.re), message)
        if not of_table:
            return
        self.heard_at = asyncio.get_running_loop().time()
        if isinstance(message, m.Snapshot):
            self._last_seq = message.seq
            self._snapshot(message)
        elif isinstance(message, m.Event):
            gap = self._last_seq is not None and message.seq > self._last_seq + 1
            self._last_seq = message.seq
            if gap:
                wire.send(m.GetSnapshot(id=wire.number(), table=self.table))
            self._event(message)

    def _snapshot(self, snapshot: m.Snapshot) -> None:
        self._seat = snapshot.your_seat
        self.hand_seen = None if snapshot.hand is None else snapshot.hand.hand_id
        self._turn = None
        mine = next((seat for seat in snapshot.seats if seat.seat == self._seat), None)
        if mine is None:
            if snapshot.re is None and self._wire is not None:
                self._wire.abort()  # the seat is gone: come again
            return
        self.stack = mine.stack
        self._look_at_seat(mine.status, mine.stack, in_hand=mine.in_hand)
        turn = None if snapshot.hand is None else snapshot.hand.turn
        if turn is not None and turn.seat == self._seat and snapshot.hand is not None:
            self._asked(snapshot.hand.hand_id, turn)

    def _event(self, event: m.Event) -> None:
        match event:
            case m.HandStarted():
                self.hand_seen = event.hand_id
            case m.Turn():
                self._turn = None
                if event.seat == self._seat:
                    self._asked(event.hand_id, event)
            case m.Acted() if event.seat == self._seat:
                self.stack = event.stack
                self._turn = None
            case m.SeatChanged() if event.seat == self._seat:
                self.stack = event.stack
                self._look_at_seat(event.status, event.stack, in_hand=False)
            case m.HandEnded():
                self.hand_seen = None
                for seat in event.stacks:
                    if seat.seat == self._seat:
                        self.stack = seat.stack
                        self._look_at_seat("playing", seat.stack, in_hand=False)
            case m.SeatLeft() if event.seat == self._seat:
                assert self._wire is not None
                self._wire.abort()
            case _:
                pass

    # --- seat between hands -----------------------------------------------------------------------------------

    def _look_at_seat(self, status: str, stack: int, *, in_hand: bool) -> None:
        if self._rest:
            if status in {"playing", "waiting"}:
                self._soon(self._sit_out)
            return
        if stack == 0 and not in_hand:
            self._soon(self._top_up)
        elif status == "sitting_out":
            self._soon(self._sit_in)

    def _soon(self, work: Callable[[Wire], asyncio.Future[None] | object]) -> None:
        """Does it once, beside everything else."""
        wire, name = self._wire, getattr(work, "__name__", "")
        if wire is None or name in self._wanted:
            return
        self._wanted.add(name)

        async def do() -> None:
            try:
                await work(wire)  # type: ignore[misc]  # a coroutine function
            except (Lost, OSError):
                pass
            finally:
                self._wanted.discard(name)

        task = asyncio.get_running_loop().create_task(do())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _top_up(self, wire: Wire) -> None:
        await asyncio.sleep(0.05)
        while self.stack == 0 and not wire.ended:
            answer = await wire.ask(m.TopUp(id=wire.number(), table=self.table, amount=BUY_IN))
            if not isinstance(answer, m.Error):
                break
            await self._again(answer)
        await self._sit_in(wire)

    async def _sit_in(self, wire: Wire) -> None:
        while not self._rest:
            answer = await wire.ask(m.SitIn(id=wire.number(), table=self.table, post=True))
            if not isinstance(answer, m.Error) or answer.code not in _LATER | {Code.NO_CHIPS}:
                return
            await self._again(answer)
            if answer.code == Code.NO_CHIPS and self.stack == 0:
                self._soon(self._top_up)
                return

    async def _sit_out(self, wire: Wire) -> None:
        while True:
            answer = await wire.ask(m.SitOut(id=wire.number(), table=self.table))
            if not isinstance(answer, m.Error) or answer.code not in _LATER:
                return
            await self._again(answer)

    # --- decisions --------------------------------------------------------------------------------------------

    def _asked(self, hand_id: str, turn: m.Turn | m.TurnView) -> None:
        self._turn = (hand_id, turn.seq)
        if self._decision is None or (self._decision.hand_id, self._decision.seq) != self._turn:
            options = Options(
                check=turn.check,
                call_amount=turn.call_amount,
                min_raise_to=turn.min_raise_to,
                max_raise_to=turn.max_raise_to,
            )
            decision = self._policy.decide(options)
            self._decision = m.Act(
                id=0,
                table=self.table,
                hand_id=hand_id,
                seq=turn.seq,
                action=decision.action,
                amount=decision.amount,
            )
        think = 2 * self._around.think_s * self._around.random.random()
        asyncio.get_running_loop().call_later(think, self._send_decision, self._turn)

    def _send_decision(self, turn: tuple[str, int]) -> None:
        if self._turn != turn or self._decision is None or self._wire is None or self._wire.ended:
            return
        number = self._wire.number()
        old = self._decision
        act = m.Act(
            id=number, table=old.table, hand_id=old.hand_id, seq=old.seq, action=old.action, amount=old.amount
        )
        self._acts[number] = act
        self._wire.send(act)

    def _answered(self, act: m.Act, answer: m.Ok | m.Error) -> None:
        if isinstance(answer, m.Ok):
            self._evidence.acknowledged(self.name, act)
            if self._decision is not None and (self._decision.hand_id, self._decision.seq) == (
                act.hand_id,
                act.seq,
            ):
                self._decision = None
            return
        self._evidence.counts[f"act_{answer.code}"] += 1
        if answer.code in _LATER:
            asyncio.get_running_loop().call_later(AGAIN_S, self._send_decision, (act.hand_id, act.seq))
        elif answer.code not in _TOO_LATE:
            self._evidence.counts["act_refused"] += 1
