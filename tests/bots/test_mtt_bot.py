"""A bot in a field: it follows its seat, and knows when it is out, also where a message was lost."""

from __future__ import annotations

import asyncio
import inspect
from dataclasses import replace

import pytest
from msgspec.structs import replace as changed

from pokerroom.bots import mtt_bot
from pokerroom.bots.absence_plan import Absence, AbsencePlan
from pokerroom.bots.mtt_bot import MttBot, MttBotPlayer
from pokerroom.bots.policy import Policy, SplitMix64
from pokerroom.bots.sng_bot import SngAgenda, SngOffer
from pokerroom.bots.sng_player import SngOutcome
from pokerroom.bots.stay import StayContext
from pokerroom.bots.swarm_client import BotAccount, BotFailed, SwarmContext
from pokerroom.bots.table_bot import StartBarrier
from pokerroom.bots.tally import SngResult, SwarmTally
from pokerroom_protocol import messages as m
from pokerroom_protocol._declarations import EXAMPLES
from tests.bots.support import TABLE, on_a_loop, settle
from tests.bots.test_sng_bot import ScriptedLink
from tests.bots.test_sng_player import LEVEL, SngBench

FIELD = SngOffer(offer="field", seats=12)


def state(phase, table=None, *, stack=1_500, place=None):
    """The tournament as the bot is told it, with its own entry."""
    status = "playing" if table else "out" if place else "registered"
    you = m.TournamentRank(rank=None, name="me", stack=stack, table=table, status=status, place=place)
    return m.TournamentState(
        re=1, tournament="field.1", offer="field", name="Field", phase=phase, game="holdem",
        structure="no_limit", seats=12, table_seats=6, buy_in=300, fee=60, starting_stack=1_500,
        level_unit="hands", levels=[], registration_open=False, late_levels=0, entries_max=1, players=12, guarantee=0,
        overlay=0, provisional=False, starts_ms=None, started_ms=None, ended_ms=None, entries=12, left=12, tables=2,
        chips=18_000, average=None, largest=None, smallest=None, level=None, next_level=None, paused=False,
        hand_for_hand=False, break_until_ms=None, pool=2_880, prizes=[2_880], next_payout=None, you=you,
    )  # fmt: skip


def bot():
    room = SwarmContext(
        host="", port=0, tally=SwarmTally(), new_name=lambda: "me", delay_s=lambda: 0.0,
        registering=asyncio.Semaphore(1),
    )  # fmt: skip
    made = MttBot(room, SngAgenda([FIELD]), seed=1, gate=StartBarrier(1))
    made.account = BotAccount("me", "secret", "token")
    made.expected_balance = 10_000
    return made


@on_a_loop
async def test_it_goes_where_it_is_moved_until_it_is_out():
    """A table that it has left is not asked for again."""
    link = ScriptedLink(
        GetTournament=[
            state("running", "field.1-2"),
            state("running", "field.1"),
            state("running", None, stack=0, place=7),
            state("running", None, stack=0, place=7),
        ],
        Observe=["unknown_table"],
    )
    made = bot()
    made.enter(FIELD, "field.1", 300)
    await made.play(link, made.entry)
    observed = [asked.table for asked in link.asked if isinstance(asked, m.Observe)]
    assert observed == ["field.1-2", "field.1"]
    assert made.entry is None
    assert made.tally.entries == 1
    assert made.tally.outlasted == {"field.1": None}


@on_a_loop
async def test_a_tournament_that_it_has_abandoned_is_noted():
    """It gave up, or was stopped, without being out; one that is out has no entry any more."""
    made = bot()
    made.at_end()
    assert made.tally.abandoned == {}
    made.enter(FIELD, "field.1", 300)
    made.at_end()
    assert made.tally.abandoned == {"field.1": None}


@on_a_loop
async def test_moves_are_counted_once():
    """A move that the room tells again after a failure names no table before."""
    made, link = bot(), ScriptedLink()
    for from_table in ("field.1-2", None):
        made.heard(
            link,
            {"type": "tournament_moved", "from_table": from_table, "table": "field.1", "seat": 3},
            b"",
        )
    assert made.tally.moves == 1


@on_a_loop
async def test_a_start_that_was_not_told_is_asked_for():
    """Seldom; an entry that was returned is given up."""
    made = bot()
    made.enter(FIELD, "field.1", 300)
    link = ScriptedLink(GetTournament=[state("registering"), state("running", "field.1")])
    assert await made.await_start(link, made.entry)
    cancelled = ScriptedLink(GetTournament=[state("cancelled")])
    assert not await made.await_start(cancelled, made.entry)
    assert made.entry is None


