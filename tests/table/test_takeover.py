"""One connection of an account has a table: the latest that observes it. The others keep their other tables."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pokerroom_protocol import messages as wire
from tests.poker.support import Client, Room


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room()
    yield room
    room.stop()


def seated(room: Room) -> tuple[Client, Client]:
    """Two players in a hand; anna's client has a name of its own."""
    anna, bert = room.client("anna"), room.client("bert")
    anna.instance = "tab 1"
    room.sit_together(anna, bert)
    return anna, bert


def window(client: Client, instance: str = "tab 2") -> Client:
    """Another connection of the same account."""
    other = Client(client.name, client.account)
    other.instance = instance
    return other


def code(answer: wire.Answer) -> str | None:
    return answer.code if isinstance(answer, wire.Error) else None


def test_a_table_opened_elsewhere_leaves_the_first_connection(room):
    """It is told once and gets no more of the table; the new one has the cards, and the seat stays connected."""
    anna, bert = seated(room)
    again = window(anna)

    shown = room.answer(again, wire.Observe)

    assert isinstance(shown, wire.Snapshot)
    assert shown.your_seat == 1
    assert shown.seats[0].cards == anna.last(wire.HoleCards).cards
    assert anna.all(wire.TableTaken) == [wire.TableTaken(table="t1")]
    assert not again.all(wire.TableTaken)
    told = len(anna.got)
    room.check_down()
    room.clock.advance(10)
    assert len(anna.got) == told
    assert again.all(wire.HandEnded)
    assert not [event for event in bert.all(wire.SeatChanged) if not event.connected]


def test_the_first_connection_can_do_nothing_at_the_table_until_it_takes_it_back(room):
    """Each request is refused and changes nothing; `observe` moves the table back."""
    anna, _ = seated(room)
    again = window(anna)
    room.ask(again, wire.Observe)
    turn = room.turn()
    assert turn.seat == 1
    act = {"hand_id": turn.hand_id, "seq": turn.seq, "action": "fold"}
    seq = room.table.announcer.seq

    refused = [
        room.answer(anna, wire.Act, **act),
        room.answer(anna, wire.SitOut),
        room.answer(anna, wire.TopUp, amount=100),
        room.answer(anna, wire.StandUp),
        room.answer(anna, wire.Chat, text="hello"),
        room.answer(anna, wire.GetSnapshot),
        room.answer(anna, wire.Unobserve),
        room.answer(anna, wire.Observe, take_over=False),
    ]

    assert {code(answer) for answer in refused} == {"table_taken"}
    assert room.table.announcer.seq == seq
    assert isinstance(room.answer(anna, wire.Observe), wire.Snapshot)
    assert again.all(wire.TableTaken)
    assert code(room.answer(again, wire.Act, **act)) == "table_taken"
    assert isinstance(room.answer(anna, wire.Act, **act), wire.Ok)


def test_observing_without_taking_over_takes_a_free_table(room):
    """No other client of the account has it, or the same client has connected again."""
    anna, _ = seated(room)
    again = window(anna, anna.instance)

    assert isinstance(room.answer(again, wire.Observe, take_over=False), wire.Snapshot)
    assert not anna.all(wire.TableTaken), "its connection is about to be closed"
    assert room.viewers().count(anna) == 0
    room.table.viewer_gone(again)
    assert isinstance(room.answer(window(anna), wire.Observe, take_over=False), wire.Snapshot)


def test_a_table_taken_while_the_ledger_is_asked_stays_with_the_later_connection(room):
    """The first one's snapshot is refused, and its end does not make the seat's holder absent."""
    anna, bert = seated(room)
    room.settler.hold = True
    while room.table.state_name == "playing":
        room.act("check" if room.turn().check else "call")
    number = room.ask(anna, wire.GetSnapshot)
    again = window(anna)
    asked = room.ask(again, wire.Observe)
    room.table.viewer_gone(anna)

    room.settler.commit()
    room.clock.advance(0)

    answers = [message for message in anna.got if getattr(message, "re", None) == number]
    assert not any(isinstance(answer, wire.Snapshot) for answer in answers)
    assert again.last(wire.Snapshot).re == asked
    assert room.table.game.seats.seats[1].connected
    assert not [event for event in bert.all(wire.SeatChanged) if not event.connected]


def test_a_request_pending_at_the_old_connection_is_refused(room):
    """It hears why, and the table stays where it is."""
    anna, _ = seated(room)
    room.settler.hold = True
    while room.table.state_name == "playing":
        room.act("check" if room.turn().check else "call")
    number = room.ask(anna, wire.GetSnapshot)
    again = window(anna)
    room.ask(again, wire.Observe)

    room.settler.commit()

    [answer] = [message for message in anna.got if getattr(message, "re", None) == number]
    assert code(answer) == "table_taken"
    assert again in room.viewers()
    assert anna not in room.viewers()


def test_the_end_of_the_connection_that_has_the_table_makes_its_player_absent(room):
    """The account's other connection does not show the table, so the player is away from it."""
    anna, bert = seated(room)
    again = window(anna)
    room.ask(again, wire.Observe)

    again.connected = False
    room.table.viewer_gone(again)

    assert not bert.last(wire.SeatChanged).connected
    assert isinstance(room.answer(anna, wire.Observe), wire.Snapshot)
    assert bert.last(wire.SeatChanged).connected


def test_a_spectator_watches_over_one_connection():
    """Also where spectators see the table later."""
    room = Room(observer_delay_s=5)
    anna = room.client("anna")
    anna.instance = "tab 1"
    room.ask(anna, wire.Observe)
    again = window(anna)

    assert code(room.answer(again, wire.Observe, take_over=False)) == "table_taken"
    room.ask(again, wire.Observe)

    assert room.viewers() == [again]
    room.stop()
    assert anna.all(wire.TableTaken)
