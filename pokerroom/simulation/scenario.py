"""Draw from a seed what is played: the room's settings and its clients. The number of hands is no part of it.

The settings go through the room's own configuration, as an operator's file does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from pokerroom.ops.config import RoomConfig, parse
from pokerroom.ops.table_settings import TableSettings
from pokerroom.rules.variants import VARIANTS
from pokerroom.simulation.streams import Stream, stream
from pokerroom_protocol.codec import Encoding

WALLET = 50_000_000
"""Of a rich player, who is not to run out of money before the run is over."""

LARGE_EVERY = 10
"""The last of so many seeds is a large room."""
LARGE_TABLES = (25, 27)
LARGE_PEOPLE = 200
HANDS_PER_TABLE = 1
"""So many hands are played at least in a large room, for each of its tables; then those in progress are finished."""

STRUCTURES = {
    "holdem": {"no_limit": 6, "pot_limit": 2, "fixed_limit": 2},
    "omaha": {"pot_limit": 1},
}
"""The betting structures of each game, with their shares of the tables."""

HOSTS = 2
"""So many clients open private tables, where any do."""

MOVING = 0.5
"""The share of the tables with a moving button; the others have a dead one."""

EARLY = 0.25
"""The share of the people who decide in advance, again and again."""

BOUNDED = 0.2
"""The share of the rooms where hosts of private tables may not choose everything."""

RAKED = 0.4
"""The share of the rooms where tables take a rake."""

PATIENT_SEATS = 2
"""So many clients of each table are rich and have no bad habits: there are always players."""


class ClientHabit(StrEnum):
    """What a client does again and again that the room has to refuse or to tolerate."""

    GREEDY = "greedy"
    """Wants more seats than an account may have."""
    HOLDER = "holder"
    """Reserves seats and seldom buys in."""
    HASTY = "hasty"
    """Asks for what cannot be: acts out of turn, checks into a bet, wants the seat of another."""
    FLOODER = "flooder"
    """Sends more than the limits allow."""
    SWITCHER = "switcher"
    """Logs out, and goes on as another account over the same connection."""


_SHARES = {
    ClientHabit.GREEDY: 0.1,
    ClientHabit.HOLDER: 0.1,
    ClientHabit.HASTY: 0.25,
    ClientHabit.FLOODER: 0.03,
    ClientHabit.SWITCHER: 0.15,
}
"""How many of the people have each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountPlan:
    """An account of a client. `wallet` is in the smallest unit; None: the client opens the account."""

    name: str
    password: str = field(repr=False)
    wallet: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientPlan:
    """One player or observer. `wanted` are the tables where it wants a seat, `watched` those it only observes.

    It starts with the first of its `accounts`; a switcher also has a second one.
    """

    accounts: tuple[AccountPlan, ...]
    habits: frozenset[ClientHabit] = frozenset()
    flood: int = 0
    """So many messages at once are too many."""
    encoding: Encoding
    pause: bool
    wanted: tuple[str, ...]
    watched: tuple[str, ...] = ()
    haste: float
    """How long the client thinks, as a factor."""
    early: bool = False
    """Whether the client decides in advance whenever another player is to act."""
    hosts: bool = False
    """Whether the client opens private tables."""
    address: str = ""
    """The IP address of all its devices, which others may share; empty: one that does not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A room and its people."""

    config: RoomConfig
    people: tuple[ClientPlan, ...]
    operated: bool
    """Whether an operator closes tables now and then, and opens them again."""
    hands_min: int = 0
    """The minimum number of hands."""


def scenario(seed: int, game: str = "holdem") -> Scenario:
    """The scenario of a seed: mostly a few tables, sometimes dozens with hundreds of people; all of one game."""
    draw, habits_stream = stream(seed, "scenario"), stream(seed, "manners")
    size, large = draw.random(), is_large(seed)
    count = draw.randint(1, 3) if size < 0.5 else draw.randint(4, 8) if size < 0.93 else draw.randint(20, 40)
    if large:
        count = draw.randint(*LARGE_TABLES)
    opening = habits_stream.choice([WALLET, 20_000])
    text = [
        '[room]\nname = "simulation"',
        limits(habits_stream, [16_384, 32_768], [2, 4, 4]),
        f"[play_money]\nopening_balance = {opening}",
        _hosting(stream(seed, "offered tables")),
    ]
    rake = stream(seed, "rake")
    raked = rake.random() < RAKED
    sit_out = stream(seed, "sit-out limits")
    for number in range(1, count + 1):
        own = {"sit_out_limit_s": sit_out.choice([0, 30, 90]), **(_rake(rake) if raked else {})}
        text.append(_table(draw, game, number, own))
    config = parse("\n".join(text), "the settings of a simulation")
    people = _people(draw, habits_stream, config, at_least=LARGE_PEOPLE if large else 0)
    early = stream(seed, "early")
    people = [replace(plan, early=early.random() < EARLY) for plan in people]
    return Scenario(
        config=config,
        people=tuple(_with_hosts(stream(seed, "hosts"), people)),
        hands_min=HANDS_PER_TABLE * count if large else 0,
        operated=habits_stream.random() < 0.5,
    )


