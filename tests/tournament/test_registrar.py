"""Registration at any node: no seat sold twice, no entry paid twice, and nothing lost with Redis or a node."""

from dataclasses import replace

import pytest
from twisted.internet.defer import DeferredList

from pokerroom.chips import Money
from pokerroom.coordination.registrations import HOLD_MS, RegistrationBook
from pokerroom.ledger.api import InsufficientBalance
from pokerroom.ledger.tournaments import AlreadyEntered, NotEntered, RegistrationClosed, owned_as
from pokerroom.tournament.registrar import AT_ONCE, AddressRegistered, Registration
from tests.tournament.support import SEATS, Nodes, opening


@pytest.fixture
def nodes():
    return Nodes()


@pytest.fixture
def node(nodes):
    return nodes.node()


@pytest.fixture(autouse=True)
def _adds_up(run, nodes):
    yield
    assert run(nodes.store.audit()).differences == ()
    assert nodes.clock.getDelayedCalls() == []


def start(run, nodes, number, registrar):
    """As whoever runs it does: the table, the seats, and it leaves the book."""
    name = f"six.{number}"
    run(nodes.store.take_table(owned_as(name), "n1", 0))
    run(nodes.store.start_tournament(name, 1, run(nodes.store.tournament(name)).players, 1_500))
    run(registrar.close(number))


def test_who_registers_has_a_seat_and_has_paid(run, nodes, node):
    """The last one fills the tournament, and the next opens another."""
    registrar, *_ = node
    accounts = nodes.accounts(run, SEATS + 1)
    told = [run(registrar.register(account)) for account in accounts]
    assert told == [
        Registration(tournament="six.1", full=False),
        Registration(tournament="six.1", full=False),
        Registration(tournament="six.1", full=True),
        Registration(tournament="six.2", full=False),
    ]
    assert nodes.players(run) == {"six.1": tuple(accounts[:3]), "six.2": (accounts[3],)}
    assert {run(nodes.store.wallet(account)) for account in accounts} == {700}
    assert nodes.shown() == ({1: accounts[:3], 2: accounts[3:]}, [])


def test_many_at_once_through_two_nodes(run, nodes):
    """Each account once, each seat once, whichever node is asked, also both."""
    registrars = [nodes.node()[0] for _ in range(2)]
    accounts = nodes.accounts(run, 8)
    outcomes = run(
        DeferredList(
            [registrar.register(account) for account in accounts for registrar in registrars],
            consumeErrors=True,
        )
    )
    assert all(done or why.check(AlreadyEntered) for done, why in outcomes)
    assert [len(players) for players in nodes.players(run).values()] == [3, 3, 2]
    assert {run(nodes.store.wallet(account)) for account in accounts} == {700}


def test_a_crowd_asks_the_ledger_a_few_at_a_time(run, nodes, node):
    """The others wait at the node, not at the ledger with all of its connections; each is registered in the end."""
    registrar, ledger, _ = node
    accounts = nodes.accounts(run, 4 * AT_ONCE)
    ledger.held = True
    asked = [registrar.register(account) for account in accounts]
    while ledger.waiting:
        assert len(ledger.waiting) <= AT_ONCE
        ledger.let_one()
    assert [run(one).tournament for one in asked]
    assert sum(len(players) for players in nodes.players(run).values()) == len(accounts)


def test_an_account_registers_once_until_the_start(run, nodes, node):
    """Then it may enter the next one beside the one it plays."""
    registrar, *_ = node
    alice, bob, carol = nodes.accounts(run, 3)
    run(registrar.register(alice))
    with pytest.raises(AlreadyEntered):
        run(registrar.register(alice))
    for account in (bob, carol):
        run(registrar.register(account))
    start(run, nodes, 1, registrar)
    assert run(registrar.register(alice)) == Registration(tournament="six.2", full=False)


