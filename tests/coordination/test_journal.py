"""What both journals promise: order, whole flushes, and that a table's journal has one owner at a time."""

from __future__ import annotations

import pytest
from twisted.internet.defer import Deferred

from pokerroom.coordination.api import Sealed
from tests.coordination.support import turns, until


@pytest.fixture
def journal(shared, run):
    """A node's journal that has taken the tables a, b and a.b:c-1."""
    made = shared.journal(lambda table: pytest.fail(f"{table} was lost"))
    for table in ("a", "b", "a.b:c-1"):
        assert run(made.take(table, 1)) == []
    return made


def appended(journal, table, entry):
    """Fires when the entry is durable."""
    done = Deferred()
    journal.append(table, entry, lambda: done.callback(None))
    return done


def test_entries_are_kept_in_order_per_table(journal, run):
    """What was appended is found again, oldest first, table by table."""
    pending = [appended(journal, table, entry) for table, entry in (("a", b"1"), ("b", b"x"), ("a", b"2"))]
    for done in pending:
        run(done)
    run(appended(journal, "a", b"3"))

    assert run(journal.peek("a")) == [b"1", b"2", b"3"]
    assert run(journal.peek("b")) == [b"x"]
    assert run(journal.tables()) == ["a", "b"]
    assert run(journal.tables(but={"a", "c"})) == ["b"]


def test_durable_is_called_in_the_order_of_the_appends(journal, run):
    """A table may rely on its steps becoming durable in their order."""
    order = []
    for number in range(20):
        journal.append("a", b"%d" % number, lambda number=number: order.append(number))
    run(appended(journal, "a", b"last"))

    assert order == list(range(20))


def test_durable_is_never_called_within_append(journal, run):
    """The caller finishes its turn first."""
    called = []
    done = Deferred()

    journal.append("a", b"1", lambda: (called.append(1), done.callback(None)))

    assert called == []
    run(done)
    assert called == [1]


def test_a_forgotten_table_leaves_nothing_behind(journal, run):
    """After `forget` only later entries are found, and the table is told of only when there are any."""
    run(appended(journal, "a", b"old"))
    journal.forget("a")
    assert run(journal.entries("a")) == []
    assert run(journal.tables()) == []

    run(appended(journal, "a", b"new"))

    assert run(journal.peek("a")) == [b"new"]
    assert run(journal.tables()) == ["a"]


def test_the_beginning_of_a_hand_takes_the_place_of_what_was_before(journal, run):
    """After `begin` only its entry and later ones are found, and it is durable like any other."""
    run(appended(journal, "a", b"old"))
    done = Deferred()
    journal.append("a", b"old, too", lambda: None)
    journal.begin("a", b"deal", lambda: done.callback(None))
    journal.append("a", b"step", lambda: None)
    journal.append("b", b"other", lambda: None)
    run(done)

    assert run(journal.entries("a")) == [b"deal", b"step"]
    assert run(journal.entries("b")) == [b"other"]


def test_entries_are_read_with_all_that_was_appended_before(journal, run):
    """`entries` includes appends that are not durable yet when it is called."""
    journal.append("a", b"1", lambda: None)
    asked = journal.entries("a")
    journal.append("a", b"2", lambda: None)
    asked_again = journal.entries("a")

    assert run(asked)[:1] == [b"1"]
    assert run(asked_again) == [b"1", b"2"]
    assert run(journal.entries("b")) == []


def test_arbitrary_bytes_and_names_survive(journal, run):
    """Entries are opaque; names with dots, colons and hyphens do not collide."""
    entry = bytes(range(256))
    run(appended(journal, "a.b:c-1", entry))
    run(appended(journal, "a", b""))

    assert run(journal.peek("a.b:c-1")) == [entry]
    assert run(journal.peek("a")) == [b""]
    assert run(journal.tables()) == ["a", "a.b:c-1"]


