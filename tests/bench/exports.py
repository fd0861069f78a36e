"""How fast hands are written as text, beside PokerKit's writer; and hands read back to the stacks of the ledger.

Each hand is written in each format and read by all programs that can read it. A reader that comes to other stacks ends
the measurement. The last line is JSON; `read_back` counts the hands of each kind by reader.
"""

from __future__ import annotations

import json
import time
import tomllib
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any, Final

from pokerroom.history.redaction import visible_hand
from pokerroom.history.replay import replay
from pokerroom.history.story import story_of
from pokerroom.history.text_export import FORMATS
from pokerroom.rules.events import PostKind
from pokerroom.rules.rake import RakeTerms
from tests.bench.printing import note, row
from tests.history.dealt import GAMES, SIT_AND_GO, Dealt, dealt_hands
from tests.history.readers import OHH_SCHEMA, ohh_stacks, pokerstars_stacks
from tests.history.test_exports import (
    agree,
    in_cents,
    kit_stacks,
    pokerkit_reads,
    pokerstars_kit_stacks,
    wanted,
)
from tests.rules.referee import pokerkit

TIMED: Final = 150
"""Hands of each game that are written against the clock."""
TURNS: Final = 3
RAKE: Final = RakeTerms(bps=450, unit=7, no_flop_no_drop=False)
_POSTS: Final = {
    PostKind.ante: "antes",
    PostKind.big_blind_ante: "big-blind antes",
    PostKind.straddle: "straddles",
    PostKind.live_post: "newcomers' posts",
    PostKind.dead_post: "dead posts",
}


def measure(hands: int) -> dict[str, Any]:
    """Hands per second of each writer, best of three turns in rotation, and the number of hands read back."""
    warnings.simplefilter("ignore")  # PokerKit remarks on cards that are not dealt by itself
    speeds, sizes = _speed()
    read_back: defaultdict[str, Counter[str]] = defaultdict(Counter)
    count = 0
    for number, game in enumerate(GAMES):
        note(f"{hands // len(GAMES)} hands of {game}")
        for part in range(4):  # half of them within the rules of PokerKit, too
            every_kind, rake = part < 2, RAKE if part == 0 else None
            for dealt in dealt_hands(
                100 + 10 * number + part,
                game,
                hands // 4 // len(GAMES),
                clock=every_kind,
                short=every_kind,
                rake=rake,
            ):
                count += 1
                kinds = ["all", game, *_kinds(dealt)]
                in_chips = count % 3 == 0 and rake is None
                for reader in _read_back(dealt, in_chips=in_chips, raked=rake is not None):
                    read_back[reader].update(kinds + ["sit-and-go"] * in_chips)
    return {"hands": count, "hands_per_s": speeds, "bytes_per_hand": sizes, "read_back": read_back}


def _kinds(dealt: Dealt) -> Iterator[str]:
    """What is special of a hand."""
    events = dealt.play.record(0)["events"]
    posts = {event[2] for event in events if event[0] == "post"}
    yield from (name for kind, name in _POSTS.items() if kind in posts)
    positions = dealt.play.positions
    if positions.small_blind is None:
        yield "dead small blinds"
    if positions.button not in dealt.stacks:
        yield "dead buttons"
    if dealt.clocked:
        yield "all-ins by the clock"
    if any(event[0] == "award" and sum(event[4:]) for event in events):
        yield "rake"
    if len({event[1] for event in events if event[0] == "award"}) > 1:
        yield "side pots"
    if is_run_out(events):
        yield "run-outs"


def is_run_out(events: list[Any]) -> bool:
    """Whether hands were turned up before the last board card came."""
    names = [event[0] for event in events]
    last = max((names.index(street) for street in ("flop", "turn", "river") if street in names), default=0)
    return "show" in names[:last]


def _speed() -> tuple[dict[str, float], dict[str, int]]:
    note("writing")
    records, played = [], []
    for game in GAMES:
        for dealt in dealt_hands(7, game, TIMED, clock=False, short=False):
            records.append(dealt.settled.record)
            played.append(_on_pokerkit(FORMATS["phh"](dealt.story())))
    written: dict[str, list[str]] = {}
    writers: dict[str, Callable[[], list[str]]] = {
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
            written[name] = write()
            best[name] = max(best[name], len(records) / (time.process_time() - started))
    sizes = {name: sum(len(text.encode()) for text in texts) // len(texts) for name, texts in written.items()}
    return {name: round(speed) for name, speed in best.items()}, sizes


def _on_pokerkit(text: str) -> tuple[Any, Any]:
    """PokerKit's game and final state of a hand."""
    (history,) = pokerkit.HandHistory.loads_all(text, divmod=in_cents)
    *_, state = history
    return history.create_game(), state


def _read_back(dealt: Dealt, *, in_chips: bool, raked: bool) -> list[str]:
    """Which readers came to the stacks of the ledger. Raises AssertionError where one came to others."""
    own = dealt.play.seats[0].account
    of, unit = (SIT_AND_GO, 1) if in_chips else (None, 100)
    text = FORMATS["phh"](dealt.story(own, of=of))
    (document,) = tomllib.loads(text, parse_float=Decimal).values()
    replayed = replay(document)
    assert replayed.error in {None, "missing_cards"}, (text, replayed)
    read = [
        "phh: replay of the room" if replayed.ok else "phh: refused by the replay, for cards that were mucked"
    ]
    stacks = wanted(dealt, unit)
    hand = FORMATS["ohh"](dealt.story(own, of=of)).rstrip("\n")
    OHH_SCHEMA.validate(json.loads(hand))
    assert ohh_stacks(hand) == stacks
    assert pokerstars_stacks(FORMATS["pokerstars"](dealt.story(own, of=of)).rstrip("\n")) == stacks
    read += ["ohh: schema and independent replay", "pokerstars: grammar"]
    if raked or in_chips:
        return read  # PokerKit knows no rake, and splits pots in cents here
    # PokerKit's rules: see the tests of exports. Every player covers all posts here, which leaves out B5 and B9.
    if not dealt.clocked and all(p.stack >= p.ante + p.blind + p.dead for p in dealt.setup.players):
        assert agree(kit_stacks(text.split("\n", 1)[1]), document["finishing_stacks"], dealt.odd), text
        read.append("phh: PokerKit")
        if pokerkit_reads(dealt):
            theirs = pokerstars_kit_stacks(dealt)
            assert agree([stacks[seat] for seat in theirs], list(theirs.values()), dealt.odd)
            read.append("pokerstars: PokerKit")
    return read


def tell(found: dict[str, Any]) -> None:
    """Print it. The last line is JSON."""
    print("Exports of hands")
    speeds = found["hands_per_s"]
    for name, speed in speeds.items():
        row(
            f"{name}, hands/s of one core, bytes per hand", f"{speed:>7,} {found['bytes_per_hand'][name]:>7,}"
        )
    row("phh beside PokerKit's writer", f"{speeds['phh'] / speeds['pokerkit']:.1f}")
    row("hands", found["hands"])
    for reader, kinds in found["read_back"].items():
        print(f"  {reader}: " + ", ".join(f"{name} {count:,}" for name, count in kinds.items()))
    ratios = {name: round(speed / speeds["pokerkit"], 2) for name, speed in speeds.items()}
    print(json.dumps(found | {"ratio_to_pokerkit": ratios}))
