"""A bot's player under test: a connection that records requests, and a table with numbered events."""

from __future__ import annotations

import asyncio

from pokerroom.bots.cash_player import CashPlayer
from pokerroom.bots.connection import BotConnectionLost
from pokerroom.bots.policy import Policy
from pokerroom.bots.stay import StayContext
from pokerroom.bots.tally import SwarmTally, TableWatch
from pokerroom_protocol import Encoding, decode_map, encode
from pokerroom_protocol import messages as m

TABLE = "t"
HAND = "h1"
INFO = m.TableInfo(
    table=TABLE,
    name="Test",
    game="holdem",
    structure="no_limit",
    small_blind=50,
    big_blind=100,
    min_buy_in=2_000,
    max_buy_in=10_000,
    seats=6,
    occupied=2,
    players=2,
)


class PaperLink:
    """Writes down what is sent, and answers what is asked with what was laid ready (else `ok`)."""

    def __init__(self) -> None:
        self.sent = []
        self.ready = []
        self._last = 0

    def number(self) -> int:
        self._last += 1
        return self._last

    def send(self, message) -> None:
        self.sent.append(message)

    async def ask(self, message):
        self.sent.append(message)
        answer = self.ready.pop(0) if self.ready else None
        if answer == "lost":
            raise BotConnectionLost("gone")
        return m.Ok(re=message.id) if answer is None else m.Error(re=message.id, code=answer, message="x")


class Bench:
    """A player in seat 2 with 4,000 chips; the table's events count from 11."""

    def __init__(
        self, *, wallet: int = 50_000, came_back_at: float | None = None, delay_s: float = 0.0
    ) -> None:
        self.link = PaperLink()
        self.tally = SwarmTally()
        self.watch = TableWatch(TABLE)
        self.seq = 10
        self.player = CashPlayer(
            StayContext(
                link=self.link,
                table=TABLE,
                watch=self.watch,
                tally=self.tally,
                delay_s=lambda: delay_s,
                came_back_at=came_back_at,
            ),
            Policy(1),
            buy_in=4_000,
            wallet=wallet,
        )

    def says(self, message) -> None:
        body = encode(message, Encoding.MSGPACK)
        self.player.on_message(decode_map(body, Encoding.MSGPACK), body)

    def snapshot(
        self, *, stack: int = 4_000, status: str = "playing", hand=None, seat: int | None = 2
    ) -> None:
        seats = [
            m.SeatView(
                seat=2, name="me", stack=stack, status=status, connected=True, in_hand=hand is not None
            )
        ]
        self.says(
            m.Snapshot(
                table=TABLE,
                seq=self.seq,
                info=INFO,
                seats=seats if seat else [],
                hand=hand,
                your_seat=seat,
            )
        )

    def event(self, message_class, **fields) -> None:
        self.seq += 1
        self.says(message_class(table=TABLE, seq=self.seq, **fields))

    def hand_started(self, stack: int = 4_000, seat: int = 2) -> None:
        seats = [m.HandSeat(seat=seat, name="me", stack=stack), m.HandSeat(seat=5, name="you", stack=4_000)]
        self.event(m.HandStarted, hand_id=HAND, button=2, small_blind=2, big_blind=5, seats=seats)

    def turn(self, seat: int = 2) -> None:
        self.event(
            m.Turn,
            hand_id=HAND,
            seat=seat,
            check=False,
            call_amount=50,
            min_raise_to=200,
            max_raise_to=4_000,
            countdown_ms=1,
            deadline_ms=2,
        )

    def acted(self, seat: int = 2, *, by_clock: bool = False) -> None:
        self.event(
            m.Acted,
            hand_id=HAND,
            seat=seat,
            action="call",
            added=50,
            bet=100,
            stack=3_900,
            all_in=False,
            by_clock=by_clock,
        )

    def hand_ended(self, stack: int = 4_000) -> None:
        stacks = [m.HandSeat(seat=2, name="me", stack=stack), m.HandSeat(seat=5, name="you", stack=4_000)]
        self.event(m.HandEnded, hand_id=HAND, stacks=stacks)

    def changed(self, stack: int, status: str = "playing") -> None:
        self.event(m.SeatChanged, seat=2, stack=stack, status=status, connected=True)

    def refused(self, code: str) -> None:
        self.says(m.Error(re=self.link.sent[-1].id, code=code, message="x"))

    def sent(self, message_class) -> list:
        return [message for message in self.link.sent if isinstance(message, message_class)]


def on_a_loop(scenario):
    """Runs a test that is a coroutine, leaving the event loop of other tests alone."""

    def test():
        with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
            runner.run(scenario())

    test.__name__, test.__doc__ = scenario.__name__, scenario.__doc__
    return test


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)