def is_large(seed: int) -> bool:
    """Whether the room of this seed has hundreds of people in any case."""
    return seed % LARGE_EVERY == LARGE_EVERY - 1


def limits(draw: Stream, buffers: Sequence[int], tables: Sequence[int]) -> str:
    """Draw the limits of a room: of a client's buffer, and of the tables of an account (none: the default)."""
    burst = draw.choice([60, 200])
    values: dict[str, object] = {
        "messages_per_s": burst // 2,
        "message_burst": burst,
        "outbound_bytes_max": draw.choice(buffers),
        "idle_s": 60,
    }
    if tables:
        values["tables_per_account_max"] = draw.choice(tables)
    return toml("[limits]", values)


def _hosting(draw: Stream) -> str:
    """Draw what hosts may choose: in most rooms all that there is."""
    if draw.random() >= BOUNDED:
        return ""
    values: dict[str, object] = {
        "tables_per_account": draw.randint(1, 2),
        "games": draw.choice([["holdem no_limit"], ["holdem pot_limit", "holdem fixed_limit"]]),
        "small_blind_min": draw.choice([1, 5]),
        "small_blind_max": draw.choice([25, 50]),
        "seats_max": draw.randint(3, 6),
    }
    return toml("[hosting]", values)


def _rake(draw: Stream) -> dict[str, object]:
    """Draw the rake of a table; one in five takes none."""
    unit = draw.choice([1, 1, 5, 30])
    caps = draw.choice([{}, {"2": 1}, {"2": 2, "4": 5, "6": 20}])
    return {
        "rake_bps": draw.choice([0, 1, 250, 500, 1_000]),
        "rake_unit": unit,
        "rake_cap": {players: unit * units for players, units in caps.items()},
        "rake_min_pot": draw.choice([0, 0, 150]),
        "no_flop_no_drop": draw.random() < 0.7,
    }


def _table(draw: Stream, game: str, number: int, own: Mapping[str, object]) -> str:
    shares = STRUCTURES[game]
    structure = draw.choices(list(shares), list(shares.values()))[0]
    small = draw.choice([1, 5, 25, 50])
    lines: dict[str, object] = {
        "id": f"t{number}",
        "game": game,
        "structure": structure,
        "seats": min(draw.choices(range(2, 11), [4, 2, 3, 2, 5, 1, 1, 1, 2])[0], VARIANTS[game].players_max),
        "action_clock_s": draw.randint(1, 6),
        "countdown_s": draw.randint(1, 8),
        "hand_pause_ms": draw.choice([0, 0, 200, 1500]),
        "away_limit_s": draw.choice([20, 60, 120]),
        "timeout_protection": draw.choices(["always", "disconnected", "never"], [6, 2, 2])[0],
        "moving_button": draw.random() < MOVING,
        "show_all_in": draw.random() < 0.8,
        "timeout_all_ins_per_day": draw.choice([0, 0, 1, 5]),
        "time_bank_s": draw.choice([0, 0, 10]),
        "time_bank_refill_s": draw.choice([0, 1]),
        "reservation_s": draw.choice([3, 20]),
        "rathole_s": draw.choice([0, 600]),
        "observer_delay_s": draw.choices([0, 10], [9, 1])[0],
        "chat_length_max": draw.choice([0, 200]),
        "chat_per_minute": draw.choice([2, 20]),
    }
    if structure == "fixed_limit":
        lines |= {"small_bet": 2 * small, "unit": small, "raises_max": 3, "cap_heads_up": draw.random() < 0.7}
    else:
        lines["small_blind"] = small
    if lines["time_bank_s"] == 0:
        lines["time_bank_refill_s"] = 0
    forced = draw.random()
    if forced < 0.1:
        lines["ante"] = max(1, small // 5)
    elif forced < 0.2:
        lines["big_blind_ante"] = 2 * small
    if draw.random() < 0.3:
        lines["straddle"] = 4 * small
    return toml("[[tables]]", {**lines, **own})


def toml(header: str, values: Mapping[str, object]) -> str:
    """Return a table of a settings file."""
    return "\n".join([header, *(f"{key} = {_value(value)}" for key, value in values.items())])


def _value(value: object) -> str:
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_value(inner)}" for key, inner in value.items()) + " }"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A client to be planned. `home` is the table that it wants first, if any; `patient`: see `PATIENT_SEATS`."""

    home: TableSettings | None
    wanted: tuple[str, ...]
    patient: bool


