"""One hand in progress at a table: the state of the rules, and the seat of each player.

The rules number players from the first left of the button; a table knows seats and accounts. This module translates
between the two and keeps the hand's record. It reads no clock and sends no messages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from pokerroom.history.hidden_cards import CardSeal, with_hidden_cards
from pokerroom.history.knockouts import knockouts_of
from pokerroom.history.record import HandRecord
from pokerroom.ledger.api import HandSettlement, Knockout
from pokerroom.ops.table_settings import TableSettings
from pokerroom.poker.seats import Seat
from pokerroom.rules import events as rules_events
from pokerroom.rules.actions import Action, Check, ClockAllIn, Fold
from pokerroom.rules.cards import Card, card_text
from pokerroom.rules.deal import deal
from pokerroom.rules.hand import (
    HandSetup,
    LegalActions,
    PlayerSetup,
    apply,
    legal_actions,
    start,
)
from pokerroom.rules.planned_hand import HandPlan, Positions
from pokerroom_protocol.messages import TimeoutAction

RECORD_VERSION = 2

RESULT_EVENTS: Final = (rules_events.PotWon, rules_events.HandFinished)
"""The events of a hand's result, which are told only after the commit."""


def setup_of(
    settings: TableSettings, plan: HandPlan, seats: Sequence[Seat], deck: Sequence[Card]
) -> HandSetup:
    """Return what the rules need for the next hand; `seats` in the order of the plan."""
    dealt = deal(deck, len(seats), settings.variant)
    return HandSetup(
        variant=settings.variant,
        structure=settings.structure,
        big_blind=settings.stakes.big_blind,
        players=tuple(
            PlayerSetup(
                stack=seat.stack,
                holes=holes,
                ante=plan.posts[seat.number].ante,
                blind=plan.posts[seat.number].blind,
                blind_kind=plan.posts[seat.number].blind_kind,
                dead=plan.posts[seat.number].dead,
                muck_losing=seat.muck_losing,
            )
            for seat, holes in zip(seats, dealt.holes, strict=True)
        ),
        board=dealt.board,
        last_blind=plan.last_blind,
        dead_blind=settings.stakes.small_blind if plan.positions.small_blind is None else 0,
        show_all_in=settings.show_all_in,
        unit=settings.unit,
        rake=settings.rake,
    )


