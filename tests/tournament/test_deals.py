"""Deals at a final table (L15): proposed, answered, agreed or not, past lost messages, dead nodes and lost journals."""

import pytest
from msgspec import structs
from twisted.internet.defer import fail

from pokerroom.ledger.api import LedgerConflict
from pokerroom.ops.reports import OrderRefused
from pokerroom.tournament.lobby_views import ranks_of, state_of
from pokerroom.tournament.messages import DeskReport, SeatPlan
from pokerroom_protocol import messages as wire
from pokerroom_protocol.table_view import after_event
from tests.tournament.playing import NAME, Room, held, now, scheduled_offer

SHARES = (5_000, 3_000, 2_000)
"""Of 7.20: 3.60, 2.16 and 1.44."""


def offered(**changes):
    """Three players at one table, which is the final one; entries are closed at once."""
    return scheduled_offer(
        **{
            "players_max": 3,
            "late_levels": 0,
            "entries_max": 1,
            "prize_shares": SHARES,
            "deals": True,
            "hand_pause_ms": 0,
            **changes,
        }
    )


@pytest.fixture
def room():
    """Three players, all of them watching; the first hand is dealt."""
    found = begun()
    yield found
    found.stop()


def begun(**changes):
    room = Room(players=3, scheduled=offered(**changes))
    room.begin()
    room.clock.advance(1.1)  # entries close
    return room


def code(answer):
    assert isinstance(answer, wire.Error), answer
    return answer.code


def proposes(room, client, kind="icm", aside=0):
    return room.answer(client, wire.ProposeDeal, kind=kind, for_the_winner=aside)


def opened(room, client, kind="icm", aside=0):
    """Propose, and play the hand in progress to its end; the view of the open deal."""
    assert isinstance(proposes(room, client, kind, aside), wire.Ok)
    room.fold_out()
    view = room.snapshot().tournament.deal
    assert view is not None
    assert view.until_ms is not None
    return view


def answers(room, client, view, *, accept=True):
    return room.answer(client, wire.AnswerDeal, deal=view.deal, accept=accept)


def ends(client):
    return [(one.reason, one.name) for one in client.all(wire.DealEnded)]


def others(room, client):
    return [other for other in room.players if other is not client]


def prizes(room):
    """What each account is given, by name."""
    names = {each.account: each.name for each in room.players}
    return {names[place.account]: place.prize for place in room.row().places}


def state(room, client):
    """The tournament as this client's lobby shows it."""
    row, names = room.row(), {each.account: each.name for each in room.players}
    return state_of(row, ranks_of(row, names), [], None, account=client.account, re=1)


def hangs_up(room, client):
    client.connected = False
    room.table.viewer_gone(client)


def folded(client):
    """The table as this client sees it: its snapshot, and the events since."""
    view = None
    for message in client.got:
        if isinstance(message, wire.Snapshot):
            view = message
        elif view is not None and isinstance(message, wire.TournamentEvent | wire.HoldemEvent):
            view = after_event(view, message)
    return view


def test_a_deal_of_all_is_paid_by_place(room):
    """It opens between two hands, and no hand is dealt meanwhile; stacks say the places, the deal the prizes."""
    first, second, third = room.players
    view = opened(room, first)
    assert (view.proposer, view.kind, view.for_the_winner) == (first.name, "icm", 0)
    assert sum(share.icm for share in view.shares) == sum(share.chips for share in view.shares) == 720
    assert [share.name for share in view.shares if share.accepted] == [first.name]
    assert room.table.state_name != "playing"
    assert isinstance(answers(room, second, view), wire.Ok)
    assert room.row().deal is None
    assert isinstance(answers(room, third, view), wire.Ok)
    room.clock.advance(0.01)
    row = room.row()
    due = {share.name: share.icm for share in view.shares}
    assert (row.phase, prizes(room)) == ("finished", due)
    assert row.deal.amounts == tuple(share.icm for share in view.shares)
    assert row.deal.proposer == first.account
    stacks = {share.name: share.stack for share in view.shares}
    placed = {one.name: one.place for one in first.all(wire.PlayerPlaced)}
    assert sorted(placed, key=placed.get) == sorted(stacks, key=lambda name: -stacks[name])
    for client in room.players:
        assert ends(client) == [("agreed", None)]
        assert len(client.all(wire.DealOffered)) == 1
        assert {one.name for one in client.all(wire.DealAccepted)} == {second.name, third.name}
    assert sorted(room.payouts.places) == [(NAME, 1), (NAME, 2), (NAME, 3)]
    assert now(room.ledger.audit()).differences == ()


