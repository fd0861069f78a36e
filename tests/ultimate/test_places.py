"""Places at a table: which account gets which place, whether it is connected, and how a place is lost."""

from __future__ import annotations

from pokerroom_protocol import messages as wire
from tests.poker.support import now
from tests.ultimate.support import OPENING, House


def rows(house: House) -> list[tuple[int, str, int]]:
    """The seats that the ledger has here: place, name, stack."""
    return [(row.seat, row.name, row.stack) for row in now(house.books.seats()) if row.table == "u1"]


def test_a_place_is_taken_and_all_are_told(house):
    """Nothing is bought in: the ledger has a seat without a stack."""
    watcher = house.client("watcher")
    anna = house.client("anna")

    snapshot = house.answer(anna, wire.TakePlace, box=3)

    assert (snapshot.your_box, [place.box for place in snapshot.places]) == (3, [3])
    assert watcher.last(wire.PlaceTaken).name == "anna"
    assert (rows(house), house.wallet(anna)) == ([(3, "anna", 0)], OPENING)
    assert house.table.info().occupied == 1


def test_a_request_without_a_box_gets_the_first_free_one(house):
    """And each account has one place (U10)."""
    house.player("anna", box=1)
    bert = house.player("bert")
    assert house.box(bert) == 2
    assert house.code(bert, wire.TakePlace) == "already_seated"


def test_a_box_is_taken_free_or_not_there(house):
    """Each has its code; a full table has none free."""
    house.player("anna", box=1)
    bert = house.client("bert")
    assert house.code(bert, wire.TakePlace, box=1) == "box_taken"
    assert house.code(bert, wire.TakePlace, box=7) == "no_such_box"
    for number in range(2, 7):
        house.player(f"p{number}")
    assert house.code(bert, wire.TakePlace) == "table_full"


def test_a_common_hand_has_a_place_for_any_number_of_players(live):
    """Players do not choose its number (U10)."""
    clients = [live.player(f"p{number}") for number in range(40)]
    assert [live.box(client) for client in clients] == list(range(1, 41))
    assert live.code(live.client("late"), wire.TakePlace, box=50) == "no_such_box"


def test_a_common_hand_has_places_up_to_the_highest_number(live, monkeypatch):
    """The last one is taken, too; then the table is full."""
    monkeypatch.setattr("pokerroom.ops.ultimate_settings.PLACES_MAX", 3)
    assert [live.box(live.player(f"p{number}")) for number in range(3)] == [1, 2, 3]
    assert live.code(live.client("late"), wire.TakePlace) == "table_full"


def test_an_account_has_as_many_places_as_it_may(house):
    """Places count among the tables at which an account sits."""
    anna = house.client("anna")
    for table in ("a", "b", "c", "d"):
        assert house.seats.claim(anna.account, table)
    assert house.code(anna, wire.TakePlace) == "too_many_tables"


def test_a_place_is_not_taken_before_the_ledger_has_said_so(house):
    """Other clients are not told until then; a second request waits."""
    anna = house.client("anna")
    house.ledger.hold = {"take_place"}
    house.ask(anna, wire.TakePlace, box=2)
    assert (anna.all(wire.PlaceTaken), house.table.info().occupied) == ([], 0)
    assert house.code(anna, wire.TakePlace) == "request_pending"
    assert house.code(anna, wire.StandUp) == "request_pending"
    assert house.code(house.client("bert"), wire.TakePlace, box=2) == "box_taken"

    house.ledger.answer()

    assert anna.last(wire.UltimateSnapshot).your_box == 2


def test_an_account_that_the_ledger_refuses_has_no_place(house):
    """The claim on a table more is given back."""
    anna = house.client("anna")
    for number in range(4):
        epoch = now(house.books.take_table(f"t{number}", "n2", 0))
        now(house.books.take_place(f"place:{number:032x}", f"t{number}", epoch, 1, anna.account, 4))
    assert house.code(anna, wire.TakePlace) == "too_many_tables"
    assert house.seats.tables_of(anna.account) == []
    assert house.table.game.places.free_boxes() == [1, 2, 3, 4, 5, 6]


