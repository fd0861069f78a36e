"""`pokerroom cashier`: the operator's commands for deposits and withdrawals.

They work beside a running room or without one: the ledger decides each request once, whichever command or node asks.
A command that moves money has a key. If its outcome stays unknown the key is printed: the command can be repeated with
it, and the money moves once.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Final, Protocol, TypeVar

import click
from twisted.internet.defer import Deferred

from pokerroom.chips import Money, in_credits
from pokerroom.ledger.adjustments import Adjustment, AdjustmentLedger, AdjustmentRow
from pokerroom.ledger.api import AccountRow, LedgerRefusal, LedgerUnavailable
from pokerroom.ledger.cashier import CashDecided, CashierLedger, CashKind, CashRequest, CashRow, SourceEmpty
from pokerroom.ledger.operator_log import Acting, first_line, refusal_line
from pokerroom.ledger.tickets import TICKET_DAYS, TICKET_DAYS_MAX, TicketGift, TicketLedger, TicketRow
from pokerroom.ops.operator_client import (
    JSON_OPTION,
    REASON_OPTION,
    CommandLedger,
    OnLedger,
    acting,
    ended,
    print_json,
    print_rows,
    running_verb,
)

T = TypeVar("T")

OPERATOR_WAITING_MAX: Final = 1_000_000
"""A request of the operator is decided at once: the limit on pending requests of an account does not apply to it."""
LISTED_MAX: Final = 1_000


class OperatorLedger(CashierLedger, AdjustmentLedger, TicketLedger, CommandLedger, Protocol):
    """What the commands need of the ledger."""

    def find_account(self, name: str) -> Deferred[AccountRow | None]:
        """See `Ledger.find_account`."""


class AmountType(click.ParamType):  # type: ignore[type-arg, unused-ignore] # newer clicks
    """An amount in credits, such as `12` or `12.50`, converted to the smallest unit; `signed`: also `-12`."""

    name = "credits"

    def __init__(self, *, signed: bool = False) -> None:
        self._signed = signed

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Money:
        """Converts `value`. Fails unless it is an amount of at least one unit."""
        try:
            units = Decimal(str(value)) * 100
        except InvalidOperation:
            self.fail(f"{value} is not an amount in credits.", param, ctx)
        size = abs(units) if self._signed else units
        if not units.is_finite() or units != units.to_integral_value() or not 1 <= size <= 10**15:
            self.fail(f"{value} is not an amount of at least 0.01 with at most two decimals.", param, ctx)
        return Money(int(units))


_REFUSALS = LedgerRefusal, CashDecided, LookupError, ValueError
_SOURCE = click.option(
    "--source", required=True, help="An open source. `pokerroom cashier sources` lists them."
)
_KEY = click.option("--key", help="The key of an earlier command to repeat. [default: a new key]")
_NOTE = click.option("--note", default="", help="A text for the player, at most 200 characters.")


def cashier_commands(  # noqa: C901, PLR0915 -- one function per command
    on_ledger: OnLedger[OperatorLedger],
) -> click.Group:
    """The group of commands."""

    def asked(
        work: Callable[[OperatorLedger], Awaitable[T]],
        key: str | None = None,
        by: Acting | None = None,
    ) -> T:
        async def repeatable(ledger: OperatorLedger) -> T:
            with _repeatable(key):
                try:
                    return await work(ledger)
                except _REFUSALS as refused:
                    if by is not None:
                        with suppress(LedgerUnavailable):
                            await ledger.record_rarely(refusal_line(by, running_verb(), refused))
                    raise

        try:
            return on_ledger(repeatable)
        except _REFUSALS as refused:
            ended(1, f"refused: {first_line(refused)}")

    @click.group("cashier")
    def group() -> None:
        """Manage deposits, withdrawals, and sources of money.

        Amounts are in credits, with at most two decimals.
        """

    @group.command("sources")
    @JSON_OPTION
    def sources_command(*, as_json: bool) -> None:
        """List the sources and how much each holds."""
        acting(on_ledger)
        rows = asked(lambda ledger: ledger.sources())
        print_rows(
            rows,
            ("source", "state", "holds"),
            lambda row: (row.source, "open" if row.is_open else "closed", in_credits(row.balance)),
            as_json=as_json,
        )

    @group.command("open")
    @click.argument("source")
    @REASON_OPTION
    def open_command(source: str, reason: str) -> None:
        """Open a source, so that players may name it in requests."""
        by = acting(on_ledger, reason)
        asked(lambda ledger: ledger.open_source(source, by=by), by=by)
        click.echo(f"{source} is open")

    @group.command("close")
    @click.argument("source")
    @REASON_OPTION
    def close_command(source: str, reason: str) -> None:
        """Close a source to new requests. Pending ones can still be decided."""
        by = acting(on_ledger, reason)
        asked(lambda ledger: ledger.close_source(source, by=by), by=by)
        click.echo(f"{source} is closed")

    @group.command("fund")
    @click.argument("source")
    @click.argument("amount", type=AmountType())
    @_KEY
    @REASON_OPTION
    def fund_command(source: str, amount: Money, key: str | None, reason: str) -> None:
        """Move money from the room's bank into a source, for deposits."""
        chosen, by = key or _new_key(), acting(on_ledger, reason)
        asked(lambda ledger: ledger.fund_source(chosen, source, amount, by=by), chosen, by)
        click.echo(f"{source} received {in_credits(amount)} (key {chosen})")

    @group.command("list")
    @click.option("--all", "everything", is_flag=True, help="Include decided requests.")
    @click.option("--account", "name", help="Only requests of this player.")
    @JSON_OPTION
    def list_command(*, everything: bool, name: str | None, as_json: bool) -> None:
        """List pending requests, the newest first."""
        acting(on_ledger)

        async def found(ledger: OperatorLedger) -> Sequence[CashRow]:
            account = None if name is None else await _account(ledger, name)
            return await ledger.cash_requests(account, not everything, LISTED_MAX)

        rows = asked(found)
        print_rows(
            rows,
            ("number", "player", "kind", "amount", "source", "state", "asked", "note"),
            lambda row: (
                row.number,
                row.name,
                row.request.kind,
                in_credits(row.request.amount),
                row.request.source,
                row.state,
                f"{datetime.fromtimestamp(row.asked_ms / 1000, UTC):%Y-%m-%d %H:%M:%S}",
                row.note,
            ),
            as_json=as_json,
        )

    def decide(number: int, note: str, reason: str, *, approve: bool, as_json: bool) -> None:
        by = acting(on_ledger, reason)

        async def decided(ledger: OperatorLedger) -> CashRow:
            return await ledger.decide_cash(number, approve=approve, note=note, by=by)

        _print_row(asked(decided, by=by), as_json=as_json)

    @group.command("approve")
    @click.argument("number", type=int)
    @_NOTE
    @REASON_OPTION
    @JSON_OPTION
    def approve_command(number: int, note: str, reason: str, *, as_json: bool) -> None:
        """Approve a request and move its money."""
        decide(number, note, reason, approve=True, as_json=as_json)

    @group.command("refuse")
    @click.argument("number", type=int)
    @_NOTE
    @REASON_OPTION
    @JSON_OPTION
    def refuse_command(number: int, note: str, reason: str, *, as_json: bool) -> None:
        """Refuse a request. Money held for a withdrawal returns to the wallet."""
        decide(number, note, reason, approve=False, as_json=as_json)

    def move(
        kind: CashKind,
        *,
        player: str,
        amount: Money,
        source: str,
        key: str | None,
        reason: str,
        as_json: bool,
    ) -> None:
        chosen, by = key or _new_key(), acting(on_ledger, reason)

        async def moved(ledger: OperatorLedger) -> CashRow:
            account = await _account(ledger, player)
            request = CashRequest(account=account, key=chosen, kind=kind, amount=amount, source=source)
            row = await ledger.request_cash(request, OPERATOR_WAITING_MAX, by=by)
            try:
                return await ledger.decide_cash(row.number, approve=True, note="", by=by)
            except SourceEmpty:
                note = "the source was empty"
                await ledger.decide_cash(row.number, approve=False, note=note, by=by)
                raise

        _print_row(asked(moved, chosen, by), as_json=as_json)

    def moving(command: Callable[..., None]) -> Callable[..., None]:
        """Add what both commands take that move money at once."""
        taken = click.argument("player"), click.argument("amount", type=AmountType())
        for option in reversed((*taken, _SOURCE, _KEY, REASON_OPTION, JSON_OPTION)):
            command = option(command)
        return command

    @group.command("deposit")
    @moving
    def deposit_command(**taken: Any) -> None:
        """Pay money into a player's wallet at once."""
        move("deposit", **taken)

    @group.command("withdraw")
    @moving
    def withdraw_command(**taken: Any) -> None:
        """Pay money out of a player's wallet at once."""
        move("withdrawal", **taken)

    @group.command("adjust", context_settings={"ignore_unknown_options": True})  # a negative amount is none
    @click.argument("player")
    @click.argument("amount", type=AmountType(signed=True))
    @click.option("--reason", required=True, help="Why, for the operators' log.")
    @_SOURCE
    @_KEY
    @JSON_OPTION
    def adjust_command(
        player: str,
        amount: Money,
        reason: str,
        source: str,
        key: str | None,
        *,
        as_json: bool,
    ) -> None:
        """Put a balance right: move AMOUNT from a source to a player's wallet; a negative one goes back.

        With four_eyes in the settings it is a proposal, which another operator approves within a day.
        """
        chosen, by = key or _new_key(), acting(on_ledger, reason)

        async def adjusted(ledger: OperatorLedger) -> AdjustmentRow:
            account = await _account(ledger, player)
            adjustment = Adjustment(account=account, key=chosen, amount=amount, source=source)
            return await ledger.adjust(adjustment, by=by)

        _print_adjustment(asked(adjusted, chosen, by), as_json=as_json)

    @group.command("tickets")
    @click.argument("player")
    @JSON_OPTION
    def tickets_command(player: str, *, as_json: bool) -> None:
        """List a player's unused tickets for tournaments, the first to expire first."""
        acting(on_ledger)

        async def found(ledger: OperatorLedger) -> list[TicketRow]:
            return await ledger.tickets(await _account(ledger, player))

        rows = asked(found)
        print_rows(
            rows,
            ("number", "offer", "value", "source"),
            lambda row: (row.number, row.offer, in_credits(row.value), row.source or "won"),
            as_json=as_json,
        )

    @group.command("give-ticket")
    @click.argument("player")
    @click.argument("offer")
    @click.option(
        "--days",
        default=TICKET_DAYS,
        type=click.IntRange(1, TICKET_DAYS_MAX),
        show_default=True,
        help="Days until it expires.",
    )
    @_SOURCE
    @_KEY
    @REASON_OPTION
    @JSON_OPTION
    def give_ticket_command(
        player: str, reason: str, key: str | None, *, as_json: bool, **taken: Any
    ) -> None:
        """Give a player a ticket for a tournament of OFFER, worth its buy-in, from a source."""
        chosen, by = key or _new_key(), acting(on_ledger, reason)

        async def given(ledger: OperatorLedger) -> TicketRow:
            account = await _account(ledger, player)
            gift = TicketGift(account=account, key=chosen, **taken)
            return await ledger.give_ticket(gift, by=by)

        row = asked(given, chosen, by)
        if as_json:
            print_json(row)
        else:
            click.echo(
                f"ticket {row.number} for {row.offer}, worth {in_credits(row.value)} (key {chosen}): given"
            )

    @group.command("end-ticket")
    @click.argument("number", type=int)
    @REASON_OPTION
    def end_ticket_command(number: int, reason: str) -> None:
        """Take an unused ticket back: its value goes to its source, or to the wallet of the player that has won it."""
        by = acting(on_ledger, reason)
        asked(lambda ledger: ledger.end_ticket(number, by=by), None, by)
        click.echo(f"ticket {number}: ended")

    @group.command("adjustments")
    @click.option("--all", "everything", is_flag=True, help="Include those that are decided or expired.")
    @JSON_OPTION
    def adjustments_command(*, everything: bool, as_json: bool) -> None:
        """List the adjustments that wait for another operator, the newest first."""
        acting(on_ledger)
        rows = asked(lambda ledger: ledger.adjustments(not everything, LISTED_MAX))
        print_rows(
            rows,
            ("number", "player", "amount", "source", "state", "by", "decided by", "reason"),
            lambda row: (
                *(row.number, row.name, in_credits(row.adjustment.amount), row.adjustment.source),
                *(row.state, row.proposed_by, row.decided_by or "", row.reason),
            ),
            as_json=as_json,
        )

    def decide_adjustment(number: int, reason: str, *, approve: bool, as_json: bool) -> None:
        by = acting(on_ledger, reason)
        decision = asked(
            lambda ledger: ledger.decide_adjustment(number, approve=approve, by=by),
            by=by,
        )
        _print_adjustment(decision, as_json=as_json)

    @group.command("approve-adjustment")
    @click.argument("number", type=int)
    @REASON_OPTION
    @JSON_OPTION
    def approve_adjustment_command(number: int, reason: str, *, as_json: bool) -> None:
        """Approve an adjustment that another operator has proposed, and move its money."""
        decide_adjustment(number, reason, approve=True, as_json=as_json)

    @group.command("refuse-adjustment")
    @click.argument("number", type=int)
    @REASON_OPTION
    @JSON_OPTION
    def refuse_adjustment_command(number: int, reason: str, *, as_json: bool) -> None:
        """Refuse an adjustment that waits, also one of your own."""
        decide_adjustment(number, reason, approve=False, as_json=as_json)

    return group


