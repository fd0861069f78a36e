"""Arrivals at intended times: their times are not the room's, and every wait counts."""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count, pairwise
from random import Random

import pytest

from tests.bench.arrivals import DRAIN_S, Arrivals, Schedule

PLAYERS, RATE = 40, 200.0
ANSWER_S = 0.002


class FakeRoom:
    """A room in virtual time that answers each action after `ANSWER_S`, and not at all while it stalls."""

    def __init__(
        self, *, stall: tuple[float, float] | None = None, seed: int = 3, measure_s: float = 0.0
    ) -> None:
        self.now_s = 0.0
        self.latencies: list[tuple[float, float]] = []
        """Of each action its intended time and its latency, in seconds."""
        self.answers: list[float] = []
        self._stall = stall
        self._events: list[tuple[float, int, int]] = []
        self._numbers = count()
        self.arrivals = Arrivals(
            Random(seed),
            Schedule(rate=RATE, begin_s=0.0, measure_s=measure_s, end_s=10.0),
            lambda seconds: self.latencies.append((self.now_s - seconds, seconds)),
            self.answers.append,
        )

    def play(self) -> None:
        """From the begin to the end of the stream."""
        for player in range(PLAYERS):
            self._asks(player)
        while not self.arrivals.is_over(self.now_s):
            self.now_s = min(self.arrivals.wakes_s(), *(at for at, _, _ in self._events[:1]), 1e9)
            while self._events and self._events[0][0] <= self.now_s:
                player = heappop(self._events)[2]
                self.arrivals.ended(player, self.now_s)
                self._asks(player)
            self.arrivals.advance(self.now_s)

    def _asks(self, player: int) -> None:
        self.arrivals.is_to_move(player, lambda: self._acts(player), self.now_s)

    def _acts(self, player: int) -> None:
        done_s = self.now_s + ANSWER_S
        if self._stall is not None and self._stall[0] <= done_s < self._stall[1]:
            done_s = self._stall[1]
        heappush(self._events, (done_s, next(self._numbers), player))


def test_a_stall_makes_the_latency_of_later_actions_grow():
    """Every action that was due while the room stood still waits at least until the end of it."""
    room = FakeRoom(stall=(4.0, 5.0))
    room.play()

    stalled = [(due, took) for due, took in room.latencies if 4.0 <= due < 5.0]
    assert len(stalled) > 150
    assert all(took >= 5.0 - due - 1e-9 for due, took in stalled)


def test_the_time_from_sending_hides_what_the_latency_shows():
    """Of the actions of a stall only those under way show it from sending on: one for each player."""
    room = FakeRoom(stall=(4.0, 5.0))
    room.play()

    assert sum(took > 0.1 for took in room.answers) <= PLAYERS
    assert sum(took > 0.1 for _, took in room.latencies) > 4 * PLAYERS


def test_the_times_do_not_depend_on_the_room():
    """A room that stalls is offered the same actions at the same times as one that does not."""
    rooms = FakeRoom(), FakeRoom(stall=(2.0, 9.0))
    for room in rooms:
        room.play()

    quick, slow = (sorted(round(due, 6) for due, _ in room.latencies) for room in rooms)
    assert quick == slow
    assert rooms[0].arrivals.offered == len(quick) == pytest.approx(10 * RATE, rel=0.1)


def test_the_gaps_are_those_of_a_poisson_stream():
    """The gaps are as spread as they are long."""
    room = FakeRoom()
    room.play()
    times = sorted(due for due, _ in room.latencies)
    gaps = [after - before for before, after in pairwise(times)]

    mean = sum(gaps) / len(gaps)
    spread = (sum((gap - mean) ** 2 for gap in gaps) / len(gaps)) ** 0.5
    assert spread / mean == pytest.approx(1.0, abs=0.1)


def test_what_comes_before_the_measured_time_is_not_counted():
    """The warm-up is offered, and in no figure."""
    room = FakeRoom(measure_s=5.0)
    room.play()

    assert min(due for due, _ in room.latencies) >= 5.0
    assert room.arrivals.offered == room.arrivals.done == len(room.latencies)


def test_actions_that_do_not_end_count_with_the_time_they_have_taken():
    """A room that never comes back is not better for it."""
    room = FakeRoom(stall=(4.0, 1e6))
    room.play()
    assert room.now_s == 10.0 + DRAIN_S
    before = len(room.latencies)

    room.arrivals.close(room.now_s)

    unfinished = room.latencies[before:]
    assert room.arrivals.unfinished == len(unfinished) > 1000
    assert room.arrivals.offered == room.arrivals.done + room.arrivals.unfinished
    assert all(took >= DRAIN_S for _, took in unfinished)


def test_a_refused_action_is_counted_as_such():
    """It is neither done nor in the latencies."""
    room = FakeRoom()
    sent: list[str] = []
    room.arrivals.is_to_move("ann", lambda: sent.append("ann"), 0.0)
    room.arrivals.advance(1.0)

    room.arrivals.ended("ann", 1.0, refused=True)

    assert sent == ["ann"]
    assert (room.arrivals.refused, room.arrivals.done, room.latencies) == (1, 0, [])


def test_players_that_have_nothing_to_do_go_on_to_the_next_stream():
    """Those that are to move when a stream ends are told, in their order."""
    room = FakeRoom()
    for name in ("ann", "bob"):
        room.arrivals.is_to_move(name, lambda: None, 0.0)

    assert [player for player, _ in room.arrivals.close(0.0)] == ["ann", "bob"]
