"""Draw from a seed what is played at tables of Ultimate: the room's settings and its clients."""

from __future__ import annotations

from pokerroom.ops.config import RoomConfig, parse
from pokerroom.simulation.scenario import AccountPlan, ClientPlan, Scenario
from pokerroom.simulation.streams import Stream, stream
from pokerroom_protocol.codec import Encoding

RICH = 50_000_000
"""In the smallest unit: enough for any run."""


def ultimate_scenario(seed: int) -> Scenario:
    """One to four tables; most have boxes, at some all play one hand."""
    draw = stream(seed, "house")
    count = draw.choice([1, 1, 2, 3, 4])
    text = ['[room]\nname = "simulation"', _limits(draw)]
    text += [_table(draw, number) for number in range(1, count + 1)]
    config = parse("\n".join(text), "the settings of a simulation")
    return Scenario(
        config=config,
        people=tuple(_people(draw, config)),
        paces={},
        hands_min=0,
        operated=draw.random() < 0.5,
    )


def _limits(draw: Stream) -> str:
    burst = draw.choice([60, 200])
    limits = {
        "messages_per_s": burst // 2,
        "message_burst": burst,
        "outbound_bytes_max": draw.choice([32_768, 65_536]),
        "idle_s": 60,
        "tables_per_account_max": draw.choice([2, 4]),
    }
    return "[limits]\n" + "\n".join(f"{key} = {value}" for key, value in limits.items())


def _table(draw: Stream, number: int) -> str:
    common = draw.random() < 0.4
    betting = draw.randint(1, 6)
    lines: dict[str, object] = {
        "id": f'"u{number}"',
        "seating": '"common_hand"' if common else '"boxes"',
        "betting_s": betting,
        "closing_s": draw.randint(0, betting),
        "decision_s": draw.randint(1, 6),
        "result_pause_ms": draw.choice([0, 300, 2_000]),
        "away_limit_s": draw.choice([5, 20, 60]),
        "presence": str(draw.random() < 0.5).lower(),
        "qualification": draw.choice(['"any_pair"', '"pair_of_fours"']),
        "trips_max": draw.choice([0, 10_000]),
    }
    if not common:
        lines["boxes"] = draw.randint(1, 6)
    if draw.random() < 0.2:
        lines["exposure_max"] = 400_000
    text = "[[ultimate]]\n" + "\n".join(f"{key} = {value}" for key, value in lines.items())
    if draw.random() < 0.5:
        text += "\n[ultimate.progressive]\nstake = 100\nseed = 100_000\n"
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
            accounts=(_account(draw, number, rich=number in rich),),
            habits=frozenset(),
            flood=0,
            encoding=Encoding.JSON if draw.random() < 0.1 else Encoding.MSGPACK,
            pause=draw.random() < pauses,
            wanted=tables,
            watched=() if tables and draw.random() < 0.8 else (draw.choice(names),),
            haste=draw.choice([0.05, 0.3, 1.0]),
        )
        for number, tables in enumerate(wanted, start=1)
    ]


def _account(draw: Stream, number: int, *, rich: bool) -> AccountPlan:
    """Of the others one in five is poor, one in ten has no account yet."""
    roll = 1.0 if rich else draw.random()
    wallet = draw.randint(300, 5_000) if roll < 0.2 else None if roll < 0.3 else RICH
    return AccountPlan(name=f"p{number}", password=f"password of p{number}", wallet=wallet)
