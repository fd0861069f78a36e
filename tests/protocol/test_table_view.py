"""The visible state of a table after each event, as a client would draw it."""

from __future__ import annotations

from msgspec.structs import replace

from pokerroom_protocol import after_event
from pokerroom_protocol import messages as m
from tests.protocol.test_session import INFO, TABLE

HAND = "h1"


def seat(number: int, stack: int, **more) -> m.SeatView:
    return m.SeatView(seat=number, name=f"p{number}", stack=stack, status="playing", connected=True, **more)


EMPTY = m.Snapshot(table=TABLE, seq=0, info=INFO, seats=[], hand=None, your_seat=1)
SEATED = replace(EMPTY, seats=[seat(1, 5_000), seat(3, 4_000)])
STARTED = m.HandStarted(
    table=TABLE,
    seq=1,
    hand_id=HAND,
    button=1,
    small_blind=1,
    big_blind=3,
    seats=[m.HandSeat(seat=3, name="p3", stack=4_000), m.HandSeat(seat=1, name="p1", stack=5_000)],
)
DEALT = after_event(SEATED, STARTED)


def next_seq(table: m.Snapshot) -> dict:
    return {"table": TABLE, "seq": table.seq + 1}


def test_seats_come_change_and_go():
    """A seat appears in its place, changes, and is gone; one's own seat is forgotten with it."""
    taken = after_event(SEATED, m.SeatTaken(table=TABLE, seq=1, seat=2, name="p2", stack=9, status="waiting"))
    changed = after_event(
        taken,
        m.SeatChanged(table=TABLE, seq=2, seat=2, stack=7, status="sitting_out", connected=False),
    )
    left = after_event(changed, m.SeatLeft(table=TABLE, seq=3, seat=1, name="p1"))

    assert [view.seat for view in taken.seats] == [1, 2, 3]
    assert (
        changed.seats[1].status,
        changed.seats[1].stack,
        changed.seats[1].connected,
    ) == ("sitting_out", 7, False)
    assert [view.seat for view in left.seats] == [2, 3]
    assert left.your_seat is None
    assert left.seq == 3


def test_a_hand_starts_clean():
    """Seats dealt in are in the hand; the board and the bets are empty."""
    assert DEALT.hand is not None
    assert (
        DEALT.hand.board,
        DEALT.hand.pots,
        DEALT.hand.street,
        DEALT.hand.turn,
    ) == ([], [], "preflop", None)
    assert all(view.in_hand and view.bet == 0 and view.cards is None for view in DEALT.seats)


def test_a_blind_stands_in_front_and_an_ante_in_the_pot():
    """Live posts are bets, dead ones are not."""
    blind = after_event(
        DEALT,
        m.Posted(**next_seq(DEALT), seat=1, kind="small_blind", amount=50, stack=4_950, all_in=False),
    )
    ante = after_event(
        blind, m.Posted(**next_seq(blind), seat=1, kind="ante", amount=10, stack=4_940, all_in=False)
    )

    assert ante.seats[0].bet == 50
    assert ante.seats[0].stack == 4_940
    assert ante.hand is not None
    assert [m.PotView(amount=10, seats=[1, 3])] == ante.hand.pots


def test_own_cards_and_hidden_cards():
    """One's own copy of `hole_cards` fills one's seat; another's changes nothing but the number."""
    own = after_event(DEALT, m.HoleCards(**next_seq(DEALT), hand_id=HAND, cards=["As", "Kd"]))
    hidden = after_event(DEALT, m.HoleCards(**next_seq(DEALT), hand_id=HAND))

    assert own.seats[0].cards == ["As", "Kd"]
    assert own.seats[1].cards is None
    assert replace(DEALT, seq=2) == hidden


