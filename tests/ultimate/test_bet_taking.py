"""Betting time: the light, what a slip takes and refuses, and what follows from the ledger's answers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from twisted.internet.defer import fail

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerConflict
from pokerroom_protocol import messages as wire
from tests.poker.support import now
from tests.ultimate.support import BOXES, PROGRESSIVE, House


def lights(client):
    """What the client was told of the light."""
    return [(one.light, one.closes_ms) for one in client.all(wire.LightChanged)]


def test_the_first_bet_starts_the_light(house):
    """Green, yellow in the last seconds, red (U1); all are told when it closes."""
    watcher, anna = house.client("watcher"), house.player("anna")
    closes_ms = house.now_ms() + 20_000
    house.bet(anna)
    assert lights(watcher) == [("green", closes_ms)]
    house.bet(anna)
    house.clock.advance(14.9)
    assert lights(watcher) == [("green", closes_ms)]
    house.clock.advance(0.1)
    assert lights(watcher)[1:] == [("yellow", closes_ms)]
    house.clock.advance(5)
    assert lights(watcher)[2:] == [("red", None)]
    assert house.table.state_name == "playing"


def test_where_there_is_no_yellow_the_light_goes_red_at_once():
    """`closing_s` of 0, and one that is all of betting time."""
    house = House(closing_s=0)
    anna = house.player("anna")
    house.deal(anna)
    assert [light for light, _ in lights(anna)] == ["green", "red"]
    house.stop()
    house = House(closing_s=20)
    anna = house.player("anna")
    house.deal(anna)
    assert [light for light, _ in lights(anna)] == ["yellow", "red"]
    house.stop()


def test_a_slip_is_the_players_own(house):
    """Its answer has all bets, the total with the Blinds and the wallet; no other client is told. Nothing is paid."""
    anna, bert = house.player("anna"), house.player("bert")
    house.bet(anna, amount=200)
    before = len(bert.got)
    slip = house.bet(anna, "trips", 100).slip
    assert [(one.box, one.ante, one.trips) for one in slip.bets] == [(1, 200, 100)]
    assert (slip.total, slip.balance, slip.can_double, slip.can_undo) == (500, 1_000_000, True, True)
    assert bert.got[before:] == []
    assert house.wallet(anna) == 1_000_000
    assert house.answer(anna, wire.GetSnapshot).your_slip == slip
    assert house.answer(bert, wire.GetSnapshot).your_slip is None


def test_too_much_is_refused_at_once_and_too_little_may_grow(house):
    """Above the maximum or the balance a code, and nothing has changed (U1)."""
    anna = house.player("anna", opening=900)
    assert house.code(anna, wire.PlaceBet, bet="ante", amount=10_002) == "above_maximum"
    assert house.code(anna, wire.PlaceBet, bet="ante", amount=500) == "insufficient_balance"
    assert house.code(anna, wire.PlaceBet, bet="ante", amount=101) == "ante_not_even"
    assert house.code(anna, wire.PlaceBet, bet="trips", amount=100) == "ante_needed"
    assert house.code(anna, wire.PlaceBet, bet="progressive", amount=100) == "no_such_bet"
    assert house.code(anna, wire.ChangeBets, action="undo") == "nothing_to_undo"
    assert house.bet(anna, amount=50).slip.total == 100
    assert house.bet(anna, amount=50).slip.total == 200
    assert lights(anna)[-1][0] == "green"


def test_double_once_undo_and_undo_all(house):
    """Each bet to its maximum at most; doubled once, and once more when that was taken back."""
    anna = house.player("anna")
    house.bet(anna, amount=6_000)
    slip = house.answer(anna, wire.ChangeBets, action="double").slip
    assert (slip.bets[0].ante, slip.can_double) == (10_000, False)
    assert house.code(anna, wire.ChangeBets, action="double") == "doubled_already"
    assert house.answer(anna, wire.ChangeBets, action="undo").slip.bets[0].ante == 6_000
    assert house.answer(anna, wire.ChangeBets, action="double").slip.bets[0].ante == 10_000
    slip = house.answer(anna, wire.ChangeBets, action="undo_all").slip
    assert (slip.bets, slip.total, slip.can_undo) == ([], 0, False)


def test_the_last_rounds_bets_are_repeated(house):
    """Trips too, by one wish; nothing to repeat before the first round, nor on a slip with bets."""
    anna = house.player("anna")
    assert house.code(anna, wire.ChangeBets, action="repeat") == "nothing_to_repeat"
    house.bet(anna, amount=200)
    house.bet(anna, "trips", 100)
    house.close_betting()
    house.play_out(anna)
    house.rest()
    slip = house.answer(anna, wire.ChangeBets, action="repeat").slip
    assert [(one.ante, one.trips) for one in slip.bets] == [(200, 100)]
    assert house.code(anna, wire.ChangeBets, action="repeat") == "bets_placed"
    assert house.answer(anna, wire.ChangeBets, action="undo").slip.can_repeat


def test_an_extra_box_is_played_blind(house):
    """It needs a bet on the player's own box, a free box and its Play before the deal (U11)."""
    anna = house.player("anna", box=2)
    house.player("bert", box=3)
    assert house.code(anna, wire.PlaceBet, bet="ante", amount=100, box=5) == "own_box_needed"
    house.bet(anna)
    assert house.code(anna, wire.PlaceBet, bet="ante", amount=100, box=3) == "box_taken"
    assert house.code(anna, wire.PlaceBet, bet="ante", amount=100, box=9) == "no_such_box"
    assert house.code(anna, wire.ChoosePlay, box=5, multiple=3) == "ante_needed"
    house.bet(anna, box=5)
    assert house.code(anna, wire.ChoosePlay, box=2, multiple=3) == "play_not_allowed"
    assert house.code(anna, wire.ChoosePlay, box=9, multiple=3) == "no_such_box"
    slip = house.answer(anna, wire.ChoosePlay, box=5, multiple=3).slip
    assert [(one.box, one.play) for one in slip.bets] == [(2, 0), (5, 3)]
    assert slip.total == 200 + 500


