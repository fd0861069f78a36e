"""A table that has another owner: it stops at once and in silence, and changes nothing any more."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from twisted.internet.defer import Deferred

from pokerroom.ops.reports import OrderRefused
from pokerroom.poker import recovery
from pokerroom.table.actor import TableActor
from pokerroom_protocol import messages as wire
from tests.poker.support import OPENING, Client, Room, now


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    yield room
    room.stop()


def take(room: Room) -> None:
    """Another node has the table from now on."""
    assert now(room.ledger.take_table("t1", "n2", 1)) == 2


def told(*clients: Client) -> list[int]:
    return [len(client.got) for client in clients]


def decide(table: TableActor, client: Client, action: str, amount: int | None = None) -> None:
    """The decision that a table awaits, whatever the client was told by others."""
    decision = table.game.hand.decision
    hand_id, seq = decision.play.hand_id, decision.seqs[-1]
    act = wire.Act(id=client.next_id(), table="t1", hand_id=hand_id, seq=seq, action=action, amount=amount)
    table.request(client, act)


def settle(room: Room) -> None:
    room.act_blindly("fold")


def buy_in(room: Room) -> None:
    room.ask(room.client("late"), wire.SitDown, buy_in=5_000)


def top_up(room: Room) -> None:
    room.ask(room.at(1), wire.TopUp, amount=1_000)


def cash_out(room: Room) -> None:
    room.ask(room.at(3), wire.StandUp)


@pytest.mark.parametrize("write", [settle, buy_in, top_up, cash_out])
def test_a_table_stops_when_the_ledger_says_that_it_is_anothers(room, write: Callable[[Room], None]):
    """Whatever was to be written: no client is told anything more, no work is left, and the room is told."""
    anna, bert, carl = (room.client(name) for name in ("anna", "bert", "carl"))
    room.sit(anna, bert, buy_in=5_000)
    room.sit(carl, buy_in=5_000)  # carl waits for the next hand
    take(room)
    before = now(room.ledger.seats())

    write(room)

    assert not [kind for kind in (wire.HandEnded, wire.SeatLeft, wire.TableNotice) if carl.all(kind)]
    assert [event.name for event in bert.all(wire.SeatTaken)] == ["carl"]
    assert (room.relinquished, room.counts.crashes, room.table.relinquished) == (1, 0, True)
    assert now(room.ledger.seats()) == before
    assert not [call for call in room.clock.getDelayedCalls() if call.getTime() > room.clock.seconds()]
    journal, heard = len(room.journal.all), told(anna, bert, carl)
    room.clock.advance(200)
    assert (len(room.journal.all), told(anna, bert, carl)) == (journal, heard)
    assert room.relinquished == 1


def test_a_relinquished_table_refuses_whoever_still_asks_it(room):
    """Until its node has found the next owner: `unavailable`, and nothing is done."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    turn = room.turn()
    room.table.relinquish()
    entries = len(room.journal.all)

    answer = room.answer(
        room.at(turn.seat), wire.Act, hand_id=turn.hand_id, seq=turn.seq, action="fold", amount=None
    )

    assert answer.code == "unavailable"
    assert len(room.journal.all) == entries
    assert room.table.unanswered() == []
    assert room.relinquished == 0, "the room has said it"


def test_what_waits_for_the_journal_is_not_told_after_the_table_is_lost(room):
    """A step that the next owner may know or not: its player gets no answer from here, and is known to wait."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.journal.hold = True
    actor = room.at(room.turn().seat)
    number = room.act_blindly("call")
    heard = told(anna, bert)

    room.table.relinquish()
    room.journal.store()
    room.clock.advance(100)

    assert told(anna, bert) == heard
    assert room.table.unanswered() == [(actor, number)]


def test_every_request_is_known_until_it_is_answered(room):
    """Those that wait for the journal, a result or the ledger; not those answered, refused, or of lost clients."""
    anna, bert, carl, dora, emil = (room.client(name) for name in ("anna", "bert", "carl", "dora", "emil"))
    room.sit(anna, bert, buy_in=5_000)
    room.answer(anna, wire.Unobserve)
    room.answer(carl, wire.GetSnapshot)
    room.answer(emil, wire.Observe)
    room.answer(emil, wire.Unobserve)
    assert room.table.unanswered() == []
    room.settler.hold = True
    room.act("fold")
    room.ledger.left_with = lambda *_: Deferred()
    waiting = [
        (anna, room.ask(anna, wire.TopUp, amount=1_000)),
        (carl, room.ask(carl, wire.Observe)),
        (dora, room.ask(dora, wire.SitDown, buy_in=5_000)),
    ]
    room.ask(emil, wire.Observe)
    room.table.viewer_gone(emil)

    assert sorted(room.table.unanswered(), key=waiting.index) == waiting
    room.table.relinquish()
    room.settler.commit()
    assert sorted(room.table.unanswered(), key=waiting.index) == waiting


@pytest.mark.parametrize("door", ["drain", "hand_over"])
def test_no_player_waits_for_the_hands_of_a_table_that_is_lost(room, door):
    """Neither who has waited before, nor who asks later."""
    room.sit(room.client("anna"), room.client("bert"))
    before = getattr(room.table, door)()
    assert not before.called

    room.table.relinquish()

    assert before.called
    assert getattr(room.table, door)().called


def test_an_order_that_is_not_done_when_the_table_is_lost_fails(room):
    """The operator is told that the table is gone, once, and does not wait for ever."""
    room.sit(room.client("anna"), room.client("bert"))
    now(room.table.freeze())
    room.journal.hold = True
    ordered = room.table.void_hand()
    assert not ordered.called

    room.table.relinquish()

    with pytest.raises(OrderRefused, match="left this node") as refused:
        now(ordered)
    assert refused.value.code == "table_stopped"
    room.journal.store()


def test_a_frozen_table_that_is_lost_does_not_begin_again(room):
    """Its restart was due; it is the next owner's business."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.table.mailbox.post(_raise)
    assert anna.last(wire.TableNotice).state == "frozen"
    heard = told(anna, bert)

    room.table.relinquish()
    room.clock.advance(60)

    assert told(anna, bert) == heard
    assert room.table.state_name == "frozen"


