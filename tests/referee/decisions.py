"""Turns and actions, street by street: whose turn, what is legal, and what comes back (C, D, E, F1)."""

from dataclasses import replace

from tests.referee.betting import BOARD_CARDS, STREETS
from tests.referee.case import Case
from tests.referee.model import Step, Turn
from tests.referee.pots import layers


def check_turn(case: Case, step: Step) -> None:
    """Judge who is asked, and what is offered."""
    asked = case.betting.actor(case.last)
    if step.seat != asked:
        case.wrong(
            "turn", f"seat {step.seat} is asked on the {case.betting.street}, it is the turn of {asked}"
        )
        return
    legal = case.betting.legal(step.seat)
    if step.turn is not None and step.turn != legal:
        case.wrong("legal_range", f"seat {step.seat} may {_told(step.turn)}, by the rules {_told(legal)}")


def check_act(case: Case, step: Step) -> None:
    """Judge an action."""
    betting = case.betting
    player = betting.players[step.seat]
    asked = betting.actor(case.last)
    while asked != step.seat and asked is not None and not case.hand.tells_clock and asked != case.last:
        betting.act(asked, "clock_all_in", 0)  # the source has no words for the clock (H3)
        case.last = asked
        asked = betting.actor(case.last)
    if asked != step.seat:
        case.wrong("turn", f"seat {step.seat} acts on the {betting.street}, it is the turn of {asked}")
    if step.kind == "check_or_call":
        step = replace(step, kind="check" if betting.legal(step.seat).check else "call")
    added = _added(case, step)
    reason = _illegal(case, step, added)
    if reason is not None:
        case.wrong(*reason)
    if added > player.stack or added < 0:
        case.wrong("stack", f"seat {step.seat} puts in {added} of {player.stack}")
    betting.act(step.seat, step.kind, added)
    case.last = step.seat
    case.last_aggressor = betting.aggressor
    if step.bet is not None and step.bet != player.bet:
        case.wrong("bet", f"the bet of seat {step.seat} is {player.bet}, told as {step.bet}")
    case.check_stack(step)


def _added(case: Case, step: Step) -> int:
    player = case.betting.players[step.seat]
    if step.amount is not None:
        return step.amount
    if step.kind in {"bet", "raise"}:
        return (step.bet or 0) - player.bet
    return case.betting.legal(step.seat).call_amount if step.kind == "call" else 0


def _illegal(case: Case, step: Step, added: int) -> tuple[str, str] | None:
    player, legal, seat = case.betting.players[step.seat], case.betting.legal(step.seat), f"seat {step.seat}"
    total = player.bet + added
    match step.kind:
        case "fold":
            return None if added == 0 else ("bet", f"{seat} folds and puts in {added}")
        case "clock_all_in":
            if added:
                return "bet", f"the clock puts in {added} of {seat}"
            return (
                None
                if player.live + player.dead
                else ("clock", f"{seat} is all-in by the clock with nothing")
            )
        case "check":
            return (
                None if legal.check and not added else ("check", f"{seat} checks facing {legal.call_amount}")
            )
        case "call":
            if legal.check or added != legal.call_amount:
                return "call", f"{seat} calls with {added}, a call is {legal.call_amount}"
            return None
    if legal.max_raise_to is None or legal.min_raise_to is None:
        return "raise_not_allowed", f"{seat} raises to {total}, and may not"
    if total < legal.min_raise_to:
        return "raise_too_small", f"{seat} raises to {total}, the smallest is {legal.min_raise_to}"
    if total > legal.max_raise_to:
        return "raise_too_large", f"{seat} raises to {total}, the largest is {legal.max_raise_to}"
    return None


def check_return(case: Case, step: Step) -> None:
    """Judge what comes back of a bet that was not matched (F1)."""
    end_street(case)
    excess = case.betting.excess()
    if (step.seat, step.amount) != excess:
        case.wrong("uncalled", f"{step.amount} come back to seat {step.seat}, unmatched is {excess}")
    case.betting.uncalled(step.seat, step.amount or 0)
    case.check_stack(step)


def end_street(case: Case) -> None:
    """The street is over: no player is left to be asked."""
    asked = case.betting.actor(case.last)
    while asked is not None and not case.hand.tells_clock and asked != case.last:
        case.betting.act(asked, "clock_all_in", 0)
        case.last, asked = asked, case.betting.actor(asked)
    if asked is not None:
        case.wrong("turn", f"the {case.betting.street} is over, and seat {asked} was not asked")


def check_street(case: Case, step: Step) -> None:
    """Judge the deal of a street, and the pots on it."""
    betting = case.betting
    end_street(case)
    following = STREETS[STREETS.index(betting.street) + 1] if betting.street != "river" else None
    if step.kind != following or len(step.cards) != BOARD_CARDS.get(step.kind, 0):
        case.wrong("street", f"after the {betting.street}: {step.kind} with {len(step.cards)} cards")
    if len(betting.live) < 2:
        case.wrong("street", f"a {step.kind} for one player")
    _excess_returned(case, f"before the {step.kind}")
    if step.pots is not None:
        pots = tuple((pot.amount, pot.seats) for pot in layers(betting.players.values()))
        if step.pots != pots:
            case.wrong("pot", f"on the {step.kind} the pots are {pots}, told as {step.pots}")
    case.see(step.cards)
    case.board += step.cards
    betting.next_street(step.kind)
    case.last = None


def _excess_returned(case: Case, when: str) -> None:
    excess = case.betting.excess()
    if excess is not None:
        seat, amount = excess
        if case.hand.tells_returns:
            case.wrong("uncalled", f"{amount} of seat {seat} were not matched, and did not come back {when}")
        case.betting.uncalled(seat, amount)


def end_betting(case: Case) -> None:
    """The betting of the hand is over: the board is complete where several players are in."""
    betting = case.betting
    end_street(case)
    _excess_returned(case, "at the end")
    if len(betting.live) > 1 and len(case.board) != 5:
        case.wrong("street", f"{len(betting.live)} players are in, and the board has {len(case.board)} cards")


def _told(turn: Turn) -> str:
    first = "check" if turn.check else f"call {turn.call_amount}"
    return f"{first}, raise to {turn.min_raise_to}..{turn.max_raise_to}"
