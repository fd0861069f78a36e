"""`pokerroom.history.redaction`: what an account may see of its past, and what it never may."""

import json
from dataclasses import replace
from itertools import permutations

import msgspec
import pytest
from structlog.testing import capture_logs

from pokerroom.history.hidden_cards import with_hidden_cards
from pokerroom.history.redaction import (
    hand_history,
    history_entry,
    players_of,
    round_history,
    set_names,
    shared_hand,
    shared_viewer,
    visible_hand,
)
from pokerroom.ledger.account_history import PlayedHand, PlayedRound, PlayedRoundRecord, PlayedTournament
from pokerroom.ledger.shared_hands import SharedHandRow, ShareOptions
from pokerroom.table.seal import Seal
from pokerroom_protocol import messages as wire

SEAL = Seal(bytes(32))
HOLES = {1: ["As", "Ad"], 2: ["Kh", "Kd"], 3: ["7c", "2d"]}


def hand(account=1, *, shown=(1,), mucked=(2,)):
    """Alice wins 420 from bob, who has called; carol has folded her big blind of 20. Bob gets 60 back uncalled."""
    record = {
        "version": 1,
        "hand_id": "h1",
        "table": "T1",
        "game": "holdem",
        "structure": "no_limit",
        "small_blind": 10,
        "big_blind": 20,
        "started_ms": 1_000,
        "ended_ms": 9_000,
        "button": 4,
        "seats": [
            {"seat": 4, "account": 1, "name": "alice", "stack": 200, "cards": HOLES[1], "end": 420},
            {"seat": 6, "account": 2, "name": "bob", "stack": 500, "cards": HOLES[2], "end": 300},
            {"seat": 9, "account": 3, "name": "carol", "stack": 90, "cards": HOLES[3], "end": 70},
        ],
        "events": [
            ["post", 6, "small_blind", 10],
            ["post", 9, "big_blind", 20],
            ["raise", 4, 200, 200],
            ["raise", 6, 250, 260],
            ["fold", 9, 0, 20],
            ["uncalled", 6, 60],
            ["flop", "2c", "3c", "4c"],
            ["turn", "9h"],
            ["river", "9d"],
            *[["show", {1: 4, 2: 6, 3: 9}[account]] for account in shown],
            *[["muck", {1: 4, 2: 6, 3: 9}[account]] for account in mucked],
            ["award", 0, 420, [[4, 420]]],
        ],
    }
    delta = {1: 220, 2: -200, 3: -20}[account]
    return PlayedHand(
        number=7,
        hand_id="h1",
        table="T1",
        ended_ms=9_000,
        delta=delta,
        in_chips=False,
        record=json.dumps(record).encode(),
    )


def sealed(played):
    """The same hand as it is stored today."""
    record = with_hidden_cards(json.loads(played.record), SEAL)
    return replace(played, record=json.dumps(record).encode())


def told(played, account, seal=SEAL):
    """The hand as the account may see it."""
    return hand_history(visible_hand(played.record, account, seal), account)


def round_over(**changes):
    """The record of a round as the table writes it."""
    record = {
        "version": 1,
        "round_id": "r1",
        "table": "U1",
        "game": "ultimate",
        "started_ms": 1_000,
        "ended_ms": 9_000,
        "void": False,
        "board": ["2c", "3c", "4c", "9h", "9d"],
        "bank": {"cards": ["Ah", "5d"], "hand": "straight", "qualifies": True},
        "boxes": [
            {
                "box": 2,
                "account": 1,
                "name": "alice",
                "extra": False,
                "cards": ["As", "Ad"],
                "hand": "two_pair",
                "outcome": "lost",
                "bets": [["ante", 100, 0], ["blind", 100, 0], ["play", 400, 0]],
                "envy": 0,
            },
            {
                "box": 3,
                "account": 2,
                "name": "bob",
                "extra": False,
                "cards": ["7h", "8h"],
                "hand": "pair",
                "outcome": "folded",
                "bets": [["ante", 60, 0], ["blind", 60, 0]],
                "envy": 0,
            },
        ],
        "decisions": [
            ["preflop", 2, "play", 4, False],
            ["preflop", 3, "check", 0, True],
            ["flop", 3, "check", 0, False],
            ["river", 3, "fold", 0, True],
        ],
        **changes,
    }
    played = PlayedRound(
        number=8, round_id="r1", table="U1", started_ms=1_000, ended_ms=9_000,
        staked=600, tipped=5, paid=0, void=record["void"],
    )  # fmt: skip
    return PlayedRoundRecord(played=played, record=json.dumps(record).encode())


