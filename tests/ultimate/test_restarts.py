"""A table that restarts: after a crash of the room, at another node, after a fault, without Redis.

Which round is in progress says the ledger; its cards, and what was decided, the journal.
"""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace
from structlog.testing import capture_logs
from twisted.internet.defer import fail

from pokerroom.ledger.api import NotOwner
from pokerroom.ultimate.journal import decode_entry, steps_entry
from pokerroom_protocol import messages as wire
from tests.poker.support import now
from tests.ultimate.support import House


def test_betting_opens_again_and_slips_are_lost(house):
    """Nothing was paid; the last round's bets can be repeated (house choice)."""
    anna = house.player("anna")
    house.deal(anna, ante=200)
    house.play_out(anna)
    house.rest()
    house.bet(anna, amount=500)
    house.restart()
    snapshot = anna.last(wire.UltimateSnapshot)
    assert (snapshot.your_box, snapshot.your_slip, snapshot.round) == (1, None, None)
    assert anna.last(wire.LightChanged).light == "green"
    assert house.answer(anna, wire.ChangeBets, action="repeat").slip.bets[0].ante == 200


@pytest.mark.parametrize("taken", range(4))
def test_a_round_is_played_on_from_every_street(house, taken):
    """Same cards, same decisions, a whole clock; the old question is not answered any more."""
    anna, bert = house.player("anna"), house.player("bert")
    round_id = house.deal(anna, bert)
    own = anna.last(wire.HandsDealt).hands
    decisions = [(anna, "check"), (bert, "check"), (anna, "check"), (bert, "check")][:taken]
    for client, decision in decisions:
        house.decide(client, decision)
    before = house.question()
    board = [card for dealt in anna.all(wire.BoardDealt) for card in dealt.cards]
    house.clock.advance(7)

    house.restart()

    snapshot = anna.last(wire.UltimateSnapshot)
    assert (snapshot.round.round_id, snapshot.round.board, snapshot.round.hands) == (round_id, board, own)
    asked = house.question()
    assert (asked.seq > before.seq, asked.boxes, asked.deadline_ms) == (
        True,
        [2] if taken % 2 else [1, 2],
        house.now_ms() + 15_000,
    )
    late = house.decide(bert, "check", seq=before.seq)
    assert late.code == "stale_seq"
    ended = house.play_out(anna, bert)
    assert (ended.round_id, ended.void) == (round_id, False)
    assert len(house.rounds) == 1


def test_a_repeated_decision_gets_its_answer_after_a_restart(house):
    """It was accepted by the last owner."""
    anna, bert = house.player("anna"), house.player("bert")
    house.deal(anna, bert)
    seq = house.question().seq
    house.decide(anna, "play", 4, seq=seq)
    house.restart()
    assert isinstance(house.decide(anna, "play", 4, seq=seq), wire.Ok)
    assert house.wallet(anna) == 999_400


def test_a_play_that_the_ledger_alone_has_counts(house):
    """The room was killed between the money and the journal: it was taken in time."""
    anna, bert = house.player("anna"), house.player("bert")
    house.deal(anna, bert)
    house.journal.hold = True
    house.decide_later(anna, "play", 4)
    assert (house.wallet(anna), anna.all(wire.Decided)) == (999_400, [])
    house.journal.lose()
    house.restart()
    boxes = anna.last(wire.UltimateSnapshot).round.boxes
    assert [(box.status, box.play) for box in boxes] == [("played", 400), ("waiting", 0)]
    house.restart()
    assert anna.last(wire.UltimateSnapshot).round.boxes[0].play == 400
    for _ in range(2):
        house.decide(bert, "check")
    house.restart()
    assert anna.last(wire.UltimateSnapshot).round.street == "river"
    house.play_out(bert)
    assert len(anna.last(wire.RoundEnded).boxes[0].bets) == 3


def test_a_repeated_play_that_the_ledger_alone_had_gets_its_answer(house):
    """Its player was not told that it counts, and asks again with the old `seq`, after one restart or two."""
    anna, bert = house.player("anna"), house.player("bert")
    house.deal(anna, bert)
    seq = house.question().seq
    house.journal.hold = True
    house.decide_later(anna, "play", 4, seq=seq)
    house.journal.lose()
    for _ in range(2):
        house.restart()
        assert isinstance(house.decide(anna, "play", 4, seq=seq), wire.Ok)
        assert isinstance(house.decide(anna, "play", 3, seq=seq), wire.Error)
        assert isinstance(house.decide(bert, "play", 4, seq=seq, box=house.box(anna)), wire.Error)
    assert house.wallet(anna) == 999_400


