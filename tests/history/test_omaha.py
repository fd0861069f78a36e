"""Pot-limit Omaha in PHH: the code PO, four cards each, and cards that the file does not have."""

from tests.history.writing import holes, played

OMAHA = {"variant": "PO", "starting_stacks": [1000, 1000, 1000]}
CARDS = holes("AhKsQcJd", "9h8hTc2d", "AsAdKcKd")
CALLS = ["p3 f", "p1 cc", "p2 cc"]
CHECKS = ["p1 cc", "p2 cc"]
BOARD = ["d db 2h5h7h", *CHECKS, "d db Kh", *CHECKS, "d db 3c", *CHECKS]


def test_j2_a_hand_is_played():
    """J2: one heart in the hand makes no flush (O1)."""
    replayed = played(*CARDS, *CALLS, *BOARD, **OMAHA, finishing_stacks=[900, 1100, 1000])

    assert (replayed.error, replayed.finishing_stacks) == (None, (900, 1100, 1000))


def test_d4_the_pot_is_the_limit():
    """D4: the first raiser at 50/100 may make 350 and no more."""
    assert played(*CARDS, "p3 cbr 350", **OMAHA).error is None
    refused = played(*CARDS, "p3 cbr 351", **OMAHA)

    assert (refused.error, refused.detail) == (
        "raise_too_large",
        "action 4: p3 cbr 351: from 200 to 350 is allowed",
    )


def test_a_mucked_hand_loses():
    """A player who mucks unknown cards gets a hand that loses to the one that is shown."""
    unknown = ["d dh p1 ????????", *CARDS[1:]]
    replayed = played(*unknown, *CALLS, *BOARD, "p1 sm", **OMAHA, finishing_stacks=[900, 1100, 1000])

    assert (replayed.error, replayed.finishing_stacks) == (None, (900, 1100, 1000))


def test_the_number_of_cards():
    """More than four cards, and more players than four cards each are there for, are refused."""
    five = played("d dh p1 AhKsQcJd2c", *CARDS[1:], *CALLS, **OMAHA)
    twelve = {name: [1000 * (name == "starting_stacks")] * 12 for name in ("antes", "starting_stacks")}
    many = played(*CARDS, variant="PO", min_bet=100, blinds_or_straddles=[50, 100, *[0] * 10], **twelve)

    assert (five.error, five.detail) == ("bad_cards", "p1 has more than 4 cards")
    assert (many.error, many.detail) == ("bad_players", "2 to 11 can play omaha, not 12")
