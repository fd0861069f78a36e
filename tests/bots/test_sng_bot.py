"""A bot between its tournaments: registration, its seat given back, the end, and what its wallet should hold."""

from __future__ import annotations

import asyncio
from collections import deque

import pytest

from pokerroom.bots import sng_bot, swarm_client
from pokerroom.bots.connection import BotConnectionLost
from pokerroom.bots.sng_bot import SngAgenda, SngBot, SngOffer
from pokerroom.bots.swarm_client import BotAccount, BotFailed, SwarmContext
from pokerroom.bots.tally import SngResult, SwarmTally
from pokerroom_protocol import Code
from pokerroom_protocol import messages as m
from tests.bots.support import INFO, TABLE, on_a_loop

SIX = SngOffer(offer="six", seats=6)
OPENING = 10_000


class ScriptedLink:
    """Answers each kind of request with what was laid ready for it, the last of them again and again."""

    def __init__(self, **ready) -> None:
        self.asked: list[m.ClientMessage] = []
        self.is_open = True
        self._ready = {name: deque(answers) for name, answers in ready.items()}
        self._last = 0

    def number(self) -> int:
        self._last += 1
        return self._last

    async def ask(self, message):
        self.asked.append(message)
        answers = self._ready[type(message).__name__]
        answer = answers.popleft() if len(answers) > 1 else answers[0]
        return m.Error(re=message.id, code=answer, message="x") if isinstance(answer, str) else answer

    def close(self) -> None:
        self.is_open = False


def registered(tournament="six.1"):
    return m.SngRegistered(re=1, offer="six", tournament=tournament, buy_in=300)


def listed(tournament):
    line = m.SitAndGoInfo(
        offer="six", name="Six", game="holdem", structure="no_limit", seats=6, buy_in=300, fee=60,
        prizes=[1_000, 440], starting_stack=1_500, level_unit="hands", levels=[], filling=[], running=[],
        running_count=0, your_tournament=tournament,
    )  # fmt: skip
    return m.SitAndGos(re=1, sit_and_gos=[line])


def standings(phase, *places, player="me"):
    """Places as name, prize, paid."""
    return m.Standings(
        re=1, tournament="six.1", offer="six", phase=phase, seats=6, buy_in=300, fee=60, prizes=[1_000, 440],
        players=[m.SngPlayer(name=player)],
        places=[
            m.SngPlace(number=number, place=number, name=name, prize=prize, paid=paid)
            for number, (name, prize, paid) in enumerate(places, 1)
        ],
        total=6, offset=0,
    )  # fmt: skip


def bot(tournaments=(SIX,)) -> SngBot:
    """Of an account named me, with its opening balance, connected."""
    room = SwarmContext(
        host="", port=0, tally=SwarmTally(), new_name=lambda: "me", delay_s=lambda: 0.0,
        registering=asyncio.Semaphore(1),
    )  # fmt: skip
    made = SngBot(room, SngAgenda(tournaments), seed=1)
    made.account = BotAccount("me", "secret", "token")
    made.expected_balance = OPENING
    return made


@pytest.fixture(autouse=True)
def hurried(monkeypatch):
    """No waiting longer than a moment."""
    real = asyncio.sleep
    monkeypatch.setattr(sng_bot.asyncio, "sleep", lambda _seconds: real(0))
    monkeypatch.setattr(swarm_client.asyncio, "sleep", lambda _seconds: real(0))
    monkeypatch.setattr(sng_bot, "LOOK_S", 0.01)
    monkeypatch.setattr(sng_bot, "PAID_S", 0.05)


@on_a_loop
async def test_it_takes_the_next_seat_of_the_agenda():
    """Its buy-in is gone from what the wallet should hold; with nothing left to play there is no seat."""
    one = bot()
    link = ScriptedLink(RegisterSng=[registered()])
    assert await one.register_next(link)
    assert (one.entry.tournament, one.expected_balance) == ("six.1", OPENING - 300)
    for _ in range(5):
        one.agenda.take()
    one.entry = None
    assert not await one.register_next(link)


@on_a_loop
async def test_an_answer_that_was_lost_is_looked_for():
    """Refused as registered already, or unable to say, it asks where it is registered: a race, and no error."""
    for code in (Code.ALREADY_REGISTERED, Code.UNAVAILABLE):
        one = bot()
        assert await one.register_next(ScriptedLink(RegisterSng=[code], ListSitAndGos=[listed("six.4")]))
        assert one.entry.tournament == "six.4"
        assert (dict(one.tally.races), one.tally.errors.total()) == ({code: 1}, 0)


@on_a_loop
async def test_it_tries_again_where_it_is_not_registered():
    """Also where others were faster; what is no race ends it."""
    one = bot()
    answers = [Code.UNAVAILABLE, Code.TOURNAMENT_FULL, registered("six.2")]
    assert await one.register_next(ScriptedLink(RegisterSng=answers, ListSitAndGos=[listed(None)]))
    assert one.entry.tournament == "six.2"
    with pytest.raises(BotFailed) as failed:
        await bot().register_next(ScriptedLink(RegisterSng=[Code.INSUFFICIENT_BALANCE]))
    assert failed.value.code == Code.INSUFFICIENT_BALANCE


