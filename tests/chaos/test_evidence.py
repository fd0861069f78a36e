"""What clients are told wrongly is noted when they are told it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from pokerroom_protocol import Encoding, encode
from pokerroom_protocol import messages as m
from tests.chaos.evidence import Evidence
from tests.chaos.hand_ids import hand_id_at
from tests.chaos.reading import Reader

TABLE = "t-1"
H1, H2, H3, H4 = (hand_id_at(at_s) for at_s in (10.0, 20.0, 30.0, 40.0))
INFO = m.TableInfo(
    table=TABLE,
    name="one",
    game="holdem",
    structure="no_limit",
    small_blind=5,
    big_blind=10,
    min_buy_in=100,
    max_buy_in=1000,
    seats=6,
    occupied=2,
    players=2,
)
SEATS = [m.HandSeat(seat=1, name="ann", stack=100), m.HandSeat(seat=2, name="bob", stack=100)]


class Told:
    """Clients that tell what they hear; each keeps the number of their last event, as one connection does."""

    def __init__(self) -> None:
        self.evidence = Evidence(lambda: 1.0, lambda: 2.0)
        self._reader = Reader()
        self._last: dict[str, int] = {}

    def tell(self, client: str, *messages: m.ServerMessage) -> Told:
        for message in messages:
            heard = self._reader.read(encode(message, Encoding.MSGPACK))
            self.evidence.heard(client, heard, self._last.get(client))
            if isinstance(message, m.Event | m.Snapshot):
                self._last[client] = message.seq
        return self

    def again(self, client: str) -> Told:
        """A new connection."""
        self._last.pop(client, None)
        return self

    @property
    def checks(self) -> list[str]:
        return [violation.check for violation in self.evidence.violations]


@pytest.fixture
def room() -> Told:
    return Told()


def started(seq: int, hand_id: str = H1) -> m.HandStarted:
    return m.HandStarted(
        table=TABLE, seq=seq, hand_id=hand_id, button=1, small_blind=1, big_blind=2, seats=SEATS
    )


def acted(seq: int, action: Any = "call") -> m.Acted:
    return m.Acted(
        table=TABLE,
        seq=seq,
        hand_id=H1,
        seat=1,
        action=action,
        added=5,
        bet=10,
        stack=90,
        all_in=False,
    )


def ended(seq: int, *, void: bool = False, stacks: tuple[int, int] = (110, 90)) -> m.HandEnded:
    seats = [msgspec.structs.replace(seat, stack=stack) for seat, stack in zip(SEATS, stacks, strict=True)]
    return m.HandEnded(table=TABLE, seq=seq, hand_id=H1, stacks=seats, void=void)


def snapshot(
    seq: int, cards: dict[int, list[str]] | None = None, *, turn: bool = True, bet: int = 0, hand: bool = True
) -> m.Snapshot:
    view = m.TurnView(
        seat=1,
        seq=seq,
        check=True,
        call_amount=0,
        min_raise_to=None,
        max_raise_to=None,
        countdown_ms=1,
        deadline_ms=2,
    )
    shown = m.HandView(
        hand_id=H1,
        street="flop",
        board=["Kh", "Qh", "3s"],
        pots=[m.PotView(amount=20, seats=[1, 2])],
        button=1,
        small_blind=1,
        big_blind=2,
        turn=view if turn else None,
    )
    seats = [
        m.SeatView(
            seat=number,
            name=name,
            stack=90,
            status="playing",
            connected=True,
            in_hand=True,
            bet=bet,
            cards=(cards or {}).get(number),
        )
        for number, name in ((1, "ann"), (2, "bob"))
    ]
    return m.Snapshot(table=TABLE, seq=seq, info=INFO, seats=seats, hand=shown if hand else None, your_seat=1)


def test_an_honest_hand_is_found_honest(room):
    """Two players and a gap: nothing is wrong, the gap is counted, prompts and actions are counted once."""
    cards = {"ann": ["As", "Ad"], "bob": ["2c", "7d"]}
    for client in ("ann", "bob"):
        hole = m.HoleCards(table=TABLE, seq=2, hand_id=H1, cards=cards[client])
        room.tell(client, started(1), hole, acted(3))
    room.tell("ann", snapshot(4, {1: ["As", "Ad"]}), ended(6))
    assert room.checks == []
    assert room.evidence.counts["gaps"] == 1
    assert len(room.evidence.actions_at) == 1
    assert len(room.evidence.prompts[TABLE]) == 2
    assert room.evidence.hands[H1].seen["ann"] == {"As", "Ad", "Kh", "Qh", "3s"}


def test_two_owners_are_seen_by_what_they_number_alike(room):
    """C6: one number, two events."""
    room.tell("ann", started(1), acted(2)).tell("bob", started(1), acted(2, "fold"))
    assert room.checks == ["C6"]


def test_a_number_told_again_is_found(room):
    """C6: on one connection numbers grow."""
    room.tell("ann", started(1), acted(2), acted(2))
    assert room.checks == ["C6"]


def test_a_snapshot_from_before_what_was_told_is_found_once(room):
    """C6: what was told is never taken back, on a new connection either; what collides then is not blamed as well."""
    room.tell("ann", started(1), acted(2)).again("ann").tell("ann", snapshot(1), acted(2, "check"))
    assert room.checks == ["C6"]


@pytest.mark.parametrize(("again", "checks"), [(True, []), (False, ["C6"])])
def test_after_a_wipe_numbers_may_be_used_again(room, again, checks):
    """Without Redis nothing remembers them; a single server that is started again has kept them."""
    room.tell("ann", started(1), acted(2))
    with room.evidence.wipe(numbers_again=again):
        pass
    room.again("ann").tell("ann", snapshot(1), acted(2, "check"))
    assert room.checks == checks


def test_an_end_told_twice_is_found(room):
    """C3: to the same client, also on another connection."""
    room.tell("ann", started(1), ended(2)).again("ann").tell("ann", ended(3))
    assert room.checks == ["C3"]


def test_void_for_one_and_settled_for_another_is_found(room):
    """C3: a hand has one end."""
    room.tell("ann", started(1), ended(2)).tell("bob", started(1), ended(3, void=True, stacks=(100, 100)))
    assert "C3" in room.checks


def test_a_hand_that_goes_on_after_its_end_is_found(room):
    """C3: a player who was told the end is not told of another action."""
    room.tell("ann", started(1), ended(2), acted(3))
    assert room.checks == ["C3"]


def test_a_hand_that_is_dropped_without_a_word_is_found(room):
    """C3: before another hand begins every client is told the end of the last one, or shown that it is no more."""
    room.tell("ann", started(1), started(2, H2))
    assert room.checks == ["C3"]


def test_a_hand_that_ended_in_a_gap_or_before_a_snapshot_was_not_dropped(room):
    """What they have missed they ask for; what they are shown to be over is over."""
    room.tell("ann", started(1), started(4, H2))
    room.tell("bob", started(1), snapshot(2, hand=False), started(3, H2))
    assert room.checks == []
    assert room.evidence.hands[H1].left == {"bob": (2.0, {"ann": 90, "bob": 90})}
    assert room.evidence.follows == {("ann", TABLE): H2, ("bob", TABLE): H2}


def test_the_end_of_a_hand_is_noted_with_its_time(room):
    """When it was told to be void, and its last action; each when the first client heard it."""
    room.tell("ann", started(1), acted(2), ended(3, void=True, stacks=(100, 100)))
    hand = room.evidence.hands[H1]
    assert (hand.acted_s, hand.void_s) == (2.0, 2.0)
    assert room.evidence.follows == {}


def test_a_result_that_cannot_be_committed_yet_is_found_once(room):
    """C3: while no hand can be settled no client hears of another one's end than those that are; void is no result."""
    with room.evidence.settled_alone({H2}):
        room.tell("ann", msgspec.structs.replace(ended(1), hand_id=H2))
        room.tell("ann", started(2), ended(3, void=True, stacks=(100, 100)))
        assert room.checks == []
        prize = m.PotAwarded(
            table=TABLE, seq=5, hand_id=H3, pot=0, amount=20, shares=[m.Share(seat=1, amount=20)]
        )
        room.tell("ann", started(4, H3), prize, msgspec.structs.replace(ended(6), hand_id=H3))
        assert room.checks == ["C3"]
    room.tell("ann", started(7, H4), msgspec.structs.replace(ended(8), hand_id=H4))
    assert room.checks == ["C3"]


