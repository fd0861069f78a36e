"""The way of a hand through the table: journal, then told; ledger, then told."""

from __future__ import annotations

import json
from collections.abc import Iterator

import msgpack
import pytest
from cryptography.exceptions import InvalidTag
from twisted.internet.defer import Deferred

from pokerroom.history.hidden_cards import HAND_RECORDS, with_all_cards
from pokerroom.ledger.api import LedgerConflict
from pokerroom.poker.journal import HandDealt, TableKept, decode
from pokerroom.poker.seat_facts import decode_seat_facts
from pokerroom.rules.cards import card_text
from pokerroom.rules.data import state_from_data
from pokerroom.rules.planned_hand import Positions
from pokerroom.table.seal import Seal
from pokerroom_protocol import messages as wire
from tests.poker.support import Client, Room, now


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    yield room
    room.stop()


def test_first_sitter_has_the_button_and_two_play_heads_up(room):
    """B1, B4: the first to sit gets the button, and heads-up the button posts the small blind and acts first."""
    anna, bert = room.client("anna"), room.client("bert")

    room.sit(anna, bert)

    started = bert.last(wire.HandStarted)
    assert (started.button, started.small_blind, started.big_blind) == (1, 1, 2)
    assert room.turn().seat == 1


def test_a_hand_begins_with_what_each_player_posts(room):
    """B2: the blinds are told one by one, the small blind first, between the start and the deal."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)

    posted = [(post.seat, post.kind, post.amount, post.stack) for post in bert.all(wire.Posted)]
    assert posted == [(1, "small_blind", 50, 9_950), (2, "big_blind", 100, 9_900)]
    events = bert.got[bert.got.index(bert.last(wire.HandStarted)) :]
    assert [type(event) for event in events[:4]] == [
        wire.HandStarted,
        wire.Posted,
        wire.Posted,
        wire.HoleCards,
    ]


def test_only_the_owner_gets_their_hole_cards(room):
    """Each player's deal event has their own cards; an observer's has none."""
    anna, bert, olga = (room.client(name) for name in ("anna", "bert", "olga"))
    room.ask(olga, wire.Observe)
    room.sit(anna, bert)

    mine, his, none = (client.last(wire.HoleCards) for client in (anna, bert, olga))

    assert mine.cards is not None
    assert his.cards is not None
    assert set(mine.cards).isdisjoint(his.cards)
    assert none.cards is None
    assert mine.seq == his.seq == none.seq


def test_nothing_is_told_before_it_is_in_the_journal(room):
    """An action, its answer and the next turn wait for the journal, and leave together."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.journal.hold = True
    before = len(anna.got), len(bert.got)
    turn = room.turn()

    number = room.ask(anna, wire.Act, hand_id=turn.hand_id, seq=turn.seq, action="call")

    assert (len(anna.got), len(bert.got)) == before
    room.journal.store()
    assert wire.Ok(re=number) in anna.got
    assert bert.last(wire.Acted).action == "call"