def test_a_turn_is_open_until_it_is_decided():
    """`turn` sets what is legal and names its own number; `acted` clears it; a fold leaves the hand."""
    asked = after_event(
        DEALT,
        m.Turn(
            **next_seq(DEALT),
            hand_id=HAND,
            seat=1,
            check=False,
            call_amount=50,
            min_raise_to=200,
            max_raise_to=5_000,
            countdown_ms=1,
            deadline_ms=2,
        ),
    )
    folded = after_event(
        asked,
        m.Acted(
            **next_seq(asked), hand_id=HAND, seat=1, action="fold", added=0, bet=0, stack=5_000, all_in=False
        ),
    )

    assert asked.hand is not None
    assert asked.hand.turn is not None
    assert asked.seq == asked.hand.turn.seq
    assert folded.hand is not None
    assert folded.hand.turn is None
    assert [view.in_hand for view in folded.seats] == [False, True]


def test_a_street_takes_the_bets_in():
    """Bets in front are in the pots when the next street is dealt."""
    bet = after_event(
        DEALT,
        m.Acted(
            **next_seq(DEALT),
            hand_id=HAND,
            seat=3,
            action="bet",
            added=100,
            bet=100,
            stack=3_900,
            all_in=False,
        ),
    )
    pots = [m.PotView(amount=200, seats=[1, 3])]
    flop = after_event(
        bet,
        m.StreetDealt(**next_seq(bet), hand_id=HAND, street="flop", cards=["2c", "3c", "4c"], pots=pots),
    )

    assert bet.seats[1].bet == 100
    assert [view.bet for view in flop.seats] == [0, 0]
    assert flop.hand is not None
    assert (["2c", "3c", "4c"], pots) == (flop.hand.board, flop.hand.pots)


def test_the_end_of_a_hand():
    """An uncalled bet goes back, cards shown are seen, shares reach the stacks, and the hand is gone."""
    bet = after_event(
        DEALT,
        m.Acted(
            **next_seq(DEALT),
            hand_id=HAND,
            seat=3,
            action="bet",
            added=100,
            bet=100,
            stack=3_900,
            all_in=False,
        ),
    )
    back = after_event(bet, m.UncalledBet(**next_seq(bet), hand_id=HAND, seat=3, amount=50, stack=3_950))
    shown = after_event(back, m.Shown(**next_seq(back), hand_id=HAND, seat=3, cards=["2c", "2d"]))
    won = after_event(
        shown,
        m.PotAwarded(
            **next_seq(shown), hand_id=HAND, pot=0, amount=100, shares=[m.Share(seat=3, amount=100)]
        ),
    )
    stacks = [m.HandSeat(seat=3, name="p3", stack=4_050), m.HandSeat(seat=1, name="p1", stack=4_950)]
    ended = after_event(won, m.HandEnded(**next_seq(won), hand_id=HAND, stacks=stacks))

    assert (back.seats[1].bet, back.seats[1].stack) == (50, 3_950)
    assert shown.seats[1].cards == ["2c", "2d"]
    assert (won.seats[1].stack, won.seats[1].bet) == (4_050, 0)
    assert ended.hand is None
    assert [view.stack for view in ended.seats] == [4_950, 4_050]
    assert not any(view.in_hand or view.cards for view in ended.seats)


def test_talk_changes_only_the_number():
    """Chat, notices and mucked hands leave the table as it is."""
    for event in (
        m.ChatSaid(**next_seq(DEALT), name="p1", text="hi"),
        m.TableNotice(**next_seq(DEALT), state="running", message="The table goes on."),
        m.Mucked(**next_seq(DEALT), hand_id=HAND, seat=1),
    ):
        assert replace(DEALT, seq=2) == after_event(DEALT, event)


def test_what_was_yours_goes_with_your_seat_and_with_the_hand():
    """A pre-action ends with the hand, and with the seat all that only its holder is shown."""
    options = m.SeatOptionsView(
        auto_top_up_to=0, straddle=False, muck_losing=True, sits_out_next_big_blind=False
    )
    decided = m.PreActView(action="fold_to_any_bet")
    mine = replace(DEALT, your_seat=1, your_options=options, your_pre_act=decided)
    ended = after_event(mine, m.HandEnded(**next_seq(mine), hand_id=HAND, stacks=[]))
    left = after_event(mine, m.SeatLeft(**next_seq(mine), seat=1, name="ada"))

    assert (ended.your_seat, ended.your_options, ended.your_pre_act) == (1, options, None)
    assert (left.your_seat, left.your_options, left.your_pre_act) == (None, None, None)
