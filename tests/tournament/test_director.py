"""`pokerroom.tournament.director`: one tournament with several tables, which are fakes here: they only send reports."""

from types import SimpleNamespace

import pytest
from twisted.internet.defer import Deferred

from pokerroom.ledger.tournaments import table_of
from pokerroom.ops.reports import OrderRefused
from pokerroom.rules.tournament.data import tournament_to_data
from pokerroom.tournament import game, views
from pokerroom.tournament.journal import read_tournament
from pokerroom.tournament.starter import rows_at
from tests.tournament.directed import TABLES, FakeTable, Stage
from tests.tournament.playing import NAME, Room, held, level, now


def test_each_table_has_its_own_players(stage, tables):
    """All of them together are all who have entered."""
    seated = [[seat.seat for seat in table.plan.seats] for table in tables]
    assert seated == [[1, 2, 3], [1, 2, 3]]
    accounts = [seat.account for table in tables for seat in table.plan.seats]
    assert sorted(accounts) == sorted(player.account for player in stage.room.players)


def test_a_table_that_waits_is_given_its_hand_whatever_the_other_does(tables):
    """Each has its own hands, numbered from 1."""
    one, two = tables
    two.plays({1: 1_400, 2: 1_600})
    two.waits()
    assert (two.plan.order.number, one.plan.order) == (2, None)
    one.waits()
    assert (one.plan.order.number, one.plan.order.plan.order) == (1, (2, 3, 1))
    assert one.plan.order.id != two.plan.order.id


def test_i2_places_are_those_of_the_tournament(stage, tables):
    """I2: whoever goes out first is last, at whichever table; both tables hear of it."""
    one, two = tables
    two.plays({1: 0, 2: 3_000})
    one.plays({1: 0, 2: 0, 3: 4_500})
    places = [(place.number, place.place) for place in stage.room.row().places]
    assert places == [(4, 4), (5, 4), (6, 6)]
    for table in tables:
        assert [place.number for place in table.plan.places] == [4, 5, 6]
    assert [[seat.seat for seat in table.plan.seats] for table in tables] == [[3], [2, 3]]
    assert stage.actor.state_name == "playing"


def test_a_player_who_is_alone_is_given_no_hand(tables):
    """They wait until others come to their table."""
    one, _ = tables
    one.plays({1: 0, 2: 0, 3: 4_500})
    one.waits()
    assert one.plan.order is None


def test_paused_no_table_is_given_a_hand(stage, tables):
    """Hands in progress are played out."""
    one, two = tables
    one.waits()
    one.deals()
    now(stage.actor.pause())
    two.waits()
    one.settles({1: 1_400, 2: 1_600})
    one.waits()
    assert [(table.plan.paused, table.plan.order) for table in tables] == [(True, None)] * 2
    now(stage.actor.unpause())
    assert [table.plan.order.number for table in tables] == [2, 1]


def test_a_break_begins_when_the_last_table_has_finished(stage, tables):
    """Until then the others wait, and its time does not count."""
    one, two = tables
    for table in tables:
        table.waits()
        table.deals()
    stage.room.after(61)
    one.settles({})
    one.waits()
    assert (one.plan.on_break, one.plan.order) == (False, None)
    two.settles({})
    assert [table.plan.on_break for table in tables] == [True, True]
    stage.room.after(31)
    assert [table.plan.on_break for table in tables] == [False, False]
    assert one.plan.order.level == 1


def test_every_table_is_told_how_many_hands_are_left_in_the_level():
    """A level by hands counts those of all tables, so one that has played none hears of it, too."""
    levels = (level(10, length=4), level(20, length=9))
    stage = Stage(room=Room(seats=6, prizes=(1_000, 440), levels=levels, levels_timed=False))
    one, two = stage.tables.values()
    before = two.plan.level.hands_left
    for table in (one, two):
        table.waits()
        table.deals()
    one.settles({})
    assert (before, two.plan.level.hands_left, one.plan.level.hands_left) == (4, 3, 3)
    stage.stop()