def test_a_board_that_changes_is_found(room):
    """C3: a hand that was taken over has the same cards."""
    room.tell("ann", m.StreetDealt(table=TABLE, seq=1, hand_id=H1, street="turn", cards=["4c"], pots=[]))
    room.tell("bob", m.StreetDealt(table=TABLE, seq=2, hand_id=H1, street="turn", cards=["5c"], pots=[]))
    assert room.checks == ["C3"]


def test_hole_cards_that_change_are_found(room):
    """C3: no client is dealt two hands."""
    room.tell("ann", m.HoleCards(table=TABLE, seq=1, hand_id=H1, cards=["As", "Ad"]))
    room.tell("ann", m.HoleCards(table=TABLE, seq=2, hand_id=H1, cards=["As", "Ac"]))
    assert room.checks == ["C3"]


@pytest.mark.parametrize(("stacks", "void"), [((111, 90), False), ((110, 90), True)])
def test_chips_that_come_or_go_in_a_hand_are_found(room, stacks, void):
    """C1: the sum stays; a void hand gives back what it took."""
    room.tell("ann", started(1), ended(2, void=void, stacks=stacks))
    assert room.checks == ["C1"]


def test_a_snapshot_that_has_other_chips_than_the_hand_is_found(room):
    """C1: stacks, bets and pots are what the hand began with."""
    room.tell("ann", started(1), snapshot(2, bet=5))
    assert room.checks == ["C1"]


