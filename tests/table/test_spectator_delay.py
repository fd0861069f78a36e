"""Observers see the table later, and see all of it: in order, without a gap, from a state that was true once."""

from __future__ import annotations

from msgspec.structs import replace
from twisted.internet.task import Clock

from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom.table.spectator_delay import SpectatorDelay
from pokerroom_protocol import messages as wire
from tests.poker.support import SETTINGS, Client
from tests.poker.views_support import seqs

DELAY_S = 30
INFO = SETTINGS.info(0, 0)
EMPTY = wire.Snapshot(table="t1", seq=0, info=INFO, seats=[], hand=None, your_seat=None)


class Stage:
    """A delayed view alone, and a table that says something now and then."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.counted = 0
        self.seq = 0
        self.spectator_delay = SpectatorDelay(
            clock=self.clock, delay_s=DELAY_S, post=lambda then: then(), counted=self.count, info=INFO
        )

    def count(self, events: int) -> None:
        self.counted += events

    def say(self, count: int = 1) -> None:
        """So many events in one batch."""
        first, self.seq = self.seq + 1, self.seq + count
        said = (
            wire.ChatSaid(table="t1", seq=seq, name="a", text=str(seq)) for seq in range(first, self.seq + 1)
        )
        self.spectator_delay.take(Bundle(Outgoing(one) for one in said))

    def watch(self, name: str) -> Client:
        client = Client(name, None)
        self.spectator_delay.show(client, waiting=0, re=1)
        return client


def test_an_event_is_told_when_its_time_has_come():
    """Not a moment before the delay is over, and then at once, in the batches and bytes in which it was said."""
    stage = Stage()
    anna, bert = stage.watch("anna"), stage.watch("bert")
    stage.say(2)
    stage.clock.advance(1)
    stage.say()

    stage.clock.advance(DELAY_S - 1.001)
    assert seqs(anna) == []
    stage.clock.advance(0.001)
    assert seqs(anna) == seqs(bert) == [1, 2]
    stage.clock.advance(1)
    assert seqs(anna) == seqs(bert) == [1, 2, 3]
    assert stage.counted == 6
    assert stage.clock.getDelayedCalls() == []


def test_the_past_counts_the_players_of_its_time():
    """Seats that sit out are occupied, and play no hand; a player that is not connected plays none either."""
    stage = Stage()
    seats = [
        wire.SeatView(seat=number, name="a", stack=100, status=status, connected=connected)
        for number, (status, connected) in enumerate(
            [("playing", True), ("waiting", True), ("sitting_out", True), ("playing", False)], 1
        )
    ]
    stage.spectator_delay.begin(replace(EMPTY, seats=seats))
    stage.clock.advance(DELAY_S)

    info = stage.watch("anna").last(wire.Snapshot).info

    assert (info.occupied, info.players) == (4, 2)


def test_a_late_joiner_gets_the_past_and_everything_after_it():
    """A viewer that comes while events are delayed sees the table before them, then the events."""
    stage = Stage()
    stage.say(3)
    stage.clock.advance(DELAY_S)
    stage.say(2)
    stage.clock.advance(10)
    late = stage.watch("late")
    stage.say()
    stage.clock.advance(DELAY_S)

    assert late.last(wire.Snapshot).seq == 3
    assert seqs(late) == [4, 5, 6]


def test_one_who_has_seen_more_waits_until_the_spectator_delay_is_there():
    """A player who has stood up sees no event twice and misses none, also within one batch."""
    stage = Stage()
    stage.say(2)
    stage.say(4)
    stage.say(1)
    left = Client("left", None)
    stage.spectator_delay.follow(left, 4)

    stage.clock.advance(DELAY_S)

    assert seqs(left) == [5, 6, 7]


def test_a_table_that_was_restarted_is_shown_after_the_delay_as_well():
    """After a restart observers see the last events before it, then the new table unasked, then what follows."""
    stage = Stage()
    anna = stage.watch("anna")
    stage.say(2)
    stage.clock.advance(1)
    seat = wire.SeatView(seat=4, name="x", stack=7, status="playing", connected=True)
    stage.seq = 9
    stage.spectator_delay.reset(replace(EMPTY, seq=9, seats=[seat], re=None))
    stage.say()
    behind = Client("behind", None)
    stage.spectator_delay.follow(behind, 2)

    stage.clock.advance(DELAY_S - 1)
    assert seqs(anna) == [1, 2]
    assert len(anna.all(wire.Snapshot)) == 1
    stage.clock.advance(1)

    assert [getattr(message, "seq", None) for message in anna.got] == [0, 1, 2, 9, 10]
    assert [getattr(message, "seq", None) for message in behind.got] == [9, 10]
    assert stage.watch("late").last(wire.Snapshot).seats == [seat]


def test_a_started_room_begins_with_its_state_alone():
    """What was told on the way to it has numbers that follow on nothing: observers are shown the state, later."""
    stage = Stage()
    stage.seq = 1_000_000
    stage.say(2)
    stage.spectator_delay.begin(replace(EMPTY, seq=stage.seq))
    stage.say()
    anna = stage.watch("anna")
    stage.clock.advance(DELAY_S)

    assert [getattr(message, "seq", None) for message in anna.got] == [0, 1_000_002, 1_000_003]


def test_the_line_of_the_table_is_of_the_past_but_for_a_player_who_waits():
    """Seats, players and closing are as they were; how many wait for a seat is told as the lobby tells it."""
    stage = Stage()
    taken = wire.SeatTaken(table="t1", seq=1, seat=2, name="x", stack=7, status="playing")
    closing = wire.TableNotice(table="t1", seq=2, state="closing", message="")
    opened = wire.TableNotice(table="t1", seq=3, state="running", message="")
    infos = []
    for event in (taken, closing, opened):
        stage.spectator_delay.take(Bundle([Outgoing(event)]))
        stage.clock.advance(DELAY_S)
        client = Client("x", None)
        stage.spectator_delay.show(client, waiting=3, re=1)
        infos.append(client.last(wire.Snapshot).info)

    assert [(info.occupied, info.players, info.waiting, info.closing) for info in infos] == [
        (1, 1, 3, False),
        (1, 1, 3, True),
        (1, 1, 3, False),
    ]


def test_a_player_who_is_gone_is_forgotten_and_a_stopped_spectator_delay_leaves_no_timer():
    """A lost connection gets nothing and is not kept; after `stop` nothing is told and nothing on the clock."""
    stage = Stage()
    anna, bert, gone = stage.watch("anna"), stage.watch("bert"), Client("gone", None)
    gone.connected = False
    stage.spectator_delay.show(gone, waiting=0, re=1)
    stage.spectator_delay.follow(gone, 0)
    stage.spectator_delay.unwatch(anna)
    assert list(stage.spectator_delay.viewers()) == [bert]
    stage.say()
    stage.spectator_delay.stop()
    stage.say()

    assert stage.clock.getDelayedCalls() == []
    stage.clock.advance(DELAY_S)
    assert seqs(anna) == seqs(bert) == gone.got == []
