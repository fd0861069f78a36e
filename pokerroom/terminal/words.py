"""Texts: the log line of each event, stakes and states in words. It knows the protocol's messages only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from pokerroom.terminal.amounts import in_credits
from pokerroom_protocol import messages as m

SUITS: Final = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}
STRUCTURES: Final = {"no_limit": "no limit", "pot_limit": "pot limit", "fixed_limit": "limit"}
STATUSES: Final = {"waiting": "waits", "sitting_out": "sits out", "leaving": "leaves"}

_POSTED: Final = {
    "ante": "an ante",
    "big_blind_ante": "the table's ante",
    "small_blind": "the small blind",
    "big_blind": "the big blind",
    "straddle": "a straddle",
    "live_post": "a blind",
    "dead_post": "a dead blind",
}
_RANKS: Final = {"pair": "a pair", "straight": "a straight", "flush": "a flush", "full_house": "a full house"}
_WAIT_ENDED: Final = {
    "offer_lapsed": "you did not take the offered seat",
    "away": "you were disconnected for too long",
    "table_closed": "the table has closed",
}


def card(text: str) -> str:
    """Return `A♠` for `As`."""
    return text[:1].replace("T", "10") + SUITS.get(text[1:], text[1:])


def cards(texts: list[str]) -> str:
    """Return several cards, separated by spaces."""
    return " ".join(map(card, texts))


def stakes(info: m.TableInfo) -> str:
    """Return the stakes, as 0.50/1, with the antes."""
    low, high = info.small_blind, info.big_blind
    if info.small_bet is not None and info.big_bet is not None:
        low, high = info.small_bet, info.big_bet
    more = [f"ante {in_credits(ante)}" for ante in (info.ante, info.big_blind_ante) if ante]
    return ", ".join([f"{in_credits(low)}/{in_credits(high)}", *more])


def log_line(event: m.Event, names: Mapping[int, str]) -> str | None:  # noqa: C901, PLR0912 -- one case per event
    """Return the log line of an event; None if the table shows it. `names` are the players before the event."""

    def name(seat: int) -> str:
        return names.get(seat, f"seat {seat}")

    match event:
        case m.HandStarted():
            return f"── a hand begins, {name(event.button)} has the button ──"
        case m.Posted():
            return (
                f"{name(event.seat)} posts {_POSTED.get(event.kind, event.kind)}, {in_credits(event.amount)}"
            )
        case m.Acted():
            return _acted(event, name(event.seat))
        case m.StreetDealt():
            return f"{event.street}: {cards(event.cards)}"
        case m.UncalledBet():
            return f"{in_credits(event.amount)} returned to {name(event.seat)}"
        case m.Shown():
            rank = "" if event.rank is None else f", {_rank(event.rank)}"
            return f"{name(event.seat)} shows {cards(event.cards)}{rank}"
        case m.Mucked():
            return f"{name(event.seat)} mucks"
        case m.PotAwarded():
            pot = "the pot" if event.pot == 0 else f"side pot {event.pot}"
            return "\n".join(
                f"{name(share.seat)} wins {in_credits(share.amount)} of {pot}" for share in event.shares
            )
        case m.HandEnded():
            return "The hand is void. All stacks are as before it." if event.void else None
        case m.SeatTaken():
            return f"{event.name} sits down with {in_credits(event.stack)}"
        case m.SeatLeft():
            return f"{event.name} leaves"
        case m.ChatSaid():
            return f"{event.name}: {event.text}"
        case m.TableNotice():
            return event.message
        case _:
            return None


def wait_ended(event: m.WaitEnded, name: str) -> str:
    """Return why the player is no longer on the waiting list of this table."""
    return f"You are off the waiting list of {name}: {_WAIT_ENDED.get(event.reason, event.reason)}."


def _acted(event: m.Acted, name: str) -> str:
    what = {
        "fold": "folds",
        "check": "checks",
        "call": f"calls {in_credits(event.added)}",
        "bet": f"bets {in_credits(event.bet)}",
        "raise": f"raises to {in_credits(event.bet)}",
        "clock_all_in": "is all-in by the clock",
    }.get(event.action, event.action)
    all_in = ", all-in" if event.all_in and event.action != "clock_all_in" else ""
    return f"{name} {what}{all_in}{' (time)' if event.by_clock else ''}"


def _rank(rank: str) -> str:
    return _RANKS.get(rank, rank.replace("_", " "))
