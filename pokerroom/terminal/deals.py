"""Deals at a final table: what each player would get, a proposal, and the answer to one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from textual.app import App

from pokerroom.terminal.amounts import CHIPS, CREDITS, in_credits
from pokerroom.terminal.dialogs import AmountDialog, AmountQuestion, ChoiceDialog, TextDialog
from pokerroom.terminal.ports import TableScreenPort
from pokerroom.terminal.texts import t
from pokerroom.terminal.tournaments import time_to_answer
from pokerroom_protocol import messages as m

KEY: Final = "d"

WIDE: Final = 61
"""Columns of a dialog; on a narrower screen the amounts of a player stand below the name."""

_KINDS: Final[Mapping[str, m.DealKind]] = {"i": "icm", "c": "chips"}


class _Screen(Protocol):
    """The screen of a table."""

    table: m.Snapshot

    @property
    def app(self) -> App[None]:
        """The application."""


async def about_deal(screen: _Screen, port: TableScreenPort) -> str | None:
    """Show the deal of a table, ask for an answer, or for a proposal. Return what to tell the player."""
    tournament = screen.table.tournament
    deal = None if tournament is None else tournament.deal
    if deal is None:
        return await _propose(screen, port)
    text = deal_text(deal, port.room_time_ms(), width=screen.app.size.width)
    if not awaits_answer(screen.table, deal) or deal.deal is None:
        await screen.app.push_screen_wait(TextDialog(t("deal.title"), text, KEY))
        return None
    choices = {"a": t("deal.accept"), "r": t("deal.refuse")}
    choice = await screen.app.push_screen_wait(ChoiceDialog(text, choices))
    if choice is not None:
        answer = m.AnswerDeal(id=0, table=screen.table.table, deal=deal.deal, accept=choice == "a")
        await port.asked(answer, m.Ok)
    return None


async def _propose(screen: _Screen, port: TableScreenPort) -> str | None:
    table = screen.table.table
    options = await port.asked(m.GetDeal(id=0, table=table), m.DealOptions)
    if options is None:
        return None
    shares = shares_text(options.shares, width=screen.app.size.width)
    text = "\n\n".join([t("deal.now"), shares, t("deal.kinds")])
    kinds = {key: t(f"deal.{kind}") for key, kind in _KINDS.items()}
    choice = await screen.app.push_screen_wait(ChoiceDialog(text, kinds))
    if choice is None:
        return None
    aside = options.least
    if options.most > options.least:
        question = AmountQuestion(
            title=t("deal.for_the_winner"),
            low=options.least,
            high=options.most,
            proposed=options.least,
            step=100,
            unit=CREDITS,
        )
        asked = await screen.app.push_screen_wait(AmountDialog(question))
        if asked is None:
            return None
        aside = asked.amount
    proposal = m.ProposeDeal(id=0, table=table, kind=_KINDS[choice], for_the_winner=aside)
    return t("deal.asked") if await port.asked(proposal, m.Ok) is not None else None


def awaits_answer(table: m.Snapshot, deal: m.DealView) -> bool:
    """Return whether the player has yet to answer an open deal."""
    own = next((share for share in deal.shares if share.seat == table.your_seat), None)
    return deal.deal is not None and own is not None and not own.accepted


def deal_text(deal: m.DealView, now_ms: float, *, width: int = WIDE) -> str:
    """Return the lines about a deal that is open or agreed: what it pays, what follows, and the time to answer."""
    key = "deal.agreed" if deal.deal is None else "deal.proposed"
    lines = [
        t(key, name=deal.proposer, kind=t(f"deal.{deal.kind}")),
        "",
        shares_text(deal.shares, width=width),
    ]
    if deal.deal is not None:
        lines += ["", t("deal.kinds")]
    aside = t("deal.aside", amount=in_credits(deal.for_the_winner)) if deal.for_the_winner else t("deal.ends")
    return "\n".join([*lines, "", aside, *time_to_answer(deal.until_ms, now_ms)])


def shares_text(shares: Sequence[m.DealShare], *, width: int = WIDE) -> str:
    """Return each player with chips, amount by ICM and amount by chips: a line, or two on a narrow screen."""
    heads = [t("deal.player"), t("deal.stack"), t("deal.icm"), t("deal.chips")]
    return "\n".join([_line(" ", heads, width), *(_line(*_cells(share), width) for share in shares)])


def _cells(share: m.DealShare) -> tuple[str, list[str]]:
    amounts = ["-" if amount is None else in_credits(amount) for amount in (share.icm, share.chips)]
    return "✓" if share.accepted else " ", [share.name, CHIPS.text(share.stack), *amounts]


def _line(mark: str, cells: Sequence[str], width: int) -> str:
    name, *amounts = cells
    told = "".join(f" {amount:>10}" for amount in amounts)
    is_long = len(told) > 33 or width < WIDE
    return f"{mark} {name}\n{told}" if is_long else f"{mark} {name:<20}{told}"


def deal_line(event: m.Event) -> str | None:
    """Return the log line of an event of a deal, or None."""
    match event:
        case m.DealOffered():
            return t("deal.offered", name=event.deal.proposer)
        case m.DealAccepted():
            return t("deal.accepted", name=event.name)
        case m.DealEnded():
            return t(f"deal_ended.{event.reason}", name=event.name or "")
        case _:
            return None