def test_a_report_of_a_table_that_opens_says_nothing_of_its_seats(stage, tables):
    """It has lost its journal, and asks for a plan: who is away stays away, and no hand is counted."""
    one, _ = tables
    one.plays({1: 1_400, 2: 1_600})
    away = one.plan.seats[2].account
    one.says(away=[away])
    new = stage.tables[NAME] = FakeTable(stage, NAME, epoch=2)
    new.says()
    assert [seat.account for seat in new.plan.seats if seat.away] == [away]
    assert stage.actor.game.director.tournament is not None, "the ledger is not asked"
    assert new.plan.answers == new.report.number


def test_a_report_that_is_repeated_changes_nothing(stage, tables):
    """And is answered: a table that no director knows hears nothing, and learns from that."""
    one, _ = tables
    one.plays({1: 1_400, 2: 1_600})
    before, told = stage.actor.game.director.here, len(one.plans)
    one.repeats()
    assert (stage.actor.game.director.here, len(one.plans)) == (before, told + 1)
    one.repeats(seen=one.plan.number)
    assert (stage.actor.game.director.here, len(one.plans)) == (before, told + 2)


def test_a_closed_table_that_asks_again_is_told_again_that_it_is_closed(stage, tables):
    """Its first plan that says so may be lost."""
    one, two = tables
    for table in tables:
        table.waits()
    for table in tables:
        table.deals()
    two.settles({1: 0, 2: 0, 3: 4_500})
    one.settles({1: 0, 2: 1_500, 3: 3_000})
    stage.book(two.report.stacks | one.report.stacks, 1)
    for table in tables:
        table.waits()
    assert [table.plan.closed for table in tables] == [False, True]
    told = len(two.plans)
    two.repeats()
    assert (len(two.plans), two.plan.closed) == (told + 1, True)


def test_the_next_owner_moves_players_when_all_tables_have_seen_its_first_plan(stage, tables):
    """The tables have nothing new to say: a report that is known tells that the plan has come."""
    two = tables[1]
    two.plays({1: 0, 2: 0, 3: 4_500})
    stage.book(two.report.stacks, 1)
    stage.actor.context.lease.deals = False  # it dies before it moves a player
    for table in tables:
        table.waits()
    epoch = now(stage.room.ledger.take_table(f"tournament:{NAME}", "n2", 1))
    stage.open(epoch, stage.room.tournament_journal.kept)
    stage.actor.context.lease.deals = True
    for table in tables:
        table.repeats()  # on its way before the plan has come
    for table in tables:
        table.repeats(seen=table.plan.number)
    assert [len(table.plan.seats) for table in tables] == [2, 2]


def test_a_tournament_that_its_node_has_stopped_says_nothing(stage, tables):
    """The next owner answers."""
    one, _ = tables
    stage.actor.stop()
    told = len(one.plans)
    one.waits()
    one.repeats()
    assert len(one.plans) == told


def test_a_late_report_of_an_earlier_owner_changes_nothing(stage, tables):
    """The table has come to another node, which knows more."""
    one, _ = tables
    old = FakeTable(stage, NAME)
    old.plans = one.plans
    new = stage.tables[NAME] = FakeTable(stage, NAME, epoch=2)
    new.plans = one.plans
    new.plays({1: 1_400, 2: 1_600})
    before = stage.actor.game.director.here
    old.says(hands=1, stacks=dict.fromkeys(new.report.stacks, 1_500))
    old.says(hands=2, stacks=dict.fromkeys(new.report.stacks, 1_500))
    assert stage.actor.game.director.here == before


def test_i4_a_hand_that_a_table_has_lost_is_ordered_again(tables):
    """I4: it is void; the same number comes again, in an order of its own."""
    one, _ = tables
    one.waits()
    lost = one.deals()
    one.says(playing=False, ready=True)
    again = one.plan.order
    assert (again.number, again.plan) == (lost.number, lost.plan)
    assert again.id > lost.id


