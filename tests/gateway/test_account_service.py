"""What an account asks about itself, over whole sessions: settings, histories, the cashier."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from pokerroom.chips import Money
from pokerroom.gateway import account_service
from pokerroom.gateway.account_service import REQUESTS_TOLD, WAITING_MAX
from pokerroom.ledger.cashier import RefillTerms
from pokerroom.ledger.rounds import RoundBets, VoidRound
from pokerroom_protocol import messages as wire
from tests.gateway.session_parties import Counting, Line, made_sessions, player, token
from tests.lobby.support import Cardroom
from tests.poker.support import now

KEY = "key-0001"


def play_a_hand(room: Cardroom, *lines: Line, folds: bool = False) -> str:
    """Both sit down; calls and checks to the showdown, or a fold at once; the hand's id."""
    for line in lines:
        line.ask(wire.SitDown, table="t1", buy_in=5_000)
    for _ in range(40):
        room.clock.advance(0.5)
        ended = lines[0].all(wire.HandEnded)
        if ended:
            return str(ended[0].hand_id)
        for line in lines:
            seat = line.all(wire.Snapshot)[-1].your_seat
            turns = line.all(wire.Turn)
            if turns and turns[-1].seat == seat and len(line.all(wire.Acted)) < len(turns):
                turn = turns[-1]
                action = "fold" if folds else "check" if turn.check else "call"
                line.ask(wire.Act, table="t1", hand_id=turn.hand_id, seq=turn.seq, action=action)
    raise AssertionError("no hand was played")


# --- settings


def test_settings_come_with_every_login(sessions):
    """A change is there on the next device, and with the answer to it; what was not changed is as it was."""
    anna = player(sessions, "anna")
    assert anna.all(wire.Authenticated)[0].settings == wire.AccountSettings()
    changed = anna.ask(wire.ChangeSettings, language="de", sounds=0)
    expected = wire.AccountSettings(language="de", sounds=0)
    assert changed == wire.Settings(re=changed.re, settings=expected)
    anna.ask(wire.ChangeSettings, chat=False)

    elsewhere = Line(sessions)
    known = elsewhere.ask(wire.Resume, token=token(anna))
    assert known.settings == wire.AccountSettings(language="de", sounds=0, chat=False)
    assert elsewhere.ask(wire.GetSettings).settings == known.settings
    assert player(sessions, "bob").all(wire.Authenticated)[0].settings == wire.AccountSettings()


def test_settings_that_this_room_does_not_know_are_passed_over(sessions, room):
    """Another version of the room may have kept them; one of the wrong kind is as if it were not there."""
    anna = player(sessions, "anna")
    account = anna.all(wire.Authenticated)[0].account
    kept = {"language": "xx", "video": "high", "sounds": 101, "chat": False, "side_bets": 1}
    now(room.world.ledger.change_settings(account, kept))

    assert anna.ask(wire.GetSettings).settings == wire.AccountSettings(chat=False)


# --- histories


def test_a_hand_played_is_in_the_history(sessions, room):
    """With what it cost and brought; the other player's is the other side of it."""
    anna, bob = player(sessions, "anna"), player(sessions, "bob")
    hand_id = play_a_hand(room, anna, bob, folds=True)

    entries = []
    for line in (anna, bob):
        answer = line.ask(wire.GetHistory)
        assert answer.before is None
        (entry,) = answer.entries
        assert (entry.game, entry.id, entry.table, entry.void) == ("holdem", hand_id, "t1", False)
        entries.append(entry)
    assert sum(entry.win - entry.stake for entry in entries) == 0
    assert min(entry.win for entry in entries) == 0 < max(entry.win for entry in entries)
    ended = {seat.name: seat.stack for seat in anna.all(wire.HandEnded)[0].stacks}
    for name, entry in zip(("anna", "bob"), entries, strict=True):
        assert ended[name] == 5_000 + entry.win - entry.stake


