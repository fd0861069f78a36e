"""Pots, rake, shares and the stacks at the end (F)."""

from collections import Counter

from tests.referee.cards import best
from tests.referee.case import Case
from tests.referee.pots import UNITS, Pot, layers, rake_of, rake_parts, split


def check_pots(case: Case) -> None:
    """Judge each pot: its size, its rake, its winners and their shares."""
    pots = layers(case.betting.players.values())
    rakes = _rakes(case, pots)
    if not case.hand.tells_awards:
        _paid_silently(case, pots, rakes)
        return
    told = {award.pot or 0: award for award in case.awards}
    numbers = [award.pot for award in case.awards]
    if numbers != list(range(len(pots) - 1, -1, -1)):
        case.wrong(
            "pot", f"pots {numbers} are awarded, there are {len(pots)}: {[pot.amount for pot in pots]}"
        )
        return
    for number, pot in enumerate(pots):
        award = told[number]
        shares, rake = dict(award.shares), award.rake or 0
        if award.amount is not None and award.amount != pot.amount:
            case.wrong("pot", f"pot {number} has {pot.amount}, told as {award.amount}")
        if rakes is not None and award.rake is not None and rake != rakes[number]:
            case.wrong("rake", f"pot {number} pays {rakes[number]}, told as {rake}")
        elif sum(shares.values()) + rake != pot.amount and award.rake is not None:
            case.wrong("shares", f"pot {number} of {pot.amount}: {sum(shares.values())} shared, {rake} rake")
        _shared(case, number, pot, shares)


def _rakes(case: Case, pots: list[Pot]) -> list[int] | None:
    """What each pot pays; None: only the room knows."""
    hand = case.hand
    terms = hand.terms.rake
    if terms is not None:
        rake = rake_of(pots, terms, dealt_in=len(hand.seats), flop=bool(case.board))
        return rake_parts(pots, rake, terms.unit)
    if hand.rake is not None:
        return rake_parts(pots, hand.rake, hand.rake_unit)
    return [0] * len(pots) if hand.terms.rake_known else None


def _best(case: Case, number: int, pot: Pot) -> list[int] | None:
    """Who wins a pot, from the first left of the button; None: that cannot be said."""
    contested = len(case.betting.live) > 1
    order = [player.seat for player in case.betting.live if player.seat in pot.seats]
    if not contested or len(order) == 1:
        return order
    shown = [seat for seat in order if seat in case.shown]
    if not shown:
        case.wrong("winner", f"pot {number} has no shown hand of {order}")
        return None
    if len(case.board) != 5:
        return None
    strengths = {seat: best(case.shown[seat], case.board, case.hand.terms.game) for seat in shown}
    return [seat for seat in shown if strengths[seat] == max(strengths.values())]


def _shared(case: Case, number: int, pot: Pot, shares: dict[int, int]) -> None:
    if len(pot.seats) > 1 and (losers := set(shares) & case.mucked):
        case.wrong("mucked_won", f"seats {sorted(losers)} mucked and win of pot {number}")
        return
    winners = _best(case, number, pot)
    if winners is None:
        return
    amount = sum(shares.values())
    few = 0 < amount < len(winners) and set(shares) <= set(winners)
    if set(shares) != set(winners) and not few:
        case.wrong("winner", f"pot {number} goes to seats {sorted(shares)}, the best hands are {winners}")
        return
    full = {seat: shares.get(seat, 0) for seat in winners}
    units = {unit for unit in _units(case) if split(amount, winners, unit) == full}
    case.verdict.units &= units
    if not units:
        case.wrong(
            "odd_chip",
            f"pot {number} of {amount} is split {shares}, first left of the button {winners[0]}",
        )


def _units(case: Case) -> set[int]:
    terms = case.hand.terms
    if terms.tournament:
        return {1}
    return set(UNITS) if terms.unit is None else {terms.unit}


def _paid_silently(case: Case, pots: list[Pot], rakes: list[int] | None) -> None:
    """The stacks at the end have to follow from the cards; one smallest chip explains all pots."""
    ends, players = case.hand.ends, case.betting.players
    if ends is None or rakes is None:
        case.verdict.unchecked["pots: the source tells neither awards nor stacks at the end"] += 1
        return
    winners = [_best(case, number, pot) for number, pot in enumerate(pots)]
    if None in winners:
        return
    explained, wanted = set(), {}
    for unit in sorted(_units(case)):
        wanted = {seat: player.stack for seat, player in players.items()}
        for pot, rake, seats in zip(pots, rakes, winners, strict=True):
            for seat, share in split(pot.amount - rake, seats or [0], unit).items():
                wanted[seat] += share
        if wanted == ends:
            explained.add(unit)
    case.verdict.units &= explained
    if not explained:
        case.wrong("end_stack", f"the stacks at the end are {ends}, by the rules {wanted}")


def check_stacks(case: Case) -> None:
    """Judge the stacks at the end."""
    ends, players = case.hand.ends, case.betting.players
    won: Counter[int] = Counter()
    for award in case.awards:
        for seat, amount in award.shares:
            won[seat] += amount
    stray = [seat for seat in won if seat not in players or players[seat].folded]
    if stray:
        case.wrong("winner", f"seats {stray} folded, and win")
    case.verdict.ends = ends or {seat: player.stack + won[seat] for seat, player in players.items()}
    if ends is None or not case.hand.tells_awards:
        return
    for seat, player in players.items():
        if ends.get(seat) != player.stack + won[seat]:
            case.wrong(
                "end_stack", f"seat {seat} ends with {player.stack + won[seat]}, told as {ends.get(seat)}"
            )
    if set(ends) != set(players):
        case.wrong("end_stack", f"stacks are told of seats {sorted(ends)}, dealt in were {sorted(players)}")


def check_void(case: Case) -> None:
    """A void hand ends as it began."""
    if case.awards:
        case.wrong("void", "a void hand has awards")
    started = {seat.number: seat.stack for seat in case.hand.seats}
    if case.hand.ends is not None and case.hand.ends != started:
        case.wrong("void", f"a void hand ends with {case.hand.ends}, it began with {started}")
