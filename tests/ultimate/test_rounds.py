"""A round at its table: decisions, the clock, money that moves before a Play is told, and the result."""

from __future__ import annotations

import re

import msgspec

from pokerroom_protocol import messages as wire
from pokerroom_protocol.ultimate_view import after_ultimate_event
from tests.poker.support import now
from tests.ultimate.support import House

WON = "As2cAd3dAh4h6s5c9c7hJd"
"""Boxes 1 and 2, the bank; again; burned, the flop, burned, turn and river: box 1 has aces."""


def events(client):
    """The numbered events that the client got."""
    return [
        one
        for one in client.got
        if getattr(one, "seq", None) is not None and getattr(one, "re", None) is None
    ]


def record_of(house: House, round_id: str):
    """What the ledger keeps of a round that is over."""
    return msgspec.json.decode(house.rounds[round_id].end.record)


def test_a_round_is_played_to_its_result(house):
    """Bets, cards, decisions street by street, the board in between, and what each bet came to."""
    anna, bert = house.player("anna"), house.player("bert")
    house.bet(anna, amount=200)
    house.bet(anna, "trips", 100)
    house.bet(bert, amount=100)
    round_id = house.deal()
    asked = house.question()
    assert (asked.boxes, asked.check, asked.fold, asked.multiples) == ([1, 2], True, False, [3, 4])
    assert asked.deadline_ms == house.now_ms() + 15_000
    assert isinstance(house.decide(anna, "play", 4), wire.Ok)
    assert house.question() is asked  # bert is still to decide
    assert isinstance(house.decide(bert, "check"), wire.Ok)
    asked = house.question()
    assert (asked.boxes, asked.check, asked.fold, asked.multiples) == ([2], True, False, [2])
    assert isinstance(house.decide(bert, "check"), wire.Ok)
    asked = house.question()
    assert (asked.boxes, asked.check, asked.fold, asked.multiples) == ([2], False, True, [1])
    assert isinstance(house.decide(bert, "play", 1), wire.Ok)
    assert [(one.box, one.decision, one.amount) for one in anna.all(wire.Decided)] == [
        (1, "play", 800), (2, "check", 0), (2, "check", 0), (2, "play", 100),
    ]  # fmt: skip
    assert [(one.street, len(one.cards)) for one in anna.all(wire.BoardDealt)] == [("flop", 3), ("river", 2)]
    ended = anna.last(wire.RoundEnded)
    assert (ended.round_id, ended.void, [len(box.bets) for box in ended.boxes]) == (round_id, False, [4, 3])
    for client, box in zip((anna, bert), ended.boxes, strict=True):
        paid = sum(bet.paid - bet.staked for bet in box.bets)
        assert house.wallet(client) == 1_000_000 + paid
    assert house.balance("stakes:u1") == 0
    assert (house.counts.rounds, house.counts.told) == (1, 4)


def test_a_decision_takes_until_its_answer_has_left(house):
    """The operator's figure of it has the wait for the journal, and for the ledger before a Play."""
    anna, bert = house.player("anna"), house.player("bert")
    house.deal(anna, bert)
    took: list[float] = []
    house.counts.action_latency = took.append
    house.journal.hold = True
    house.decide_later(anna, "check")
    house.clock.advance(2)
    house.journal.store()
    assert took == [2]
    house.journal.hold = False
    house.ledger.hold = {"add_stake"}
    house.decide_later(bert, "play", 4)
    house.clock.advance(3)
    house.ledger.answer()
    assert took == [2, 3]


def test_a_question_that_is_told_late_is_asked_again(house):
    """The journal was slow: the players have the whole time from when they see it, and are told its end."""
    anna = house.player("anna")
    house.deal(anna)
    house.journal.hold = True
    house.decide_later(anna, "check")
    house.clock.advance(4)
    house.journal.hold = False
    house.journal.store()
    _, first, again = anna.all(wire.Decisions)
    assert first.deadline_ms == house.now_ms() + 11_000
    assert again.deadline_ms == house.now_ms() + 15_000
    assert isinstance(house.decide(anna, "check", seq=first.seq), wire.Ok)


