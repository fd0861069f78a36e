"""Deals in the terminal: what is asked of the player, and what of the room."""

from __future__ import annotations

import asyncio
from importlib.resources import files
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec import structs
from textual.app import App
from textual.widgets import Label

from pokerroom.terminal.deals import about_deal, deal_text, shares_text
from pokerroom.terminal.dialogs import AmountAnswer, AmountDialog, ChoiceDialog, TextDialog
from pokerroom.terminal.texts import speak
from pokerroom_protocol import messages as m
from pokerroom_protocol._declarations import EXAMPLES
from tests.protocol.test_table_view import DEALT

(OPTIONS,) = EXAMPLES[m.DealOptions]
(OFFERED,) = EXAMPLES[m.DealOffered]


class Desk:
    """A screen with a player that answers each dialog in turn, and a room that answers each request."""

    def __init__(self, deal: m.DealView | None, seat: int, *answers: Any, room: Any = None) -> None:
        (view,) = (one for one in EXAMPLES[m.Snapshot] if one.tournament is not None)
        tournament = structs.replace(view.tournament, deals=True, deal=deal)
        self.table = structs.replace(DEALT, table="sunday.3", your_seat=seat, tournament=tournament)
        self.app = SimpleNamespace(push_screen_wait=self._dialog, size=SimpleNamespace(width=80))
        self.dialogs: list[type] = []
        self.asked_of_room: list[m.ClientMessage] = []
        self._answers = list(answers)
        self._room = room or {}

    async def _dialog(self, dialog: Any) -> Any:
        self.dialogs.append(type(dialog))
        return self._answers.pop(0)

    def room_time_ms(self) -> float:
        return 0.0

    async def asked(self, request: m.ClientMessage, kind: type[Any]) -> Any:
        self.asked_of_room.append(request)
        return self._room.get(type(request), m.Ok(re=1) if kind is m.Ok else None)

    def looks(self) -> str | None:
        """Press D."""
        speak("en")
        return asyncio.run(about_deal(cast("Any", self), cast("Any", self)))


def test_a_deal_is_proposed_by_kind_and_amount():
    """The kind first, then what is left for the winner where there is a choice."""
    desk = Desk(None, 2, "c", AmountAnswer(500, ticked=False), room={m.GetDeal: OPTIONS})
    assert desk.looks() == "Your deal is offered when the hand has ended."
    assert desk.dialogs == [ChoiceDialog, AmountDialog]
    assert desk.asked_of_room[1:] == [m.ProposeDeal(id=0, table="sunday.3", kind="chips", for_the_winner=500)]
    fixed = structs.replace(OPTIONS, least=100, most=100)
    desk = Desk(None, 2, "i", room={m.GetDeal: fixed})
    desk.looks()
    assert desk.asked_of_room[1:] == [m.ProposeDeal(id=0, table="sunday.3", kind="icm", for_the_winner=100)]


def test_a_deal_says_what_follows_from_it():
    """What the kinds mean, whether play goes on, and the time to answer; an agreed one has nothing to answer."""
    speak("en")
    deal = structs.replace(OFFERED.deal, for_the_winner=0, until_ms=83_000)
    told = deal_text(deal, 0)
    assert "By ICM: what each player wins on average from here" in told
    assert told.split("\n")[-2:] == [
        "With the deal the tournament ends: places go by chips.",
        "Time to answer: 1:23",
    ]
    agreed = deal_text(structs.replace(deal, deal=None, until_ms=None, for_the_winner=500), 0)
    assert agreed.endswith("5 are left for the winner; play goes on for that")
    assert "By ICM:" not in agreed


@pytest.mark.parametrize("language", ["en", "de", "pl"])
@pytest.mark.parametrize("width", [80, 40])
def test_the_amounts_of_a_deal_are_whole(language, width):
    """Names and amounts as long as they get, in the dialog of a usual and of a narrow screen."""

    class Asked(App[None]):
        CSS_PATH = files("pokerroom.terminal") / "terminal.tcss"

        def on_mount(self) -> None:
            self.push_screen(ChoiceDialog(text, {"a": "accept"}))

    async def seen() -> str:
        app = Asked()
        async with app.run_test(size=(width, 24)):
            label = app.screen.query_one(".title", Label)
            return "\n".join(
                "".join(part.text for part in label.render_line(y)).rstrip() for y in range(label.size.height)
            )

    speak(language)
    share = structs.replace(
        OPTIONS.shares[0], name="W" * 20, stack=1_234_567, icm=12_345_678, chips=12_345_678, accepted=True
    )
    text = shares_text([share] * 3, width=width)
    assert asyncio.run(seen()).split("\n") == [line.rstrip() for line in text.split("\n")]


@pytest.mark.parametrize(("key", "accept"), [("a", True), ("r", False)])
def test_an_open_deal_is_answered(key, accept):
    """By one key."""
    desk = Desk(OFFERED.deal, 2, key)
    assert desk.looks() is None
    assert desk.asked_of_room == [m.AnswerDeal(id=0, table="sunday.3", deal=OFFERED.deal.deal, accept=accept)]


def test_a_deal_that_needs_no_answer_is_shown_and_a_refusal_asks_nothing_more():
    """The proposer only looks; without options the room has said why; Escape goes back."""
    desk = Desk(OFFERED.deal, 6, None)
    desk.looks()
    assert (desk.dialogs, desk.asked_of_room) == ([TextDialog], [])
    desk = Desk(None, 2)
    assert desk.looks() is None
    assert desk.dialogs == []
    for answers in ([None], ["i", None]):
        desk = Desk(None, 2, *answers, room={m.GetDeal: OPTIONS})
        assert desk.looks() is None
        assert len(desk.asked_of_room) == 1