# --- hands


@pytest.mark.parametrize(("account", "stake", "win"), [(1, 200, 420), (2, 200, 0), (3, 20, 0)])
def test_the_stake_is_what_was_at_risk_and_the_win_what_came_of_it(account, stake, win):
    """A bet that no player called was never at risk (F1)."""
    entry = history_entry(hand(account), account)
    assert entry == wire.HistoryEntry(game="holdem", id="h1", table="T1", at_ms=9_000, stake=stake, win=win)


def test_a_record_that_contradicts_the_ledger_is_a_bug():
    """Better no history than a wrong one."""
    with pytest.raises(AssertionError):
        history_entry(
            PlayedHand(
                number=1,
                hand_id="h1",
                table="T1",
                ended_ms=1,
                delta=219,
                in_chips=False,
                record=hand().record,
            ),
            1,
        )


@pytest.mark.parametrize("of", [lambda played: played, sealed], ids=["of an older build", "sealed"])
@pytest.mark.parametrize(
    ("account", "visible"), [(1, {4}), (2, {4, 6}), (3, {4, 9})], ids=["winner", "mucked", "folded"]
)
def test_a_hand_shows_its_owner_their_own_cards_and_to_all_what_was_turned_up(account, visible, of):
    """G4; a player who mucked or folded is seen by themselves alone."""
    view = told(of(hand(account)), account)
    assert {seat.seat for seat in view.seats if seat.cards is not None} == visible
    assert view.your_seat == {1: 4, 2: 6, 3: 9}[account]
    own = next(seat for seat in view.seats if seat.seat == view.your_seat)
    assert own.cards == HOLES[account]


def test_a_hand_tells_the_seats_of_its_table():
    """The table may be gone; a record of an older build does not have them."""
    record = {**json.loads(hand().record), "seats_max": 9}
    of_nine = told(replace(hand(), record=json.dumps(record).encode()), 1)
    assert (of_nine.table_seats, told(hand(), 1).table_seats) == (9, None)


def test_a_player_has_the_name_of_today():
    """An account that is deleted since has a number for a name; the record keeps the old one."""
    names = {2: "gone-2"}
    visible = visible_hand(hand().record, 1, SEAL)
    set_names(visible, names)
    assert [seat.name for seat in hand_history(visible, 1).seats] == ["alice", "gone-2", "carol"]
    assert set(players_of(round_over())) >= {1, 2}
    in_boxes = {box.name for box in round_history(round_over(), 1, names).boxes}
    assert ("gone-2" in in_boxes, "bob" in in_boxes) == (True, False)


def test_own_cards_that_were_erased_are_told_as_hidden():
    """What was turned up stays; the rest of the hand is told as ever."""
    played = sealed(hand(2))
    record = json.loads(played.record)
    del record["hidden"]
    view = told(replace(played, record=json.dumps(record).encode()), 2)
    assert {seat.seat: seat.cards for seat in view.seats} == {4: HOLES[1], 6: None, 9: None}
    assert view.steps == told(hand(2), 2).steps


def test_a_missing_key_is_logged_by_its_id():
    """The operator may still have it; the player is told what is public."""
    with capture_logs() as logs:
        view = told(sealed(hand(2)), 2, Seal(b"another key of the room's kind.."))
    assert {seat.seat: seat.cards for seat in view.seats} == {4: HOLES[1], 6: None, 9: None}
    missing = {"event": "history.key_missing", "hand_id": "h1", "key_id": SEAL.key_id, "log_level": "warning"}
    assert logs == [missing]


