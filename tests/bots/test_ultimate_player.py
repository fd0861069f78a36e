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


class Felt:
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

    def sent(self, kind) -> list:
        return [message for message in self.link.sent if isinstance(message, kind)]

    def answers(self, code: str | None = None) -> None:
        number = self.link.sent[-1].id
        self.says(m.Ok(re=number) if code is None else m.Error(re=number, code=code, message="x"))


@on_a_loop
async def test_it_bets_once_while_the_light_is_green():
    """Told twice that it is open, it has bet; the next round's betting is another one."""
    felt = Felt()
    felt.snapshot(light="green")
    felt.event(m.LightChanged, light="yellow", closes_ms=9)
    first = len(felt.sent(m.PlaceBet))
    assert felt.sent(m.PlaceBet)[0].bet == "ante"
    assert len({message.id for message in felt.link.sent}) == len(felt.link.sent)
    felt.event(m.LightChanged, light="red", closes_ms=None)
    felt.started()
    felt.ended()
    felt.event(m.LightChanged, light="green", closes_ms=None)
    assert len(felt.link.sent) > first
    assert felt.tally.bets == len(felt.link.sent)


@on_a_loop
async def test_it_decides_by_its_own_cards_and_the_board():
    """Four Antes with ace king; with nothing it checks, checks, and folds."""
    felt = Felt()
    felt.snapshot()
    felt.started()
    felt.dealt("As Kd")
    seq = felt.asks()
    [decide] = felt.sent(m.Decide)
    assert (decide.seq, decide.box, decide.decision, decide.multiple) == (seq, 2, "play", 4)
    felt.ended()

    felt.started()
    felt.dealt("2c 7d")
    felt.asks()
    felt.decided()
    felt.board("As Kd 9h")
    felt.asks()
    felt.decided()
    felt.board("Jc 4s", "river")
    felt.asks(check=False)
    assert [message.decision for message in felt.sent(m.Decide)[1:]] == ["check", "check", "fold"]


@on_a_loop
async def test_a_common_hand_is_everybodys():
    """Its cards come without a box."""
    felt = Felt(common=True)
    felt.snapshot()
    felt.started()
    felt.dealt("As Kd", box=None)
    felt.asks()
    assert [message.multiple for message in felt.sent(m.Decide)] == [4]


@on_a_loop
async def test_a_question_told_again_is_answered_once_and_others_are_not_its_own():
    """Another deadline of the same street; boxes of other players."""
    felt = Felt()
    felt.snapshot()
    felt.started(2)
    felt.dealt()
    felt.asks(2, 5)
    felt.asks(2, 5)
    assert [message.box for message in felt.sent(m.Decide)] == [2]
    felt.ended()
    felt.started(5, name="you")
    felt.asks(5)
    assert len(felt.sent(m.Decide)) == 1


@on_a_loop
async def test_an_answer_is_timed_and_what_the_clock_does_is_counted():
    """`ok` ends the measurement."""
    felt = Felt()
    felt.snapshot()
    felt.started()
    felt.dealt()
    felt.asks()
    felt.answers()
    assert felt.tally.actions == 1
    felt.decided(automatic=True)
    assert felt.tally.timeouts == 1


@on_a_loop
async def test_who_sleeps_says_nothing():
    """The clock decides."""
    felt = Felt(shares=HabitShares(sleeps=1000, vanishes=0, extra_boxes=0))
    felt.snapshot()
    felt.started()
    felt.dealt()
    felt.asks()
    assert felt.sent(m.Decide) == []


@on_a_loop
async def test_a_refusal_at_once_is_an_error_and_a_late_one_a_race():
    """A decision that crossed with the clock is no error."""
    felt = Felt()
    felt.snapshot()
    felt.started()
    felt.dealt()
    felt.asks()
    felt.answers("stale_seq")
    assert felt.tally.errors == {"stale_seq": 1}
    felt.ended()
    felt.started()
    felt.dealt()
    felt.asks()
    felt.decided(automatic=True)
    felt.answers("decided_already")
    assert felt.tally.races == {"decided_already": 1}


@on_a_loop
async def test_a_play_that_cannot_be_paid_becomes_a_check_or_a_fold():
    """A check before the river, a fold on it."""
    felt = Felt()
    felt.snapshot()
    felt.started()
    felt.dealt("As Kd")
    felt.asks()
    felt.answers("insufficient_balance")
    felt.decided()
    felt.board("Ac 7h 2d 9s 3c", "river")
    felt.asks(check=False)
    felt.answers("insufficient_balance")
    assert [message.decision for message in felt.sent(m.Decide)] == ["play", "check", "play", "fold"]
    assert felt.tally.races == {"insufficient_balance": 2}


@on_a_loop
async def test_refused_bets_are_counted_by_their_codes():
    """At the close, and when they are placed: what cannot be explained is an error."""
    felt = Felt()
    felt.snapshot(light="green")
    felt.says(m.Error(re=felt.sent(m.PlaceBet)[0].id, code="no_such_bet", message="x"))
    assert felt.tally.errors == {"no_such_bet": 1}
    felt.event(m.BetsRefused, refused=[m.RefusedBet(box=2, bet="trips", amount=1, code="below_minimum")])
    assert felt.tally.refused == {"below_minimum": 1}


@on_a_loop
async def test_a_gap_is_healed_and_the_round_goes_on():
    """By a snapshot, which has the question and what it may see."""
    felt = Felt()
    felt.snapshot()
    felt.seq += 1
    felt.started()
    assert len(felt.sent(m.GetSnapshot)) == felt.tally.gaps == 1
    felt.asks()
    assert len(felt.sent(m.GetSnapshot)) == 1
    view = m.RoundView(
        round_id=ROUND,
        street="preflop",
        boxes=[m.BoxBetsView(box=2, name="me", ante=100), m.BoxBetsView(box=5, name="you", ante=100)],
        hands=[m.BoxCards(box=2, cards=["As", "Kd"])],
        decisions=m.DecisionsView(
            seq=felt.seq, boxes=[2, 5], check=True, fold=False, multiples=[4, 3], deadline_ms=9
        ),
    )
    felt.snapshot(round_=view)
    assert [(message.box, message.multiple) for message in felt.sent(m.Decide)] == [(2, 4)]


@on_a_loop
async def test_rounds_are_counted_once_and_it_leaves_between_them():
    """The first bot to see the end counts the round; a stopping bot stands up after its round."""
    felt = Felt()
    felt.snapshot()
    felt.started()
    felt.player.stop()
    assert felt.sent(m.StandUp) == []
    felt.ended()
    felt.watch.hand_ended("r0")
    assert felt.tally.hands == 1
    [stand_up] = felt.sent(m.StandUp)
    assert stand_up.table == "u1"
    felt.event(m.PlaceLeft, box=2, name="me")
    await felt.player.outcome()
    assert felt.tally.seated == 0


@on_a_loop
async def test_one_vanishes_in_the_middle_of_a_round():
    """After a while of it; a connection that is gone ends its stay."""
    felt = Felt(shares=HabitShares(sleeps=0, vanishes=1000, extra_boxes=0), seed=3)
    felt.snapshot()
    felt.started()
    for timer in list(felt.player._timers):  # private: the test does not wait two seconds
        assert timer.when() <= asyncio.get_running_loop().time() + 2.0
        timer._run()  # private: of asyncio, for the same reason
    assert (felt.vanished, felt.tally.vanished) == (1, 1)
    felt.player.link_lost()
    felt.player.close()
    try:
        await felt.player.outcome()
    except BotConnectionLost:
        return
    raise AssertionError("its stay went on")