@on_a_loop
async def test_a_bot_that_is_stopped_before_the_start_gives_its_entry_back():
    """Of either kind of tournament; one that is about to start is played."""
    for offer, request in ((FIELD, m.UnregisterSng), (SUNDAY, m.UnregisterTournament)):
        made = bot()
        made.enter(offer, "field.1", 300)
        made.stop()
        link = ScriptedLink(**{request.__name__: [m.Ok(re=1)]})
        assert not await made.await_start(link, made.entry)
        assert (made.entry, made.expected_balance, made.tally.unregistered) == (None, 10_000, 1)
        made = bot()
        made.enter(offer, "field.1", 300)
        made.stop()
        late = ScriptedLink(
            **{request.__name__: ["registration_closed"]}, GetTournament=[state("running", "field.1")]
        )
        assert await made.await_start(late, made.entry)


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    """No test waits long."""
    monkeypatch.setattr(mtt_bot, "STARTED_S", 0.01)
    monkeypatch.setattr(mtt_bot, "JITTER_S", 1)
    monkeypatch.setattr(mtt_bot, "AGAIN_S", 0.0)
    monkeypatch.setattr(mtt_bot, "LEFT_S", 0.01)


@on_a_loop
async def test_a_request_whose_answer_was_lost_is_repeated_as_the_same():
    """The tournament may have started meanwhile: a second entry would be paid to the next one."""
    offer = SngOffer(offer="field", seats=12, since="field.1")
    made = bot()
    link = ScriptedLink()
    assert [made.entry_request(link, offer).since for _ in range(3)] == [None, "field.1", "field.1"]


SUNDAY = SngOffer(offer="sun", seats=12, scheduled="field.1")


@on_a_loop
async def test_it_enters_a_tournament_that_starts_at_a_time():
    """An answer that was lost is found; when entries are closed the bot gives up, and waits for no other one."""
    made = bot()
    made.agenda = SngAgenda([replace(SUNDAY, seats=3)])
    entered = m.TournamentRegistered(re=1, tournament="field.1", entry=1, buy_in=300)
    link = ScriptedLink(RegisterTournament=[entered])
    assert await made.register_next(link)
    assert [asked.tournament for asked in link.asked] == ["field.1"]
    made.entry = None
    lost = ScriptedLink(RegisterTournament=["already_registered"], GetTournament=[state("registering")])
    assert await made.register_next(lost)
    assert (made.entry.tournament, made.expected_balance, made.tally.entries) == ("field.1", 9_400, 2)
    made.entry = None
    with pytest.raises(BotFailed, match="registration_closed"):
        await made.register_next(ScriptedLink(RegisterTournament=["registration_closed"]))


def ticket(offer="sunday", value=1_100):
    return m.TournamentTicket(offer=offer, name=offer, value=value, expires_ms=1)


def starting(*starts, **changes):
    """Tournaments of the offer of the ticket, at these times."""
    row = EXAMPLES[m.Tournaments][0].tournaments[0]
    rows = [changed(row, tournament=f"sunday.{at}", starts_ms=at, **changes) for at in starts]
    return m.Tournaments(re=1, tournaments=rows)


@on_a_loop
async def test_it_plays_what_a_ticket_pays():
    """The next one of the offer at this price; one that has just started is followed by the next."""
    made = bot()
    made.agenda = SngAgenda([])
    link = ScriptedLink(
        GetTickets=[m.Tickets(re=1, tickets=[ticket()])],
        ListTournaments=[starting(7, 5), starting(7)],
        RegisterTournament=[
            "registration_closed",
            m.TournamentRegistered(re=1, tournament="sunday.7", entry=1, buy_in=1_100, by_ticket=True),
        ],
        GetTournament=[changed(state("running"), you=None)],
    )
    assert await made.register_next(link)
    asked = [one.tournament for one in link.asked if isinstance(one, m.RegisterTournament)]
    assert asked == ["sunday.5", "sunday.7"]
    assert (made.entry.tournament, made.tally.tickets, made.tally.entries) == ("sunday.7", 1, 0)


@on_a_loop
async def test_a_bot_plays_until_it_is_done():
    """The swarm ends when no bot of the field plays any more: one with a ticket goes on after the prizes."""
    made = bot()
    for _ in range(2):  # a further entry of the same bot
        made.enter(FIELD, "field.1", 300)
        assert made.tally.playing == 1
    for _ in range(2):
        made.at_end()
        assert made.tally.playing == 0


