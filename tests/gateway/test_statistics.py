"""What an account asks about statistics, over whole sessions."""

from __future__ import annotations

import msgspec
import pytest

from pokerroom.gateway.statistics import POINTS_MAX, points_of
from pokerroom.history.statistics.tally import tally_of
from pokerroom.ledger.statistics import DayResult
from pokerroom_protocol import messages as wire
from pokerroom_protocol.codec import CodecError, Encoding, decode_request
from pokerroom_protocol.errors import Code
from tests.gateway.session_parties import Counting, made_sessions, player
from tests.gateway.test_account_service import play_a_hand
from tests.poker.support import now


@pytest.fixture
def played(sessions, room):
    """Anna and bob, who have played a hand that is counted: anna, or bob, folded at once."""
    anna, bob = player(sessions, "anna"), player(sessions, "bob")
    play_a_hand(room, anna, bob, folds=True)
    assert now(room.world.ledger.count_statistics(tally_of)).hands == 1
    return anna, bob


def test_own_statistics(played):
    """They have a position, the result, a point of the graph, and no tournaments."""
    anna, bob = played
    told = [line.ask(wire.GetStatistics) for line in (anna, bob)]

    assert {answer.stakes[0].position for answer in told} == {"button", "big_blind"}
    assert sum(answer.stakes[0].won for answer in told) == 0
    for answer in told:
        (stake,) = answer.stakes
        (point,) = answer.points
        assert (stake.hands, stake.game, stake.chips) == (1, "holdem", False)
        assert stake.won_squared == str(stake.won**2)
        assert (point.hands, point.won, point.expected) == (1, stake.won, 1000 * stake.won)
        assert answer.tournaments == []


def test_a_period(played):
    """Months without hands are empty; the month of the hand has it."""
    anna, _ = played
    assert anna.ask(wire.GetStatistics, last_month=197001) == wire.Statistics(
        re=anna.all(wire.Statistics)[-1].re, stakes=[], points=[], tournaments=[]
    )
    assert len(anna.ask(wire.GetStatistics, first_month=197001).stakes) == 1
    assert anna.ask(wire.GetStatistics, first_month=999912).points == []


def test_sums_beyond_a_message_are_told_as_its_largest():
    """Chips of a club cost nothing, so results can be so large; a client can read the answer."""
    (point,) = points_of([(1, DayResult(1, -(2**70), 2**70))])
    assert (point.won, point.expected) == (-(2**53) + 1, 2**53 - 1)


@pytest.mark.parametrize("month", [202600, 202613, 202699])
def test_a_month_that_the_year_does_not_have_is_refused(month):
    """The client is told so before the ledger is asked."""
    for field in ("first_month", "last_month"):
        body = msgspec.json.encode({"type": "get_statistics", "id": 1, field: month})
        with pytest.raises(CodecError, match="allowed values") as refused:
            decode_request(body, Encoding.JSON)
        assert refused.value.code is Code.BAD_MESSAGE


def test_another_player(sessions, played):
    """It sees the hands in which it was, by position and period.

    Of a player it never met it sees nothing, as of a name of no player.
    """
    anna, bob = played
    carol = player(sessions, "carol")
    (own,) = bob.ask(wire.GetStatistics).stakes
    (seen,) = anna.ask(wire.GetStatistics, player="bob").stakes

    assert seen == own  # at this stake, in this position
    assert anna.ask(wire.GetStatistics, player="bob", last_month=197001).stakes == []
    assert anna.ask(wire.GetStatistics, player="bob", first_month=197001).stakes == [seen]
    assert anna.ask(wire.GetStatistics, player="bob").points == []
    unmet = [carol.ask(wire.GetStatistics, player=name) for name in ("bob", "no.body")]
    assert [(answer.stakes, answer.points, answer.tournaments) for answer in unmet] == [([], [], [])] * 2
    assert anna.ask(wire.GetStatistics, player="anna").points != []


def test_opponents_in_short(sessions, played):
    """As `get_statistics` counts them, of one game; oneself, strangers and names of no player are left out."""
    anna, _ = played
    player(sessions, "carol")
    (seen,) = anna.ask(wire.GetStatistics, player="bob").stakes
    (told,) = anna.ask(
        wire.GetOpponents, players=["BOB", "anna", "carol", "no.body"], game="holdem"
    ).opponents
    assert told == wire.OpponentView(
        player="bob", hands=1, vpip_chances=seen.vpip_chances, vpip=seen.vpip, pfr=seen.pfr
    )
    assert anna.ask(wire.GetOpponents, players=["bob"], game="omaha").opponents == []


def test_a_room_may_show_none_at_tables(room):
    """Then an account with a seat is told its own alone; without a seat it is told those of others."""
    sessions = made_sessions(room, Counting(), statistics_seated=False)
    anna, bob = player(sessions, "anna"), player(sessions, "bob")
    play_a_hand(room, anna, bob, folds=True)
    about_bob = [
        (wire.GetStatistics, {"player": "bob"}),
        (wire.GetOpponents, {"players": ["bob"], "game": "holdem"}),
    ]
    assert [anna.ask(kind, **fields).code for kind, fields in about_bob] == [Code.STATISTICS_OFF] * 2
    assert isinstance(anna.ask(wire.GetStatistics), wire.Statistics)
    carol = player(sessions, "carol")
    assert not [
        one
        for one in (carol.ask(kind, **fields) for kind, fields in about_bob)
        if isinstance(one, wire.Error)
    ]
    assert "opponents" not in anna.all(wire.Welcome)[0].features


def test_many_days_are_few_points():
    """No day is lost; sums stay as they are."""
    days = [(day, DayResult(2, day, 1000 * day)) for day in range(1_000)]
    few = points_of(days[:10])
    assert [(point.day, point.hands, point.won) for point in few] == [(day, 2, day) for day in range(10)]
    points = points_of(days)
    assert len(points) <= POINTS_MAX
    assert sum(point.won for point in points) == sum(result.won for _, result in days)
    assert points[-1].day == 999
    assert points_of([]) == []
