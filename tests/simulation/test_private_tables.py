"""Private tables in simulated rooms: hosts open what is offered, and players that were not let in are found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pokerroom.gateway.passwords import Passwords
from pokerroom.ledger.hosted_tables import HostedGuest, HostedLimits, HostedTableRow
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ops.config_hosting import HostingConfig, HostingOffer
from pokerroom.simulation.checks.private_tables import PrivateTableChecker
from pokerroom.simulation.checks.violation import Kind
from pokerroom.simulation.faults import ALL, NONE
from pokerroom.simulation.run import run
from pokerroom.simulation.scenario import scenario
from pokerroom.simulation.settings import checked_offer, private_settings
from pokerroom_protocol import messages as wire
from pokerroom_protocol._hosting import EXAMPLE_VIEW
from tests.effort import part
from tests.simulation.planted import plant

BOUNDED = 82
"""A small room with hosts, where the operator offers less than there is."""
HANDS = 20
TABLE = "host:7k2mq0xw94"


def test_hosts_open_what_the_operator_offers(monkeypatch: pytest.MonkeyPatch) -> None:
    """They ask for more, and are refused; with every fault no other table is opened."""
    asked: set[bool] = set()

    def heard(real: Any, *args: Any, **named: Any) -> Any:
        field = real(*args, **named)
        asked.add(field is None)
        return field

    assert scenario(BOUNDED).config.hosting != HostingConfig()
    plant(monkeypatch, HostingOffer, "refused_field", heard)
    assert run(BOUNDED, HANDS, ALL).violations == ()
    assert asked == {True, False}


def anything(_real: Any, _offer: HostingOffer, *_args: Any, **_named: Any) -> None:
    """Offer all games, stakes and seats."""


def any_number(real: Any, ledger: MemoryLedger, *args: Any, **named: Any) -> Any:
    """Let an account host as many tables as it likes."""
    return real(ledger, *args[:4], HostedLimits(per_account=100, in_room=100), **named)


@pytest.mark.parametrize(
    ("owner", "name", "bug", "seeds"),
    [
        (HostingOffer, "refused_field", anything, (64, 127)),
        (MemoryLedger, "open_hosted_table", any_number, (50, 18, 40)),
    ],
)
def test_what_no_host_may_open_is_found(
    monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, bug: Any, seeds: tuple[int, ...]
) -> None:
    """A table that is not offered, and one too many."""
    plant(monkeypatch, owner, name, bug)
    assert first_found(seeds) == {Kind.HOSTING}


def first_found(seeds: tuple[int, ...]) -> set[Kind]:
    """The promises found broken at the first seed where any is."""
    outcomes = (run(seed, HANDS, NONE).violations for seed in seeds)
    return {one.kind for one in next((violations for violations in outcomes if violations), ())}


def test_a_player_with_a_wrong_code_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ledger lets an account with a wrong code in to any table."""
    codes: list[str] = []

    def opened(real: Any, ledger: MemoryLedger, *args: Any, **named: Any) -> Any:
        codes.append(args[3])
        return real(ledger, *args, **named)

    def joined(real: Any, ledger: MemoryLedger, code: str, *args: Any) -> Any:
        return real(ledger, code if code in codes or not codes else codes[-1], *args)

    plant(monkeypatch, MemoryLedger, "open_hosted_table", opened)
    plant(monkeypatch, MemoryLedger, "join_hosted_table", joined)
    assert first_found((27, 48, 20)) == {Kind.HOSTING}


def test_a_player_with_a_wrong_password_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The room takes every password of a table that has one."""

    async def fits(
        _real: Any, _passwords: Passwords, _client: Any, stored: str | None, _password: str
    ) -> bool:
        return stored is not None

    plant(monkeypatch, Passwords, "fits", fits)
    assert first_found((27,)) == {Kind.HOSTING}


def test_people_come_by_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hosts set, change and remove them; with every fault only who knows the present one gets in."""
    asked: Counter[str] = Counter()

    def booked(
        real: Any, checker: PrivateTableChecker, name: str, args: tuple[Any, ...], result: Any
    ) -> None:
        asked[f"{name} {args[2] is None}" if name == "set_table_password" else name] += 1
        real(checker, name, args, result)

    plant(monkeypatch, PrivateTableChecker, "booked", booked)
    for seed in part((27, 75, 11), 3):  # the first has all that is asked for
        assert run(seed, HANDS, ALL).violations == ()
    assert not {"set_table_password True", "set_table_password False", "enter_hosted_table"} - set(asked)