def test_a_rounds_number_has_the_utc_time_of_its_start(house):
    """And is another one each time (U17)."""
    anna = house.player("anna")
    numbers = []
    for _ in range(3):
        numbers.append(house.deal(anna))
        house.play_out(anna)
        house.rest()
    assert numbers[0] == "20260101-00:00:20-000001"
    assert len(set(numbers)) == 3
    assert all(re.fullmatch(r"\d{8}-\d\d:\d\d:\d\d-\d{6}", number) for number in numbers)


def test_events_follow_a_snapshot_without_a_gap(house):
    """Whoever keeps the view up to date from any snapshot has what a new one says."""
    anna, watcher = house.player("anna"), house.client("watcher")
    for client in (anna, watcher):
        house.ask(client, wire.GetSnapshot)
    house.deal(anna)
    house.play_out(anna)
    house.rest()
    for client in (anna, watcher):
        snapshots = client.all(wire.UltimateSnapshot)
        view = snapshots[-1]
        for event in events(client):
            if event.seq > view.seq:
                assert event.seq == view.seq + 1
                view = after_ultimate_event(view, event)
        fresh = house.answer(client, wire.GetSnapshot)
        assert view == msgspec.structs.replace(fresh, re=view.re, info=view.info)


def test_a_decision_that_cannot_be_is_refused(house):
    """Each with its code, and nothing has changed."""
    anna, bert = house.player("anna", opening=900), house.player("bert")
    assert house.code(anna, wire.Decide, round_id="x", seq=1, box=1, decision="check") == "round_over"
    round_id = house.deal(anna, bert)
    asked = house.question()

    def code(client, decision, multiple=None, **fields):
        values = {"round_id": round_id, "seq": asked.seq, "box": 1, **fields}
        return house.code(client, wire.Decide, decision=decision, multiple=multiple, **values)

    assert code(anna, "check", round_id="20200101-00:00:00-000001") == "wrong_round"
    assert code(anna, "check", seq=asked.seq - 1) == "stale_seq"
    assert code(bert, "check") == "not_your_box"
    assert code(anna, "check", box=3) == "not_your_box"
    assert code(anna, "fold") == "cannot_fold"
    assert code(anna, "play") == "amount_required"
    assert code(anna, "check", 4) == "amount_not_allowed"
    assert code(anna, "play", 2) == "play_not_allowed"
    assert house.wallet(anna) == 700
    house.decide(anna, "check")
    assert code(anna, "play", 4) == "decided_already"


def test_a_player_who_cannot_pay_a_play_may_check(house):
    """Nothing is decided for the player (U4); the wallet was spent on the bets."""
    anna = house.player("anna", opening=500)
    house.deal(anna)
    asked = house.question()
    answer = house.decide(anna, "play", 4)
    assert answer.code == "insufficient_balance"
    assert anna.all(wire.Decided) == []
    assert isinstance(house.decide(anna, "check", seq=asked.seq), wire.Ok)


def test_a_repeated_decision_gets_its_first_answer(house):
    """Also after the street has gone on; another one for the same question does not."""
    anna = house.player("anna")
    round_id = house.deal(anna)
    seq = house.question().seq
    house.decide(anna, "check", seq=seq)
    assert isinstance(house.decide(anna, "check", seq=seq), wire.Ok)
    assert (
        house.code(anna, wire.Decide, round_id=round_id, seq=seq, box=1, decision="play", multiple=4)
        == "stale_seq"
    )
    assert len(anna.all(wire.Decided)) == 1
    house.play_out(anna)
    assert isinstance(house.decide(anna, "check", round_id=round_id, seq=seq), wire.Ok)