def test_at_a_common_hand_there_are_no_extra_boxes(live):
    """Whatever their number."""
    anna = live.player("anna")
    live.bet(anna)
    assert live.code(anna, wire.PlaceBet, bet="ante", amount=100, box=5) == "no_such_box"
    assert live.code(anna, wire.ChoosePlay, box=5, multiple=3) == "no_such_box"


def test_bets_are_taken_only_in_betting_time(house):
    """From red on, in the round and while its result is looked at: `betting_closed`."""
    anna = house.player("anna")
    house.deal(anna)
    assert house.code(anna, wire.PlaceBet, bet="ante", amount=100) == "betting_closed"
    house.play_out(anna)
    assert house.code(anna, wire.ChangeBets, action="repeat") == "betting_closed"
    house.rest()
    assert isinstance(house.answer(anna, wire.ChangeBets, action="repeat"), wire.Slip)


def test_the_wallets_are_asked_once_for_all_waiting_requests(house):
    """While one question is out the wishes gather, in their order; an answer has the wallet of that moment."""
    anna, bert = house.player("anna"), house.player("bert")
    house.ledger.hold = {"wallets"}
    asked = house.ledger.asked("wallets")
    first = house.ask(anna, wire.PlaceBet, bet="ante", amount=100)
    second = house.ask(anna, wire.ChangeBets, action="double")
    other = house.ask(bert, wire.PlaceBet, bet="ante", amount=300)
    assert anna.all(wire.Slip) == []
    house.ledger.answer()
    assert house.answer_to(anna, first).slip.bets[0].ante == 100
    assert house.answer_to(anna, second).slip.bets[0].ante == 200
    assert house.answer_to(bert, other).slip.bets[0].ante == 300
    assert house.ledger.asked("wallets") == asked + 2


