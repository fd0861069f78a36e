"""`pokerroom.tournament.registry`: which tournaments and tables a node knows, from the ledger and from its owners."""

import pytest
from twisted.internet.defer import Deferred, fail
from twisted.internet.task import Clock

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.tournaments import PlaceGiven, owned_as
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom.tournament.offers import opening_of
from pokerroom.tournament.registry import LOOK_S, STARTING_S, TournamentRegistry
from pokerroom.tournament.settings import TournamentSettings
from pokerroom_protocol import messages as wire
from tests.tournament.playing import now, offer

DUEL = offer(id="duel", seats=2, prizes=(Money(480),))
ONE, ONE_ITSELF = "duel.1", owned_as("duel.1")


class Node:
    """A registry with what it is told and asked for."""

    def __init__(self):
        self.clock = Clock()
        self.ledger = MemoryLedger(self.clock.seconds)
        self.settings = {"t1": object()}
        self.here, self.owned = set(), set()
        self.claimed, self.overs = [], []
        self.news = 0
        self.registry = TournamentRegistry(
            ledger=self.ledger,
            clock=self.clock,
            settings=self.settings,
            here=self.here,
            owned=self.owned,
            claim=self.claimed.append,
            news=self.count_news,
            over=self.overs.append,
        )
        self.players = [
            now(self.ledger.create_account(f"p{n}", "hash", Money(10_000))).account for n in range(2)
        ]
        self.epochs = {}

    def count_news(self):
        self.news += 1

    def known(self):
        return set(self.settings) - {"t1"}

    def fills(self, number=1):
        """The offer's tournament of this number is full."""
        now(self.ledger.open_tournament(opening_of(DUEL, number)))
        for account in self.players:
            now(self.ledger.enter(f"duel.{number}", account, 1))

    def begins(self, number=1):
        """It is started, by its owner at some node."""
        name = f"duel.{number}"
        self.epochs[name] = now(self.ledger.take_table(owned_as(name), "a", 0))
        now(self.ledger.start_tournament(name, self.epochs[name], self.players, 1_500))

    def runs(self, number=1):
        self.fills(number)
        self.begins(number)

    def ends(self, name=ONE):
        """The ledger has all of its places."""
        places = [
            PlaceGiven(place=place, account=account, prize=Money(prize))
            for place, account, prize in zip((1, 2), self.players, (480, 0), strict=True)
        ]
        now(self.ledger.give_places(name, self.epochs[name], 1, places))

    def looks(self):
        now(self.registry.look())

    def away(self, *methods):
        """The ledger answers none of these questions; returns what lets it answer again."""

        def unavailable(*_):
            return fail(LedgerUnavailable("away"))

        for method in methods:
            setattr(self.ledger, method, unavailable)

        def back():
            for method in methods:
                delattr(self.ledger, method)

        return back


@pytest.fixture
def node():
    found = Node()
    yield found
    assert found.clock.getDelayedCalls() == []


def test_a_node_that_starts_knows_what_runs(node):
    """The tournament and its table; what only fills, or is over, is none of it."""
    node.runs(1)
    node.runs(2)
    node.ends("duel.2")
    node.fills(3)
    now(Deferred.fromCoroutine(node.registry.first()))
    assert node.known() == {ONE, ONE_ITSELF}
    assert isinstance(node.settings[ONE], TournamentSettings)
    assert node.settings[ONE_ITSELF].of == node.settings[ONE]


def test_the_ledger_is_read_every_second_as_long_as_the_node_lives(node):
    """And not before it has started to look."""
    node.runs()
    node.clock.advance(2 * LOOK_S)
    assert node.known() == set()
    node.registry.start()
    node.clock.advance(LOOK_S)
    assert node.known() == {ONE, ONE_ITSELF}
    node.registry.stop()
    node.runs(2)
    node.clock.advance(2 * LOOK_S)
    assert "duel.2" not in node.known()


