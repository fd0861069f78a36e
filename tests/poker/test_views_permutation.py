"""No viewer sees a hidden card: the bytes that a viewer gets do not depend on cards they may not know.

Each case plays a whole hand, and plays it again with the cards that one viewer may not know permuted: up to each card
that is turned up in the course of it, and to its end. Every byte that such a viewer was sent must be the same, of
players in and out of the hand, observers (who may see it later), late joiners, resumed sessions, and of refusals.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

import msgpack
import pytest
import structlog
from msgspec.structs import replace

from pokerroom.poker import views
from pokerroom.poker.play import HandPlay
from pokerroom.rules import events as rules_events
from pokerroom.rules.cards import DECK, Card, card_text, parse_cards
from pokerroom.table.announcer import Announcer
from pokerroom.table.outgoing import Outgoing
from pokerroom.table.viewer import Broadcast, public
from pokerroom_protocol import messages as wire
from pokerroom_protocol.errors import Code
from tests.compiled import replaces_parts
from tests.effort import EFFORT
from tests.poker.views_support import GAMES, STYLES, Case, Hand, Sent, play


def everyday(game: str, style: str, *, delayed: bool, odd: bool) -> bool:
    """Whether a case is played in an everyday run; `make soak` plays all.

    What is hidden depends on the variant, not on the betting structure: each variant is played with every style, each
    structure with a showdown. A showdown of no-limit is played with and without a delay, the others with one of both.
    """
    if game == "no_limit" and style == "showdown":
        return True
    return delayed == odd and (game in {"no_limit", "omaha"} or style == "showdown")


PLAYERS_MAX = 6 if EFFORT > 1 else 3
"""With more players it takes many more tries until other cards make the same hand."""

CASES = [
    Case(game=game, style=style, players=min(players, PLAYERS_MAX), delay_s=delay_s)
    for row, game in enumerate(GAMES)
    for column, style in enumerate(STYLES)
    for players, delay_s in ((2 + (row + column) % 5, 0), (2 + (row + column + 2) % 5, 7))
    if EFFORT > 1 or everyday(game, style, delayed=delay_s > 0, odd=(row + column) % 2 == 1)
]
"""Every game with every style, with 2 to 6 players (3 every day), and with and without a delay."""


class Leak(AssertionError):  # noqa: N818 -- it is what was found, in the code under test
    """Bytes depend on a card that their reader may not know."""


TURNED_UP = wire.Shown | wire.Mucked | wire.PotAwarded | wire.HandEnded
KEYS_MAX = 2_000
NEVER = 2**60


def shuffled(key: object) -> tuple[Card, ...]:
    return tuple(random.Random(str(key)).sample(DECK, len(DECK)))


def permuted(deck: Sequence[Card], known: set[str], key: int) -> tuple[Card, ...]:
    """The deck with all cards but the known ones in another order."""
    hidden = [place for place, card in enumerate(deck) if card_text(card) not in known]
    other = list(deck)
    for target, source in zip(hidden, random.Random(key).sample(hidden, len(hidden)), strict=True):
        other[target] = deck[source]
    return tuple(other)


@cache
def first(case: Case) -> tuple[tuple[Card, ...], int]:
    """A deck and a script with which the case has what its style is about."""
    for key in range(200):
        deck = shuffled((case, key))
        if characteristic(case, play(case, deck, key)):
            return deck, key
    raise AssertionError(f"no deck makes this hand: {case}")


def characteristic(case: Case, hand: Hand) -> bool:
    kinds = Counter(type(message) for message in hand.public())
    acted = [message for message in hand.public() if isinstance(message, wire.Acted)]
    match case.style:
        case "folds":
            return any(message.action == "fold" for message in acted) and not kinds[wire.Shown]
        case "showdown":
            return kinds[wire.Mucked] > 0 and kinds[wire.Shown] > 0
        case "all-in":
            order = [m for m in hand.public() if isinstance(m, wire.Shown | wire.StreetDealt)]
            run_out = any(isinstance(message, wire.Shown) for message in order[:-1])
            return run_out and isinstance(order[-1], wire.StreetDealt)
        case "clock":
            return any(message.by_clock for message in acted)
    return kinds[wire.SeatTaken] > 0 and any(not seat.connected for seat in _changed(hand))


def _changed(hand: Hand) -> list[wire.SeatChanged]:
    return [message for message in hand.public() if isinstance(message, wire.SeatChanged)]


def cuts(hand: Hand) -> Iterator[tuple[int, set[str]]]:
    """The number of each event that turns up a card for all, with the cards that all may know before it.

    What they may know is taken from the record, not from what they were told. The last is the end of the hand; from the
    first hand turned up on, what happens depends on hidden cards.
    """
    known: set[str] = set()
    streets = iter(hand.streets())
    for message in hand.public():
        if isinstance(message, TURNED_UP) and hand.shown():
            yield message.seq, set(known)
            break
        if isinstance(message, wire.StreetDealt):
            yield message.seq, set(known)
            known |= set(next(streets))
    board = {card for street in hand.streets() for card in street}
    yield NEVER, board.union(*(hand.holes()[seat] for seat in hand.shown()))


def until(sent: Sequence[Sent], seq: int) -> list[tuple[bytes, bytes]]:
    """The bytes before the first message that knows event `seq`."""
    out = []
    for one in sent:
        if isinstance(one.message, wire.Event | wire.Snapshot) and one.message.seq >= seq:
            break
        out.append((one.body, one.line))
    return out


def same_in_public(case: Case, hand: Hand, known: set[str], seq: int) -> Hand:
    """The hand with the cards outside `known` permuted; at its end with the same facts, where cards decide them."""
    deck, script = first(case)
    for key in range(KEYS_MAX):
        other_deck = permuted(deck, known, key)
        assert other_deck != deck
        if seq == NEVER and not _may_end_the_same(case, hand, deck, other_deck):
            continue
        other = play(case, other_deck, script)
        if seq < NEVER or other.facts() == hand.facts():
            return other
    raise AssertionError("no other deck makes the same hand")


def _may_end_the_same(case: Case, hand: Hand, deck: Sequence[Card], other: Sequence[Card]) -> bool:
    """Whether who mucked would still be beaten by the best hand shown: spares most hands that end differently."""
    if not hand.mucked():
        return True
    place = {card_text(card): number for number, card in enumerate(deck)}
    board = parse_cards("".join(card for street in hand.streets() for card in street))
    rank = GAMES[case.game][0].rank
    best = max(rank(parse_cards("".join(hand.holes()[seat])), board) for seat in hand.shown())
    others = ([other[place[text]] for text in hand.holes()[seat]] for seat in hand.mucked())
    return all(rank(tuple(holes), board) < best for holes in others)


def check(case: Case) -> None:
    """Compares all viewers at all cuts."""
    deck, script = first(case)
    hand = play(case, deck, script)
    for seq, known in cuts(hand):
        for seat in {watched.seat for watched in hand.watched.values()}:
            own = set() if seat is None else set(hand.holes()[seat])
            other = same_in_public(case, hand, known | own, seq)
            for name, watched in hand.watched.items():
                if watched.seat == seat:
                    before = until(watched.watcher.sent, seq)
                    assert before or seq < NEVER
                    if before != until(other.watched[name].watcher.sent, seq):
                        raise Leak(f"{case}: {name}, before event {seq}")
            if seq == NEVER and seat is None:
                if hand.logs != other.logs:
                    raise Leak(f"{case}: the log")
                compare_journals(hand.journal, other.journal)


def compare_journals(entries: Sequence[bytes], others: Sequence[bytes]) -> None:
    """The same but for the sealed cards, and those of the same length."""
    sealed = 0
    assert [len(entry) for entry in entries] == [len(entry) for entry in others]
    for entry, other in zip(entries, others, strict=True):
        fields, others_fields = msgpack.unpackb(entry), msgpack.unpackb(other)
        cards = fields.pop("cards", None), others_fields.pop("cards", None)
        assert fields == others_fields
        if cards != (None, None):
            sealed += 1
            assert cards[0] != cards[1]
    assert sealed >= 1


@pytest.mark.parametrize("case", CASES, ids=str)
def test_bytes_do_not_depend_on_cards_a_viewer_may_not_know(case):
    """Every viewer gets the same bytes whatever the hidden cards are; so do log and journal."""
    check(case)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_card_text_is_in_a_log(case):
    """Nothing that a table logs in a whole hand looks like a card."""
    hand = play(case, *first(case))
    words = re.compile(r"(?<![A-Za-z0-9])[2-9TJQKA][cdhs](?![A-Za-z0-9])")

    assert any(entry["event"] == "hand.started" for entry in hand.logs)
    assert not [entry for entry in hand.logs if words.search(repr(entry))]


# --- the test of the test ----------------------------------------------------------------------------------------


def everybodys_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    """`hole_cards`: the observers' copy is a player's."""
    original = views.hole_cards

    def leaking(play: HandPlay, seq: int) -> Broadcast:
        told = original(play, seq)
        assert told.private
        return replace(told, public=next(iter(told.private.values())))

    monkeypatch.setattr(views, "hole_cards", leaking)


def neighbours_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    """`hole_cards`: each player gets those of the next one, too."""
    original = views.hole_cards

    def leaking(play: HandPlay, seq: int) -> Broadcast:
        told = original(play, seq)
        assert told.private
        accounts = list(told.private)
        private = {
            account: Outgoing(
                replace(told.private[account].message, cards=cards_of(told, account) + cards_of(told, other))
            )
            for account, other in zip(accounts, accounts[1:] + accounts[:1], strict=True)
        }
        return replace(told, private=private)

    monkeypatch.setattr(views, "hole_cards", leaking)


def cards_of(told: Broadcast, account: int) -> list[str]:
    assert told.private
    message = told.private[account].message
    assert isinstance(message, wire.HoleCards)
    return message.cards or []


def all_holes(play: HandPlay) -> list[str]:
    return [card_text(card) for player in play.state.setup.players for card in player.holes]


def leaking_step(
    monkeypatch: pytest.MonkeyPatch, kind: type[Any], leak: Callable[[HandPlay, Any], wire.Event]
) -> None:
    original = views.step

    def leaking(play: HandPlay, event: rules_events.Event, seq: int, *, by_clock: bool = False) -> Broadcast:
        told = original(play, event, seq, by_clock=by_clock)
        message = told.public.message
        return public(leak(play, message)) if isinstance(message, kind) else told

    monkeypatch.setattr(views, "step", leaking)


def street_before_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """`street_dealt`: the whole board at once."""
    leaking_step(
        monkeypatch,
        wire.StreetDealt,
        lambda play, dealt: replace(dealt, cards=[card_text(card) for card in play.state.setup.board]),
    )


def others_shown_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """`shown`: with the cards of all others."""
    leaking_step(
        monkeypatch, wire.Shown, lambda play, shown: replace(shown, cards=[*shown.cards, *all_holes(play)])
    )


def mucked_hand_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """`mucked`: a beaten hand is shown all the same."""
    leaking_step(
        monkeypatch,
        wire.Mucked,
        lambda play, mucked: wire.Shown(
            table=mucked.table,
            seq=mucked.seq,
            hand_id=mucked.hand_id,
            seat=mucked.seat,
            cards=all_holes(play),
        ),
    )


def seats_turned_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """`snapshot`: every seat's cards are in it."""
    original = views.snapshot

    def leaking(*, shown: Any, seats: Any, **facts: Any) -> wire.Snapshot:
        return original(shown=[seat.number for seat in seats], seats=seats, **facts)

    monkeypatch.setattr(views, "snapshot", leaking)


