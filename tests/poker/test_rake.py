"""The rake of a table's hands (F4): what is told, recorded, booked, and what follows a crash."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from pokerroom.rules.rake import RakeTerms
from pokerroom_protocol import Encoding, encode
from pokerroom_protocol import messages as wire
from tests.poker.support import Client, Room, now

RAKE = RakeTerms(bps=500, caps=((2, 30), (3, 1_000)))


@pytest.fixture
def room() -> Iterator[Room]:
    room = Room(rake=RAKE)
    yield room
    room.stop()


def to_the_flop(room: Room) -> None:
    """Both have 1.00 in, and the flop is dealt."""
    room.act("call")
    room.act("check")


def stacks(room: Room) -> dict[int, int]:
    return {row.account: row.stack for row in now(room.ledger.seats())}


def rakes(room: Room) -> list[int]:
    return [row.rake for row in now(room.ledger.rake_by_day(0, 4_000_000_000_000))]


def two(room: Room) -> tuple[Client, Client]:
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    return anna, bert


def test_a_pot_is_awarded_without_its_rake(room):
    """All viewers hear the pot, its rake and the shares; the ledger has the rake, and nothing is lost."""
    anna, bert = two(room)
    assert anna.last(wire.Snapshot).info.rake == room.settings.info(0, 0).rake
    to_the_flop(room)

    room.act("fold")

    awarded = bert.last(wire.PotAwarded)
    assert (awarded.amount, awarded.rake, [share.amount for share in awarded.shares]) == (200, 10, [190])
    assert sorted(seat.stack for seat in bert.last(wire.HandEnded).stacks) == [9_900, 10_090]
    assert sorted(stacks(room).values()) == [9_900, 10_090]
    assert rakes(room) == [10]
    assert now(room.ledger.audit()).differences == ()


def test_the_cap_is_that_of_the_players_dealt_in(room):
    """Of two players at most 0.30 is taken."""
    two(room)
    room.act("raise", 1_000)
    room.act("call")
    room.act("fold")

    assert rakes(room) == [30]


def test_the_record_has_the_rake_and_each_players_part(room):
    """F5: the parts follow what each has in the pot; the award has the rake beside the shares."""
    two(room)
    to_the_flop(room)
    room.act("bet", 500)
    room.act("raise", 1_200)
    room.act("fold")

    (settled,) = room.settler.settled
    record = json.loads(settled.record)
    assert (settled.rake, record["rake"], record["rake_unit"]) == (30, 30, 1)
    assert [seat["rake"] for seat in record["seats"]] == [15, 15]
    assert record["events"][-1][3:] == [[[1, 1_170]], 30]


def test_a_hand_that_pays_nothing_is_as_at_a_table_without_rake(room):
    """F4: what ends before the flop has no rake in events, record and ledger, also no field for it but the terms."""
    _, bert = two(room)

    room.act("fold")

    (settled,) = room.settler.settled
    assert settled.rake == 0
    assert [name for name in json.loads(settled.record) if "rake" in name] == ["rake_terms"]
    assert b"rake" not in encode(bert.last(wire.PotAwarded), Encoding.JSON)
    assert rakes(room) == []


def test_a_table_without_rake_says_nothing_of_it():
    """No message, record or journalled state has a word of it."""
    room = Room()
    anna, _ = two(room)
    room.check_down()

    assert not [message for message in anna.got if b"rake" in encode(message, Encoding.JSON)]
    assert b"rake" not in room.settler.settled[0].record
    room.stop()


@pytest.mark.parametrize("rake_now", [RAKE, None, RakeTerms(bps=1_000)])
def test_a_hand_that_another_node_plays_on_pays_the_rake_of_its_deal(room, rake_now):
    """After a crash the terms are those of the journal, whatever the settings say by now, and are applied once."""
    anna, bert = two(room)
    to_the_flop(room)
    room.settings = replace(room.settings, rake=rake_now)
    room.table.stop()
    room.table = room.open()
    room.table.restore(now(room.ledger.seats()), list(room.journal.kept), frozenset())
    for client in (anna, bert):
        room.table.rejoin(client)

    turn = bert.last(wire.Snapshot).hand.turn
    actor = room.at(turn.seat)
    act = {"hand_id": bert.last(wire.Snapshot).hand.hand_id, "seq": turn.seq, "action": "fold"}
    assert isinstance(room.answer(actor, wire.Act, **act), wire.Ok)

    assert [settled.rake for settled in room.settler.settled] == [10]
    assert rakes(room) == [10]
    assert sorted(stacks(room).values()) == [9_900, 10_090]
    assert now(room.ledger.audit()).differences == ()


def test_a_crash_between_the_last_step_and_the_ledger_books_the_rake_once(room):
    """A hand with complete betting is settled by the next owner with the same rake; the first one is refused."""
    anna, bert = two(room)
    to_the_flop(room)
    room.settler.hold = True
    room.act("fold")
    waiting = list(room.settler.waiting)
    room.settler.waiting.clear()
    room.table.stop()
    room.table = room.open()
    room.settler.hold = False
    room.table.restore(now(room.ledger.seats()), list(room.journal.kept), frozenset())
    for client in (anna, bert):
        room.table.rejoin(client)

    (first, _), (second,) = waiting[0], room.settler.settled
    assert (first.rake, second.rake) == (10, 10)
    assert first.deltas == second.deltas
    now(room.ledger.settle([first]))  # it was on its way: the same hand again
    assert rakes(room) == [10]
    assert now(room.ledger.audit()).differences == ()


def test_a_void_hand_pays_nothing(room):
    """I4: every stack is as at the start of the hand, and no rake is booked."""
    two(room)
    to_the_flop(room)
    room.table.stop()
    room.table = room.open()
    room.table.restore(now(room.ledger.seats()), [], frozenset())

    assert sorted(stacks(room).values()) == [10_000, 10_000]
    assert rakes(room) == []


def test_the_rake_is_counted(room):
    """The metric adds up what was taken; a hand that pays nothing is not counted."""
    counted: list[int] = []
    room.counts.rake = counted.append
    two(room)
    room.act("fold")
    room.clock.advance(0)
    to_the_flop(room)
    room.act("fold")

    assert counted == [10]
