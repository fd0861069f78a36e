"""A bot's play against the house, on a bench: a link that only writes down, and events numbered by hand."""

from __future__ import annotations

import asyncio

from pokerroom.bots.connection import BotConnectionLost
from pokerroom.bots.stay import StayContext
from pokerroom.bots.tally import SwarmTally, TableWatch
from pokerroom.bots.ultimate_habits import HabitShares, UltimateHabits
from pokerroom.bots.ultimate_player import UltimateBotPlayer
from pokerroom_protocol import Encoding, decode_map, encode
from pokerroom_protocol import messages as m
from tests.bots.support import PaperLink, on_a_loop
from tests.bots.test_ultimate_swarm import info, live

QUIET = HabitShares(sleeps=0, vanishes=0, extra_boxes=0)
ROUND = "r1"


class WatchedTable:
    """A player in box 2; the table's events count from 11."""

    def __init__(self, *, shares: HabitShares = QUIET, seed: int = 1, common: bool = False) -> None:
        self.link, self.tally, self.seq = PaperLink(), SwarmTally(), 10
        self.watch = TableWatch("u1")
        self.vanished = 0
        self.info = live("u1") if common else info()
        self.player = UltimateBotPlayer(
            StayContext(
                link=self.link,
                table="u1",
                watch=self.watch,
                tally=self.tally,
                delay_s=lambda: 0.0,
                came_back_at=None,
            ),
            name="me",
            habits=UltimateHabits(seed, shares),
            counts_rounds=True,
            vanish=self._vanish,
        )

    def _vanish(self) -> None:
        self.vanished += 1

    def says(self, message) -> None:
        body = encode(message, Encoding.MSGPACK)
        self.player.on_message(decode_map(body, Encoding.MSGPACK), body)

    def snapshot(self, *, light="red", round_=None, box=2, slip=None) -> None:
        self.says(
            m.UltimateSnapshot(
                table="u1",
                seq=self.seq,
                info=self.info,
                places=[m.PlaceView(box=2, name="me", connected=True)] if box else [],
                light=m.LightView(light=light, closes_ms=None),
                round=round_,
                your_box=box,
                your_slip=slip,
            )
        )

    def event(self, kind, **fields) -> None:
        self.seq += 1
        self.says(kind(table="u1", seq=self.seq, **fields))

    def started(self, *boxes: int, name="me") -> None:
        bets = [m.BoxBetsView(box=box, name=name, ante=100) for box in boxes or (2,)]
        self.event(m.RoundStarted, round_id=ROUND, boxes=bets)

    def dealt(self, cards="As Kd", box=2) -> None:
        self.event(m.HandsDealt, round_id=ROUND, hands=[m.BoxCards(box=box, cards=cards.split())])

    def asks(self, *boxes: int, check=True) -> int:
        self.event(
            m.Decisions,
            round_id=ROUND,
            boxes=list(boxes or (2,)),
            check=check,
            fold=not check,
            multiples=[4, 3] if check else [1],
            deadline_ms=5,
        )
        return self.seq

    def decided(self, *, box=2, automatic=False) -> None:
        self.event(m.Decided, round_id=ROUND, box=box, decision="check", automatic=automatic)

    def board(self, cards: str, street="flop") -> None:
        self.event(m.BoardDealt, round_id=ROUND, street=street, cards=cards.split())

    def ended(self, round_id=ROUND) -> None:
        self.event(m.RoundEnded, round_id=round_id, boxes=[])

    def waits_at_most(self, seconds: float) -> None:
        """What the player would do later, within so many seconds, happens now."""
        for timer in list(self.player._timers):  # private: the test does not wait
            assert timer.when() <= asyncio.get_running_loop().time() + seconds
            timer._run()  # private: of asyncio, for the same reason

    def sent(self, kind) -> list:
        return [message for message in self.link.sent if isinstance(message, kind)]

    def answers(self, code: str | None = None) -> None:
        number = self.link.sent[-1].id
        self.says(m.Ok(re=number) if code is None else m.Error(re=number, code=code, message="x"))


@on_a_loop
async def test_it_bets_once_while_the_light_is_green():
    """Told twice that it is open, it has bet; the next round's betting is another one."""
    table = WatchedTable()
    table.snapshot(light="green")
    table.event(m.LightChanged, light="yellow", closes_ms=9)
    first = len(table.sent(m.PlaceBet))
    assert table.sent(m.PlaceBet)[0].bet == "ante"
    assert len({message.id for message in table.link.sent}) == len(table.link.sent)
    table.event(m.LightChanged, light="red", closes_ms=None)
    table.started()
    table.ended()
    table.event(m.LightChanged, light="green", closes_ms=None)
    assert len(table.link.sent) > first
    assert table.tally.bets == len(table.link.sent)


@on_a_loop
async def test_it_decides_by_its_own_cards_and_the_board():
    """Four Antes with ace king; with nothing it checks, checks, and folds."""
    table = WatchedTable()
    table.snapshot()
    table.started()
    table.dealt("As Kd")
    seq = table.asks()
    [decide] = table.sent(m.Decide)
    assert (decide.seq, decide.box, decide.decision, decide.multiple) == (seq, 2, "play", 4)
    table.ended()

    table.started()
    table.dealt("2c 7d")
    table.asks()
    table.decided()
    table.board("As Kd 9h")
    table.asks()
    table.decided()
    table.board("Jc 4s", "river")
    table.asks(check=False)
    assert [message.decision for message in table.sent(m.Decide)[1:]] == ["check", "check", "fold"]


@on_a_loop
async def test_a_common_hand_is_every_clients():
    """Its cards come without a box."""
    table = WatchedTable(common=True)
    table.snapshot()
    table.started()
    table.dealt("As Kd", box=None)
    table.asks()
    assert [message.multiple for message in table.sent(m.Decide)] == [4]