def test_a_player_who_stands_up_has_no_place_and_no_bets(house):
    """The slip was not paid; the box is free."""
    anna = house.player("anna")
    house.bet(anna)
    assert isinstance(house.answer(anna, wire.StandUp), wire.Ok)
    assert anna.last(wire.PlaceLeft).box == 1
    assert (rows(house), house.wallet(anna)) == ([], OPENING)
    assert house.code(anna, wire.PlaceBet, bet="ante", amount=100) == "not_seated"
    assert house.code(anna, wire.StandUp) == "not_seated"
    house.close_betting()
    assert house.table.state_name == "taking_bets"  # no player has bet


def test_a_player_who_leaves_in_a_round_plays_it_to_its_end(house):
    """The clock decides (U4), and the box is not free until then; the account gets what it wins."""
    anna, bert = house.player("anna"), house.player("bert")
    house.deal(anna, bert)
    assert isinstance(house.answer(anna, wire.StandUp), wire.Ok)
    assert house.code(anna, wire.Decide, round_id="x", seq=1, box=1, decision="check") == "not_seated"
    carl = house.client("carl")
    assert house.code(carl, wire.TakePlace, box=1) == "box_taken"
    for decision in ("check", "check", "fold"):
        house.decide(bert, decision)
        house.clock.advance(15)
    ended = bert.last(wire.RoundEnded)
    assert [(box.name, box.outcome) for box in ended.boxes] == [("anna", "folded"), ("bert", "folded")]
    assert house.wallet(anna) == OPENING - 200
    assert isinstance(house.answer(carl, wire.TakePlace, box=1), wire.UltimateSnapshot)


def test_all_viewers_see_which_players_are_there(house):
    """A lost connection and another one of the same account."""
    anna, bert = house.player("anna"), house.player("bert")
    house.lose(anna)
    assert bert.last(wire.PlaceChanged).connected is False
    again = house.back(anna)
    assert bert.last(wire.PlaceChanged).connected is True
    assert again.last(wire.UltimateSnapshot).your_box == 1


def test_a_place_is_kept_for_a_while(house):
    """After `away_limit_s` another player may take it, also in a round: the clock decides for the bets."""
    anna, bert = house.player("anna"), house.player("bert")
    house.lose(anna)
    house.clock.advance(119)
    assert rows(house) == [(1, "anna", 0), (2, "bert", 0)]
    house.clock.advance(1)
    assert rows(house) == [(2, "bert", 0)]
    assert bert.last(wire.PlaceLeft).name == "anna"


def test_a_player_back_in_time_keeps_the_place(house):
    """The time begins again when the player goes again."""
    anna = house.player("anna")
    house.lose(anna)
    house.clock.advance(100)
    again = house.back(anna)
    house.clock.advance(100)
    house.lose(again)
    house.clock.advance(119)
    assert rows(house) == [(1, "anna", 0)]


def test_a_player_gone_before_the_place_is_booked_is_away(house):
    """The ledger's answer came when the connection was lost."""
    anna, watcher = house.client("anna"), house.client("watcher")
    house.ledger.hold = {"take_place"}
    house.ask(anna, wire.TakePlace)
    house.lose(anna)
    house.ledger.answer()
    assert watcher.last(wire.PlaceChanged).connected is False
    house.clock.advance(120)
    assert rows(house) == []


def test_what_is_of_the_other_game_is_refused(house):
    """`wrong_game`, whatever is going on."""
    anna = house.player("anna")
    assert house.code(anna, wire.SitDown, buy_in=100, seat=1) == "wrong_game"
    assert house.code(anna, wire.Act, hand_id="h", seq=1, action="fold") == "wrong_game"
    assert house.code(anna, wire.SitOut) == "wrong_game"


def test_an_observer_cannot_bet(house):
    """Only an account with a place has a slip, or a decision."""
    watcher = house.client("watcher")
    assert house.code(watcher, wire.PlaceBet, bet="ante", amount=100) == "not_seated"
    assert house.code(watcher, wire.ChangeBets, action="undo") == "not_seated"
    assert house.code(watcher, wire.GiveTip, amount=1) == "not_seated"


def test_the_holder_of_a_place_cannot_stop_watching(house):
    """As at every table."""
    anna = house.player("anna")
    assert house.code(anna, wire.Unobserve) == "seated_here"
