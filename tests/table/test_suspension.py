"""A table whose node may not act for a while, or may not deal, and one that is handed over to another node."""

from __future__ import annotations

from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code
from tests.poker.support import Client, Room


def playing(**changes: object) -> tuple[Room, Client, Client]:
    """Two players and their first hand."""
    room = Room(**changes)
    anna, ben = room.client("anna"), room.client("ben")
    room.sit(anna, ben)
    return room, anna, ben


def suspend(room: Room) -> None:
    """What the node does."""
    lease = room.table.context.lease
    lease.acts = lease.deals = False
    room.table.suspended()


def license_again(room: Room) -> None:
    lease = room.table.context.lease
    lease.acts = lease.deals = True
    room.table.lease_renewed(whole_clocks=True)


def notices(client: Client) -> list[str]:
    return [notice.state for notice in client.all(wire.TableNotice)]


def test_a_waiting_table_refuses_and_changes_nothing():
    """Whatever is asked of it is `unavailable`; a player who looks is shown the hand where it stands."""
    room, anna, _ = playing()
    turn = room.turn()
    suspend(room)

    refused = room.act("call")
    chat = room.answer(anna, wire.Chat, text="hello?")
    shown = room.answer(anna, wire.GetSnapshot)

    assert (refused.code, chat.code) == (Code.UNAVAILABLE, Code.UNAVAILABLE)
    assert (shown.hand.hand_id, shown.hand.turn.seq) == (turn.hand_id, turn.seq)
    assert not anna.all(wire.Acted)
    room.stop()


def test_players_hear_once_that_it_waits_and_once_that_it_goes_on():
    """However often the node says so."""
    room, anna, ben = playing()
    suspend(room)
    suspend(room)
    assert notices(anna) == notices(ben) == ["frozen"]

    license_again(room)
    license_again(room)

    assert notices(anna) == notices(ben) == ["frozen", "running"]
    room.stop()


def test_h1_no_clock_decides_while_no_player_can_act():
    """The decision has its whole clock again when the table goes on, and all viewers are told its times."""
    room, anna, _ = playing()
    first = room.turn()
    room.clock.advance(25)
    suspend(room)
    room.clock.advance(500)
    assert not anna.all(wire.Acted)

    license_again(room)

    again = room.turn()
    assert (again.seat, again.hand_id) == (first.seat, first.hand_id)
    assert again.deadline_ms == int(room.clock.seconds() * 1000) + 30_000
    room.clock.advance(29)
    assert not anna.all(wire.Acted)
    room.clock.advance(2)
    assert anna.last(wire.Acted).by_clock
    room.stop()


def test_the_time_bank_is_not_used_up_by_waiting_for_the_room():
    """The rest of the time bank is the same before and after the suspension."""
    room, _, _ = playing(time_bank_s=60)
    room.clock.advance(30)  # the clock is out, the bank runs
    room.clock.advance(10)
    suspend(room)
    room.clock.advance(20)

    license_again(room)

    assert room.turn().time_bank_ms == 50_000
    assert not room.turn().in_time_bank
    room.stop()


def test_a_turn_that_was_not_told_is_not_asked_again():
    """Its clock has not begun: it begins when the journal has what led to it."""
    room, anna, _ = playing()
    room.journal.hold = True
    room.act_blindly("call")
    turns = len(anna.all(wire.Turn))
    suspend(room)

    license_again(room)
    assert len(anna.all(wire.Turn)) == turns
    room.journal.hold = False
    room.journal.store()

    assert len(anna.all(wire.Turn)) == turns + 1
    room.stop()


def test_a_frozen_table_says_no_more():
    """It has said that it stands; and what its node may do does not let it go on."""
    room, anna, _ = playing()
    room.table.freeze()
    suspend(room)
    license_again(room)

    assert notices(anna) == ["frozen"]
    assert room.table.state_name == "frozen"
    room.stop()


def test_no_hand_begins_while_the_ledger_is_away():
    """The hand in progress is played; the next one is dealt when the node says that it may."""
    room, anna, _ = playing()
    hand = room.turn().hand_id
    room.table.context.lease.deals = False

    room.act("fold")
    room.clock.advance(60)
    assert anna.last(wire.HandEnded).hand_id == hand
    assert anna.last(wire.HandStarted).hand_id == hand

    room.table.context.lease.deals = True
    room.table.lease_renewed(whole_clocks=False)
    assert anna.last(wire.HandStarted).hand_id != hand
    assert notices(anna) == []
    room.stop()


def test_a_table_is_handed_over_between_hands_and_says_nothing():
    """It is ready when its hand is settled and all is stored; newcomers may sit down until then."""
    room, anna, _ = playing()
    cleo = room.client("cleo")
    handed = room.table.hand_over()
    assert not handed.called
    assert isinstance(room.answer(cleo, wire.SitDown, buy_in=5_000), wire.Snapshot)

    room.act("fold")
    room.clock.advance(10)

    assert handed.called
    assert room.table.game.play.hand_id() is None
    assert notices(anna) == []
    assert len(anna.all(wire.HandStarted)) == 1
    room.stop()


def test_what_is_under_way_to_the_journal_is_told_before_it_is_handed_over():
    """An answer that waits for the journal comes from the node that took the request."""
    room, anna, _ = playing()
    room.act("fold")
    room.clock.advance(0)
    room.act("fold")
    room.journal.hold = True
    number = room.ask(anna, wire.SitOut)

    handed = room.table.hand_over()
    while room.table.game.play.hand_id() is not None:
        room.journal.store()
        room.clock.advance(1)
    room.journal.store()
    room.clock.advance(1)

    assert handed.called
    assert [type(message) for message in anna.got if getattr(message, "re", None) == number] == [wire.Ok]
    room.stop()
