"""The entries of the journal of a table: tagged structs, and the lists of version 1."""

from __future__ import annotations

import msgpack
import msgspec
import pytest

from pokerroom.rules.ultimate.bets import BoxBets
from pokerroom.table.journal import UnreadableJournal
from pokerroom.ultimate import journal, recovery
from pokerroom.ultimate.play import Choice, Expired, Tipped
from pokerroom_protocol import messages as wire
from tests.poker.support import now
from tests.ultimate.support import House

LAST = {7: (BoxBets(box=1, player=7, ante=200, trips=100), BoxBets(box=4, player=7, ante=100, play=3))}


def test_an_entry_names_its_kind_its_version_and_its_fields():
    """A person who looks into a journal can read it, and no game reads the entries of another as its own."""
    entry = msgspec.msgpack.decode(journal.table_entry(closing=True, last_bets=LAST, keys={7: ("k1", "k2")}))
    assert entry == {
        "entry": "ultimate.table",
        "version": 2,
        "closing": True,
        "last_bets": [
            {"account": 7, "box": 1, "ante": 200, "trips": 100},
            {"account": 7, "box": 4, "ante": 100, "play": 3},
        ],
        "keys": {7: ["k1", "k2"]},
    }
    assert msgspec.msgpack.decode(journal.frozen_entry(frozen=True))["entry"] == "ultimate.frozen"


def version_1(entry: bytes) -> bytes:
    """The same entry as version 1 wrote it."""
    decoded = journal.decode_entry(entry)
    match decoded:
        case journal.RoundsKept():
            fields = ["table", decoded.closing, last_bets_1(decoded)]
        case journal.BettingClosed():
            names = [list(name) for name in decoded.names.items()]
            fields = ["bets", decoded.closing, last_bets_1(decoded)]
            fields += [decoded.round_id, decoded.started_ms, names, decoded.cards]
        case journal.StepsTaken():
            fields = ["steps", decoded.round_id, decoded.group, [step_1(step) for step in decoded.steps]]
        case journal.DoorsOrdered():
            fields = ["closing", decoded.closing]
        case journal.FreezeOrdered():
            fields = ["frozen", decoded.frozen]
    return msgpack.packb(["u1", *fields])


def last_bets_1(entry):
    by_account = {}
    for bet in entry.last_bets:
        bets = [bet.box, bet.ante, bet.trips, bet.progressive, bet.play]
        by_account.setdefault(bet.account, []).append(bets)
    return [[account, bets] for account, bets in by_account.items()]


def step_1(step):
    match step:
        case Choice():
            return ["choice", step.account, step.box, step.kind, step.multiple, step.seq]
        case Expired():
            return ["expired", None if step.boxes is None else list(step.boxes)]
        case Tipped():
            return ["tip", step.account, step.amount, step.number]


@pytest.mark.parametrize(
    "entry",
    [
        journal.table_entry(closing=True, last_bets=LAST, keys={}),
        journal.closing_entry(closing=True),
        journal.frozen_entry(frozen=True),
    ],
)
def test_an_entry_of_version_1_is_read(entry):
    """It says the same."""
    assert journal.decode_entry(version_1(entry)) == journal.decode_entry(entry)


def test_a_round_in_a_journal_of_version_1_is_played_on(house: House):
    """The room was updated in the middle of a round: same cards, same decisions, and no bet goes back."""
    anna, bert = house.player("anna"), house.player("bert")
    house.deal(anna, bert)
    house.answer(anna, wire.GiveTip, amount=5)
    house.decide(anna, "play", 3)
    house.clock.advance(15)
    state = house.table.game.state.play.state
    before = house.journal.kept
    house.journal.kept = [version_1(entry) for entry in before]
    assert all(
        entry.startswith((b"\x94\xa2u1", b"\x95\xa2u1", b"\x98\xa2u1")) for entry in house.journal.kept
    )
    assert recovery.read(house.journal.kept) == recovery.read(before)
    known = now(house.books.open_round("u1"))
    back = recovery.rebuild(recovery.read(house.journal.kept), "u1", known, house.table.context.seal)
    assert back.play.state == state
    house.restart()
    assert house.table.game.state.play.state == state
    assert not house.play_out(bert).void


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (b"", "another shape"),
        (b"\xc1", "another shape"),
        (msgpack.packb(["u1", "steps", "r", 1, [["dance", 1]]]), "another shape: KeyError"),
        (msgpack.packb(["u1", "steps", "r", 1, [["choice", 1, 1, "raise", 0, 5]]]), "another shape"),
        (msgpack.packb(["u1", "unknown"]), "another shape: ValueError"),
        (msgpack.packb(["u0", "table", False, []]), "another game"),
        (msgpack.packb({"entry": "ultimate.closing", "closing": True}), "version 0, not 2"),
        (msgpack.packb({"entry": "closing", "version": 2, "closing": True}), "another shape"),
        (msgpack.packb({"entry": "ultimate.closing", "version": 2, "closing": "yes"}), "another shape"),
    ],
)
def test_what_is_no_entry_is_unreadable_and_says_why(entry, reason):
    """Another game, another version, another shape; the reason quotes nothing of the entry."""
    with pytest.raises(UnreadableJournal, match=reason) as unreadable:
        journal.decode_entry(entry)
    assert unreadable.value.__cause__ is None


def test_cards_of_another_version_are_not_played(house: House):
    """They are sealed with the right key, and say what they are."""
    anna = house.player("anna")
    house.deal(anna)
    seal = house.table.context.seal
    opening = journal.decode_entry(house.journal.kept[0])
    other = seal.close(msgpack.packb(["u9", {}]), opening.round_id)
    with pytest.raises(UnreadableJournal, match="of version u9, not u1"):
        journal.open_cards(msgspec.structs.replace(opening, cards=other), seal)
    damaged = seal.close(b"\xc1", opening.round_id)
    with pytest.raises(UnreadableJournal, match="cannot be opened: DecodeError"):
        journal.open_cards(msgspec.structs.replace(opening, cards=damaged), seal)
