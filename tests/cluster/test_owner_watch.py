"""Looking at the owners in the ledger: one question at a time, and when its answers, or their absence, count."""

from __future__ import annotations

from collections.abc import Mapping

from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from pokerroom.cluster.owner_watch import LEDGER_AWAY_S, LOOK_S, OwnerWatch
from pokerroom.ledger.api import LedgerUnavailable, OwnerRow

ROW = OwnerRow(table="t1", epoch=3, node="a")


class Asked:
    """A ledger that answers when the test says so, and what came of it."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.clock.advance(100)
        self.questions: list[Deferred[list[OwnerRow]]] = []
        self.lease_began = 0.0
        self.seen: list[tuple[Mapping[str, OwnerRow], bool]] = []
        self.looking = OwnerWatch(
            clock=self.clock,
            ledger=self,  # type: ignore[arg-type]  # nothing else of it is asked
            held_since=lambda when: when >= self.lease_began,
            seen=lambda rows, lease_renewed: self.seen.append((rows, lease_renewed)),
        )

    def owners(self) -> Deferred[list[OwnerRow]]:
        self.questions.append(Deferred())
        return self.questions[-1]


def test_one_question_at_a_time_and_one_each_second():
    """Asked `now` it does not wait; while an answer is awaited nothing is asked."""
    asked = Asked()
    asked.looking.look(now=False)
    asked.looking.look(now=True)
    assert len(asked.questions) == 1

    asked.questions[0].callback([ROW])
    asked.looking.look(now=False)
    assert len(asked.questions) == 1
    asked.looking.look(now=True)
    asked.questions[1].callback([])
    asked.clock.advance(LOOK_S)
    asked.looking.look(now=False)

    assert len(asked.questions) == 3
    assert asked.seen == [({"t1": ROW}, True), ({}, True)]


def test_an_answer_counts_if_the_lease_has_held_since_the_question():
    """A question of an earlier lease says nothing of the present owners."""
    asked = Asked()
    asked.looking.look(now=True)
    asked.clock.advance(2)
    asked.lease_began = asked.clock.seconds()  # interrupted, and told again

    asked.questions[0].callback([ROW])
    asked.looking.look(now=True)
    asked.questions[1].callback([ROW])

    assert [lease_renewed for _, lease_renewed in asked.seen] == [False, True]


def test_a_ledger_that_does_not_answer_is_away_after_a_while():
    """Whether it says so or says nothing; and it is back with its first answer."""
    asked = Asked()
    asked.looking.look(now=True)
    asked.clock.advance(LEDGER_AWAY_S - 0.1)
    assert not asked.looking.away
    asked.clock.advance(0.1)
    assert asked.looking.away

    asked.questions[0].errback(LedgerUnavailable("gone"))
    assert asked.looking.away
    asked.looking.look(now=True)
    asked.questions[1].callback([])

    assert not asked.looking.away


def test_a_node_that_has_not_asked_does_not_miss_an_answer():
    """A node that starts late is not without a ledger."""
    asked = Asked()
    asked.clock.advance(60)
    assert not asked.looking.away

    asked.looking.look(now=False)

    assert not asked.looking.away
