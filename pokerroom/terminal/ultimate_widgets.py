"""The widgets of a table of Ultimate: boxes, and the bank with the board. They show what they are given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from pokerroom.terminal.amounts import in_credits
from pokerroom.terminal.texts import t
from pokerroom.terminal.ultimate_words import bank_text, net, result, signed
from pokerroom.terminal.widgets import BACK, SteadyText, TimeLeft, faces
from pokerroom_protocol import messages as m

COMMON_BOXES = 6
"""How many players of a common hand are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UltimateDisplay:
    """What a table shows: its state, your bets, and the last result with its board until the next round."""

    table: m.UltimateSnapshot
    slip: m.SlipView | None
    ended: m.RoundEnded | None
    board: Sequence[str]

    @property
    def boxes(self) -> list[int | None]:
        """The boxes clockwise from yours; with a common hand the players, yours first, and None for the rest."""
        first = self.table.your_box or 1
        if self.table.info.boxes is not None:
            count = self.table.info.boxes
            return [(first - 1 + step) % count + 1 for step in range(count)]
        betting = [] if self.table.round is None else self.table.round.boxes
        others = {one.box for one in self.table.places} | {one.box for one in betting}
        others -= {self.table.your_box}
        own = [] if self.table.your_box is None else [self.table.your_box]
        shown: list[int | None] = [*own, *sorted(others)]
        return (shown + [None] * COMMON_BOXES)[:COMMON_BOXES]

    def hand(self, box: int) -> list[str]:
        """Return the cards of a box that you may see."""
        if self.ended is not None:
            return next((one.cards or [] for one in self.ended.boxes if one.box == box), [])
        hands = [] if self.table.round is None else self.table.round.hands
        return next((one.cards for one in hands if one.box in {box, None}), [])

    @property
    def is_asked(self) -> bool:
        """Whether your box has to decide."""
        decisions = None if self.table.round is None else self.table.round.decisions
        return decisions is not None and self.table.your_box in decisions.boxes


class UltimateBox(SteadyText):
    """One box. `index` is its place in `UltimateDisplay.boxes`."""

    def __init__(self, index: int) -> None:
        super().__init__(id=f"box-{index}", classes="seat")
        self.index = index

    def show(self, view: UltimateDisplay) -> None:
        """Show the box that this view has here."""
        number = view.boxes[self.index]
        table = view.table
        place = next((one for one in table.places if one.box == number), None)
        bets = next((one for one in (table.round.boxes if table.round else ()) if one.box == number), None)
        ended = next((one for one in (view.ended.boxes if view.ended else ()) if one.box == number), None)
        asked = table.round is not None and table.round.decisions is not None
        asking = table.round.decisions.boxes if asked and table.round and table.round.decisions else []
        self.visible = number is not None
        self.set_class(number in asking, "turn")
        self.set_class(number is not None and number == table.your_box, "yours")
        self.set_class(place is None and bets is None and ended is None, "free")
        self.set_class(bets is not None and bets.status == "folded", "out")
        if number is None:
            return
        holder = place or bets or ended
        if holder is None:
            self.update(
                Content("\n").join([Content(""), Content.styled(t("uth.free", box=number), "$text-muted")])
            )
            return
        own = next((one for one in (view.slip.bets if view.slip else ()) if one.box == number), None)
        shown = bets or (own if number == table.your_box else None)
        lines = [
            Content(holder.name),
            Content("") if shown is None else Content.styled(_short(shown), "bold"),
            self._cards(view, number, bets),
            self._state(place, bets, ended),
        ]
        self.update(Content("\n").join(lines))

    def _cards(self, view: UltimateDisplay, number: int, bets: m.BoxBetsView | None) -> Content:
        known = view.hand(number)
        if known:
            return faces(known, self.content_size.width or None)
        return Content(" ").join([BACK, BACK]) if bets is not None else Content("")

    def _state(
        self, place: m.PlaceView | None, bets: m.BoxBetsView | None, ended: m.BoxResult | None
    ) -> Content:
        if ended is not None:
            won = net(ended)
            style = "bold $text-success" if won > 0 else "bold"
            return Content.styled(f"{t(f'uth_outcome.{ended.outcome}')} {signed(won)}", style)
        if bets is not None and bets.play:
            return Content.styled(f"▸ {in_credits(bets.play)}", "bold $accent")
        if bets is not None:
            return Content.styled(t(f"uth_status.{bets.status}"), "$text-muted")
        if place is not None and not place.connected:
            return Content.styled(t("table.offline"), "$text-warning")
        return Content("")


def _short(bets: m.SlipBet | m.BoxBetsView) -> str:
    """The amounts with the first letter of each bet."""
    named = {"ante": bets.ante, "trips": bets.trips, "progressive": bets.progressive}
    return " ".join(
        f"{t(f'uth_bet.{bet}')[0]}{in_credits(amount)}" for bet, amount in named.items() if amount
    )


class BankAndBoard(SteadyText):
    """The middle of the table: the bank's cards, the board, and your result."""

    def show(self, view: UltimateDisplay) -> None:
        """Show the round of this view, or its result."""
        table, ended = view.table, view.ended
        if ended is not None:
            bank = Content(t("uth.void") if ended.bank is None else bank_text(ended.bank))
            own = next((box for box in ended.boxes if box.box == table.your_box), None)
            told = Content("") if own is None else Content.styled(result(own), "bold")
            self.update(Content("\n").join([bank, faces(view.board), told]))
            return
        if table.round is None:
            self.update(
                Content("\n").join([Content(""), Content.styled(t(f"uth_light.{table.light.light}"), "bold")])
            )
            return
        bank = Content(" ").join([Content(t("uth.bank")), BACK, BACK])
        street = Content.styled(t(f"street.{table.round.street}"), "$text-muted")
        self.update(Content("\n").join([bank, faces(view.board) if view.board else street]))


def betting_left(table: m.UltimateSnapshot, now_ms: float) -> TimeLeft:
    """Return the time left for bets, or for decisions, at `now_ms` of the room's clock."""
    decisions = None if table.round is None else table.round.decisions
    if decisions is not None:
        return _left(decisions.deadline_ms, table.info.decision_ms, now_ms)
    if table.light.closes_ms is not None:
        return _left(table.light.closes_ms, table.info.betting_ms, now_ms)
    return TimeLeft(seconds=None, share=1.0)


def _left(deadline_ms: int, whole_ms: int, now_ms: float) -> TimeLeft:
    left_ms = max(0.0, deadline_ms - now_ms)
    return TimeLeft(seconds=round(left_ms / 1000), share=min(1.0, left_ms / max(1, whole_ms)))
