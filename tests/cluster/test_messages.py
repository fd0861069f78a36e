"""What nodes say to each other: read back as it was written, and never printed."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from pokerroom.cluster import messages
from pokerroom.rules.events import PostKind
from pokerroom.rules.planned_hand import HandPlan, Positions, Post
from pokerroom.tournament.messages import DeskReport, TournamentStatus
from pokerroom_protocol import messages as wire

WAITER = messages.WaiterEntry(7, "t1", any_table=True, joined=1)
REPORT = DeskReport(
    table="six.1",
    number=1,
    seen=0,
    hands=2,
    stacks={7: 1_500},
    playing=False,
    level=0,
    plan=HandPlan(
        positions=Positions(button=2, small_blind=1, big_blind=2),
        order=(1, 2),
        posts={
            1: Post(ante=0, blind=10, blind_kind=PostKind.small_blind, dead=0),
            2: Post(ante=20, blind=20, blind_kind=PostKind.big_blind, dead=0),
        },
        last_blind=1,
        settled=frozenset({2}),
    ),
    taken=0,
    ready=True,
    away=[],
    frozen=False,
    held=False,
)
OF_ANOTHER_BUILD = msgspec.msgpack.encode([34, "tournament:six.1", {"type": "report", "table": "six.1"}])
EXAMPLES: list[messages.BusMessage] = [
    messages.ChannelOpened(
        1, "t1", 7, "anna", instance="tab", address_group="192.0.2.1", wants_pause=True, watches=False
    ),
    messages.ChannelRequest(1, wire.Act(id=3, table="t1", hand_id="h1", seq=9, action="raise", amount=400)),
    messages.ChannelsClosed([1, 2]),
    messages.ChannelsResumed(
        "t1",
        [
            messages.ChannelOpened(
                1, "t1", 7, "anna", instance="", address_group="192.0.2.1", wants_pause=False, watches=True
            )
        ],
    ),
    messages.Deliveries(
        [
            messages.Delivery([1, 2], b"\x00AsKs"),
            messages.Delivery([3], b"x", re=4, snapshot=True, watches=True),
        ]
    ),
    messages.TableAttached("t1", 3),
    messages.MessagesLost(),
    messages.DirectoryChanged(),
    messages.WaitlistRequested(7, "anna", wire.JoinWaitlist(id=1, table="t1", any_table=True)),
    messages.WaitersConnected([(7, "anna")], all=True),
    messages.WaiterDisconnected(7),
    messages.WaiterDelivery(7, b"x", None),
    messages.SeatEvent("seated", "t1", 7),
    messages.TableSeats("t1", 3, closing=False, seated=[7], held=[7, 8], offered=[(8, 2, 99)]),
    messages.SeatOfferRequested(1, "t1", 7),
    messages.SeatOfferWithdrawn("t1", 7),
    messages.SeatOfferAnswered(1, None, 0),
    messages.WaiterAdded(WAITER),
    messages.WaiterRemoved(WAITER),
    messages.WaiterList([WAITER]),
    messages.WaiterCounts({"t1": 2}),
    messages.AccountsArrived([(7, "tab", 1_700_000_000_000)]),
    messages.SessionsEnded(7, [1, 2]),
    messages.HostedTableChanged("host:7k2mq0xw94"),
    messages.LobbyRowChanges([messages.LobbyRowChange("t1", 3, 2, closing=False)]),
    messages.TimeoutsUsed([(7, "h1", 1_700_000_000_000)]),
    messages.AccountDelivery(7, b"x"),
    messages.TournamentMail("tournament:six.1", REPORT),
    messages.TournamentStatusChanges(
        [
            TournamentStatus(
                tournament="six.1",
                epoch=2,
                level=wire.LevelView(level=1, small_blind=10, big_blind=20, hands_left=3),
                paused=False,
                break_until_ms=None,
                hand_for_hand=True,
            )
        ]
    ),
]


def test_every_message_has_an_example():
    """A new one is tested, too."""
    assert {type(example) for example in EXAMPLES} == set(get_args(messages.AnyBusMessage))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: type(example).__name__)
def test_a_message_is_read_as_it_was_written(example):
    """All fields, and the same class."""
    assert messages.unpacked(messages.packed(example)) == example


@pytest.mark.parametrize("request_class", get_args(wire.TableRequest))
def test_what_clients_may_ask_of_tables_is_all_there(request_class):
    """Each of them is a message of the protocol that names a table."""
    assert issubclass(request_class, wire.Request)
    assert "table" in request_class.__struct_fields__


@pytest.mark.parametrize(
    "said", [b"", b"\x93\x63\x01\x02", b"\x92\x03\xa1x", b"not msgpack", OF_ANOTHER_BUILD]
)
def test_what_cannot_be_read_is_refused_without_being_quoted(said):
    """Nothing of it is in the error."""
    with pytest.raises(messages.UnreadableBusMessage) as refused:
        messages.unpacked(said)
    assert str(refused.value) in {"DecodeError", "ValidationError"}


def test_no_message_shows_what_is_in_it():
    """Cards may be."""
    assert [repr(example) for example in EXAMPLES] == [f"<{type(example).__name__}>" for example in EXAMPLES]
    assert repr(EXAMPLES[4].deliveries) == "[<Delivery>, <Delivery>]"
