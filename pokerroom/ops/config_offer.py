"""One offer as JSON, with the keys of the settings: how operators order it while the room runs.

Tournaments of both kinds, and the private tables that players may open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, assert_never, get_args
from unicodedata import normalize

import msgspec

from pokerroom.ledger.offers import OfferKind, OfferRow
from pokerroom.ledger.transfers import look_of
from pokerroom.ops.config_hosting import PRIVATE_TABLES, HostingOffer, hosting_offer
from pokerroom.ops.config_reader import ConfigProblem, Section
from pokerroom.ops.config_sit_and_go import SitAndGoConfig, sit_and_gos
from pokerroom.ops.config_tournament import ScheduledTournamentConfig, scheduled_tournaments

TERMS_MAX: Final = 4_000
"""The longest terms, in characters: they are a part of a URL."""

KINDS: Final[tuple[OfferKind, ...]] = get_args(OfferKind)
"""The names of the tables of the settings, and the offer of private tables."""

AnyTournamentOffer = SitAndGoConfig | ScheduledTournamentConfig
AnyOffer = AnyTournamentOffer | HostingOffer


class BadOffer(ValueError):  # noqa: N818 -- an answer to the operator, not a fault
    """The terms cannot be offered. The text names every problem."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferLine:
    """An offer: its terms as JSON, and whether it is offered now.

    `ordered` is the order that holds; None: the settings.

    An offer that an order has retired has the terms that held before.
    """

    offer: str
    kind: OfferKind
    terms: str
    is_offered: bool
    ordered: OfferRow | None = None


def kind_of(offer: AnyOffer) -> OfferKind:
    """Return the kind of an offer."""
    match offer:
        case SitAndGoConfig():
            return "sit_and_go"
        case ScheduledTournamentConfig():
            return "tournament"
        case HostingOffer():
            return "private_tables"
        case _:
            assert_never(offer)


def offer_from(offer: str, kind: OfferKind, terms: str) -> AnyOffer:
    """Read and check an offer, as from a settings file. Raises `BadOffer`."""
    try:
        values = msgspec.json.decode(terms, type=dict[str, Any])
    except (msgspec.DecodeError, RecursionError):
        raise BadOffer("the terms are no JSON object") from None
    if values.get("id", offer) != offer:
        raise BadOffer(f"id: leave it out, or give {offer}")
    if kind == "private_tables" and offer != PRIVATE_TABLES:
        raise BadOffer(f"id: the offer of private tables is {PRIVATE_TABLES}")
    problems: list[ConfigProblem] = []
    found: Sequence[AnyOffer]
    if kind == "private_tables":
        values.pop("id", None)
        found = [hosting_offer(Section(values, (), {}, problems))]
    else:
        sections = [Section({**values, "id": offer}, (), {}, problems)]
        found = sit_and_gos(sections) if kind == "sit_and_go" else scheduled_tournaments(sections, [])
    if problems:
        raise BadOffer("; ".join(str(problem) for problem in problems))
    return found[0]


def name_key(name: str) -> str:
    """Return what is equal for two names that a player reads as one, as with the names of accounts (`look_of`).

    Characters that Unicode takes for the same are one (NFKC), and case and spaces do not count. Letters of two
    alphabets differ, though they may look alike.
    """
    return look_of(normalize("NFKC", " ".join(normalize("NFKC", name).casefold().split())))


def name_in(offer: str, terms: str) -> str:
    """Return the name by which players know an offer of these terms, which were checked."""
    return str(msgspec.json.decode(terms, type=dict[str, Any]).get("name", offer))


def check_names(sections: Sequence[Section], offers: Sequence[AnyTournamentOffer]) -> None:
    """Note the offers of a settings file, of both kinds, that have the name of an earlier one."""
    first: dict[str, str] = {}
    for section, offer in zip(sections, offers, strict=True):
        other = first.setdefault(name_key(offer.name), offer.id)
        if other != offer.id and section.is_sound("name"):
            section.problem(
                "name" if section.has("name") else "id",
                f'"{offer.name}" is also the name of {other}, and players could not tell the two apart: choose a'
                " different one",
            )


def terms_in(sections: Sequence[Section]) -> dict[str, str]:
    """Return the terms of the offers in a settings file, by id, as they are written there."""
    written = (dict(section.written) for section in sections)
    return {str(values.pop("id", "")): msgspec.json.encode(values).decode() for values in written}
