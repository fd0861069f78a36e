"""The widgets of a table: seats, board, countdown. They show what they are given and know no connection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.visual import VisualType
from textual.widgets import ProgressBar, Static

from pokerroom.terminal.amounts import pot_total, unit_of
from pokerroom.terminal.texts import t
from pokerroom.terminal.tournaments import result
from pokerroom.terminal.words import card
from pokerroom_protocol import messages as m

# On white in either theme; four colours, so that suits are easy to tell apart.
_SUIT_STYLES = {"c": "#00682c on #ffffff", "d": "#0047b3 on #ffffff", "h": "#b30000 on #ffffff"}
_SPADES = "#000000 on #ffffff"
BACK = Content.styled("░░", "$text-muted")
_NARROWEST = 11
"""Cells inside the narrowest seat, as in `terminal.tcss`."""


def face(text: str, margin: str = " ") -> Content:
    """Return a card, face up, with a margin on both sides."""
    return Content.styled(f"{margin}{card(text)}{margin}", f"bold {_SUIT_STYLES.get(text[1:], _SPADES)}")


def faces(texts: Sequence[str], width: int | None = None) -> Content:
    """Return several cards side by side, with the margins and gaps that `width` cells leave room for."""
    row = Content("")
    for margin, gap in ((" ", " "), ("", " "), ("", "")):
        row = Content(gap).join([face(text, margin) for text in texts])
        if width is None or row.cell_length <= width:
            break
    return row


def places(seats: int, yours: int | None) -> tuple[list[int], list[int]]:
    """Return the seats of the upper and the lower row, left to right.

    They go clockwise round the table, with your seat at the bottom in the middle.
    """
    first = yours or 1
    order = [(first - 1 + step) % seats + 1 for step in range(seats)]  # clockwise: to the left of your seat
    upper = seats // 2
    left = (seats - upper) // 2
    below = [*order[left:0:-1], first, *order[: left + upper : -1]]
    return order[left + 1 : left + 1 + upper], below


class SteadyText(Static):
    """A text that is drawn again only if it is another: a tick shows it four times a second."""

    def update(self, content: VisualType = "", *, layout: bool = True) -> None:
        """See `Static`."""
        shown = self.content
        if not (isinstance(content, Content) and isinstance(shown, Content) and content.is_same(shown)):
            super().update(content, layout=layout)


class Banner(Static):
    """The problem of the connection, above everything: the app's `line`."""

    def on_mount(self) -> None:
        """See `Widget`."""
        self.watch(self.app, "line", self._said)

    def _said(self, line: str) -> None:
        self.update(Content(line))
        self.display = bool(line)


class SeatBox(SteadyText):
    """One seat. `number` counts from 1."""

    def __init__(self, number: int) -> None:
        super().__init__(id=f"seat-{number}", classes="seat")
        self.number = number

    def show(self, table: m.Snapshot) -> None:
        """Show the seat of this table."""
        view = next((seat for seat in table.seats if seat.seat == self.number), None)
        hand = table.hand
        turn = None if hand is None else hand.turn
        self.set_class(turn is not None and turn.seat == self.number, "turn")
        self.set_class(table.your_seat == self.number, "yours")
        self.set_class(view is None, "free")
        self.set_class(view is not None and hand is not None and not view.in_hand, "out")
        if view is None:
            free = "table.held" if self.number in table.reserved else "table.free"
            if table.tournament is not None:
                free = "table.seat"
            self.update(
                Content("\n").join([Content(""), Content.styled(t(free, seat=self.number), "$text-muted")])
            )
            return
        button = (
            Content.styled(" D ", "bold #000000 on #ffd75f")
            if hand and hand.button == self.number
            else Content("")
        )
        name = Content(view.name)
        write = unit_of(table).text
        lines = [
            Content(" ").join([name, button]) if button else name,
            Content.styled(write(view.stack), "bold"),
            self._cards(view, hand, table.info.hole_cards),
            self._state(view, hand, write),
        ]
        self.update(Content("\n").join(lines))

    def _cards(self, view: m.SeatView, hand: m.HandView | None, dealt: int) -> Content:
        if view.cards:
            return faces(view.cards, self.content_size.width or _NARROWEST)
        if hand is not None and view.in_hand:
            return Content(" ").join([BACK] * dealt)
        return Content("")

    def _state(self, view: m.SeatView, hand: m.HandView | None, write: Callable[[int], str]) -> Content:
        said = []
        if not view.connected:
            said.append(Content.styled(t("table.offline"), "$text-warning"))
        if view.status != "playing":
            said.append(Content.styled(t(f"status.{view.status}", view.status), "$text-muted"))
        elif hand is not None and not view.in_hand:
            said.append(Content.styled(t("table.folded"), "$text-muted"))
        if view.all_in and view.in_hand:
            said.append(Content.styled(t("table.all_in"), "bold $text-error"))
        if view.bet:
            said.append(Content.styled(f"▸ {write(view.bet)}", "bold $text-accent"))
        return Content(" ").join(said)


class Board(SteadyText):
    """The middle of the table: board and pots."""

    def show(self, table: m.Snapshot) -> None:
        """Show the board of this table."""
        hand = table.hand
        if table.tournament is not None and table.tournament.phase != "running":
            self.update(Content(result(table.tournament)))
            return
        if hand is None:
            players = sum(seat.status in {"playing", "waiting"} and seat.stack > 0 for seat in table.seats)
            wait = t("table.next_hand") if players > 1 else t("table.waiting")
            if table.paused:
                wait = t("private.paused")
            self.update(Content.styled(f"\n{wait}", "$text-muted"))
            return
        board = faces(hand.board) if hand.board else Content.styled(t(f"street.{hand.street}"), "$text-muted")
        write = unit_of(table).text
        pots = [t("table.pot", amount=write(pot_total(table)))]
        if len(hand.pots) > 1:
            named = [
                t("table.side_pot" if number else "table.main_pot", number=number, amount=write(pot.amount))
                for number, pot in enumerate(hand.pots)
            ]
            pots.append(f"({', '.join(named)})")
        self.update(Content("\n").join([board, Content(""), Content.styled(" ".join(pots), "bold")]))


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLeft:
    """The time left for a decision. `seconds` is None, and `share` 1, until the countdown begins."""

    seconds: int | None
    share: float


def time_left(turn: m.TurnView | None, now_ms: float) -> TimeLeft:
    """Return the time left at `now_ms` of the room's clock."""
    if turn is None or (now_ms < turn.countdown_ms and not turn.in_time_bank):
        return TimeLeft(seconds=None, share=1.0)
    left_ms = max(0.0, turn.deadline_ms - now_ms)
    whole_ms = max(1.0, turn.deadline_ms - turn.countdown_ms)
    return TimeLeft(seconds=round(left_ms / 1000), share=min(1.0, left_ms / whole_ms))


class Countdown(Horizontal):
    """The player to act, and the time left."""

    def __init__(self, *, id: str) -> None:  # noqa: A002 -- Textual's name
        super().__init__(id=id)
        self._title = SteadyText(id="turn-title")
        self._bar = ProgressBar(total=1.0, show_eta=False, show_percentage=False, id="time-bar")

    def compose(self) -> ComposeResult:
        """See `Widget`."""
        yield self._title
        yield self._bar

    def show(self, text: str, left: TimeLeft) -> None:
        """Show the text, and a bar while the countdown runs."""
        self._title.update(Content(text))
        self._bar.display = left.seconds is not None
        self._bar.update(progress=left.share)