@pytest.mark.parametrize("account", [1, 2, 3])
def test_hidden_cards_do_not_change_what_is_sent(account):
    """Whatever others hold and never showed, this account's copy is the same to the byte."""
    copies = set()
    for cards in permutations([["Kh", "Kd"], ["7c", "2d"], ["Qs", "Jh"]]):
        hidden = iter(cards)
        played = hand(account, shown=(), mucked=(1, 2))
        record = json.loads(played.record)
        for seat in record["seats"]:
            seat["cards"] = HOLES[account] if seat["account"] == account else next(hidden)
        other = PlayedHand(
            number=7,
            hand_id="h1",
            table="T1",
            ended_ms=9_000,
            delta=played.delta,
            in_chips=False,
            record=json.dumps(record).encode(),
        )
        copies.add(msgspec.json.encode(told(other, account)))
    assert len(copies) == 1


def test_the_steps_of_a_hand_are_told_in_order():
    """Posts, actions, streets, what was returned, and who won what."""
    steps = told(hand(), 1).steps
    assert [step.what for step in steps] == [
        "post", "post", "raise", "raise", "fold", "uncalled", "street", "street", "street", "shown", "mucked", "award",
    ]  # fmt: skip
    assert steps[0] == wire.HandStep(what="post", seat=6, amount=10, kind="small_blind")
    assert steps[3] == wire.HandStep(what="raise", seat=6, amount=250, bet=260)
    assert steps[5] == wire.HandStep(what="uncalled", seat=6, amount=60)
    assert steps[6] == wire.HandStep(what="street", street="flop", cards=["2c", "3c", "4c"])
    assert steps[11] == wire.HandStep(
        what="award", pot=0, amount=420, shares=[wire.Share(seat=4, amount=420)]
    )


def raked(account=1):
    """The hand with a rake of 0.20, all of it from the one pot."""
    record = json.loads(hand(account).record)
    record["seats"][0]["end"] = 400
    record["events"][-1] = ["award", 0, 420, [[4, 400]], 20]
    record |= {"rake": 20, "rake_unit": 1}
    return replace(hand(account), delta=hand(account).delta - 20, record=json.dumps(record).encode())


def test_f4_the_rake_of_a_hand_is_told():
    """F4: the award has it beside the shares, and what was won is without it; a hand without rake has no field."""
    award = told(raked(), 1).steps[-1]
    assert award == wire.HandStep(
        what="award", pot=0, amount=420, shares=[wire.Share(seat=4, amount=400)], rake=20
    )
    assert (history_entry(raked(), 1).stake, history_entry(raked(), 1).win) == (200, 400)
    assert b"rake" not in msgspec.json.encode(told(hand(), 1))


def test_an_event_that_no_code_writes_is_a_bug():
    """It is not passed over."""
    record = json.loads(hand().record)
    record["events"].append(["dance", 4])
    odd = PlayedHand(
        number=1,
        hand_id="h1",
        table="T1",
        ended_ms=1,
        delta=220,
        in_chips=False,
        record=json.dumps(record).encode(),
    )
    with pytest.raises(ValueError, match="dance"):
        told(odd, 1)


# --- rounds and sit-and-gos


def test_a_round_is_told_with_bets_cards_and_decisions():
    """All boxes, the board and the bank's hand: everything was turned up."""
    view = round_history(round_over(), 1, {})
    assert (view.your_boxes, view.stake, view.win, view.tip) == ([2], 600, 0, 5)
    assert view.boxes[0] == wire.BoxResult(
        box=2,
        name="alice",
        outcome="lost",
        bets=[
            wire.BetResult(bet="ante", staked=100, paid=0),
            wire.BetResult(bet="blind", staked=100, paid=0),
            wire.BetResult(bet="play", staked=400, paid=0),
        ],
        cards=["As", "Ad"],
        hand="two_pair",
    )
    assert view.board == ["2c", "3c", "4c", "9h", "9d"]
    assert view.bank == wire.BankResult(cards=["Ah", "5d"], hand="straight", qualifies=True)
    assert view.decisions[0] == wire.BoxDecision(box=2, street="preflop", decision="play", amount=400)
    assert view.decisions[3] == wire.BoxDecision(box=3, street="river", decision="fold", automatic=True)


