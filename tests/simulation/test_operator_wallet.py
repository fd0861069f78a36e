"""The operator's wallet in simulated rooms: its faults neither lose nor double money, and a bug that does is found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_wallet import WalletDebit, WalletRow, WalletTransfer
from pokerroom.operator_wallet.client import WalletAnswer, WalletClient
from pokerroom.simulation.checks.operator_wallet import OperatorWalletChecker
from pokerroom.simulation.checks.violation import Kind
from pokerroom.simulation.faults import ALL, NONE
from pokerroom.simulation.run import run
from tests.simulation.planted import plant

SEED, REFUSES, CRASHES, AWAY = 60, 45, 15, 65
"""Small rooms with an operator's wallet. In one it refuses, in one the process dies, in one it is away at first."""
HANDS = 20


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Counter[tuple[str, str]]:
    """Kinds and states of the transfers at the end of each run."""
    counts: Counter[tuple[str, str]] = Counter()

    def finished(
        real: Any, checker: OperatorWalletChecker, rows: Sequence[WalletRow], held: Mapping[int, int]
    ) -> None:
        counts.update((row.kind, row.state) for row in rows)
        real(checker, rows, held)

    plant(monkeypatch, OperatorWalletChecker, "finished", finished)
    return counts


def test_faults_of_the_wallet_lose_and_double_nothing(seen: Counter[tuple[str, str]]) -> None:
    """With every fault: debits are done, refused and undone, what is left goes back, and the books agree."""
    for seed in (SEED, REFUSES):
        assert run(seed, HANDS, ALL).violations == ()
    assert seen.keys() == {
        ("debit", "done"),
        ("debit", "refused"),
        ("debit", "undone"),
        ("rollback", "done"),
        ("credit", "done"),
    }


@pytest.mark.slow
@pytest.mark.parametrize("game", ["holdem", "omaha", "sit_and_go", "mtt"])
@pytest.mark.parametrize("seed", [CRASHES, SEED])
def test_each_game_without_bets_from_the_account_may_have_a_wallet(
    seen: Counter[tuple[str, str]], game: str, seed: int
) -> None:
    """Buy-ins, entries, rebuys and prizes; processes die meanwhile."""
    outcome = run(seed, HANDS, ALL, game=game)
    assert outcome.violations == ()
    assert seen["debit", "done"]


def test_ultimate_has_no_wallet(seen: Counter[tuple[str, str]]) -> None:
    """It takes bets from the account, without a call."""
    assert run(SEED, 5, NONE, game="ultimate").violations == ()
    assert not seen


def test_a_run_with_a_wallet_is_the_same_again() -> None:
    """The server's faults follow from the seed, too."""
    first, again = run(SEED, 8, ALL), run(SEED, 8, ALL)
    assert (first.transcript, first.faults) == (again.transcript, again.faults)


async def no_rollback(real: Any, client: WalletClient, transfer: WalletTransfer) -> WalletAnswer:
    """Take a rollback for done without a call."""
    if transfer.kind == "rollback":
        return WalletAnswer(id=transfer.id, result="done")
    answer: WalletAnswer = await real(client, transfer)
    return answer


async def twice(real: Any, client: WalletClient, transfer: WalletTransfer) -> WalletAnswer:
    """Send a credit under another key, too."""
    if transfer.kind == "credit":
        await real(client, replace(transfer, id=f"{transfer.id}-again"))
    answer: WalletAnswer = await real(client, transfer)
    return answer


async def another_id(real: Any, client: WalletClient, debit: WalletDebit) -> WalletAnswer:
    """Try each debit under an id of its own."""
    tries = getattr(client, "tries", 0) + 1
    client.tries = tries  # type: ignore[attr-defined] # a note of the test
    answer: WalletAnswer = await real(client, replace(debit, id=f"{debit.id}-{tries}"))
    return answer


def late_answer(real: Any, ledger: MemoryLedger, debit: Any, end: str, why: str) -> Any:
    """Take a debit that has no firm answer for done."""
    return real(ledger, debit, "done" if end == "undone" else end, why)


def kept(real: Any, ledger: MemoryLedger, moving: Any) -> None:
    """Leave money of a credit in the account."""
    if moving.kind != "credit":
        real(ledger, moving)


@pytest.mark.parametrize(
    ("owner", "name", "bug", "seed"),
    [
        (WalletClient, "send", no_rollback, AWAY),
        (WalletClient, "send", twice, CRASHES),
        (WalletClient, "debit", another_id, CRASHES),
        (MemoryLedger, "_end_debit", late_answer, AWAY),
        (MemoryLedger, "_move_money", kept, CRASHES),
    ],
)
def test_money_of_the_wallet_that_goes_astray_is_found(
    monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, bug: Any, seed: int
) -> None:
    """A rollback that is not sent, a credit under two keys, and what the ledger books otherwise than the server."""
    plant(monkeypatch, owner, name, bug)
    found = run(seed, HANDS, ALL).violations
    assert found
    assert {one.kind for one in found} == {Kind.CHIPS}
    assert found[0].line.startswith("operator's wallet: ")


def row(kind: str, state: str, *, number: int = 1, undoes: int | None = None) -> WalletRow:
    """A transfer of 100 of the account 7."""
    return WalletRow(
        number=number,
        id=f"id-{number}",
        account=7,
        name="p7",
        kind=kind,  # type: ignore[arg-type] # one of the kinds
        amount=100,
        state=state,  # type: ignore[arg-type] # one of the states
        asked_ms=0,
        ended_ms=None,
        due_ms=0,
        tries=1,
        failure="",
        undoes=undoes,
    )


UNDONE = [row("debit", "undone"), row("rollback", "done", number=2, undoes=1)]
ASKED_BACK = [row("debit", "undone"), row("rollback", "asked", number=2, undoes=1)]


@pytest.mark.parametrize(
    ("rows", "moves", "right"),
    [
        ([row("debit", "asked")], [], True),
        ([row("debit", "asked")], ["debit"], True),
        ([row("debit", "asked")], ["debit", "debit"], False),
        ([row("debit", "done")], ["debit"], True),
        ([row("debit", "done")], [], False),
        ([row("debit", "done")], ["debit", "rollback"], False),
        ([row("debit", "refused")], [], True),
        ([row("debit", "refused")], ["debit"], False),
        (ASKED_BACK, ["debit"], True),
        (ASKED_BACK, ["debit", "rollback"], True),
        (UNDONE, [], True),
        (UNDONE, ["debit", "rollback"], True),
        (UNDONE, ["debit"], False),
        (UNDONE, ["rollback"], False),
        ([row("credit", "asked")], [], True),
        ([row("credit", "asked")], ["credit"], True),
        ([row("credit", "asked")], ["credit", "credit"], False),
        ([row("credit", "done")], ["credit"], True),
        ([row("credit", "done")], [], False),
        ([], ["debit"], False),
    ],
)
def test_the_checker_tells_what_server_and_room_may_say(
    rows: list[WalletRow], moves: list[str], *, right: bool
) -> None:
    """Each row allows some movements at the server, and no other ones."""
    found: list[str] = []
    checker = OperatorWalletChecker(lambda _kind, _table, _hand, line: found.append(line))
    checker.opened(7, "w-7", 1_000)
    for kind in moves:
        checker.moved("id-1", kind, "w-7", -100 if kind == "debit" else 100)
    checker.look(rows, {7: 0})
    assert bool(found) is not right
