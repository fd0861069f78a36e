"""What the terminal says: amounts, cards, seats and events as text. English; knows no screen."""

from __future__ import annotations

from typing import Final

from rich.markup import escape
from rich.table import Table
from rich.text import Text

from pokerroom_protocol import messages as m
from pokerroom_protocol.client import Unasked

_SUITS: Final = {
    "s": ("♠", "bold white"),
    "h": ("♥", "bold red"),
    "d": ("♦", "bold dodger_blue1"),
    "c": ("♣", "bold green3"),
}
_POSTS: Final = {
    "ante": "antes",
    "big_blind_ante": "antes for the table",
    "small_blind": "posts the small blind",
    "big_blind": "posts the big blind",
    "straddle": "straddles",
    "live_post": "posts",
    "dead_post": "posts dead",
}


def money(amount: int) -> str:
    """200 for 20000, 1.50 for 150."""
    return f"{amount // 100:,}" if amount % 100 == 0 else f"{amount // 100:,}.{amount % 100:02d}"


def parse_money(text: str) -> int | None:
    """What somebody typed, with a point or a comma; None where it is no amount."""
    whole, _, part = text.strip().replace(",", ".").partition(".")
    if not whole.isdecimal() or len(whole) > 10 or not (part == "" or (part.isdecimal() and len(part) <= 2)):
        return None
    return int(whole) * 100 + int(part.ljust(2, "0") or 0)


def cards(texts: list[str]) -> Text:
    """Cards side by side, in four colours."""
    shown = Text()
    for text in texts:
        symbol, style = _SUITS[text[1]]
        shown.append(f"{text[0].replace('T', '10')}{symbol} ", style)
    return shown


def pot(table: m.Snapshot) -> int:
    """All that is in the middle and in front of seats."""
    pots = 0 if table.hand is None else sum(each.amount for each in table.hand.pots)
    return pots + sum(seat.bet for seat in table.seats)


def felt(table: m.Snapshot, deeds: dict[int, str], seconds: int | None) -> Table:
    """The seats, one a line, yours first; `deeds` is what each did last, `seconds` what the turn has left."""
    lines = Table(expand=True, box=None, pad_edge=False)
    for column in ("", "seat", "player", "stack", "bet", "cards", ""):
        lines.add_column(column, justify="right" if column in {"stack", "bet"} else "left", no_wrap=True)
    hand = table.hand
    first = table.your_seat or 1
    for offset in range(table.info.seats):
        number = (first - 1 + offset) % table.info.seats + 1
        seat = next((each for each in table.seats if each.seat == number), None)
        if seat is None:
            lines.add_row("", str(number), Text("free", "dim"), "", "", "", "")
            continue
        turn = hand is not None and hand.turn is not None and hand.turn.seat == number
        mark = "▶" if turn else "D" if hand is not None and hand.button == number else ""
        name = Text(seat.name, "bold" if number == table.your_seat else "")
        if seat.bot:
            name.append(" bot", "dim cyan")
        shown = cards(seat.cards) if seat.cards else Text("▒▒ ▒▒" if seat.in_hand else "", "red")
        note = f"{seconds} s" if turn and seconds is not None else state_of(seat, deeds.get(number, ""))
        style = "" if seat.in_hand or hand is None else "dim"
        stack = "all-in" if seat.all_in else money(seat.stack)
        lines.add_row(
            Text(mark, "bold yellow"), str(number), name, stack, money(seat.bet) if seat.bet else "", shown, note,
            style=style,
        )  # fmt: skip
    return lines


def state_of(seat: m.SeatView, deed: str) -> str:
    """What there is to say of a seat: that it is away, or what it did last."""
    if not seat.connected:
        return "no line"
    if seat.status in {"sitting_out", "leaving"}:
        return seat.status.replace("_", " ")
    return deed or ("waiting" if seat.status == "waiting" and not seat.in_hand else "")


def deed_of(event: m.Acted) -> str:
    """A decision in a word or two."""
    if event.action == "clock_all_in":
        return "out of time"
    told = f"{event.action} {money(event.bet)}" if event.action in {"bet", "raise", "call"} else event.action
    return f"{told} (clock)" if event.by_clock else told


def told(event: Unasked, names: dict[int, str]) -> str | None:  # noqa: C901, PLR0912 -- one case per event
    """An event as a sentence with Rich's markup; None where nothing need be said."""
    match event:
        case m.SeatTaken():
            return f"{escape(event.name)} sits down with {money(event.stack)}"
        case m.SeatLeft():
            return f"{escape(event.name)} leaves"
        case m.HandStarted():
            return f"[dim]— hand {event.hand_id}, {escape(names.get(event.button, '?'))} has the button[/dim]"
        case m.Posted():
            return f"{escape(names.get(event.seat, '?'))} {_POSTS[event.kind]} {money(event.amount)}"
        case m.HoleCards() if event.cards:
            return f"your cards: {cards(event.cards).markup}"
        case m.Acted():
            return (
                f"{escape(names.get(event.seat, '?'))}: {deed_of(event)}{', all-in' if event.all_in else ''}"
            )
        case m.StreetDealt():
            return f"[bold]{event.street}[/bold] {cards(event.cards).markup}"
        case m.UncalledBet():
            return f"{money(event.amount)} back to {escape(names.get(event.seat, '?'))}"
        case m.Shown():
            rank = f", {event.rank.replace('_', ' ')}" if event.rank else ""
            return f"{escape(names.get(event.seat, '?'))} shows {cards(event.cards).markup}{rank}"
        case m.PotAwarded():
            shares = ", ".join(
                f"{escape(names.get(each.seat, '?'))} {money(each.amount)}" for each in event.shares
            )
            return f"[green]{'side pot' if event.pot else 'pot'}: {shares}[/green]"
        case m.HandEnded() if event.void:
            return "the hand is void: every stack is as before"
        case m.ChatSaid():
            return f"[cyan]{escape(event.name)}:[/cyan] {escape(event.text)}"
        case m.TableNotice():
            return f"[yellow]the table: {event.state}[/yellow]"
        case m.PreActCancelled():
            return "[yellow]your pre-action is void: the price has changed[/yellow]"
        case m.WaitEnded():
            return f"[yellow]you wait no longer: {event.reason.replace('_', ' ')}[/yellow]"
        case _:
            return None
