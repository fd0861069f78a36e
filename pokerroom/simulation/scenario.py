"""What a seed plays: the room's settings and who comes to it. The number of hands is no part of it.

The settings go through the room's own configuration, as an operator's file does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pokerroom.ops.config import RoomConfig, parse
from pokerroom.simulation.checks.progress import Pace
from pokerroom.simulation.streams import Stream, stream
from pokerroom_protocol.codec import Encoding

WALLET = 50_000_000
"""Of every player, so that nobody is out of money before the run is over."""

_LIMITS = """
[limits]
messages_per_s = 200
message_burst = 400
outbound_bytes_max = 32_768
idle_s = 60
connections_max = 2_000
tables_per_account_max = 4
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonPlan:
    """One player or observer. `wanted` are the tables where he wants a seat, `watched` those where he looks on."""

    name: str
    encoding: Encoding
    pause: bool
    wanted: tuple[str, ...]
    watched: tuple[str, ...]
    haste: float
    """How long he thinks, as a factor."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A room and its people."""

    config: RoomConfig
    people: tuple[PersonPlan, ...]
    paces: dict[str, Pace]


def scenario(seed: int) -> Scenario:
    """The scenario of a seed: mostly a few tables, sometimes dozens with hundreds of people."""
    draw = stream(seed, "scenario")
    size = draw.random()
    count = draw.randint(1, 3) if size < 0.5 else draw.randint(4, 8) if size < 0.93 else draw.randint(20, 40)
    text = ['[room]\nname = "simulation"', _LIMITS, f"[play_money]\nopening_balance = {WALLET}"]
    text += [_table(draw, number) for number in range(1, count + 1)]
    config = parse("\n".join(text), "the settings of a simulation")
    paces = {
        table.id: Pace(
            action_clock_s=table.action_clock_s,
            countdown_s=table.countdown_s,
            time_bank_s=table.time_bank_s,
            hand_pause_s=table.hand_pause_ms / 1000,
        )
        for table in config.tables
    }
    return Scenario(config=config, people=tuple(_people(draw, config)), paces=paces)


def _table(draw: Stream, number: int) -> str:
    structure = draw.choices(["no_limit", "pot_limit", "fixed_limit"], [6, 2, 2])[0]
    small = draw.choice([1, 5, 25, 50])
    lines: dict[str, object] = {
        "id": f"t{number}",
        "structure": structure,
        "seats": draw.choices(range(2, 11), [4, 2, 3, 2, 5, 1, 1, 1, 2])[0],
        "action_clock_s": draw.randint(1, 6),
        "countdown_s": draw.randint(1, 8),
        "hand_pause_ms": draw.choice([0, 0, 200, 1500]),
        "away_limit_s": draw.choice([20, 60, 120]),
        "timeout_protection": draw.choices(["always", "disconnected", "never"], [6, 2, 2])[0],
        "moving_button": draw.random() < 0.2,
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
        lines |= {"small_bet": 2 * small, "unit": 1, "raises_max": 3, "cap_heads_up": draw.random() < 0.7}
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
    return "[[tables]]\n" + "\n".join(f"{key} = {_toml(value)}" for key, value in lines.items())


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def _people(draw: Stream, config: RoomConfig) -> list[PersonPlan]:
    """About a quarter more players than seats, most of them for one table; and an observer for every few tables."""
    tables = [table.id for table in config.tables]
    wanted: list[tuple[str, ...]] = []
    for table in config.tables:
        for _ in range(table.seats + draw.randint(0, 1 + table.seats // 3)):
            others = draw.sample(tables, min(len(tables), draw.choices([0, 1, 3], [12, 2, 1])[0]))
            wanted.append(tuple(dict.fromkeys([table.id, *others])))
    wanted += [()] * max(1, len(tables) // 3)
    draw.shuffle(wanted)
    pauses = draw.random()
    return [
        PersonPlan(
            name=f"p{number}",
            encoding=Encoding.JSON if draw.random() < 0.1 else Encoding.MSGPACK,
            pause=draw.random() < pauses,
            wanted=chosen,
            watched=tuple(draw.sample(tables, 1)) if not chosen or draw.random() < 0.1 else (),
            haste=draw.choice([0.05, 0.3, 0.3, 1.0]),
        )
        for number, chosen in enumerate(wanted, start=1)
    ]


def seats_of(config: RoomConfig) -> Mapping[str, int]:
    """The seats of each table."""
    return {table.id: table.seats for table in config.tables}
