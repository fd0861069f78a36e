"""What nodes say to each other: read back as it was written, and never printed."""

from __future__ import annotations

from typing import get_args

import pytest

from pokerroom.cluster import messages as told
from pokerroom_protocol import messages as wire

WAITER = told.Waiter(7, "t1", any_table=True, joined=1)
EXAMPLES: list[told.Message] = [
    told.Opened(1, "t1", 7, "anna", wants_pause=True, watches=False),
    told.Asked(1, wire.Act(id=3, table="t1", hand_id="h1", seq=9, action="raise", amount=400)),
    told.Closed([1, 2]),
    told.Resumed("t1", [told.Opened(1, "t1", 7, "anna", wants_pause=False, watches=True)]),
    told.Told(
        [told.Delivery([1, 2], b"\x00AsKs"), told.Delivery([3], b"x", re=4, snapshot=True, watches=True)]
    ),
    told.Came("t1", 3),
    told.Missed(),
    told.News(),
    told.Wished(7, "anna", wire.JoinWaitlist(id=1, table="t1", any_table=True)),
    told.Present([(7, "anna")], all=True),
    told.Absent(7),
    told.WaiterTold(7, b"x", None),
    told.Noticed("seated", "t1", 7),
    told.Standing("t1", 3, closing=False, seated=[7], held=[7, 8], offered=[(8, 2, 99)]),
    told.Offer(1, "t1", 7),
    told.Withdrawn("t1", 7),
    told.Offered(1, None, 0),
    told.Entered(WAITER),
    told.Ended(WAITER),
    told.Waiters([WAITER]),
    told.Counts({"t1": 2}),
    told.Arrived([(7, 1_700_000_000_000)]),
    told.LobbyLines([told.LobbyLine("t1", 3, 2, closing=False)]),
    told.Protected([(7, "h1", 1_700_000_000_000)]),
    told.AccountTold(7, b"x"),
]


def test_every_message_has_an_example():
    """A new one is tested, too."""
    assert {type(example) for example in EXAMPLES} == set(get_args(told.AnyMessage))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: type(example).__name__)
def test_a_message_is_read_as_it_was_written(example):
    """All fields, and the same class."""
    assert told.unpacked(told.packed(example)) == example


@pytest.mark.parametrize("request_class", get_args(told.TableRequest))
def test_what_clients_may_ask_of_tables_is_all_there(request_class):
    """Each of them is a message of the protocol that names a table."""
    assert issubclass(request_class, wire.Request)
    assert "table" in request_class.__struct_fields__


@pytest.mark.parametrize("said", [b"", b"\x93\x63\x01\x02", b"\x92\x03\xa1x", b"not msgpack"])
def test_what_cannot_be_read_is_refused_without_being_quoted(said):
    """Nothing of it is in the error."""
    with pytest.raises(told.Unreadable) as refused:
        told.unpacked(said)
    assert str(refused.value) in {"DecodeError", "ValidationError"}


def test_no_message_shows_what_is_in_it():
    """Cards may be."""
    assert [repr(example) for example in EXAMPLES] == [f"<{type(example).__name__}>" for example in EXAMPLES]
    assert repr(EXAMPLES[4].deliveries) == "[<Delivery>, <Delivery>]"