def _people(draw: Stream, habits_stream: Stream, config: RoomConfig, *, at_least: int) -> list[ClientPlan]:
    """About a quarter more players than seats, most of them for one table; and an observer for every few tables."""
    tables = [table.table for table in config.tables]
    places: list[_Place] = []
    for table in config.tables:
        for number in range(table.seats + draw.randint(0, 1 + table.seats // 3)):
            others = draw.sample(tables, min(len(tables), draw.choices([0, 1, 3], [12, 2, 1])[0]))
            wanted = tuple(dict.fromkeys([table.table, *others]))
            places.append(_Place(home=table, wanted=wanted, patient=number < PATIENT_SEATS))
    places += [_Place(home=None, wanted=(), patient=False)] * max(1, len(tables) // 3)
    while len(places) < at_least:
        table = draw.choice(config.tables)
        places.append(_Place(home=table, wanted=(table.table,), patient=False))
    draw.shuffle(places)
    pauses = draw.random()
    return [
        ClientPlan(
            habits=(has := frozenset() if place.patient else _habits(habits_stream)),
            accounts=_accounts(habits_stream, place, number, 2 if ClientHabit.SWITCHER in has else 1),
            flood=config.limits.message_burst + 20,
            encoding=Encoding.JSON if draw.random() < 0.1 else Encoding.MSGPACK,
            pause=draw.random() < pauses,
            wanted=_greedily(habits_stream, place.wanted, tables)
            if ClientHabit.GREEDY in has
            else place.wanted,
            watched=tuple(draw.sample(tables, 1)) if not place.wanted or draw.random() < 0.1 else (),
            haste=draw.choice([0.05, 0.3, 0.3, 1.0]),
        )
        for number, place in enumerate(places, start=1)
    ]


def _with_hosts(draw: Stream, people: list[ClientPlan]) -> list[ClientPlan]:
    """In half of the rooms let some people host private tables; not switchers, for their other account does not."""
    if draw.random() < 0.5:
        return people
    may = [number for number, plan in enumerate(people) if len(plan.accounts) == 1 and plan.wanted]
    hosts = set(draw.sample(may, min(len(may), HOSTS)))
    return [replace(plan, hosts=number in hosts) for number, plan in enumerate(people)]


def _greedily(draw: Stream, wanted: tuple[str, ...], tables: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*wanted, *draw.sample(tables, min(len(tables), 6))]))


def _accounts(draw: Stream, place: _Place, number: int, count: int) -> tuple[AccountPlan, ...]:
    """The accounts of a client. Of the others than the patient, two fifths are poor, and one in ten has none yet."""
    wallet: int | None = WALLET
    roll = draw.random()
    if place.home is not None and not place.patient and roll < 0.4:
        wallet = draw.randint(place.home.min_buy_in // 2, 3 * place.home.max_buy_in)
    elif not place.patient and roll < 0.5:
        wallet = None
    names = (f"p{number}", f"q{number}")[:count]
    return tuple(account_plan(name, wallet) for name in names)


def account_plan(name: str, wallet: int | None) -> AccountPlan:
    """Return the plan of an account with a password that follows from its name."""
    return AccountPlan(name=name, password=f"password of {name}", wallet=wallet)


def one_account(draw: Stream, number: int, *, rich: int, poor: tuple[int, int], surely: bool) -> AccountPlan:
    """Return the plan of a client's only account. Unless `surely` rich, one in five is poor, one in ten has none."""
    roll = 1.0 if surely else draw.random()
    wallet = draw.randint(*poor) if roll < 0.2 else None if roll < 0.3 else rich
    return account_plan(f"p{number}", wallet)


def _habits(draw: Stream) -> frozenset[ClientHabit]:
    return frozenset(habit for habit, share in _SHARES.items() if draw.random() < share)
