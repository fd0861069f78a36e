"""The registration registration: what is offered and runs, who hears of what, and what can start."""

from __future__ import annotations

from dataclasses import replace

import pytest
from structlog.testing import capture_logs
from twisted.internet.defer import Deferred, fail
from twisted.internet.task import Clock

from pokerroom.chips import Money
from pokerroom.coordination.memory import MemoryRegistrations
from pokerroom.ledger.api import InsufficientBalance, LedgerUnavailable
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.tournaments import AlreadyEntered, NotEntered, PlaceGiven, RegistrationClosed, owned_as
from pokerroom.ops.config import default_config_path, load, parse
from pokerroom.tournament.lobby_rows import RUNNING_MAX, row_of
from pokerroom.tournament.offers import opening_of
from pokerroom.tournament.registrar import Registration
from pokerroom.tournament.registration import FRESH_S, LOOK_S, UnknownOffer, UnknownTournament
from pokerroom_protocol import messages as wire
from tests.tournament.registrations import made_registration

TWO = """
[[tables]]
id = "t1"
small_blind = 100

[[sit_and_go]]
id = "duel"
name = "Heads-up"
seats = 2
buy_in = 300
fee = 60
prizes = [480]
level_hands = 10
levels = [{ small_blind = 10 }, { small_blind = 20, ante = 5, break_s = 60 }]

[[sit_and_go]]
id = "limit"
structure = "fixed_limit"
seats = 3
buy_in = 100
prizes = [300]
level_s = 60
levels = [{ small_bet = 20 }]
"""


def request_of(number, tournament, **page):
    """A request for standings."""
    return wire.GetStandings(id=number, tournament=tournament, **page)


class Nodes:
    """What the nodes share, and a registration for each."""

    def __init__(self, run):
        self.run = run
        self.clock = Clock()
        self.ledger = MemoryLedger(self.clock.seconds)
        self.books = {}
        self.stores = []
        self.told = []
        self.full = []
        self.starts = self.full.append
        self.accounts = [
            run(self.ledger.create_account(f"p{n}", "hash", Money(1_000))).account for n in range(8)
        ]

    def registration(self, ledger=None):
        self.stores.append(MemoryRegistrations(self.books))
        return made_registration(
            ledger or self.ledger,
            self.clock,
            offers=parse(TWO).sit_and_gos,
            registrations=self.stores[-1],
            tell=lambda *notice: self.told.append(notice),
            full=lambda tournament: self.starts(tournament),  # noqa: PLW0108 -- a test replaces it
        )

    def rows(self, registration, account=None):
        return {line.offer: line for line in self.run(registration.rows(account))}

    def started(self, registration, *accounts):
        """These are in a tournament that has started."""
        for account in accounts:
            tournament = self.run(registration.register(account, "duel")).tournament
        epoch = self.run(self.ledger.take_table(owned_as(tournament), "a", 0))
        self.run(self.ledger.start_tournament(tournament, epoch, accounts, 1_500))
        registration.started(self.run(self.ledger.tournament(tournament)), tournament)
        self.told.clear()
        return tournament, epoch


@pytest.fixture
def nodes(run):
    nodes = Nodes(run)
    yield nodes
    assert nodes.clock.getDelayedCalls() == []


def test_what_is_offered_is_told_as_it_is_set(nodes):
    """Clients that are not logged in see them, too; nothing fills before an account registers."""
    rows = nodes.rows(nodes.registration())
    assert rows["duel"] == wire.SitAndGoInfo(
        offer="duel",
        name="Heads-up",
        game="holdem",
        structure="no_limit",
        seats=2,
        buy_in=300,
        fee=60,
        prizes=[480],
        starting_stack=1_500,
        level_unit="hands",
        levels=[
            wire.SngLevel(small_blind=10, big_blind=20, length=10),
            wire.SngLevel(small_blind=20, big_blind=40, length=10, ante=5, break_s=60),
        ],
        filling=[],
        running=[],
        running_count=0,
        next="duel.1",
    )
    assert (rows["limit"].structure, rows["limit"].level_unit) == ("fixed_limit", "seconds")
    assert rows["limit"].levels == [
        wire.SngLevel(small_blind=10, big_blind=20, length=60, small_bet=20, big_bet=40)
    ]


def test_the_offers_of_the_rules_are_shipped():
    """I1: six for 10.00 and 4.40, ten for 12.00, 7.00 and 5.00; the house's part is what is left."""
    offers = {offer.seats: offer for offer in load(default_config_path()).sit_and_gos}
    assert (offers[6].buy_in, offers[6].prizes, 6 * offers[6].fee) == (300, (1_000, 440), 360)
    assert (offers[10].buy_in, offers[10].prizes, 10 * offers[10].fee) == (300, (1_200, 700, 500), 600)