def test_play_goes_on_for_what_is_left(room):
    """Each has the own amount safe, and the winner gets the rest as well."""
    first, second, third = room.players
    view = opened(room, first, "chips", aside=100)
    assert state(room, first).next_payout == 144
    for client in (second, third):
        answers(room, client, view)
    room.clock.advance(0.01)
    assert room.row().phase == "running"
    assert room.table.state_name == "playing"
    assert room.snapshot().tournament.deal.until_ms is None
    assert code(proposes(room, second)) == "deal_made"
    assert state(room, first).next_payout is None, "what a player out gets is not that of the place"
    room.play_out()
    due = {share.name: share.chips for share in view.shares}
    winner = next(one.name for one in first.all(wire.PlayerPlaced) if one.number == 1)
    due[winner] += 100
    assert prizes(room) == due
    assert sum(due.values()) == 720
    assert now(room.ledger.audit()).differences == ()


def test_a_refusal_ends_it_and_the_next_one_waits_for_ten_hands(room):
    """All hear which player has refused; until then further proposals are refused."""
    first, second, third = room.players
    view = opened(room, first)
    answers(room, second, view)
    answers(room, third, view, accept=False)
    room.clock.advance(0.01)
    assert all(ends(client) == [("refused", third.name)] for client in room.players)
    assert room.row().deal is None
    for _ in range(10):
        assert code(proposes(room, second)) == "deal_too_soon"
        assert room.table.state_name == "playing"
        room.fold_out()
    assert isinstance(proposes(room, second), wire.Ok)


def test_an_answer_that_does_not_come_ends_it_after_ninety_seconds(room):
    """Also that of a player without a connection; the level's clock has stood."""
    first, second, third = room.players
    level = room.snapshot().tournament.level
    assert level.ends_ms is not None
    view = opened(room, first)
    assert room.snapshot().tournament.level.ends_ms is None
    answers(room, second, view)
    hangs_up(room, third)
    room.clock.advance(89)
    assert ends(first) == []
    room.clock.advance(1.1)
    assert ends(first) == [("timed_out", None)]
    later = room.snapshot().tournament.level.ends_ms
    assert 89_000 <= later - level.ends_ms <= 91_000
    assert room.table.state_name == "playing"


def test_a_player_who_lost_the_line_may_come_back_and_answer(room):
    """Within the time; who accepted before has accepted."""
    first, second, third = room.players
    view = opened(room, first)
    answers(room, second, view)
    for client in (second, third):
        hangs_up(room, client)
    room.clock.advance(40)
    third.connected = True
    room.ask(third, wire.Observe)
    assert third.last(wire.Snapshot).tournament.deal == room.snapshot().tournament.deal
    assert [share.accepted for share in third.last(wire.Snapshot).tournament.deal.shares].count(True) == 2
    answers(room, third, view)
    room.clock.advance(0.01)
    assert room.row().phase == "finished"


def test_a_player_who_goes_away_ends_it(room):
    """And no deal is proposed while a player is away."""
    first, second, third = room.players
    view = opened(room, first)
    answers(room, second, view)
    room.ask(third, wire.SitOut)
    assert ends(first) == [("left", third.name)]
    for _ in range(10):
        room.fold_out()
    before = room.snapshot()
    assert code(proposes(room, first)) == "deal_player_away"
    assert room.snapshot() == before
    room.ask(third, wire.SitIn)
    assert isinstance(proposes(room, first), wire.Ok)


