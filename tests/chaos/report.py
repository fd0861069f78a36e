"""What a run prints: one JSON object."""

from __future__ import annotations

from pathlib import Path
from statistics import median
from typing import Any

from tests.chaos.evidence import Evidence
from tests.chaos.nemesis import Nemesis, Recovered
from tests.chaos.outcome import Outcome


def report(
    evidence: Evidence,
    nemesis: Nemesis,
    outcome: Outcome,
    *,
    hands: int,
    sit_and_gos: dict[str, Any],
    fields: dict[str, Any],
    directors: dict[str, Any],
    offers: dict[str, Any],
    friends: dict[str, Any],
    against_the_house: dict[str, Any],
    drill: dict[str, Any] | None,
    upgraded_from: str,
    audit: int | None,
    seconds: float,
    seed: int,
    svg: Path,
) -> dict[str, Any]:
    """`hands` are those in the ledger, `sit_and_gos`, `fields`, `friends` and `against_the_house` what is known of
    those, `directors` of tournaments of nodes that were killed, `offers` of orders about them. `drill` is what came
    of a backup; None without one. `upgraded_from` names the earlier version, if nodes changed between two.

    `audit` are the differences that the room's own audit finds; None without one.
    """
    return {
        "violations": evidence.violation_count,
        "hands": hands,
        "sit_and_gos": sit_and_gos,
        "fields": fields,
        "directors": directors,
        "offers": offers,
        "friends": friends,
        "against_the_house": against_the_house,
        "drill": drill,
        "upgraded_from": upgraded_from,
        "faults": faults(nemesis.recovered),
        "kills": kills(nemesis.recovered),
        "not_reached": dict(+nemesis.missed),
        "by_check": dict(sorted(evidence.by_check.items())),
        "examples": [
            f"{each.check} {each.at_s:.1f} s {each.table} {each.hand_id}: {each.line}"
            for each in evidence.violations[:20]
        ],
        "actions": len(evidence.actions_at),
        "actions_per_s": round(len(evidence.actions_at) / max(1.0, seconds), 1),
        "hands_void": evidence.counts.pop("hands_void", 0),
        "acknowledged": sum(len(hand.acknowledged) for hand in evidence.hands.values()),
        "counts": dict(sorted(evidence.counts.items())),
        "nodes_ended_by_themselves": outcome.ended,
        "exit_codes": list(outcome.codes),
        "audit_differences": audit,
        "log_criticals": dict(outcome.criticals),
        "seconds": round(seconds, 1),
        "seed": seed,
        "timeline": str(svg),
    }


def upgrade(found: dict[str, Any]) -> dict[str, Any]:
    """What a report says of nodes that changed their version; the last line of `make upgrade`."""
    changes = [one for one in found["faults"] if one["kind"] == "change_version"]
    return {
        "violations": found["violations"],
        "turns_lost": found["counts"].get("turns_lost", 0),
        "hands": found["hands"],
        "from": found["upgraded_from"],
        "changes": sum(one["count"] for one in changes),
        "recovery_s_max": max((one["recovery_s_max"] for one in changes), default=None),
    }


def kills(recovered: list[Recovered]) -> dict[str, Any]:
    """Of the faults that kill a node with tables: how often, and the shortest, the median and the longest time from the
    kill to the next prompt of the last of them, in seconds; null without any.
    """
    found = [each for each in recovered if each.is_kill]
    times = [each.recovery_s for each in found if each.recovery_s is not None]
    return {
        "count": len(found),
        "min_s": min(times, default=None),
        "median_s": round(median(times), 3) if times else None,
        "max_s": max(times, default=None),
    }


def failure(report: dict[str, Any], kills_wanted: int | None) -> str:
    """Return why a run has failed; empty if it has not. A run that was too short for its kills has proved nothing."""
    if report["violations"]:
        return f"{report['violations']} violations"
    killed = report["kills"]["count"]
    if kills_wanted is not None and killed < kills_wanted:
        return f"{killed} of {kills_wanted} kills: give it more --seconds"
    return ""


def faults(recovered: list[Recovered]) -> list[dict[str, Any]]:
    """By kind: how often, the longest recovery in seconds with what it counts from (null if one never came), and the
    longest pause of a table, always from the fault on.
    """
    found = []
    for kind in sorted({each.blow.kind for each in recovered}):
        of_kind = [each for each in recovered if each.blow.kind == kind]
        times = [each.recovery_s for each in of_kind]
        known = [each for each in times if each is not None]
        found.append(
            {
                "kind": kind,
                "count": len(times),
                "recovery_s_max": None if None in times or not known else max(known),
                "pause_s_max": max(each.pause_s for each in of_kind),
                "counted_from": " or ".join(sorted({each.counted_from for each in of_kind})),
            }
        )
    return found
