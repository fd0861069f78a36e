"""What an account gets that asks for many of its hands as text: pages, bounds, and no card of other players."""

from __future__ import annotations

import json
import re
from itertools import permutations
from pathlib import Path
from typing import Any, get_args

import pytest
from twisted.internet.defer import Deferred
from twisted.internet.task import Clock

from pokerroom.chips import Money
from pokerroom.gateway import hand_texts
from pokerroom.gateway.hand_texts import TEXT_BYTES, HandTextWriter
from pokerroom.history.text_export import FORMATS
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom_protocol import messages as wire
from tests.gateway.session_parties import Line, player
from tests.gateway.test_account_service import play_a_hand
from tests.history.dealt import SEAL
from tests.history.test_export_command import STARTED_MS, settle
from tests.history.test_exports import record
from tests.poker.support import now

HOUR_MS = 3_600_000
BOB = 2
EACH = 4
"""Requests of a client that its rate allows at once."""


def played(count: int = 5, **changes: Any) -> MemoryLedger:
    """Hands of alice, bob and carol at T1, an hour apart, and one at T2; bob mucks and carol folds."""
    ledger = MemoryLedger()
    for name in ("alice", "bob", "carol", "dave"):
        now(ledger.create_account(name, "hash", Money(99_000)))
    for table in ("T1", "T2"):
        now(ledger.take_table(table, "n1", 0))
        for seat, account in ((4, 1), (6, 2), (9, 3)):
            now(ledger.buy_in(f"buyin:{table[1:]}{seat:031x}", table, 1, seat, account, Money(9_000), 9))
        for number in range(count if table == "T1" else 1):
            settle(ledger, f"{table}-h{number}", table, hours=number, **changes)
    return ledger


def pages(
    ledger: MemoryLedger, account: int = BOB, text_bytes: int = TEXT_BYTES, **asked: Any
) -> list[wire.HandTexts]:
    """All pages, as a client asks for them one after the other."""
    clock = Clock()
    texts = HandTextWriter(ledger, SEAL, clock, text_bytes)
    found: list[wire.HandTexts] = []
    after = asked.pop("after", None)
    while not found or found[-1].more:
        request = wire.ExportHands(id=1, after=after, **{"format": "ohh", **asked})
        answer = Deferred.fromCoroutine(texts.page(request, account))
        turns = 0
        while not answer.called:
            clock.advance(0.001)
            turns += 1
        found.append(now(answer))
        assert turns >= found[-1].hands, "the node plays on between two hands"
        after = found[-1].after
    assert clock.getDelayedCalls() == []
    return found


def ids(of: list[wire.HandTexts]) -> list[str]:
    """The hands of the pages, in their order."""
    lines = "".join(page.text for page in of).split("\n\n")[:-1]
    assert len(lines) == sum(page.hands for page in of)
    return [json.loads(line)["ohh"]["game_number"] for line in lines]


@pytest.mark.parametrize(("bounds", "hands"), [({}, 2), ({"text_bytes": 1}, 1)])
def test_pages_have_each_hand_once(
    monkeypatch: pytest.MonkeyPatch, bounds: dict[str, int], hands: int
) -> None:
    """In the order of the ledger, with a bounded number of hands and of bytes."""
    monkeypatch.setattr(hand_texts, "HANDS_MAX", 2)
    found = pages(played(), **bounds)
    assert ids(found) == [*(f"T1-h{number}" for number in range(5)), "T2-h0"]
    assert max(page.hands for page in found) == hands


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"table": "T2"}, ["T2-h0"]),
        ({"table": "T3"}, []),
        ({"since_ms": STARTED_MS + 3 * HOUR_MS}, ["T1-h3", "T1-h4"]),
        ({"until_ms": STARTED_MS + HOUR_MS}, ["T1-h0", "T2-h0"]),
        ({"table": "T1", "since_ms": STARTED_MS + 1, "until_ms": STARTED_MS + 2 * HOUR_MS}, ["T1-h1"]),
    ],
)
def test_a_table_and_a_period(asked: dict[str, Any], expected: list[str]) -> None:
    """The bounds are of the end of a hand: from the first on, and before the second."""
    assert ids(pages(played(), **asked)) == expected