def test_who_registers_at_one_node_is_seen_at_all(nodes, run):
    """At the account's own node at once, elsewhere a moment later; only the account sees where it is registered."""
    here, there = nodes.registration(), nodes.registration()
    anna, bert, *_ = nodes.accounts
    assert nodes.rows(there, anna)["duel"].your_tournament is None
    registered = run(here.register(anna, "duel"))
    assert (registered.tournament, registered.full) == ("duel.1", False)
    assert nodes.rows(here, anna)["duel"].your_tournament == "duel.1"
    nodes.clock.advance(FRESH_S * 1.5)
    line = nodes.rows(there, anna)["duel"]
    assert (line.filling, line.your_tournament) == ([wire.SngFilling(tournament="duel.1", taken=1)], "duel.1")
    assert nodes.rows(there, bert)["duel"].your_tournament is None
    assert nodes.rows(there)["duel"].your_tournament is None
    assert run(nodes.ledger.wallet(anna)) == 700
    assert run(there.unregister(anna, "duel")) == "duel.1"
    assert nodes.rows(there, anna)["duel"].filling == [wire.SngFilling(tournament="duel.1", taken=0)]
    assert run(nodes.ledger.wallet(anna)) == 1_000


def test_the_last_seat_makes_it_full_where_it_is_taken(nodes, run):
    """Whoever starts tournaments hears of it at once, and the next one opens."""
    registration = nodes.registration()
    anna, bert, carl, *_ = nodes.accounts
    run(registration.register(anna, "duel"))
    assert nodes.full == []
    assert run(registration.register(bert, "duel")).full
    assert nodes.full == ["duel.1"]
    assert run(registration.register(carl, "duel")).tournament == "duel.2"


def test_one_that_filled_at_a_node_that_died_is_found_by_the_others(nodes, run):
    """They look now and then, and again until it has started."""
    registration, other = nodes.registration(), nodes.registration()
    for account in nodes.accounts[:2]:
        run(registration.register(account, "duel"))
    nodes.full.clear()
    run(Deferred.fromCoroutine(other.start()))
    nodes.clock.advance(LOOK_S)
    nodes.clock.advance(LOOK_S)
    assert nodes.full == ["duel.1", "duel.1"]
    other.stop()


def test_a_look_without_redis_or_with_a_fault_is_not_the_last(nodes, run):
    """The next one finds what there is."""
    registration = nodes.registration()
    for account in nodes.accounts[:2]:
        run(registration.register(account, "duel"))
    nodes.full.clear()
    run(Deferred.fromCoroutine(registration.start()))
    for _ in range(2):
        nodes.stores[0].away = True
        with capture_logs() as logs:
            nodes.clock.pump([LOOK_S] * 3)
        assert nodes.full == []
        assert [log["event"] for log in logs] == ["registrations.unavailable"], "told once"
        nodes.stores[0].away = False
        nodes.clock.advance(LOOK_S)
        nodes.full.clear()

    def fault(tournament):
        raise RuntimeError(tournament)

    nodes.starts = fault
    nodes.clock.advance(LOOK_S)
    nodes.starts = nodes.full.append
    nodes.clock.advance(LOOK_S)
    assert nodes.full == ["duel.1"]
    registration.stop()


def test_what_cannot_be_is_refused_with_its_code(nodes, run):
    """Nothing moves."""
    registration = nodes.registration()
    anna, bert, carl, *_ = nodes.accounts
    run(registration.register(anna, "duel"))
    for asked, refusal in (
        (registration.register(anna, "duel"), AlreadyEntered),
        (registration.register(anna, "no-such"), UnknownOffer),
        (registration.unregister(anna, "no-such"), UnknownOffer),
        (registration.unregister(bert, "duel"), NotEntered),
        (registration.standings(request_of(1, "duel.7")), UnknownTournament),
        (registration.cancel("duel.7"), UnknownTournament),
    ):
        with pytest.raises(refusal):
            run(asked)
    poor = run(nodes.ledger.create_account("poor", "hash", Money(299))).account
    with pytest.raises(InsufficientBalance):
        run(registration.register(poor, "duel"))
    assert nodes.rows(registration)["duel"].filling == [wire.SngFilling(tournament="duel.1", taken=1)]
    run(registration.register(bert, "duel"))
    assert run(nodes.ledger.wallet(carl)) == 1_000


