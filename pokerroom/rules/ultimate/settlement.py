"""Who gets what when a round is over (U5): the table of results as data, and each bet by it.

Pure arithmetic on a finished round. `settle` and `return_bets` are the only two ways in which a round ends.
"""

from enum import Enum
from typing import Final

from pokerroom.rules.cards import parse_cards
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.ranking import HandCategory, category, hand_rank
from pokerroom.rules.ultimate.bets import Bet
from pokerroom.rules.ultimate.progressive import progressive
from pokerroom.rules.ultimate.result import Meter, Outcome, SettledBank, SettledBet, SettledBox, Settlement
from pokerroom.rules.ultimate.state import BoxState, BoxStatus, RoundSetup
from pokerroom.rules.ultimate.terms import PayTable, Qualification


class Cell(Enum):
    """What becomes of a bet."""

    wins = "wins"
    """1:1."""
    by_table = "by_table"
    """By its pay table; a hand that it does not name is a push."""
    push = "push"
    lost = "lost"


_WINS, _BY_TABLE, _PUSH, _LOST = Cell.wins, Cell.by_table, Cell.push, Cell.lost

CELLS: Final[dict[tuple[Outcome, bool], tuple[Cell, Cell, Cell]]] = {
    (Outcome.won, True): (_WINS, _WINS, _BY_TABLE),
    (Outcome.won, False): (_PUSH, _WINS, _BY_TABLE),
    (Outcome.tied, True): (_PUSH, _PUSH, _PUSH),
    (Outcome.tied, False): (_PUSH, _PUSH, _PUSH),
    (Outcome.lost, True): (_LOST, _LOST, _LOST),
    (Outcome.lost, False): (_PUSH, _LOST, _LOST),
    (Outcome.folded, True): (_LOST, _LOST, _LOST),
    (Outcome.folded, False): (_LOST, _LOST, _LOST),
}
"""By result and whether the bank qualifies: what becomes of Ante, Play and Blind. Who folded has no Play."""

LEAST_RANK: Final = {
    # every pair beats a hand without one, so the least of each kind that has one is enough to compare with
    Qualification.any_pair: hand_rank(parse_cards("2c2d3h4s5c")),
    Qualification.pair_of_fours: hand_rank(parse_cards("4c4d2h3s5c")),
}
"""The `hand_rank` from which on the bank qualifies."""


def qualifies(qualification: Qualification, rank: int) -> bool:
    """Whether the bank's hand of this `hand_rank` plays for the Ante (U6)."""
    return rank >= LEAST_RANK[qualification]


def settle(setup: RoundSetup, boxes: tuple[BoxState, ...], tips: tuple[tuple[int, int], ...]) -> Settlement:
    """The result of a round that was played to its end.

    Raises InvariantBroken when the amounts do not add up to nothing: then the table must stop.
    """
    deal, terms = setup.deal, setup.terms
    bank_rank = hand_rank(deal.bank + deal.board)
    bank = SettledBank(
        cards=deal.bank,
        category=category(bank_rank),
        qualifies=qualifies(terms.qualification, bank_rank),
    )
    ranks = [hand_rank(holes + deal.board) for holes in deal.holes]
    if len(ranks) < len(boxes):  # the one hand of a common hand
        ranks *= len(boxes)
    kinds = [category(rank) for rank in ranks]
    side = progressive(terms.progressive, setup.boxes, kinds, setup.meter)
    results = []
    for at, box in enumerate(boxes):
        outcome = _outcome(box, ranks[at], bank_rank)
        results.append(
            SettledBox(
                box=box.bets.box,
                player=box.bets.player,
                outcome=outcome,
                cards=setup.holes(at),
                category=kinds[at],
                bets=_bets(setup, box, CELLS[outcome, bank.qualifies], kinds[at], side.prizes[at]),
                envy=side.envy[at],
            )
        )
    side_bets = sum([box.progressive for box in setup.boxes]) - side.meter.fed - side.house_pays
    against_bank = sum(
        [bet.staked - bet.paid for result in results for bet in result.bets if bet.bet is not Bet.progressive]
    )
    return _settlement(bank, tuple(results), side.meter, tips, house=against_bank + side_bets)