def _new_key() -> str:
    return f"op-{secrets.token_hex(8)}"


@contextmanager
def _repeatable(key: str | None) -> Iterator[None]:
    """Print the key of a command with an unknown outcome."""
    try:
        yield
    except LedgerUnavailable:
        if key is not None:
            click.echo(f"The outcome is unknown. Repeat the command with --key {key}.", err=True)
        raise


async def _account(ledger: OperatorLedger, name: str) -> int:
    found = await ledger.find_account(name)
    if found is None:
        raise LookupError(f"there is no account {name}")
    return found.account


def _print_row(row: CashRow, *, as_json: bool) -> None:
    if as_json:
        print_json(row)
        return
    request = row.request
    click.echo(
        f"{request.kind} {row.number} of {in_credits(request.amount)} for {row.name} ({request.source}, key"
        f" {request.key}): {row.state}"
    )


def _print_adjustment(row: AdjustmentRow, *, as_json: bool) -> None:
    if as_json:
        print_json(row)
        return
    adjustment = row.adjustment
    click.echo(
        f"adjustment {row.number} of {in_credits(adjustment.amount)} for {row.name} ({adjustment.source}, key"
        f" {adjustment.key}): {row.state}"
    )
    if row.state == "proposed":
        click.echo(f"another operator approves it: pokerroom cashier approve-adjustment {row.number}")