def test_an_address_has_few_seats(run, nodes, node):
    """The account that is refused has paid nothing."""
    registrar, *_ = node
    alice, bob, carol = nodes.accounts(run, 3)
    for account in (alice, bob):
        run(registrar.register(account, address="here"))
    with pytest.raises(AddressRegistered):
        run(registrar.register(carol, address="here"))
    assert run(nodes.store.wallet(carol)) == 1_000
    assert run(registrar.register(carol, address="there")) == Registration(tournament="six.1", full=True)


def test_who_unregisters_has_his_money_and_may_come_again(run, nodes, node):
    """Any account may take the seat; the second entry has another number."""
    registrar, *_ = node
    alice, bob = nodes.accounts(run, 2)
    run(registrar.register(alice))
    assert run(registrar.unregister(alice)) == "six.1"
    assert run(nodes.store.wallet(alice)) == 1_000
    with pytest.raises(NotEntered):
        run(registrar.unregister(alice))
    run(registrar.register(bob))
    run(registrar.register(alice))
    assert nodes.players(run) == {"six.1": (bob, alice)}


def test_who_cannot_pay_has_no_seat(run, nodes, node):
    """The seat is free at once for another account."""
    registrar, *_ = node
    poor, *others = [*nodes.accounts(run, 1, opening_balance=299), *_rich(run, nodes)]
    with pytest.raises(InsufficientBalance):
        run(registrar.register(poor))
    assert nodes.shown() == ({1: []}, [])
    assert run(registrar.register(others[0])).tournament == "six.1"


def _rich(run, nodes):
    return [run(nodes.store.create_account("rich", "hash", 1_000)).account]


def test_unregistering_after_the_start_is_refused(run, nodes, node):
    """Also where the book does not know yet that it has started."""
    registrar, *_ = node
    accounts = nodes.accounts(run, 3)
    for account in accounts:
        run(registrar.register(account))
    run(nodes.store.take_table(owned_as("six.1"), "n1", 0))
    run(nodes.store.start_tournament("six.1", 1, accounts, 1_500))
    with pytest.raises(RegistrationClosed):
        run(registrar.unregister(accounts[0]))
    assert nodes.shown() == ({}, [])
    assert run(registrar.register(accounts[0])).tournament == "six.2"


# --- what can be lost


def test_registrations_survive_the_loss_of_the_book(run, nodes):
    """It is made from the ledger by whoever needs it first: seats, numbers and entries go on."""
    registrar, *_ = nodes.node()
    accounts = nodes.accounts(run, 6)
    for account in accounts[:4]:
        run(registrar.register(account))
    run(registrar.unregister(accounts[0]))
    nodes.books.clear()
    other, *_ = nodes.node()
    with pytest.raises(AlreadyEntered):
        run(other.register(accounts[1]))
    assert run(other.register(accounts[0])) == Registration(tournament="six.1", full=True)
    assert run(other.register(accounts[4])).tournament == "six.2"
    start(run, nodes, 1, other)
    nodes.books.clear()
    assert run(other.unregister(accounts[3])) == "six.2"
    assert nodes.players(run)["six.2"] == (accounts[4],)


def test_the_book_is_lost_in_the_middle_of_an_entry(run, nodes):
    """The entry is booked, and the new book knows it."""
    registrar, ledger, _ = nodes.node()
    alice, bob = nodes.accounts(run, 2)
    run(registrar.register(bob))
    ledger.held = True
    entering = registrar.register(alice)
    nodes.books.clear()
    ledger.held = False
    assert ledger.let_one() == "enter"
    assert run(entering) == Registration(tournament="six.1", full=False)
    assert nodes.shown() == ({1: [bob, alice]}, [])


@pytest.mark.parametrize("lost", [True, False])
def test_an_unknown_outcome_at_the_ledger_is_asked_again(run, nodes, lost):
    """Whether it was booked or not: it is once."""
    registrar, ledger, _ = nodes.node()
    alice, bob = nodes.accounts(run, 2)
    run(registrar.register(bob))
    ledger.held = True
    entering = registrar.register(alice)
    ledger.held = False
    if lost:
        ledger.let_one(lost=True)
    else:
        ledger.refuse_one()
    nodes.clock.advance(0.1)
    assert run(entering).tournament == "six.1"
    assert run(nodes.store.wallet(alice)) == 700