def test_a_prize_told_twice_is_found(room):
    """C4: to one client, and in two ways to two."""
    prize = m.PotAwarded(
        table=TABLE, seq=2, hand_id=H1, pot=0, amount=20, shares=[m.Share(seat=1, amount=20)]
    )
    other = msgspec.structs.replace(prize, seq=2, shares=[m.Share(seat=2, amount=20)])
    room.tell("ann", started(1), prize, msgspec.structs.replace(prize, seq=3))
    assert room.checks == ["C4"]
    room.tell("bob", started(1), other)
    assert room.checks == ["C4", "C6", "C4"]


def test_shares_that_are_not_the_pot_are_found(room):
    """C1: a pot is shared out whole."""
    prize = m.PotAwarded(
        table=TABLE, seq=2, hand_id=H1, pot=0, amount=21, shares=[m.Share(seat=1, amount=20)]
    )
    room.tell("ann", started(1), prize)
    assert room.checks == ["C1"]


def test_two_actions_acknowledged_for_one_turn_are_found(room):
    """C5: a repeated decision gets its first answer."""
    act = m.Act(id=1, table=TABLE, hand_id=H1, seq=4, action="fold")
    room.evidence.acknowledged("ann", act)
    room.evidence.acknowledged("ann", act)
    assert room.checks == []
    room.evidence.acknowledged("ann", msgspec.structs.replace(act, action="call"))
    assert room.checks == ["C5"]


def test_a_hand_shown_before_the_showdown_is_found(room):
    """C7: while a decision is awaited no client sees another's cards; then they may."""
    room.tell("ann", snapshot(1, {1: ["As", "Ad"], 2: ["2c", "7d"]}, turn=False))
    assert room.checks == []
    room.tell("ann", snapshot(2, {1: ["As", "Ad"], 2: ["2c", "7d"]}))
    assert room.checks == ["C7"]


def test_a_card_in_any_other_message_is_found(room):
    """C7: wherever it stands."""
    room.tell("ann", m.TableNotice(table=TABLE, seq=1, state="frozen", message="fault at As 7d"))
    assert room.checks == ["C7"]


def test_a_hand_at_two_tables_is_found(room):
    """C6: a hand belongs to one table."""
    room.tell("ann", started(1)).tell("bob", msgspec.structs.replace(acted(1), table="t-2"))
    assert room.checks == ["C6"]


def test_a_prompt_is_counted_once_for_all_clients(room):
    """C8: progress is what a client is told first; a snapshot with a new turn is progress, too."""
    room.tell("ann", started(1)).tell("bob", started(1), snapshot(5)).tell("ann", snapshot(5))
    assert len(room.evidence.prompts[TABLE]) == 2
