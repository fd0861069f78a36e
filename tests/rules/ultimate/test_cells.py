"""U5: the table of results, cell by cell: with every bank hand there is against hands of every kind, folded and not.

The expected amounts are written down here once more, from the rules' text: the test shares no table with the code.
"""

from collections import Counter
from itertools import combinations

import pytest

from pokerroom.rules.actions import Check, Fold
from pokerroom.rules.cards import DECK, card_text, parse_cards
from pokerroom.rules.ranking import HandCategory, category, hand_rank
from pokerroom.rules.ultimate.bets import Bet, BetLimits
from pokerroom.rules.ultimate.decisions import Play
from pokerroom.rules.ultimate.result import Outcome
from pokerroom.rules.ultimate.settlement import CELLS, Cell, qualifies
from pokerroom.rules.ultimate.terms import Qualification
from tests.rules.ultimate.support import act, begun, box, paid, result, terms

ANTE, TRIPS = 20, 10
KIND = HandCategory
ANY, FOURS = Qualification.any_pair, Qualification.pair_of_fours

BLIND_WINS = {
    KIND.royal_flush: 500 * ANTE,
    KIND.straight_flush: 50 * ANTE,
    KIND.four_of_a_kind: 10 * ANTE,
    KIND.full_house: 3 * ANTE,
    KIND.flush: 30,  # 3:2 of 20
    KIND.straight: ANTE,
}
TRIPS_WINS = {
    KIND.royal_flush: 50 * TRIPS,
    KIND.straight_flush: 40 * TRIPS,
    KIND.four_of_a_kind: 30 * TRIPS,
    KIND.full_house: 8 * TRIPS,
    KIND.flush: 7 * TRIPS,
    KIND.straight: 4 * TRIPS,
    KIND.three_of_a_kind: 3 * TRIPS,
}

HANDS = {
    KIND.royal_flush: [("AsKs", "QsJsTs2d3c"), ("2c3d", "AsKsQsJsTs")],
    KIND.straight_flush: [("8s7s", "6s5s4sKd2c"), ("Ad2d", "Ts9s8s7s6s"), ("8s2d", "7s6s5s4sKh")],
    KIND.four_of_a_kind: [("2c2d", "2h2s5dJcKh"), ("7c7d", "7h7sTdTcKh"), ("AcKd", "7h7s7d7c3h")],
    KIND.full_house: [("3c3d", "3h2s2dJcKh"), ("AcKd", "KhKsAdTc4h"), ("2c9d", "KhKsKdTcTh")],
    KIND.flush: [("As9s", "Ks7s2s3d4c"), ("2s9d", "Ks8s7s3s4c"), ("2d9h", "KsJs8s7s3s")],
    KIND.straight: [("6h5d", "7s4c3dKhJs"), ("2h2d", "Ts9c8d7h6s"), ("Ah2d", "3s4c5dKhKs")],
    KIND.three_of_a_kind: [("2h2d", "2s5c9dJhKs"), ("AhQd", "3s3c3d9h7s"), ("9h9d", "9s2c4d7hJs")],
    KIND.two_pair: [("3h2d", "3s2c9dJhKs"), ("AhQd", "3s3c4d4h7s"), ("AhKd", "AsKc4d7h9s")],
    KIND.pair: [
        ("2h3d", "2s7c9dJhKs"),
        ("3h5d", "3s7c9dJhKs"),
        ("4h5d", "4s7c9dJhKs"),
        ("AhQd", "2s2c9d7h5s"),
        ("AhQd", "As7c9dJh5s"),
    ],
    KIND.high_card: [("AhQd", "2s3c7d9hJs"), ("3h4d", "6s8cTdJhKs"), ("6h7d", "AsKcQd9h8s")],
}
"""Hole cards and boards that make each kind, chosen so that the bank wins, ties and loses, with a pair and without."""


