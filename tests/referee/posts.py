"""Before the first decision: the order of the deal, and what each player posts (B2 to B9)."""

from collections import Counter

from tests.referee.betting import Betting
from tests.referee.case import Case, UncheckedError
from tests.referee.model import Step


def find_blinds(case: Case) -> None:
    """A source that tells blinds by their posts does not tell the blind of a player without a chip."""
    hand, numbers = case.hand, [seat.number for seat in case.hand.seats]
    paid: Counter[int] = Counter()
    for step in hand.steps:
        if step.what == "post":
            paid[step.seat] += step.amount or 0
    broke = {seat.number for seat in hand.seats if paid[seat.number] == seat.stack}
    if len(numbers) > 2 and hand.small_blind is None and hand.big_blind == numbers[1] and numbers[0] in broke:
        hand.small_blind = numbers[0]
    elif hand.big_blind is None:
        after = numbers[numbers.index(hand.small_blind) + 1 :] if hand.small_blind in numbers else numbers[:2]
        hand.big_blind = next(
            (seat for seat in [*after, *numbers] if seat in broke and seat != hand.small_blind), None
        )
    case.betting = Betting(hand.terms, hand.seats, hand.big_blind)
    if len(numbers) > 2 and hand.big_blind in numbers and hand.terms.straddle is None:
        after_big = numbers[(numbers.index(hand.big_blind) + 1) % len(numbers)]
        if after_big in broke and after_big != hand.small_blind:
            raise UncheckedError("a player who may have straddled has no chip left for it")


def check_deal(case: Case) -> None:
    """The deal goes clockwise from the button, and the blinds are its first players (B3, B4)."""
    hand, numbers = case.hand, [seat.number for seat in case.hand.seats]
    if len(set(numbers)) != len(numbers) or len(numbers) < 2:
        case.wrong("seats", f"the seats dealt in are {numbers}")
        return
    if hand.button is None:
        case.verdict.unchecked["button: the source does not tell it"] += 1
        turns = sum(left > right for left, right in zip(numbers, numbers[1:] + numbers[:1], strict=True))
        if turns != 1:
            case.wrong("seats", f"the deal does not go clockwise: {numbers}")
        return
    clockwise = sorted(numbers, key=lambda seat: (seat - hand.button - 1) % 100)
    if numbers != clockwise:
        case.wrong(
            "button",
            f"the deal begins at seat {numbers[0]}, left of the button {hand.button} is {clockwise[0]}",
        )
    if hand.big_blind is None:
        return
    first = [seat for seat in numbers if seat != hand.small_blind]
    if len(numbers) == 2:
        if hand.small_blind is not None and (
            hand.small_blind != hand.button or hand.big_blind == hand.button
        ):
            case.wrong("button", f"heads-up the button {hand.button} does not post the small blind")
    elif hand.small_blind is not None and numbers[:2] != [hand.small_blind, hand.big_blind]:
        case.wrong(
            "blinds",
            f"blinds {hand.small_blind} and {hand.big_blind}, dealt from the left of the button: {numbers}",
        )
    elif hand.small_blind is None and first[0] != hand.big_blind:
        case.wrong("blinds", f"the big blind {hand.big_blind} is not the first left of the button: {numbers}")


def check_post(case: Case, step: Step) -> None:
    """Judge a post: its player owes it, and pays it as far as the stack goes (B5)."""
    betting, hand = case.betting, case.hand
    player, nominal, amount = betting.players[step.seat], _nominal(case, step), step.amount or 0
    if nominal is None:
        nominal = amount
    else:
        # B9: the blind is paid first, also where the ante is told first
        kept = (
            hand.terms.big_blind if step.kind == "big_blind_ante" and "big_blind" not in player.posted else 0
        )
        owed = min(nominal, max(0, player.stack - kept))
        if amount != owed:
            case.wrong("post", f"seat {step.seat} posts {amount} as {step.kind}, owes {owed}")
    if step.kind in player.posted:
        case.wrong("post", f"seat {step.seat} posts {step.kind} twice")
    if step.kind == "straddle":
        numbers = [seat.number for seat in hand.seats]
        after = (numbers.index(hand.big_blind) + 1) % len(numbers) if hand.big_blind in numbers else None
        if len(numbers) < 3 or after is None or numbers[after] != step.seat:
            case.wrong("post", f"seat {step.seat} straddles, and is not the first left of the big blind")
        if case.hand.terms.straddle == 0:
            case.wrong("post", "a straddle at a table without")
    before_blinds = {"ante", "big_blind_ante"}
    if step.kind in before_blinds and any(each.posted - before_blinds for each in betting.players.values()):
        case.wrong("post", f"the {step.kind} of seat {step.seat} comes after a blind")
    betting.post(step.seat, step.kind, amount, nominal)
    case.check_stack(step)


def _nominal(case: Case, step: Step) -> int | None:
    terms = case.hand.terms
    if step.bet is not None:
        return step.bet
    return {
        "small_blind": terms.small_blind,
        "big_blind": terms.big_blind,
        "straddle": terms.straddle,
        "ante": terms.ante,
        "big_blind_ante": terms.big_blind_ante,
        "live_post": terms.big_blind,
        "dead_post": terms.small_blind,
    }[step.kind]


def check_owed(case: Case, posts: list[Step]) -> None:
    """Each blind and ante that is due is posted."""
    hand, terms, betting = case.hand, case.hand.terms, case.betting
    wanted = [("small_blind", hand.small_blind), ("big_blind", hand.big_blind)]
    if terms.big_blind_ante:
        wanted.append(("big_blind_ante", hand.big_blind))
    if terms.ante:
        wanted += [("ante", seat.number) for seat in hand.seats]
    for what, seat in wanted:
        others = [step.seat for step in posts if step.kind == what and step.seat != seat]
        if what != "ante" and others:
            case.wrong("post", f"seats {others} post a {what} that seat {seat} owes")
        if seat is None or seat not in betting.players:
            continue
        player = betting.players[seat]
        paid_all = player.start == sum(step.amount or 0 for step in posts if step.seat == seat)
        if what not in player.posted and not paid_all:
            case.wrong("post", f"seat {seat} does not post the {what}")


def count_nominal(case: Case) -> None:
    """D4: in pot-limit blinds count in full before the flop, also if there was no chip or no player for them."""
    hand, betting = case.hand, case.betting
    for what, seat, nominal in (
        ("small_blind", hand.small_blind, hand.terms.small_blind),
        ("big_blind", hand.big_blind, hand.terms.big_blind),
    ):
        if nominal is not None and (seat is None or what not in betting.players[seat].posted):
            betting.not_posted(nominal)


def check_before_betting(case: Case, step: Step) -> None:
    """No player posts once the betting began."""
    if case.last is not None or case.board:
        case.wrong("post", f"seat {step.seat} posts a {step.kind} after the betting began")