def test_what_may_not_be_proposed_or_answered(room):
    """Each has its code, and changes nothing."""
    first, second, third = room.players
    stranger = room.client("stranger")
    room.ask(stranger, wire.Observe)
    for kind, fields in (
        (wire.GetDeal, {}),
        (wire.ProposeDeal, {"kind": "icm"}),
        (wire.AnswerDeal, {"deal": 1, "accept": True}),
    ):
        assert code(room.answer(stranger, kind, **fields)) == "not_seated"
    assert code(answers(room, first, structs.replace(_nothing(), deal=1))) == "no_deal"
    for aside in (145, 720):
        assert code(proposes(room, first, aside=aside)) == "wrong_deal_amount"
    assert isinstance(proposes(room, first), wire.Ok)
    for again in (first, second):
        assert code(proposes(room, again)) == "deal_in_progress"
    room.fold_out()
    view = room.snapshot().tournament.deal
    before = room.snapshot()
    assert code(proposes(room, second)) == "deal_in_progress"
    assert code(answers(room, first, view)) == "no_deal"  # who proposes has accepted
    assert code(answers(room, second, structs.replace(view, deal=view.deal + 1))) == "no_deal"
    answers(room, second, view)
    assert code(answers(room, second, view, accept=False)) == "no_deal"
    assert room.snapshot() == replace_accepted(before, second.name)
    answers(room, third, view, accept=False)
    assert code(answers(room, second, view)) == "no_deal"


def _nothing():
    return wire.DealView(deal=None, proposer="", kind="icm", for_the_winner=0, until_ms=None, shares=[])


def replace_accepted(snapshot, name):
    deal = snapshot.tournament.deal
    shares = [structs.replace(share, accepted=share.accepted or share.name == name) for share in deal.shares]
    tournament = structs.replace(snapshot.tournament, deal=structs.replace(deal, shares=shares))
    return structs.replace(snapshot, tournament=tournament, seq=snapshot.seq + 1)


def test_a_tournament_without_deals_offers_none():
    """The setting is off unless it is given; the table says so."""
    room = begun(deals=False)
    assert not room.snapshot().tournament.deals
    for kind, fields in ((wire.GetDeal, {}), (wire.ProposeDeal, {"kind": "chips"})):
        assert code(room.answer(room.players[0], kind, **fields)) == "deals_not_offered"
    room.stop()


def test_deals_wait_until_few_enough_are_left_and_leave_what_the_offer_says():
    """From two players on, and a tenth of what is unpaid is for the winner."""
    room = begun(deal_from_players=2, deal_leave_bps=1_000)
    assert code(proposes(room, room.players[0])) == "no_final_table"
    while room.snapshot().tournament.places == [] and room.row().phase == "running":
        room.all_in()
        room.clock.advance(0.01)
    left = [seat.name for seat in room.snapshot().seats]
    assert len(left) == 2
    client = next(each for each in room.players if each.name == left[0])
    told = room.answer(client, wire.GetDeal)
    assert (told.least, told.most) == (57, 144)  # of 5.76
    assert sum(share.icm for share in told.shares) == sum(share.chips for share in told.shares) == 576 - 57
    assert code(proposes(room, client, aside=56)) == "wrong_deal_amount"
    assert isinstance(proposes(room, client, aside=57), wire.Ok)
    room.stop()


def test_the_amounts_before_a_proposal_are_those_of_the_deal_if_no_hand_comes_between(room):
    """They are by the stacks after the last hand, of both kinds."""
    first = room.players[0]
    told = room.answer(first, wire.GetDeal)
    assert (told.least, told.most) == (0, 144)
    assert [share.stack for share in told.shares] == [1_500] * 3
    assert [share.icm for share in told.shares] == [share.chips for share in told.shares] == [240] * 3


def test_a_deal_that_cannot_be_offered_ends_before_it_opens(room):
    """A player goes away in the hand; the next deal may follow at once."""
    first, _, third = room.players
    assert isinstance(proposes(room, first), wire.Ok)
    room.ask(third, wire.SitOut)
    room.fold_out()
    assert ends(first) == [("impossible", None)]
    assert first.all(wire.DealOffered) == []
    assert room.table.state_name == "playing"
    room.ask(third, wire.SitIn)
    opened(room, first)


def test_a_snapshot_is_what_the_events_tell(room):
    """Whatever becomes of the deal."""
    first, second, third = room.players
    view = opened(room, first)
    assert folded(second).tournament == room.snapshot(second).tournament
    answers(room, third, view)
    assert folded(second).tournament == room.snapshot(second).tournament
    answers(room, second, view, accept=False)
    told, shown = folded(second).tournament, room.snapshot(second).tournament
    assert (told.deal, told.level.level) == (shown.deal, shown.level.level)
    assert abs(told.level.ends_ms - shown.level.ends_ms) < 100