@on_a_loop
async def test_the_start_is_heard_or_found_out():
    """By the message, or by the standings where that was lost."""
    for heard in (True, False):
        one = bot()
        link = ScriptedLink(
            RegisterSng=[registered()],
            UnregisterSng=[Code.REGISTRATION_CLOSED],
            GetStandings=[standings("registering"), standings("running")],
        )
        await one.register_next(link)
        if heard:
            one.heard(link, {"type": "sng_started", "tournament": "six.1"}, b"")
        assert await one.await_start(link, one.entry)


@on_a_loop
async def test_a_seat_that_is_given_back_is_paid_back_and_taken_again():
    """When it is to stop it is not; a tournament that was cancelled is the same without being asked."""
    one = bot()
    link = ScriptedLink(RegisterSng=[registered()], UnregisterSng=[m.Ok(re=1)])
    await one.register_next(link)
    one.stop()
    assert not await one.await_start(link, one.entry)
    assert (one.expected_balance, one.entry, one.wanted, one.tally.unregistered) == (OPENING, None, None, 1)

    for found, again in (
        (standings("cancelled"), True),
        (standings("registering", player="somebody else"), True),
        (standings("rolled_back"), False),
    ):
        other = bot()
        link = ScriptedLink(
            RegisterSng=[registered()], UnregisterSng=[Code.NOT_REGISTERED], GetStandings=[found]
        )
        await other.register_next(link)
        offer = other.entry.offer
        assert not await other.await_start(link, other.entry)
        assert (other.expected_balance, other.wanted) == (OPENING, offer if again else None)


@on_a_loop
async def test_a_connection_that_is_lost_before_the_start_is_one():
    """It comes back, and waits on."""
    one = bot()
    link = ScriptedLink(RegisterSng=[registered()], UnregisterSng=[Code.REGISTRATION_CLOSED])
    await one.register_next(link)
    link.close()
    with pytest.raises(BotConnectionLost):
        await one.await_start(link, one.entry)


@on_a_loop
async def test_a_client_that_is_out_with_a_prize_leaves_and_who_wins_sees_all_paid():
    """The prize is its own from then on; the result is noted once everything is paid."""
    second = ("you", 1_000, False), ("me", 440, False)
    one = bot()
    link = ScriptedLink(RegisterSng=[registered()], GetStandings=[standings("running", *second)])
    await one.register_next(link)
    await one.finish(link, one.entry)
    assert (one.expected_balance, one.entry, one.tally.results) == (OPENING - 300 + 440, None, {})

    winner = bot()
    unpaid, paid = (("me", 1_000, done) for done in (False, True))
    link = ScriptedLink(
        RegisterSng=[registered()],
        GetStandings=[
            standings("running"),
            standings("finished", unpaid, ("you", 440, True)),
            standings("finished", paid, ("you", 440, True)),
        ],
    )
    await winner.register_next(link)
    await winner.finish(link, winner.entry)
    assert winner.expected_balance == OPENING - 300 + 1_000
    assert winner.tally.results == {"six.1": SngResult(phase="finished", expected=1_440, paid=1_440)}


@on_a_loop
async def test_a_tournament_that_was_rolled_back_is_paid_back():
    """It counts as ended, without prizes."""
    one = bot()
    link = ScriptedLink(RegisterSng=[registered()], GetStandings=[standings("rolled_back")])
    await one.register_next(link)
    await one.finish(link, one.entry)
    assert one.expected_balance == OPENING
    assert one.tally.results == {"six.1": SngResult(phase="rolled_back", expected=0, paid=0)}


@on_a_loop
async def test_a_wallet_that_differs_is_an_error():
    """To the unit, once prizes had their time."""
    for holds, errors in ((OPENING, {}), (OPENING - 1, {"wallet_differs": 1})):
        one = bot()
        link = ScriptedLink(GetAccount=[m.Account(re=1, account=7, name="me", balance=holds, tables=[])])
        await one.compare_wallet(link)
        assert dict(one.tally.errors) == errors


@on_a_loop
async def test_a_table_that_is_not_there_yet_is_asked_for_again():
    """Until it is there, or the tournament is over."""
    one = bot()
    snapshot = m.Snapshot(table=TABLE, seq=1, info=INFO, seats=[], hand=None, your_seat=None)
    link = ScriptedLink(
        RegisterSng=[registered()],
        Observe=[Code.UNKNOWN_TABLE, Code.UNAVAILABLE, snapshot],
        GetStandings=[standings("running")],
    )
    await one.register_next(link)
    assert await one.observe(link, one.entry)
    over = ScriptedLink(Observe=[Code.UNKNOWN_TABLE], GetStandings=[standings("finished")])
    assert not await one.observe(over, one.entry)