def test_i4_an_order_that_the_next_owner_of_a_table_does_not_know_is_given_again(stage, tables):
    """I4: the plan with it was lost with the owner before."""
    one, _ = tables
    one.waits()
    lost = one.plan.order
    new = stage.tables[NAME] = FakeTable(stage, NAME, epoch=2)
    new.plans = one.plans
    new.waits()
    assert (new.plan.order.number, new.plan.order.id > lost.id) == (lost.number, True)


def test_no_hand_is_ordered_by_a_node_that_may_own_nothing(stage, tables):
    """Its lease has run out; the order comes when it is sure again."""
    one, _ = tables
    stage.actor.context.lease.deals = False
    one.waits()
    assert one.plan.order is None
    stage.actor.context.lease.deals = True
    stage.actor.game.play.consider_next()
    assert one.plan.order.number == 1


def test_a_report_that_crosses_the_order_voids_nothing(stage, tables):
    """The table does not know of the order yet."""
    one, _ = tables
    one.waits()
    order = one.plan.order
    one.says(ready=True, seen=one.plans[0].number, away=[one.plan.seats[0].account])
    assert one.plan.order == order
    assert one.plan.seats[0].away


def test_the_next_owner_takes_up_the_hands_of_both_tables(stage, tables):
    """Its plans count from then on, and the tables tell it how far they are."""
    one, two = tables
    one.plays({1: 1_400, 2: 1_600})
    for table in tables:
        table.waits()
        table.deals()
    stage.book(one.report.stacks, 1)
    epoch = now(stage.room.ledger.take_table(f"tournament:{NAME}", "n2", 1))
    numbers = [table.plan.number for table in tables]
    stage.open(epoch, stage.room.tournament_journal.kept)
    assert all(table.plan.number > number for table, number in zip(tables, numbers, strict=True))
    assert [table.plan.answers for table in tables] == [0, 0]
    for table in tables:
        table.repeats()
    two.settles({1: 0, 2: 3_000})
    one.settles({1: 0, 2: 3_000})
    assert [place.number for place in stage.room.row().places] == [5, 6]
    two.waits()
    assert two.plan.order is None  # L8: four are left, and the final table is one of three
    one.waits()
    assert (one.plan.order.number, two.plan.order.number) == (3, 2)


def synchronised(stage, tables):
    """Four are left at two tables, one above the final table: both have their next hand, of the same order."""
    for table in tables:
        table.waits()
        table.deals()
        table.settles({1: 0, 2: 3_000})
    for table in tables:
        table.waits()
    assert stage.actor.game.director.here.hand_for_hand
    for table in tables:
        table.deals()
    return tables


def test_l8_all_tables_wait_for_the_last_hand(stage, tables):
    """L8: the next hands begin together, and no table that cannot answer is left out."""
    one, two = synchronised(stage, tables)
    one.settles({2: 2_900, 3: 1_600})
    one.waits()
    assert one.plan.order is None
    two.says(frozen=True, playing=True)
    one.repeats()
    assert one.plan.order is None
    two.says(frozen=False, playing=True)
    two.settles({2: 3_100, 3: 1_400})
    assert (one.plan.order, two.plan.order) == (None, None)
    two.waits()
    assert (one.plan.order.number, two.plan.order.number) == (3, 3)