def test_a_table_that_was_not_taken_is_no_nodes(journal):
    """To write for a table without having taken it is a fault of ours."""
    with pytest.raises(KeyError):
        journal.append("never taken", b"1", lambda: None)


# --- owners -----------------------------------------------------------------------------------------------------


def test_the_next_owner_finds_what_the_last_one_left(shared, journal, run):
    """A table that is taken comes with its entries, and goes on with them."""
    run(appended(journal, "a", b"1"))
    journal.append("a", b"2", lambda: None)
    run(journal.release("a"))

    after = shared.journal(pytest.fail)
    assert run(after.take("a", 2)) == [b"1", b"2"]
    run(appended(after, "a", b"3"))

    assert run(after.entries("a")) == [b"1", b"2", b"3"]
    with pytest.raises(KeyError):
        journal.append("a", b"4", lambda: None)


def test_what_an_earlier_owner_still_sends_is_refused(shared, run):
    """From `take` on nothing of the old owner is stored or reported as durable, and it is told once."""
    lost = []
    old = shared.journal(lost.append)
    run(old.take("a", 1))
    run(appended(old, "a", b"1"))

    new = shared.journal(pytest.fail)
    assert run(new.take("a", 2)) == [b"1"]
    for entry in (b"late", b"later"):
        old.append("a", entry, lambda: pytest.fail("called durable"))
    until(run, lambda: lost)
    for write in (old.append, old.begin):
        write("a", b"latest", lambda: pytest.fail("called durable"))
    old.forget("a")
    turns(run)
    run(appended(new, "a", b"2"))

    assert lost == ["a"]
    assert run(new.entries("a")) == [b"1", b"2"]


def test_an_owner_is_late_however_much_the_next_one_has_written(shared, run):
    """The new owner's entries may outnumber the old one's: what is refused is not taken for what was stored."""
    lost = []
    old, new = shared.journal(lost.append), shared.journal(pytest.fail)
    run(old.take("a", 1))
    run(appended(old, "a", b"0"))
    run(new.take("a", 2))
    for number in range(1, 6):
        run(appended(new, "a", b"%d" % number))
    old.append("a", b"late", lambda: pytest.fail("called durable"))
    until(run, lambda: lost)

    assert run(new.entries("a")) == [b"0", b"1", b"2", b"3", b"4", b"5"]


@pytest.mark.parametrize("call", ["begin", "forget"])
def test_nothing_that_an_earlier_owner_removes_is_gone(shared, run, call):
    """An old owner removes nothing either."""
    lost = []
    old, new = shared.journal(lost.append), shared.journal(pytest.fail)
    run(old.take("a", 1))
    run(appended(old, "a", b"1"))
    run(new.take("a", 2))
    run(appended(new, "a", b"2"))

    if call == "begin":
        old.begin("a", b"3", lambda: pytest.fail("called durable"))
    else:
        old.forget("a")
    until(run, lambda: lost)

    assert run(new.entries("a")) == [b"1", b"2"]


def test_a_lost_table_stops_alone(shared, run):
    """The other tables' entries of the same flush are stored and told, in their order."""
    lost, told = [], []
    old = shared.journal(lost.append)
    for table in ("a", "b", "c"):
        run(old.take(table, 1))
    run(shared.journal(pytest.fail).take("b", 2))

    for number in range(3):
        for table in ("a", "b", "c"):
            old.append(table, b"%d" % number, lambda step=(table, number): told.append(step))
    until(run, lambda: len(told) == 6 and lost)

    assert lost == ["b"]
    assert told == [(table, number) for number in range(3) for table in ("a", "c")]
    for table, entries in (("a", [b"0", b"1", b"2"]), ("b", []), ("c", [b"0", b"1", b"2"])):
        assert run(old.peek(table)) == entries


