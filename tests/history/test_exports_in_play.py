"""Exports of rooms that were played: with hosts that remove players, and players that change tables."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from decimal import Decimal
from functools import cache

import pytest
from twisted.internet.defer import Deferred

from pokerroom.history.export import HandExport, TournamentStories
from pokerroom.history.ohh_text import ohh_text
from pokerroom.history.phh_text import phh_text
from pokerroom.history.pokerstars_text import pokerstars_text
from pokerroom.history.replay import replay
from pokerroom.history.story import HandStory
from pokerroom.ledger.account_history import HandQuery, PlayedHand
from pokerroom.ledger.hosted_tables import is_hosted
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.tournaments import table_number
from pokerroom.simulation.faults import NONE
from pokerroom.simulation.games import GAMES
from pokerroom.simulation.run import play
from pokerroom.simulation.simulated_room import SimulatedRoom
from tests.effort import times
from tests.history.readers import OHH_SCHEMA, ohh_stacks, pokerstars_stacks
from tests.poker.support import now

HANDS = times(30)


@cache
def played(game: str, seed: int, hands: int) -> MemoryLedger:
    """The ledger of a simulated room."""
    room = SimulatedRoom(seed, GAMES[game], NONE, strict=False)
    room.open()
    play(room, hands)
    assert room.referee.violations == []
    return room.ledger


def changes_of(ledger: MemoryLedger) -> dict[int, dict[int, int]]:
    """What each hand, by its number, has changed of the stacks, by account: as the ledger has booked it."""
    changes: dict[int, dict[int, int]] = {}
    for account in now(ledger.account_names(list(range(1, 500)))):
        for entry in now(ledger.account_history(account, None, 100_000)):
            if isinstance(entry, PlayedHand):
                changes.setdefault(entry.number, {})[account] = entry.delta
    return changes


def stories_of(ledger: MemoryLedger) -> list[HandStory]:
    """All hands, as spectators see them."""
    export = HandExport(query=HandQuery(), viewer=None, currency=None, seal=None)
    page = now(Deferred.fromCoroutine(export.page(ledger, TournamentStories(ledger.tournament), 0, 100_000)))
    return list(page.stories)


@pytest.mark.parametrize(
    ("game", "seed", "kinds"),
    [
        ("holdem", 11, {"rake", "private table"}),
        pytest.param("omaha", 7, {"rake"}, marks=pytest.mark.slow),  # `test_exports` has Omaha
        ("sit_and_go", 3, {"tournament"}),
        pytest.param("mtt", 18, {"tournament", "later table"}, marks=pytest.mark.slow),
        ("mtt", 3, {"tournament", "later table", "start at a time"}),
    ],
)
def test_each_format_has_the_stacks_of_the_ledger(game: str, seed: int, kinds: set[str]) -> None:
    """Read back by the readers of each format, every hand of the room ends with the stacks that the ledger booked."""
    ledger = played(game, seed, HANDS)
    changes = changes_of(ledger)
    found: Counter[str] = Counter()
    stories = stories_of(ledger)
    assert len(stories) == len(changes) >= HANDS
    for story in stories:
        unit = 1 if story.tournament is not None else 100
        wanted = {
            seat: Decimal(row.stack + changes[story.number][row.account]) / unit
            for seat, row in story.seats.items()
        }
        ohh = ohh_text(story)
        OHH_SCHEMA.validate(json.loads(ohh))
        assert ohh_stacks(ohh) == wanted
        assert pokerstars_stacks(pokerstars_text(story)) == wanted
        replayed = replay(tomllib.loads(phh_text(story), parse_float=Decimal))
        assert replayed.error in {None, "missing_cards"}, replayed
        found[replayed.error or "replayed"] += 1
        found.update(kinds_of(story))
    assert found["replayed"] > 0.9 * len(stories)
    assert kinds <= found.keys()


def kinds_of(story: HandStory) -> set[str]:
    """What is special of a hand."""
    facts = {
        "rake": any(pot.rake for pot in story.pots),
        "private table": is_hosted(story.record.table),
        "tournament": story.tournament is not None,
        "later table": story.tournament is not None and table_number(story.record.table) > 1,
        "start at a time": story.tournament is not None and not story.tournament.starts_when_full,
    }
    return {kind for kind, is_so in facts.items() if is_so}


@pytest.mark.parametrize(
    "seed",
    [pytest.param(18, id="starts when full", marks=pytest.mark.slow), pytest.param(3, id="re-entries")],
)
def test_each_tournament_of_several_tables_is_won_in_one_hand(seed: int) -> None:
    """The last player at a table that is broken has not won: that is told once, in the last hand.

    So is the place of each other player, also of one who was out before and has entered again.
    """
    won: dict[str, int] = {}
    tables: set[str] = set()
    finished: Counter[tuple[str, str]] = Counter()
    for story in stories_of(played("mtt", seed, HANDS)):
        assert story.tournament is not None
        text = pokerstars_text(story)
        of = f"{story.tournament.number} {table_number(story.record.table)}"
        assert f"\nTable '{of}' " in text
        assert json.loads(ohh_text(story))["ohh"]["tournament_info"]["type"] == "MTT"
        tables.add(of)
        finished.update(
            (of.split(maxsplit=1)[0], name) for name in re.findall(r"^(\S+) finished", text, re.MULTILINE)
        )
        if any(place.place == 1 for place in story.tournament.places.values()):
            won.setdefault(story.tournament.tournament, 0)
            won[story.tournament.tournament] += "wins the tournament" in text
    assert set(won.values()) == {1}
    assert set(finished.values()) == {1}
    assert len(tables) > len(won)
