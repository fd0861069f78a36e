"""The terms of a sit-and-go that a player hosts: read by the rules of `[[tournament]]`, with the same defaults."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pokerroom.ops.config_reader import ConfigProblem, Section
from pokerroom.ops.config_table import BadTerms
from pokerroom.ops.config_tournament import ScheduledTournamentConfig, scheduled_tournaments


def private_sit_and_go(offer: str, terms: Mapping[str, Any]) -> ScheduledTournamentConfig:
    """Return the offer of this id. `terms` have the keys of `[[tournament]]`, and no id.

    A buy-in of 0 is a free entry: there are no prizes then. Raises `BadTerms`.
    """
    problems: list[ConfigProblem] = []
    is_free = terms.get("buy_in") == 0
    paid = {"buy_in": 1} if is_free else {}  # offers of an operator are never free
    section = Section({**terms, "id": "private", **paid}, (), {}, problems)
    [found] = scheduled_tournaments([section], [])
    if not problems and found.name != found.name.strip():
        section.problem("name", "should not begin or end with a space")
    if not problems and len(found.prize_shares) > found.players_max:
        section.problem(
            "prize_shares", f"should be for at most {found.players_max} places, as there are seats"
        )
    if not problems and is_free == bool(found.prize_shares):
        section.problem("prize_shares", "should be given for a buy-in, and for no free entry")
    if problems:
        raise BadTerms(problems[0].key.partition("[")[0], problems[0].message)
    return replace(found, id=offer, buy_in=0 if is_free else found.buy_in)
