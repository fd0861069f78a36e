"""What the operator does to a table against the house: pause, go on, void, close; and the end of its life at a node."""

from __future__ import annotations

from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from pokerroom.ops.reports import OrderRefused
from pokerroom_protocol import messages as wire
from tests.poker.support import now
from tests.ultimate.support import House


def refused(deferred) -> str:
    """The code of an order that was refused."""
    with pytest.raises(OrderRefused) as error:
        now(deferred)
    return error.value.code


def test_a_pause_stops_the_clock_and_all_are_told(house):
    """The round goes on where it was, with a whole clock (U15)."""
    anna = house.player("anna")
    round_id = house.deal(anna)
    now(house.table.freeze())
    assert anna.last(wire.TableNotice).state == "frozen"
    assert house.code(anna, wire.Decide, round_id=round_id, seq=1, box=1, decision="check") == "table_frozen"
    house.clock.advance(3_600)
    assert anna.all(wire.Decided) == []
    now(house.table.resume())
    assert anna.last(wire.TableNotice).state == "running"
    assert house.question().deadline_ms == house.now_ms() + 15_000
    house.play_out(anna)
    assert refused(house.table.resume()) == "not_frozen"


def test_the_table_says_that_it_goes_on_while_the_journal_is_slow(house):
    """What is written at the restart waits for the journal; the notice does not wait behind it."""
    anna = house.player("anna")
    now(house.table.freeze())
    house.journal.hold = True
    resumed = house.table.resume()
    house.journal.store()  # the order, so that the table restarts
    now(resumed)
    assert anna.last(wire.TableNotice).state == "running"


def test_a_pause_in_betting_time_keeps_what_lies_there(house):
    """The time runs once more from its beginning (house choice); a player that left meanwhile has no bets."""
    anna, bert = house.player("anna"), house.player("bert")
    house.bet(anna, amount=200)
    house.bet(bert)
    now(house.table.freeze())
    house.clock.advance(60)
    now(house.table.resume())
    assert house.answer(anna, wire.GetSnapshot).your_slip.total == 400
    assert anna.last(wire.LightChanged).closes_ms == house.now_ms() + 20_000
    house.close_betting()
    assert [box.ante for box in anna.last(wire.RoundStarted).boxes] == [200, 100]


def test_a_paused_table_stays_so_at_its_next_owner(house):
    """Again and again, until the operator lets it go on."""
    anna = house.player("anna")
    house.deal(anna)
    now(house.table.freeze())
    house.restart()
    assert house.table.state_name == "frozen"
    house.restart()
    assert house.table.state_name == "frozen"
    now(house.table.resume())
    house.play_out(anna)
    now(house.table.freeze())
    house.restart()
    house.restart()
    assert house.table.frozen_by == "operator"


def test_a_void_round_returns_every_bet_exactly_once(house):
    """Starting bets and Plays; a tip stays given. Without a card, and whatever is asked again."""
    anna, bert = house.player("anna"), house.player("bert")
    round_id = house.deal(anna, bert)
    house.decide(anna, "play", 4)
    house.answer(bert, wire.GiveTip, amount=30)
    assert refused(house.table.void_hand()) == "not_frozen"
    now(house.table.freeze())
    assert now(house.table.void_hand()) == round_id
    ended = anna.last(wire.RoundEnded)
    assert (ended.void, ended.bank, [box.cards for box in ended.boxes]) == (True, None, [None, None])
    assert [[(bet.bet, bet.paid) for bet in box.bets] for box in ended.boxes] == [
        [("ante", 100), ("blind", 100), ("play", 400)],
        [("ante", 100), ("blind", 100)],
    ]
    assert (house.wallet(anna), house.wallet(bert)) == (1_000_000, 999_970)
    assert (house.table.state_name, house.table.facts().hand_id) == ("frozen", None)
    assert refused(house.table.void_hand()) == "no_hand"
    house.restart()
    assert house.table.state_name == "frozen"
    now(house.table.resume())
    assert (house.table.state_name, len(anna.all(wire.RoundEnded))) == ("taking_bets", 1)
    assert house.wallet(anna) == 1_000_000
    house.deal(anna)
    house.play_out(anna)