def test_a_table_that_is_lost_in_the_middle_of_a_message_ends_it_first(room):
    """The journal may say so out of an append: the work is completed, told to no client, and no fault."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    append = room.journal.append

    def sealed(*entry: Any) -> None:
        room.table.relinquish()
        append(*entry)

    room.journal.append = sealed
    heard = told(anna, bert)

    room.act_blindly("call")

    assert told(anna, bert) == heard
    assert room.counts.crashes == 0
    assert not room.clock.getDelayedCalls()


def test_a_fault_after_the_table_is_lost_changes_nothing(room, capsys):
    """It is in the log, and nowhere else."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    heard = told(anna, bert)

    def lost_and_broken() -> None:
        room.table.relinquish()
        raise ZeroDivisionError

    room.table.mailbox.post(lost_and_broken)

    assert "ZeroDivisionError" in capsys.readouterr().out
    assert (told(anna, bert), room.counts.crashes) == (heard, 0)


def test_observers_who_see_a_table_later_see_no_more_of_a_lost_one():
    """No viewer is shown what the delayed view still had to show."""
    room = Room(observer_delay_s=30)
    olga = room.client("olga")
    room.sit(room.client("anna"), room.client("bert"))
    room.ask(olga, wire.Observe)
    heard = told(olga)

    room.table.relinquish()
    room.clock.advance(60)

    assert told(olga) == heard
    assert olga in list(room.table.outbox.viewers()), "the next owner must find the viewer"
    room.stop()


def test_the_next_owner_plays_the_hand_and_the_last_one_settles_nothing(room):
    """An owner that was stopped in mid-hand and goes on after the takeover: one of them settles, and once."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.act("call")
    first, blinds = room.table, room.at(room.turn().seat)
    take(room)
    room.epoch = 2
    room.table = second = room.open()
    second.restore(now(room.ledger.seats()), list(room.journal.kept), frozenset())
    for client in (anna, bert):
        second.rejoin(client)
    decide(second, blinds, "raise", 300)
    decide(second, anna if blinds is bert else bert, "fold")
    assert [settlement.epoch for settlement in room.settler.settled] == [room.epoch]
    stacks = {row.account: row.stack for row in now(room.ledger.seats())}

    decide(first, blinds, "fold")

    assert (first.relinquished, room.relinquished, second.relinquished) == (True, 1, False)
    assert {row.account: row.stack for row in now(room.ledger.seats())} == stacks
    assert now(room.ledger.audit()).hands == 1
    room.clock.advance(0)
    assert second.state_name == "playing", "it plays the next hand"


def test_an_account_with_too_many_tables_elsewhere_is_refused(room):
    """The ledger counts those of all nodes; the seat is free again, and a held one stays held."""
    room.tables_max = 2
    room.table = room.open()
    anna = room.client("anna")
    for table in ("t2", "t3"):
        room.spend_elsewhere(anna, 2_000, table)
    assert room.answer(anna, wire.SitDown, buy_in=5_000).code == "too_many_tables"
    assert len(room.table.game.seats.seats) == 0
    assert room.seats.tables_of(anna.account) == []
    room.answer(anna, wire.ReserveSeat)
    assert room.answer(anna, wire.SitDown, buy_in=5_000).code == "too_many_tables"
    assert room.table.game.seats.reserved() == [1]
    assert now(room.ledger.wallet(anna.account)) == OPENING - 4_000
    assert room.counts.crashes == 0

    now(room.ledger.cash_out("cashout:" + 32 * "1", "t3", 1, anna.account))
    assert isinstance(room.answer(anna, wire.SitDown, buy_in=5_000), wire.Snapshot)


def test_an_owner_names_its_epoch_in_all_it_asks(room):
    """A later owner's table buys in, tops up, settles and cashes out under its own epoch."""
    take(room)
    room.epoch = 2
    room.table = room.open()
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert, buy_in=5_000)
    room.act("fold")
    assert isinstance(room.answer(anna, wire.TopUp, amount=1_000), wire.Ok)
    room.ask(anna, wire.StandUp)
    assert {settlement.epoch for settlement in room.settler.settled} == {room.epoch}
    assert [row.account for row in now(room.ledger.seats())] == [bert.account]
    assert room.relinquished == 0


def _raise() -> None:
    raise ZeroDivisionError


def test_a_table_is_handed_over_with_the_button_and_the_seats_in_its_journal(room):
    """The next owner finds them: `hand_over` fires behind the entry that follows a settled hand."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert, buy_in=5_000)
    known: list[int] = []
    room.table.hand_over().addCallback(lambda _: known.append(len(room.journal.all)))
    hand_id = room.turn().hand_id

    room.act("fold")

    assert known == [len(room.journal.all)]
    assert recovery.hand_in_progress(room.journal.kept) is None
    assert recovery.read(room.journal.kept).positions is not None
    assert now(room.ledger.settled_hands([hand_id])) == {hand_id}
