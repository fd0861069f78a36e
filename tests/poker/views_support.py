"""Whole hands at a table, played for the sake of what each kind of viewer is sent: the same deck, the same hand.

A script decides from public facts alone, so two decks that agree in the public facts give the same hand.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace
from structlog.testing import capture_logs

from pokerroom.chips import Money
from pokerroom.history.hidden_cards import HAND_RECORDS, with_all_cards
from pokerroom.rules.betting import BettingStructure, FixedLimit, NoLimit, PotLimit
from pokerroom.rules.cards import DECK, Card
from pokerroom.rules.stakes import Stakes
from pokerroom.rules.variants import HOLDEM, OMAHA, Variant
from pokerroom.table.outgoing import Bundle, Outgoing
from pokerroom.table.seal import Seal
from pokerroom_protocol import messages as wire
from pokerroom_protocol.codec import Encoding, decode_server
from pokerroom_protocol.framing import FrameReader
from pokerroom_protocol.table_view import after_event
from tests.poker.support import SETTINGS, Client, Room

DECK_BYTES = 96  # what a shuffle draws at once, and nothing else does

BLINDS = Stakes(small_blind=50, big_blind=100)
GAMES: dict[str, tuple[Variant, BettingStructure, Stakes]] = {
    "no_limit": (HOLDEM, NoLimit(), BLINDS),
    "pot_limit": (HOLDEM, PotLimit(), Stakes(small_blind=50, big_blind=100, ante=10)),
    "fixed_limit": (HOLDEM, FixedLimit(small_bet=100, big_bet=200), BLINDS),
    "omaha": (OMAHA, PotLimit(), BLINDS),
}

STYLES: dict[str, dict[str, int]] = {
    "folds": {"fold": 6, "call": 3, "min": 2},
    "showdown": {"call": 9, "min": 1},
    "all-in": {"max": 5, "call": 4, "fold": 1},
    "clock": {"clock": 4, "call": 5, "min": 1},
    "comings and goings": {"call": 7, "min": 2, "fold": 1},
}
"""How likely a decision is, by weight."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One hand to be played. `delay_s` is that of the observers."""

    game: str
    players: int
    style: str
    delay_s: int

    def __str__(self) -> str:
        return f"{self.game}, {self.players} players, {self.style}, delay {self.delay_s}"


@dataclass(frozen=True, slots=True)
class Sent:
    """One message as its bytes: msgpack as over TCP, JSON as over WebSocket."""

    message: wire.Answer
    body: bytes
    line: bytes


class Watcher(Client):
    """A viewer that keeps the bytes. It wants the pause: the next hand must not begin."""

    def __init__(self, name: str, account: int | None) -> None:
        super().__init__(name, account)
        self.wants_pause = True
        self.instance = ""
        self.address_group = ""
        self.sent: list[Sent] = []

    def deliver(self, outgoing: Outgoing | Bundle) -> None:
        bodies = FrameReader(2**24).feed(outgoing.framed())
        lines = outgoing.wrapped(Encoding.JSON, _line).splitlines(keepends=True)
        for body, line in zip(bodies, lines, strict=True):
            message = decode_server(body, Encoding.MSGPACK)
            self.sent.append(Sent(message, body, line))
            self.got.append(message)


def _line(body: bytes) -> bytes:
    return body + b"\n"


@dataclass(slots=True)
class Watched:
    """A viewer of a finished hand, and the seat with the cards they may know (None: no seat)."""

    watcher: Watcher
    seat: int | None


@dataclass(slots=True)
class Hand:
    """What came of a hand: all viewers, what the table logged and journalled, and its record in the ledger."""

    watched: dict[str, Watched] = field(default_factory=dict)
    logs: list[Any] = field(default_factory=list)
    journal: list[bytes] = field(default_factory=list)
    record: dict[str, Any] = field(default_factory=dict)

    def public(self) -> list[Any]:
        """What the observers were told in the end, oldest first."""
        return self.watched["observer"].watcher.got

    def facts(self) -> list[Any]:
        """What happened, without any card that was not dealt to the board, and how it ended: from the record."""
        return [*self.record["events"], *([seat["seat"], seat["end"]] for seat in self.record["seats"])]

    def streets(self) -> list[list[str]]:
        """The board cards of each street, from the record."""
        return [cards for kind, *cards in self.record["events"] if kind in {"flop", "turn", "river"}]

    def shown(self) -> set[int]:
        """The seats whose cards were turned up, from the record."""
        return {seat for kind, seat, *_ in self.record["events"] if kind == "show"}

    def mucked(self) -> set[int]:
        """The seats that did not show a beaten hand, from the record."""
        return {seat for kind, seat, *_ in self.record["events"] if kind == "muck"}

    def holes(self) -> dict[int, list[str]]:
        """The cards of each seat, from the record."""
        return {seat["seat"]: seat["cards"] for seat in self.record["seats"]}


