"""The checks over tickets find what is planted, and nothing in an honest ledger."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.chaos.records import Books, Transfer
from tests.chaos.tickets import Ticket, check_tickets
from tests.chaos.tournaments import Played, check_tournaments

SATELLITE = Played(
    tournament="step.1",
    phase="finished",
    seats=100,
    buy_in=160,
    fee=20,
    prizes=(400, 400, 40),
    players=(5, 6, 7, 8, 9, 10),
    places=((1, 1, 5, 400, 1), (2, 1, 6, 400, 2), (3, 3, 7, 40, 3), *((n, n, n + 4, 0, None) for n in (4, 5, 6))),
    starts=True,
    players_min=4,
    entries=6,
    seat_value=400,
)  # fmt: skip
"""Accounts 5 and 6 have won a ticket: the one has entered with it, the other has given that entry back."""


def transfer(number: int, key: str, kind: str, *legs: tuple[str, int]) -> Transfer:
    return Transfer(number=number, key=f"sng:{key}", kind=kind, committed_s=0.0, legs=legs)


def entry(number: int, account: int) -> Transfer:
    return transfer(
        number, f"step.1:entry:{account}:1", "entry", (f"wallet:{account}", -160), ("escrow:step.1", 160)
    )


TRANSFERS = (
    transfer(1, "step.1:place:1", "prize", ("escrow:step.1", -400), ("tickets:5", 400)),
    transfer(2, "step.1:place:2", "prize", ("escrow:step.1", -400), ("tickets:6", 400)),
    transfer(3, "step.1:place:3", "prize", ("escrow:step.1", -40), ("wallet:7", 40)),
    transfer(4, "heads.1:entry:5:1", "entry", ("tickets:5", -400), ("escrow:heads.1", 400)),
    transfer(5, "heads.1:entry:6:1", "entry", ("tickets:6", -400), ("escrow:heads.1", 400)),
    transfer(6, "heads.1:return:6:1", "entry_return", ("escrow:heads.1", -400), ("tickets:6", 400)),
    transfer(7, "step.1:start", "fees", ("escrow:step.1", -120), ("fees", 120)),
    *(entry(3 + account, account) for account in range(5, 11)),
)
WON = Ticket(number=1, account=5, offer="heads", value=400, given=1, tournament="heads.1", entry=1)
BACK = Ticket(number=2, account=6, offer="heads", value=400, given=2)
BALANCES = {"tickets:5": 0, "tickets:6": 400, "escrow:step.1": 0, "fees": 120}


def blamed(
    tickets: tuple[Ticket, ...] = (WON, BACK),
    transfers: tuple[Transfer, ...] = TRANSFERS,
    played: Played = SATELLITE,
    **balances: int,
) -> list[str]:
    lines: list[str] = []
    found = {name.replace("_", ":"): amount for name, amount in balances.items()}
    books = Books(transfers=transfers, hands=(), balances=BALANCES | found, writes=(), names={})
    for check in (check_tournaments, lambda *given: check_tickets(tickets, *given)):
        check([played], books, lambda _check, _table, _hand, line: lines.append(line))
    return lines


def other(number: int, *legs: tuple[str, int]) -> tuple[Transfer, ...]:
    """The transfers, of which this one has other legs."""
    return tuple(replace(each, legs=legs) if each.number == number else each for each in TRANSFERS)


def test_tickets_that_add_up_have_nothing_to_blame():
    """And they are counted."""
    assert blamed() == []
    books = Books(transfers=TRANSFERS, hands=(), balances=BALANCES, writes=(), names={})
    assert check_tickets([WON, BACK], [SATELLITE], books, lambda *_: None) == {
        "tickets_won": 2,
        "tickets_used": 1,
        "tickets_unused": 1,
        "tickets_ended": 0,
    }


def test_a_player_with_a_ticket_may_get_money():
    """The second seat of the same player is worth its value."""
    money = other(2, ("escrow:step.1", -400), ("wallet:5", 400))
    places = (SATELLITE.places[0], (2, 1, 5, 400, 2), *SATELLITE.places[2:])
    honest = replace(SATELLITE, players=(5, 5, 7, 8, 9, 10), places=places)
    kept = [one for one in money if ":6:1" not in one.key or one.key.startswith("sng:step")]
    assert blamed((WON,), tuple(kept), honest, tickets_6=0) == []


@pytest.mark.parametrize(
    ("line", "planted"),
    [
        ("the seat of place 2 is no ticket", {"transfers": other(2, ("escrow:step.1", -400), ("wallet:6", 400))}),
        ("transfer 2 has given 2 tickets", {"tickets": (WON, BACK, replace(BACK, number=3))}),
        ("ticket 1 was not won for its value", {"tickets": (replace(WON, given=3), BACK)}),
        ("sng:step.1:place:2 moves the value of a ticket that is not there", {"tickets": (WON,)}),
        ("tickets:6 holds 0, its unused tickets are worth 400", {"tickets_6": 0}),
        ("0 tickets have paid entry 1 of account 5", {"tickets": (replace(WON, tournament=None, entry=None), BACK)}),
        ("2 tickets have paid entry 1 of account 5", {"tickets": (WON, replace(WON, number=3, given=2))}),
        (
            "a ticket has paid entry 1 of account 6, which does not count",
            {"tickets": (WON, replace(BACK, tournament="heads.1", entry=1))},
        ),
        ("ticket 2 has not ended once, for its value", {"tickets": (WON, replace(BACK, ended=3))}),
        ("place 2 with 400 is paid 1 times", {"transfers": other(2, ("escrow:step.1", -400), ("tickets:6", 300))}),
        ("prizes: 740 moved, 840 due", {"transfers": other(2, ("escrow:step.1", -400), ("tickets:6", 300))}),
    ],
)  # fmt: skip
def test_what_is_planted_is_found(line: str, planted: dict[str, Any]):
    """Each as what it is."""
    assert line in blamed(**planted)
