"""Waiting lists of the whole room, kept at the leader: any node's clients, any node's tables, and another leader."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from pokerroom.cluster import messages
from pokerroom_protocol import messages as wire
from tests.cluster.support import UNAVAILABLE, Cluster, Person, code_of
from tests.cluster.test_losses import lose
from tests.lobby.support import TWO_SEATS, ended, offers

OTHER = replace(TWO_SEATS, table="t2")


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """The leader is `a`; `t1` lives at `b`, `t2` at `c`."""
    cluster = Cluster("a", "b", "c", settings=(TWO_SEATS, OTHER))
    cluster.move("t1", "b")
    cluster.move("t2", "c")
    yield cluster
    cluster.stop()


def fill(cluster: Cluster, table: str, *homes: str) -> list[Person]:
    """Take both seats, without playing."""
    people = [cluster.client(f"{table}-{number}", home) for number, home in enumerate(homes, 1)]
    for person in people:
        assert isinstance(person.answer(wire.SitDown, table, buy_in=5_000), wire.Snapshot)
        assert isinstance(person.answer(wire.SitOut, table), wire.Ok)
    cluster.settle(31)
    return people


def stand_up(person: Person, table: str = "t1") -> None:
    assert isinstance(person.answer(wire.StandUp, table), wire.Ok)
    person.cluster.settle(31)


def lists(cluster: Cluster) -> list[list[tuple[int, str]]]:
    """Return the entries as each node knows them."""
    found = []
    for node in cluster.nodes.values():
        waiting = node.room_bus.seating
        waiters = waiting.entries.values() if waiting.leader is None else waiting.leader.waiters()
        found.append(
            [(waiter.account, waiter.table) for waiter in sorted(waiters, key=lambda one: one.joined)]
        )
    return found


@pytest.mark.parametrize("home", ["a", "b", "c"])
def test_a_seat_is_offered_wherever_they_are_and_wherever_it_is(cluster, home):
    """Joined at any node, called at another: the place, the offer, the seat."""
    sitters = fill(cluster, "t1", "a", "c")
    anna, bert = cluster.client("anna", home), cluster.client("bert", "c")
    assert anna.answer(wire.JoinWaitlist).position == 1
    assert bert.answer(wire.JoinWaitlist).position == 2
    assert code_of(bert.answer(wire.JoinWaitlist)) == "already_waiting"
    for node in cluster.nodes.values():
        assert node.lobby.rows()[0].waiting == 2

    stand_up(sitters[1])

    assert (offers(anna), offers(bert)) == ([("t1", 2)], [])
    assert code_of(bert.answer(wire.SitDown, buy_in=5_000)) in {"table_full", "seat_held"}
    assert anna.answer(wire.SitDown, buy_in=5_000).your_seat == 2
    assert code_of(anna.answer(wire.LeaveWaitlist)) == "not_waiting"
    assert code_of(anna.answer(wire.JoinWaitlist)) == "already_seated"
    assert isinstance(bert.answer(wire.LeaveWaitlist), wire.Ok)
    assert lists(cluster) == [[], [], []]


def test_newcomers_at_any_node_come_after_those_who_wait(cluster):
    """The owner of the table knows from the leader how many wait."""
    sitters = fill(cluster, "t1", "a", "c")
    cluster.table().drain_state.draining = True  # the seat is free, but no player is called to it
    cluster.client("anna", "c").answer(wire.JoinWaitlist)
    stand_up(sitters[0])
    cluster.table().drain_state.draining = False

    assert code_of(cluster.client("bert", "c").answer(wire.SitDown, buy_in=5_000)) == "waiting_list"


def test_any_table_of_the_stakes_calls_them(cluster):
    """They named one, and get a seat at another node's."""
    fill(cluster, "t1", "a", "c")
    others = fill(cluster, "t2", "a", "b")
    anna = cluster.client("anna", "b")
    anna.answer(wire.JoinWaitlist, any_table=True)

    stand_up(others[0], "t2")

    assert offers(anna) == [("t2", 1)]


def test_an_offer_that_lapses_goes_to_the_next(cluster):
    """The account is told at its own node."""
    sitters = fill(cluster, "t1", "a", "c")
    anna, bert = cluster.client("anna", "c"), cluster.client("bert", "a")
    for person in (anna, bert):
        person.answer(wire.JoinWaitlist)
    stand_up(sitters[0])

    cluster.settle(60)

    assert ended(anna) == [("t1", False, "offer_lapsed")]
    assert offers(bert) == [("t1", 1)]


