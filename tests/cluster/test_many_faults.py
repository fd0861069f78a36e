"""Everything at once, by seed: tables that move, nodes that join and die, connections and messages that are lost."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import permutations

import pytest

from pokerroom_protocol import messages as wire
from tests.cluster.support import Cluster, Person
from tests.cluster.test_losses import contiguous, do_something
from tests.lobby.support import TWO_SEATS


def notice(cluster: Cluster) -> None:
    """Whatever was lost so far is noticed."""
    for sender, to in permutations(list(cluster.nodes), 2):
        cluster.hub.notice(sender, to)
    cluster.settle()


def lose_batches(cluster: Cluster, dice: random.Random, part: float) -> None:
    """From now on so many of the batches are lost; what goes from node to node in one turn is one."""
    fates: dict[tuple[str, str, float], bool] = {}
    cluster.hub.loses = lambda sender, to, _: fates.setdefault(
        (sender, to, cluster.clock.seconds()), dice.random() < part
    )


def heal(cluster: Cluster) -> None:
    cluster.hub.loses = lambda *_: False
    notice(cluster)
    notice(cluster)
    cluster.settle(1)


class Play:
    """Four players at one table."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.cluster = Cluster("a", "b", "c")
        self.people = [self.cluster.client(f"p{number}", home) for number, home in enumerate("abcb", 1)]
        self.asked: list[tuple[Person, int]] = []

    def round(self) -> None:
        cluster, dice = self.cluster, self.dice
        for number, person in enumerate(self.people):
            self.asked += [(person, request) for request in do_something(person, dice)]
            cluster.settle(0.1)
            if dice.random() < 0.03:
                person.lose()
                self.people[number] = again = person.back(dice.choice(sorted(cluster.nodes)))
                self.asked.append((again, again.ask(wire.Observe)))
        if dice.random() < 0.15:
            self.move()
        if dice.random() < 0.05:
            cluster.hub.buses[dice.choice("abc")].cut()
        if dice.random() < 0.05:
            owner = cluster.nodes[cluster.owners["t1"]]
            slow = dice.choice([name for name in cluster.nodes if name != owner.name])
            owner.room_bus.living(sorted(set(cluster.nodes) - {slow}))
            cluster.settle(0.5)
            cluster.tell_living()
        notice(cluster)

    def move(self) -> None:
        cluster, dice = self.cluster, self.dice
        owner = cluster.owners["t1"]
        cluster.nodes[owner].drop("t1")
        if dice.random() < 0.5:
            cluster.owners.clear()
            cluster.tell_placed()
            self.asked += [(person, person.ask(wire.SitOut)) for person in self.people]
            cluster.settle(0.05)
        cluster.own("t1", dice.choice([name for name in cluster.nodes if name != owner]))
        if dice.random() < 0.5:
            cluster.settle(0.05)
        cluster.tell_placed()


@pytest.mark.parametrize("seed", range(4))
def test_a_table_that_goes_from_node_to_node_answers_once_and_shows_no_gap(seed):
    """No player is forgotten, and nothing is left behind at nodes where the table was."""
    play = Play(seed)
    cluster = play.cluster
    lose_batches(cluster, play.dice, 0.1)
    for _ in range(60):
        play.round()
    heal(cluster)

    counted = [(person.connected, len(person.answers(request))) for person, request in play.asked]
    assert all(count == 1 for connected, count in counted if connected)
    assert all(count <= 1 for _, count in counted)
    assert len(cluster.settled()) > 3
    for person in play.people:
        assert contiguous(person)
        seat = cluster.table().game.seats.held_by(person.account)
        if seat is not None and person.all(wire.Snapshot):  # else they were told to try again
            assert seat.connected
            assert person.seqs()[-1] == cluster.table().announcer.seq
    for name, node in cluster.nodes.items():
        homes = list(node.room_bus._viewers.homes())  # private: memory has no public trace
        assert name == cluster.owners["t1"] or not homes
    cluster.stop()