@on_a_loop
async def test_a_question_told_again_is_answered_once_and_others_are_not_its_own():
    """Another deadline of the same street; boxes of other players."""
    table = WatchedTable()
    table.snapshot()
    table.started(2)
    table.dealt()
    table.asks(2, 5)
    table.asks(2, 5)
    assert [message.box for message in table.sent(m.Decide)] == [2]
    table.ended()
    table.started(5, name="you")
    table.asks(5)
    assert len(table.sent(m.Decide)) == 1


@on_a_loop
async def test_an_answer_is_timed_and_what_the_clock_does_is_counted():
    """`ok` ends the measurement."""
    table = WatchedTable()
    table.snapshot()
    table.started()
    table.dealt()
    table.asks()
    table.answers()
    assert table.tally.actions == 1
    table.decided(automatic=True)
    assert table.tally.timeouts == 1


@on_a_loop
async def test_a_client_that_sleeps_says_nothing():
    """The clock decides."""
    table = WatchedTable(shares=HabitShares(sleeps=1000, vanishes=0, extra_boxes=0))
    table.snapshot()
    table.started()
    table.dealt()
    table.asks()
    assert table.sent(m.Decide) == []


@on_a_loop
async def test_a_refusal_at_once_is_an_error_and_a_late_one_a_race():
    """A decision that crossed with the clock is no error."""
    table = WatchedTable()
    table.snapshot()
    table.started()
    table.dealt()
    table.asks()
    table.answers("stale_seq")
    assert table.tally.errors == {"stale_seq": 1}
    table.ended()
    table.started()
    table.dealt()
    table.asks()
    table.decided(automatic=True)
    table.answers("decided_already")
    assert table.tally.races == {"decided_already": 1}


@on_a_loop
async def test_a_play_that_cannot_be_paid_becomes_a_check_or_a_fold():
    """A check before the river, a fold on it."""
    table = WatchedTable()
    table.snapshot()
    table.started()
    table.dealt("As Kd")
    table.asks()
    table.answers("insufficient_balance")
    table.decided()
    table.board("Ac 7h 2d 9s 3c", "river")
    table.asks(check=False)
    table.answers("insufficient_balance")
    assert [message.decision for message in table.sent(m.Decide)] == ["play", "check", "play", "fold"]
    assert table.tally.races == {"insufficient_balance": 2}


@on_a_loop
async def test_refused_bets_are_counted_by_their_codes():
    """At the close, and when they are placed: what cannot be explained is an error."""
    table = WatchedTable()
    table.snapshot(light="green")
    table.says(m.Error(re=table.sent(m.PlaceBet)[0].id, code="no_such_bet", message="x"))
    assert table.tally.errors == {"no_such_bet": 1}
    table.event(m.BetsRefused, refused=[m.RefusedBet(box=2, bet="trips", amount=1, code="below_minimum")])
    assert table.tally.refused == {"below_minimum": 1}


@on_a_loop
async def test_a_gap_is_healed_and_the_round_goes_on():
    """By a snapshot, which has the question and what it may see."""
    table = WatchedTable()
    table.snapshot()
    table.seq += 1
    table.started()
    assert len(table.sent(m.GetSnapshot)) == table.tally.gaps == 1
    table.asks()
    assert len(table.sent(m.GetSnapshot)) == 1
    view = m.RoundView(
        round_id=ROUND,
        street="preflop",
        boxes=[m.BoxBetsView(box=2, name="me", ante=100), m.BoxBetsView(box=5, name="you", ante=100)],
        hands=[m.BoxCards(box=2, cards=["As", "Kd"])],
        decisions=m.DecisionsView(
            seq=table.seq, boxes=[2, 5], check=True, fold=False, multiples=[4, 3], deadline_ms=9
        ),
    )
    table.snapshot(round_=view)
    assert [(message.box, message.multiple) for message in table.sent(m.Decide)] == [(2, 4)]


@on_a_loop
async def test_rounds_are_counted_once_and_it_leaves_between_them():
    """The first bot to see the end counts the round; a stopping bot stands up after its round."""
    table = WatchedTable()
    table.snapshot()
    table.started()
    table.player.stop()
    assert table.sent(m.StandUp) == []
    table.ended()
    table.watch.hand_ended("r0")
    assert table.tally.hands == 1
    [stand_up] = table.sent(m.StandUp)
    assert stand_up.table == "u1"
    table.event(m.PlaceLeft, box=2, name="me")
    await table.player.outcome()
    assert table.tally.seated == 0


@on_a_loop
async def test_it_stands_up_again_if_the_room_could_not_or_the_table_has_another_owner():
    """Else it would wait for ever: what is not stored did not happen."""
    table = WatchedTable()
    table.snapshot()
    table.player.stop()
    table.answers("unavailable")
    assert len(table.sent(m.StandUp)) == 1
    table.waits_at_most(1.0)
    assert len(table.sent(m.StandUp)) == 2
    table.answers()
    table.snapshot()
    assert len(table.sent(m.StandUp)) == 3
    table.snapshot(box=None)
    await table.player.outcome()
    assert table.tally.errors == {}


@on_a_loop
async def test_one_vanishes_in_the_middle_of_a_round():
    """After a while of it; a connection that is gone ends its stay."""
    table = WatchedTable(shares=HabitShares(sleeps=0, vanishes=1000, extra_boxes=0), seed=3)
    table.snapshot()
    table.started()
    table.waits_at_most(2.0)
    assert (table.vanished, table.tally.vanished) == (1, 1)
    table.player.link_lost()
    table.player.close()
    try:
        await table.player.outcome()
    except BotConnectionLost:
        return
    raise AssertionError("its stay went on")