def bytes_of(deck: Sequence[Card]) -> bytes:
    """The random bytes from which the shuffle makes this deck."""
    drawn = []
    cards = list(DECK)
    for last in range(len(cards) - 1, 0, -1):
        swap = cards.index(deck[last])
        drawn.append(swap)
        cards[last], cards[swap] = cards[swap], cards[last]
    return bytes(drawn).ljust(DECK_BYTES, b"\0")


class RiggedRoom(Room):
    """A room whose decks are all the same."""

    def __init__(self, deck: Sequence[Card], **changes: Any) -> None:
        self._deck_bytes = bytes_of(deck)
        super().__init__(**changes)

    def random_bytes(self, count: int) -> bytes:
        return self._deck_bytes if count == DECK_BYTES else super().random_bytes(count)

    def watcher(self, name: str) -> Watcher:
        return Watcher(name, self.client(name).account)


def play(case: Case, deck: Sequence[Card], script: int) -> Hand:
    """One hand from the deal to the last viewer's last event; `script` is the seed of the players' decisions."""
    hand = Hand()
    with capture_logs() as logs:
        room = _room(case, deck)
        _Evening(case, room, hand, script).play()
        room.stop()
    hand.logs = logs
    hand.journal = room.journal.all
    stored = json.loads(room.settler.settled[0].record)
    hand.record = with_all_cards(stored, Seal(room.key).of(HAND_RECORDS))
    return hand


def _room(case: Case, deck: Sequence[Card]) -> RiggedRoom:
    variant, structure, stakes = GAMES[case.game]
    return RiggedRoom(
        deck,
        variant=variant,
        structure=structure,
        stakes=stakes,
        seats_max=10,
        min_buy_in=Money(400),
        max_buy_in=Money(6_000),
        hand_pause_ms=10_000_000,
        observer_delay_s=case.delay_s,
        chat_per_minute=1_000,
    )