def test_a_play_that_ends_the_round_and_a_tip_that_the_ledger_alone_has(house):
    """The tip is in the result: what the ledger has is all that counts."""
    anna = house.player("anna")
    house.deal(anna)
    house.journal.hold = True
    house.ask(anna, wire.GiveTip, amount=30)
    house.decide_later(anna, "play", 4)
    house.journal.lose()
    house.restart()
    assert anna.last(wire.RoundEnded).void is False
    assert house.balance("tronc") == 30


def test_a_check_that_was_not_stored_has_not_happened(house):
    """No client was told; the decision is asked again."""
    anna = house.player("anna")
    house.deal(anna)
    house.journal.hold = True
    house.decide_later(anna, "check")
    house.journal.lose()
    house.restart()
    assert anna.last(wire.UltimateSnapshot).round.boxes[0].status == "waiting"
    assert anna.all(wire.Decided) == []


def test_a_round_that_is_decided_is_settled(house):
    """The room was killed before the ledger had the result."""
    anna = house.player("anna")
    round_id = house.deal(anna)
    house.decide(anna, "check")
    house.decide(anna, "check")
    house.ledger.hold = {"settle_round"}
    house.decide_later(anna, "fold")
    house.ledger.lose()
    house.restart()
    assert (anna.last(wire.RoundEnded).round_id, house.wallet(anna)) == (round_id, 999_800)
    assert now(house.books.ended_rounds([round_id])) == {round_id}


def test_a_round_whose_end_was_stored_and_not_told_is_over(house):
    """The room was killed after the commit: betting is open."""
    anna = house.player("anna")
    house.deal(anna)
    house.decide(anna, "check")
    house.decide(anna, "check")
    house.decide_later(anna, "fold")
    entries = list(house.journal.kept)
    assert house.balance("stakes:u1") == 0
    house.journal.kept[:] = house.journal.all[:-1]  # what stood there before the end was noted
    house.restart()
    assert (house.table.state_name, anna.last(wire.UltimateSnapshot).round) == ("taking_bets", None)
    assert entries != house.journal.all[:-1]


@pytest.mark.parametrize("when", ["wallets", "next_round", "journal", "close_bets"])
def test_killed_as_betting_closes_no_player_has_paid(house, when):
    """Up to the ledger's word there is no round, whatever the journal says of one."""
    anna = house.player("anna")
    house.bet(anna)
    if when == "journal":
        house.journal.hold = True
    else:
        house.ledger.hold = {when}
    house.close_betting()
    house.ledger.lose()
    house.journal.lose()
    house.restart()
    assert (house.table.state_name, house.wallet(anna), house.balance("stakes:u1")) == (
        "taking_bets",
        1_000_000,
        0,
    )
    house.deal(anna)
    house.play_out(anna)


def test_killed_before_the_round_was_told_it_is_played(house):
    """The ledger had taken the bets: the cards are in the journal, and all viewers see the round now."""
    anna = house.player("anna")
    house.bet(anna)
    real = house.books.close_bets
    house.ledger.__dict__["close_bets"] = lambda bets: (real(bets), house.table.relinquish())[0]
    house.close_betting()
    del house.ledger.__dict__["close_bets"]
    assert (anna.all(wire.RoundStarted), house.wallet(anna)) == ([], 999_800)
    house.restart()
    assert anna.last(wire.UltimateSnapshot).round.street == "preflop"
    house.play_out(anna)


def test_without_its_journal_a_round_is_void_and_every_bet_goes_back(house):
    """Redis has lost everything: the ledger knows every bet and every Play; a tip stays given."""
    anna, bert = house.player("anna"), house.player("bert")
    round_id = house.deal(anna, bert)
    house.decide(anna, "play", 4)
    house.answer(bert, wire.GiveTip, amount=30)
    house.journal.kept.clear()
    house.restart()
    assert (house.wallet(anna), house.wallet(bert)) == (1_000_000, 999_970)
    assert (house.balance("stakes:u1"), house.balance("tronc")) == (0, 30)
    assert house.table.state_name == "taking_bets"
    assert now(house.books.ended_rounds([round_id])) == {round_id}
    house.restart()
    assert house.wallet(anna) == 1_000_000


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        ("key", "the cards of a round cannot be opened: InvalidTag"),
        ("gap", "steps 1 of round {} are missing"),
        ("other", "an entry of another game"),
        ("shape", "an entry of another shape: ValueError"),
        ("version", "an entry of version 3, not 2"),
    ],
)
def test_what_cannot_be_read_is_void(house, what, reason):
    """Another key, a missing step, another game, an entry that is none, a later version; the log says why."""
    anna = house.player("anna")
    house.deal(anna)
    house.decide(anna, "check")
    house.decide(anna, "check")
    round_id = house.table.game.play.hand_id()
    if what == "key":
        house.key = bytes([1]) * 32
    elif what == "gap":
        del house.journal.kept[1]
    elif what == "other":
        house.journal.kept[:] = [b"\x92\x02\xa5table"]
    elif what == "shape":
        house.journal.kept.append(b"\x94\xa2u1\xa5steps\xc0\xc0")
    else:
        entry = msgspec.msgpack.decode(house.journal.kept[-1])
        house.journal.kept[-1] = msgspec.msgpack.encode({**entry, "version": 3})
    with capture_logs() as logs:
        house.restart()
    said = [one["reason"] for one in logs if one["event"] == "round.void"]
    assert said == [reason.format(round_id)]
    assert (house.table.state_name, house.wallet(anna)) == ("taking_bets", 1_000_000)