def test_standings_are_told_before_it_starts_while_it_runs_and_for_ever(nodes, run):
    """Names and seats, places with their prizes, and whether these are paid."""
    registration = nodes.registration()
    anna, bert, *_ = nodes.accounts
    run(registration.register(anna, "duel"))
    before = run(registration.standings(request_of(5, "duel.1")))
    assert (before.re, before.phase, before.offer, before.prizes) == (5, "registering", "duel", [480])
    assert before.players == [wire.SngPlayer(name="p0")]
    run(registration.unregister(anna, "duel"))
    tournament, epoch = nodes.started(registration, bert, anna)
    running = run(registration.standings(request_of(6, tournament)))
    assert (running.phase, running.places) == ("running", [])
    assert running.players == [
        wire.SngPlayer(name="p1", seat=1, stack=1_500),
        wire.SngPlayer(name="p0", seat=2, stack=1_500),
    ]
    loser = PlaceGiven(place=2, account=anna, prize=Money(0))
    run(nodes.ledger.give_places(tournament, epoch, 2, [loser]))
    winner = PlaceGiven(place=1, account=bert, prize=Money(480))
    run(nodes.ledger.give_places(tournament, epoch, 1, [winner]))
    ended = run(registration.standings(request_of(7, tournament)))
    assert (ended.phase, ended.places) == (
        "finished",
        [
            wire.SngPlace(number=1, place=1, name="p1", prize=480, paid=False),
            wire.SngPlace(number=2, place=2, name="p0", prize=0, paid=False),
        ],
    )
    second = run(registration.standings(request_of(7, tournament, offset=1, count=1)))
    assert (second.players, second.places) == (running.players[1:], ended.places[1:])
    assert (second.total, second.offset, ended.total) == (2, 1, 2)
    registration.paid(tournament, 1, run(nodes.ledger.pay_place(tournament, 1)))
    assert run(registration.standings(request_of(8, tournament))).places[0].paid
    assert nodes.told == [(bert, wire.SngPrizePaid(tournament=tournament, place=1, prize=480))]


def test_what_runs_is_in_the_line_of_its_offer(nodes, run):
    """With how many are left; its players may enter the next one at once."""
    registration = nodes.registration()
    anna, bert, *_ = nodes.accounts
    tournament, epoch = nodes.started(registration, anna, bert)
    line = nodes.rows(registration, anna)["duel"]
    assert (line.running_count, line.running) == (1, [wire.SngRunning(tournament=tournament, left=2)])
    assert (line.filling, line.your_tournament) == ([], None)
    assert run(registration.register(anna, "duel")).tournament == "duel.2"
    run(nodes.ledger.give_places(tournament, epoch, 2, [PlaceGiven(place=2, account=bert, prize=Money(0))]))
    nodes.clock.advance(FRESH_S * 1.5)
    assert nodes.rows(registration)["duel"].running == [wire.SngRunning(tournament=tournament, left=1)]


def test_what_starts_here_is_shown_at_once(nodes, run):
    """Not when the last reading is too old; and while it fills its players are in no order of seats."""
    registration = nodes.registration()
    for account in nodes.accounts[:2]:
        run(registration.register(account, "limit"))
    told = run(registration.standings(request_of(5, "limit.1")))
    assert [(player.name, player.seat) for player in told.players] == [("p0", None), ("p1", None)]
    for taken, account in enumerate(nodes.accounts[2:4], 1):
        run(registration.register(account, "duel"))
        (one,) = nodes.rows(registration)["duel"].filling
        assert one.taken == taken
    epoch = run(nodes.ledger.take_table(owned_as("duel.1"), "a", 0))
    run(nodes.ledger.start_tournament("duel.1", epoch, nodes.accounts[2:4], 1_500))
    registration.started(run(nodes.ledger.tournament("duel.1")), "duel.1")
    row = nodes.rows(registration)["duel"]
    assert (row.running_count, row.filling) == (1, [])


def test_of_many_that_run_the_newest_are_told(nodes, run):
    """A line has a length, and says how many there are."""
    registration = nodes.registration()
    tournament, _ = nodes.started(registration, *nodes.accounts[:2])
    row = run(nodes.ledger.tournament(tournament))
    line = row_of(registration.offers["duel"], nodes.books["duel"], [row] * (RUNNING_MAX + 7), None)
    assert (len(line.running), line.running_count) == (RUNNING_MAX, RUNNING_MAX + 7)