def test_a_hand_that_ended_by_a_fold_shows_no_other_clients_cards(sessions, room):
    """Each player gets their own cards, and not the other's."""
    anna, bob = player(sessions, "anna"), player(sessions, "bob")
    hand_id = play_a_hand(room, anna, bob, folds=True)

    for line in (anna, bob):
        hand = line.ask(wire.GetHand, hand_id=hand_id).hand
        dealt = next(cards.cards for cards in line.all(wire.HoleCards) if cards.cards is not None)
        shown = {seat.seat: seat.cards for seat in hand.seats if seat.cards is not None}
        assert shown == {hand.your_seat: dealt}
        assert [step.what for step in hand.steps][-1] == "award"


def test_a_showdown_shows_what_was_shown(sessions, room):
    """The history's cards are those of the events `shown`, and one's own."""
    anna, bob = player(sessions, "anna"), player(sessions, "bob")
    hand_id = play_a_hand(room, anna, bob)

    turned_up = {event.seat: event.cards for event in anna.all(wire.Shown)}
    assert turned_up
    for line in (anna, bob):
        hand = line.ask(wire.GetHand, hand_id=hand_id).hand
        dealt = next(cards.cards for cards in line.all(wire.HoleCards) if cards.cards is not None)
        shown = {seat.seat: seat.cards for seat in hand.seats if seat.cards is not None}
        assert shown == {**turned_up, hand.your_seat: dealt}
        board = [card for step in hand.steps if step.what == "street" for card in step.cards]
        assert board == [card for event in line.all(wire.StreetDealt) for card in event.cards]


@pytest.mark.parametrize("form", ["phh", "ohh", "pokerstars"])
def test_a_hand_comes_as_a_file_has_it(sessions, room, form):
    """With the player's own cards, and without those of a player who folded; null unless a format is asked for."""
    anna, bob = player(sessions, "anna"), player(sessions, "bob")
    hand_id = play_a_hand(room, anna, bob, folds=True)

    assert anna.ask(wire.GetHand, hand_id=hand_id).text is None
    for line, other in ((anna, bob), (bob, anna)):
        text = line.ask(wire.GetHand, hand_id=hand_id, format=form).text
        cards = text.replace('","', "").replace(" ", "")  # each format parts cards in its own way
        own, hidden = (next(c.cards for c in each.all(wire.HoleCards) if c.cards) for each in (line, other))
        assert "".join(own) in cards
        assert "".join(hidden) not in cards
        assert text.endswith("\n\n")


def test_a_very_long_hand_has_no_text(sessions, room, monkeypatch):
    """Two players can raise each other for as long as they have chips: no text of it holds the room up."""
    anna, bob = player(sessions, "anna"), player(sessions, "bob")
    hand_id = play_a_hand(room, anna, bob)
    steps = len(anna.ask(wire.GetHand, hand_id=hand_id).hand.steps)

    for most in (steps - 1, steps):
        monkeypatch.setattr(account_service, "TEXT_STEPS_MAX", most)
        answer = anna.ask(wire.GetHand, hand_id=hand_id, format="phh")
        assert (len(answer.hand.steps), answer.text is None) == (steps, most < steps)


def test_a_client_that_did_not_play_is_told_nothing(sessions, room):
    """Neither of a hand nor of a round, whether there is one or not."""
    anna, bob, carol = (player(sessions, name) for name in ("anna", "bob", "carol"))
    hand_id = play_a_hand(room, anna, bob)

    assert carol.ask(wire.GetHistory).entries == []
    assert carol.ask(wire.GetHand, hand_id=hand_id).code == "unknown_hand"
    assert anna.ask(wire.GetHand, hand_id="no-such-hand").code == "unknown_hand"
    assert anna.ask(wire.GetRound, round_id="no-such-round").code == "unknown_round"
    assert Line(sessions).ask(wire.GetHand, hand_id=hand_id).code == "not_authenticated"


def rounds(room: Cardroom, account: int, count: int, record: bytes | None = None) -> None:
    """Rounds of 10 each against the house, void each."""
    ledger = room.world.ledger
    now(ledger.take_table("u1", "n1", 0))
    for n in range(count):
        at = {"round_id": f"r{n}", "table": "u1", "epoch": 1}
        now(ledger.close_bets(RoundBets(**at, started_ms=n, stakes=((account, 10),), exposure=0)))
        said = record or json.dumps({"boxes": None, "n": n}).encode()
        now(ledger.void_round(VoidRound(**at, ended_ms=1_000 + n, record=said)))