def test_a_play_is_money_first(house):
    """Until the ledger has it no client is told, and a repeated message is answered with it."""
    anna, bert = house.player("anna"), house.player("bert")
    house.deal(anna, bert)
    house.ledger.hold = {"add_stake"}
    first = house.decide_later(anna, "play", 4)
    again = house.decide_later(anna, "play", 4)
    assert house.decide(anna, "check").code == "decided_already"
    assert isinstance(house.decide(bert, "check"), wire.Ok)
    assert [one.box for one in bert.all(wire.Decided)] == [2]
    assert anna.all(wire.BoardDealt) == []
    house.ledger.answer()
    assert isinstance(house.answer_to(anna, first), wire.Ok)
    assert isinstance(house.answer_to(anna, again), wire.Ok)
    assert [one.box for one in bert.all(wire.Decided)] == [2, 1]
    assert len(anna.all(wire.BoardDealt)) == 1
    assert house.wallet(anna) == 1_000_000 - 600


def test_the_clock_checks_and_on_the_river_folds(house):
    """And says so (U4): nothing else is ever decided."""
    anna = house.player("anna")
    house.deal(anna)
    for _ in range(3):
        house.clock.advance(14.9)
        assert house.table.state_name == "playing"
        house.clock.advance(0.1)
    assert [(one.decision, one.automatic) for one in anna.all(wire.Decided)] == [
        ("check", True), ("check", True), ("fold", True),
    ]  # fmt: skip
    assert anna.last(wire.RoundEnded).boxes[0].outcome == "folded"


def test_the_clock_decides_only_for_boxes_that_have_not(house):
    """One player has played, one has checked, one is late."""
    anna, bert, carl = (house.player(name) for name in ("anna", "bert", "carl"))
    house.deal(anna, bert, carl)
    house.decide(anna, "play", 4)
    house.clock.advance(10)
    house.decide(bert, "check")
    house.clock.advance(5)
    assert [(one.box, one.decision, one.automatic) for one in anna.all(wire.Decided)] == [
        (1, "play", False), (2, "check", False), (3, "check", True),
    ]  # fmt: skip
    assert house.question().boxes == [2, 3]


def test_a_play_at_the_ledger_was_decided_in_time(house):
    """The clock decides for the others; the street goes on when the ledger has answered."""
    anna, bert = house.player("anna"), house.player("bert")
    house.deal(anna, bert)
    house.ledger.hold = {"add_stake"}
    play = house.decide_later(anna, "play", 3)
    house.clock.advance(15)
    assert [(one.box, one.automatic) for one in anna.all(wire.Decided)] == [(2, True)]
    assert anna.all(wire.BoardDealt) == []
    house.ledger.answer()
    assert isinstance(house.answer_to(anna, play), wire.Ok)
    assert [(one.box, one.decision) for one in anna.all(wire.Decided)][1:] == [(1, "play")]
    assert house.question().boxes == [2]


def test_a_play_that_was_refused_too_late_is_a_check(house):
    """Its time was over when the ledger said that the wallet does not hold it."""
    anna = house.player("anna", opening=300)
    house.deal(anna)
    house.ledger.hold = {"add_stake"}
    play = house.decide_later(anna, "play", 4)
    house.clock.advance(20)
    assert anna.all(wire.Decided) == []
    house.ledger.answer()
    assert house.answer_to(anna, play).code == "insufficient_balance"
    assert [(one.decision, one.automatic) for one in anna.all(wire.Decided)] == [("check", True)]


def test_a_node_that_cannot_act_lets_no_clock_decide(house):
    """The window stands still, and begins once more; the same decisions are asked again, and any number answers."""
    anna = house.player("anna")
    house.deal(anna)
    first = house.question()
    lease = house.table.context.lease
    lease.acts = lease.deals = False
    house.table.suspended()
    house.clock.advance(60)
    assert anna.all(wire.Decided) == []
    lease.acts = lease.deals = True
    house.table.lease_renewed(whole_clocks=True)
    again = house.question()
    assert (again.seq > first.seq, again.deadline_ms) == (True, house.now_ms() + 15_000)
    assert isinstance(house.decide(anna, "check", seq=first.seq), wire.Ok)