def test_a_node_that_waits_for_a_lost_table_is_told(shared, run):
    """`entries` and `release` fail with `Sealed`, whether they are asked before the loss is known or after."""
    lost = []
    old = shared.journal(lost.append)
    for table in ("a", "b"):
        run(old.take(table, 1))
        run(shared.journal(pytest.fail).take(table, 2))

    old.append("a", b"1", lambda: pytest.fail("called durable"))
    old.append("b", b"1", lambda: pytest.fail("called durable"))
    with pytest.raises(Sealed):
        run(old.entries("a"))
    with pytest.raises(Sealed):
        run(old.release("b"))
    with pytest.raises(Sealed):
        run(old.entries("a"))
    turns(run)

    assert sorted(lost) == ["a", "b"]


def test_a_smaller_epoch_takes_nothing(shared, run):
    """A caller with an older epoch is refused, and the owner continues."""
    owner = shared.journal(pytest.fail)
    run(owner.take("a", 3))
    run(appended(owner, "a", b"1"))

    with pytest.raises(Sealed):
        run(shared.journal(pytest.fail).take("a", 2))
    run(appended(owner, "a", b"2"))

    assert run(owner.entries("a")) == [b"1", b"2"]


def test_the_same_epoch_takes_again(shared, run):
    """Taking a table again with the same epoch is no error, and its entries go on counting."""
    owner = shared.journal(pytest.fail)
    run(owner.take("a", 1))
    run(appended(owner, "a", b"1"))

    assert run(owner.take("a", 1)) == [b"1"]
    run(appended(owner, "a", b"2"))

    assert run(owner.entries("a")) == [b"1", b"2"]


def test_a_node_that_lost_a_table_may_take_it_again(shared, run):
    """With a larger epoch everything is as with any other owner."""
    lost = []
    first, second = shared.journal(lost.append), shared.journal(lost.append)
    run(first.take("a", 1))
    run(second.take("a", 2))
    run(appended(second, "a", b"2"))
    first.append("a", b"x", lambda: pytest.fail("called durable"))
    until(run, lambda: lost == ["a"])

    assert run(first.take("a", 3)) == [b"2"]
    run(appended(first, "a", b"3"))
    second.append("a", b"x", lambda: pytest.fail("called durable"))
    until(run, lambda: lost == ["a", "a"])

    assert run(first.entries("a")) == [b"2", b"3"]


def test_an_onlooker_takes_nothing(shared, journal, run):
    """`peek` and `tables` show what stands there, and the owner goes on."""
    run(appended(journal, "a", b"1"))
    onlooker = shared.journal(pytest.fail)

    assert run(onlooker.peek("a")) == [b"1"]
    assert run(onlooker.tables()) == ["a"]
    assert run(onlooker.peek("unknown")) == []
    run(appended(journal, "a", b"2"))

    assert run(onlooker.peek("a")) == [b"1", b"2"]


def test_taking_a_table_alone_is_no_entry(shared, run):
    """Owners come and go without a hand, and leave nothing to be found."""
    for epoch in (1, 2, 3):
        assert run(shared.journal(pytest.fail).take("a", epoch)) == []

    assert run(shared.journal(pytest.fail).tables()) == []


def test_a_store_that_has_lost_everything_belongs_to_no_node(shared, run):
    """What was durable is gone, so the owner loses the table; taken again it is empty, and goes on."""
    lost = []
    owner = shared.journal(lost.append)
    run(owner.take("a", 1))
    run(owner.take("b", 1))
    run(appended(owner, "a", b"deal"))

    shared.lose_data()
    owner.append("a", b"step", lambda: pytest.fail("called durable"))
    until(run, lambda: lost == ["a"])
    owner.begin("b", b"deal", lambda: pytest.fail("called durable"))
    until(run, lambda: lost == ["a", "b"])

    assert run(owner.tables()) == []
    assert run(owner.take("a", 2)) == []
    run(appended(owner, "a", b"deal"))
    assert run(owner.entries("a")) == [b"deal"]