def test_winning_is_told_only_after_the_commit(room):
    """The last fold is told when it is journalled; the pot and the end of the hand only after the ledger has it."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.settler.hold = True

    room.act("fold")

    assert bert.last(wire.Acted).action == "fold"
    assert not bert.all(wire.PotAwarded)
    assert not bert.all(wire.HandEnded)
    room.settler.commit()
    assert bert.last(wire.PotAwarded).shares == [wire.Share(seat=2, amount=100)]
    assert {seat.seat: seat.stack for seat in bert.last(wire.HandEnded).stacks} == {1: 9_950, 2: 10_050}


def test_a_snapshot_asked_while_the_result_is_at_the_ledger_waits_for_it(room):
    """No client learns a result from a snapshot before the commit."""
    anna, bert, olga = (room.client(name) for name in ("anna", "bert", "olga"))
    room.sit(anna, bert)
    room.settler.hold = True
    room.act("fold")

    room.ask(olga, wire.Observe)

    assert not olga.got
    room.settler.commit()
    assert olga.last(wire.Snapshot).hand is None
    assert {seat.seat: seat.stack for seat in olga.last(wire.Snapshot).seats} == {1: 9_950, 2: 10_050}


def test_a_seat_change_while_the_result_is_at_the_ledger_waits_for_it(room):
    """A player who vanishes, or sits out, between the last action and the commit gives no result away."""
    anna, bert, olga = (room.client(name) for name in ("anna", "bert", "olga"))
    room.ask(olga, wire.Observe)
    room.sit(anna, bert)
    room.settler.hold = True
    room.act("fold")
    before = len(olga.got)

    assert isinstance(room.answer(anna, wire.SitOut), wire.Ok)
    bert.connected = False
    room.table.viewer_gone(bert)

    assert not [message for message in olga.got[before:] if isinstance(message, wire.SeatChanged)]
    room.settler.commit()
    assert {message.seat: message.stack for message in olga.all(wire.SeatChanged)} == {1: 9_950, 2: 10_050}


def test_events_have_no_gaps_for_any_viewer(room):
    """Every viewer gets every event of the table under consecutive numbers, from their snapshot on."""
    clients = [room.client(name) for name in ("anna", "bert", "carl")]
    room.sit(*clients)
    olga = room.client("olga")
    room.ask(olga, wire.Observe)

    for _ in range(20):
        room.check_down()
        room.clock.advance(0)

    for client in (*clients, olga):
        seqs = [message.seq for message in client.all(wire.Event)]
        first = client.all(wire.Snapshot)[0].seq
        assert [seq for seq in seqs if seq > first] == list(range(first + 1, seqs[-1] + 1))


def test_chips_are_conserved_over_many_hands(room):
    """A2: whatever is played, stacks and wallets add up to what the bank gave out, and the audit finds nothing."""
    clients = [room.client(name) for name in ("anna", "bert", "carl", "dora")]
    room.sit_together(*clients)

    for hand in range(20):
        turn = room.turn()
        if hand % 3 == 0 and turn.min_raise_to is not None:
            room.act("raise", turn.min_raise_to)
        room.check_down()
        room.clock.advance(0)

    report = now(room.ledger.audit())
    assert report.differences == ()
    assert report.hands >= 20


def test_the_record_of_a_hand_holds_every_accepted_action(room):
    """What was told as acted stands in the settled hand's record in the same order."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    hand_id = room.turn().hand_id

    room.act("raise", 300)
    room.act("call")
    room.act("bet", 400)
    room.act("fold")

    record = next(s for s in room.settler.settled if s.hand_id == hand_id).record.decode()
    for told in ('["raise",1,250,300]', '["call",2,200,300]', '["bet",2,400,400]', '["fold",1,0,0]'):
        assert told in record


def test_cards_are_not_in_the_journal_in_clear(room):
    """The deal's entry holds the cards sealed, for this hand and key alone; no other entry holds any."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    play = room.table.game.hand.play
    room.act("call")
    room.act("check")

    deal, *steps = map(decode, room.journal.kept)

    assert isinstance(deal, HandDealt)
    hand_id, sealed = deal.hand_id, deal.cards
    assert (deal.started_ms, deal.seats) == (play.started_ms, [(2, bert.account), (1, anna.account)])
    assert [(step.hand_id, step.step, step.seat, step.action) for step in steps] == [
        (hand_id, 2, 1, "call"),
        (hand_id, 3, 2, "check"),
    ]
    seal = room.table.context.seal
    assert state_from_data(msgpack.unpackb(seal.open(sealed, hand_id))).setup == play.state.setup
    for entry in room.journal.kept:
        assert b"holes" not in entry
    with pytest.raises(InvalidTag):
        seal.open(sealed, "another hand")
    with pytest.raises(InvalidTag):
        Seal(bytes([1]) * 32).open(sealed, hand_id)


def test_the_ledger_gets_no_card_in_clear_that_was_not_turned_up(room):
    """After a fold all hole cards are sealed for this hand; the room's key opens them."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    play = room.table.game.hand.play
    room.act("fold")
    record = json.loads(room.settler.settled[0].record)
    assert [seat["cards"] for seat in record["seats"]] == [None, None]
    held = [[card_text(card) for card in player.holes] for player in play.state.setup.players]
    opened = with_all_cards(record, Seal(room.key).of(HAND_RECORDS))
    assert [seat["cards"] for seat in opened["seats"]] == held


def test_a_settled_hand_leaves_the_journal(room):
    """After the commit the table's journal has no card any more, only where the button was and who sits how."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)

    room.act("fold")

    (entry,) = room.journal.kept
    kept = decode(entry)
    assert isinstance(kept, TableKept)
    assert kept.positions == Positions(button=1, small_blind=1, big_blind=2)
    facts = decode_seat_facts(kept.facts.seats)
    assert (kept.facts.closing, [(fact.account, fact.seat) for fact in facts]) == (
        False,
        [(anna.account, 1), (bert.account, 2)],
    )


def test_a_fault_freezes_the_table_and_changes_no_chips(room):
    """A ledger conflict is our bug: the table freezes, says so, refuses what follows, and no stack has moved."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.settler.fails_with = LedgerConflict("other legs")

    room.act("fold")

    assert room.table.state_name == "frozen"
    assert bert.last(wire.TableNotice).state == "frozen"
    assert not bert.all(wire.HandEnded)
    answer = room.answer(bert, wire.Chat, text="hello?")
    assert isinstance(answer, wire.Error)
    assert answer.code == "table_frozen"
    assert [row.stack for row in now(room.ledger.seats())] == [10_000, 10_000]