def test_steps_are_told_when_they_are_stored(house):
    """What is decided while one is being stored goes with the next entry, and is told with it."""
    clients = [house.player(f"p{number}") for number in range(6)]
    house.deal(*clients)
    entries = len(house.journal.all)
    house.journal.hold = True
    numbers = [house.decide_later(client, "check") for client in clients[:5]]
    assert clients[0].all(wire.Decided) == []
    house.journal.store()
    assert [one.box for one in clients[0].all(wire.Decided)] == [1, 2, 3, 4, 5]
    assert all(
        isinstance(house.answer_to(client, number), wire.Ok)
        for client, number in zip(clients, numbers, strict=False)
    )
    assert len(house.journal.all) == entries + 2
    house.journal.hold = False
    house.decide(clients[5], "check")
    assert len(clients[0].all(wire.BoardDealt)) == 1


def test_a_snapshot_in_between_shows_what_its_number_says(house):
    """Decisions that have no number yet get one before it: no client is told twice."""
    anna, bert, carl = (house.player(name) for name in ("anna", "bert", "carl"))
    house.deal(anna, bert, carl)
    house.journal.hold = True
    house.decide_later(anna, "check")
    house.decide_later(bert, "check")
    watcher = house.client("watcher")
    house.journal.hold = False
    house.journal.store()
    snapshot = watcher.last(wire.UltimateSnapshot)
    assert [box.status for box in snapshot.round.boxes] == ["checked", "checked", "waiting"]
    assert watcher.all(wire.Decided) == []
    assert snapshot.seq == max(one.seq for one in anna.all(wire.Decided))


def test_the_result_is_told_when_the_ledger_has_it(house):
    """Until then no client sees the dealer's cards, and a snapshot waits."""
    anna = house.player("anna")
    house.deal(anna)
    house.decide(anna, "play", 4)
    house.rest()
    house.ledger.hold = {"settle_round"}
    house.deal(anna)
    house.decide(anna, "play", 4)
    assert (house.table.state_name, len(anna.all(wire.RoundEnded))) == ("settling", 1)
    number = house.ask(anna, wire.GetSnapshot)
    assert house.code(anna, wire.GetSnapshot) == "request_pending"
    house.ledger.answer()
    assert len(anna.all(wire.RoundEnded)) == 2
    assert house.answer_to(anna, number).round is None


def test_while_the_ledger_is_away_the_result_waits(house):
    """It is asked again until it answers; the round is settled once."""
    anna = house.player("anna")
    house.deal(anna)
    house.ledger.down = True
    play = house.decide_later(anna, "check")
    assert isinstance(house.answer_to(anna, play), wire.Ok)
    house.decide(anna, "check")
    house.decide(anna, "fold")
    house.clock.advance(1)
    assert house.table.state_name == "settling"
    house.ledger.down = False
    house.clock.advance(3)
    assert len(anna.all(wire.RoundEnded)) == 1
    assert house.wallet(anna) == 999_800


def test_after_a_result_people_look_at_it(house):
    """Unless no player with a place wants to."""
    anna = house.player("anna")
    house.deal(anna)
    house.play_out(anna)
    assert (house.table.state_name, anna.last(wire.LightChanged).light) == ("pausing", "red")
    house.rest()
    assert anna.last(wire.LightChanged).light == "green"
    anna.wants_pause = False
    house.deal(anna)
    house.play_out(anna)
    house.clock.advance(0)
    assert house.table.state_name == "taking_bets"


def test_a_tip_goes_to_the_tronc(house):
    """From players of the round, at any time before its end; all viewers are told, and the tip stays given."""
    anna, bert = house.player("anna"), house.player("bert")
    assert house.code(anna, wire.GiveTip, amount=50) == "round_over"
    house.deal(anna)
    assert house.code(bert, wire.GiveTip, amount=50) == "not_your_box"
    assert house.code(anna, wire.GiveTip, amount=0) == "bad_amount"
    assert house.code(anna, wire.GiveTip, amount=999_801) == "insufficient_balance"
    assert isinstance(house.answer(anna, wire.GiveTip, amount=50), wire.Ok)
    assert isinstance(house.answer(anna, wire.GiveTip, amount=20), wire.Ok)
    assert [(one.name, one.amount) for one in bert.all(wire.TipGiven)] == [("anna", 50), ("anna", 20)]
    house.play_out(anna)
    assert house.balance("tronc") == 70
    assert house.wallet(anna) == 1_000_000 - 200 - 70


