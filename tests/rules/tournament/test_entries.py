"""L1, L2: registration, re-entries, rebuys and add-ons."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerroom.rules.tournament import entries as rules
from pokerroom.rules.tournament.entries import Entries, EntryStage, EntryTerms, Purchase
from pokerroom.rules.tournament.refusal import TournamentRefusal
from tests.effort import times

ENTRY = Purchase(prize=2_000, fee=200, chips=10_000)
REBUY = Purchase(prize=1_500, chips=10_000)
ADD_ON = Purchase(prize=1_000, chips=15_000)
FREEZEOUT = EntryTerms(entry=ENTRY)
LATE = EntryTerms(entry=ENTRY, entries_max=2, late_levels=6)
REBUYS = EntryTerms(
    entry=ENTRY, entries_max=0, late_levels=6, rebuy=REBUY, rebuys_max=3, rebuy_levels=6, add_on=ADD_ON
)


def entered(terms, *accounts):
    found = Entries(terms=terms)
    for account in accounts:
        found = rules.register(found, account)
    return found


def at(entries, stage, level=1):
    return replace(entries, stage=stage, level=level)


def running(entries, level=1):
    return at(entries, EntryStage.running, level)


def test_l2_what_all_entries_bring():
    """L2, A2: 120 entries, 31 re-entries, 44 rebuys and 80 add-ons: the pool, the fees and the chips in play."""
    entries = running(entered(REBUYS, *range(120)))
    for account in range(31):
        entries = rules.re_enter(rules.bust(entries, account), account)
    for account in range(44):
        entries = rules.rebuy(entries, account, 10_000)
    entries = at(entries, EntryStage.add_on_break, 7)
    for account in range(80):
        entries = rules.add_on(entries, account)
    for account in range(96, 120):
        entries = rules.bust(entries, account)

    assert (entries.count, entries.left) == (151, 96)
    assert (entries.prize_parts, entries.fees, entries.bounties) == (448_000, 30_200, 0)
    assert entries.chips == 3_150_000
    assert entries.chips // entries.left == 32_812
    assert entries.paid_by(0) == 2 * 2_200 + 1_500 + 1_000
    assert sum(entries.paid_by(account) for account in range(120)) == 448_000 + 30_200


def test_l1_an_entry_is_withdrawn_until_the_start():
    """L1: not once seats are being drawn, and not after the start."""
    entries = entered(LATE, 1, 2)

    assert [player.account for player in rules.unregister(entries, 1).players] == [2]
    for stage, code in ((EntryStage.drawing, "seats_drawn"), (EntryStage.running, "tournament_started")):
        assert refusal(rules.unregister, at(entries, stage), 1) == code
    assert refusal(rules.unregister, entries, 3) == "not_registered"


def refusal(act, entries, *arguments):
    before = repr(entries)
    with pytest.raises(TournamentRefusal) as refused:
        act(entries, *arguments)
    assert repr(entries) == before
    return refused.value.code


def test_l1_late_registration_ends_with_its_last_level():
    """L1: open through level six, also for a new account; a freezeout without late levels closes at the start."""
    late = entered(LATE, 1, 2)

    assert rules.register(at(late, EntryStage.drawing), 3).count == 3
    assert rules.register(running(late, 6), 3).count == 3
    assert refusal(rules.register, running(late, 7), 3) == "registration_closed"
    assert refusal(rules.register, running(entered(FREEZEOUT, 1, 2)), 3) == "registration_closed"
    assert refusal(rules.register, at(late, EntryStage.closed), 3) == "registration_closed"


def test_l1_an_account_registers_once_and_up_to_the_last_seat():
    """L1: never two entries at once, and no more players than the tournament takes."""
    full = entered(replace(LATE, players_max=2), 1, 2)

    assert refusal(rules.register, full, 3) == "tournament_full"
    assert refusal(rules.register, entered(LATE, 1), 1) == "already_registered"


def test_l2_a_re_entry_follows_a_bust():
    """L2: while registration is open, as often as the terms say; a freezeout has none."""
    entries = running(entered(LATE, 1, 2))

    assert refusal(rules.re_enter, entries, 1) == "still_playing"
    assert refusal(rules.re_enter, entries, 3) == "not_registered"
    out = rules.bust(entries, 1)
    assert rules.may_return(out, 1)
    again = rules.re_enter(out, 1)
    assert again.player(1).entries == 2
    assert again.chips == 30_000
    out_again = rules.bust(again, 1)
    assert refusal(rules.re_enter, out_again, 1) == "entries_used_up"
    assert not rules.may_return(out_again, 1)
    assert refusal(rules.re_enter, running(out, 7), 1) == "registration_closed"
    frozen = rules.bust(running(entered(replace(FREEZEOUT, late_levels=3), 1, 2)), 1)
    assert refusal(rules.re_enter, frozen, 1) == "entries_used_up"
    assert rules.may_return(rules.bust(running(entered(REBUYS, 1)), 1), 1)


def test_l2_a_rebuy_is_for_small_stacks_and_until_its_last_level():
    """L2: with a starting stack or less, three times, and until level six; not once the place is taken."""
    entries = running(entered(REBUYS, 1, 2), 6)

    assert refusal(rules.rebuy, entries, 1, 10_001) == "stack_too_large"
    assert refusal(rules.rebuy, running(entries, 7), 1, 0) == "rebuys_closed"
    assert refusal(rules.rebuy, entries, 3, 0) == "not_registered"
    assert refusal(rules.rebuy, rules.bust(entries, 1), 1, 0) == "not_playing"
    back = rules.rebuy(entries, 1, 0)
    third = rules.rebuy(rules.rebuy(back, 1, 10_000), 1, 10_000)
    assert refusal(rules.rebuy, third, 1, 0) == "rebuys_used_up"
    smaller = running(entered(replace(REBUYS, rebuy_below=5_000), 1))
    assert refusal(rules.rebuy, smaller, 1, 5_001) == "stack_too_large"
    none = running(entered(replace(REBUYS, rebuy_below=0), 1))
    assert refusal(rules.rebuy, none, 1, 1) == "stack_too_large"
    assert rules.rebuy(none, 1, 0).chips == rules.rebuy(smaller, 1, 5_000).chips
    assert refusal(rules.rebuy, running(entered(LATE, 1)), 1, 0) == "rebuys_closed"


def test_l2_an_add_on_is_sold_once_in_its_break():
    """L2: to players with any stack, and not before or after the break."""
    entries = running(entered(REBUYS, 1, 2), 7)
    pausing = at(entries, EntryStage.add_on_break, 7)

    assert rules.add_on(pausing, 1).chips == 35_000
    assert refusal(rules.add_on, entries, 1) == "add_ons_closed"
    assert refusal(rules.add_on, rules.add_on(pausing, 1), 1) == "add_on_bought"
    assert refusal(rules.add_on, rules.bust(pausing, 1), 1) == "not_playing"
    assert refusal(rules.add_on, pausing, 3) == "not_registered"
    assert refusal(rules.add_on, at(entered(LATE, 1), EntryStage.add_on_break), 1) == "add_ons_closed"


def test_l2_an_add_on_without_rebuys():
    """L2: its break follows the level that the terms name; until it is over the prizes are not fixed."""
    entries = entered(EntryTerms(entry=ENTRY, add_on=ADD_ON, rebuy_levels=4), 1, 2)

    assert not running(entries, 4).rebuys_open
    assert refusal(rules.rebuy, running(entries, 4), 1, 0) == "rebuys_closed"
    assert not running(entries, 4).closed
    assert rules.add_on(at(entries, EntryStage.add_on_break, 5), 1).chips == 35_000
    assert running(entries, 5).closed


def test_l1_entries_are_closed_when_nothing_is_sold_any_more():
    """L1, L2: after the last level of registration and rebuys, and after the break for add-ons."""
    entries = entered(REBUYS, 1, 2)

    assert not entries.closed
    assert not running(entries, 6).closed
    assert not at(entries, EntryStage.add_on_break, 7).closed
    assert running(entries, 7).closed
    assert at(entries, EntryStage.closed).closed
    assert not at(entries, EntryStage.closed).rebuys_open
    assert running(entered(FREEZEOUT, 1, 2)).closed
    assert not at(entered(FREEZEOUT, 1, 2), EntryStage.drawing).closed


def test_l1_registration_closes_early_before_the_money():
    """L1 [D]: when no more are left than are paid, or hand-for-hand would begin; not before the start."""
    entries = running(entered(LATE, 1, 2, 3))

    assert not rules.closes_early(entries, paid=2, hand_for_hand=False)
    assert rules.closes_early(entries, paid=2, hand_for_hand=True)
    assert rules.closes_early(rules.bust(entries, 1), paid=2, hand_for_hand=False)
    assert not rules.closes_early(entered(LATE, 1, 2), paid=2, hand_for_hand=True)


def test_l2_a_player_busts_once():
    """L2: an eliminated player cannot go out again, nor an account without an entry."""
    entries = rules.bust(running(entered(LATE, 1, 2)), 1)

    assert refusal(rules.bust, entries, 1) == "not_playing"
    assert refusal(rules.bust, entries, 3) == "not_registered"
    with pytest.raises(LookupError, match="no entry"):
        entries.paid_by(3)


@pytest.mark.parametrize(
    "wrong",
    [
        {"entry": replace(ENTRY, prize=0)},
        {"entry": replace(ENTRY, fee=-1)},
        {"entry": replace(ENTRY, bounty=500)},
        {"add_on": replace(ADD_ON, chips=0)},
        {"add_on": replace(ADD_ON, bounty=1)},
        {"rebuys_max": 0},
        {"rebuy": None},
        {"rebuy_levels": 0},
        {"players_min": 1},
        {"players_min": 5, "players_max": 4},
        {"entries_max": -1},
    ],
)
def test_l2_terms_that_cannot_be_are_refused(wrong):
    """L1, L2: no prize part, bounties beside rebuys, rebuys without a number or a level, too few players."""
    with pytest.raises(ValueError, match=r"at least 1|bount|rebuys|two players|negative"):
        replace(REBUYS, **wrong)


def test_l13_a_bounty_is_no_negative_part_of_an_entry():
    """L13: nothing else is sold, so nothing else refuses it."""
    with pytest.raises(ValueError, match="at least 1"):
        EntryTerms(entry=replace(ENTRY, bounty=-1))
    assert EntryTerms(entry=replace(ENTRY, bounty=500)).entry.bounty == 500


ACTS = ["register", "re_enter", "bust", "rebuy", "add_on"]


@settings(max_examples=times(20), deadline=None)
@given(
    acts=st.lists(st.tuples(st.sampled_from(ACTS), st.integers(1, 6)), max_size=60),
    levels=st.lists(st.sampled_from([EntryStage.running, EntryStage.add_on_break]), min_size=1, max_size=8),
)
def test_l2_money_and_chips_add_up(acts, levels):
    """L2, A2: whatever is bought, the pool and the fees are what the accounts paid, and chips follow purchases."""
    entries = running(entered(REBUYS, 1, 2))
    for number, (act, account) in enumerate(acts):
        entries = at(entries, levels[number % len(levels)], 1 + number % 7)
        arguments = (account, 0) if act == "rebuy" else (account,)
        before = entries
        try:
            entries = getattr(rules, act)(entries, *arguments)
        except TournamentRefusal:
            continue
        assert entries.chips - before.chips in {0, 10_000, 15_000}
        assert (entries.chips == before.chips) == (act == "bust")
    paid = sum(entries.paid_by(player.account) for player in entries.players)
    assert paid == entries.prize_parts + entries.fees
    assert len({player.account for player in entries.players}) == len(entries.players)


def test_i1_an_entry_may_be_free_where_nothing_else_is_sold():
    """I1: it is free as a whole; what is sold beside an entry, or a part of its price, has a part for the prizes."""
    free = Purchase(prize=0, chips=500)
    assert EntryTerms(entry=free).entry.paid == 0
    for terms in (
        {"entry": replace(free, fee=1)},
        {"entry": replace(free, bounty=1)},
        {"entry": free, "rebuy": REBUY, "rebuys_max": 1, "rebuy_levels": 1},
    ):
        with pytest.raises(ValueError, match="free entry"):
            EntryTerms(**terms)