def test_a_wish_that_the_ledger_answered_too_late_is_refused(house):
    """The light was red by then."""
    anna = house.player("anna")
    house.bet(anna)
    house.ledger.hold = {"wallets"}
    late = house.ask(anna, wire.PlaceBet, bet="ante", amount=100)
    house.close_betting()
    house.ledger.answer()
    assert house.answer_to(anna, late).code == "betting_closed"
    assert house.table.state_name == "playing"
    assert anna.last(wire.RoundStarted).boxes[0].ante == 100


def test_while_the_ledger_is_away_wishes_are_refused(house):
    """At once, so that no client waits; the bets on the slip stay."""
    anna = house.player("anna")
    house.bet(anna)
    house.ledger.down = True
    assert house.code(anna, wire.PlaceBet, bet="ante", amount=100) == "unavailable"
    house.ledger.down = False
    assert house.bet(anna).slip.bets[0].ante == 200


def test_a_fault_of_the_ledger_is_a_fault(house):
    """The requests are refused, and the table restarts."""
    anna = house.player("anna")
    house.ledger.__dict__["wallets"] = lambda _: fail(LedgerConflict("what cannot be"))
    assert house.code(anna, wire.PlaceBet, bet="ante", amount=100) == "unavailable"
    assert (house.counts.crashes, house.table.state_name) == (1, "frozen")
    del house.ledger.__dict__["wallets"]
    house.clock.advance(1)
    assert house.table.state_name == "taking_bets"


def test_a_client_that_logs_out_gets_no_answer_to_a_bet(house):
    """The bet is not placed either."""
    anna = house.player("anna")
    house.ledger.hold = {"wallets"}
    number = house.ask(anna, wire.PlaceBet, bet="ante", amount=100)
    anna.account = None
    house.ledger.answer()
    assert [one for one in anna.got if getattr(one, "re", None) == number] == []
    assert not house.table.game.slips


def test_if_all_is_taken_back_betting_is_open_again(house):
    """There is no round; the light is green, and waits for the first bet."""
    anna = house.player("anna")
    house.bet(anna)
    house.answer(anna, wire.ChangeBets, action="undo")
    house.close_betting()
    assert [light for light, _ in lights(anna)] == ["green", "yellow", "red", "green"]
    assert lights(anna)[-1] == ("green", None)
    assert anna.all(wire.RoundStarted) == anna.all(wire.BetsRefused) == []


# --- the close --------------------------------------------------------------------------------------------------------


def refused(client):
    """The client's refused bets, as told last."""
    return [(one.box, one.bet, one.amount, one.code) for one in client.last(wire.BetsRefused).refused]


def test_what_is_too_little_is_refused_at_the_close_and_the_rest_stands(house):
    """Players are told their own refused bets; all viewers are told that there were some (U1)."""
    anna, bert = house.player("anna"), house.player("bert")
    house.bet(anna, amount=200)
    house.bet(anna, "trips", 50)
    house.deal(bert)
    assert refused(anna) == [(1, "trips", 50, "below_minimum")]
    assert refused(bert) == []
    assert [(box.ante, box.trips) for box in bert.last(wire.RoundStarted).boxes] == [(200, 0), (100, 0)]
    assert (house.wallet(anna), house.wallet(bert)) == (999_600, 999_800)
    assert house.balance("stakes:u1") == 600


def test_if_no_bet_stands_betting_is_open_again(house):
    """The refused ones were not paid, and no round has begun."""
    anna = house.player("anna")
    house.bet(anna, amount=50)
    house.close_betting()
    assert refused(anna) == [(1, "ante", 50, "below_minimum")]
    assert (house.table.state_name, anna.all(wire.RoundStarted)) == ("taking_bets", [])
    assert not house.table.game.slips
    assert house.ledger.asked("close_bets") == 0


