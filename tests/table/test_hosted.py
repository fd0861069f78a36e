"""A private table: what the decisions of its host change at the table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import msgspec
import pytest

from pokerroom.chips import Money
from pokerroom.ledger.hosted_tables import HostedGuest, HostedTableRow
from pokerroom.ops.table_settings import TableSettings
from pokerroom.rules.stakes import Stakes
from pokerroom.table.context import TableContext
from pokerroom.table.hosting import NOTICE_S
from pokerroom.table.viewer import THE_ROOM
from pokerroom_protocol import messages as wire
from tests.poker.support import OPENING, Client, HeldJournal, Room, now
from tests.table.test_restarts import come_back, crash


class Host:
    """What the host has decided."""

    def __init__(self) -> None:
        self.paused = False
        self.settings: TableSettings | None = None
        self.dealt = None
        self.banned: set[int | None] = set()
        self.unseated: set[int] = set()
        self.row: HostedTableRow | None = None

    def admits(self, account: int | None) -> bool:
        return account not in self.banned

    def takes(self, account: int) -> bool:
        return account not in self.unseated


class HostedRoom(Room):
    """A room with one private table."""

    def __init__(self) -> None:
        self.host = Host()
        super().__init__()

    def context(self, epoch: int, journal: HeldJournal) -> TableContext:
        return replace(super().context(epoch, journal), host=self.host)

    def remove(self, client: Client) -> None:
        """As the lobby does it: the account is no guest, and leaves its seat."""
        self.host.banned.add(client.account)
        asks = Client("", client.account)
        asks.instance = THE_ROOM
        self.ask(asks, wire.StandUp)
        self.table.hosting.changed()


@pytest.fixture
def room() -> Iterator[HostedRoom]:
    room = HostedRoom()
    yield room
    room.stop()


def test_a_table_does_not_exist_for_an_account_that_is_no_guest(room):
    """It may not look on or sit down, and hears what it would hear of a table that is not there."""
    anna = room.client("anna")
    room.host.banned.add(anna.account)

    for request, fields in ((wire.Observe, {}), (wire.SitDown, {"buy_in": 5_000})):
        assert room.answer(anna, request, **fields).code == "unknown_table"
    assert room.table.game.seats.empty()


def test_a_player_whom_the_host_removes_in_a_hand_plays_it_to_its_end(room):
    """The host, who may be in the hand, decides nothing there: the player bets on, and leaves at its end."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    assert room.turn().seat == 1

    for _ in range(2):  # the room repeats it
        room.remove(anna)
    room.clock.advance(0)

    assert (bert.all(wire.Acted), anna.all(wire.RemovedFromTable)) == ([], [])
    assert isinstance(room.answer(anna, wire.GetSnapshot), wire.Snapshot)
    room.act("raise", 400)
    assert anna.last(wire.Acted).action == "raise"
    room.act("fold")
    room.clock.advance(0)

    assert bert.last(wire.SeatLeft).seat == 1
    assert now(room.ledger.wallet(anna.account)) == OPENING + 100
    assert anna.all(wire.RemovedFromTable) == [wire.RemovedFromTable(table="t1")]
    assert isinstance(anna.got[-1], wire.RemovedFromTable)
    for request, fields in ((wire.Observe, {}), (wire.SitDown, {"buy_in": 5_000})):
        assert room.answer(anna, request, **fields).code == "unknown_table"
    assert room.timeouts.today(anna.account) == 0


def test_a_removed_player_whose_table_crashes_leaves_after_the_hand(room):
    """The next owner knows it from the host."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.remove(anna)
    crash(room)
    anna, bert = come_back(room, anna, bert)
    hand = anna.last(wire.Snapshot).hand
    actor = anna if hand.turn.seat == 1 else bert

    room.answer(actor, wire.Act, hand_id=hand.hand_id, seq=hand.turn.seq, action="fold")
    room.clock.advance(0)

    assert bert.last(wire.SeatLeft).seat == 1
    assert anna.all(wire.RemovedFromTable)


def test_a_removed_player_may_still_leave_the_hand(room):
    """Then it is folded at its turn, as any player who stands up."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.remove(anna)

    room.ask(anna, wire.StandUp)
    room.clock.advance(0)

    acted = bert.all(wire.Acted)[0]
    assert (acted.seat, acted.action, acted.by_clock) == (1, "fold", False)
    assert anna.all(wire.RemovedFromTable)


def test_a_viewer_who_is_removed_sees_no_more(room):
    """It is told that it was removed, and nothing that happens afterwards; the others see on."""
    anna, olga = room.client("anna"), room.client("olga")
    for client in (anna, olga):
        room.ask(client, wire.Observe)
    room.host.banned.add(olga.account)

    room.table.hosting.changed()
    room.sit(room.client("bert"))

    assert olga.got[-1] == wire.RemovedFromTable(table="t1")
    assert anna.last(wire.SeatTaken).name == "bert"


def test_a_pause_is_told_once_and_no_hand_begins(room):
    """Nor is it told when something else changes. At its end the next hand begins at once."""
    anna, bert = room.client("anna"), room.client("bert")
    room.ask(anna, wire.Observe)
    room.host.paused = True
    room.table.hosting.changed()
    room.sit(anna, bert)
    for _ in range(2):
        room.table.hosting.changed()
    assert [told.paused for told in anna.all(wire.TablePaused)] == [True]
    assert not anna.all(wire.HandStarted)

    room.host.paused = False
    room.table.hosting.changed()

    assert [told.paused for told in anna.all(wire.TablePaused)] == [True, False]
    assert len(anna.all(wire.HandStarted)) == 1


