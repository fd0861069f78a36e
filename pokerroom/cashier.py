"""`pokerroom cashier`: the operator's side of deposits and withdrawals, over the ledger itself.

It works beside a running room or without one: the ledger decides each request once, whoever asks. What a command asks
for has a key, printed where the outcome stays unknown, under which it can be asked again.
"""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
import msgspec

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerRefusal, LedgerUnavailable
from pokerroom.ledger.cashier import CashDecided, CashKind, CashRequest, CashRow, SourceEmpty
from pokerroom.ops.operator_client import print_json, print_table

if TYPE_CHECKING:  # the other commands start faster without it
    from pokerroom.ledger.postgres import PostgresLedger

T = TypeVar("T")

Database = Callable[[], AbstractContextManager[str]]
"""The address of the ledger's database for a command. What the operator can mend it tells, and exits with 2."""

OPERATOR_WAITING_MAX: Final = 1_000_000
"""What the operator asks for himself is decided at once: the limit of an account's own requests is none for him."""
LISTED_MAX: Final = 1_000


class AmountType(click.ParamType):  # type: ignore[type-arg, unused-ignore] # newer clicks
    """Credits, as `12` or `12.50`, read into the smallest unit."""

    name = "credits"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Money:
        """Fails for what is no amount of at least one unit."""
        try:
            units = Decimal(str(value)) * 100
        except InvalidOperation:
            self.fail(f"{value} is no amount of credits", param, ctx)
        if not units.is_finite() or units != units.to_integral_value() or not 1 <= units <= 10**15:
            self.fail(f"{value} is no amount of credits with at most two decimals, from 0.01", param, ctx)
        return Money(int(units))