@pytest.mark.parametrize("taken_over", [False, True])
def test_l8_places_are_given_when_the_last_table_has_finished(stage, tables, taken_over):
    """L8: the larger stack has the better place at whichever table. The next owner knows who is out."""
    one, two = synchronised(stage, tables)
    one.settles({2: 4_500, 3: 0})
    one.waits()
    assert [place.number for place in stage.room.row().places] == [5, 6]
    assert one.plan.order is None
    if taken_over:
        stage.book(one.report.stacks, 2)
        stage.book(two.report.stacks, 1)
        epoch = now(stage.room.ledger.take_table(f"tournament:{NAME}", "n2", 1))
        stage.open(epoch, stage.room.tournament_journal.kept)
        for table in tables:
            table.repeats()
        assert [place.number for place in stage.room.row().places] == [5, 6]
    out = two.plan.seats[0].account
    two.settles({2: 0, 3: 4_500})
    places = stage.room.row().places
    assert [place.number for place in places] == [3, 4, 5, 6]
    assert places[0].account == out  # 3,000 at the start of the hand, against 1,500


def test_a_large_field_is_journalled_by_the_changes_of_its_tables(stage, tables, monkeypatch):
    """The next owner reads them after the whole state; without it they say nothing."""
    monkeypatch.setattr(game, "PLAYERS_PER_CHANGE", 1)
    one, two = tables
    one.plays({1: 1_400, 2: 1_600})
    two.plays({1: 0, 2: 3_000})
    kept = stage.room.tournament_journal.kept
    assert len(kept) == 5  # the state, and two orders and results
    state, frozen = read_tournament(kept)
    assert (state, frozen) == (tournament_to_data(stage.actor.game.director.by_now()), False)
    assert [place[0] for place in state["standings"]] == [6]
    assert read_tournament(kept[1:]) == (None, False)


def test_what_all_tables_are_told_is_composed_once_for_each_change(tables, monkeypatch):
    """A field has a thousand tables: what is new at one of them must not be computed for each."""
    made, composed = [], views.break_until_ms
    monkeypatch.setattr(views, "break_until_ms", lambda *asked: made.append(asked) or composed(*asked))
    tables[0].waits()
    assert len(made) == len({id(tournament) for tournament, _ in made})


def test_a_table_asks_for_the_names_of_its_own_players(stage):
    """A field of thousands starts at hundreds of tables at once; one that is closed shows all who have places."""
    room, asked = stage.room, []
    context = room.context(1, room.journal)
    settings = SimpleNamespace(tournament=NAME, number=2)
    names = context.ledger.account_names
    context.ledger.account_names = lambda accounts: asked.append(list(accounts)) or names(accounts)
    row, found = now(Deferred.fromCoroutine(rows_at(settings, context)))
    assert asked == [sorted(entry.account for entry in row.seated.at(2))]
    assert set(found) == set(asked[0])
    assert len(found) < len(row.players)
    now(Deferred.fromCoroutine(rows_at(SimpleNamespace(tournament=NAME, number=9), context)))
    assert asked[1] == list(row.players)


@pytest.fixture
def stage_of_nine():
    found = Stage([*TABLES, table_of(NAME, 3)])
    yield found
    found.stop()


@pytest.mark.parametrize("journal", [True, False])
def test_l6_a_hand_that_the_next_owner_takes_up_has_the_players_it_was_dealt_to(stage_of_nine, journal):
    """L6: one who has come since is not of that hand, whether the journal or the table tells of it."""
    stage = stage_of_nine
    one, two, three = stage.tables.values()
    two.plays({1: 0, 2: 3_000})
    two.waits()
    assert two.deals().plan.order == (2, 3)
    one.plays({1: 0, 2: 0, 3: 4_500})
    for table in (one, two):
        stage.book(table.report.stacks, 1)
    three.waits()
    assert [(seat.seat, seat.chips) for seat in two.plan.seats] == [(1, 1_500), (2, 3_000), (3, 1_500)]
    epoch = now(stage.room.ledger.take_table(f"tournament:{NAME}", "n2", 1))
    stage.open(epoch, stage.room.tournament_journal.kept if journal else ())
    two.repeats()
    assert stage.actor.game.director.here.table(2).hand.plan.order == (2, 3)
    two.settles({2: 0, 3: 4_500})
    assert [place.number for place in stage.room.row().places] == [6, 7, 8, 9]
    two.waits()
    assert sorted(two.plan.order.plan.order) == [1, 3]


