"""A bot in a tournament: it plays to its end, and leaves, sleeps or vanishes as its absence has it."""

from __future__ import annotations

import asyncio

import pytest

from pokerroom.bots.absence_plan import Absence, AbsencePlan
from pokerroom.bots.connection import BotConnectionLost
from pokerroom.bots.policy import Policy
from pokerroom.bots.sng_player import SngBotPlayer, SngOutcome
from pokerroom.bots.stay import StayContext
from pokerroom.bots.tally import SwarmTally, TableWatch
from pokerroom_protocol import Code
from pokerroom_protocol import messages as m
from tests.bots.support import HAND, INFO, TABLE, Bench, PaperLink, on_a_loop, settle

LEVEL = m.LevelView(level=1, small_blind=25, big_blind=50)


class SngBench(Bench):
    """A player in seat 2 of a tournament, with 4,000 chips."""

    def __init__(self, kind: Absence = Absence.STAYS, hands: int = 0) -> None:
        self.link = PaperLink()
        self.tally = SwarmTally()
        self.watch = TableWatch(TABLE)
        self.seq = 10
        self.player = SngBotPlayer(
            StayContext(
                link=self.link,
                table=TABLE,
                watch=self.watch,
                tally=self.tally,
                delay_s=lambda: 0.0,
                came_back_at=None,
            ),
            Policy(1),
            AbsencePlan(kind=kind, hands=hands, away_s=0.01, unregisters=False),
        )

    def tournament(self, *, seat: int | None = 2, phase: str = "running", **deals) -> None:
        own = m.SeatView(seat=2, name="me", stack=4_000, status="playing", connected=True)
        self.says(
            m.Snapshot(
                table=TABLE,
                seq=self.seq,
                info=INFO,
                seats=[own] if seat else [],
                hand=None,
                your_seat=seat,
                tournament=m.TournamentView(phase=phase, seats=6, prizes=[1_440], level=LEVEL, **deals),
            )
        )

    def placed(self, seat: int = 2, prize: int = 0) -> None:
        self.event(m.PlayerPlaced, seat=seat, name="me", number=2, place=2, prize=prize)

    def outcome(self) -> asyncio.Task[SngOutcome]:
        return asyncio.ensure_future(self.player.outcome())


@on_a_loop
async def test_it_plays_until_it_is_placed():
    """Turns are answered; others' places change nothing, its own ends the stay with what it has won."""
    bench = SngBench()
    bench.tournament()
    outcome = bench.outcome()
    bench.hand_started()
    bench.turn()
    assert len(bench.sent(m.Act)) == 1
    bench.hand_ended()
    bench.placed(seat=5)
    await settle()
    assert not outcome.done()
    bench.placed(prize=440)
    assert await outcome is SngOutcome.OUT
    assert (bench.tally.seated, bench.tally.hands) == (0, 1)


@on_a_loop
async def test_the_end_of_the_tournament_is_its_end():
    """As an event, and in a snapshot that comes later."""
    for later in (False, True):
        bench = SngBench()
        bench.tournament()
        outcome = bench.outcome()
        if later:
            bench.tournament(seat=None, phase="finished")
        else:
            bench.event(m.TournamentEnded, phase="rolled_forward")
        assert await outcome is SngOutcome.OVER


@on_a_loop
async def test_a_client_that_comes_back_without_a_seat_is_out():
    """The bot got its place while it was disconnected; the others play on."""
    bench = SngBench()
    bench.tournament(seat=None)
    assert await bench.outcome() is SngOutcome.OUT


@on_a_loop
async def test_it_goes_in_the_middle_of_a_hand():
    """After as many hands as its absence says, once; it comes back soon, or when it is out."""
    for kind in (Absence.DROPS, Absence.VANISHES):
        bench = SngBench(kind, hands=1)
        bench.tournament()
        outcome = bench.outcome()
        bench.hand_started()
        bench.hand_ended()
        await settle()
        assert not outcome.done()
        bench.hand_started()
        assert await outcome is SngOutcome.GONE
        assert bench.player.absence_done


@on_a_loop
async def test_h5_it_leaves_and_returns():
    """It says that it goes, and a while later that it is back."""
    bench = SngBench(Absence.LEAVES)
    bench.tournament()
    bench.hand_started()
    await asyncio.sleep(0.05)
    assert [type(request) for request in bench.link.sent] == [m.SitOut, m.SitIn]
    assert bench.tally.left == 1
    bench.hand_ended()
    bench.hand_started()
    await asyncio.sleep(0.03)
    assert len(bench.link.sent) == 2


@on_a_loop
async def test_h5_it_lets_the_clock_decide_once_and_says_that_it_is_back():
    """Its turn is not answered; told that it is away it returns, and answers the next."""
    bench = SngBench(Absence.SLEEPS)
    bench.tournament()
    bench.hand_started()
    bench.turn()
    assert bench.sent(m.Act) == []
    bench.acted(by_clock=True)
    bench.changed(4_000, "away")
    bench.changed(4_000, "away")
    await settle()
    assert [type(request) for request in bench.link.sent] == [m.SitIn]
    assert bench.tally.timeouts == 1
    bench.turn()
    assert len(bench.sent(m.Act)) == 1


@on_a_loop
async def test_a_wish_that_crossed_is_a_race_and_another_refusal_an_error():
    """A request that the table has fulfilled already is no error."""
    bench = SngBench(Absence.LEAVES)
    bench.link.ready = [Code.TOURNAMENT_TABLE, Code.ALREADY_PLAYING]
    bench.tournament()
    bench.hand_started()
    await asyncio.sleep(0.05)
    assert dict(bench.tally.errors) == {Code.TOURNAMENT_TABLE: 1}
    assert dict(bench.tally.races) == {Code.ALREADY_PLAYING: 1}


@on_a_loop
async def test_a_lost_connection_is_told():
    """Another connection continues from there."""
    bench = SngBench()
    bench.tournament()
    bench.player.link_lost()
    with pytest.raises(BotConnectionLost):
        await bench.player.outcome()
    bench.player.close()
    assert bench.tally.seated == 0


@on_a_loop
async def test_a_hand_that_it_is_not_in_is_none_of_its_own():
    """Its absence counts the hands that it is dealt in."""
    bench = SngBench(Absence.DROPS, hands=0)
    bench.tournament()
    outcome = bench.outcome()
    seats = [m.HandSeat(seat=5, name="you", stack=4_000), m.HandSeat(seat=6, name="other", stack=4_000)]
    bench.event(m.HandStarted, hand_id=HAND, button=5, small_blind=5, big_blind=6, seats=seats)
    await settle()
    assert not outcome.done()
    outcome.cancel()