class HandPlay:
    """A hand from its deal to its last award.

    `seats` are the seats dealt in, by player index. `steps` counts what was applied so far, the deal included.
    """

    __slots__ = (
        "_events",
        "hand_id",
        "opening",
        "player_of",
        "positions",
        "seats",
        "settings",
        "stacks_at_start",
        "started_ms",
        "state",
        "steps",
        "timeout_all_ins",
    )

    def __init__(
        self,
        settings: TableSettings,
        *,
        hand_id: str,
        positions: Positions,
        seats: Sequence[Seat],
        setup: HandSetup,
        started_ms: int,
    ) -> None:
        self.settings = settings
        self.hand_id = hand_id
        self.positions = positions
        self.seats = tuple(seats)
        self.player_of = {seat.number: player for player, seat in enumerate(seats)}
        self.stacks_at_start = tuple(player.stack for player in setup.players)
        self.started_ms = started_ms
        self.steps = 0
        self.timeout_all_ins: list[int] = []
        """Accounts that the clock put all-in in this hand (H2), for the ledger to count."""
        self._events: list[rules_events.Event] = []
        self.state, opening = start(setup)
        self.opening = self._noted(opening)
        """The events of the deal, told together."""

    def legal(self) -> LegalActions:
        """Return what the player to act may do."""
        return legal_actions(self.state)

    def seat_to_act(self) -> Seat | None:
        """Return the seat to act; None when the hand is over."""
        turn = self.state.turn
        return None if turn is None else self.seats[turn.player]

    def act(self, seat_number: int, action: Action) -> list[rules_events.Event]:
        """Apply a decision. Raises `IllegalAction`, and then nothing has changed."""
        return self._noted(apply(self.state, self.player_of[seat_number], action))

    def expire(self, seat: Seat, *, protected: bool) -> list[rules_events.Event]:
        """Apply the expiry of the clock (H2).

        A protected player is all-in for the chips already in, or folded with none in. An unprotected player checks if
        that is free, else folds.
        """
        match self.when_expired(seat, protected=protected):
            case "check":
                return self.act(seat.number, Check())
            case "fold":
                return self.act(seat.number, Fold())
            case "all_in":
                self.timeout_all_ins.append(seat.account)
                return self.act(seat.number, ClockAllIn())

    def when_expired(self, seat: Seat, *, protected: bool) -> TimeoutAction:
        """Return what `expire` does, for the player's clock."""
        if protected:
            return "all_in" if self.state.committed[self.player_of[seat.number]] else "fold"
        return "check" if self.legal().check else "fold"

    def deltas(self) -> tuple[tuple[int, int], ...]:
        """Return the change of each account's stack by the finished hand; with the rake the sum is zero."""
        changes = zip(self.seats, self.stacks_at_start, self.state.stacks, strict=True)
        return tuple((seat.account, after - before) for seat, before, after in changes)

    def shown(self) -> set[int]:
        """Return the seats with cards that were turned up so far."""
        return {
            self._seat(event.player) for event in self._events if isinstance(event, rules_events.HandShown)
        }

    def result(self) -> list[rules_events.Event]:
        """Return the events of the hand's result, which are told only after the commit."""
        events = self._events
        first = next(n for n, event in enumerate(events) if isinstance(event, RESULT_EVENTS))
        return events[first:]

    def settlement(self, epoch: int, ended_ms: int, seal: CardSeal) -> HandSettlement:
        """Return the finished hand for the ledger, from its table's owner of this epoch."""
        plain = self.record(ended_ms)
        record = with_hidden_cards(plain, seal)
        return HandSettlement(
            hand_id=self.hand_id,
            table=self.settings.table,
            epoch=epoch,
            started_ms=self.started_ms,
            ended_ms=ended_ms,
            deltas=self.deltas(),
            record=msgspec.json.encode(record),
            timeout_all_ins=tuple(self.timeout_all_ins),
            rake=sum(self.state.rake),
            knockouts=self._knockouts(plain),
        )

    def _knockouts(self, record: dict[str, Any]) -> tuple[Knockout, ...]:
        if all(self.state.stacks):
            return ()
        return knockouts_of(msgspec.convert(record, HandRecord))

    def record(self, ended_ms: int) -> dict[str, Any]:
        """Return the hand as plain data: cards, events and result. It contains hidden cards.

        It is equal to what is decoded from its JSON text.
        """
        setup = self.state.setup
        record: dict[str, Any] = {
            "version": RECORD_VERSION,
            "hand_id": self.hand_id,
            "table": self.settings.table,
            "game": setup.variant.name,
            "structure": setup.structure.name,
            "small_blind": self.settings.stakes.small_blind,
            "big_blind": self.settings.stakes.big_blind,
            "started_ms": self.started_ms,
            "ended_ms": ended_ms,
            "button": self.positions.button,
            "seats_max": self.settings.seats_max,
            "unit": setup.unit,
            "betting": setup.structure.parameters,
            "seats": [
                {
                    "seat": seat.number,
                    "account": seat.account,
                    "name": seat.name,
                    "stack": self.stacks_at_start[player],
                    "cards": [card_text(card) for card in setup.players[player].holes],
                    "end": self.state.stacks[player],
                    "owed": [owed.ante, owed.blind, owed.blind_kind],
                }
                for player, (seat, owed) in enumerate(zip(self.seats, setup.players, strict=True))
            ],
            "events": [entry for event in self._events if (entry := self._entry(event)) is not None],
        }
        if setup.rake is not None:
            terms = setup.rake
            record["rake_terms"] = {
                "bps": terms.bps,
                "caps": [list(cap) for cap in terms.caps],
                "no_flop_no_drop": terms.no_flop_no_drop,
                "unit": terms.unit,
                "min_pot": terms.min_pot,
            }
        if setup.rake is not None and self.state.rake:
            record |= {"rake": sum(self.state.rake), "rake_unit": setup.rake.unit}
            for row, part in zip(record["seats"], self.state.rake, strict=True):
                row["rake"] = part
        return record

    def _noted(self, events: list[rules_events.Event]) -> list[rules_events.Event]:
        self.steps += 1
        self._events += events
        return events

    def _entry(self, event: rules_events.Event) -> list[Any] | None:
        match event:
            case rules_events.PlayerActed():
                return [event.action, self._seat(event.player), event.added, event.bet]
            case rules_events.PlayerPosted():
                return ["post", self._seat(event.player), event.kind, event.amount]
            case rules_events.StreetOpened():
                return [event.street, *[card_text(card) for card in event.cards]]
            case rules_events.UncalledBetReturned():
                return ["uncalled", self._seat(event.player), event.amount]
            case rules_events.HandShown():
                return ["show", self._seat(event.player)]
            case rules_events.HandMucked():
                return ["muck", self._seat(event.player)]
            case rules_events.PotWon():
                shares = [[self._seat(player), amount] for player, amount in event.shares]
                told = ["award", event.pot, event.amount, shares]
                return [*told, event.rake] if event.rake else told
            case rules_events.HandFinished():
                return None  # the final stacks are with the seats

    def _seat(self, player: int) -> int:
        return self.seats[player].number

    def __repr__(self) -> str:
        """Return a text without cards: a repr may end in a log."""
        return f"<HandPlay {self.hand_id} at {self.settings.table}, {self.steps} steps>"
