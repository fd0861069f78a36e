"""What accounts are told of leagues: ranks, pages, periods, and how often the ledger is asked."""

from dataclasses import replace

import pytest
from twisted.internet.defer import Deferred, succeed
from twisted.internet.task import Clock

from pokerroom.gateway.account_service import AccountRefused
from pokerroom.gateway.leagues import CLOSED_S, FRESH_S, LeagueService
from pokerroom.ledger.leagues import LeagueRow
from pokerroom.ops.config_league import LeagueConfig
from pokerroom_protocol import messages as wire
from tests.poker.support import now

WINTER = LeagueConfig(
    id="winter", name="Winter", offers=("sun",), span="month", zone="UTC", score="points", best=10
)
JUNE_MS, JULY_MS, AUGUST_MS = 1_780_272_000_000, 1_782_864_000_000, 1_785_542_400_000


def row(account, name, score, wins=0, reached_ms=JULY_MS):
    return LeagueRow(
        account=account, name=name, score=score, played=3, counted=2, wins=wins, reached_ms=reached_ms
    )


class Ledger:
    """It has these rows, and notes the periods that it is asked for."""

    def __init__(self, *rows):
        self.rows, self.asked = rows, []

    def league_rows(self, period):
        self.asked.append(period)
        return succeed(self.rows)


class House:
    """A league service in the middle of July."""

    def __init__(self, *rows, leagues=(WINTER,)):
        self.ledger, self.clock = Ledger(*rows), Clock()
        self.service = LeagueService(
            leagues=leagues, ledger=self.ledger, clock=self.clock, now_ms=lambda: JULY_MS + 10**9
        )

    def ask(self, account=1, kind=wire.GetLeague, **fields):
        if kind is wire.GetLeague:
            fields = {"league": "winter"} | fields
        return now(Deferred.fromCoroutine(self.service.answered(kind(id=5, **fields), account)))


def test_the_leagues_are_listed():
    """With all that a player must know to understand a table; a room without any lists none."""
    assert House().ask(kind=wire.GetLeagues).leagues == [
        wire.LeagueLine(
            league="winter", name="Winter", offers=["sun"], period="month", score="points", best=10
        )
    ]
    assert House(leagues=()).ask(kind=wire.GetLeagues).leagues == []


def test_house_bots_have_no_rank_and_equal_players_share_one():
    """Equal in score, wins and time: otherwise the order of the ledger decides."""
    rows = [row(9, "Bot.Ada", 900), row(1, "ann", 500, 1), row(2, "bob", 500), row(3, "cid", 500)]
    answer = House(*rows, row(4, "dan", 400)).ask(account=3)
    assert [(rank.rank, rank.name) for rank in answer.ranks] == [
        (1, "ann"),
        (2, "bob"),
        (2, "cid"),
        (4, "dan"),
    ]
    assert (answer.total, answer.you) == (4, answer.ranks[2])
    assert House(*rows).ask(account=9).you is None


def test_a_page_is_by_offset_or_around_the_player():
    """The first one for a player without a rank."""
    house = House(*(row(account, f"p{account}", 1_000 - account) for account in range(1, 31)))
    assert [rank.rank for rank in house.ask(offset=28, count=10).ranks] == [29, 30]
    around = house.ask(account=20, count=5, around_you=True, offset=3)
    assert (around.offset, [rank.rank for rank in around.ranks]) == (17, [18, 19, 20, 21, 22])
    assert house.ask(account=1, count=5, around_you=True).offset == 0
    assert house.ask(account=99, count=5, around_you=True).offset == 0


def test_a_period_is_the_current_one_or_one_before():
    """Its limits are told; of a league for ever there are none."""
    house = House(leagues=(WINTER, replace(WINTER, id="all", span="ever")))
    assert (house.ask().from_ms, house.ask().until_ms) == (JULY_MS, AUGUST_MS)
    assert (house.ask(back=1).from_ms, house.ask(back=1).until_ms) == (JUNE_MS, JULY_MS)
    assert [(one.from_ms, one.until_ms) for one in house.ledger.asked] == [
        (JULY_MS, AUGUST_MS),
        (JUNE_MS, JULY_MS),
    ]
    assert (house.ask(league="all").from_ms, house.ask(league="all").until_ms) == (None, None)


def test_a_table_is_read_once_for_all_who_ask_within_seconds():
    """And again afterwards."""
    house = House(row(1, "ann", 500))
    for account in range(5):
        house.ask(account=account)
    assert len(house.ledger.asked) == 1
    house.ledger.rows = (row(1, "ann", 700),)
    house.clock.advance(FRESH_S + 1)
    assert house.ask().ranks[0].score == 700


def test_the_table_of_a_period_that_is_over_is_kept_for_longer():
    """No tournament ends in it any more."""
    house = House(row(1, "ann", 500))
    for seconds in (0, FRESH_S + 1, CLOSED_S + 1):
        house.clock.advance(seconds)
        house.ask(back=1)
    assert len(house.ledger.asked) == 2


@pytest.mark.parametrize(
    ("fields", "code"), [({"league": "summer"}, "unknown_league"), ({"back": 700}, "bad_message")]
)
def test_what_is_not_there_is_refused(fields, code):
    """An unknown league, and a time before 1970."""
    house = House(row(1, "ann", 500))
    with pytest.raises(AccountRefused, match=code):
        house.ask(**fields)
    assert house.ledger.asked == []
