"""Messages of a table leave in order, to the right viewers, and not before they may be told."""

from __future__ import annotations

from pokerroom.table.outbox import Batch, Outbox
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom.table.viewer import Broadcast
from pokerroom_protocol import Encoding
from pokerroom_protocol import messages as wire
from tests.poker.support import Client


class Listener(Client):
    """Remembers the bundles, too."""

    def __init__(self, account: int | None) -> None:
        super().__init__(f"c{account}", account)
        self.bundles: list[Outgoing | Bundle] = []

    def deliver(self, outgoing: Outgoing | Bundle) -> None:
        super().deliver(outgoing)
        self.bundles.append(outgoing)


def said(seq: int, text: str = "") -> wire.ChatSaid:
    return wire.ChatSaid(table="t1", seq=seq, name="anna", text=text)


def event(seq: int, private: dict[int, str] | None = None) -> Broadcast:
    copies = None if private is None else {who: Outgoing(said(seq, text)) for who, text in private.items()}
    return Broadcast(seq=seq, public=Outgoing(said(seq)), private=copies)


def outbox_with(*viewers: Listener) -> Outbox:
    outbox = Outbox(lambda _: None)
    for viewer in viewers:
        outbox.watch(viewer, 0)
    return outbox


def seqs(viewer: Client) -> list[int]:
    return [message.seq for message in viewer.all(wire.ChatSaid)]


def test_a_batch_that_is_held_back_holds_back_what_follows():
    """Nothing overtakes a step that is not stored yet; released, everything leaves in order."""
    anna = Listener(1)
    outbox = outbox_with(anna)
    held = Batch(broadcasts=[event(1)], answers=[(anna, Outgoing(wire.Ok(re=5)))], ready=False)

    outbox.put(held)
    outbox.put(Batch(broadcasts=[event(2)]))
    assert anna.got == []
    outbox.release(held)

    assert anna.got == [wire.Ok(re=5), said(1), said(2)]


def test_viewers_who_see_the_same_share_the_bytes():
    """One bundle for all viewers without a private copy; a viewer with one gets it in the same place."""
    anna, olga, otto = Listener(1), Listener(2), Listener(None)
    outbox = outbox_with(anna, olga, otto)

    outbox.put(Batch(broadcasts=[event(1), event(2, {1: "for anna"}), event(3)]))

    assert olga.bundles[0] is otto.bundles[0]
    assert anna.got == [said(1), said(2, "for anna"), said(3)]
    assert olga.got == [said(1), said(2), said(3)]


def test_a_viewer_gets_what_comes_after_their_snapshot():
    """Events up to the number of the snapshot are in it, also where they leave later or in one batch with others."""
    anna = Listener(1)
    outbox = Outbox(lambda _: None)
    outbox.watch(anna, 2)

    outbox.put(Batch(broadcasts=[event(1)]))
    outbox.put(Batch(broadcasts=[event(2), event(3)]))
    outbox.put(Batch(broadcasts=[event(4)]))

    assert seqs(anna) == [3, 4]


def test_a_player_who_does_not_watch_any_more_gets_nothing():
    """After `unwatch`, and for a client that is gone already, nothing is kept and nothing sent."""
    anna, gone = Listener(1), Listener(2)
    gone.connected = False
    outbox = outbox_with(anna, gone)

    outbox.unwatch(anna)
    outbox.put(Batch(broadcasts=[event(1)]))

    assert (anna.got, gone.got) == ([], [])
    assert list(outbox.viewers()) == outbox.live_viewers() == []
    assert not outbox.watches(anna)


def test_whoever_waits_for_a_batch_hears_when_it_has_left():
    """`left` is called after the batch, before the next."""
    anna = Listener(1)
    outbox = outbox_with(anna)
    heard: list[list[int]] = []

    outbox.put(Batch(broadcasts=[event(1)], ready=True, left=lambda: heard.append(seqs(anna))))
    outbox.put(Batch(broadcasts=[event(2)], left=lambda: heard.append(seqs(anna))))

    assert heard == [[1], [1, 2]]


def test_too_long_a_queue_is_known():
    """While more than a few hundred batches wait, requests are refused."""
    outbox = Outbox(lambda _: None)
    outbox.put(Batch(ready=False))
    for _ in range(199):
        outbox.put(Batch())
    assert not outbox.backed_up

    outbox.put(Batch())

    assert outbox.backed_up


def test_an_answer_goes_to_the_account_that_asked_and_to_no_other():
    """A client that logs out while the journal is away, or logs in as another account, gets no earlier answers."""
    left, another, here = Listener(1), Listener(2), Listener(3)
    outbox = outbox_with(here)
    answers = [(viewer, Outgoing(wire.Ok(re=5))) for viewer in (left, another, here)]
    held = Batch(answers=answers, ready=False)
    outbox.put(held)
    left.account, another.account = None, 4
    outbox.release(held)

    assert (left.got, another.got, here.got) == ([], [], [wire.Ok(re=5)])


def test_a_viewer_whose_connection_is_lost_watches_nothing():
    """It neither gets events nor counts as a viewer."""
    anna = Listener(1)
    anna.connected = False
    outbox = outbox_with(anna)
    outbox.expect(anna)

    outbox.put(Batch(broadcasts=[event(1)]))

    assert (anna.got, outbox.watches(anna), outbox.audience()) == ([], False, [])


def test_an_outbox_that_is_silent_answers_no_player():
    """The table has left the node: its next owner answers."""
    anna = Listener(1)
    outbox = outbox_with(anna)
    outbox.silence()

    outbox.answer(anna, Outgoing(wire.Ok(re=1)))
    outbox.put(Batch(broadcasts=[event(1)]))

    assert anna.got == []


def test_the_numbers_of_events_that_were_dropped_are_free_again():
    """The next event has the number of the first of them, so that no client sees a gap."""
    outbox = outbox_with(Listener(1))
    outbox.put(Batch(broadcasts=[event(1)]))
    never = Batch(broadcasts=[event(2), event(3)], ready=False)
    outbox.put(never)
    assert outbox.last_seq == 3

    outbox.drop(never)

    assert outbox.last_seq == 1


def test_a_batch_without_events_is_dropped_without_freeing_a_number():
    """Only its answers are lost."""
    outbox = outbox_with(Listener(1))
    outbox.put(Batch(broadcasts=[event(1)]))
    answers = Batch(answers=[(Listener(2), Outgoing(wire.Ok(re=1)))], ready=False)
    outbox.put(answers)

    outbox.drop(answers)

    assert outbox.last_seq == 1


def test_both_encodings_of_a_message_are_made_once():
    """Every viewer of one encoding shares the bytes."""
    told = Outgoing(said(1))
    for encoding in Encoding:
        assert told.body(encoding) is told.body(encoding)


def test_a_further_snapshot_swallows_no_event_on_its_way():
    """A viewer that asks for the table again gets the events that are held back, then the snapshot behind them."""
    anna = Listener(1)
    outbox = outbox_with(anna)
    held = Batch(broadcasts=[event(1), event(2)], ready=False)
    outbox.put(held)
    outbox.watch(anna, 2)
    outbox.put(Batch(answers=[(anna, Outgoing(wire.Ok(re=5)))]))
    outbox.release(held)
    outbox.put(Batch(broadcasts=[event(3)]))
    assert [getattr(message, "seq", "answer") for message in anna.got] == [1, 2, "answer", 3]
