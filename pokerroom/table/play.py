"""One hand in progress at a table: the rules' state, and who sits behind each of its players.

The rules number players from the first left of the button; a table knows seats and accounts. This module translates
between the two and keeps the hand's record. It asks no clock and speaks to nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from pokerroom.rules import events as rules_events
from pokerroom.rules.actions import Action, ClockAllIn, Fold
from pokerroom.rules.button import HandPlan
from pokerroom.rules.cards import Card, card_text
from pokerroom.rules.deal import deal
from pokerroom.rules.errors import IllegalAction
from pokerroom.rules.hand import (
    HandSetup,
    LegalActions,
    PlayerSetup,
    apply,
    legal_actions,
    start,
    state_to_data,
)
from pokerroom.table.seats import Seat
from pokerroom.table.settings import TableSettings

RECORD_VERSION = 1


class Play:
    """A hand from its deal to its last award.

    `seats` are the chairs dealt in, by player index. `steps` counts what was
    applied so far, the deal included.
    """

    __slots__ = (
        "_record",
        "hand_id",
        "opening",
        "plan",
        "player_of",
        "seats",
        "settings",
        "stacks_at_start",
        "started_ms",
        "state",
        "steps",
    )

    def __init__(
        self,
        settings: TableSettings,
        *,
        hand_id: str,
        plan: HandPlan,
        seats: Sequence[Seat],
        deck: Sequence[Card],
        started_ms: int,
    ) -> None:
        self.settings = settings
        self.hand_id = hand_id
        self.plan = plan
        self.seats = tuple(seats)
        self.player_of = {seat.number: player for player, seat in enumerate(seats)}
        self.stacks_at_start = tuple(seat.stack for seat in seats)
        self.started_ms = started_ms
        self.steps = 0
        self._record: list[tuple[Any, ...]] = []
        dealt = deal(deck, len(seats))
        setup = HandSetup(
            structure=settings.structure,
            big_blind=settings.stakes.big_blind,
            players=tuple(self._player(seat, dealt.holes[player]) for player, seat in enumerate(seats)),
            board=dealt.board,
            last_blind=plan.last_blind,
            show_all_in=settings.show_all_in,
        )
        self.state, opening = start(setup)
        self.opening = self._noted(opening)
        """The events of the deal, told together."""

    def _player(self, seat: Seat, holes: tuple[Card, Card]) -> PlayerSetup:
        post = self.plan.posts.get(seat.number)
        if post is None:
            return PlayerSetup(stack=seat.stack, holes=holes)
        return PlayerSetup(
            stack=seat.stack,
            holes=holes,
            ante=post.ante,
            blind=post.blind,
            blind_kind=post.blind_kind,
            dead=post.dead,
        )

    def legal(self) -> LegalActions:
        """What the player to act may do."""
        return legal_actions(self.state)

    def seat_to_act(self) -> Seat | None:
        """Whose turn it is; None when the hand is over."""
        return None if self.state.to_act is None else self.seats[self.state.to_act]

    def act(self, seat_number: int, action: Action) -> list[rules_events.Event]:
        """Applies a decision. Raises `IllegalAction`, and then nothing has changed."""
        return self._noted(apply(self.state, self.player_of[seat_number], action))

    def expire(self, seat_number: int) -> list[rules_events.Event]:
        """The clock has run out for a protected player: all-in for what is in, or folded with nothing in (H2)."""
        try:
            return self.act(seat_number, ClockAllIn())
        except IllegalAction as refused:
            if refused.code != "fold_instead":
                raise
            return self.act(seat_number, Fold())

    def deltas(self) -> tuple[tuple[int, int], ...]:
        """What the hand did to each account's stack, once it is finished; the sum is zero."""
        changes = zip(self.seats, self.stacks_at_start, self.state.stacks, strict=True)
        return tuple((seat.account, after - before) for seat, before, after in changes)

    def sealed_data(self) -> bytes:
        """The whole state, cards included, for the journal (which stores it encrypted only)."""
        return msgspec.msgpack.encode(state_to_data(self.state))

    def record(self, ended_ms: int) -> bytes:
        """The hand as a JSON document: who held what, what happened, how it ended. It contains hidden cards."""
        setup = self.state.setup
        return msgspec.json.encode(
            {
                "version": RECORD_VERSION,
                "hand_id": self.hand_id,
                "table": self.settings.table,
                "game": "holdem",
                "structure": self.settings.structure_name,
                "small_blind": self.settings.stakes.small_blind,
                "big_blind": self.settings.stakes.big_blind,
                "started_ms": self.started_ms,
                "ended_ms": ended_ms,
                "button": self.plan.positions.button,
                "seats": [
                    {
                        "seat": seat.number,
                        "account": seat.account,
                        "name": seat.name,
                        "stack": self.stacks_at_start[player],
                        "cards": [card_text(card) for card in setup.players[player].holes],
                        "end": self.state.stacks[player],
                    }
                    for player, seat in enumerate(self.seats)
                ],
                "events": self._record,
            }
        )

    def _noted(self, events: list[rules_events.Event]) -> list[rules_events.Event]:
        self.steps += 1
        for event in events:
            entry = self._entry(event)
            if entry is not None:
                self._record.append(entry)
        return events

    def _entry(self, event: rules_events.Event) -> tuple[Any, ...] | None:
        match event:
            case rules_events.Posted():
                return ("post", self._seat(event.player), event.kind, event.amount)
            case rules_events.Acted():
                return (event.action, self._seat(event.player), event.added, event.bet)
            case rules_events.StreetDealt():
                return (event.street, *(card_text(card) for card in event.cards))
            case rules_events.UncalledBetReturned():
                return ("uncalled", self._seat(event.player), event.amount)
            case rules_events.Shown():
                return ("show", self._seat(event.player))
            case rules_events.Mucked():
                return ("muck", self._seat(event.player))
            case rules_events.PotAwarded():
                shares = [[self._seat(player), amount] for player, amount in event.shares]
                return ("award", event.pot, event.amount, shares)
            case rules_events.HandFinished():
                return None  # the final stacks stand with the seats

    def _seat(self, player: int) -> int:
        return self.seats[player].number

    def __repr__(self) -> str:
        """No cards: a repr may end in a log."""
        return f"<Play {self.hand_id} at {self.settings.table}, {self.steps} steps>"