def test_a_play_that_was_never_paid_makes_a_round_void(house):
    """It cannot happen in the order of writing; if it does, the round is not played on."""
    anna = house.player("anna")
    house.deal(anna)
    house.decide(anna, "check")
    [checked] = decode_entry(house.journal.kept[-1]).steps
    assert checked.kind == "check"
    play = house.table.game.state.play
    house.journal.kept[-1] = steps_entry(play, [replace(checked, kind="play", multiple=4)])
    house.restart()
    assert (house.table.state_name, house.wallet(anna)) == ("taking_bets", 1_000_000)


def test_an_absent_player_keeps_the_place_for_a_while(house):
    """The clock decides for the player (U4)."""
    anna = house.player("anna")
    house.deal(anna)
    anna.connected = False
    house.restart()
    for _ in range(3):
        house.clock.advance(15)
    assert house.wallet(anna) == 999_800
    house.clock.advance(120)
    assert house.table.info().occupied == 0


def test_a_closed_table_closes_on(house):
    """The operator's word is in the journal, also in mid-round."""
    anna = house.player("anna")
    house.deal(anna)
    house.table.close()
    house.restart()
    assert house.code(house.client("bert"), wire.TakePlace) == "table_closing"
    house.play_out(anna)
    assert house.table.info().occupied == 0
    assert anna.last(wire.TableNotice).state == "closed"
    house.restart()
    assert house.table.closing


def test_until_the_ledger_has_answered_nothing_is_played(house):
    """Viewers are shown the table when it has."""
    anna = house.player("anna")
    shown = len(anna.all(wire.UltimateSnapshot))
    house.ledger.hold = {"open_round"}
    house.table.relinquish()
    house.seats.forget("u1")
    house.table = house.open()
    house.table.rejoin(anna)
    assert house.code(anna, wire.PlaceBet, bet="ante", amount=100) == "unavailable"
    assert len(anna.all(wire.UltimateSnapshot)) == shown
    house.ledger.answer()
    assert len(anna.all(wire.UltimateSnapshot)) > shown
    assert isinstance(house.bet(anna), wire.Slip)


# --- faults -----------------------------------------------------------------------------------------------------------


def crash(house: House) -> None:
    """A fault of ours in the middle of a message."""

    def broken() -> None:
        raise AssertionError("planted")

    house.table.mailbox.post(broken)


def test_after_a_fault_the_round_goes_on(house):
    """All are told that it froze and goes on, are shown the round, and are asked again."""
    anna, bert = house.player("anna"), house.player("bert")
    round_id = house.deal(anna, bert)
    house.decide(anna, "play", 4)
    crash(house)
    assert house.table.state_name == "frozen"
    assert house.code(bert, wire.Decide, round_id=round_id, seq=1, box=2, decision="check") == "table_frozen"
    assert house.answer(bert, wire.GetSnapshot).round is None
    house.clock.advance(1)
    assert [notice.state for notice in bert.all(wire.TableNotice)] == ["frozen", "running"]
    snapshot = bert.last(wire.UltimateSnapshot)
    assert (snapshot.round.round_id, snapshot.round.boxes[0].play) == (round_id, 400)
    assert house.question().seq > snapshot.seq
    house.play_out(bert)
    assert anna.last(wire.RoundEnded).round_id == round_id


def test_a_fault_in_betting_time_loses_slips_and_no_chip(house):
    """What may be wrong is not kept."""
    anna = house.player("anna")
    house.bet(anna)
    crash(house)
    house.clock.advance(1)
    assert (house.table.state_name, bool(house.table.game.slips)) == ("taking_bets", False)
    assert house.answer(anna, wire.GetSnapshot).your_slip is None


