"""Which hands are turned up, and in which order (G)."""

from tests.referee.cards import best, kind
from tests.referee.case import Case
from tests.referee.decisions import end_street
from tests.referee.model import Step


def check_shown(case: Case, step: Step) -> None:
    """Judge a hand that is turned up or mucked."""
    betting = case.betting
    player = betting.players[step.seat]
    if case.first_showing is None:
        end_street(case)
        case.first_showing = betting.aggressor, len(case.board) == 5
    if player.folded:
        case.wrong("shown_folded", f"seat {step.seat} folded, and its hand is turned up")
    if step.seat in case.turned:
        case.wrong("shown_mucked", f"the hand of seat {step.seat} is turned up or mucked twice")
    if len(betting.live) < 2:
        case.wrong("shown_unasked", f"seat {step.seat} has won without a contest, and its hand is turned up")
    case.turned.append(step.seat)
    if step.what == "muck":
        case.mucked.add(step.seat)
        if step.cards:
            case.wrong("shown_mucked", f"seat {step.seat} mucks, and its cards are told: {step.cards}")
        return
    if len(step.cards) != case.hand.terms.hole_cards:
        case.wrong("card", f"seat {step.seat} shows {len(step.cards)} cards")
        return
    case.see(step.cards)
    case.shown[step.seat] = step.cards
    rank = kind(best(step.cards, case.board, case.hand.terms.game)) if len(case.board) == 5 else None
    if step.rank is not None and step.rank != rank:
        case.wrong("rank", f"seat {step.seat} shows {rank}, told as {step.rank}")


def check_showdown(case: Case) -> None:  # noqa: C901 -- one branch for each promise
    """Judge the showdown as a whole."""
    betting, live = case.betting, [player.seat for player in case.betting.live]
    if len(live) < 2:
        return
    silent = [seat for seat in live if seat not in case.turned]
    if silent:
        case.wrong("showdown", f"seats {silent} neither show nor muck")
        return
    aggressor, complete = case.first_showing or (None, True)
    all_in = any(player.all_in for player in betting.live)
    if not complete and betting.closed is False:
        case.wrong("shown_early", "hands are turned up while players can still bet")
    if all_in and case.mucked:
        if case.hand.terms.show_all_in is None:
            case.verdict.unchecked["mucked with a player all-in: a setting of the table"] += 1
        elif case.hand.terms.show_all_in:
            case.wrong("all_in_mucked", f"a player is all-in, and seats {sorted(case.mucked)} muck")
    if case.hand.show_order_unknown:
        case.verdict.unchecked[
            "order of showing: bets that only the clock's all-in could call are not told"
        ] += 1
        return
    firsts = [aggressor] if case.hand.shows_in_time else [aggressor, case.last_aggressor]
    orders = []
    for first in firsts:
        at = live.index(first) if first in live else 0
        orders.append(live[at:] + live[:at])
    if case.turned not in orders:
        case.wrong("show_order", f"hands are turned up by seats {case.turned}, the order is {orders[0]}")
    elif case.turned[0] in case.mucked:
        case.wrong("show_order", f"seat {case.turned[0]} shows first, and mucks")