@pytest.mark.parametrize("after", [True, False])
def test_without_the_book_nobody_registers_and_nothing_is_paid(run, nodes, after):
    """The account has the seat when it asks again, held before or not."""
    registrar, _, registrations = nodes.node()
    alice, bob = nodes.accounts(run, 2)
    run(registrar.register(bob))
    registrations.failing, registrations.after = 1, after
    with pytest.raises(TimeoutError):
        run(registrar.register(alice))
    assert run(nodes.store.wallet(alice)) == 1_000
    assert run(registrar.register(alice)) == Registration(tournament="six.1", full=False)


@pytest.mark.parametrize("after", [True, False])
def test_what_was_paid_is_confirmed_when_the_book_is_back(run, nodes, after):
    """The account waits for it, and it may have been done already."""
    registrar, ledger, registrations = nodes.node()
    alice, bob = nodes.accounts(run, 2)
    run(registrar.register(bob))
    ledger.held = True
    entering = registrar.register(alice)
    ledger.held = False
    registrations.failing, registrations.after = 2, after
    ledger.let_one()
    nodes.clock.pump([0.1, 0.2])
    assert run(entering) == Registration(tournament="six.1", full=False)
    assert nodes.shown() == ({1: [bob, alice]}, [])


def test_a_tournament_that_another_node_opens_on_new_terms_is_entered(run, nodes, node):
    """An operator changes the offer, and one node knows it first. The other one reads the ledger."""
    registrar, *_ = node
    *first, late = nodes.accounts(run, SEATS + 1)
    for account in first:
        run(registrar.register(account))
    run(nodes.store.open_tournament(replace(opening(2), prizes=(Money(501), Money(219)))))
    assert run(registrar.register(late)) == Registration(tournament="six.2", full=False)
    assert nodes.players(run)["six.2"] == (late,)


def test_a_node_that_dies_after_the_entry_leaves_nothing_behind(run, nodes):
    """The next look finds it in the ledger, and that the tournament is full."""
    registrar, *_ = nodes.node()
    dying, ledger, _ = nodes.node()
    accounts = nodes.accounts(run, SEATS)
    for account in accounts[:-1]:
        run(registrar.register(account))
    ledger.held = True
    dying.register(accounts[-1])
    _, work, _ = ledger.waiting.popleft()
    run(work())  # the answer is lost
    assert nodes.shown() == ({1: accounts}, [accounts[-1]])
    assert run(registrar.look()) == ["six.1"]
    assert nodes.shown() == ({1: accounts}, [])
    start(run, nodes, 1, registrar)
    assert run(registrar.look()) == []


def test_an_entry_that_comes_after_its_hold_is_no_seat_too_many(run, nodes):
    """The ledger refuses the one too many, who gets a seat in the next tournament."""
    slow, ledger, _ = nodes.node()
    registrar, *_ = nodes.node()
    late, *accounts = nodes.accounts(run, 4)
    run(registrar.register(accounts[0]))
    ledger.held = True
    entering = slow.register(late)
    nodes.clock.advance(HOLD_MS / 1000)
    for account in accounts[1:]:
        assert run(registrar.register(account)).tournament == "six.1"
    ledger.held = False
    ledger.let_one()
    assert run(entering) == Registration(tournament="six.2", full=False)
    assert nodes.players(run) == {"six.1": tuple(accounts), "six.2": (late,)}
    assert nodes.shown() == ({1: accounts, 2: [late]}, [])


