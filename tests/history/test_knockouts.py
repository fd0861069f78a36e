"""Who was knocked out, by whom: of hands as they are played, and of the cases of L13."""

import pytest

from pokerroom.history.knockouts import contested_pots, knockouts_of
from pokerroom.history.record import HandRecord, SeatRecord, read_record
from pokerroom.ledger.api import Knockout
from tests.history.dealt import GAMES, dealt_hands


def record(stacks, events):
    """A hand of accounts 1, 2, and so on, each in the seat of the same number; `stacks` are before and after."""
    seats = [
        SeatRecord(seat=n, account=n, name=str(n), stack=stack, end=end, cards=None)
        for n, (stack, end) in enumerate(stacks, 1)
    ]
    return HandRecord(
        hand_id="h",
        table="t.1",
        game="holdem",
        structure="no_limit",
        small_blind=5,
        big_blind=10,
        started_ms=0,
        ended_ms=1,
        button=len(seats),
        seats=seats,
        events=events,
    )


def test_l13_the_winner_of_the_side_pot_has_knocked_out():
    """L13: stacks of 10,000, 5,000 and 1,000; the shortest wins the main pot."""
    hand = record(
        [(10_000, 13_000), (5_000, 0), (1_000, 3_000)],
        [
            ["raise", 1, 10_000, 10_000],
            ["call", 2, 5_000, 5_000],
            ["call", 3, 1_000, 1_000],
            ["uncalled", 1, 5_000],
            ["award", 1, 8_000, [[1, 8_000]]],
            ["award", 0, 3_000, [[3, 3_000]]],
        ],
    )
    assert knockouts_of(hand) == (Knockout(account=2, winners=(1,)),)


def test_l13_each_player_out_is_knocked_out_in_a_pot_of_their_own():
    """L13: 2 and 4 tie for the pot of 1; 4 alone wins the side pot of 3. A folded player's chips change nothing."""
    hand = record(
        [(100, 0), (900, 450), (300, 0), (900, 1_050), (500, 400)],
        [
            ["post", 5, "small_blind", 100],
            ["raise", 1, 100, 100],
            ["raise", 2, 300, 300],
            ["call", 3, 300, 300],
            ["call", 4, 300, 300],
            ["fold", 5, 0, 100],
            ["award", 1, 600, [[4, 600]]],
            ["award", 0, 500, [[2, 250], [4, 250]]],
        ],
    )
    assert knockouts_of(hand) == (Knockout(account=1, winners=(2, 4)), Knockout(account=3, winners=(4,)))


def test_l13_a_big_blind_for_the_ante_alone_is_knocked_out_in_the_main_pot():
    """L13: a post that matches no bet lies in the main pot, which the poster is in."""
    hand = record(
        [(1_000, 1_080), (80, 0), (1_000, 1_000)],
        [
            ["post", 2, "big_blind_ante", 80],
            ["bet", 1, 50, 50],
            ["call", 3, 50, 50],
            ["award", 1, 100, [[3, 100]]],
            ["award", 0, 80, [[1, 80]]],
        ],
    )
    assert knockouts_of(hand) == (Knockout(account=2, winners=(1,)),)


@pytest.mark.parametrize("game", GAMES)
def test_the_last_chip_is_in_the_pot_of_the_knockout(game):
    """All that lies in the pots up to the one that knocked out is all that was in, up to the player's last chip."""
    seen = 0
    for dealt in dealt_hands(7, game, 150):
        hand = read_record(dealt.settled.record)
        assert dealt.settled.knockouts == knockouts_of(hand)
        assert [one.account for one in dealt.settled.knockouts] == [
            s.account for s in hand.seats if not s.end
        ]
        awards = {event[1]: event for event in hand.events if event[0] == "award"}
        live, dead = put_in(hand)
        for one in dealt.settled.knockouts:
            up_to = dead + sum(min(chips, live[hand.seat_of(one.account)]) for chips in live.values())
            pot = next(n for n in range(len(awards)) if sum(awards[k][2] for k in range(n + 1)) >= up_to)
            took = {seat for seat, amount in awards[pot][3] if amount}
            assert [hand.seat_of(each) for each in one.winners] == [
                s.seat for s in hand.seats if s.seat in took
            ]
            seen += 1
        assert len(contested_pots(hand)) >= len(awards)
    assert seen > 50


def put_in(hand):
    """The chips of each seat that match bets, and all others."""
    live, dead = dict.fromkeys((seat.seat for seat in hand.seats), 0), 0
    for name, seat, *rest in (
        event for event in hand.events if event[0] not in {"award", "flop", "turn", "river"}
    ):
        if name == "post" and rest[0] in {"big_blind_ante", "dead_post"}:
            dead += rest[1]
        elif name == "post":
            live[seat] += rest[1]
        elif name == "uncalled":
            live[seat] -= rest[0]
        elif name not in {"show", "muck"}:
            live[seat] += rest[0]
    return live, dead
