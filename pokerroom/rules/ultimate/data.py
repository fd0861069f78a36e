"""A round's state as plain data and back, exactly: dicts, lists, strings and integers only.

The data hold every card of the round, dealt or not. Who stores them encrypts them. What a round came to is not written
down: it follows from the rest.
"""

from typing import Any

from pokerroom.rules.cards import Card
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.ranking import HandCategory
from pokerroom.rules.ultimate.bets import BetLimits, BoxBets
from pokerroom.rules.ultimate.deal import RoundDeal
from pokerroom.rules.ultimate.settlement import return_bets, settle
from pokerroom.rules.ultimate.state import (
    MULTIPLES,
    BoxState,
    BoxStatus,
    Phase,
    RoundSetup,
    RoundState,
    check_setup,
)
from pokerroom.rules.ultimate.terms import PayTable, ProgressiveTerms, Qualification, Seating, Terms

_BETS = ("box", "player", "ante", "trips", "progressive", "play")
_PHASES = tuple(Phase)


def round_to_data(state: RoundState) -> dict[str, Any]:
    """Everything `round_from_data` needs."""
    setup = state.setup
    return {
        "terms": terms_to_data(setup.terms),
        "boxes": [[getattr(box, name) for name in _BETS] for box in setup.boxes],
        "deal": {
            "holes": [list(holes) for holes in setup.deal.holes],
            "bank": list(setup.deal.bank),
            "board": list(setup.deal.board),
            "burned": list(setup.deal.burned),
        },
        "meter": setup.meter,
        "phase": state.phase.value,
        "statuses": [box.status.value for box in state.boxes],
        "plays": [box.play for box in state.boxes],
        "tips": [list(tip) for tip in state.tips],
        "void": int(state.is_void),
    }


def round_from_data(data: dict[str, Any]) -> RoundState:
    """The state `round_to_data` wrote.

    Raises InvariantBroken for one that no round can reach; KeyError, IndexError, TypeError or ValueError for what is
    no state at all.
    """
    deal = data["deal"]
    setup = RoundSetup(
        terms=terms_from_data(data["terms"]),
        boxes=tuple([BoxBets(**dict(zip(_BETS, box, strict=True))) for box in data["boxes"]]),
        deal=RoundDeal(
            holes=tuple([_two(holes) for holes in deal["holes"]]),
            bank=_two(deal["bank"]),
            board=tuple([Card(card) for card in deal["board"]]),
            burned=_two(deal["burned"]),
        ),
        meter=data["meter"],
    )
    check_setup(setup)
    phase = Phase(data["phase"])
    boxes = tuple(
        [
            BoxState(bets=bets, status=BoxStatus(status), play=play)
            for bets, status, play in zip(setup.boxes, data["statuses"], data["plays"], strict=True)
        ]
    )
    tips = tuple([(player, amount) for player, amount in data["tips"]])
    void = bool(data["void"])
    _check_reachable(setup, phase, boxes, tips, void=void)
    settlement = None
    if void:
        settlement = return_bets(setup, boxes, tips)
    elif phase is Phase.finished:
        settlement = settle(setup, boxes, tips)
    return RoundState(setup=setup, phase=phase, boxes=boxes, tips=tips, settlement=settlement)


def _two(cards: list[int]) -> tuple[Card, Card]:
    first, second = cards
    return Card(first), Card(second)


def _check_reachable(
    setup: RoundSetup,
    phase: Phase,
    boxes: tuple[BoxState, ...],
    tips: tuple[tuple[int, int], ...],
    *,
    void: bool,
) -> None:
    """U3: no box has decided too early, and a street ends when no box is to decide."""
    over = phase is Phase.finished
    waits = any(box.status is BoxStatus.waiting for box in boxes)
    decided = void and phase is Phase.river and not waits
    if (over and void) or (waits == over and not decided):
        raise InvariantBroken("a street waits for at least one box, and a finished round for none (U3)")
    until = _PHASES[: _PHASES.index(phase) + 1]
    multiples = [multiple for street in until if street in MULTIPLES for multiple in MULTIPLES[street]]
    for box in boxes:
        if box.bets.play:
            right = box.status is BoxStatus.played and box.play == box.bets.play
        elif box.status is BoxStatus.played:
            right = box.play in multiples
        elif box.status is BoxStatus.folded:
            right = not box.play and phase in {Phase.river, Phase.finished}
        elif box.status is BoxStatus.checked:
            right = not box.play and phase in {Phase.preflop, Phase.flop}
        else:
            right = not box.play
        if not right:
            raise InvariantBroken("a box has decided what it cannot have (U3)")
    players = {box.player for box in setup.boxes}
    for player, amount in tips:
        if player not in players or type(amount) is not int or amount < 1:
            raise InvariantBroken("a tip is an amount, of a player (U14)")


def terms_to_data(terms: Terms) -> dict[str, Any]:
    """The table's terms; `terms_from_data` reads them back."""
    progressive = terms.progressive
    return {
        "qualification": terms.qualification.value,
        "seating": terms.seating.value,
        "ante": [terms.ante.least, terms.ante.most],
        "trips": None if terms.trips is None else [terms.trips.least, terms.trips.most],
        "boxes": terms.boxes,
        "blind_pays": _table_to_data(terms.blind_pays),
        "trips_pays": _table_to_data(terms.trips_pays),
        "progressive": None
        if progressive is None
        else {
            "stake": progressive.stake,
            "feed_bps": progressive.feed_bps,
            "seed": progressive.seed,
            "meter_bps": [[kind.value, part] for kind, part in progressive.meter_bps],
            "prizes": [[kind.value, amount] for kind, amount in progressive.prizes],
            "envy_prize": progressive.envy_prize,
        },
        "exposure_max": terms.exposure_max,
    }


def terms_from_data(data: dict[str, Any]) -> Terms:
    """The terms `terms_to_data` wrote; raises KeyError, TypeError or ValueError for what are none."""
    progressive = data["progressive"]
    return Terms(
        qualification=Qualification(data["qualification"]),
        seating=Seating(data["seating"]),
        ante=_limits(data["ante"]),
        trips=None if data["trips"] is None else _limits(data["trips"]),
        boxes=data["boxes"],
        blind_pays=_table_from_data(data["blind_pays"]),
        trips_pays=_table_from_data(data["trips_pays"]),
        progressive=None
        if progressive is None
        else ProgressiveTerms(
            stake=progressive["stake"],
            feed_bps=progressive["feed_bps"],
            seed=progressive["seed"],
            meter_bps=tuple([(HandCategory(kind), part) for kind, part in progressive["meter_bps"]]),
            prizes=tuple([(HandCategory(kind), amount) for kind, amount in progressive["prizes"]]),
            envy_prize=progressive["envy_prize"],
        ),
        exposure_max=data["exposure_max"],
    )


def _limits(data: list[int]) -> BetLimits:
    least, most = data
    return BetLimits(least=least, most=most)


def _table_to_data(table: PayTable) -> list[list[int]]:
    return [[kind.value, numerator, denominator] for kind, numerator, denominator in table.rows]


def _table_from_data(data: list[list[int]]) -> PayTable:
    return PayTable(
        tuple([(HandCategory(kind), numerator, denominator) for kind, numerator, denominator in data])
    )
