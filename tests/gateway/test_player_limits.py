"""What protects players from playing too much, over whole sessions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pokerroom.gateway.session import Sessions
from pokerroom.ledger.limits import INCREASE_S, LIMITS
from pokerroom_protocol import messages as wire
from tests.gateway.session_parties import Counting, made_sessions, player
from tests.lobby.support import Cardroom
from tests.poker.support import now


@pytest.fixture
def room() -> Iterator[Cardroom]:
    room = Cardroom()
    yield room
    room.stop()


@pytest.fixture
def sessions(room: Cardroom) -> Sessions:
    return made_sessions(room, Counting())


def limit(answer: wire.Limits, name: str) -> wire.LimitView:
    return next(each for each in answer.limits if each.limit == name)


# --- limits


def test_limits_are_set_and_told(sessions):
    """All of them, with what is used; less holds at once, more waits, and the present value withdraws it."""
    anna = player(sessions, "anna")
    told = anna.ask(wire.GetLimits)
    assert [each.limit for each in told.limits] == [f"{kind}_{period}" for kind, period in LIMITS]
    assert {(each.value, each.cap, each.used) for each in told.limits} == {(None, None, 0)}
    assert limit(anna.ask(wire.SetLimit, limit="loss_week", value=500), "loss_week").value == 500
    waits = limit(anna.ask(wire.SetLimit, limit="loss_week", value=700), "loss_week")
    assert (waits.value, waits.wanted) == (500, 700)
    assert waits.wanted_from_ms is not None
    withdrawn = limit(anna.ask(wire.SetLimit, limit="loss_week", value=500), "loss_week")
    assert (withdrawn.wanted, withdrawn.wanted_from_ms) == (None, None)


def test_an_increase_is_confirmed_a_day_later(sessions, room):
    """Until then the lower one holds."""
    anna = player(sessions, "anna")
    anna.ask(wire.SetLimit, limit="session_day", value=3_600)
    anna.ask(wire.SetLimit, limit="session_day")
    room.clock.advance(INCREASE_S)
    assert limit(anna.ask(wire.GetLimits), "session_day").value == 3_600
    assert limit(anna.ask(wire.SetLimit, limit="session_day"), "session_day").value is None


def test_a_deposit_beyond_a_limit_is_refused_with_what_is_left(sessions, room):
    """The limit, the rest of it, and when its window ends; the operator's cap as well as the player's."""
    anna = player(sessions, "anna")
    now(room.world.ledger.open_source("cash"))
    now(room.world.ledger.set_limit_caps({("deposit", "month"): 900}))
    anna.ask(wire.SetLimit, limit="deposit_month", value=1_000)
    anna.ask(wire.RequestDeposit, key="key-0001", amount=600, source="cash")
    refused = anna.ask(wire.RequestDeposit, key="key-0002", amount=301, source="cash")
    view = limit(anna.ask(wire.GetLimits), "deposit_month")
    assert (view.value, view.cap, view.used) == (1_000, 900, 600)
    assert isinstance(refused, wire.Error)
    assert (refused.code, refused.limit, refused.amount, refused.until_ms) == (
        "limit_reached",
        "deposit_month",
        300,
        view.ends_ms,
    )