def test_a_wallet_that_was_spent_meanwhile_loses_its_bets(house):
    """As it stands when betting closes: own box first, the Ante before Trips."""
    anna, bert = house.player("anna", opening=500), house.player("bert")
    house.bet(anna, amount=200)
    house.bet(anna, "trips", 100)
    house.bet(bert)
    spend(house, anna, 50)
    house.close_betting()
    assert refused(anna) == [(1, "trips", 100, "insufficient_balance")]
    assert [box.ante for box in bert.last(wire.RoundStarted).boxes] == [200, 100]


def test_a_wallet_that_is_spent_as_the_ledger_is_asked_loses_its_bets_too(house):
    """The ledger names the accounts with too little; the other bets stand, and new cards are dealt."""
    anna, bert = house.player("anna", opening=500), house.player("bert")
    house.bet(anna, amount=200)
    house.bet(bert)
    house.ledger.hold = {"close_bets"}
    house.close_betting()
    assert anna.all(wire.RoundStarted) == []
    spend(house, anna, 150)
    house.ledger.answer()
    assert refused(anna) == [(1, "ante", 200, "insufficient_balance")]
    assert [box.name for box in anna.last(wire.RoundStarted).boxes] == ["bert"]
    assert (house.wallet(anna), house.balance("stakes:u1")) == (350, 200)


def test_a_limit_refuses_the_bets_of_its_player_alone(house):
    """What is left of it is what the player may bet, and the refusal names the limit."""
    anna, bert = house.player("anna"), house.player("bert")
    house.books.set_limit(anna.account, "loss", "day", 450)
    house.bet(anna, amount=200)
    house.bet(anna, "trips", 100)
    house.bet(bert)
    house.close_betting()
    assert refused(anna) == [(1, "trips", 100, "limit_reached")]
    assert [box.ante for box in bert.last(wire.RoundStarted).boxes] == [200, 100]
    answer = house.decide(anna, "play", 4)
    assert (answer.code, answer.limit, answer.amount) == ("limit_reached", "loss_day", 50)


def spend(house, client, amount):
    """The player buys in at another table of the room."""
    epoch = now(house.books.take_table("t9", "n2", 0))
    now(house.books.buy_in("buyin:" + 32 * "e", "t9", epoch, 1, client.account, Money(amount), 4))


def test_what_the_house_will_not_risk_is_refused():
    """The table's limit of a round: the last bet is refused first (U18)."""
    house = House(
        type(BOXES)(**{name: getattr(BOXES, name) for name in BOXES.__slots__} | {"exposure_max": 100_000})
    )
    anna, bert = house.player("anna"), house.player("bert")
    house.bet(anna)
    house.deal(bert, ante=1_000)
    assert refused(bert) == [(2, "ante", 1_000, "house_limit")]
    house.stop()


def test_a_bank_that_cannot_cover_the_round_takes_no_bets(house):
    """All are refused with the same code, and betting is open again."""
    anna = house.player("anna")
    house.balances["issuer"] += house.balances["bank"]
    kept, house.balances["bank"] = house.balances["bank"], 0
    house.bet(anna, "ante", 100)
    house.bet(anna, "trips", 100)
    house.close_betting()
    assert refused(anna) == [(1, "ante", 100, "house_limit"), (1, "trips", 100, "house_limit")]
    assert house.table.state_name == "taking_bets"
    house.balances["bank"] = kept
    house.balances["issuer"] -= kept


def test_a_player_away_at_the_close_has_no_bets_where_the_table_says_so(live):
    """Players learn of it when they are back: nothing was paid (U16)."""
    anna, bert = live.player("anna"), live.player("bert")
    live.bet(anna)
    live.bet(bert)
    live.lose(anna)
    live.close_betting()
    assert [box.name for box in bert.last(wire.RoundStarted).boxes] == ["bert"]
    assert refused(bert) == []
    assert live.wallet(anna) == 1_000_000