def least(cards: tuple[int, ...], qualification: Qualification) -> bool:
    """Whether a hand has a pair, or a pair of fours at least: seen without the code's own way to see it."""
    kind = category(hand_rank(cards))
    if kind is not KIND.pair:
        return kind > KIND.pair
    ((rank, _),) = Counter(card // 4 for card in cards).most_common(1)
    return qualification is ANY or rank >= "23456789TJQKA".index("4")


def expected(outcome: str, *, qualifying: bool, kind: HandCategory, multiple: int) -> dict[Bet, int]:
    """What goes back of each bet, by the table of U5 as it is printed."""
    ante, play, blind = ANTE, multiple * ANTE, ANTE
    blind_won = blind + BLIND_WINS.get(kind, 0)  # less than a straight: push
    rows = {
        ("player better", True): (2 * ante, 2 * play, blind_won),
        ("player better", False): (ante, 2 * play, blind_won),
        ("equal", True): (ante, play, blind),
        ("equal", False): (ante, play, blind),
        ("bank better", True): (0, 0, 0),
        ("bank better", False): (ante, 0, 0),
        ("folded", True): (0, 0, 0),
        ("folded", False): (0, 0, 0),
    }
    back_ante, back_play, back_blind = rows[outcome, qualifying]
    back = {Bet.ante: back_ante, Bet.blind: back_blind, Bet.trips: 0}
    if multiple:
        back[Bet.play] = back_play
    if kind in TRIPS_WINS:
        back[Bet.trips] = TRIPS + TRIPS_WINS[kind]
    return back


def banks(holes: str, board: str):
    """A bank's two cards for each way in which it can stand: better or not, of which kind, qualifying or not."""
    mine = hand_rank(parse_cards(holes + board))
    known = {*parse_cards(holes), *parse_cards(board)}
    found = {}
    for cards in combinations([card for card in DECK if card not in known], 2):
        theirs = hand_rank(cards + parse_cards(board))
        outcome = "equal" if theirs == mine else "bank better" if theirs > mine else "player better"
        seven = cards + parse_cards(board)
        found.setdefault((outcome, category(theirs), least(seven, ANY), least(seven, FOURS)), cards)
    return [(outcome, cards) for (outcome, *_), cards in found.items()]


def checked_to_river(holes: str, bank: str, board: str, qualification: Qualification):
    at = terms(qualification=qualification)
    state = begun((box(1, ante=ANTE, trips=TRIPS),), (holes,), bank=bank, board=board, at=at)
    return act(act(state, 1, Check()), 1, Check())


@pytest.mark.parametrize("qualification", [ANY, FOURS])
@pytest.mark.parametrize("kind", list(HandCategory))
def test_u5_every_cell_with_every_kind_of_hand(kind, qualification):
    """U5, U7, U8: against each kind of bank's hand, each bet of a box that plays or folds pays as printed."""
    reached = set()
    for holes, board in HANDS[kind]:
        assert category(hand_rank(parse_cards(holes + board))) is kind
        for outcome, cards in banks(holes, board):
            bank = "".join(card_text(card) for card in cards)
            qualifying = least(cards + parse_cards(board), qualification)
            reached.add((outcome, qualifying))
            river = checked_to_river(holes, bank, board, qualification)
            played, folded = act(river, 1, Play(multiple=1)), act(river, 1, Fold())
            assert played.settlement.bank.qualifies == folded.settlement.bank.qualifies == qualifying
            assert paid(played) == expected(outcome, qualifying=qualifying, kind=kind, multiple=1)
            assert paid(folded) == expected("folded", qualifying=qualifying, kind=kind, multiple=0)
            assert result(played).category is kind
    assert reached == CELLS_THERE_ARE[qualification][kind]


WON, PUSHED, LOST = "player better", "equal", "bank better"
_ALL = {(outcome, qualifying) for outcome in (WON, PUSHED, LOST) for qualifying in (True, False)}
CELLS_THERE_ARE = {
    # a royal flush is never beaten; one on the board is the bank's as well, and a flush qualifies
    ANY: {
        KIND.royal_flush: {(WON, True), (WON, False), (PUSHED, True)},
        KIND.straight_flush: {(WON, True), (WON, False), (PUSHED, True), (LOST, True)},
        # four of a kind and full houses have a pair on the board, which is the bank's
        KIND.four_of_a_kind: {(WON, True), (PUSHED, True), (LOST, True)},
        KIND.full_house: {(WON, True), (PUSHED, True), (LOST, True)},
        # who beats or equals a pair has one, so a bank that does not qualify can only win against less
        KIND.flush: {(WON, True), (WON, False), (PUSHED, True), (LOST, True)},
        KIND.straight: {(WON, True), (WON, False), (PUSHED, True), (LOST, True)},
        KIND.three_of_a_kind: {(WON, True), (WON, False), (PUSHED, True), (LOST, True)},
        KIND.two_pair: {(WON, True), (WON, False), (PUSHED, True), (LOST, True)},
        KIND.pair: {(WON, True), (WON, False), (PUSHED, True), (LOST, True)},
        KIND.high_card: {(WON, False), (PUSHED, False), (LOST, True), (LOST, False)},
    }
}
CELLS_THERE_ARE[FOURS] = CELLS_THERE_ARE[ANY] | {
    # a pair of twos or threes on the board does not qualify the bank
    KIND.four_of_a_kind: {(WON, True), (WON, False), (PUSHED, True), (LOST, True)},
    KIND.full_house: {(WON, True), (WON, False), (PUSHED, True), (LOST, True)},
    KIND.pair: _ALL,
}


@pytest.mark.parametrize("multiple", [1, 2, 3, 4])
@pytest.mark.parametrize(
    ("bank", "outcome"), [("KcQd", WON), ("Ac2c", LOST), ("Ah3d", PUSHED)], ids=[WON, LOST, PUSHED]
)
def test_u5_every_play(multiple, bank, outcome):
    """U5: a Play of each size pays 1:1, whenever it was made."""
    state = begun((box(1, ante=ANTE),), ("As4d",), bank=bank, board="Ad9c8h2s7h")
    for street in range({4: 0, 3: 0, 2: 1, 1: 2}[multiple]):
        assert state.phase.value == ("preflop", "flop")[street]
        state = act(state, 1, Check())
    state = act(state, 1, Play(multiple=multiple))

    staked = multiple * ANTE
    assert paid(state)[Bet.play] == {WON: 2 * staked, LOST: 0, PUSHED: staked}[outcome]


PRINTED = {
    (Outcome.won, True): (Cell.wins, Cell.wins, Cell.by_table),
    (Outcome.won, False): (Cell.push, Cell.wins, Cell.by_table),
    (Outcome.tied, True): (Cell.push,) * 3,
    (Outcome.tied, False): (Cell.push,) * 3,
    (Outcome.lost, True): (Cell.lost,) * 3,
    (Outcome.lost, False): (Cell.push, Cell.lost, Cell.lost),
    (Outcome.folded, True): (Cell.lost,) * 3,
    (Outcome.folded, False): (Cell.lost,) * 3,
}


@pytest.mark.parametrize(("outcome", "qualifying"), list(PRINTED))
def test_u5_the_table_is_as_printed(outcome, qualifying):
    """U5: Ante, Play and Blind of each row, also of those that no deal reaches; and there is no other."""
    assert CELLS[outcome, qualifying] == PRINTED[outcome, qualifying]
    assert len(CELLS) == len(PRINTED)


QUALIFY = [
    ("2c2d3h4s5c", True, False),  # the least pair of all
    ("4c4d2h3s5c", True, True),  # the least pair of fours
    ("3c3dAhKsQc", True, False),
    ("AhKd9c7h3d2s", False, False),
    ("2h2dAcKhQd9s", True, False),
    ("3h3dAcKhQd9s", True, False),
    ("4h4d2c3h5d7s", True, True),
    ("4h4dAcKhQd9s", True, True),
    ("AhAd2c3h5d7s", True, True),
    ("2h2d3c3h5d7s", True, True),
    ("2h2d2c3h5d7s", True, True),
]


@pytest.mark.parametrize(("cards", "any_pair", "pair_of_fours"), QUALIFY)
def test_qualification(cards, any_pair, pair_of_fours):
    """U6: any pair, or a pair of fours; two pair of lesser ranks are more than either."""
    rank = hand_rank(parse_cards(cards))

    assert qualifies(ANY, rank) is any_pair
    assert qualifies(FOURS, rank) is pair_of_fours


def test_halves_a_flush_is_paid_to_the_unit():
    """U9: the smallest Ante of 2 wins 3 with a flush."""
    at = terms(ante=BetLimits(least=2, most=1_000))
    state = begun((box(1, ante=2),), ("As9s",), bank="KhQd", board="Ks7s2s3d4c", at=at)

    assert paid(act(state, 1, Play(multiple=4))) == {Bet.ante: 4, Bet.blind: 5, Bet.play: 16}
