"""One whole hand against the rules: posts, turns, ranges, streets, showing, pots, shares, stacks.

`judge` takes a hand from any source and returns what is wrong, and what it could not check.
"""

from tests.referee.awards import check_pots, check_stacks, check_void
from tests.referee.case import Case, UncheckedError, Verdict
from tests.referee.decisions import check_act, check_return, check_street, check_turn, end_betting
from tests.referee.model import Hand
from tests.referee.posts import (
    check_before_betting,
    check_deal,
    check_owed,
    check_post,
    count_nominal,
    find_blinds,
)
from tests.referee.showing import check_showdown, check_shown


def judge(hand: Hand) -> Verdict:
    """Return what is wrong with a hand."""
    case = Case(hand)
    try:
        _hear(case)
    except UncheckedError as reason:
        case.verdict.unchecked[str(reason)] += 1
    except (KeyError, IndexError, ValueError) as error:
        case.wrong("unreadable", f"the hand cannot be followed: {type(error).__name__} {error}")
    return case.verdict


def _hear(case: Case) -> None:  # noqa: C901 -- one case for each kind of step
    """From the first post to the last award."""
    hand = case.hand
    if not hand.tells_blinds:
        find_blinds(case)
    check_deal(case)
    steps = list(hand.steps)
    posts = [step for step in steps if step.what == "post"]
    for step in posts:
        check_post(case, step)
    check_owed(case, posts)
    count_nominal(case)
    for step in steps:
        match step.what:
            case "post":
                check_before_betting(case, step)
            case "turn":
                check_turn(case, step)
            case "act":
                check_act(case, step)
            case "street":
                check_street(case, step)
            case "uncalled":
                check_return(case, step)
            case "show" | "muck":
                check_shown(case, step)
            case "award":
                case.awards.append(step)
    if hand.void:
        check_void(case)
        return
    end_betting(case)
    check_showdown(case)
    check_pots(case)
    check_stacks(case)