def test_a_round_without_its_cards_can_be_declared_void(house):
    """The ledger knows every bet."""
    anna = house.player("anna")
    round_id = house.deal(anna)
    now(house.table.freeze())
    house.journal.kept.clear()
    assert now(house.table.void_hand()) == round_id
    assert anna.last(wire.RoundEnded).void
    now(house.table.resume())
    assert house.wallet(anna) == 1_000_000


def test_a_round_that_is_decided_is_finished_and_not_void(house):
    """`hand_complete`: its result is on its way to the ledger."""
    anna = house.player("anna")
    house.deal(anna)
    house.ledger.down = True
    for decision in ("check", "check", "fold"):
        house.decide_later(anna, decision)
    now(house.table.freeze())
    voiding = house.table.void_hand()
    house.ledger.down = False
    house.clock.advance(5)
    assert refused(voiding) == "no_hand"  # it was finished meanwhile
    assert anna.last(wire.RoundEnded).void is False


class Refusing:
    """The ledger does not take what this table says of a round's end, a fault of ours; `times`: how often."""

    def __init__(self, house):
        self.times = 0
        self._settle = house.books.settle_round
        house.books.settle_round = self.settle_round
        self._house = house

    def settle_round(self, end):
        self.times += 1
        return self._settle(replace(end, house=end.house + 1))

    def mend(self):
        self._house.books.settle_round = self._settle


def decided(house):
    """A decided round of two, whose end the ledger refuses; the table stays frozen. Players, and the round's id."""
    anna, bert = house.player("anna"), house.player("bert")
    house.bet(anna, "ante", 100)
    house.bet(anna, "trips", 100)
    round_id = house.deal(bert)
    refusing = Refusing(house)
    house.answer(bert, wire.GiveTip, amount=30)
    assert isinstance(house.decide(anna, "play", 4), wire.Ok)
    for decision in ("check", "check", "fold"):
        house.decide_later(bert, decision)
    return anna, bert, round_id, refusing


def test_a_result_that_the_ledger_refuses_is_given_up_by_the_operator_alone(house):
    """Going on freezes it again. Void by an express order, every bet goes back exactly once, and play goes on."""
    anna, bert, round_id, refusing = decided(house)
    house.clock.advance(60)
    for _ in range(6):
        house.clock.advance(2)
    assert (house.table.state_name, house.table.restarts.held) == ("frozen", True)
    times = refusing.times
    now(house.table.resume())
    assert (refusing.times, house.table.state_name) == (times + 1, "frozen")
    now(house.table.freeze())
    with pytest.raises(OrderRefused, match="table void --complete") as default:
        now(house.table.void_hand())
    assert default.value.code == "hand_complete"
    with capture_logs() as logs:
        assert now(house.table.void_hand(complete=True)) == round_id
    assert [one["log_level"] for one in logs if one["event"] == "round.result_dropped"] == ["error"]
    ended = anna.last(wire.RoundEnded)
    assert (ended.void, ended.bank, {box.outcome for box in ended.boxes}) == (True, None, {"void"})
    assert [[(bet.bet, bet.paid) for bet in box.bets] for box in ended.boxes] == [
        [("ante", 100), ("blind", 100), ("play", 400), ("trips", 100)],
        [("ante", 100), ("blind", 100)],
    ]
    assert (house.wallet(anna), house.wallet(bert), house.balance("tronc")) == (1_000_000, 999_970, 30)
    assert refused(house.table.void_hand(complete=True)) == "no_hand"
    house.check_books()
    house.restart()
    now(house.table.resume())
    assert (house.table.state_name, len(anna.all(wire.RoundEnded))) == ("taking_bets", 1)
    refusing.mend()
    house.deal(anna)
    assert not house.play_out(anna).void