def test_other_stakes_hold_some_seconds_after_they_were_told(room):
    """They are told once. Hands that begin within the notice keep the old ones, so that a player may leave first."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.host.settings = replace(
        room.settings,
        stakes=Stakes(small_blind=200, big_blind=400),
        min_buy_in=Money(8_000),
        max_buy_in=Money(40_000),
    )
    assert room.answer(room.client("carl"), wire.SitDown, buy_in=40_000).code == "buy_in_too_large"
    for _ in range(2):
        room.table.hosting.changed()
    [told] = bert.all(wire.StakesChanged)
    assert (told.small_blind, told.big_blind, told.small_bet) == (200, 400, None)
    assert (told.min_buy_in, told.max_buy_in) == (8_000, 40_000)
    assert room.table.info().big_blind == 400
    assert room.turn().call_amount == 50

    for wait_s in (NOTICE_S - 1, 1):
        room.clock.advance(wait_s)
        room.act("fold")
        room.clock.advance(0)

    blinds = [event.amount for event in anna.all(wire.Posted)]
    assert blinds == [50, 100, 50, 100, 200, 400]
    assert room.answer(room.client("dora"), wire.SitDown, buy_in=4_000).code == "buy_in_too_small"
    assert isinstance(room.answer(room.client("emil"), wire.SitDown, buy_in=40_000), wire.Snapshot)


def test_a_hand_is_played_to_its_end_at_its_own_stakes_by_the_next_owner(room):
    """The journal has them: the record of the hand does not say those of the next one."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert)
    room.settings = room.host.settings = replace(room.settings, stakes=Stakes(small_blind=200, big_blind=400))
    room.table.hosting.changed()
    crash(room)
    anna, bert = come_back(room, anna, bert)
    hand = anna.last(wire.Snapshot).hand
    actor = anna if hand.turn.seat == 1 else bert

    room.answer(actor, wire.Act, hand_id=hand.hand_id, seq=hand.turn.seq, action="fold")
    room.clock.advance(0)

    [record] = [msgspec.json.decode(hand.record) for hand in room.settler.settled]
    assert (record["small_blind"], record["big_blind"]) == (50, 100)
    assert [event.amount for event in anna.all(wire.Posted)] == [200, 400]


def test_an_automatic_top_up_never_exceeds_the_stakes_of_now(room):
    """The option was set when more was allowed."""
    anna, bert = room.client("anna"), room.client("bert")
    room.sit(anna, bert, buy_in=2_000)
    room.ask(bert, wire.SeatOptions, auto_top_up_to=10_000)
    room.host.settings = replace(room.settings, min_buy_in=Money(1_000), max_buy_in=Money(3_000))
    room.table.hosting.changed()

    room.act("fold")

    assert bert.all(wire.SeatChanged)[-1].stack == 3_000


def test_the_host_decides_who_sits_down(room):
    """A guest who is not accepted gets no seat and no reservation, and may watch."""
    anna = room.client("anna")
    room.host.unseated.add(anna.account)
    for kind, facts in ((wire.SitDown, {"buy_in": 5_000}), (wire.ReserveSeat, {})):
        assert room.answer(anna, kind, **facts).code == "seat_not_accepted"
    assert room.table.info().occupied == 0
    assert isinstance(room.answer(anna, wire.Observe), wire.Snapshot)

    room.host.unseated.clear()

    assert isinstance(room.answer(anna, wire.SitDown, buy_in=5_000), wire.Snapshot)


def test_host_and_guest_hear_of_what_concerns_them(room):
    """The host of each question, the guest of the answer; other guests of neither."""
    anna, bert, carl = (room.client(name) for name in ("anna", "bert", "carl"))
    for client in (anna, bert, carl):
        room.ask(client, wire.Observe)
    row = HostedTableRow(
        table="t1",
        host=anna.account,
        host_name="anna",
        terms={},
        code="code",
        paused=False,
        approves=True,
        closing=False,
        version=1,
        guests={bert.account: HostedGuest(name="bert"), carl.account: HostedGuest(name="carl")},
    )
    clients = (anna, bert, carl)

    def heard(now: HostedTableRow) -> list[int]:
        before = [len(client.all(wire.HostedTableNews)) for client in clients]
        room.host.row = now
        room.table.hosting.changed()
        return [
            len(client.all(wire.HostedTableNews)) - known
            for client, known in zip(clients, before, strict=True)
        ]

    assert heard(row) == [0, 0, 0]
    asked = replace(row, guests=row.guests | {bert.account: HostedGuest(name="bert", seat="asked")})
    assert heard(asked) == [1, 1, 0]
    assert heard(replace(asked, version=2)) == [0, 0, 0]
    accepted = replace(row, guests=row.guests | {bert.account: HostedGuest(name="bert", seat="accepted")})
    assert heard(accepted) == [1, 1, 0]
    assert heard(replace(accepted, host=bert.account, host_name="bert")) == [1, 1, 1]