def test_a_hold_that_was_taken_over_meets_the_ledger(run, nodes):
    """Where the late entry was booked first, who has its seat in the book goes on to the next tournament."""
    slow, ledger, _ = nodes.node()
    registrar, *_ = nodes.node()
    late, *accounts = nodes.accounts(run, 4)
    for account in accounts[:2]:
        run(registrar.register(account))
    ledger.held = True
    slow.register(late).addErrback(lambda _: None)
    _, work, _ = ledger.waiting.popleft()
    run(work())
    nodes.clock.advance(HOLD_MS / 1000)
    assert run(registrar.register(accounts[2])).tournament == "six.2"
    assert nodes.shown() == ({1: [*accounts[:2], late], 2: [accounts[2]]}, [])


@pytest.mark.parametrize("once", [False, True])
def test_the_book_that_changes_while_the_ledger_is_read_is_not_overwritten(run, nodes, once):
    """An account that has left in between does not come back by an old reading; a periodic look reads no other."""
    registrar, *_ = nodes.node()
    looking, ledger, _ = nodes.node()
    (alice,) = nodes.accounts(run, 1)
    run(registrar.register(alice))
    ledger.held = True
    look = looking.look()
    assert ledger.let_one() == "last_number"
    assert ledger.let_one() == "tournaments"
    run(look)
    look = looking.look(once=once)
    ledger.let_one()
    name, work, answer = ledger.waiting.popleft()
    old = work()
    run(registrar.unregister(alice))
    old.chainDeferred(answer)
    again = [] if once else [ledger.let_one(), ledger.let_one()]
    assert again == ([] if once else ["last_number", "tournaments"])
    assert run(look) == []
    assert name == "tournaments"
    assert nodes.shown() == ({1: []}, [])


@pytest.mark.parametrize("what", ["started", "returned"])
def test_a_book_that_says_too_much_keeps_nobody_out(run, nodes, node, what):
    """The ledger is asked before an account is told that it has entered."""
    registrar, *_ = node
    alice, *others = nodes.accounts(run, 3)
    for account in (alice, *others):
        run(registrar.register(account))
    if what == "returned":
        run(nodes.store.return_entry("six.1", alice, 1))
    else:
        run(nodes.store.take_table(owned_as("six.1"), "n1", 0))
        run(nodes.store.start_tournament("six.1", 1, [alice, *others], 1_500))
    assert nodes.shown()[0] == {1: [alice, *others]}
    assert run(registrar.register(alice)).tournament == ("six.1" if what == "returned" else "six.2")


def test_a_book_that_names_an_old_entry_does_not_keep_anybody_in(run, nodes, node):
    """The entry that the ledger has is the one that is returned."""
    registrar, *_ = node
    (alice,) = nodes.accounts(run, 1)
    run(registrar.register(alice))
    run(nodes.store.return_entry("six.1", alice, 1))
    run(nodes.store.enter("six.1", alice, 2))
    assert run(registrar.unregister(alice)) == "six.1"
    assert run(nodes.store.wallet(alice)) == 1_000
    assert nodes.shown() == ({1: []}, [])


def test_an_entry_that_the_book_does_not_have_is_returned(run, nodes, node):
    """Its node died before it confirmed the seat: the book is put right, and looked into again."""
    registrar, *_ = node
    alice, bob = nodes.accounts(run, 2)
    run(registrar.register(alice))
    run(registrar.register(bob))
    run(nodes.store.enter("six.1", run(nodes.store.create_account("c", "hash", 1_000)).account, 1))
    nodes.books["six"] = RegistrationBook(next=2)
    assert run(registrar.unregister(alice)) == "six.1"
    assert run(nodes.store.wallet(alice)) == 1_000
    assert len(nodes.shown()[0][1]) == 2


def test_the_lobby_sees_the_book(run, nodes, node):
    """Made from the ledger where there is none."""
    registrar, *_ = node
    (alice,) = nodes.accounts(run, 1)
    assert run(registrar.book()).tournaments == ()
    run(registrar.register(alice))
    nodes.books.clear()
    (one,) = run(registrar.book()).tournaments
    assert [*one.confirmed] == [alice]
