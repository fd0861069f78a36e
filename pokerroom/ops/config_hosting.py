"""What hosts may open: `[hosting]` of a settings file, and over it what operators order while the room runs.

An order is about the offer `private_tables`, and has the settings of `HostingOffer`. Knows no table.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import ClassVar, Final, Literal

import msgspec

from pokerroom.ledger.hosted_tables import HostedLimits
from pokerroom.ops.config_reader import AMOUNT_MAX, Section
from pokerroom.ops.config_variant import SEATS_MAX
from pokerroom.rules.betting import STRUCTURES
from pokerroom.rules.variants import VARIANTS

PRIVATE_TABLES: Final = "private_tables"
"""The id of the offer: no tournament can have it, as their ids have no `_`."""

SMALL_BLIND_MAX: Final = 10**10
"""The largest that the protocol has."""

BUY_IN_MAX: Final = AMOUNT_MAX // 100
"""The largest that a tournament of the settings may have."""

GAMES: Final = tuple(
    f"{name} {structure}"
    for name, variant in VARIANTS.items()
    for structure in STRUCTURES
    if structure in variant.structures
)
"""What may be played at a private table: the game, and its betting structure."""

OfferedField = Literal["game", "small_blind", "seats", "buy_in"]
"""A setting of a table or of a sit-and-go that the operator may bound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostingOffer:
    """Which private tables players may open, and how many, each and in the whole room; 0: none.

    A small blind is in 1/100 credit, at fixed limit half of the small bet.
    """

    id: ClassVar[str] = PRIVATE_TABLES
    tables_per_account: int = 3
    tables_max: int = 500
    games: tuple[str, ...] = GAMES
    """Of `GAMES`."""
    small_blind_min: int = 1
    small_blind_max: int = SMALL_BLIND_MAX
    seats_max: int = SEATS_MAX
    sit_and_go_buy_in_max: int = BUY_IN_MAX
    """The largest buy-in of a private sit-and-go. Of the other bounds, its game and its seats keep those of tables."""

    @property
    def limits(self) -> HostedLimits:
        """The limits for the ledger."""
        return HostedLimits(per_account=self.tables_per_account, in_room=self.tables_max)

    @property
    def terms(self) -> str:
        """The offer as JSON, with the keys of the settings."""
        offered = {name: value for name, value in asdict(self).items() if name in HostingOffer.__slots__}
        return msgspec.json.encode(offered).decode()

    def takes(self, small_blind: int) -> bool:
        """Return whether a host may choose this small blind."""
        return self.small_blind_min <= small_blind <= self.small_blind_max

    def refused_field(
        self, game: str, structure: str, *, small_blind: int, seats: int
    ) -> OfferedField | None:
        """Return the first setting of a table that is not offered; None if all of them are."""
        found = self._refused_of_all(game, structure, seats=seats)
        if found != "game" and not self.takes(small_blind):
            return "small_blind"
        return found

    def refused_of_sit_and_go(
        self, game: str, structure: str, *, buy_in: int, seats: int
    ) -> OfferedField | None:
        """Return the first setting of a sit-and-go that is not offered; None if all of them are."""
        found = self._refused_of_all(game, structure, seats=seats)
        return "buy_in" if found is None and buy_in > self.sit_and_go_buy_in_max else found

    def _refused_of_all(self, game: str, structure: str, *, seats: int) -> OfferedField | None:
        if f"{game} {structure}" not in self.games:
            return "game"
        return "seats" if seats > self.seats_max else None


@dataclass(frozen=True, slots=True, kw_only=True)
class HostingConfig(HostingOffer):
    """The whole of `[hosting]`. An account may own `clubs_per_account` clubs; 0: players create no clubs.

    A table without players for `idle_close_h` hours closes. No order changes these two.
    """

    idle_close_h: int = 24
    clubs_per_account: int = 3


def hosting_offer(section: Section) -> HostingOffer:
    """Read an offer of private tables; problems are noted in the section, also with other keys that it has."""
    default = HostingOffer()
    offer = HostingOffer(
        tables_per_account=section.integer("tables_per_account", default.tables_per_account, 0, 100),
        tables_max=section.integer("tables_max", default.tables_max, 0, 10_000),
        games=section.texts("games", 40) if section.has("games") else default.games,
        small_blind_min=section.amount("small_blind_min", default.small_blind_min, 1, SMALL_BLIND_MAX),
        small_blind_max=section.amount("small_blind_max", default.small_blind_max, 1, SMALL_BLIND_MAX),
        seats_max=section.integer("seats_max", default.seats_max, 2, SEATS_MAX),
        sit_and_go_buy_in_max=section.amount(
            "sit_and_go_buy_in_max", default.sit_and_go_buy_in_max, 1, BUY_IN_MAX
        ),
    )
    if section.is_sound("games") and (not offer.games or set(offer.games) - set(GAMES)):
        section.problem(
            "games", f"should be some of {', '.join(GAMES)}; for no tables set tables_per_account = 0"
        )
    if offer.small_blind_max < offer.small_blind_min:
        section.problem("small_blind_max", f"should be at least small_blind_min ({offer.small_blind_min})")
    section.finish()
    return offer


def hosting(section: Section) -> HostingConfig:
    """Read `[hosting]`; problems are noted in the section."""
    default = HostingConfig()
    idle_close_h = section.integer("idle_close_h", default.idle_close_h, 1, 8_760)
    clubs_per_account = section.integer("clubs_per_account", default.clubs_per_account, 0, 50)
    offer = hosting_offer(section)
    return HostingConfig(**asdict(offer), idle_close_h=idle_close_h, clubs_per_account=clubs_per_account)
