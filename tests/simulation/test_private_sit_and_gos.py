"""Private sit-and-gos in simulated rooms: they are played with every fault, and what is wrong is found."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from pokerroom.ledger.memory import hosted_sit_and_gos
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.memory.tournament_state import MemoryTournament
from pokerroom.ledger.transfers import wallet_code
from pokerroom.lobby.hosted_tables import HostedTableRegistry
from pokerroom.simulation.checks.club_sit_and_gos import ClubSitAndGoChecker
from pokerroom.simulation.checks.private_sit_and_gos import PrivateSitAndGoChecker
from pokerroom.simulation.checks.violation import Kind
from pokerroom.simulation.faults import ALL, NONE
from pokerroom.simulation.run import run
from pokerroom_protocol import messages as wire
from pokerroom_protocol._private_sit_and_gos import EXAMPLE_SIT_AND_GO
from tests.effort import part
from tests.simulation.planted import paid_too_much, plant
from tests.simulation.test_private_tables import table

GAME = "private_sit_and_go"
NAME = "private:7k2mq0xw94.1"


def first_found(*seeds: int) -> set[Kind]:
    """The promises found broken at the first seed where any is."""
    outcomes = (run(seed, 10, NONE, game=GAME).violations for seed in seeds)
    return {one.kind for one in next((violations for violations in outcomes if violations), ())}


def test_they_are_played_with_every_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hosts start, cancel and change links; some fill; and the uninvited are refused."""
    seen: Counter[str] = Counter()

    def booked(real: Any, checker: PrivateSitAndGoChecker, name: str, args: Any, result: Any) -> None:
        seen[f"{name} {args[2]}" if name == "change_hosted_sit_and_go" else name] += 1
        real(checker, name, args, result)

    plant(monkeypatch, PrivateSitAndGoChecker, "booked", booked)
    for seed in part((7, 18, 13), 2):  # the first and the last have all that is asked for
        assert run(seed, 15, ALL, game=GAME).violations == ()
    assert seen["give_places"] > 2
    assert seen["change_hosted_sit_and_go start"]
    assert seen["change_hosted_sit_and_go new_link"]
    assert seen["cancel_tournament"]
    assert seen["remove_guest"]


def test_those_of_clubs_are_played_with_every_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """Members come to them, enter and leave; prizes and returned entries come to their balances."""
    seen: Counter[str] = Counter()

    def moved(real: Any, checker: ClubSitAndGoChecker, its: Any, name: str, args: Any) -> None:
        seen[name] += 1
        real(checker, its, name, args)

    plant(monkeypatch, ClubSitAndGoChecker, "_moved_in", moved)  # private: it hears every call
    for seed in (14, 20, 21):
        assert run(seed, 15, ALL, game=GAME).violations == ()
    assert seen["enter"] > 10
    assert {"return_entry", "cancel_tournament", "give_places", "pay_place"} <= seen.keys()


def test_an_entry_from_the_wallet_to_one_of_a_club_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """And prizes that go there: the ledger's own sums are right, the balances of the members are not."""
    monkeypatch.setattr(MemoryTournament, "purse", lambda _its, account: wallet_code(account))
    assert first_found(1, 2, 4) == {Kind.CHIPS}


def everyone(_real: Any, *_args: Any) -> bool:
    return True


def test_one_who_was_not_invited_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the room nor the ledger asks for the link."""
    plant(monkeypatch, HostedTableRegistry, "admits", everyone)
    monkeypatch.setattr(hosted_sit_and_gos, "is_private", lambda _tournament: False)
    assert first_found(1, 2, 3, 4) == {Kind.HOSTING}


def test_one_who_only_looks_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The room answers what the ledger would refuse."""
    plant(monkeypatch, HostedTableRegistry, "admits", everyone)
    assert first_found(1, 2, 3, 4) == {Kind.HOSTING}


def test_a_prize_too_large_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The winner gets more than the entries brought."""
    plant(monkeypatch, MemoryLedger, "pay_place", paid_too_much)
    assert Kind.CHIPS in first_found(1, 2)


def known(blamed: list[str]) -> PrivateSitAndGoChecker:
    """A checker that knows a sit-and-go of account 1, with account 2 as a guest."""
    checker = PrivateSitAndGoChecker(lambda *said: blamed.append(said[3]))
    row = replace(table(), tournament=NAME)
    checker.booked("open_hosted_sit_and_go", (1, None, {}, "first", None), row)
    checker.booked("join_hosted_table", ("first", 2, ""), row)
    return checker


def test_those_who_were_let_in_may_see_and_enter() -> None:
    blamed: list[str] = []
    checker = known(blamed)
    row = replace(table(), tournament=NAME, code="second")
    checker.booked("change_hosted_sit_and_go", ("host:7k2mq0xw94", 1, "new_link", "second"), row)
    checker.booked("join_hosted_table", ("second", 3, ""), row)
    for account in (1, 2, 3):
        checker.booked("enter", (NAME, account, 1), False)
        checker.answered(account, wire.PrivateSitAndGo(re=1, sit_and_go=EXAMPLE_SIT_AND_GO))
    checker.booked("remove_guest", ("host:7k2mq0xw94", 1, "bob", ""), row)
    checker.booked("enter", (NAME, 2, 1), False)  # said again
    checker.booked("enter", ("sunday.1", 4, 1), False)
    checker.answered(4, wire.Tournaments(re=1, tournaments=[]))
    assert blamed == []


@pytest.mark.parametrize(
    "happens",
    [
        lambda checker, row: checker.booked("enter", (NAME, 3, 1), False),
        lambda checker, row: checker.booked("join_hosted_table", ("second", 3, ""), row),
        lambda checker, row: checker.booked(
            "change_hosted_sit_and_go", ("host:7k2mq0xw94", 2, "start", ""), row
        ),
        lambda checker, row: checker.answered(3, wire.PrivateSitAndGo(re=1, sit_and_go=EXAMPLE_SIT_AND_GO)),
        lambda checker, row: (
            checker.booked("remove_guest", ("host:7k2mq0xw94", 1, "bob", ""), row),
            checker.booked("enter", (NAME, 2, 1), False),
        ),
        lambda checker, row: (
            checker.booked("remove_guest", ("host:7k2mq0xw94", 1, "bob", ""), row),
            checker.booked("join_hosted_table", ("first", 2, ""), row),
        ),
    ],
)
def test_those_who_were_not_are_found(happens: Any) -> None:
    """Without the link, by a void one, by an order of a guest, and one that was removed."""
    blamed: list[str] = []
    happens(known(blamed), replace(table(), tournament=NAME))
    assert len(blamed) == 1