def test_a_lost_connection_gives_the_offer_to_the_next_and_keeps_the_place(cluster):
    """They may come back at another node."""
    sitters = fill(cluster, "t1", "a", "c")
    anna, bert = cluster.client("anna", "c"), cluster.client("bert", "b")
    for person in (anna, bert):
        person.answer(wire.JoinWaitlist)
    stand_up(sitters[0])
    assert offers(anna)

    anna.lose()
    cluster.settle()
    assert offers(bert) == [("t1", 1)]
    again = anna.back("b")
    cluster.settle()
    stand_up(sitters[1])

    assert offers(again) == [("t1", 2)]


def test_a_node_that_dies_takes_no_players_place(cluster):
    """Its clients are not connected, until they are, elsewhere."""
    sitters = fill(cluster, "t1", "a", "a")
    anna, bert = cluster.client("anna", "c"), cluster.client("bert", "b")
    for person in (anna, bert):
        person.answer(wire.JoinWaitlist)
    cluster.kill("c")
    cluster.tell_living()
    cluster.settle()
    stand_up(sitters[0])
    assert offers(bert) == [("t1", 1)]

    again = anna.back("a")
    stand_up(sitters[1])

    assert offers(again) == [("t1", 2)]


@pytest.mark.parametrize("home", ["b", "c"])
def test_another_leader_keeps_every_players_place(cluster, home):
    """The order of joining stays, an offer stays made, and an account that was away keeps its place."""
    sitters = fill(cluster, "t1", "b", "c")
    names = ("anna", "bert", "carl", "dora")
    anna, bert, carl, dora = (cluster.client(name, home) for name in names)
    for person in (anna, bert, carl, dora):
        person.answer(wire.JoinWaitlist)
        cluster.settle(0.01)
    bert.lose()
    stand_up(sitters[0])
    assert offers(anna) == [("t1", 1)]

    cluster.kill("a")
    cluster.tell_living()
    cluster.settle()
    assert len({str(each) for each in lists(cluster)}) == 1
    assert anna.answer(wire.SitDown, buy_in=5_000).your_seat == 1
    bert = bert.back("b")
    cluster.settle()
    stand_up(sitters[1])

    assert offers(bert) == [("t1", 2)]
    assert offers(carl) == offers(dora) == []
    assert code_of(carl.answer(wire.JoinWaitlist)) == "already_waiting"
    assert [wait for person in (anna, bert, carl, dora) for wait in ended(person)] == []


def test_an_offer_made_before_the_head_changed_lapses_as_any_other(cluster):
    """The next leader learns from the table which account a seat is held for."""
    sitters = fill(cluster, "t1", "b", "c")
    anna, bert = cluster.client("anna", "b"), cluster.client("bert", "c")
    for person in (anna, bert):
        person.answer(wire.JoinWaitlist)
    stand_up(sitters[0])

    cluster.kill("a")
    cluster.tell_living()
    cluster.settle(60)

    assert ended(anna) == [("t1", False, "offer_lapsed")]
    assert offers(bert) == [("t1", 1)]


def test_a_node_with_a_smaller_name_becomes_the_head(cluster):
    """It gets the lists from the last leader."""
    sitters = fill(cluster, "t1", "b", "c")
    anna, bert = cluster.client("anna", "a"), cluster.client("bert", "c")
    for person in (anna, bert):
        person.answer(wire.JoinWaitlist)

    newest = cluster.join("Z")

    assert newest.room_bus.seating.leader is not None
    assert [len(each) for each in lists(cluster)] == [2, 2, 2, 2]
    stand_up(sitters[0])
    assert (offers(anna), offers(bert)) == ([("t1", 1)], [])
    carl = cluster.client("carl", "Z")
    assert carl.answer(wire.JoinWaitlist).position == 2
    cluster.settle()
    assert [node.lobby.rows()[0].waiting for node in cluster.nodes.values()] == [2] * 4


def test_a_wish_that_the_head_cannot_answer_any_more_is_unavailable(cluster):
    """Once; and if the leader had got it, the account is on the list."""
    fill(cluster, "t1", "b", "c")
    anna = cluster.client("anna", "b")
    lose(cluster, messages.WaiterDelivery)
    number = anna.ask(wire.JoinWaitlist)
    cluster.settle()
    lose(cluster)
    cluster.kill("a")
    cluster.tell_living()
    cluster.settle()

    assert [code_of(answer) for answer in anna.answers(number)] == [UNAVAILABLE]
    assert code_of(anna.answer(wire.JoinWaitlist)) == "already_waiting"


