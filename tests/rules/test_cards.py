"""Cards, their text, and the deal (K2)."""

import pytest

from pokerroom.rules.cards import DECK, card_text, parse_card, parse_cards
from pokerroom.rules.deal import deal
from pokerroom.rules.variants import HOLDEM, OMAHA


class TestCards:
    def test_numbers(self):
        """A card is rank * 4 + suit, from the deuce of clubs to the ace of spades."""
        assert [parse_card(text) for text in ("2c", "2d", "2h", "2s", "3c", "As")] == [0, 1, 2, 3, 4, 51]

    def test_every_card_reads_as_it_is_written(self):
        """Text and card are one to one over the 52 cards."""
        assert len({card_text(card) for card in DECK}) == 52
        assert tuple(parse_card(card_text(card)) for card in DECK) == DECK

    def test_several(self):
        """Cards are written one after the other, without space."""
        assert parse_cards("AsKd") == (parse_card("As"), parse_card("Kd"))
        assert parse_cards("") == ()

    @pytest.mark.parametrize("text", ["", "A", "1s", "as", "sA", "Asd", "10s", "Ax", "A♠"])
    def test_no_card(self, text):
        """Anything that is not rank and suit is refused."""
        with pytest.raises(ValueError, match="card"):
            parse_card(text)

    @pytest.mark.parametrize("text", ["AsK", "As Kd", "AsXx"])
    def test_no_cards(self, text):
        """A row of cards with anything else in it is refused."""
        with pytest.raises(ValueError, match="card"):
            parse_cards(text)


class TestDeal:
    def test_one_card_at_a_time_twice_round(self):
        """K2: hole cards come singly from player 0; the board skips a burn card before each street."""
        dealt = deal(DECK, 3, HOLDEM)

        assert dealt.holes == ((0, 3), (1, 4), (2, 5))
        assert dealt.board == (7, 8, 9, 11, 13)

    def test_k2_omaha(self):
        """K2: each of n players gets the places k·n + p of the deck for k < 4; burns and board follow."""
        dealt = deal(DECK, 3, OMAHA)

        assert dealt.holes == ((0, 3, 6, 9), (1, 4, 7, 10), (2, 5, 8, 11))
        assert dealt.board == (13, 14, 15, 17, 19)
        assert OMAHA.players_max == 11
        with pytest.raises(ValueError, match="12 players of omaha"):
            deal(DECK, 12, OMAHA)

    @pytest.mark.parametrize("players", [2, 6, 10, 22])
    def test_no_card_twice(self, players):
        """A2: no card exists twice, however many play."""
        dealt = deal(DECK[::-1], players, HOLDEM)
        cards = [card for holes in dealt.holes for card in holes] + list(dealt.board)

        assert len(cards) == len(set(cards)) == 2 * players + 5

    @pytest.mark.parametrize(
        ("deck", "players"), [(DECK, 1), (DECK, 23), (DECK[:11], 2), ((*DECK[:51], 0), 6)]
    )
    def test_decks_that_cannot_be_dealt(self, deck, players):
        """Too few players, too few cards, or a card twice are refused."""
        with pytest.raises(ValueError, match=r"deck|twice"):
            deal(deck, players, HOLDEM)

    def test_repr_shows_no_card(self):
        """No player may see a card in a traceback."""
        assert repr(deal(DECK, 2, HOLDEM)) == "Deal()"