@on_a_loop
async def test_a_ticket_whose_answer_was_lost_is_used_once():
    """The bot asks for the same tournament again, and finds its entry."""
    made = bot()
    made.agenda = SngAgenda([])
    link = ScriptedLink(
        GetTickets=[m.Tickets(re=1, tickets=[ticket()])],
        ListTournaments=[starting(5)],
        RegisterTournament=["already_registered"],
        GetTournament=[state("registering")],
    )
    assert await made.register_next(link)
    assert (made.entry.tournament, made.tally.tickets) == ("sunday.5", 1)


@pytest.mark.parametrize(
    ("owned", "rows"),
    [
        ([], starting(5)),
        ([ticket(value=1_000)], starting(5)),
        ([ticket("other")], starting(5)),
        ([ticket()], starting(5, phase="running")),
        ([ticket()], starting(10**15)),
    ],
)
def test_without_a_tournament_for_a_ticket_it_ends(owned, rows):
    """Of the offer, at its price, before the start, and soon."""

    @on_a_loop
    async def scenario():
        made = bot()
        made.agenda = SngAgenda([])
        link = ScriptedLink(GetTickets=[m.Tickets(re=1, tickets=owned)], ListTournaments=[rows])
        assert not await made.register_next(link)

    scenario()


@on_a_loop
async def test_bounties_of_all_players_are_added_up_at_the_end():
    """Page after page, once the room has read the end; of a tournament without them no player is asked for."""
    made = bot()
    made.enter(SUNDAY, "field.1", 300)
    ended = changed(state("finished"), bounty=100, entries=130, players=120)

    def page(count, bounties):
        ranks = [m.TournamentRank(rank=1, name="x", stack=0, status="out", bounties=bounties)] * count
        return m.TournamentRanks(re=1, tournament="field.1", total=120, offset=0, ranks=ranks)

    before = changed(ended, phase="running")
    link = ScriptedLink(GetTournament=[before, ended], GetTournamentRanks=[page(100, 100), page(20, 150)])
    result = SngResult(phase="finished", expected=9, paid=9)
    found = await made.with_bounties(link, made.entry, result)
    assert (found.bounties_expected, found.bounties_paid) == (13_000, 13_000)
    assert [asked.offset for asked in link.asked if isinstance(asked, m.GetTournamentRanks)] == [0, 100]
    assert all(isinstance(asked, m.GetTournament) for asked in link.asked[:2])
    without = ScriptedLink(GetTournament=[state("finished")])
    assert await made.with_bounties(without, made.entry, result) == result


def chips_offered(kind="rebuy", number=1):
    """The offer as the bot hears it."""
    return {"type": "chips_offered", "tournament": "field.1", "kind": kind, "number": number}


def bought(kind="rebuy", number=1):
    """The answer to a purchase."""
    return m.ChipsBought(re=1, tournament="field.1", kind=kind, number=number, price=300, chips=1_500)


async def decisions(made, link, offer, rounds):
    """Offer chips so often, and return the requests of the bot."""
    for _ in range(rounds):
        await made.decide_on_chips(link, offer)
    return link.asked


@on_a_loop
async def test_it_answers_each_rebuy_at_once():
    """By its seed it buys or declines; an offer that comes again after a fault is counted once."""
    made = bot()
    link = ScriptedLink(BuyRebuy=[bought()], DeclineRebuy=[m.Ok(re=1)])
    asked = await decisions(made, link, chips_offered(), 20)
    assert {type(one) for one in asked} == {m.BuyRebuy, m.DeclineRebuy}
    assert {one.number for one in asked if isinstance(one, m.BuyRebuy)} == {1}
    assert (len(asked), made.tally.rebuys, made.tally.add_ons) == (20, 1, 0)


@on_a_loop
async def test_it_buys_an_add_on_or_is_silent():
    """There is nothing to decline."""
    made = bot()
    link = ScriptedLink(BuyAddOn=[bought("add_on")])
    asked = await decisions(made, link, chips_offered("add_on"), 20)
    assert 0 < len(asked) < 20
    assert (made.tally.rebuys, made.tally.add_ons) == (0, 1)


@on_a_loop
async def test_it_declines_what_it_cannot_pay():
    """An offer that comes too late is a race, and no error; a refusal without a reason is one."""
    made = bot()
    link = ScriptedLink(BuyRebuy=["insufficient_balance"], DeclineRebuy=[m.Ok(re=1)])
    asked = await decisions(made, link, chips_offered(), 20)
    assert [type(one) for one in asked].count(m.DeclineRebuy) == 20
    await decisions(
        made, ScriptedLink(BuyRebuy=["sale_closed"], DeclineRebuy=[m.Ok(re=1)]), chips_offered(), 9
    )
    assert not made.tally.errors
    assert made.tally.races["sale_closed"] > 0
    await decisions(
        made, ScriptedLink(BuyRebuy=["not_registered"], DeclineRebuy=[m.Ok(re=1)]), chips_offered(), 9
    )
    assert made.tally.errors["not_registered"] > 0