@pytest.mark.parametrize(
    ("kind", "sender", "to"),
    [("SeatOfferRequested", "a", "b"), ("SeatOfferAnswered", "b", "a"), ("WaiterDelivery", "a", "c")],
)
def test_an_offer_that_was_lost_is_made_again(cluster, kind, sender, to):
    """Whether it was lost on its way to the table, from it, or to its client."""
    sitters = fill(cluster, "t1", "b", "c")
    anna = cluster.client("anna", "c")
    anna.answer(wire.JoinWaitlist)
    gone = []

    def first(of: str, _: str, message: bytes) -> bool:
        if gone or (type(messages.unpacked(message)).__name__, of) != (kind, sender):
            return False
        gone.append(message)
        return True

    cluster.hub.loses = first
    stand_up(sitters[0])

    cluster.hub.notice(sender, to)
    cluster.settle()

    assert len(gone) == 1
    assert offers(anna) == [("t1", 1)]
    assert isinstance(anna.answer(wire.SitDown, buy_in=5_000), wire.Snapshot)


def test_a_table_that_moves_takes_its_offers_up_again(cluster):
    """A held seat ends with its owner: the next owner is asked for a seat again."""
    sitters = fill(cluster, "t1", "a", "c")
    anna = cluster.client("anna", "c")
    anna.answer(wire.JoinWaitlist)
    stand_up(sitters[0])
    assert offers(anna) == [("t1", 1)]

    cluster.move("t1", "a")

    assert offers(anna)[1:] == [("t1", 1)]
    assert cluster.table().game.seats.reserved() == [1]
    assert anna.answer(wire.SitDown, buy_in=5_000).your_seat == 1


def test_an_owner_that_dies_with_an_offer_open_does_not_stop_the_list(cluster):
    """The account is called when the table has an owner again."""
    sitters = fill(cluster, "t1", "a", "c")
    anna = cluster.client("anna", "c")
    anna.answer(wire.JoinWaitlist)
    stand_up(sitters[0])
    cluster.kill("b")
    cluster.tell_living()
    cluster.settle()
    anna.got.clear()

    cluster.own("t1", "c")
    cluster.tell_placed()
    cluster.settle()

    assert offers(anna) == [("t1", 1)]


def test_a_closed_table_ends_waits_at_every_node(cluster):
    """Also when it was closed before the leader was the leader."""
    fill(cluster, "t1", "b", "c")
    anna = cluster.client("anna", "c")
    anna.answer(wire.JoinWaitlist)

    cluster.table().close()
    cluster.settle()
    assert ended(anna) == [("t1", False, "table_closed")]
    cluster.kill("a")
    cluster.tell_living()
    cluster.settle()

    assert code_of(anna.answer(wire.JoinWaitlist)) == "table_closing"
    cluster.table().reopen()
    cluster.settle()
    assert isinstance(anna.answer(wire.JoinWaitlist), wire.Waitlisted)


def test_an_account_with_as_many_tables_as_it_may_have_is_passed_over():
    """Over all nodes: the leader knows the claims at every table."""
    cluster = Cluster("a", "b", settings=(TWO_SEATS, OTHER), tables_max=1)
    cluster.move("t2", "b")
    sitters = fill(cluster, "t1", "a", "a")
    anna, bert = cluster.client("anna", "a"), cluster.client("bert", "b")
    assert isinstance(anna.answer(wire.SitDown, "t2", buy_in=5_000), wire.Snapshot)
    for person in (anna, bert):
        person.answer(wire.JoinWaitlist)

    stand_up(sitters[0])
    assert (offers(anna), offers(bert)) == ([], [("t1", 1)])
    assert isinstance(anna.answer(wire.StandUp, "t2"), wire.Ok)
    stand_up(sitters[1])

    assert offers(anna) == [("t1", 2)]
    cluster.stop()


def test_a_node_alone_says_nothing(cluster):
    """The bus of a room of one node carries nothing."""
    alone = Cluster("a", settings=(TWO_SEATS,))
    fill(alone, "t1", "a", "a")
    alone.client("anna", "a").answer(wire.JoinWaitlist)
    alone.settle(5)
    assert alone.hub.passed == []
    alone.stop()