def return_bets(
    setup: RoundSetup, boxes: tuple[BoxState, ...], tips: tuple[tuple[int, int], ...]
) -> Settlement:
    """The result of a void round (U15): every bet goes back, a Play too [D]; the meter is not fed.

    A tip was given and stays so [D].
    """
    results = [
        SettledBox(
            box=box.bets.box,
            player=box.bets.player,
            outcome=Outcome.void,
            cards=None,
            category=None,
            bets=tuple([SettledBet(bet=bet, staked=stake, paid=stake) for bet, stake in _stakes(box)]),
            envy=0,
        )
        for box in boxes
    ]
    return _settlement(None, tuple(results), Meter(before=setup.meter), tips, house=0)


def _outcome(box: BoxState, rank: int, bank_rank: int) -> Outcome:
    if box.status is BoxStatus.folded:
        return Outcome.folded
    if rank == bank_rank:
        return Outcome.tied
    return Outcome.won if rank > bank_rank else Outcome.lost


def _stakes(box: BoxState) -> list[tuple[Bet, int]]:
    """The bets that have something on them, in order."""
    bets = box.bets
    stakes = [
        (Bet.ante, bets.ante),
        (Bet.blind, bets.blind),
        (Bet.play, box.play_bet),
        (Bet.trips, bets.trips),
        (Bet.progressive, bets.progressive),
    ]
    return [(bet, stake) for bet, stake in stakes if stake]


def _bets(
    setup: RoundSetup, box: BoxState, cells: tuple[Cell, Cell, Cell], kind: HandCategory, prize: int
) -> tuple[SettledBet, ...]:
    ante, play, blind = cells
    results = []
    for bet, stake in _stakes(box):
        if bet is Bet.trips:  # on his own hand, whatever became of it (U8)
            pays = setup.terms.trips_pays
            paid = stake + pays.winnings(kind, stake) if pays.pays(kind) else 0
        elif bet is Bet.progressive:
            paid = prize
        else:
            cell = ante if bet is Bet.ante else play if bet is Bet.play else blind
            paid = _paid(cell, stake, kind, setup.terms.blind_pays)
        results.append(SettledBet(bet=bet, staked=stake, paid=paid))
    return tuple(results)


def _paid(cell: Cell, stake: int, kind: HandCategory, table: PayTable) -> int:
    """What goes back to the player, his stake included."""
    if cell is _LOST:
        return 0
    if cell is _PUSH:
        return stake
    return 2 * stake if cell is _WINS else stake + table.winnings(kind, stake)


def _settlement(
    bank: SettledBank | None,
    boxes: tuple[SettledBox, ...],
    meter: Meter,
    tips: tuple[tuple[int, int], ...],
    *,
    house: int,
) -> Settlement:
    deltas = {box.player: 0 for box in boxes}
    for box in boxes:
        deltas[box.player] += box.paid - box.staked
    for player, amount in tips:
        deltas[player] -= amount
    settlement = Settlement(
        bank=bank,
        boxes=boxes,
        meter=meter,
        tronc=sum([amount for _, amount in tips]),
        players=tuple(deltas.items()),
        house=house,
    )
    check_settlement(settlement)
    return settlement


def check_settlement(settlement: Settlement) -> None:
    """Raise InvariantBroken unless player + house + meter + tronc = 0, and the meter holds no debt."""
    players = sum([delta for _, delta in settlement.players])
    meter = settlement.meter
    if players + settlement.house + (meter.after - meter.before) + settlement.tronc or meter.after < 0:
        raise InvariantBroken("the round's amounts do not add up to nothing (A2)")