class Queue:
    """Seven players and four seats."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.cluster = Cluster("a", "b", "c", settings=(TWO_SEATS, replace(TWO_SEATS, table="t2")))
        self.cluster.move("t2", "b")
        self.people = [self.cluster.client(f"p{number}", self.dice.choice("abc")) for number in range(7)]
        self.asked: list[tuple[Person, int]] = []
        self.names = ["A", "d", "0"]

    def step(self) -> None:
        dice, number = self.dice, self.dice.randrange(len(self.people))
        person, table = self.people[number], self.dice.choice(["t1", "t2"])
        what = dice.choices(
            ("join", "leave", "sit", "stand", "back", "release", "move", "new", "kill", "wait"),
            (35, 10, 25, 10, 7, 3, 3, 3, 2, 3),
        )[0]
        match what:
            case "join" | "leave":
                kind = wire.JoinWaitlist if what == "join" else wire.LeaveWaitlist
                self.ask(person, kind, table, any_table=dice.random() < 0.3)
            case "sit":
                self.ask(person, wire.SitDown, table, buy_in=2_000)
                self.ask(person, wire.SitOut, table)
            case "stand" | "release":
                self.ask(person, wire.StandUp if what == "stand" else wire.ReleaseSeat, table)
            case "back":
                person.lose()
                self.people[number] = person.back(self.somewhere())
            case "move":
                to = self.somewhere()
                if to != self.cluster.owners[table]:
                    self.cluster.move(table, to)
            case "new" if self.names:
                self.cluster.join(self.names.pop())
            case "kill" if len(self.cluster.nodes) > 1:
                self.kill(self.somewhere())
            case _:
                self.cluster.settle(dice.choice([1, 31, 61]))
        self.cluster.settle(dice.choice([0.0, 0.01, 0.5]))

    def somewhere(self) -> str:
        return self.dice.choice(sorted(self.cluster.nodes))

    def ask(self, person: Person, kind: type[wire.Request], table: str, **fields: object) -> None:
        self.asked.append((person, person.ask(kind, table, **fields)))

    def kill(self, name: str) -> None:
        cluster = self.cluster
        for person in self.people:
            person.connected = person.connected and person.node.name != name
        orphans = [table for table, owner in cluster.owners.items() if owner == name]
        cluster.kill(name)
        cluster.tell_living()
        cluster.settle()
        for table in orphans:
            cluster.own(table, self.somewhere())
        cluster.tell_placed()
        cluster.settle()
        self.people = [
            person if person.connected else person.back(self.somewhere()) for person in self.people
        ]


@pytest.mark.parametrize("part_lost", [0.0, 0.1])
@pytest.mark.parametrize("seed", range(4))
def test_waiting_lists_stay_one_whoever_keeps_them(seed, part_lost):
    """Every node knows the same, the leader knows every seat, and no account waits while a seat is free for it."""
    queue = Queue(seed)
    cluster = queue.cluster
    lose_batches(cluster, queue.dice, part_lost)
    for _ in range(100):
        queue.step()
        if queue.dice.random() < 0.3:
            notice(cluster)
    heal(cluster)

    counted = [(person.connected, len(person.answers(request))) for person, request in queue.asked]
    assert all(count == 1 for connected, count in counted if connected)
    assert all(count <= 1 for _, count in counted)
    waiting = {name: node.room_bus.seating for name, node in cluster.nodes.items()}
    first = waiting.pop(min(waiting))
    leader = first.leader
    assert leader is not None
    assert all(entry.viewer is not None for entry in leader.list.entries())
    for other in waiting.values():
        assert other.leader is None
        assert set(other.entries) == {(one.account, one.table, one.any_table) for one in leader.waiters()}
    for name in cluster.settings:
        seat_manager = cluster.table(name).game.seats
        assert {other.waiting(name) for other in (first, *waiting.values())} == {leader.waiting(name)}
        assert leader.tables[name].seated == {seat.account for seat in seat_manager.seats}
        held = set(seat_manager.reservations._of)  # private: no other name for the accounts that hold a seat
        assert set(leader.claims.at(name)) == {seat.account for seat in seat_manager.seats} | held
        takers = list(leader.list._takers(name))  # private: the accounts that would be offered a free seat
        assert not (seat_manager.seats.free(seat_manager.reserved()) and takers)
    cluster.stop()