def test_a_history_is_read_page_by_page(sessions, room):
    """The last of a page says where the next begins; the last page has no more."""
    anna = player(sessions, "anna")
    rounds(room, anna.all(wire.Authenticated)[0].account, 7)

    read, before = [], None
    for size in (3, 3, 1):
        page = anna.ask(wire.GetHistory, before=before, limit=3)
        assert len(page.entries) == size
        read += [entry.id for entry in page.entries]
        before = page.before
    assert before is None
    assert read == [f"r{n}" for n in range(6, -1, -1)]
    assert anna.ask(wire.GetHistory, limit=7).before is None
    assert anna.ask(wire.GetHistory, limit=6).before is not None


def test_a_round_is_told_to_a_client_that_has_bet_in_it(sessions, room):
    """Also a void one of which nothing else is known."""
    anna, bob = player(sessions, "anna"), player(sessions, "bob")
    rounds(room, anna.all(wire.Authenticated)[0].account, 1)

    told = anna.ask(wire.GetRound, round_id="r0").round
    assert (told.stake, told.win, told.void, told.boxes) == (10, 10, True, [])
    assert bob.ask(wire.GetRound, round_id="r0").code == "unknown_round"


LEFT = b'{"game": "holdem", "digest": "%s", "archive": 1}' % (b"0" * 64)
"""What is left of the record of a hand that was moved to a file."""


def test_a_hand_in_the_archive_is_listed_and_not_opened(sessions, room, monkeypatch):
    """With its result; an export and a link to it say that it is away."""
    anna, bob = player(sessions, "anna"), player(sessions, "bob")
    hand_id = play_a_hand(room, anna, bob)
    link = anna.ask(wire.ShareHand, hand_id=hand_id).link
    (before,) = anna.ask(wire.GetHistory).entries
    ledger = room.world.ledger

    def archives(method, changed):
        read = getattr(ledger, method)
        monkeypatch.setattr(ledger, method, lambda *args: read(*args).addCallback(changed))

    archives("hand_of", lambda hand: replace(hand, record=LEFT))
    archives("shared_hand", lambda hand: replace(hand, record=LEFT))
    archives("account_history", lambda entries: [replace(each, record=LEFT) for each in entries])
    archives(
        "hands_page", lambda page: replace(page, hands=[replace(each, record=LEFT) for each in page.hands])
    )
    assert anna.ask(wire.GetHand, hand_id=hand_id).code == "record_archived"
    assert bob.ask(wire.GetSharedHand, code=link.code).code == "record_archived"
    (entry,) = anna.ask(wire.GetHistory).entries
    assert (entry.archived, before.archived, entry.game, entry.id) == (True, False, before.game, before.id)
    assert entry.win - entry.stake == before.win - before.stake
    assert min(entry.win, entry.stake) == 0
    texts = anna.ask(wire.ExportHands, format="phh")
    assert (texts.text, texts.left_out, texts.more) == ("", [hand_id], False)


def test_a_round_in_the_archive_is_not_opened(sessions, room):
    """The answer says where the rest is."""
    anna = player(sessions, "anna")
    rounds(room, anna.all(wire.Authenticated)[0].account, 1, record=LEFT)
    assert anna.ask(wire.GetRound, round_id="r0").code == "record_archived"


# --- cashier


def test_a_deposit_and_a_withdrawal(sessions, room):
    """Asked for, they wait; the operator decides; the cashier's page follows."""
    ledger = room.world.ledger
    anna = player(sessions, "anna")
    assert anna.ask(wire.RequestDeposit, key=KEY, amount=5, source="cash").code == "unknown_source"
    now(ledger.open_source("cash"))
    now(ledger.fund_source("f1", "cash", Money(1_000)))

    deposit = anna.ask(wire.RequestDeposit, key=KEY, amount=500, source="cash").request
    assert (deposit.kind, deposit.amount, deposit.state) == ("deposit", 500, "waiting")
    withdrawal = anna.ask(wire.RequestWithdrawal, key="key-0002", amount=30_000, source="cash").request
    page = anna.ask(wire.GetCashier)
    assert page == wire.Cashier(
        re=page.re, balance=70_000, held=30_000, sources=["cash"], requests=[withdrawal, deposit]
    )
    now(ledger.decide_cash(1, approve=True, note=""))
    now(ledger.decide_cash(2, approve=False, note="come again"))
    page = anna.ask(wire.GetCashier)
    assert (page.balance, page.held) == (100_500, 0)
    assert [(each.state, each.note) for each in page.requests] == [
        ("refused", "come again"),
        ("approved", ""),
    ]