def test_the_operator_ends_a_deal_by_a_pause(room):
    """A veto: play goes on when the pause ends, and no deal is open."""
    first, second, third = room.players
    view = opened(room, first)
    now(room.tournament.pause())
    assert ends(second) == [("stopped", None)]
    assert code(answers(room, second, view)) == "no_deal"
    now(room.tournament.unpause())
    room.clock.advance(0.01)
    assert room.table.state_name == "playing"
    assert third.all(wire.DealEnded)


@pytest.mark.parametrize("journal", [True, False])
def test_a_killed_owner_of_the_tournament_goes_on_with_the_answers(room, journal):
    """What was accepted stays so; without the journal play goes on, and nothing is paid."""
    first, second, third = room.players
    view = opened(room, first)
    answers(room, second, view)
    room.restart_tournament(journal=journal)
    room.clock.advance(1.1)
    if journal:
        assert (
            room.snapshot().tournament.deal
            == replace_accepted(
                structs.replace(
                    room.snapshot(), tournament=structs.replace(room.snapshot().tournament, deal=view)
                ),
                second.name,
            ).tournament.deal
        )
        answers(room, third, view)
        room.clock.advance(1.1)
        assert room.row().phase == "finished"
        assert sum(prizes(room).values()) == 720
    else:
        assert ends(first) == [("stopped", None)]
        assert room.row().deal is None
        assert room.table.state_name == "playing"


def test_a_killed_table_keeps_proposal_and_answers(room):
    """Those that its tournament has not heard of, too."""
    first, second, third = room.players
    room.lost = lambda letter: isinstance(letter, DeskReport)
    assert isinstance(proposes(room, first), wire.Ok)
    room.lost = lambda _: False
    room.restart_table()
    for client in room.players:
        room.ask(client, wire.Observe)
    room.clock.advance(6)
    room.fold_out()
    view = room.snapshot().tournament.deal
    assert view.proposer == first.name
    room.lost = lambda letter: isinstance(letter, DeskReport)
    answers(room, second, view)
    room.restart_table()
    room.lost = lambda _: False
    for client in room.players:
        room.ask(client, wire.Observe)
    room.clock.advance(6)
    answers(room, third, view)
    room.clock.advance(1.1)
    assert room.row().phase == "finished"


@pytest.mark.parametrize("aside", [0, 100])
@pytest.mark.parametrize("journal", [True, False])
def test_an_owner_that_dies_once_the_ledger_has_the_deal_pays_it_once(room, journal, aside):
    """The next one reads the deal in the ledger, with the journal or without it."""
    first, second, third = room.players
    view = opened(room, first, "chips", aside)
    answer = held(room, "give_places" if aside == 0 else "agree_deal")
    answers(room, second, view)
    answers(room, third, view)
    kept = list(room.tournament_journal.kept)
    room.tournament.stop()
    answer()
    assert room.row().deal is not None
    room.tournament_journal.kept[:] = kept
    room.restart_tournament(journal=journal)
    room.clock.advance(1.1)
    due = {share.name: share.chips for share in view.shares}
    if aside:
        assert room.row().phase == "running"
        room.play_out()
        winner = next(place for place in room.row().places if place.number == 1)
        due[next(each.name for each in room.players if each.account == winner.account)] += 100
    assert (room.row().phase, prizes(room)) == ("finished", due)
    assert now(room.ledger.audit()).differences == ()


def test_plans_that_are_lost_lose_no_step(room):
    """The viewers are told each end and each offer, whichever plans have come."""
    first, second, third = room.players
    assert isinstance(proposes(room, first), wire.Ok)
    room.lost = lambda letter: isinstance(letter, SeatPlan)
    room.fold_out()
    room.clock.advance(3)
    room.lost = lambda _: False
    room.clock.advance(6)
    view = room.snapshot().tournament.deal
    room.lost = lambda letter: isinstance(letter, SeatPlan)
    answers(room, second, view)
    answers(room, third, view)
    room.clock.advance(3)
    room.lost = lambda _: False
    room.clock.advance(6)
    assert ends(first) == [("agreed", None)]
    assert room.row().phase == "finished"