def test_a_result_on_its_way_to_the_ledger_is_not_given_up(house):
    """The ledger answers first: then the round is over."""
    anna = house.player("anna")
    house.deal(anna)
    house.ledger.hold = {"settle_round"}
    for decision in ("check", "check", "fold"):
        house.decide_later(anna, decision)
    now(house.table.freeze())
    voiding = house.table.void_hand(complete=True)
    assert not voiding.called
    house.ledger.answer()
    assert refused(voiding) == "no_hand"
    assert [ended.void for ended in anna.all(wire.RoundEnded)] == [False]


def test_a_round_in_progress_is_void_whether_the_operator_says_complete_or_not(house):
    """It asks for more than is needed."""
    anna = house.player("anna")
    round_id = house.deal(anna)
    assert refused(house.table.void_hand(complete=True)) == "not_frozen"
    now(house.table.freeze())
    with capture_logs() as logs:
        assert now(house.table.void_hand(complete=True)) == round_id
    assert [one["event"] for one in logs if one["log_level"] == "error"] == []
    assert house.wallet(anna) == 1_000_000


def test_a_round_is_not_void_while_a_play_is_on_its_way(house):
    """The ledger answers first: so the Play goes back, too."""
    anna, bert = house.player("anna"), house.player("bert")
    house.deal(anna, bert)
    house.ledger.hold = {"add_stake"}
    play = house.decide_later(anna, "play", 4)
    now(house.table.freeze())
    voiding = house.table.void_hand()
    assert refused(house.table.void_hand()) == "void_pending"
    house.ledger.answer()
    assert now(voiding).startswith("2026")
    assert house.wallet(anna) == 1_000_000
    now(house.table.resume())
    assert isinstance(house.answer_to(anna, play), wire.Ok)


def test_nothing_is_void_where_no_round_is_in_progress(house):
    """`no_hand`."""
    now(house.table.freeze())
    assert refused(house.table.void_hand()) == "no_hand"


# --- closing ----------------------------------------------------------------------------------------------------------


def test_a_table_that_is_closed_in_betting_time_takes_no_bets(house):
    """No player has paid; all leave, and the operator is told."""
    anna = house.player("anna")
    house.bet(anna)
    closed = house.table.close()
    assert now(closed) is None
    assert [notice.state for notice in anna.all(wire.TableNotice)] == ["closing", "closed"]
    assert anna.last(wire.LightChanged).light == "red"
    assert anna.last(wire.PlaceLeft).name == "anna"
    assert house.code(anna, wire.TakePlace) == "table_closing"
    house.table.reopen()
    assert isinstance(house.answer(anna, wire.TakePlace), wire.UltimateSnapshot)
    assert anna.last(wire.LightChanged).light == "green"


def test_a_table_that_is_closed_in_a_round_plays_it_to_its_end(house):
    """Then all leave."""
    anna = house.player("anna")
    house.deal(anna)
    closed = house.table.close()
    assert house.table.info().occupied == 1
    house.play_out(anna)
    assert now(closed) is None
    assert house.table.info().occupied == 0


def test_a_table_that_is_closed_while_a_place_is_taken_is_empty_in_the_end(house):
    """Whoever was about to sit leaves again."""
    anna = house.client("anna")
    house.ledger.hold = {"take_place"}
    house.ask(anna, wire.TakePlace)
    closed = house.table.close()
    house.ledger.answer()
    assert now(closed) is None


def test_a_table_that_is_closed_as_people_look_at_a_result(house):
    """They need not look any longer."""
    anna = house.player("anna")
    house.deal(anna)
    house.play_out(anna)
    assert now(house.table.close()) is None


def test_a_frozen_table_can_be_closed(house):
    """All leave when it goes on."""
    anna = house.player("anna")
    now(house.table.freeze())
    closed = house.table.close()
    assert house.table.info().occupied == 1
    now(house.table.resume())
    assert now(closed) is None
    assert house.code(anna, wire.TakePlace) == "table_closing"


# --- the end of its life here -----------------------------------------------------------------------------------------


def fired(deferred) -> bool:
    """Whether it has."""
    return deferred.called


