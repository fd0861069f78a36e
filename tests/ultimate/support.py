"""A table of Ultimate over a virtual clock with memory adapters, and clients that remember what they are told."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from itertools import count
from typing import Any
from unittest import mock

from twisted.internet.defer import Deferred, fail
from twisted.internet.task import Clock

from pokerroom.chips import Money
from pokerroom.ledger.api import LedgerUnavailable
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.lobby.timeouts import TimeoutDay
from pokerroom.ops.ultimate_settings import UltimateSettings
from pokerroom.rules.cards import DECK, Card, parse_cards
from pokerroom.rules.ranking import HandCategory
from pokerroom.rules.ultimate.bets import BetLimits
from pokerroom.rules.ultimate.terms import ProgressiveTerms, Qualification, Seating, Terms
from pokerroom.table.actor import TableActor
from pokerroom.table.context import TableContext
from pokerroom.table.seal import Seal
from pokerroom.ultimate.game import ultimate_game
from pokerroom_protocol import messages as wire
from tests.poker.support import Client, Counts, HeldJournal, HeldSettler, NobodyWaits, now

BOXES = Terms(
    qualification=Qualification.any_pair,
    seating=Seating.boxes,
    ante=BetLimits(least=100, most=10_000),
    trips=BetLimits(least=100, most=5_000),
)
PROGRESSIVE = ProgressiveTerms(
    stake=100,
    feed_bps=1_500,
    seed=1_000_000,
    prizes=((HandCategory.four_of_a_kind, 30_000), (HandCategory.full_house, 5_000)),
    envy_prize=100_000,
)
COMMON = Terms(
    qualification=Qualification.pair_of_fours,
    seating=Seating.common_hand,
    ante=BetLimits(least=100, most=10_000),
    trips=BetLimits(least=100, most=5_000),
)
SETTINGS = UltimateSettings(
    table="u1",
    name="Ultimate",
    terms=BOXES,
    betting_s=20,
    closing_s=5,
    decision_s=15,
    result_pause_ms=5_000,
    presence=False,
    away_limit_s=120,
    chips=(100, 500, 1_000, 2_500, 10_000, 50_000),
)
OPENING = 1_000_000
FUNDS = 10**15
"""What the bank begins with."""


class HeldLedger:
    """A memory ledger whose answers come when the test says so, or at once; `down` answers nothing."""

    def __init__(self, ledger: MemoryLedger) -> None:
        self.books = ledger
        self.hold: set[str] = set()
        """The calls that are not answered yet."""
        self.down = False
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self._waiting: list[Callable[[], None]] = []

    def __getattr__(self, name: str) -> Any:
        def called(*args: Any) -> Deferred[Any]:
            self.calls.append((name, args))
            if self.down:
                return fail(LedgerUnavailable("down"))
            if name not in self.hold:
                return getattr(self.books, name)(*args)
            held: Deferred[Any] = Deferred()
            self._waiting.append(lambda: getattr(self.books, name)(*args).chainDeferred(held))
            return held

        return called

    def lose(self) -> None:
        """What waits is never done or answered, as the room was killed; nothing is held any more."""
        self.hold.clear()
        self._waiting.clear()

    def answer(self) -> None:
        """What waits is answered now, and nothing is held any more."""
        self.hold.clear()
        while self._waiting:
            self._waiting.pop(0)()

    def asked(self, name: str) -> int:
        """How often this was asked."""
        return sum(1 for called, _ in self.calls if called == name)


class LossyJournal(HeldJournal):
    """A journal that also loses what is on its way to it."""

    def lose(self) -> None:
        """What is not durable is lost, as the room was killed; nothing is held any more."""
        self.hold = False
        self._waiting.clear()


class House:
    """One table against the house and its world."""

    def __init__(self, terms: Terms = BOXES, **changes: Any) -> None:
        self.clock = Clock()
        self.clock.advance(1_767_225_600)
        self.books = MemoryLedger()
        self.ledger = HeldLedger(self.books)
        self.journal = LossyJournal()
        self.counts = Counts()
        self.seats = NobodyWaits(4)
        self.timeouts = TimeoutDay(self.now_ms)
        self._random = 0
        self.key = bytes(32)
        self.epoch = 0
        self.relinquished = 0
        self.settings = replace(SETTINGS, terms=terms, **changes)
        self.table = self.open()
        self.clients: list[Client] = []

    def open(self) -> TableActor:
        """Another table object on the same ledger and journal under a new epoch, as after a restart."""
        self.epoch = now(self.books.take_table("u1", "n1", self.epoch))
        world = TableContext(
            clock=self.clock,
            now_ms=self.now_ms,
            random_bytes=self.random_bytes,
            journal=self.journal,
            ledger=self.ledger,
            settler=HeldSettler(self.books),
            seal=Seal(self.key),
            observer=self.counts,
            seating=self.seats,
            timeouts=self.timeouts,
            epoch=self.epoch,
            tables_max=4,
            relinquished=self._lose,
        )
        table = TableActor(self.settings, world, ultimate_game(self.settings))
        rows = [row for row in now(self.books.seats()) if row.table == "u1"]
        table.restore(rows, list(self.journal.kept), frozenset())
        return table

    def restart(self, *, watched: bool = True) -> None:
        """The room was killed: another table takes over; its clients watch it again if they are connected."""
        self.table.relinquish()
        self.clock.calls.clear()
        self.seats.forget("u1")
        self.ledger.hold.add("open_round")  # as at a node: viewers are there before the ledger has answered
        self.table = self.open()
        if watched:
            for client in self.clients:
                if client.connected:
                    self.table.rejoin(client)
        self.ledger.answer()

    def _lose(self) -> None:
        self.relinquished += 1

    def now_ms(self) -> int:
        return int(self.clock.seconds() * 1000)

    def random_bytes(self, count: int) -> bytes:
        """A fixed, varied stream: tests see the same cards each run."""
        out = bytearray()
        for _ in range(count):
            self._random = (self._random * 6364136223846793005 + 1442695040888963407) % 2**64
            out.append(self._random >> 56)
        return bytes(out)

    # --- clients ----------------------------------------------------------------------------------------------------

    def client(self, name: str, opening: int = OPENING) -> Client:
        """A logged-in client with a funded wallet, which watches the table."""
        account = now(self.books.create_account(name, "x", Money(opening))).account
        client = Client(name, account)
        client.wants_pause = True
        self.clients.append(client)
        self.ask(client, wire.Observe)
        return client

    def lose(self, client: Client) -> None:
        """Lose the client's connection."""
        client.connected = False
        self.table.viewer_gone(client)

    def back(self, client: Client) -> Client:
        """The account on another connection, watching."""
        again = Client(client.name, client.account)
        again.next_id = count(client.next_id() + 1_000).__next__
        again.wants_pause = client.wants_pause
        self.clients = [again if one is client else one for one in self.clients]
        self.ask(again, wire.Observe)
        return again

    def ask(self, client: Client, kind: type[wire.Request], **fields: Any) -> int:
        """Sends a request for the table; returns its id."""
        number = client.next_id()
        self.table.request(client, kind(id=number, table="u1", **fields))
        return number

    def answer(self, client: Client, kind: type[wire.Request], **fields: Any) -> Any:
        """Sends a request and returns the answer to it."""
        number = self.ask(client, kind, **fields)
        return self.answer_to(client, number)

    @staticmethod
    def answer_to(client: Client, number: int) -> Any:
        """The one answer to a request."""
        [answer] = [message for message in client.got if getattr(message, "re", None) == number]
        return answer

    def code(self, client: Client, kind: type[wire.Request], **fields: Any) -> str:
        """Sends a request that is refused; why it is."""
        answer = self.answer(client, kind, **fields)
        assert isinstance(answer, wire.Error), answer
        return answer.code

    def player(self, name: str, box: int | None = None, opening: int = OPENING) -> Client:
        """A client with a place."""
        client = self.client(name, opening)
        assert isinstance(self.answer(client, wire.TakePlace, box=box), wire.UltimateSnapshot)
        return client

    def bet(self, client: Client, bet: str = "ante", amount: int = 100, box: int | None = None) -> Any:
        """Places a bet; the answer."""
        return self.answer(client, wire.PlaceBet, bet=bet, amount=amount, box=box)

    # --- a round ----------------------------------------------------------------------------------------------------

    def close_betting(self) -> None:
        """Lets betting time pass."""
        self.clock.advance(self.settings.betting_s - self.settings.closing_s)
        self.clock.advance(self.settings.closing_s)

    def deal(self, *clients: Client, ante: int = 100, deck: str | None = None) -> str:
        """A round with an Ante of each; its number. `deck` is what is dealt from the top."""
        for client in clients:
            assert isinstance(self.bet(client, amount=ante), wire.Slip)
        with stacked(deck):
            self.close_betting()
        assert self.table.state_name == "playing"
        round_id = self.table.game.play.hand_id()
        assert round_id is not None
        return round_id

    def question(self) -> wire.Decisions:
        """What is asked now."""
        asked = [one for client in self.clients for one in client.all(wire.Decisions)]
        shown = (one for client in self.clients for one in client.all(wire.UltimateSnapshot))
        asked += [_asked(one) for one in shown if one.round is not None and one.round.decisions is not None]
        return max(asked, key=lambda one: one.seq)

    def box(self, client: Client) -> int:
        """The number of the client's place."""
        place = self.table.game.places.held_by(client.account)
        assert place is not None
        return place.box

    def decide_later(self, client: Client, decision: str, multiple: int | None = None, **fields: Any) -> int:
        """Send a decision for the client's own box; return the number of the request."""
        asked = self.question()
        values = {"round_id": asked.round_id, "seq": asked.seq, "box": self.box(client), **fields}
        return self.ask(client, wire.Decide, decision=decision, multiple=multiple, **values)

    def decide(self, client: Client, decision: str, multiple: int | None = None, **fields: Any) -> Any:
        """The same; the answer."""
        return self.answer_to(client, self.decide_later(client, decision, multiple, **fields))

    def play_out(self, *clients: Client) -> wire.RoundEnded:
        """All clients check while they may, and fold on the river."""
        while self.table.state_name == "playing":
            asked = self.question()
            for client in clients:
                if self.box(client) in asked.boxes:
                    decision = "check" if asked.check else "fold"
                    assert isinstance(self.decide(client, decision, seq=asked.seq), wire.Ok)
        return clients[0].last(wire.RoundEnded)

    def rest(self) -> None:
        """Lets the pause after a result pass."""
        self.clock.advance(self.settings.result_pause_ms / 1000)

    # --- money ------------------------------------------------------------------------------------------------------

    def wallet(self, client: Client) -> int:
        assert client.account is not None
        return int(now(self.books.wallet(client.account)))

    def balance(self, code: str) -> int:
        """Of a ledger account of this table, or of the room."""
        return self.balances.get(code, 0)

    @property
    def balances(self) -> dict[str, int]:
        """All ledger accounts; a test that changes one puts it back."""
        return self.books._balances  # private: no public method takes money from the bank

    @property
    def rounds(self) -> dict[str, Any]:
        """All rounds of the ledger, by id."""
        return self.books._rounds  # private: no public method returns the record of a round that has ended

    def check_books(self) -> None:
        """Nothing is created or lost."""
        report = now(self.books.audit())
        assert report.differences == ()
        assert report.total == FUNDS

    def stop(self) -> None:
        """Nothing may be left on the clock."""
        self.table.stop()
        for call in self.clock.getDelayedCalls():
            if call.getTime() <= self.clock.seconds():
                call.cancel()  # what was put off to the next reactor turn
        assert self.clock.getDelayedCalls() == []
        self.check_books()


def stacked(top: str | None) -> Any:
    """The next decks begin with these cards; None: shuffled as ever."""
    if top is None:
        return nullcontext()
    first = tuple(parse_cards(top.replace(" ", "")))
    return dealt_from((*first, *(card for card in DECK if card not in first)))


def dealt_from(deck: tuple[Card, ...]) -> Any:
    """The next rounds are dealt from this deck."""
    return mock.patch("pokerroom.ultimate.bet_closing.shuffled", return_value=deck)


def _asked(shown: wire.UltimateSnapshot) -> wire.Decisions:
    """The event that asked for what a snapshot shows."""
    assert shown.round is not None
    view = shown.round.decisions
    assert view is not None
    return wire.Decisions(
        table=shown.table,
        seq=view.seq,
        round_id=shown.round.round_id,
        boxes=view.boxes,
        check=view.check,
        fold=view.fold,
        multiples=view.multiples,
        deadline_ms=view.deadline_ms,
    )