def test_a_fault_while_a_play_is_paid_takes_it_into_account(house):
    """The table waits for the ledger before it restarts, and the player is answered then."""
    anna, bert = house.player("anna"), house.player("bert")
    house.deal(anna, bert)
    house.ledger.hold = {"add_stake"}
    number = house.decide_later(anna, "play", 4)
    crash(house)
    house.clock.advance(5)
    assert house.table.state_name == "frozen"
    house.ledger.answer()
    assert house.table.state_name == "playing"
    assert isinstance(house.answer_to(anna, number), wire.Ok)
    assert anna.last(wire.UltimateSnapshot).round.boxes[0].status == "played"
    house.play_out(bert)


def test_a_fault_while_the_result_is_at_the_ledger_tells_it_once(house):
    """And betting opens."""
    anna = house.player("anna")
    house.deal(anna)
    house.ledger.hold = {"settle_round"}
    for decision in ("check", "check", "fold"):
        house.decide_later(anna, decision)
    crash(house)
    house.clock.advance(2)
    assert anna.all(wire.RoundEnded) == []
    house.ledger.answer()
    assert len(anna.all(wire.RoundEnded)) == 1
    assert house.table.state_name == "taking_bets"


def test_a_fault_before_the_result_is_told_tells_it(house):
    """It was stored already."""
    anna = house.player("anna")
    house.deal(anna)

    def broken() -> None:
        raise AssertionError("planted")

    house.counts.round = broken
    for decision in ("check", "check", "fold"):
        house.decide_later(anna, decision)
    assert (house.table.state_name, anna.all(wire.RoundEnded)) == ("frozen", [])
    house.clock.advance(1)
    assert len(anna.all(wire.RoundEnded)) == 1


def test_a_fault_while_a_place_is_taken_keeps_it(house):
    """The ledger had it; the client is shown its place."""
    anna = house.client("anna")
    house.ledger.hold = {"take_place"}
    number = house.ask(anna, wire.TakePlace)
    crash(house)
    house.ledger.answer()
    house.clock.advance(1)
    assert house.answer_to(anna, number).your_box == 1


def test_a_fault_while_a_place_is_taken_or_left_tells_the_room_of_it(house, monkeypatch):
    """The ledger's answer comes to a table that is gone: the room knows all the same which account is where."""
    told = []
    monkeypatch.setattr(house.seats, "seated", lambda *seat: told.append(seat))
    anna = house.client("anna")
    for call, request in (("take_place", wire.TakePlace), ("cash_out", wire.StandUp)):
        house.ledger.hold = {call}
        house.ask(anna, request)
        crash(house)
        house.ledger.answer()
        assert told == [(anna.account, "u1")]
        if call == "cash_out":
            assert house.seats.tables_of(anna.account) == []
        house.clock.advance(1)


def test_a_round_that_is_lost_in_a_fault_is_told_void(house):
    """The journal is empty by then."""
    anna = house.player("anna")
    round_id = house.deal(anna)
    house.journal.kept.clear()
    crash(house)
    house.clock.advance(1)
    ended = anna.last(wire.RoundEnded)
    assert (ended.round_id, ended.void) == (round_id, True)
    assert (house.wallet(anna), house.table.state_name) == (1_000_000, "taking_bets")


def test_a_fault_again_and_again_freezes_it_for_good(house):
    """The fourth within ten minutes; the operator lets it go on."""
    anna = house.player("anna")
    house.deal(anna)
    for _ in range(4):
        crash(house)
        house.clock.advance(1)
    assert house.table.state_name == "frozen"
    now(house.table.resume())
    assert house.table.state_name == "playing"
    house.play_out(anna)


# --- other owners -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", ["close_bets", "add_stake", "settle_round", "take_place", "cash_out"])
def test_a_table_that_is_another_nodes_stops(call):
    """The ledger has said so: clients are told nothing more."""
    house = House()
    anna = house.player("anna")
    house.ledger.__dict__[call] = lambda *_: fail(NotOwner("u1"))
    if call == "take_place":
        house.ask(house.client("bert"), wire.TakePlace)
    elif call == "cash_out":
        house.ask(anna, wire.StandUp)
    else:
        house.bet(anna)
        house.close_betting()
        if call != "close_bets":
            house.decide_later(anna, *(("play", 4) if call == "add_stake" else ("check",)))
        if call == "settle_round":
            house.decide_later(anna, "check")
            house.decide_later(anna, "fold")
    assert (house.relinquished, house.table.relinquished) == (1, True)
    assert house.clock.getDelayedCalls() == []


def test_a_table_that_is_lost_while_it_begins_stops(house):
    """It would have declared a round void that another node plays on."""
    anna = house.player("anna")
    house.deal(anna)
    house.journal.kept.clear()
    house.ledger.__dict__["void_round"] = lambda _: fail(NotOwner("u1"))
    house.restart()
    assert house.relinquished == 1
    del house.ledger.__dict__["void_round"]
    house.restart()
    assert house.wallet(anna) == 1_000_000
