"""Dialogs: one asks for an amount, one for a choice. Each returns its answer to its caller.

Titles and choices may be names that other people chose: no markup in them is read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Button, Checkbox, Input, Label

from pokerroom.terminal.amounts import CREDITS, Unit
from pokerroom.terminal.texts import t


@dataclass(frozen=True, slots=True, kw_only=True)
class AmountQuestion:
    """A question for an amount within bounds; `presets` are named values by key: h, p or a."""

    title: str
    low: int
    high: int
    proposed: int
    step: int
    presets: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    option: str | None = None
    """The label of a checkbox, if there is one."""
    unit: Unit = CREDITS
    limit: int | None = None
    """The largest amount that may be typed, if it is more than `high`; the room decides on it."""


@dataclass(frozen=True, slots=True)
class AmountAnswer:
    """The answer: an amount in the smallest unit, and the state of the checkbox."""

    amount: int
    ticked: bool


class AmountInput(Input):
    """An input for digits; it leaves other keys to its dialog."""

    def check_consume_key(self, key: str, character: str | None) -> bool:  # noqa: ARG002 -- Textual's signature
        """See `Widget`."""
        return character is not None and character in "0123456789.,"


class AmountDialog(ModalScreen[AmountAnswer | None]):
    """Ask for an amount: typed, by arrow keys, or by the keys of the presets. Escape returns None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss", "key.back"),
        Binding("up", "step(1)", "key.more", priority=True),
        Binding("down", "step(-1)", "key.less", priority=True),
        Binding("h", "preset('h')", show=False, priority=True),  # amounts have no letters
        Binding("p", "preset('p')", show=False, priority=True),
        Binding("a", "preset('a')", show=False, priority=True),
        Binding("b", "tick", show=False, priority=True),
    ]

    def __init__(self, question: AmountQuestion) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        """See `Screen`."""
        asked = self._question
        write = asked.unit.text
        with Vertical(classes="dialog"):
            yield Label(asked.title, classes="title", markup=False)
            yield Label(t("ask.span", low=write(asked.low), high=write(asked.high), step=write(asked.step)))
            yield AmountInput(asked.unit.plain(asked.proposed), id="amount", select_on_focus=True)
            with Horizontal(classes="buttons"):
                for key, (name, _) in asked.presets.items():
                    yield Button(Content(f"{key.upper()} {name}"), id=f"preset-{key}", compact=True)
            if asked.option is not None:
                yield Checkbox(f"B  {asked.option}", id="option", compact=True)
            yield Label("", id="wrong", markup=False)
            yield Label(t("ask.hint"), classes="hint")

    def action_preset(self, key: str) -> None:
        """Put the amount of a preset into the input."""
        if key in self._question.presets:
            self._put(self._question.presets[key][1])

    def action_tick(self) -> None:
        """Toggle the checkbox."""
        if self._question.option is not None:
            self.query_one("#option", Checkbox).toggle()

    @on(Button.Pressed)
    def _preset(self, event: Button.Pressed) -> None:
        self.action_preset((event.button.id or "").removeprefix("preset-"))

    def action_step(self, direction: int) -> None:
        """Change the amount by one step."""
        try:
            now = self._question.unit.parse(self._input.value)
        except ValueError:
            now = self._question.proposed
        self._put(now + direction * self._question.step)

    @on(Input.Submitted)
    def _submitted(self) -> None:
        asked = self._question
        try:
            amount = self._question.unit.parse(self._input.value)
        except ValueError as wrong:
            self._say(str(wrong))
            return
        if not asked.low <= amount <= (asked.limit or asked.high):
            write = asked.unit.text
            self._say(t("ask.from_to", low=write(asked.low), high=write(asked.high)))
            return
        ticked = asked.option is not None and self.query_one("#option", Checkbox).value
        self.dismiss(AmountAnswer(amount, ticked))

    @property
    def _input(self) -> Input:
        return self.query_one("#amount", Input)

    def _put(self, amount: int) -> None:
        amount = max(self._question.low, min(self._question.high, amount))
        self._input.value = self._question.unit.plain(amount)
        self._input.focus()

    def _say(self, text: str) -> None:
        self.query_one("#wrong", Label).update(text)


class ChoiceDialog(ModalScreen[str | None]):
    """Ask for one of several choices, by key or button. Escape returns None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "key.back")]

    def __init__(self, title: str, choices: Mapping[str, str]) -> None:
        """`choices` are labels by key."""
        super().__init__()
        self._title = title
        self._choices = choices

    def compose(self) -> ComposeResult:
        """See `Screen`."""
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            for key, text in self._choices.items():
                yield Button(Content(f"{key.upper()}  {text}"), id=f"choice-{key}")
            yield Label(t("ask.hint_back"), classes="hint")

    def on_key(self, event: object) -> None:
        """Choose by key."""
        key = getattr(event, "key", "")
        if key in self._choices:
            self.dismiss(key)

    @on(Button.Pressed)
    def _chosen(self, event: Button.Pressed) -> None:
        self.dismiss((event.button.id or "").removeprefix("choice-"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A line of a form. `secret`: it is not shown; `needed`: it may not stay empty. `value` is in it at first."""

    name: str
    label: str
    value: str = ""
    secret: bool = False
    needed: bool = True


class FormDialog(ModalScreen[dict[str, str] | None]):
    """Ask for some texts. Enter goes to the next one that is needed and empty, then confirms; Escape returns None."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "key.back")]

    def __init__(self, title: str, fields: Sequence[Field]) -> None:
        super().__init__()
        self._title = title
        self._lines = fields

    def compose(self) -> ComposeResult:
        """See `Screen`."""
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            for line in self._lines:
                if line.value:
                    yield Label(line.label, markup=False)  # its placeholder is not seen
                yield Input(
                    line.value,
                    id=f"field-{line.name}",
                    placeholder=line.label,
                    password=line.secret,
                    max_length=128,
                    classes="filled" if line.value else None,
                )
            yield Label(t("ask.hint"), classes="hint")

    @on(Input.Submitted)
    def _submitted(self) -> None:
        values = {}
        for line in self._lines:
            field = self.query_one(f"#field-{line.name}", Input)
            values[line.name] = field.value if line.secret else field.value.strip()
            if line.needed and not values[line.name]:
                field.focus()
                return
        self.dismiss(values)


class TextDialog(ModalScreen[None]):
    """Show a text until Escape or `key` is pressed."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", "key.back")]

    def __init__(self, title: str, text: str, key: str) -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._key = key

    def compose(self) -> ComposeResult:
        """See `Screen`."""
        with Vertical(classes="dialog"):
            yield Label(self._title, classes="title", markup=False)
            yield Label(self._text, markup=False)
            yield Label(t("ask.hint_back"), classes="hint")

    def on_key(self, event: Key) -> None:
        """Close by the key that has opened it, and let the screen below not open it again."""
        if event.key == self._key:
            event.stop()
            event.prevent_default()
            self.dismiss(None)