def table(**changes: Any) -> HostedTableRow:
    """A table of account 1 with the code of its link."""
    row = HostedTableRow(
        table=TABLE,
        host=1,
        host_name="ann",
        terms={},
        code="first",
        paused=False,
        approves=False,
        closing=False,
        version=1,
        guests={},
    )
    return replace(row, **changes)


def known(blamed: list[str]) -> PrivateTableChecker:
    """A checker that knows the table, with account 2 as a guest."""
    checker = PrivateTableChecker(lambda *said: blamed.append(said[3]), checked_offer(scenario(0).config))
    terms = private_settings(TABLE, {"small_blind": 50})
    checker.opened(TABLE, 1, "first", terms)
    checker.booked("join_hosted_table", ("first", 2), table(guests={2: HostedGuest(name="bob")}))
    return checker


def test_who_is_let_in_may_see_and_play() -> None:
    """Host and guest, also with a new link, a password and a new host; a removed guest sees the hand in progress."""
    blamed: list[str] = []
    checker = known(blamed)
    checker.booked("change_hosted_table", (TABLE, 1, "new_link", "second"), table(code="second"))
    checker.booked("join_hosted_table", ("second", 3), table())
    checker.booked("give_host", (TABLE, 1, "bob"), table(host=2))
    checker.asked(wire.SetTablePassword(id=1, table=TABLE, password="of the host"))
    checker.booked("set_table_password", (TABLE, 2, "hash"), table())
    checker.booked("enter_hosted_table", (TABLE, "hash", 4), table())
    told = wire.HostedTable(re=2, hosted=EXAMPLE_VIEW)
    checker.answered(wire.EnterTable(id=2, table=TABLE, password="of the host"), told)
    for account in (1, 2, 3, 4):
        checker.seen(TABLE, account)
        checker.booked("buy_in", (f"key {account}", TABLE, 1, 1, account, 5_000, 1), None)
    checker.booked("remove_guest", (TABLE, 2, "carol"), table(guests={1: HostedGuest(), 4: HostedGuest()}))
    checker.seen(TABLE, 3)
    assert blamed == []


@pytest.mark.parametrize(
    "happens",
    [
        lambda checker: checker.booked("join_hosted_table", ("second", 3), table()),
        lambda checker: checker.booked("buy_in", ("key", TABLE, 1, 1, 3, 5_000, 1), None),
        lambda checker: checker.seen(TABLE, 3),
        lambda checker: checker.seen(TABLE, None),
        lambda checker: (
            checker.booked("remove_guest", (TABLE, 1, "bob"), table()),
            checker.booked("join_hosted_table", ("first", 2), table()),
        ),
        lambda checker: checker.booked("enter_hosted_table", (TABLE, "hash", 3), table()),
        lambda checker: (
            checker.booked("set_table_password", (TABLE, 1, "hash"), table()),
            checker.booked("set_table_password", (TABLE, 1, "other"), table()),
            checker.booked("enter_hosted_table", (TABLE, "hash", 3), table()),
        ),
        lambda checker: (
            checker.booked("set_table_password", (TABLE, 1, "hash"), table()),
            checker.booked("remove_guest", (TABLE, 1, "bob"), table()),
            checker.booked("enter_hosted_table", (TABLE, "hash", 2), table()),
        ),
        lambda checker: (
            checker.asked(wire.SetTablePassword(id=1, table=TABLE, password="of the host")),
            checker.answered(
                wire.EnterTable(id=2, table=TABLE, password="of a stranger"),
                wire.HostedTable(re=2, hosted=EXAMPLE_VIEW),
            ),
        ),
        lambda checker: (
            checker.booked("change_hosted_table", (TABLE, 1, "new_link", "second"), table(code="second")),
            checker.booked("join_hosted_table", ("first", 3), table()),
        ),
    ],
)
def test_a_player_that_was_not_let_in_is_found(happens: Callable[[PrivateTableChecker], object]) -> None:
    """By a wrong code or password, a void one, after a removal, and without any."""
    blamed: list[str] = []
    happens(known(blamed))
    assert len(blamed) == 1