def test_a_cancelled_one_pays_back_and_tells_once(nodes, run):
    """By any node; asked again it says the same and moves nothing, and who had left hears nothing."""
    registration, other = nodes.registration(), nodes.registration()
    anna, bert, *_ = nodes.accounts
    run(registration.register(bert, "limit"))
    run(registration.unregister(bert, "limit"))
    run(registration.register(anna, "limit"))
    for node in (other, registration, other):
        run(node.cancel("limit.1"))
    assert nodes.told == [(anna, wire.SngRefunded(tournament="limit.1", amount=100, reason="cancelled"))]
    assert [run(nodes.ledger.wallet(account)) for account in (anna, bert)] == [1_000, 1_000]
    assert run(registration.register(anna, "limit")).tournament == "limit.2"
    assert run(nodes.ledger.audit()).differences == ()


def test_what_fills_for_an_offer_that_is_no_more_is_cancelled_at_the_start(nodes, run):
    """Its players have their money back, and hear of it; what is offered fills on."""
    registration = nodes.registration()
    anna, _, carl, *_ = nodes.accounts
    run(registration.register(anna, "limit"))
    run(registration.register(anna, "duel"))
    run(registration.register(carl, "limit"))
    later = made_registration(
        nodes.ledger,
        nodes.clock,
        offers=[offer for offer in parse(TWO).sit_and_gos if offer.id == "duel"],
        registrations=nodes.stores[0],
        tell=lambda *notice: nodes.told.append(notice),
    )
    run(Deferred.fromCoroutine(later.start()))
    refunded = wire.SngRefunded(tournament="limit.1", amount=100, reason="cancelled")
    assert nodes.told == [(anna, refunded), (carl, refunded)]
    assert run(nodes.ledger.tournament("limit.1")).phase == "cancelled"
    assert run(nodes.ledger.tournament("duel.1")).phase == "registering"
    later.stop()


@pytest.mark.parametrize(
    ("changes", "phase"),
    [
        ({"buy_in": 200, "prizes": (Money(600),)}, "cancelled"),
        ({"seats": 2, "prizes": (Money(200),)}, "cancelled"),
        ({"starting_stack": 30}, "cancelled"),
        ({"name": "Another", "chat_per_minute": 3, "action_clock_s": 5}, "registering"),
    ],
)
def test_what_fills_for_an_offer_that_is_another_now_is_cancelled_at_the_start(nodes, run, changes, phase):
    """Otherwise an account that enters would play for stakes that it was not shown."""
    registration = nodes.registration()
    anna, bert, *_ = nodes.accounts
    run(registration.register(anna, "limit"))
    later = made_registration(
        nodes.ledger,
        nodes.clock,
        offers=[
            replace(offer, **changes) if offer.id == "limit" else offer
            for offer in registration.offers.values()
        ],
        registrations=nodes.stores[0],
        tell=lambda *notice: nodes.told.append(notice),
    )
    run(Deferred.fromCoroutine(later.start()))
    assert run(nodes.ledger.tournament("limit.1")).phase == phase
    assert [account for account, _ in nodes.told] == ([anna] if phase == "cancelled" else [])
    assert run(later.register(bert, "limit")).tournament == ("limit.2" if phase == "cancelled" else "limit.1")
    later.stop()


def test_what_fills_and_cannot_be_read_is_cancelled_at_the_start(nodes, run):
    """The room starts all the same."""
    registration = nodes.registration()
    run(nodes.ledger.open_tournament(replace(opening_of(registration.offers["limit"], 1), terms=b"{}")))
    run(Deferred.fromCoroutine(registration.start()))
    assert run(nodes.ledger.tournament("limit.1")).phase == "cancelled"
    registration.stop()


def test_one_that_is_full_is_played_whatever_its_offer_says_now(nodes, run):
    """No account can enter it, and all that have entered know its terms."""
    registration = nodes.registration()
    for account in nodes.accounts[:3]:
        run(registration.register(account, "limit"))
    offers = [replace(offer, starting_stack=30) for offer in registration.offers.values()]
    later = made_registration(nodes.ledger, nodes.clock, offers=offers, registrations=nodes.stores[0])
    run(Deferred.fromCoroutine(later.start()))
    assert run(nodes.ledger.tournament("limit.1")).phase == "registering"
    later.stop()


def test_one_that_has_started_is_not_cancelled(nodes, run):
    """Then it is rolled back, or forward."""
    registration = nodes.registration()
    tournament, _ = nodes.started(registration, *nodes.accounts[:2])
    with pytest.raises(RegistrationClosed):
        run(registration.cancel(tournament))
    assert nodes.told == []


