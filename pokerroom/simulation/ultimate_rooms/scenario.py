"""Draw from a seed what is played at tables of Ultimate: the room's settings and its clients."""

from __future__ import annotations

from pokerroom.ops.config import RoomConfig, parse
from pokerroom.simulation.scenario import ClientPlan, Scenario, limits, one_account, toml
from pokerroom.simulation.streams import Stream, stream
from pokerroom_protocol.codec import Encoding

RICH = 50_000_000
"""In the smallest unit: enough for any run."""


def ultimate_scenario(seed: int) -> Scenario:
    """One to four tables; most have boxes, at some all play one hand."""
    draw = stream(seed, "house")
    count = draw.choice([1, 1, 2, 3, 4])
    text = ['[room]\nname = "simulation"', limits(draw, [32_768, 65_536], [2, 4])]
    text += [_table(draw, number) for number in range(1, count + 1)]
    config = parse("\n".join(text), "the settings of a simulation")
    return Scenario(config=config, people=tuple(_people(draw, config)), operated=draw.random() < 0.5)


def _table(draw: Stream, number: int) -> str:
    common = draw.random() < 0.4
    betting = draw.randint(1, 6)
    lines: dict[str, object] = {
        "id": f"u{number}",
        "seating": "common_hand" if common else "boxes",
        "betting_s": betting,
        "closing_s": draw.randint(0, betting),
        "decision_s": draw.randint(1, 6),
        "result_pause_ms": draw.choice([0, 300, 2_000]),
        "away_limit_s": draw.choice([5, 20, 60]),
        "presence": draw.random() < 0.5,
        "qualification": draw.choice(["any_pair", "pair_of_fours"]),
        "trips_max": draw.choice([0, 10_000]),
    }
    if not common:
        lines["boxes"] = draw.randint(1, 6)
    if draw.random() < 0.2:
        lines["exposure_max"] = 400_000
    text = toml("[[ultimate]]", lines)
    if draw.random() < 0.5:
        text += toml("\n[ultimate.progressive]", {"stake": 100, "seed": 100_000})
    return text


def _people(draw: Stream, config: RoomConfig) -> list[ClientPlan]:
    """A few more than there are boxes, or a handful where a common hand is dealt; and some observers."""
    wanted: list[tuple[str, ...]] = []
    rich: set[int] = set()
    """The first two of each table: there are always players."""
    names = [table.table for table in config.ultimate]
    for table in config.ultimate:
        boxes = table.terms.boxes if table.presence is False else 6
        rich |= {len(wanted) + 1, len(wanted) + 2}
        for _ in range(draw.randint(2, boxes + 3)):
            others = draw.sample(names, draw.randint(0, min(1, len(names) - 1)))
            wanted.append(tuple(dict.fromkeys([table.table, *others])))
    wanted += [()] * draw.randint(0, 2)
    pauses = draw.random()
    return [
        ClientPlan(
            accounts=(one_account(draw, number, rich=RICH, poor=(300, 5_000), surely=number in rich),),
            encoding=Encoding.JSON if draw.random() < 0.1 else Encoding.MSGPACK,
            pause=draw.random() < pauses,
            wanted=tables,
            watched=() if tables and draw.random() < 0.8 else (draw.choice(names),),
            haste=draw.choice([0.05, 0.3, 1.0]),
        )
        for number, tables in enumerate(wanted, start=1)
    ]