def test_a_player_who_does_not_see_the_table_at_the_close_has_no_bets_where_the_table_says_so(live):
    """U16: the client says that its page is hidden. A page that is seen again before the close is present."""
    anna, bert, carl = (live.player(name) for name in ("anna", "bert", "carl"))
    for player in (anna, bert, carl):
        live.bet(player)
    assert isinstance(live.answer(anna, wire.SetPresence, present=False), wire.Ok)
    assert isinstance(live.answer(carl, wire.SetPresence, present=False), wire.Ok)
    assert isinstance(live.answer(carl, wire.SetPresence, present=True), wire.Ok)
    live.close_betting()
    assert [box.name for box in bert.last(wire.RoundStarted).boxes] == ["bert", "carl"]
    assert refused(anna) == [(1, "ante", 100, "not_present")]
    assert refused(bert) == []
    assert live.wallet(anna) == 1_000_000
    assert [place.connected for place in live.answer(bert, wire.GetSnapshot).places] == [True] * 3


def test_who_opens_the_table_again_is_present(live):
    """U16: what a connection said of its page does not hold for the next one, also if both are open."""
    anna, bert = live.player("anna"), live.player("bert")
    anna.instance = "tab 1"
    live.bet(anna)
    live.bet(bert)
    live.answer(anna, wire.SetPresence, present=False)
    again = live.back(anna)
    assert live.code(anna, wire.SetPresence, present=False) == "table_taken"
    live.close_betting()
    assert [box.name for box in again.last(wire.RoundStarted).boxes] == ["anna", "bert"]


def test_a_hidden_page_changes_nothing_where_the_table_does_not_ask_for_presence(house):
    """U16 is a table setting; only players may say it."""
    anna, bert = house.player("anna"), house.player("bert")
    assert house.code(house.client("olga"), wire.SetPresence, present=False) == "not_seated"
    house.bet(anna)
    house.answer(anna, wire.SetPresence, present=False)
    house.close_betting()
    assert [box.name for box in bert.last(wire.RoundStarted).boxes] == ["anna"]


def test_elsewhere_the_bets_of_an_absent_player_stand(house):
    """The clock decides for the player (U4)."""
    anna, bert = house.player("anna"), house.player("bert")
    house.bet(anna)
    house.bet(bert)
    house.lose(anna)
    house.close_betting()
    assert [box.name for box in bert.last(wire.RoundStarted).boxes] == ["anna", "bert"]


def test_no_bet_is_paid_before_the_journal_has_the_cards(house):
    """While it is away the table waits, red; then the round begins."""
    anna = house.player("anna")
    house.bet(anna)
    house.journal.hold = True
    house.close_betting()
    assert (house.table.state_name, house.ledger.asked("close_bets"), house.wallet(anna)) == (
        "closing_bets",
        0,
        1_000_000,
    )
    house.journal.hold = False
    house.journal.store()
    assert house.table.state_name == "playing"
    assert house.wallet(anna) == 999_800


def test_without_the_ledger_the_light_stays_yellow(house):
    """A node that may not begin hands closes no betting; it does when it may again."""
    anna = house.player("anna")
    house.bet(anna)
    house.table.context.lease.deals = False
    house.close_betting()
    house.clock.advance(60)
    assert house.table.state_name == "taking_bets"
    assert lights(anna)[-1][0] == "yellow"
    house.table.context.lease.deals = True
    house.table.lease_renewed(whole_clocks=False)
    assert house.table.state_name == "playing"


def test_a_node_that_could_not_act_gives_betting_its_whole_time_again(house):
    """No player could bet meanwhile."""
    anna = house.player("anna")
    house.bet(anna)
    house.clock.advance(10)
    lease = house.table.context.lease
    lease.acts = lease.deals = False
    house.table.suspended()
    house.clock.advance(60)
    assert house.code(anna, wire.PlaceBet, bet="ante", amount=100) == "unavailable"
    lease.acts = lease.deals = True
    house.table.lease_renewed(whole_clocks=True)
    assert lights(anna)[-1] == ("green", house.now_ms() + 20_000)
    house.close_betting()
    assert house.table.state_name == "playing"


# --- the meter --------------------------------------------------------------------------------------------------------


@pytest.fixture
def progressive():
    house = House(
        type(BOXES)(**{name: getattr(BOXES, name) for name in BOXES.__slots__} | {"progressive": PROGRESSIVE})
    )
    yield house
    house.stop()