def test_a_table_is_handed_over_between_rounds(house):
    """Once the round is over and stored; clients are not told, and no other round begins here."""
    anna = house.player("anna")
    house.deal(anna)
    given = house.table.hand_over()
    assert not fired(given)
    house.play_out(anna)
    assert fired(given)
    assert anna.all(wire.TableNotice) == []
    assert house.table.state_name == "waiting"
    house.restart()
    assert house.table.state_name == "taking_bets"


def test_a_round_without_present_players_is_handed_over_as_it_is(house):
    """Its next owner asks the same."""
    anna = house.player("anna")
    house.deal(anna)
    house.lose(anna)
    given = house.table.hand_over()
    assert fired(given)


def test_a_table_in_betting_time_is_handed_over_at_once(house):
    """What lies on slips is lost: nothing was paid."""
    anna = house.player("anna")
    house.bet(anna)
    assert fired(house.table.hand_over())
    assert house.code(anna, wire.PlaceBet, bet="ante", amount=100) == "betting_closed"
    house.close_betting()
    assert house.table.state_name == "taking_bets"


def test_a_room_that_goes_down_finishes_the_round(house):
    """And takes no bets after it."""
    anna = house.player("anna")
    house.deal(anna)
    drained = house.table.drain()
    assert anna.last(wire.TableNotice).state == "closing"
    assert not fired(drained)
    house.play_out(anna)
    assert fired(drained)
    assert house.code(anna, wire.PlaceBet, bet="ante", amount=100) == "table_closing"
    assert house.code(house.client("bert"), wire.TakePlace) == "table_closing"


def test_a_room_that_goes_down_does_not_wait_for_players_who_are_gone(house):
    """The round is in the journal, and without them only its clock would run."""
    anna = house.player("anna")
    house.deal(anna)
    drained = house.table.drain()
    assert not fired(drained)

    house.lose(anna)

    assert fired(drained)


def test_a_closed_table_is_over_when_the_ledger_knows_that_the_last_player_has_left(house):
    """Not before."""
    house.player("anna")
    house.ledger.hold = {"cash_out"}
    closed = house.table.close()
    assert not fired(closed)

    house.ledger.answer()

    assert fired(closed)


def test_the_table_goes_on_while_its_round_is_being_declared_void(house):
    """The operator resumes the table in between: the later order counts, no bet goes back, and the round is played."""
    anna = house.player("anna")
    house.deal(anna)
    staked = house.wallet(anna)
    now(house.table.freeze())
    house.journal.hold = True
    voiding = house.table.void_hand()
    now(house.table.resume())
    house.journal.store()
    house.journal.hold = False
    house.clock.advance(0)
    assert refused(voiding) == "not_frozen"
    assert (house.table.state_name, house.wallet(anna)) == ("playing", staked)
    house.play_out(anna)
    assert [ended.void for ended in anna.all(wire.RoundEnded)] == [False]


def test_the_operator_sees_how_the_table_stands():
    """One word for its state, and the players who are there."""
    house = House()
    facts = house.table.facts()
    assert (facts.state, facts.occupied, facts.hand_id) == ("taking_bets", 0, None)
    anna, bert = house.player("anna"), house.player("bert")
    round_id = house.deal(anna)
    house.lose(bert)
    facts = house.table.facts()
    assert (facts.state, facts.occupied, facts.connected, facts.hand_id) == ("playing", 2, 1, round_id)
    assert house.table.info().players == 1
    house.stop()


def test_a_round_that_the_ledger_is_about_to_void_does_not_go_on(house):
    """Clients would be told another end than the ledger has."""
    anna = house.player("anna")
    round_id = house.deal(anna)
    now(house.table.freeze())
    house.ledger.hold.add("void_round")
    done = house.table.void_hand()
    assert refused(house.table.resume()) == "void_pending"
    house.ledger.answer()
    assert now(done) == round_id
    now(house.table.resume())
    house.clock.advance(60)
    assert [ended.void for ended in anna.all(wire.RoundEnded)] == [True]
    assert house.counts.crashes == 0
    assert house.wallet(anna) == 1_000_000
