"""A sit-and-go's table over a virtual clock with memory adapters, and its players."""

from __future__ import annotations

import json
from typing import Any

from pokerroom.chips import Money
from pokerroom.ledger.tournaments import TournamentRow
from pokerroom.ops.config_sit_and_go import LevelConfig, SitAndGoConfig
from pokerroom.table.context import TableContext
from pokerroom.table.seal import Seal
from pokerroom.tournament.offers import opening_of
from pokerroom.tournament.settings import tournament_settings
from pokerroom.tournament.table import TournamentTable
from pokerroom_protocol import messages as wire
from tests.poker.support import Client, now
from tests.poker.support import Room as CashRoom

NAME = "six.1"


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


class Published:
    """`Payouts` that remember."""

    def __init__(self) -> None:
        self.places: list[tuple[str, int]] = []

    def publish(self, tournament: str, number: int) -> None:
        self.places.append((tournament, number))


class Room(CashRoom):
    """One tournament with all of its seats taken, and its table; no client watches yet."""

    table: TournamentTable

    def __init__(self, *, players: int | None = None, **changes: Any) -> None:
        self.offer = offer(**changes)
        self.payouts = Published()
        self.overs = 0
        self.players: list[Client] = []
        self._count = self.offer.seats if players is None else players
        self._made = False
        super().__init__()

    def open(self) -> TournamentTable:
        if not self._made:
            self._made = True
            self.ledger._now_s = self.clock.seconds
            self.journal.forget = lambda _: self.journal.kept.clear()  # type: ignore[method-assign] # as it does
            now(self.ledger.open_tournament(opening_of(self.offer, 1)))
            for number in range(self._count):
                client = self.client(f"player{number + 1}")
                self.players.append(client)
                now(self.ledger.enter(NAME, client.account, 1))
        self.epoch = now(self.ledger.take_table(NAME, "n1", self.epoch))
        world = TableContext(
            clock=self.clock,
            now_ms=lambda: int(self.clock.seconds() * 1000),
            random_bytes=self.random_bytes,
            journal=self.journal,
            ledger=self.ledger,
            settler=self.settler,
            seal=Seal(self.key),
            observer=self.counts,
            seating=self.seats,
            timeouts=self.timeouts,
            epoch=self.epoch,
            tables_max=self.tables_max,
            relinquished=self.lose,
            payouts=self.payouts,
            over=self._over,
        )
        return TournamentTable(tournament_settings(opening_of(self.offer, 1)), world)

    def _over(self) -> None:
        self.overs += 1

    def begin(self, *watching: Client) -> None:
        """The table opens, and these (else all) look at it."""
        self.table.restore([], [], frozenset())
        for client in watching or self.players:
            self.ask(client, wire.Observe)

    def restart(self, *, journal: bool = True) -> None:
        """Another table object on the same ledger and journal; no client watches."""
        self.table.stop()
        entries = list(self.journal.kept) if journal else []
        if not journal:
            self.journal.kept.clear()
        self.table = self.open()
        hands = {hand.hand_id for hand in self.settler.settled}
        self.table.restore([], entries, frozenset(hands))

    def ask(self, client: Client, kind: type[wire.Request], **fields: Any) -> int:
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


__all__ = ["NAME", "Client", "Room", "level", "now", "offer"]