_SOURCE = click.option("--source", required=True, help="An open source; see `pokerroom cashier sources`.")
_KEY = click.option("--key", help="To ask again for what was asked with this key. [default: a new one]")
_NOTE = click.option("--note", default="", help="What the player is told, at most 200 characters.")
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def cashier_commands(database: Database) -> click.Group:  # noqa: C901, PLR0915 -- one function per command
    """The group of commands, on the ledger that `database` finds."""

    def asked(
        work: Callable[[PostgresLedger, asyncio.AbstractEventLoop], Awaitable[T]], key: str | None = None
    ) -> T:
        async def ask(url: str) -> T:
            from pokerroom.ledger.postgres import PostgresLedger  # noqa: PLC0415 -- as above

            loop = asyncio.get_running_loop()
            ledger = PostgresLedger(url)
            await ledger.open().asFuture(loop)
            try:
                return await work(ledger, loop)
            finally:
                await ledger.close().asFuture(loop)

        with database() as url:
            try:
                with _repeatable(key):
                    return asyncio.run(ask(url))
            except (LedgerRefusal, CashDecided, LookupError, ValueError) as refused:
                click.echo(f"refused: {_sentence(refused)}", err=True)
                sys.exit(1)

    @click.group("cashier")
    def group() -> None:
        """Let money into wallets and out of them: sources, and requests of players.

        Amounts are in credits, with at most two decimals.
        """

    @group.command("sources")
    @_JSON
    def sources_command(*, as_json: bool) -> None:
        """Where money may come from, and how much."""
        rows = asked(lambda ledger, loop: ledger.sources().asFuture(loop))
        if as_json:
            print_json(rows)
            return
        states = {True: "open", False: "closed"}
        print_table(
            ("source", "state", "holds"),
            [(row.source, states[row.is_open], credits_of(row.balance)) for row in rows],
        )

    @group.command("open")
    @click.argument("source")
    def open_command(source: str) -> None:
        """Open a source: players may name it in their requests."""
        asked(lambda ledger, loop: ledger.open_source(source).asFuture(loop))
        click.echo(f"{source} is open")

    @group.command("close")
    @click.argument("source")
    def close_command(source: str) -> None:
        """Take no new requests for a source; those that wait can be decided."""
        asked(lambda ledger, loop: ledger.close_source(source).asFuture(loop))
        click.echo(f"{source} is closed")

    @group.command("fund")
    @click.argument("source")
    @click.argument("amount", type=AmountType())
    @_KEY
    def fund_command(source: str, amount: Money, key: str | None) -> None:
        """Let so much more come in by a source: it is taken from the room's bank."""
        chosen = key or _new_key()
        asked(lambda ledger, loop: ledger.fund_source(chosen, source, amount).asFuture(loop), chosen)
        click.echo(f"{source} was given {credits_of(amount)} (key {chosen})")

    @group.command("list")
    @click.option("--all", "everything", is_flag=True, help="Those that are decided, too.")
    @click.option("--account", "name", help="Of this player alone.")
    @_JSON
    def list_command(*, everything: bool, name: str | None, as_json: bool) -> None:
        """The requests that wait, the newest first."""

        async def found(ledger: PostgresLedger, loop: asyncio.AbstractEventLoop) -> Sequence[CashRow]:
            account = None if name is None else await _account(ledger, loop, name)
            return await ledger.cash_requests(account, not everything, LISTED_MAX).asFuture(loop)

        rows = asked(found)
        if as_json:
            print_json(rows)
            return
        print_table(
            ("number", "player", "kind", "amount", "source", "state", "asked", "note"),
            [
                (
                    row.number,
                    row.name,
                    row.request.kind,
                    credits_of(row.request.amount),
                    row.request.source,
                    row.state,
                    f"{datetime.fromtimestamp(row.asked_ms / 1000, UTC):%Y-%m-%d %H:%M:%S}",
                    row.note,
                )
                for row in rows
            ],
        )

    def decide(number: int, note: str, *, approve: bool, as_json: bool) -> None:
        _print_row(
            asked(lambda ledger, loop: ledger.decide_cash(number, approve=approve, note=note).asFuture(loop)),
            as_json=as_json,
        )

    @group.command("approve")
    @click.argument("number", type=int)
    @_NOTE
    @_JSON
    def approve_command(number: int, note: str, *, as_json: bool) -> None:
        """Approve a request: its money moves, once."""
        decide(number, note, approve=True, as_json=as_json)

    @group.command("refuse")
    @click.argument("number", type=int)
    @_NOTE
    @_JSON
    def refuse_command(number: int, note: str, *, as_json: bool) -> None:
        """Refuse a request; what was held for a withdrawal goes back to the wallet."""
        decide(number, note, approve=False, as_json=as_json)

    def move(
        kind: CashKind, name: str, amount: Money, source: str, key: str | None, *, as_json: bool
    ) -> None:
        chosen = key or _new_key()

        async def moved(ledger: PostgresLedger, loop: asyncio.AbstractEventLoop) -> CashRow:
            account = await _account(ledger, loop, name)
            request = CashRequest(account=account, key=chosen, kind=kind, amount=amount, source=source)
            row = await ledger.request_cash(request, OPERATOR_WAITING_MAX).asFuture(loop)
            try:
                return await ledger.decide_cash(row.number, approve=True, note="").asFuture(loop)
            except SourceEmpty:
                note = "the source was empty"
                await ledger.decide_cash(row.number, approve=False, note=note).asFuture(loop)
                raise

        _print_row(asked(moved, chosen), as_json=as_json)

    @group.command("deposit")
    @click.argument("player")
    @click.argument("amount", type=AmountType())
    @_SOURCE
    @_KEY
    @_JSON
    def deposit_command(player: str, amount: Money, source: str, key: str | None, *, as_json: bool) -> None:
        """Put money into a player's wallet, now."""
        move("deposit", player, amount, source, key, as_json=as_json)

    @group.command("withdraw")
    @click.argument("player")
    @click.argument("amount", type=AmountType())
    @_SOURCE
    @_KEY
    @_JSON
    def withdraw_command(player: str, amount: Money, source: str, key: str | None, *, as_json: bool) -> None:
        """Pay money out of a player's wallet, now."""
        move("withdrawal", player, amount, source, key, as_json=as_json)

    return group


def credits_of(amount: int) -> str:
    """An amount of the smallest unit as a person reads it."""
    return f"{amount // 100}.{amount % 100:02d}"


def _new_key() -> str:
    return f"op-{secrets.token_hex(8)}"


@contextmanager
def _repeatable(key: str | None) -> Iterator[None]:
    """Tells the key under which the same can be asked again, if it is not known what became of it."""
    try:
        yield
    except LedgerUnavailable:
        if key is not None:
            click.echo(f"perhaps it was done: ask again with --key {key}", err=True)
        raise


async def _account(ledger: PostgresLedger, loop: asyncio.AbstractEventLoop, name: str) -> int:
    found = await ledger.find_account(name).asFuture(loop)
    if found is None:
        raise LookupError(f"there is no account {name}")
    return found.account


def _sentence(refused: Exception) -> str:
    """The database adds where it was raised; the first line says what."""
    return str(refused).splitlines()[0] if str(refused) else type(refused).__name__


def _print_row(row: CashRow, *, as_json: bool) -> None:
    if as_json:
        click.echo(msgspec.json.encode(row))
        return
    request = row.request
    click.echo(
        f"{request.kind} {row.number} of {credits_of(request.amount)} for {row.name} ({request.source}, key"
        f" {request.key}): {row.state}"
    )
