"""Links to hands over whole sessions: one player makes them, a client without an account opens them."""

from __future__ import annotations

from dataclasses import replace

from structlog.testing import capture_logs
from twisted.internet.defer import Deferred

from pokerroom.ledger.operator_log import THE_ROOM
from pokerroom_protocol import messages as wire
from tests.gateway.session_parties import LIMITS, Counting, Line, made_sessions, made_sharing, player
from tests.gateway.test_account_service import play_a_hand
from tests.poker.support import now


def opened(sessions, code):
    return Line(sessions).ask(wire.GetSharedHand, code=code)


def test_a_link_shows_the_hand_to_a_stranger(sessions, room):
    """As its player sees it, with the other's name hidden; the code is in no log."""
    with capture_logs() as logs:
        anna, bob = player(sessions, "anna"), player(sessions, "bob")
        hand_id = play_a_hand(room, anna, bob, folds=True)
        link = anna.ask(wire.ShareHand, hand_id=hand_id).link
        shared = opened(sessions, link.code).hand
    own = anna.ask(wire.GetHand, hand_id=hand_id).hand
    assert (link.hand_id, link.names, link.own_cards) == (hand_id, "own", True)
    assert shared.your_seat == own.your_seat
    assert [(seat.seat, seat.name, seat.cards) for seat in shared.seats] == [
        (seat.seat, seat.name if seat.name == "anna" else None, seat.cards) for seat in own.seats
    ]
    assert shared.steps == own.steps
    assert opened(sessions, link.code).hand == bob.ask(wire.GetSharedHand, code=link.code).hand
    assert "hand.shared" in {entry["event"] for entry in logs}
    assert link.code not in str(logs)


def test_the_same_options_give_the_same_link(sessions, room):
    """Other options and other players have links of their own; `get_hand_links` lists one's own, the newest first."""
    anna, bob = player(sessions, "anna"), player(sessions, "bob")
    hand_id = play_a_hand(room, anna, bob, folds=True)
    first = anna.ask(wire.ShareHand, hand_id=hand_id).link
    assert anna.ask(wire.ShareHand, hand_id=hand_id).link == first
    bare = anna.ask(wire.ShareHand, hand_id=hand_id, names="none", own_cards=False).link
    theirs = bob.ask(wire.ShareHand, hand_id=hand_id).link
    assert len({first.code, bare.code, theirs.code}) == 3
    assert anna.ask(wire.GetHandLinks).links == [bare, first]
    shared = opened(sessions, bare.code).hand
    assert (shared.your_seat, {(seat.name, seat.cards) for seat in shared.seats}) == (None, {(None, None)})


def test_a_link_that_is_taken_back_leads_nowhere(sessions, room):
    """As a guess does; the other player's link stays, and a new one has another code."""
    anna, bob = player(sessions, "anna"), player(sessions, "bob")
    hand_id = play_a_hand(room, anna, bob, folds=True)
    code, theirs = (line.ask(wire.ShareHand, hand_id=hand_id).link.code for line in (anna, bob))
    for _ in range(2):
        assert isinstance(anna.ask(wire.UnshareHand, hand_id=hand_id), wire.Ok)
    assert opened(sessions, code).code == opened(sessions, "x" * 22).code == "unknown_hand_link"
    assert isinstance(opened(sessions, theirs), wire.SharedHand)
    assert anna.ask(wire.ShareHand, hand_id=hand_id).link.code != code


def test_only_a_player_of_the_hand_shares_it(sessions, room):
    """A hand that is void or not over is in no ledger, and is as unknown as that of others."""
    anna, bob, carol = (player(sessions, name) for name in ("anna", "bob", "carol"))
    hand_id = play_a_hand(room, anna, bob)
    assert carol.ask(wire.ShareHand, hand_id=hand_id).code == "unknown_hand"
    room.clock.advance(3)
    in_progress = anna.all(wire.HandStarted)[-1].hand_id
    assert in_progress != hand_id
    assert anna.ask(wire.ShareHand, hand_id=in_progress).code == "unknown_hand"
    assert anna.ask(wire.GetHandLinks).links == []
    assert Line(sessions).ask(wire.ShareHand, hand_id=hand_id).code == "not_authenticated"


def test_names_of_a_link_are_those_of_today(sessions, room):
    """A deleted account has none; the links that it made are gone."""
    anna, bob = player(sessions, "anna"), player(sessions, "bob")
    hand_id = play_a_hand(room, anna, bob)
    shared = anna.ask(wire.ShareHand, hand_id=hand_id, names="all").link
    theirs = bob.ask(wire.ShareHand, hand_id=hand_id).link
    assert {seat.name for seat in opened(sessions, shared.code).hand.seats} == {"anna", "bob"}
    ledger, account = room.world.ledger, bob.all(wire.Authenticated)[0].account
    bob.ask(wire.StandUp, table="t1")
    room.clock.advance(60)
    now(ledger.open_source("cash", by=THE_ROOM))
    now(ledger.delete_account(account, "cash", by=THE_ROOM))
    assert {seat.name for seat in opened(sessions, shared.code).hand.seats} == {"anna", f"gone-{account}"}
    assert opened(sessions, theirs.code).code == "unknown_hand_link"


def test_a_link_with_a_lost_key_is_replaced(sessions, room):
    """The room cannot tell it again; it leads to the hand until then. Links with other options lead on."""
    anna, bob = player(sessions, "anna"), player(sessions, "bob")
    hand_id = play_a_hand(room, anna, bob, folds=True)
    code, bare = (
        anna.ask(wire.ShareHand, hand_id=hand_id, names=names).link.code for names in ("own", "none")
    )
    account = anna.all(wire.Authenticated)[0].account
    later = made_sharing(room, key=b"k" * 32)
    links = now(Deferred.fromCoroutine(later.answered(wire.GetHandLinks(id=1), account)))
    assert links.links == []
    assert isinstance(opened(sessions, code), wire.SharedHand)
    replaced = now(
        Deferred.fromCoroutine(later.answered(wire.ShareHand(id=2, hand_id=hand_id), account))
    ).link
    assert opened(sessions, code).code == "unknown_hand_link"
    assert isinstance(opened(sessions, replaced.code), wire.SharedHand)
    assert isinstance(opened(sessions, bare), wire.SharedHand)


def test_guesses_are_slowed_down(room):
    """A connection without a log-in pays four times as much for each."""
    narrow = replace(LIMITS, messages_per_s=20, message_burst=100)
    sessions = made_sessions(room, Counting(), limits=narrow)
    line = Line(sessions)
    codes = [line.ask(wire.GetSharedHand, code=f"{n:022}").code for n in range(20)]
    assert codes[:11] == ["unknown_hand_link"] * 11
    assert codes[11:] == ["rate_limited"] * 9