def test_news_is_told_once_for_what_is_new(node):
    """A look that finds what is known tells nothing."""
    node.looks()
    assert node.news == 0
    node.runs()
    node.looks()
    node.looks()
    assert (node.news, node.known()) == (1, {ONE, ONE_ITSELF})


def test_a_full_tournament_is_claimed_to_be_started(node):
    """It alone, because it has no table yet; told again it is not claimed again."""
    node.fills()
    node.registry.full(ONE)
    assert (node.known(), node.claimed, node.news) == ({ONE_ITSELF}, [ONE_ITSELF], 1)
    node.registry.full(ONE)
    assert (node.claimed, node.news) == ([ONE_ITSELF], 1)


def test_a_full_tournament_waits_for_the_ledger(node):
    """It is claimed at the next word of it, and no fault is logged."""
    node.fills()
    back = node.away("tournament")
    node.registry.full(ONE)
    assert (node.known(), node.claimed, node.news) == (set(), [], 0)
    back()
    node.registry.full(ONE)
    assert node.claimed == [ONE_ITSELF]


def test_a_full_tournament_that_does_not_start_is_forgotten_after_a_while(node):
    """An account has left it, perhaps; it may be claimed again later, when it is full once more."""
    node.fills()
    node.registry.full(ONE)
    node.clock.advance(STARTING_S)
    node.looks()
    assert node.known() == {ONE_ITSELF}
    node.registry.full(ONE)
    node.clock.advance(1)
    node.registry.full(ONE)
    node.looks()
    node.looks()
    assert (node.known(), node.claimed, node.overs) == (set(), [ONE_ITSELF], [ONE_ITSELF])
    node.registry.full(ONE)
    assert (node.known(), node.claimed) == ({ONE_ITSELF}, [ONE_ITSELF] * 2)


def test_what_runs_at_last_is_not_forgotten_as_if_it_had_not_started(node):
    """The time for its start counts no more."""
    node.fills()
    node.registry.full(ONE)
    node.begins()
    node.looks()
    node.clock.advance(STARTING_S + 1)
    node.looks()
    assert node.known() == {ONE, ONE_ITSELF}


def test_a_tournament_that_its_owner_has_started_has_a_table_to_claim(node):
    """In the next turn of the reactor, and once; a tournament that is known no more has none."""
    node.fills()
    node.registry.full(ONE)
    node.registry.opened(ONE, [1])
    assert node.known() == {ONE_ITSELF}
    node.clock.advance(0)
    assert (node.known(), node.claimed, node.news) == ({ONE, ONE_ITSELF}, [ONE_ITSELF, ONE], 2)
    for name in (ONE, "duel.9"):
        node.registry.opened(name, [1])
    node.clock.advance(0)
    assert (node.claimed, node.news) == ([ONE_ITSELF, ONE], 2)


def told(name=ONE):
    return Outgoing(wire.SngStarted(tournament=name, table=name, seat=1))


def test_a_start_is_delivered_when_its_table_is_known(node):
    """So the client that asks for it finds it; all other messages are delivered at once."""
    got = []
    deliver = node.registry.delivering(lambda account, part: got.append((account, part.message)))
    node.runs()
    asked = Deferred()
    tournament = node.ledger.tournament
    node.ledger.tournament = lambda name: asked.addCallback(lambda _: tournament(name))
    refunded = wire.SngRefunded(tournament="duel.7", amount=300, reason="cancelled")
    deliver(5, Bundle((told(), Outgoing(refunded))))
    assert (got, node.known()) == ([(5, refunded)], set())
    asked.callback(None)
    assert got == [(5, refunded), (5, told().message)]
    assert (node.known(), node.news) == ({ONE, ONE_ITSELF}, 1)
    deliver(6, told())
    assert (len(got), node.news) == (3, 1)


