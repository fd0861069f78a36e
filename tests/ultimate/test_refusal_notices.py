"""Bets refused when betting closed: players who were away are told when they are back."""

from __future__ import annotations

from pokerroom_protocol import messages as wire
from tests.poker.support import now


def refused(client):
    """The client's refused bets, as told last."""
    return [(one.box, one.bet, one.amount, one.code) for one in client.last(wire.BetsRefused).refused]


def test_a_player_away_at_the_close_is_told_after_coming_back(live):
    """Once, behind the snapshot; the other players learn nothing of it (U16)."""
    anna, bert = live.player("anna"), live.player("bert")
    live.bet(anna, amount=200)
    live.lose(anna)
    live.deal(bert)
    assert len(bert.all(wire.BetsRefused)) == 1
    anna = live.back(anna)
    *_, shown, told = anna.got
    assert isinstance(shown, wire.UltimateSnapshot)
    assert (told.seq, refused(anna)) == (shown.seq + 1, [(1, "ante", 200, "not_present")])
    assert [one.refused for one in bert.all(wire.BetsRefused)] == [[], []]
    live.lose(anna)
    anna = live.back(anna)
    assert anna.all(wire.BetsRefused) == []


def test_a_player_back_while_a_result_is_at_the_ledger_is_told_behind_it(live):
    """The snapshot waits for the ledger, and so does what follows it; a fault in between changes nothing."""
    anna, bert = live.player("anna"), live.player("bert")
    live.bet(anna, amount=200)
    live.lose(anna)
    live.deal(bert)
    now(live.table.freeze())
    now(live.table.resume())
    live.ledger.hold = {"settle_round"}
    for decision in ("check", "check", "fold"):
        live.decide_later(bert, decision)
    anna = live.back(anna)
    assert anna.got == []
    live.ledger.answer()
    shown, told, *_ = anna.got
    assert isinstance(shown, wire.UltimateSnapshot)
    assert (told.seq > shown.seq, refused(anna)) == (True, [(1, "ante", 200, "not_present")])


def test_a_player_who_has_left_since_is_told_no_refused_bets(live):
    """The place was not kept."""
    anna, bert = live.player("anna"), live.player("bert")
    live.bet(anna)
    live.lose(anna)
    live.deal(bert)
    live.clock.advance(live.settings.away_limit_s)
    anna = live.back(anna)
    assert isinstance(live.answer(anna, wire.TakePlace), wire.UltimateSnapshot)
    anna = live.back(anna)
    assert anna.all(wire.BetsRefused) == []