def test_a_prize_that_cannot_be_looked_up_is_paid_all_the_same(nodes):
    """A player without a message sees it in the wallet."""

    class Away:
        def __getattr__(self, name):
            return lambda *_: fail(LedgerUnavailable("away"))

    registration = nodes.registration(Away())
    with capture_logs() as logs:
        registration.paid("duel.1", 1, Money(480))
    assert (nodes.told, logs) == ([], [])


def next_of(nodes, registration, offer="duel"):
    [row] = [row for row in nodes.run(registration.rows(None)) if row.offer == offer]
    return row.next


def test_a_registration_that_names_the_next_tournament_is_made_once(nodes):
    """Also when the tournament has started meanwhile, at any node; one that names the new next one enters that."""
    registration, other = nodes.registration(), nodes.registration()
    alice, bob = nodes.accounts[:2]
    since = next_of(nodes, registration)
    assert since == "duel.1"

    assert nodes.run(registration.register(alice, "duel", since)).tournament == "duel.1"
    again = nodes.run(other.register(alice, "duel", since))
    assert again == Registration(tournament="duel.1", full=False)
    nodes.run(registration.register(bob, "duel"))
    epoch = nodes.run(nodes.ledger.take_table(owned_as("duel.1"), "a", 0))
    nodes.run(nodes.ledger.start_tournament("duel.1", epoch, (alice, bob), 1_500))
    registration.started(nodes.run(nodes.ledger.tournament("duel.1")), "duel.1")
    nodes.clock.advance(FRESH_S + LOOK_S)
    assert nodes.run(other.register(alice, "duel", since)).tournament == "duel.1"
    assert nodes.run(nodes.ledger.wallet(alice)) == 700

    since = next_of(nodes, other)
    assert since == "duel.2"
    assert nodes.run(other.register(alice, "duel", since)).tournament == "duel.2"
    assert nodes.run(nodes.ledger.wallet(alice)) == 400


class SlowReader:
    """A ledger of which one answer, to the question which tournaments go on, is late."""

    def __init__(self, ledger):
        self._ledger, self.late = ledger, Deferred()

    def __getattr__(self, name):
        return getattr(self._ledger, name)

    def tournaments(self, *which):
        read, held, self.late = self._ledger.tournaments(*which), self.late, None
        return read if held is None else held.addCallback(lambda _: read)


def test_a_repeated_registration_that_overtakes_the_first_pays_once(nodes):
    """It has found no entry; then the first one is booked, and its tournament fills and starts."""
    slow = SlowReader(nodes.ledger)
    registration, other = nodes.registration(), nodes.registration(slow)
    alice, bob = nodes.accounts[:2]
    nodes.run(registration.register(bob, "duel"))
    late = slow.late
    repeated = other.register(alice, "duel", "duel.1")
    nodes.run(registration.register(alice, "duel", "duel.1"))
    epoch = nodes.run(nodes.ledger.take_table(owned_as("duel.1"), "a", 0))
    nodes.run(nodes.ledger.start_tournament("duel.1", epoch, (alice, bob), 1_500))
    registration.started(nodes.run(nodes.ledger.tournament("duel.1")), "duel.1")

    late.callback(None)

    assert nodes.run(repeated).tournament == "duel.1"
    assert nodes.run(nodes.ledger.wallet(alice)) == 700
    nodes.clock.advance(FRESH_S + LOOK_S)
    assert sum(each.taken for each in nodes.rows(other)["duel"].filling) == 0


def test_a_repeated_registration_while_the_tournament_fills_is_no_refusal(nodes):
    """It has found no entry; then the first one is booked: the answer is its tournament."""
    slow = SlowReader(nodes.ledger)
    registration, other = nodes.registration(), nodes.registration(slow)
    alice, bob = nodes.accounts[:2]
    for account in (alice, bob):
        nodes.run(registration.register(account, "limit"))
    nodes.run(registration.unregister(alice, "limit"))
    late = slow.late
    repeated = other.register(alice, "limit", "limit.1")
    nodes.run(registration.register(alice, "limit", "limit.1"))

    late.callback(None)

    assert nodes.run(repeated).tournament == "limit.1"
    assert nodes.run(nodes.ledger.wallet(alice)) == 900


def test_a_registration_that_names_another_offers_tournament_is_refused(nodes):
    """Nothing is paid for a name that cannot be told apart."""
    registration = nodes.registration()
    for since in ("limit.1", "duel.x", "duel"):
        with pytest.raises(UnknownTournament):
            nodes.run(registration.register(nodes.accounts[0], "duel", since))
    assert nodes.run(nodes.ledger.wallet(nodes.accounts[0])) == 1_000