class _Evening:
    """All viewers of one hand, and what they do meanwhile."""

    def __init__(self, case: Case, room: RiggedRoom, hand: Hand, script: int) -> None:
        self.case = case
        self.room = room
        self.hand = hand
        self.choices = random.Random(script)
        self.sitter = room.watcher("sitter")
        self.players = [room.watcher(f"player{number}") for number in range(case.players)]
        self.observer, self.stranger = room.watcher("observer"), room.watcher("stranger")
        self.seat_of = {player.account: number + 2 for number, player in enumerate(self.players)}

    def play(self) -> None:
        room, case = self.room, self.case
        self.watch("observer", self.observer)
        self.watch("stranger", self.stranger)
        self.watch("seated, not in the hand", self.sitter)
        for number, player in enumerate(self.players):
            self.watch(f"player {number}", player)
        room.ask(self.observer, wire.Observe)
        room.sit(self.sitter, buy_in=5_000)
        room.ask(self.sitter, wire.SitOut)
        short = case.style in {"all-in", "clock"}
        with _dealing_later(room):
            for number, player in enumerate(self.players):
                room.sit(player, buy_in=400 + 300 * number if short else 5_000 + 100 * number)
        room.table.game.play.consider_next()
        hand_id = room.table.game.play.hand_id()
        step = 0
        while room.table.game.play.hand_id() == hand_id and room.table.state_name == "playing":
            self.step(step)
            step += 1
        assert room.counts.hands == 1, "settled, and no other hand"
        for _ in range(10):
            room.clock.advance(case.delay_s / 10)
        self.late_joiner("after the hand")

    def watch(self, name: str, watcher: Watcher) -> None:
        assert name not in self.hand.watched
        self.hand.watched[name] = Watched(watcher, self.seat_of.get(watcher.account))

    def step(self, step: int) -> None:
        room = self.room
        room.clock.advance(2)
        turn = room.turn()
        actor = self.at(turn.seat)
        if step < 6:
            self.late_joiner(f"before decision {step}")
            self.resumed(self.players[step % len(self.players)], step)
        self.provoke(turn, actor)
        if self.case.style == "comings and goings":
            self.come_and_go(step, turn)
        action, amount = self.choose(turn)
        if action == "clock":
            room.clock.advance(self.room.settings.action_clock_s + self.room.settings.countdown_s)
        else:
            answer = room.answer(
                actor, wire.Act, hand_id=turn.hand_id, seq=room.turn().seq, action=action, amount=amount
            )
            assert isinstance(answer, wire.Ok), answer

    def choose(self, turn: wire.Turn) -> tuple[str, int | None]:
        weights = STYLES[self.case.style]
        (choice,) = self.choices.choices(list(weights), list(weights.values()))
        raises = {"min": turn.min_raise_to, "max": turn.max_raise_to}
        if raises.get(choice) is not None:
            return "raise", raises[choice]
        if choice in {"fold", "clock"}:
            return choice, None
        return ("check" if turn.check else "call"), None

    def at(self, seat: int) -> Watcher:
        return self.players[seat - 2]

    def late_joiner(self, when: str) -> None:
        late = self.room.watcher(f"late{len(self.hand.watched)}")
        self.watch(f"late joiner {when}", late)
        self.room.ask(late, wire.Observe)

    def resumed(self, player: Watcher, step: int) -> None:
        """A second connection of the same account takes the table, as after a resumed session; the first comes back."""
        again = Watcher(player.name, player.account)
        self.watch(f"{player.name} resumed before decision {step}", again)
        self.room.ask(again, wire.Observe)
        self.room.ask(player, wire.Observe)

    def provoke(self, turn: wire.Turn, actor: Watcher) -> None:
        """Everything that is refused, and what is asked between two decisions."""
        room = self.room
        act = {"hand_id": turn.hand_id, "seq": turn.seq}
        errors = [
            room.answer(client, wire.Act, **act, action="call")
            for client in (self.observer, self.stranger, self.sitter, *self.players)
            if client is not actor
        ]
        errors += [
            room.answer(actor, wire.Act, **act, action="raise", amount=1),
            room.answer(actor, wire.Act, **act, action="call" if turn.check else "check"),
            room.answer(actor, wire.Act, **{**act, "seq": turn.seq - 1}, action="call"),
            room.answer(actor, wire.Act, **{**act, "hand_id": "other"}, action="call"),
            room.answer(self.stranger, wire.GetSnapshot),
            room.answer(actor, wire.TopUp, amount=10**9),
            room.answer(actor, wire.PreAct, hand_id=turn.hand_id, action="check_fold", call_amount=0),
            room.answer(self.stranger, wire.PreAct, hand_id=turn.hand_id, action="fold_to_any_bet"),
        ]
        assert all(isinstance(error, wire.Error) for error in errors)
        for client in self.players:
            if client is not actor:
                room.ask(client, wire.PreAct, hand_id=turn.hand_id, action="fold_to_any_bet")
                room.ask(client, wire.PreAct, hand_id=turn.hand_id, action="call", call_amount=10**9)
        for client in (self.observer, self.sitter, *self.players):
            assert isinstance(room.answer(client, wire.GetSnapshot), wire.Snapshot)
        for client in self.players:
            room.ask(client, wire.CancelPreAct)
        assert isinstance(room.answer(self.observer, wire.Chat, text="nice hand"), wire.Ok)

    def come_and_go(self, step: int, turn: wire.Turn) -> None:
        """A newcomer, a lost connection that comes back in its turn, and one who leaves in the middle of the hand."""
        room = self.room
        if step == 1:
            newcomer = room.watcher("newcomer")
            room.ask(newcomer, wire.Observe)
            self.watch("newcomer", newcomer)
            room.ask(newcomer, wire.SitDown, buy_in=5_000)
        elif step == 2:
            number = turn.seat - 2
            for watched in self.hand.watched.values():
                if watched.seat == turn.seat:
                    watched.watcher.connected = False
                    room.table.viewer_gone(watched.watcher)
            room.clock.advance(room.settings.action_clock_s + room.settings.countdown_s - 3)
            again = self.players[number] = Watcher(self.players[number].name, self.players[number].account)
            self.watch(f"player {number} come back", again)
            room.ask(again, wire.Observe)
        elif step == 3 and len(self.players) > 2:
            room.ask(self.at(next(seat for seat in (2, 3) if seat != turn.seat)), wire.StandUp)


@contextmanager
def _dealing_later(room: RiggedRoom) -> Iterator[None]:
    """All sit down before the first hand is dealt."""
    lease = room.table.context.lease
    lease.deals = False
    try:
        yield
    finally:
        lease.deals = True


def seqs(client: Client) -> list[int]:
    return [message.seq for message in client.got if isinstance(message, wire.Event)]


def followed(client: Client) -> wire.Snapshot:
    """What a client makes of what it was told; every event must be the next one."""
    view: wire.Snapshot | None = None
    for message in client.got:
        if isinstance(message, wire.Snapshot):
            view = message
        elif isinstance(message, wire.Event):
            assert view is not None
            assert message.seq == view.seq + 1
            view = after_event(view, message)
    assert view is not None
    return view


def table_alone(view: wire.Snapshot) -> wire.Snapshot:
    """What a follower can know: the line of the lobby does not follow events."""
    return replace(view, re=None, info=SETTINGS.info(0, 0))