def test_a_start_is_delivered_without_the_ledger_too(node):
    """The table is found by a look."""
    got = []
    deliver = node.registry.delivering(lambda account, part: got.append(account))
    node.runs()
    back = node.away("tournament")
    deliver(5, told())
    assert (got, node.known(), node.news) == ([5], set(), 0)
    back()
    node.looks()
    assert node.known() == {ONE, ONE_ITSELF}


@pytest.mark.parametrize("method", ["running_tables", "tournaments_to_show", "tournament"])
def test_a_look_without_the_ledger_forgets_nothing(node, method):
    """What is known stays so."""
    node.runs()
    node.looks()
    node.runs(2)
    back = node.away(method)
    node.looks()
    assert node.known() == {ONE, ONE_ITSELF}
    back()
    node.looks()
    assert node.known() == {ONE, ONE_ITSELF, "duel.2", owned_as("duel.2")}


def test_what_is_over_is_forgotten_where_it_does_not_live(node):
    """And the room is told once its owner has given it up: it may still send last messages."""
    node.runs()
    node.looks()
    node.owned |= {ONE, ONE_ITSELF}
    node.ends()
    node.here.add(ONE)
    node.looks()
    assert (node.known(), node.overs) == ({ONE}, [])
    node.here.clear()
    node.looks()
    assert (node.known(), node.overs) == (set(), [])
    node.owned.discard(ONE)
    node.looks()
    assert node.overs == [ONE]
    node.owned.clear()
    node.looks()
    node.looks()
    assert node.overs == [ONE, ONE_ITSELF]
    assert node.news == 1


def test_what_ended_here_is_forgotten_at_once(node):
    """The owner says so itself; no look says it again."""
    node.fills()
    node.registry.full(ONE)
    node.begins()
    node.registry.opened(ONE, [1])
    node.clock.advance(0)
    node.ends()
    for name in (ONE_ITSELF, ONE):
        node.registry.ended(name)
    assert (node.known(), node.overs) == (set(), [ONE_ITSELF, ONE])
    node.looks()
    assert node.overs == [ONE_ITSELF, ONE]
    node.registry.ended("t1")
    assert set(node.settings) == {"t1"}


def test_one_that_ended_without_a_start_here_may_be_full_again(node):
    """It was given up because it was not full: the time for its start begins again."""
    node.fills()
    node.registry.full(ONE)
    node.clock.advance(STARTING_S - 1)
    node.registry.ended(ONE_ITSELF)
    node.clock.advance(2)
    node.registry.full(ONE)
    assert node.claimed == [ONE_ITSELF] * 2


def test_one_that_comes_while_the_ledger_is_read_is_not_forgotten(node):
    """The answer is from before its start."""
    node.fills()
    answer = Deferred()
    running = node.ledger.running_tables
    node.ledger.running_tables = lambda: answer.addCallback(lambda found: found)
    looking = node.registry.look()
    before = now(running())
    node.begins()
    node.registry.delivering(lambda *_: None)(5, told())
    assert node.known() == {ONE, ONE_ITSELF}
    answer.callback(before)
    now(looking)
    assert node.known() == {ONE, ONE_ITSELF}


def test_an_end_that_no_owner_has_told_is_shown_by_another_node(node):
    """At the second look that finds its table without an owner: at the first, the owner may have just left it."""
    node.runs()
    now(node.ledger.take_table(ONE, "a", 0))
    node.looks()
    node.owned |= {ONE, ONE_ITSELF}
    node.ends()
    node.looks()
    assert node.known() == set()
    node.owned.clear()
    node.looks()
    assert (node.known(), node.overs) == (set(), [ONE_ITSELF])
    node.looks()
    assert (node.known(), node.overs, node.news) == ({ONE}, [ONE_ITSELF], 2)
    assert isinstance(node.settings[ONE], TournamentSettings)
    node.registry.ended(ONE)
    assert (node.known(), node.overs) == (set(), [ONE_ITSELF, ONE])