def test_a_deal_cannot_be_rolled_back_and_forward_it_pays_what_was_agreed(room):
    """The operator may still end the play for the rest, which is shared by chips."""
    first, second, third = room.players
    view = opened(room, first, "chips", aside=100)
    answers(room, second, view)
    answers(room, third, view)
    room.clock.advance(0.01)
    with pytest.raises(OrderRefused) as refused:
        now(room.tournament.roll_back())
    assert refused.value.code == "tournament_prizes_won"
    now(room.tournament.roll_forward())
    room.clock.advance(0.01)
    assert room.row().phase == "rolled_forward"
    assert sum(prizes(room).values()) == 720
    own = {share.name: share.chips for share in view.shares}
    parts = {name: prize - own[name] for name, prize in prizes(room).items()}
    assert sum(parts.values()) == 100
    assert min(parts.values()) > 0


def kept_open():
    """A room in which carol has refused the deal of alice, that bob has accepted; the journal is from before that."""
    room = begun()
    alice, bob, carol = room.players
    view = opened(room, alice)
    answers(room, bob, view)
    before = list(room.tournament_journal.kept)
    answers(room, carol, view, accept=False)
    room.clock.advance(0.01)
    return room, view, before


def test_a_deal_that_was_refused_does_not_come_back_while_a_hand_is_dealt():
    """Its journal was lost with the node. No deal is made with cards in hand, and no hand is void for one."""
    room, view, before = kept_open()
    assert room.table.state_name == "playing"
    room.tournament_journal.kept[:] = before
    room.restart_tournament()
    room.clock.advance(1.1)
    answers(room, room.players[2], view)
    room.clock.advance(0.1)
    assert (room.row().phase, room.row().deal, room.table.state_name) == ("running", None, "playing")
    room.fold_out()
    room.clock.advance(3)
    assert now(room.ledger.audit()).differences == ()
    room.stop()


def test_a_deal_that_was_refused_does_not_come_back_after_a_hand():
    """Its stacks are those of before; the tournament plays on."""
    room, view, before = kept_open()
    room.fold_out()
    room.tournament_journal.kept[:] = before
    room.restart_tournament()
    room.clock.advance(8)
    for player in room.players[1:]:
        answers(room, player, view)
    room.clock.advance(1.1)
    assert (room.row().phase, room.row().deal) == ("running", None)
    assert room.snapshot().tournament.deal is None
    assert room.table.state_name == "playing"
    room.stop()


def test_no_deal_is_proposed_while_the_tournament_is_paused():
    """It would end at once, for all to see, as often as it is proposed."""
    room = begun()
    now(room.tournament.pause())
    room.fold_out()
    assert code(proposes(room, room.players[2])) == "deal_paused"
    assert ends(room.players[0]) == []
    room.stop()


def bet_and_called(room, to=800):
    """Play the hand to its end: one player bets or raises, the next one calls, the others fold, then all check."""
    hand_id, called = room.table.game.play.hand_id(), False
    room.act("raise" if room.turn().call_amount else "bet", to)
    while room.table.state_name == "playing" and room.table.game.play.hand_id() == hand_id:
        turn = room.turn()
        if not called:
            room.act("call")
            called = True
        else:
            room.act("check" if turn.check else "fold")


def test_a_chip_chop_above_the_first_prize_is_refused_and_not_told():
    """With 1.44 set aside, more than half of all chips come to more than the 2.16 that are left of the first prize."""
    room = begun(hand_pause_ms=2_000)
    for _ in range(8):
        bet_and_called(room)
        if max(seat.stack for seat in room.snapshot().seats) > 2_250:
            break
        room.clock.advance(2.1)
    asker = room.players[2]
    before = len(room.players[0].got)
    assert [code(proposes(room, asker, "chips", 144)) for _ in range(3)] == ["chip_chop_too_large"] * 3
    assert len(room.players[0].got) == before
    assert isinstance(proposes(room, asker, "icm", 144), wire.Ok)
    room.stop()


def test_a_deal_that_the_ledger_refuses_ends_and_play_goes_on(room, monkeypatch):
    """It is not a fault that freezes the tournament: the players may be asked again."""
    first, second, third = room.players
    view = opened(room, first)
    answers(room, second, view)
    monkeypatch.setattr(room.ledger, "agree_deal", lambda *_: fail(LedgerConflict("another stack")))
    answers(room, third, view)
    room.clock.advance(0.1)
    assert [ends(client) for client in room.players] == [[("stopped", None)]] * 3
    assert (room.row().phase, room.row().deal, room.table.state_name) == ("running", None, "playing")
    room.fold_out()
    assert now(room.ledger.audit()).differences == ()