def test_the_meter_is_filled_before_betting_opens_and_fed_by_bets(progressive):
    """It stands in the ledger; a bet's share goes there with the result (U12)."""
    house = progressive
    anna = house.player("anna")
    assert house.balance("meter:u1") == anna.last(wire.UltimateSnapshot).meter == 1_000_000
    house.bet(anna)
    house.bet(anna, "progressive", 100)
    house.close_betting()
    ended = house.play_out(anna)
    assert house.balance("meter:u1") == ended.meter == 1_000_015
    assert house.answer(anna, wire.GetSnapshot).meter == 1_000_015


def test_a_royal_flush_takes_the_meter_which_the_house_fills_again(progressive):
    """In the transaction that pays it."""
    house = progressive
    anna = house.player("anna")
    house.bet(anna)
    house.bet(anna, "progressive", 100)
    # anna, the bank, anna, the bank, a burned card, the flop, another, turn and river
    with_royal = "As 2c Ks 3d 9c QsJsTs 9d 4h5h"
    house.deal(deck=with_royal)
    ended = house.play_out(anna)
    won = {bet.bet: bet.paid for bet in ended.boxes[0].bets}
    assert (ended.boxes[0].hand, won["progressive"]) == ("royal_flush", 1_000_015)
    assert house.balance("meter:u1") == ended.meter == 1_000_000


def test_without_a_bank_the_meter_is_what_it_is(progressive):
    """Nothing can be put there; the table plays all the same."""
    house = progressive
    settings = replace(house.settings)
    assert settings.terms.progressive is not None
    balances = house.balances
    kept, balances["bank"] = balances["bank"], 0
    balances["meter:u1"], held = 70, balances["meter:u1"]
    house.restart()
    anna = house.client("anna", opening=0)
    assert anna.last(wire.UltimateSnapshot).meter == 70
    assert house.table.state_name == "taking_bets"
    balances["bank"], balances["meter:u1"] = kept, held
    house.table.game.state.meter = held


def test_a_lone_player_deals_at_once(house):
    """Betting closes when the only player present has bet and asks for the cards."""
    anna, gone = house.player("anna"), house.player("gone")
    house.lose(gone)
    assert house.code(anna, wire.DealNow) == "ante_needed"
    house.bet(anna)
    assert isinstance(house.answer(anna, wire.DealNow), wire.Ok)
    assert house.table.state_name == "playing"
    assert [light for light, _ in lights(anna)] == ["green", "red"]
    assert house.code(anna, wire.DealNow) == "betting_closed"


def test_a_player_who_leaves_is_not_waited_for(house):
    """As soon as they have asked to, also while the ledger has not answered."""
    anna, leaving = house.player("anna"), house.player("leaving")
    house.ledger.hold = {"cash_out"}
    house.ask(leaving, wire.StandUp)
    house.bet(anna)

    assert isinstance(house.answer(anna, wire.DealNow), wire.Ok)

    assert house.table.state_name == "playing"
    house.ledger.answer()


def test_no_player_is_hurried_by_another_player(house):
    """Every player present has to bet and to ask; bets taken back, or a new betting time, ask again."""
    anna, bert = house.player("anna"), house.player("bert")
    house.bet(anna)
    house.answer(anna, wire.DealNow)
    assert house.table.state_name == "taking_bets"
    house.bet(bert)
    assert house.table.state_name == "taking_bets"
    house.answer(anna, wire.ChangeBets, action="undo_all")
    house.answer(bert, wire.DealNow)
    assert house.table.state_name == "taking_bets"
    house.bet(anna)
    assert house.table.state_name == "taking_bets"
    house.answer(anna, wire.DealNow)
    assert house.table.state_name == "playing"
    house.play_out(anna, bert)
    house.rest()
    house.bet(anna)
    house.bet(bert)
    house.answer(anna, wire.DealNow)
    assert house.table.state_name == "taking_bets"