def test_requests_are_refused_by_their_codes(sessions, room):
    """Too much, a key of another request, too many at once; repeated, a request is the same."""
    now(room.world.ledger.open_source("cash"))
    anna = player(sessions, "anna")
    much = {"amount": 100_001, "source": "cash"}
    assert anna.ask(wire.RequestWithdrawal, key=KEY, **much).code == "insufficient_balance"
    first = anna.ask(wire.RequestWithdrawal, key=KEY, amount=1, source="cash")
    again = anna.ask(wire.RequestWithdrawal, key=KEY, amount=1, source="cash")
    assert again.request == first.request
    assert anna.ask(wire.RequestDeposit, key=KEY, amount=1, source="cash").code == "key_used"
    for n in range(WAITING_MAX - 1):
        anna.ask(wire.RequestDeposit, key=f"deposit-{n}", amount=1, source="cash")
    assert anna.ask(wire.RequestDeposit, key="deposit-x", amount=1, source="cash").code == "too_many_requests"
    assert len(anna.ask(wire.GetCashier).requests) == WAITING_MAX < REQUESTS_TOLD


REFILL = RefillTerms(source="cash", floor=Money(10_000), to=Money(50_000), every_s=3_600)


def test_play_money_is_refilled_by_the_room_s_terms(room):
    """The cashier tells the terms and the state; below the floor the wallet is filled up at once, and once."""
    sessions = made_sessions(room, Counting(), refill=REFILL)
    ledger = room.world.ledger
    anna = player(sessions, "anna")
    assert anna.ask(wire.Refill, key=KEY).code == "no_refill"
    assert anna.ask(wire.GetCashier).refill is None
    now(ledger.open_source("cash"))
    now(ledger.fund_source("f1", "cash", Money(60_000)))
    terms = {"floor": 10_000, "to": 50_000}
    assert anna.ask(wire.GetCashier).refill == wire.RefillView(**terms, owned=100_000, wait_ms=0)
    assert anna.ask(wire.Refill, key=KEY).code == "refill_not_needed"

    for number, spent in ((1, 95_000), (3, 49_000)):
        anna.ask(wire.RequestWithdrawal, key=f"spending-{number}", amount=spent, source="cash")
        now(ledger.decide_cash(number, approve=True, note=""))
        if number == 1:
            paid = anna.ask(wire.Refill, key=KEY).request
            assert (paid.kind, paid.key, paid.amount, paid.state) == ("refill", KEY, 45_000, "approved")
    assert anna.ask(wire.Refill, key=KEY).request == paid
    early = anna.ask(wire.Refill, key="key-0002")
    assert early.code == "refill_too_soon"
    assert 0 < early.retry_after_ms <= 3_600_000
    page = anna.ask(wire.GetCashier)
    assert page.balance == page.refill.owned == 1_000
    assert 0 < page.refill.wait_ms <= 3_600_000
    room.clock.advance(3_600)
    assert anna.ask(wire.Refill, key="key-0002").request.amount == 49_000
    assert now(ledger.audit()).differences == ()


def test_a_refill_from_an_empty_source_is_none(room):
    """The player is not told of a wallet that lacks money: the room has none to give."""
    sessions = made_sessions(
        room,
        Counting(),
        refill=RefillTerms(source="cash", floor=Money(200_000), to=Money(200_000), every_s=1),
    )
    now(room.world.ledger.open_source("cash"))
    assert player(sessions, "anna").ask(wire.Refill, key=KEY).code == "no_refill"
