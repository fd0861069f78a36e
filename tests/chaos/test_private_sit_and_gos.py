"""The checks over private sit-and-gos find what is planted, and nothing in an honest ledger."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.chaos.private_sit_and_gos import Promised, check_sit_and_gos
from tests.chaos.records import Books, Transfer
from tests.chaos.tickets import check_tickets
from tests.chaos.tournaments import Played, check_tournaments, tournament_of_key

ACCOUNTS = {"ann": 7, "bob": 8, "cec": 9, "eve": 10}
HOSTS = {"private:a.1": 7, "private:b.1": 8}
PROMISED = {
    "private:a.1": Promised(host="ann", ending="started", players=("ann", "bob")),
    "private:b.1": Promised(host="bob", ending="cancelled", players=("bob", "cec")),
}
PLAYED = Played(
    tournament="private:a.1",
    phase="finished",
    seats=4,
    buy_in=500,
    fee=0,
    prizes=(650, 350),
    players=(7, 8),
    places=((1, 1, 8, 650, 5), (2, 2, 7, 350, 6)),
    starts=True,
    players_min=2,
    entries=2,
)
CANCELLED = replace(PLAYED, tournament="private:b.1", phase="cancelled", players=(), places=())
OF_THE_ROOM = replace(PLAYED, tournament="six.1", players=(9, 10))


def blamed(promised=PROMISED, played=(PLAYED, CANCELLED, OF_THE_ROOM), hosts=HOSTS) -> list[tuple[str, str]]:
    lines: list[tuple[str, str]] = []
    check_sit_and_gos(
        promised, played, hosts, ACCOUNTS, lambda check, table, _hand, _line: lines.append((check, table))
    )
    return lines


def test_honest_evenings_have_nothing_to_blame():
    """One was played by its players, one cancelled; those of the room are of no concern."""
    assert blamed() == []


@pytest.mark.parametrize(
    ("changed", "check"),
    [
        ({"phase": "cancelled", "players": ()}, "C8"),
        ({"phase": "running"}, "C8"),
        ({"players": (7, 10)}, "C5"),
        ({"players": (7, 8, 10)}, "C5"),
        ({"players": (7,)}, "C5"),
    ],
)
def test_another_end_or_other_players_are_found(changed, check):
    """A start that was told is kept; an entry that was acknowledged is there, and no other."""
    planted = (replace(PLAYED, **changed), CANCELLED)
    assert blamed(played=planted) == [(check, "private:a.1")]


def test_a_cancelled_one_that_was_played_is_found():
    """The host was told that all buy-ins go back."""
    planted = (PLAYED, replace(CANCELLED, phase="finished", players=(8, 9)))
    assert blamed(played=planted) == [("C8", "private:b.1")]


def test_another_host_is_found():
    """It stays that of the player who opened it."""
    assert blamed(hosts=HOSTS | {"private:a.1": 8}) == [("C4", "private:a.1")]


def test_one_that_is_left_or_lost_is_found():
    """One that no circle has played, one without a row of its host, and one that is gone."""
    assert blamed(promised={"private:a.1": PROMISED["private:a.1"]}) == [("C8", "private:b.1")]
    assert blamed(hosts={"private:a.1": 7}) == [("C4", "private:b.1")]
    assert blamed(played=(PLAYED,)) == [("C4", "private:b.1")]


def money(*prizes: int) -> list[str]:
    """What the checks of all tournaments say of one that has paid these prizes."""
    legs = [
        *((f"entry:{one}:1", "entry", f"wallet:{one}", "escrow:private:a.1", 500) for one in (7, 8)),
        *(
            (f"place:{n}", "prize", "escrow:private:a.1", f"wallet:{one}", prize)
            for n, (one, prize) in enumerate(zip((8, 7), prizes, strict=True), 1)
        ),
    ]
    transfers = tuple(
        Transfer(
            number=number,
            key=f"sng:private:a.1:{key}",
            kind=kind,
            committed_s=0.0,
            legs=((payer, -moved), (payee, moved)),
        )
        for number, (key, kind, payer, payee, moved) in enumerate(legs, 1)
    )
    books = Books(transfers=transfers, hands=(), balances={"fees": 0}, writes=(), names={})
    lines: list[str] = []
    for check in (check_tournaments, lambda *given: check_tickets([], *given)):
        check([PLAYED], books, lambda _check, _table, _hand, line: lines.append(line))
    return lines


def test_its_money_is_checked_as_that_of_any_tournament():
    """The colon in its id is no part of the keys of its transfers."""
    assert tournament_of_key("sng:private:a.1:entry:7:1") == "private:a.1"
    assert tournament_of_key("sng:six.1:start") == "six.1"
    assert money(650, 350) == []
    assert "prizes: 999 moved, 1000 due" in money(650, 349)