@on_a_loop
async def test_it_waits_for_chips_that_it_has_paid():
    """The lobby tells no table before the chips are there; without a purchase the bot is out."""
    out, back = state("running", None, stack=0), state("running", "field.1")
    made = bot()
    made.enter(FIELD, "field.1", 300)
    assert await made.seat_of(ScriptedLink(GetTournament=[out, back]), made.entry) is None
    made.paid(bought())
    assert await made.seat_of(ScriptedLink(GetTournament=[out, out, back]), made.entry) == "field.1"


class FinalTable(SngBench):
    """A bot of a field in seat 2 of a final table with deals."""

    def __init__(self, seed=1):
        super().__init__()
        context = StayContext(
            link=self.link, table=TABLE, watch=self.watch, tally=self.tally, delay_s=lambda: 0.0, came_back_at=None
        )  # fmt: skip
        stays = AbsencePlan(kind=Absence.STAYS, hands=0, away_s=0.0, unregisters=False)
        self.player = MttBotPlayer(context, Policy(1), stays, SplitMix64(seed))

    def deal(self, accepted=False):
        """An open deal of two players."""
        shares = [
            m.DealShare(seat=2, name="me", stack=4_000, icm=700, accepted=accepted),
            m.DealShare(seat=5, name="you", stack=4_000, icm=740, accepted=True),
        ]
        return m.DealView(deal=9, proposer="you", kind="icm", for_the_winner=0, until_ms=1, shares=shares)


@on_a_loop
async def test_it_answers_a_deal_and_counts_it_once():
    """Most deals it accepts, also one that it finds in a snapshot; one that it has accepted it answers no more."""
    answers = []
    for seed in range(40):
        bench = FinalTable(seed)
        bench.tournament()
        bench.event(m.DealOffered, deal=bench.deal())
        await settle()
        (answer,) = bench.sent(m.AnswerDeal)
        answers.append(answer.accept)
    assert 30 < answers.count(True) < 40
    bench.event(m.DealEnded, deal=9, reason="agreed", agreed=changed(bench.deal(), deal=None), level=LEVEL)
    bench.event(m.DealEnded, deal=9, reason="refused", level=LEVEL)
    assert (bench.tally.deals, bench.tally.errors.total()) == (1, 0)
    for accepted, sent in ((False, 1), (True, 0)):
        bench = FinalTable()
        bench.tournament(deals=True, deal=bench.deal(accepted=accepted))
        await settle()
        assert len(bench.sent(m.AnswerDeal)) == sent


@on_a_loop
async def test_it_proposes_a_deal_now_and_then():
    """Only where there are any; a table that cannot make one now is no error."""
    for deals in (True, False):
        bench = FinalTable()
        bench.tournament(deals=deals)
        for _ in range(40):
            bench.link.ready = ["deal_too_soon"]
            bench.hand_started()
            bench.hand_ended()
            await settle()
        assert 0 < len(bench.sent(m.GetDeal)) < 20 if deals else not bench.sent(m.GetDeal)
        assert not bench.tally.errors


@on_a_loop
async def test_a_bot_that_lost_its_seat_is_out_unless_it_is_moved():
    """While entries are open the table tells of no place, but that the seat is free, as it does of a move."""
    for moved, expected in ((False, SngOutcome.OUT), (True, SngOutcome.MOVED)):
        bench = FinalTable()
        bench.tournament()
        outcome = bench.outcome()
        bench.event(m.SeatLeft, seat=5, name="you")
        await asyncio.sleep(0.03)
        assert not outcome.done()
        bench.event(m.SeatLeft, seat=2, name="me")
        if moved:
            bench.player.moved()
        assert await outcome is expected
        assert bench.tally.seated == 0


@on_a_loop
async def test_what_ends_before_it_has_begun_leaves_nothing_behind():
    """A bot may lose its seat and its connection in one moment; Python warns of a coroutine that nothing awaits."""
    bench = FinalTable()

    async def left():
        """Never begun."""

    request = left()
    bench.player.spawn(request)
    bench.player.close()
    await settle()
    assert inspect.getcoroutinestate(request) == inspect.CORO_CLOSED