def test_a_void_round_of_which_only_the_ledger_knows_is_told_without_cards():
    """Stake and what came back are there all the same."""
    of = round_over(void=True)
    record = {"version": 1, "round_id": "r1", "table": "U1", "game": "ultimate", "void": True, "boxes": None}
    view = round_history(PlayedRoundRecord(played=of.played, record=json.dumps(record).encode()), 1, {})
    assert (view.void, view.boxes, view.board, view.bank, view.stake) == (True, [], [], None, 600)


def test_entries_of_rounds_and_sit_and_gos_are_the_ledgers():
    """Stake, win, tip and place as they were booked."""
    assert history_entry(round_over().played, 1) == wire.HistoryEntry(
        game="ultimate", id="r1", table="U1", at_ms=9_000, stake=600, win=0, tip=5
    )
    placed = PlayedTournament(number=9, tournament="six.1", ended_ms=5, stake=300, prize=500, place=1)
    assert history_entry(placed, 1) == wire.HistoryEntry(
        game="sit_and_go", id="six.1", table="six.1", at_ms=5, stake=300, win=500, place=1
    )
    back = PlayedTournament(number=9, tournament="six.1", ended_ms=5, stake=300, prize=300, place=None)
    assert history_entry(back, 1).void


# --- links


def linked(played, account=3, *, names="own", own_cards=True):
    """The bytes that everyone gets who opens a link of this account."""
    of = SharedHandRow(
        account=account, options=ShareOptions(names=names, own_cards=own_cards), record=played.record
    )
    view = shared_hand(visible_hand(of.record, shared_viewer(of), SEAL), of)
    return msgspec.json.encode(view)


@pytest.mark.parametrize("names", ["none", "own", "all"])
@pytest.mark.parametrize("own_cards", [True, False])
def test_a_link_is_the_same_whatever_the_hidden_cards_are(names, own_cards):
    """The sharing player's cards are hidden, too, unless the link shows them. Of all others it tells nothing."""
    hidden = (2,) if own_cards else (2, 3)
    cards = [HOLES[account] for account in hidden] + [["2h", "5h"]]
    told_by_link = set()
    for chosen in permutations(cards, len(hidden)):
        played = hand()
        record = json.loads(played.record)
        for account, holes in zip(hidden, chosen, strict=True):
            record["seats"][account - 1]["cards"] = holes
        played = replace(played, record=json.dumps(record).encode())
        told_by_link |= {linked(each, names=names, own_cards=own_cards) for each in (played, sealed(played))}
    assert len(told_by_link) == 1
    changed = json.loads(hand().record)
    changed["seats"][2]["cards"] = ["2h", "5h"]
    other = linked(replace(hand(), record=json.dumps(changed).encode()), names=names, own_cards=own_cards)
    assert (other in told_by_link) == (not own_cards)


@pytest.mark.parametrize("own_cards", [True, False])
@pytest.mark.parametrize("account", [1, 3])
def test_a_link_shows_what_its_player_may_see(account, own_cards):
    """Without the own cards what spectators saw: those that were turned up stay. All else is as in the history."""
    view = msgspec.json.decode(linked(sealed(hand(account)), account, names="all", own_cards=own_cards))
    own = msgspec.json.decode(msgspec.json.encode(told(sealed(hand(account)), account)))
    if not own_cards and account == 3:
        own["seats"][2]["cards"] = None
    assert view == own


@pytest.mark.parametrize(
    ("names", "shown"),
    [("none", [None] * 3), ("own", [None, None, "carol"]), ("all", ["alice", "bob", "carol"])],
)
def test_a_link_shows_the_names_that_its_player_chose(names, shown):
    """No other name is anywhere in it; without name and cards the player's seat is not told either."""
    for own_cards in (True, False):
        text = linked(sealed(hand()), names=names, own_cards=own_cards)
        view = msgspec.json.decode(text)
        assert [seat["name"] for seat in view["seats"]] == shown
        assert all((name.encode() in text) == (name in shown) for name in ("alice", "bob", "carol"))
        assert view["your_seat"] == (9 if own_cards or names != "none" else None)