def board_to_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """`snapshot`: the board has all five cards."""
    original = views.snapshot

    def leaking(*, play: HandPlay | None, **facts: Any) -> wire.Snapshot:
        told = original(play=play, **facts)
        if play is None or told.hand is None:
            return told
        board = [card_text(card) for card in play.state.setup.board]
        return replace(told, hand=replace(told.hand, board=board))

    monkeypatch.setattr(views, "snapshot", leaking)


PLAYS: dict[str, HandPlay] = {}
"""The last hand of each table that was announced, for a refusal that tells of it."""


def telling_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    """`error`: its sentence has a card."""
    original, announced = Announcer.refuse, views.hole_cards

    def noted(play: HandPlay, seq: int) -> Broadcast:
        PLAYS[play.settings.table] = play
        return announced(play, seq)

    def leaking(
        self: Announcer, viewer: Any, message: wire.Request, code: Code, detail: str | None = None
    ) -> None:
        hand = PLAYS.get(self.table)
        original(self, viewer, message, code, detail if hand is None else all_holes(hand)[0])

    monkeypatch.setattr(Announcer, "refuse", leaking)
    monkeypatch.setattr(views, "hole_cards", noted)


def telling_log(monkeypatch: pytest.MonkeyPatch) -> None:
    """The log: what is dealt is noted."""
    original = views.hole_cards

    def leaking(play: HandPlay, seq: int) -> Broadcast:
        structlog.get_logger().info("hand.dealt", holes=[player.holes for player in play.state.setup.players])
        return original(play, seq)

    monkeypatch.setattr(views, "hole_cards", leaking)


PLANTED = [
    everybodys_cards, neighbours_cards, street_before_its_time, others_shown_too, mucked_hand_shown,
    seats_turned_up, board_to_come, telling_refusal, telling_log,
]  # fmt: skip


@replaces_parts
@pytest.mark.parametrize(
    ("leak", "delayed"),
    [
        pytest.param(leak, delayed, marks=[] if delayed == (number % 2 == 1) else pytest.mark.slow)
        for number, leak in enumerate(PLANTED)
        for delayed in (False, True)
    ],
)
def test_a_planted_leak_is_caught(monkeypatch, leak, delayed):
    """With a card too many in one kind of message, in a refusal or in the log the comparison fails."""
    case = Case(game="no_limit", style="showdown", players=3, delay_s=7 if delayed else 0)
    first(case)

    leak(monkeypatch)

    with pytest.raises(Leak):
        check(case)
