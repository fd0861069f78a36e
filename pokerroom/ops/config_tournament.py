"""Tournaments of a settings file that start at a time: when, for whom, and what they pay.

One `[[tournament]]` is one offer. It starts once, or again and again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any, Final
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from pokerroom.ops.config_reader import AMOUNT_MAX, UNWRITTEN, Section
from pokerroom.ops.config_tournament_play import CHIPS_MAX, TournamentPlayConfig, tournament_play
from pokerroom.ops.config_variant import SEATS_MAX
from pokerroom.rules.tournament.prizes import SHARES_BPS, PrizeTableError, shared_prizes_of
from pokerroom.rules.variants import VARIANTS

PLAYERS_MAX: Final = 10_000
"""The players of one tournament at most, also of an offer that names no limit."""

STARTS_AHEAD: Final = 3
"""[D] So many starts of a recurrence are announced at most."""


_SEATS_PER_ADDRESS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledTournamentConfig(TournamentPlayConfig):
    """One offer. House bots register shortly before the start, once a player has registered.

    `starts_ms` is the only start, or 0 for a `recurrence`: minute, hour, day, month and weekday in the `zone`.
    `players_max` is at most `PLAYERS_MAX`. `late_levels` and `entries_max` may be 0: no late entries, and any number
    of entries of a player. `prize_shares` are in basis points; without any, the room's own table pays
    `payout_percent` of the entries. The `bounty` is a part of the buy-in, as the fee is; of one that is won
    `bounty_cash_bps` are paid at once: all of them in a knockout tournament.
    """

    starts_ms: int
    recurrence: str
    zone: str
    announce_s: int
    seats_per_table: int
    players_min: int
    players_max: int
    late_levels: int
    entries_max: int
    payout_percent: int
    prize_shares: tuple[int, ...]
    guarantee: int
    hourly_breaks: bool
    """Whether it rests with all others from five minutes to the hour (L10)."""
    # a tournament that an earlier version opened has none of the fields from here on
    bounty: int = 0
    bounty_cash_bps: int = SHARES_BPS
    rebuys_max: int = 0
    rebuy_levels: int = 0
    """Rebuys are sold until the end of this level; then comes the break with the add-on."""
    rebuy_price: int = 0
    rebuy_fee: int = 0
    """The part of the price that is not in the prizes."""
    rebuy_stack: int = 0
    rebuy_below: int | None = None
    """With more chips than these after the last hand no rebuy is sold (L2); None: the starting stack."""
    add_on_price: int = 0
    """0: no add-on is sold."""
    add_on_fee: int = 0
    add_on_stack: int = 0
    add_on_break_s: int = 0
    satellite_to: str = ""
    """The offer for which it pays tickets (L14); `ticket_value` is that one's buy-in when the tournament is opened."""
    seats_guaranteed: int = 0
    ticket_days: int = 0
    ticket_value: int = 0
    seats_per_address: int = field(default=0, metadata={UNWRITTEN: _SEATS_PER_ADDRESS})
    """The accounts of one address that may enter; 0: any number, as in a tournament that an earlier version opened."""

    def for_target(self, offers: Sequence[ScheduledTournamentConfig]) -> ScheduledTournamentConfig:
        """Return a satellite with the value of its tickets, by the offers of now; any other offer as it is.

        Raises ValueError, with a text for the operator, for a satellite to no such offer, or to one that costs no more.
        """
        if not self.satellite_to:
            return self
        target = next((one for one in offers if one.id == self.satellite_to and one.id != self.id), None)
        if target is None:
            raise ValueError(f'should be the id of another [[tournament]], not "{self.satellite_to}"')
        if self.buy_in - self.fee >= target.buy_in:
            raise ValueError(
                f"should cost more than an entry brings to the prizes here: {target.buy_in}, not more than"
                f" {self.buy_in - self.fee}"
            )
        return replace(self, ticket_value=target.buy_in)

    @property
    def late_ms(self) -> int:
        """How long registration is open after the start if no clock stands; 0 where levels last a number of hands."""
        if not self.levels_timed:
            return 0
        lengths = [level.length for level in self.levels[: self.late_levels]]
        return 1000 * (sum(lengths) + self.levels[-1].length * (self.late_levels - len(lengths)))

    def is_over(self, now_ms: int) -> bool:
        """Return whether no tournament of it is opened any more: its only start is past, and late registration."""
        return next(self.starts_after(now_ms - self.late_ms), None) is None

    def starts_after(self, after_ms: int) -> Iterator[int]:
        """Yield the starts later than this time, in order. Times are in milliseconds since 1970, UTC.

        A local time that a change of the clock leaves out starts at the next minute that there is; one that comes twice
        starts once.
        """
        if not self.recurrence:
            yield from (start for start in [self.starts_ms] if start > after_ms)
            return
        after = datetime.fromtimestamp(after_ms // 1000, ZoneInfo(self.zone))
        for start in CronSim(self.recurrence, after):
            yield int(start.timestamp()) * 1000


def scheduled_tournaments(
    sections: Sequence[Section], taken: Sequence[str]
) -> tuple[ScheduledTournamentConfig, ...]:
    """Read all offers, in order; problems are noted in their sections. `taken` are the ids of the sit-and-gos."""
    offers: list[ScheduledTournamentConfig] = []
    for section in sections:
        offer = _offer(section)
        if offer.id and offer.id in {*taken, *(other.id for other in offers)}:
            section.problem(
                "id", f'"{offer.id}" is the id of another tournament or sit-and-go: choose a different one'
            )
        offers.append(offer)
        section.finish()
    return tuple(offers)


def check_targets(sections: Sequence[Section], offers: Sequence[ScheduledTournamentConfig]) -> None:
    """Note the satellites of a settings file that have no target in it."""
    for section, offer in zip(sections, offers, strict=True):
        try:
            offer.for_target(offers)
        except ValueError as wrong:
            if section.is_sound("satellite_to") and section.is_sound("buy_in") and section.is_sound("fee"):
                section.problem("satellite_to", str(wrong))


def _offer(section: Section) -> ScheduledTournamentConfig:
    play = tournament_play(section, house_bots_max=100)
    zone = section.zone("zone", "UTC")
    starts_ms, recurrence = _start(section, zone)
    seats = section.integer("seats_per_table", 9, 2, min(SEATS_MAX, VARIANTS[play.game].players_max))
    players_min = section.integer("players_min", 2, 2, PLAYERS_MAX)
    players_max = section.integer("players_max", 0, 0, PLAYERS_MAX) or PLAYERS_MAX
    late_levels = section.integer("late_levels", 0, 0, 200)
    entries_max = section.integer("entries_max", 1, 0, 1_000)
    if players_max < players_min and section.is_sound("players_min"):
        section.problem("players_max", f"should be 0 (no limit) or at least players_min ({players_min})")
    if entries_max != 1 and not late_levels and section.is_sound("late_levels"):
        section.problem(
            "entries_max", "should be 1 without late_levels: a player re-enters while registration is open"
        )
    bounty, cash_bps = _bounty(section, play)
    sold = _rebuys(section, play) | _add_on(section, play)
    satellite = _satellite(section, play)
    offer = ScheduledTournamentConfig(
        **{one.name: getattr(play, one.name) for one in fields(play)} | sold | satellite,
        starts_ms=starts_ms,
        recurrence=recurrence,
        zone=zone,
        announce_s=section.integer("announce_s", 86_400, 60, 31 * 86_400),
        seats_per_table=seats,
        players_min=players_min,
        players_max=players_max,
        late_levels=late_levels,
        entries_max=entries_max,
        payout_percent=section.integer("payout_percent", 15, 1, 50),
        prize_shares=_shares(section, play.buy_in - play.fee - bounty),
        guarantee=section.amount("guarantee", 0, 0, AMOUNT_MAX // 100),
        hourly_breaks=section.boolean("hourly_breaks", default=play.levels_timed),
        bounty=bounty,
        bounty_cash_bps=cash_bps,
        seats_per_address=section.integer("seats_per_address", _SEATS_PER_ADDRESS, 0, 10),
    )
    if offer.hourly_breaks and not offer.levels_timed:
        section.problem("hourly_breaks", "is for levels in seconds: leave it out, or give level_s")
    if offer.house_bots >= players_max:
        section.problem("house_bots", f"should leave a seat for a player: at most {players_max - 1}")
    return offer


def _satellite(section: Section, play: TournamentPlayConfig) -> dict[str, Any]:
    """Read what a satellite pays; its prizes are seats, so that it has no other ones."""
    if not section.has("satellite_to"):
        for key in ("seats_guaranteed", "ticket_days"):
            section.refuse(key, "is of a satellite: give satellite_to, or leave this out")
        return {}
    for key in ("bounty", "guarantee", "prize_shares", "payout_percent"):
        section.refuse(key, "is not for a satellite, which pays tickets: leave it out")
    if play.deals:
        section.problem("deals", "are not for a satellite, which pays tickets: leave this out")
    section.refuse("hand_for_hand_ties", "are by stacks in a satellite, which pays tickets: leave this out")
    return {
        "satellite_to": section.text("satellite_to", None, 24),
        "seats_guaranteed": section.integer("seats_guaranteed", 0, 0, 1_000),
        "ticket_days": section.integer("ticket_days", 90, 1, 3_650),
    }


def _bounty(section: Section, play: TournamentPlayConfig) -> tuple[int, int]:
    """Read the bounty: the part of the buy-in, and the basis points of it that are paid at once."""
    kinds = ["knockout", "progressive"]
    if not section.has("bounty"):
        for key in ("bounty_kind", "bounty_cash_bps"):
            section.refuse(key, "is of a bounty: give one, or leave this out")
        return 0, SHARES_BPS
    bounty = section.amount("bounty", 0, 1, AMOUNT_MAX // 100)
    sound = all(section.is_sound(key) for key in ("buy_in", "fee", "bounty"))
    if sound and play.fee < play.buy_in <= play.fee + bounty:
        section.problem(
            "bounty",
            f"should be less than the buy-in without the fee ({play.buy_in - play.fee}): prizes are the rest",
        )
    if section.choice("bounty_kind", "knockout", kinds) == "knockout":
        section.refuse(
            "bounty_cash_bps", 'is for bounty_kind = "progressive": a knockout pays all of it at once'
        )
        return bounty, SHARES_BPS
    return bounty, section.integer("bounty_cash_bps", SHARES_BPS // 2, 1, SHARES_BPS - 1)


def _rebuys(section: Section, play: TournamentPlayConfig) -> dict[str, int | None]:
    """Read the rebuys, and the level until which they are sold, which the add-on needs, too."""
    rebuys_max = section.integer("rebuys_max", 0, 0, 1_000)
    sells = rebuys_max > 0 or section.has("add_on_price")
    if sells and section.has("bounty"):
        section.problem(
            "rebuys_max", "cannot be sold with a bounty, nor can an add-on: leave one of the two out"
        )
    if not sells:
        section.refuse(
            "rebuy_levels", "is of rebuys or an add-on: give rebuys_max or add_on_price, or leave this out"
        )
        levels = 0
    else:
        levels = section.integer("rebuy_levels", 0, 0, len(play.levels))
        if not levels and section.is_sound("rebuy_levels"):
            section.problem(
                "rebuy_levels", "is missing: the last level with rebuys, before the break of the add-on"
            )
    if not rebuys_max:
        for key in ("rebuy_price", "rebuy_fee", "rebuy_stack", "rebuy_below"):
            section.refuse(key, "is of rebuys: give rebuys_max, or leave this out")
        return {"rebuy_levels": levels}
    price, fee = _price(section, "rebuy", play.buy_in - play.fee)
    return {
        "rebuys_max": rebuys_max,
        "rebuy_levels": levels,
        "rebuy_price": price,
        "rebuy_fee": fee,
        "rebuy_stack": section.integer("rebuy_stack", play.starting_stack, 1, CHIPS_MAX),
        "rebuy_below": section.integer("rebuy_below", None, 0, play.starting_stack)
        if section.has("rebuy_below")
        else None,
    }


def _add_on(section: Section, play: TournamentPlayConfig) -> dict[str, int]:
    """Read the add-on; without a price none is sold."""
    if not section.has("add_on_price"):
        for key in ("add_on_fee", "add_on_stack", "add_on_break_s"):
            section.refuse(key, "is of an add-on: give add_on_price, or leave this out")
        return {}
    price, fee = _price(section, "add_on", 0)
    return {
        "add_on_price": price,
        "add_on_fee": fee,
        "add_on_stack": section.integer("add_on_stack", play.starting_stack, 1, CHIPS_MAX),
        "add_on_break_s": section.integer("add_on_break_s", 300, 10, 3_600),
    }


def _price(section: Section, what: str, default: int) -> tuple[int, int]:
    price = section.amount(f"{what}_price", default, 1, AMOUNT_MAX // 100)
    fee = section.amount(f"{what}_fee", 0, 0, AMOUNT_MAX // 100)
    if 0 < price <= fee and section.is_sound(f"{what}_price") and section.is_sound(f"{what}_fee"):
        section.problem(f"{what}_fee", f"should be less than {what}_price ({price}): prizes are the rest")
    return price, fee


def _start(section: Section, zone: str) -> tuple[int, str]:
    """Read `start`: a time, or a recurrence. Return milliseconds since 1970 or 0, and the recurrence or nothing."""
    start = section.text_or_time("start")
    if isinstance(start, str):
        start = _time_of(start) or start
    if isinstance(start, datetime):
        return int(start.timestamp()) * 1000, ""
    if not start:
        return 0, ""
    wrong = _fault_of(start, zone)
    if wrong:
        section.problem(
            "start",
            f'should be a time with its offset, or "minute hour day month weekday", as "30 20 * * *": {wrong}',
        )
    return 0, start


def _time_of(text: str) -> datetime | None:
    """Return the time with its offset that a text names, None if it is something else."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time if time.tzinfo is not None else None


def _fault_of(recurrence: str, zone: str) -> str:
    """Return what is wrong with a recurrence; empty if nothing is."""
    if len(recurrence.split()) != 5:
        return "it has not five fields"
    try:
        starts = CronSim(recurrence, datetime.now(ZoneInfo(zone)))
    except CronSimError as error:
        return str(error)
    return "" if next(starts, None) else "there is no such day"


def _shares(section: Section, part: int) -> tuple[int, ...]:
    """Read the shares; `part` is what an entry brings to the prizes."""
    shares = section.integers("prize_shares", 1, 10_000)
    if section.has("prize_shares"):
        section.refuse(
            "payout_percent", "prize_shares say how many places are paid: leave one of the two out"
        )
        try:
            shared_prizes_of(shares, pool=AMOUNT_MAX, seats=PLAYERS_MAX)
            if part > 0:  # the smallest pool that pays so many places
                shared_prizes_of(shares, pool=part * len(shares), seats=len(shares))
        except PrizeTableError as wrong:
            section.problem("prize_shares", str(wrong))
    return shares