def test_a_table_pauses_only_for_a_player_who_wants_to_look():
    """With `hand_pause_ms` the next hand waits while a seated, connected client wants the pause."""
    room = Room(hand_pause_ms=3_000)
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    hands = len(bert.all(wire.HandStarted))
    room.act("fold")
    room.clock.advance(0)
    assert len(bert.all(wire.HandStarted)) == hands + 1

    bert.wants_pause = True
    room.act("fold")
    room.clock.advance(2.9)
    assert len(bert.all(wire.HandStarted)) == hands + 1
    room.clock.advance(0.1)
    assert len(bert.all(wire.HandStarted)) == hands + 2
    room.stop()


def test_drain_finishes_the_hand_and_deals_no_more(room):
    """A drain fires when the hand in progress is settled, and no further hand begins."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    done = []

    room.table.drain().addCallback(done.append)
    assert not done
    room.act("fold")

    assert done == [None]
    hands = len(bert.all(wire.HandStarted))
    room.clock.advance(10)
    assert len(bert.all(wire.HandStarted)) == hands
    late = room.client("late")
    answer = room.answer(late, wire.SitDown, buy_in=5_000)
    assert isinstance(answer, wire.Error)
    assert answer.code == "table_closing"


def test_drain_waits_for_a_buy_in_at_the_ledger(room):
    """Its answer is the table's to give: after the drain no table of this node is here to do so."""
    answer: Deferred[None] = Deferred()
    original, room.ledger.buy_in = room.ledger.buy_in, lambda *_: answer
    anna = room.client("anna")
    room.ask(anna, wire.SitDown, buy_in=5_000)
    done = []

    room.table.drain().addCallback(done.append)
    assert not done
    original("k", "t1", 1, 1, anna.account, 5_000, 4).chainDeferred(answer)

    assert done == [None]


def test_drain_does_not_wait_for_players_who_are_all_gone(room):
    """Without a player to finish the hand only clocks would run: the drain is done, the hand is in the journal."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    for client in (anna, bert):
        client.connected = False
        room.table.viewer_gone(client)
    done = []

    room.table.drain().addCallback(done.append)

    assert done == [None]
    assert [row.stack for row in now(room.ledger.seats())] == [10_000, 10_000]


def test_players_are_told_of_a_drain(room):
    """The table says that it closes; a hand the room does not wait for is left to the journal, not ended."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.act("raise", 300)
    room.table.drain()

    assert bert.last(wire.TableNotice).state == "closing"
    room.table.stop()

    assert not bert.all(wire.HandEnded)
    assert len(room.journal.kept) == 2


def test_every_street_of_a_run_out_says_its_pots(room):
    """With all chips in before the flop, the pots are told with each street."""
    clients = [room.client("anna"), room.client("bert")]
    room.sit(*clients)

    room.act("raise", 10_000)
    room.act("call")

    told = [street.pots for street in clients[0].all(wire.StreetDealt)]
    assert [[(pot.amount, sorted(pot.seats)) for pot in pots] for pots in told] == [[(20_000, [1, 2])]] * 3


def test_restored_seats_without_a_journal_play_on_when_their_holders_sit_in(room):
    """Every stack is as in the ledger, and no player is dealt in before they ask: their requests are unknown."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.act("fold")
    room.table.stop()
    room.table = room.open()
    room.table.restore(now(room.ledger.seats()), [], frozenset())

    again = [Client("anna", anna.account), Client("bert", bert.account)]
    for client in again:
        room.ask(client, wire.Observe)
        assert {seat.status for seat in client.last(wire.Snapshot).seats} == {"sitting_out"}
    assert room.table.state_name == "waiting"
    for client in again:
        assert isinstance(room.answer(client, wire.SitIn), wire.Ok)

    assert {seat.seat: seat.stack for seat in again[1].last(wire.HandStarted).seats} == {1: 9_950, 2: 10_050}


@pytest.mark.parametrize(("moving_button", "button"), [(False, 2), (True, 3)])
def test_the_button_when_the_small_blind_leaves(moving_button, button):
    """B3: a dead button rests on the seat that was left; a table with a moving one gives it to the next player."""
    room = Room(moving_button=moving_button)
    clients = [room.client(name) for name in ("anna", "bert", "carl", "dora")]
    room.sit_together(*clients)
    assert clients[0].last(wire.HandStarted).button == 1
    room.ask(clients[1], wire.StandUp)

    while len(clients[0].all(wire.HandStarted)) == 1:
        room.act("fold")
        room.clock.advance(5)

    started = clients[0].last(wire.HandStarted)
    assert started.button == button
    room.stop()
