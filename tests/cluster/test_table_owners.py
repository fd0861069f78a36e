"""Which node owns each table, by the directory, by announcements, and by the tables of this node."""

from types import SimpleNamespace

from pokerroom.cluster.table_owners import TableOwners


def make(**local: int) -> TableOwners:
    """The view of node `a`, which lives with `b` and `c`; `local` are its tables with their epochs."""
    owners = TableOwners("a", {name: SimpleNamespace(epoch=epoch) for name, epoch in local.items()})
    owners.living(["a", "b", "c"])
    return owners


def test_the_directory_names_the_owner():
    """A change is yielded once."""
    owners = make()
    owners.placed({"t1": "b"})
    assert list(owners.changes()) == [("t1", "b")]
    assert list(owners.changes()) == []
    assert dict(owners) == {"t1": "b"}
    owners.placed({})
    assert list(owners.changes()) == [("t1", None)]
    assert "t1" not in owners


def test_an_announcement_is_faster_than_the_directory():
    """It holds until the directory says the same; a later directory entry counts from then on."""
    owners = make()
    owners.placed({"t1": "b"})
    owners.announced("c", "t1", 2)
    assert list(owners.changes()) == [("t1", "c")]
    owners.placed({"t1": "c"})
    owners.placed({"t1": "b"})
    assert list(owners.changes()) == [("t1", "b")]


def test_an_announcement_of_an_earlier_epoch_is_late():
    """It changes nothing, whether a node announced a later epoch or the table lives here under one."""
    owners = make(t2=5)
    owners.announced("c", "t1", 3)
    owners.announced("b", "t1", 2)
    owners.announced("b", "t2", 5)
    assert dict(owners.changes()) == {"t1": "c", "t2": "a"}


def test_a_node_that_does_not_live_owns_nothing():
    """Neither by the directory nor by its announcement."""
    owners = make()
    owners.placed({"t1": "b"})
    owners.announced("c", "t2", 1)
    list(owners.changes())
    owners.living(["a"])
    assert dict(owners.changes()) == {"t1": None, "t2": None}


def test_a_table_that_was_given_up_has_no_owner_before_the_directory_knows():
    """Its entry in the directory may still name this node."""
    local = {"t1": SimpleNamespace(epoch=1)}
    owners = TableOwners("a", local)
    owners.placed({"t1": "a"})
    assert dict(owners.changes()) == {"t1": "a"}
    del local["t1"]
    owners.detached("t1")
    assert dict(owners.changes()) == {"t1": None}


def test_announcements_are_forgotten_after_a_loss():
    """A later announcement may have been lost: the directory decides."""
    owners = make()
    owners.placed({"t1": "b"})
    owners.announced("c", "t1", 2)
    list(owners.changes())
    owners.forget_announcements()
    assert dict(owners.changes()) == {"t1": "b"}
