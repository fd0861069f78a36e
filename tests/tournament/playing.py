"""A sit-and-go and its table over a virtual clock with memory adapters, and its players."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from typing import Any

from twisted.internet.defer import Deferred, succeed

from pokerroom.chips import Money
from pokerroom.ledger.tournaments import TournamentRow, owned_as
from pokerroom.ops.config_sit_and_go import SitAndGoConfig
from pokerroom.ops.config_tournament import ScheduledTournamentConfig
from pokerroom.ops.config_tournament_play import LevelConfig, TournamentPlayConfig
from pokerroom.table.context import TableContext
from pokerroom.tournament.actor import TournamentActor
from pokerroom.tournament.messages import TournamentLetter
from pokerroom.tournament.offers import opening_of, scheduled_opening_of
from pokerroom.tournament.settings import TournamentActorSettings, tournament_settings
from pokerroom.tournament.table import TournamentTableActor
from pokerroom_protocol import messages as wire
from tests.poker.support import Client, HeldJournal, now
from tests.poker.support import Room as CashRoom

NAME = "six.1"

STARTS_MS = 1_700_000_001_000
"""Moments after the clock of a room begins: its players have entered by then."""


def level(small_blind: int, *, length: int = 60, break_s: int = 0, ante: int = 0) -> LevelConfig:
    """A no-limit level."""
    return LevelConfig(
        small_blind=small_blind,
        big_blind=2 * small_blind,
        big_bet=0,
        ante=ante,
        big_blind_ante=0,
        length=length,
        break_s=break_s,
    )


def offer(**changes: Any) -> SitAndGoConfig:
    """Six players for 10.00 and 4.40 (I1), unless told otherwise."""
    found: dict[str, Any] = {
        "id": "six",
        "name": "Six",
        "game": "holdem",
        "structure": "no_limit",
        "seats": 6,
        "seats_per_address": 2,
        "buy_in": 300,
        "fee": 60,
        "prizes": (Money(1_000), Money(440)),
        "starting_stack": 1_500,
        "levels_timed": True,
        "levels": (level(10), level(20), level(40, break_s=30), level(80), level(400)),
        "raises_max": 3,
        "cap_heads_up": True,
        "action_clock_s": 10,
        "countdown_s": 20,
        "time_bank_s": 0,
        "time_bank_refill_s": 0,
        "hand_pause_ms": 0,
        "observer_delay_s": 0,
        "chat_length_max": 200,
        "chat_per_minute": 20,
        "house_bots": 0,
        "timeout_protection": "never",
    }
    return SitAndGoConfig(**{**found, **changes})


def scheduled_offer(**changes: Any) -> ScheduledTournamentConfig:
    """Up to nine players at tables of three, who may enter until the second level, and again."""
    kept = {one.name: getattr(offer(), one.name) for one in fields(TournamentPlayConfig)}
    found: dict[str, Any] = {
        "starts_ms": STARTS_MS,
        "recurrence": "",
        "zone": "UTC",
        "announce_s": 600,
        "seats_per_table": 3,
        "players_min": 2,
        "players_max": 9,
        "late_levels": 1,
        "entries_max": 2,
        "payout_percent": 15,
        "prize_shares": (),
        "guarantee": 0,
        "hourly_breaks": False,
    }
    return ScheduledTournamentConfig(**{**kept, **found, **changes})


def _forget(journal: HeldJournal, table: str) -> None:
    journal.kept.clear()


class Published:
    """`Payouts` that remember."""

    def __init__(self) -> None:
        self.places: list[tuple[str, int]] = []

    def publish(self, tournament: str, number: int) -> None:
        self.places.append((tournament, number))


class TournamentJournal(HeldJournal):
    """The journal of the tournament, which may look into that of its table."""

    def __init__(self, table: HeldJournal) -> None:
        super().__init__()
        self._table = table

    def peek(self, table: str) -> Deferred[list[bytes]]:
        assert table == NAME
        return succeed(list(self._table.kept))


class Room(CashRoom):
    """One tournament with all of its seats taken, and its table; no client watches yet.

    The two send each other messages at once, unless `lost` says of one that it is lost.
    """

    table: TournamentTableActor
    tournament: TournamentActor

    def __init__(
        self,
        *,
        players: int | None = None,
        scheduled: ScheduledTournamentConfig | None = None,
        **changes: Any,
    ) -> None:
        self.opening = (
            opening_of(offer(**changes), 1)
            if scheduled is None
            else scheduled_opening_of(scheduled, 1, STARTS_MS)
        )
        self.payouts = Published()
        self.overs = 0
        self.tournament_overs = 0
        self.tournament_epoch = 0
        self.lost: Callable[[TournamentLetter], bool] = lambda _: False
        self.doubled = False
        """If every letter comes twice."""
        self.letters: list[TournamentLetter] = []
        """All that were sent, lost or not."""
        self.starts: list[TournamentRow] = []
        """The starts that its table has told."""
        self.players: list[Client] = []
        self._count = self.opening.seats if players is None else players
        self._made = False
        super().__init__()

    def _started(self, row: TournamentRow, table: str) -> None:
        assert table == NAME
        self.starts.append(row)

    def open(self) -> TournamentTableActor:
        if not self._made:
            self._made = True
            self.ledger._now_s = self.clock.seconds  # private: the ledger keeps the clock of its room
            self.tournament_journal = TournamentJournal(self.journal)
            for journal in (self.journal, self.tournament_journal):
                journal.forget = partial(_forget, journal)  # type: ignore[method-assign] # as it does
            now(self.ledger.open_tournament(self.opening))
            for number in range(self._count):
                client = self.client(f"player{number + 1}")
                self.players.append(client)
                now(self.ledger.enter(NAME, client.account, 1))
            self.tournament = self.open_tournament()
        self.epoch = now(self.ledger.take_table(NAME, "n1", self.epoch))
        return TournamentTableActor(
            tournament_settings(self.opening),
            replace(self.context(self.epoch, self.journal), over=self._over),
        )

    def open_tournament(self) -> TournamentActor:
        """Another actor for the tournament on the same ledger under a new epoch."""
        last = self.tournament_epoch
        self.tournament_epoch = now(self.ledger.take_table(owned_as(NAME), "n1", last))
        return TournamentActor(
            TournamentActorSettings(of=tournament_settings(self.opening)),
            replace(self.context(self.tournament_epoch, self.tournament_journal), over=self._tournament_over),
        )

    def send(self, to: str, letter: TournamentLetter) -> None:
        self.letters.append(letter)
        for _ in range(0 if self.lost(letter) else 1 + self.doubled):
            (self.tournament if to == owned_as(NAME) else self.table).hear(letter)

    def context(self, epoch: int, journal: HeldJournal) -> TableContext:
        return replace(
            super().context(epoch, journal), payouts=self.payouts, send=self.send, started=self._started
        )

    def _over(self) -> None:
        self.overs += 1

    def _tournament_over(self) -> None:
        self.tournament_overs += 1

    def stop(self) -> None:
        self.tournament.stop()
        super().stop()

    def begin(self, *watching: Client) -> None:
        """The table opens, and these (else all) look at it."""
        self.restore()
        for client in watching or self.players:
            self.ask(client, wire.Observe)

    def restore(self) -> None:
        """Tournament and table come to live here."""
        self.tournament.restore([], [], frozenset())
        self.table.restore([], [], frozenset())

    def restart(self, *, journal: bool = True) -> None:
        """Another tournament and another table on the same ledger and journals; no client watches."""
        self.restart_tournament(journal=journal)
        self.restart_table(journal=journal)

    def restart_table(self, *, journal: bool = True) -> None:
        """Another table object on the same ledger and journal; no client watches."""
        self.table.stop()
        if not journal:
            self.journal.kept.clear()
        entries = list(self.journal.kept)
        self.table = self.open()
        hands = {hand.hand_id for hand in self.settler.settled}
        self.table.restore([], entries, frozenset(hands))

    def restart_tournament(self, *, journal: bool = True) -> None:
        """Another actor for the tournament on the same ledger and journal."""
        self.tournament.stop()
        if not journal:
            self.tournament_journal.kept.clear()
        entries = list(self.tournament_journal.kept)
        self.tournament = self.open_tournament()
        self.tournament.restore([], entries, frozenset())

    def ask(self, client: Client, kind: type[wire.Request], /, **fields: Any) -> int:
        number = client.next_id()
        self.table.request(client, kind(id=number, table=NAME, **fields))
        return number

    def row(self) -> TournamentRow:
        return now(self.ledger.tournament(NAME))

    def of_seat(self, seat: int) -> Client:
        """The player of a seat."""
        account = self.row().players[seat - 1]
        return next(player for player in self.players if player.account == account)

    def turn(self) -> wire.Turn:
        """The awaited decision, also if no player was there to be asked."""
        hand = self.snapshot().hand
        if hand is None or hand.turn is None:
            return super().turn()
        view = hand.turn
        return wire.Turn(
            table=NAME,
            hand_id=hand.hand_id,
            **{field: getattr(view, field) for field in view.__struct_fields__},
        )

    def all_in(self, players: int = 2) -> None:
        """One hand in which the first to act go all-in, so many of them, and the others fold."""
        hand_id, left = self.turn().hand_id, players
        while self.table.game.play.hand_id() == hand_id and self.table.state_name == "playing":
            turn = self.turn()
            if left and turn.max_raise_to is not None:
                left -= 1
                bets = [seat.bet for seat in self.snapshot().seats]
                self.act("raise" if max(bets) else "bet", turn.max_raise_to)
            elif left or turn.check:
                left -= bool(turn.call_amount)
                self.act("check" if turn.check else "call")
            else:
                self.act("fold")

    def fold_out(self) -> None:
        """All but the big blind fold, and the next hand is dealt."""
        hand_id = self.turn().hand_id
        while self.table.game.play.hand_id() == hand_id and self.table.state_name == "playing":
            self.act("fold")
        self.clock.advance(0.01)

    def play_out(self, *, hands_max: int = 400) -> int:
        """All-in hand by hand until it is over; how many hands."""
        hands = 0
        while self.row().phase == "running" and hands < hands_max:
            if self.table.state_name == "playing":
                self.all_in()
                hands += 1
            self.clock.advance(0.01)
        return hands

    def snapshot(self, client: Client | None = None) -> wire.Snapshot:
        """As a player sees the table."""
        viewer = client or self.players[0]
        return self.table.game.view.snapshot(viewer.account, None)

    def record(self, hand_id: str) -> Any:
        """The record of a settled hand."""
        return json.loads(next(hand.record for hand in self.settler.settled if hand.hand_id == hand_id))

    def after(self, seconds: float) -> None:
        """So much time goes by, in steps."""
        for _ in range(round(seconds * 2)):
            self.clock.advance(0.5)


def held(room: Room, method: str) -> Callable[..., None]:
    """The ledger's answers of this kind wait; call what is returned to let them come, and later ones unless `more`."""
    original = getattr(room.ledger, method)
    asked: list[Deferred[None]] = []

    def slow(*args: Any, **others: Any) -> Deferred[Any]:
        asked.append(Deferred())
        return asked[-1].addCallback(lambda _: original(*args, **others))

    setattr(room.ledger, method, slow)

    def answer(*, more: bool = False) -> None:
        if not more:
            setattr(room.ledger, method, original)
        waiting = asked.copy()
        asked.clear()
        for one in waiting:
            one.callback(None)

    return answer


__all__ = ["NAME", "Client", "Room", "held", "level", "now", "offer", "scheduled_offer"]