def test_a_round_does_not_end_while_a_tip_is_at_the_ledger(house):
    """The decision that came meanwhile counts, and so does the clock's."""
    anna = house.player("anna")
    house.deal(anna)
    house.decide(anna, "check")
    house.decide(anna, "check")
    house.ledger.hold = {"add_stake"}
    tip = house.ask(anna, wire.GiveTip, amount=50)
    last = house.decide_later(anna, "fold")
    assert house.table.state_name == "playing"
    house.ledger.answer()
    assert isinstance(house.answer_to(anna, tip), wire.Ok)
    assert isinstance(house.answer_to(anna, last), wire.Ok)
    assert (len(anna.all(wire.RoundEnded)), house.balance("tronc")) == (1, 50)
    house.rest()
    house.deal(anna)
    house.decide(anna, "check")
    house.decide(anna, "check")
    house.ledger.hold = {"add_stake"}
    house.ask(anna, wire.GiveTip, amount=50)
    house.clock.advance(15)
    house.ledger.answer()
    assert (len(anna.all(wire.RoundEnded)), house.balance("tronc")) == (2, 100)


def test_the_record_has_all_of_the_round(house):
    """For the history: bets, decisions, cards, and the change of each account."""
    anna, bert = house.player("anna"), house.player("bert")
    house.bet(anna, amount=200)
    house.bet(anna, box=6)
    house.answer(anna, wire.ChoosePlay, box=6, multiple=4)
    round_id = house.deal(bert)
    house.answer(bert, wire.GiveTip, amount=10)
    house.decide(anna, "play", 4)
    house.decide(bert, "check")
    house.clock.advance(15)
    house.clock.advance(15)
    record = record_of(house, round_id)
    assert [(box["box"], box["name"], box["extra"]) for box in record["boxes"]] == [
        (1, "anna", False), (2, "bert", False), (6, "anna", True),
    ]  # fmt: skip
    assert record["decisions"] == [
        ["preflop", 1, "play", 4, False],
        ["preflop", 2, "check", 0, False],
        ["flop", 2, "check", 0, True],
        ["river", 2, "fold", 0, True],
    ]
    assert (len(record["board"]), len(record["bank"]["cards"]), record["void"]) == (5, 2, False)
    deltas = dict(record["players"])
    assert {client.account: house.wallet(client) - 1_000_000 for client in (anna, bert)} == deltas
    assert sum(deltas.values()) + record["house"] + record["tronc"] == 0
    assert record["tips"] == [[bert.account, 10]]


def test_at_a_common_hand_each_player_decides_alone(live):
    """Ten players with the same two cards; the bank is beaten or not for all of them."""
    clients = [live.player(f"p{number}") for number in range(10)]
    live.deal(*clients)
    for client in clients:
        assert [(one.box, len(one.cards)) for one in client.last(wire.HandsDealt).hands] == [(None, 2)]
    for number, client in enumerate(clients):
        live.decide(client, *(("play", 4) if number % 2 else ("check",)))
    live.clock.advance(15)
    live.clock.advance(15)
    boxes = clients[0].last(wire.RoundEnded).boxes
    assert [len(box.bets) for box in boxes] == [2, 3] * 5
    assert {box.outcome for box in boxes[::2]} == {"folded"}
    assert len({tuple(box.cards) for box in boxes}) == 1


def test_a_client_that_logs_out_while_its_play_is_paid_gets_no_answer(house):
    """The Play stands; another account on the same connection does not hear of it."""
    anna, bert = house.player("anna"), house.player("bert")
    house.deal(anna, bert)
    house.ledger.hold = {"add_stake"}
    number = house.decide_later(anna, "play", 4)
    account, anna.account = anna.account, None
    house.ledger.answer()
    assert [one for one in anna.got if getattr(one, "re", None) == number] == []
    assert bert.last(wire.Decided).decision == "play"
    assert int(now(house.books.wallet(account))) == 999_400
