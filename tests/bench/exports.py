"""How fast hands are written as text, beside PokerKit's writer; and hands read back to the stacks of the ledger."""

from __future__ import annotations

import time
import tomllib
import warnings
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from pokerroom.history.redaction import visible_hand
from pokerroom.history.replay import replay
from pokerroom.history.story import story_of
from pokerroom.history.text_export import FORMATS
from tests.bench.printing import note, row
from tests.history.dealt import GAMES, Dealt, dealt_hands
from tests.history.readers import ohh_stacks, pokerstars_stacks
from tests.history.test_exports import agree, in_cents, kit_stacks, wanted
from tests.rules.referee import pokerkit

TIMED: Final = 150
"""Hands of each game that are written against the clock."""
TURNS: Final = 3


def measure(hands: int) -> dict[str, Any]:
    """Hands per second of each writer, best of three turns in rotation, and the number of hands read back."""
    warnings.simplefilter("ignore")  # PokerKit remarks on cards that are not dealt by itself
    found: dict[str, Any] = {"hands_per_s": _speed(), "read_back": Counter(), "hands": hands}
    for number, game in enumerate(GAMES):
        note(f"{hands // len(GAMES)} hands of {game}")
        for every_kind in (True, False):  # half of them within the rules of PokerKit, too
            for dealt in dealt_hands(
                100 + number, game, hands // len(GAMES) // 2, clock=every_kind, short=every_kind
            ):
                found["read_back"].update(_read_back(dealt))
    return found


def _speed() -> dict[str, float]:
    note("writing")
    records, played = [], []
    for game in GAMES:
        for dealt in dealt_hands(7, game, TIMED, clock=False, short=False):
            records.append(dealt.settled.record)
            played.append(_on_pokerkit(FORMATS["phh"](dealt.story())))
    writers: dict[str, Callable[[], None]] = {
        form: (lambda write=write: [write(story_of(visible_hand(r, None, None), number=1)) for r in records])
        for form, write in FORMATS.items()
    }
    writers["pokerkit"] = lambda: [
        pokerkit.HandHistory.from_game_state(game, state).dumps() for game, state in played
    ]
    best = dict.fromkeys(writers, 0.0)
    for _ in range(TURNS):
        for name, write in writers.items():
            started = time.process_time()
            write()
            best[name] = max(best[name], len(records) / (time.process_time() - started))
    return best


def _on_pokerkit(text: str) -> tuple[Any, Any]:
    """PokerKit's game and final state of a hand."""
    (history,) = pokerkit.HandHistory.loads_all(text, divmod=in_cents)
    *_, state = history
    return history.create_game(), state


def _read_back(dealt: Dealt) -> list[str]:
    """Which readers came to the stacks of the ledger. Raises AssertionError where one came to others."""
    own = dealt.play.seats[0].account
    text = FORMATS["phh"](dealt.story(own))
    (document,) = tomllib.loads(text, parse_float=Decimal).values()
    replayed = replay(document)
    assert replayed.error in {None, "missing_cards"}, (text, replayed)
    read = [
        "phh, replayed by the room" if replayed.ok else "phh, refused by the room: cards that were mucked"
    ]
    stacks = wanted(dealt)
    assert ohh_stacks(FORMATS["ohh"](dealt.story()).rstrip("\n")) == stacks
    assert pokerstars_stacks(FORMATS["pokerstars"](dealt.story()).rstrip("\n")) == stacks
    read += ["ohh, by an independent reader", "pokerstars, by an independent reader"]
    # PokerKit's rules: see the tests of exports. Every player covers all posts here, which leaves out B5 and B9.
    if not dealt.clocked and all(p.stack >= p.ante + p.blind + p.dead for p in dealt.setup.players):
        assert agree(kit_stacks(text.split("\n", 1)[1]), document["finishing_stacks"], dealt.odd), text
        read.append("phh, by PokerKit")
    return read


def tell(found: dict[str, Any]) -> None:
    """Print it."""
    print("Exports of hands")
    speeds = found["hands_per_s"]
    for name, speed in speeds.items():
        row(f"{name}, hands/s of one core", f"{speed:,.0f}")
    row("phh beside PokerKit's writer", f"{speeds['phh'] / speeds['pokerkit']:.1f}")
    row("hands", found["hands"])
    for name, count in found["read_back"].items():
        row(name, count)