def test_i2_places_go_to_the_ledger_one_request_after_the_other(stage, tables):
    """I2: it takes them from the last one down. No hand is ordered before it has them all."""
    for table in tables:
        table.waits()
        table.deals()
    answer = held(stage.room, "give_places")
    for table in tables:
        table.settles({1: 0, 2: 3_000})
        table.waits()
    assert [table.plan.order for table in tables] == [None, None]
    answer(more=True)
    assert [place.number for place in stage.room.row().places] == [6]
    assert [table.plan.order for table in tables] == [None, None]
    answer()
    assert [place.number for place in stage.room.row().places] == [5, 6]
    assert [table.plan.order.number for table in tables] == [2, 2]


def test_a_table_that_knows_more_makes_the_ledger_count(stage, tables):
    """It was played on for an earlier owner. Nothing that the other table does meanwhile is lost."""
    one, two = tables
    for table in tables:
        table.waits()
        table.deals()
    known = held(stage.room, "account_names")  # the answer before it is read, and old by then
    stage.played_elsewhere(one)
    two.settles({1: 0, 2: 3_000})
    two.waits()
    with pytest.raises(OrderRefused, match="Try again"):
        now(stage.actor.pause())
    known()
    for table in tables:
        table.repeats()
    assert [place.number for place in stage.room.row().places] == [6]
    assert [table.plan.order.number for table in tables] == [3, 2]
    shown = [[place.number for place in plan.places] for plan in two.plans]
    assert shown == sorted(shown)
    assert shown[-1] == [6]


def test_a_table_that_knows_more_waits_for_the_places_of_another(stage, tables):
    """They are on their way to the ledger when it is found behind; then the ledger is asked."""
    one, two = tables
    for table in tables:
        table.waits()
        table.deals()
    given = held(stage.room, "give_places")
    two.settles({1: 0, 2: 3_000})
    stage.book(two.report.stacks, 1)
    stage.played_elsewhere(one)
    given()
    for table in tables:
        table.repeats()
    two.waits()
    assert [table.plan.order.number for table in tables] == [3, 2]


def test_i2_the_next_owner_gives_only_the_places_that_the_ledger_lacks(stage, tables):
    """I2: the last owner died between a hand in the ledger and its place."""
    one, two = tables
    two.plays({1: 0, 2: 3_000})
    assert [place.number for place in stage.room.row().places] == [6]
    stage.book(two.report.stacks, 1)
    one.waits()
    one.deals()
    first, second, third = (seat.account for seat in one.plan.seats)
    stage.book({first: 0, second: 3_000, third: 1_500}, 1)
    epoch = now(stage.room.ledger.take_table(f"tournament:{NAME}", "n2", 1))
    stage.open(epoch, stage.room.tournament_journal.kept)
    assert [place.number for place in stage.room.row().places] == [5, 6]
    assert [place.number for place in one.plan.places] == [5, 6]


def test_i2_players_of_two_tables_keep_the_order_of_the_places_that_are_given(stage, tables):
    """I2: the journal has neither hand, and the ledger has the place of the one who went out first."""
    one, two = tables
    for table in tables:
        table.waits()
        table.deals()
    journal = list(stage.room.tournament_journal.kept)
    second, first = (table.plan.seats[0].account for table in tables)
    two.settles({1: 0, 2: 3_000})
    stage.book(two.report.stacks, 1)
    stage.book({seat.account: (0, 3_000, 1_500)[seat.seat - 1] for seat in one.plan.seats}, 1)
    epoch = now(stage.room.ledger.take_table(f"tournament:{NAME}", "n2", 1))
    stage.open(epoch, journal)
    given = [(place.number, place.account) for place in stage.room.row().places]
    assert given == [(5, second), (6, first)]