def test_new_hands_come_after_the_last_one() -> None:
    """A client that keeps `after` adds what was played since."""
    ledger = played(2)
    (last,) = pages(ledger)
    settle(ledger, "T1-new", "T1")
    assert ids(pages(ledger, after=last.after)) == ["T1-new"]


def test_an_account_gets_no_hand_of_others() -> None:
    """Dave has played nothing."""
    assert pages(played(), account=4) == [
        wire.HandTexts(re=1, text="", hands=0, left_out=[], after=None, more=False)
    ]


@pytest.mark.parametrize("form", ["phh", "ohh", "pokerstars"])
def test_cards_of_others_leave_no_trace(form: str) -> None:
    """Whatever alice and carol held where they did not show it: bob gets the same bytes. His own cards are there."""
    stored = json.loads(record())
    shown = {event[1] for event in stored["events"] if event[0] == "show"}
    hidden = [seat for seat in stored["seats"] if seat["seat"] not in shown and seat["account"] != BOB]
    cards = [card for seat in hidden for card in seat["cards"]] + ["9s", "9h"]
    texts = set()
    for order in permutations(cards, 2 * len(hidden)):
        for seat in hidden:
            at = 2 * hidden.index(seat)
            seat["cards"] = list(order[at : at + 2])
        (page,) = pages(played(1, seats=stored["seats"]), format=form, table="T1")
        texts.add(page.text)
    assert len(texts) == 1
    assert "KhKd" in texts.pop().replace(" ", "").replace('","', "")


def test_a_very_long_hand_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is named, and the hands after it are there."""
    ledger = played(1)
    steps = len(json.loads(record())["events"])
    monkeypatch.setattr(hand_texts, "TEXT_STEPS_MAX", steps - 1)
    (page,) = pages(ledger)
    assert (page.hands, page.left_out, page.more) == (0, ["T1-h0", "T2-h0"], False)


def test_the_text_is_that_of_one_hand(sessions, room):
    """Over a connection: the same text as `get_hand` has, each player with the own cards."""
    anna, bob = player(sessions, "anna"), player(sessions, "bob")
    hand_id = play_a_hand(room, anna, bob, folds=True)
    for line in (anna, bob):
        line.say(wire.ExportHands, format="phh")
        room.clock.pump([0.001] * 10)
        (page,) = line.all(wire.HandTexts)
        assert page.text == line.ask(wire.GetHand, hand_id=hand_id, format="phh").text
        assert (page.hands, page.more) == (1, False)
    assert Line(sessions).ask(wire.ExportHands, format="phh").code == "not_authenticated"


def test_a_node_writes_one_page_at_a_time(sessions, room):
    """All connections take turns; what a client that has gone asked for is not written."""
    lines = [player(sessions, name) for name in ("anna", "bob")]
    play_a_hand(room, *lines, folds=True)
    for line in lines:
        for _ in range(EACH):
            line.say(wire.ExportHands, format="phh")
    soon = [call for call in room.clock.getDelayedCalls() if call.getTime() < room.clock.seconds() + 0.002]
    assert len(soon) == 1
    room.clock.pump([0.001] * 5)
    lines[0].session.lost("gone")
    room.clock.pump([0.001] * 5 * EACH)
    assert len(lines[0].all(wire.HandTexts)) < EACH
    assert len(lines[1].all(wire.HandTexts)) == EACH


def test_room_protocol_and_browser_have_the_same_formats() -> None:
    """A format that one of them lacks cannot be asked for, or not be written."""
    script = Path(hand_texts.__file__).parents[1] / "web/static/app/hand_texts.js"
    (listed,) = re.findall(r"^export const FORMATS = \{(.*)\};", script.read_text(), re.MULTILINE)
    assert set(FORMATS) == set(get_args(wire.HandFormat)) == set(re.findall(r"(\w+): \[", listed))
