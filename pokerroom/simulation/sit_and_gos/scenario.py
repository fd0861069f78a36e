"""Draw from a seed what is played of sit-and-gos: the room's offers and its clients."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pokerroom.ops.config import RoomConfig, parse
from pokerroom.ops.config_sit_and_go import SitAndGoConfig
from pokerroom.rules.tournament.prizes import shared_prizes_of
from pokerroom.simulation.scenario import (
    STRUCTURES,
    ClientPlan,
    Scenario,
    account_plan,
    limits,
    one_account,
    toml,
)
from pokerroom.simulation.streams import Stream, stream
from pokerroom_protocol.codec import Encoding

RICH = 1_000_000

ONE_TABLE = '[[tables]]\nid = "cash"\nsmall_blind = 50'
"""A room needs at least one; no client comes to it."""


def sit_and_go_scenario(seed: int) -> Scenario:
    """One to three offers, and more people than the largest has seats."""
    draw = stream(seed, "sit-and-gos")
    text = [limits(draw, [32_768, 65_536], []), ONE_TABLE]
    omaha = stream(seed, "variants").random() < 0.2
    text += [_offer(draw, number, omaha=omaha) for number in range(1, draw.choice([1, 1, 2, 3]) + 1)]
    config = parse("\n".join(text), "the settings of a simulation")
    return Scenario(config=config, people=tuple(_people(draw, config)), operated=draw.random() < 0.5)


def mtt_scenario(seed: int) -> Scenario:
    """One offer of several tables, and as many people as it has seats, or some more.

    Stacks are short, and levels, so that players move often. In every other room it starts at a time instead.
    """
    if seed % 2:
        return _scheduled_scenario(seed)
    draw = stream(seed, "mtt")
    lines: dict[str, object] = {
        "id": "m1",
        "game": "holdem",
        "structure": "no_limit",
        "seats_per_address": 0,
        "buy_in": 300,
        "fee": 60,
        "prize_shares": [10_000],
        "starting_stack": draw.choice([200, 500]),
        "level_s": draw.randint(20, 60),
        "action_clock_s": draw.randint(1, 3),
        "countdown_s": draw.randint(1, 3),
        "hand_pause_ms": draw.choice([0, 500]),
        "hand_for_hand_ties": _ties(seed),
    }
    levels = [
        {"small_blind": 10, "break_s": draw.choice([0, 0, 10])},
        {"small_blind": 20},
        {"small_blind": 40},
    ]
    text = [limits(draw, [32_768, 65_536], []), ONE_TABLE, toml("[[sit_and_go]]", lines | {"levels": levels})]
    config = parse("\n".join(text), "the settings of a simulation")
    (offer,) = config.sit_and_gos
    seats = draw.choices([3, 6, 12, 24, 48], [2, 3, 4, 3, 1])[0]
    field = replace(
        offer,
        seats=seats,
        seats_per_table=draw.choices([2, 3, 4, 6, 8, 9], [1, 2, 2, 3, 1, 2])[0],
        prizes=shared_prizes_of([5_000, 3_000, 2_000], pool=240 * seats, seats=seats),
        **_deals(seed),
    )
    config = replace(config, sit_and_gos=(field,))
    return Scenario(config=config, people=tuple(_people(draw, config)), operated=draw.random() < 0.3)


def _scheduled_scenario(seed: int) -> Scenario:
    """One offer that starts every few minutes, with late entries and re-entries, and people of all tempers."""
    draw = stream(seed, "scheduled")
    late = draw.choice([0, 1, 2, 3])
    lines: dict[str, object] = {
        "id": "m1",
        "seats_per_address": stream(seed, "places of addresses").choice([0, 0, 1, 2]),
        "start": f"*/{draw.choice([2, 3, 5])} * * * *",
        "announce_s": draw.choice([60, 200, 600]),
        "seats_per_table": draw.choices([2, 3, 4, 6, 8, 9], [1, 2, 2, 3, 1, 2])[0],
        "players_min": draw.choice([2, 2, 3]),
        "players_max": draw.choice([0, 0, 6]),
        "late_levels": late,
        "entries_max": draw.choice([1, 2, 3, 0]) if late else 1,
        "buy_in": 300,
        "fee": draw.choice([0, 60]),
        "guarantee": draw.choice([0, 0, 2_000, 9_999]),
        "starting_stack": draw.choice([200, 500]),
        "level_s": draw.randint(20, 60),
        "hourly_breaks": draw.random() < 0.5,
        "action_clock_s": draw.randint(1, 3),
        "countdown_s": draw.randint(1, 3),
        "hand_pause_ms": draw.choice([0, 500]),
        "hand_for_hand_ties": _ties(seed),
    }
    heads = stream(seed, "bounties")
    if heads.random() < 0.6:
        lines |= {"bounty": heads.choice([1, 77, 100, 230]), "bounty_kind": "progressive"}
        lines["bounty_cash_bps"] = heads.choice([1, 5_000, 5_000, 7_000, 9_999])
        if heads.random() < 0.4:
            lines["bounty_kind"] = "knockout"
            del lines["bounty_cash_bps"]
    if "bounty" not in lines:
        lines |= _sales(seed)
    if draw.random() < 0.3:
        lines["prize_shares"] = [6_000, 3_000, 1_000]
    lines |= _deals(seed)
    levels = [{"small_blind": blind} for blind in (10, 20, 40)]
    text = [limits(draw, [32_768, 65_536], []), ONE_TABLE, toml("[[tournament]]", lines | {"levels": levels})]
    if seed % 8 == 5:
        text.append(toml("[[tournament]]", _satellite(seed, lines) | {"levels": levels}))
    config = parse("\n".join(text), "the settings of a simulation")
    pauses, count = draw.random(), draw.choices([4, 8, 14, 26], [2, 4, 3, 1])[0]
    people = [replace(client_plan(draw, number, ["m1"], pauses), wanted=()) for number in range(1, count + 1)]
    if lines["seats_per_address"]:
        people = _at_addresses(stream(seed, "addresses"), people)
    return Scenario(config=config, people=tuple(people), operated=draw.random() < 0.3)


def _at_addresses(draw: Stream, people: list[ClientPlan]) -> list[ClientPlan]:
    """Give each of the first three an own address, so that tournaments start; most of the others share one of two."""
    alone = [draw.random() < 0.3 or number < 3 for number, _ in enumerate(people)]
    return [
        replace(plan, address=f"192.0.2.{10 + number if is_alone else draw.randint(1, 2)}")
        for number, (plan, is_alone) in enumerate(zip(people, alone, strict=True))
    ]


def _satellite(seed: int, target: dict[str, object]) -> dict[str, object]:
    """Return an offer that pays tickets for this one, as every eighth room has it."""
    draw = stream(seed, "satellites")
    other = (
        "bounty",
        "bounty_kind",
        "bounty_cash_bps",
        "prize_shares",
        "guarantee",
        "deals",
        "hand_for_hand_ties",
    )
    lines = {key: value for key, value in target.items() if key not in other and "deal_" not in key}
    return lines | {
        "id": "m2",
        "start": "*/2 * * * *",
        "satellite_to": "m1",
        "seats_guaranteed": draw.choice([0, 0, 1, 3]),
        "ticket_days": 1,
        "buy_in": draw.choice([70, 120, 290]),
        "fee": draw.choice([0, 10]),
        "players_max": 0,
    }


def _ties(seed: int) -> str:
    """Draw what orders players that are out in one hand for hand: their stacks, or nothing, so that they share."""
    return stream(seed, "ties").choice(["stack", "stack", "share"])


def _deals(seed: int) -> dict[str, Any]:
    """Draw the settings of deals, which every fifth room has."""
    if seed % 5:
        return {}
    draw = stream(seed, "deals")
    return {
        "deals": True,
        "deal_from_players": draw.choice([2, 4, 10, 10]),
        "deal_leave_bps": draw.choice([0, 0, 500]),
    }


def _sales(seed: int) -> dict[str, object]:
    """Rebuys and an add-on, one of the two, or none."""
    draw = stream(seed, "rebuys")
    roll, lines = draw.random(), dict[str, object]()
    if roll < 0.7:
        lines |= {"rebuys_max": draw.choice([1, 2, 5]), "rebuy_price": draw.choice([120, 240, 300])}
        lines |= {"rebuy_fee": draw.choice([0, 7, 60]), "rebuy_stack": draw.choice([200, 500, 701])}
    if 0.3 < roll < 0.9:
        lines |= {"add_on_price": draw.choice([90, 240]), "add_on_fee": draw.choice([0, 11])}
        lines |= {"add_on_stack": draw.choice([300, 1_000]), "add_on_break_s": draw.choice([10, 25])}
    if lines:
        lines["rebuy_levels"] = draw.choice([1, 2, 3])
    if "rebuys_max" in lines and seed % 3 == 0:
        lines["rebuy_below"] = draw.choice([0, 120])
    return lines


def _offer(draw: Stream, number: int, *, omaha: bool) -> str:
    seats = draw.choices([2, 3, 4, 6, 10], [3, 4, 3, 2, 1])[0]
    weights = STRUCTURES["holdem"]
    structure = draw.choices(list(weights), list(weights.values()))[0]
    if omaha:
        structure = "pot_limit"
    buy_in = draw.choice([100, 300, 505])
    fee = draw.choice([0, buy_in // 5])
    paid = draw.randint(1, min(3, seats))
    shares = {1: [10_000], 2: [7_000, 3_000], 3: [5_000, 3_000, 2_000]}[paid]
    stack = draw.choice([200, 500, 1_500])
    timed = draw.random() < 0.6
    lines: dict[str, object] = {
        "id": f"s{number}",
        "game": "omaha" if omaha else "holdem",
        "seats": seats,
        "structure": structure,
        "buy_in": buy_in,
        "fee": fee,
        "prize_shares": shares,
        "starting_stack": stack,
        "level_s" if timed else "level_hands": draw.randint(20, 90) if timed else draw.randint(2, 6),
        "action_clock_s": draw.randint(1, 5),
        "countdown_s": draw.randint(1, 5),
        "time_bank_s": draw.choice([0, 0, 5]),
        "hand_pause_ms": draw.choice([0, 0, 500]),
        "observer_delay_s": draw.choices([0, 10], [9, 1])[0],
    }
    blinds, levels = stack // 50, list[dict[str, int]]()
    for _ in range(draw.randint(1, 4)):
        level = {"small_bet": 2 * blinds} if structure == "fixed_limit" else {"small_blind": blinds}
        if draw.random() < 0.2:
            level["break_s"] = draw.randint(2, 20)
        if draw.random() < 0.2:
            level["ante"] = max(1, blinds // 5)
        levels.append(level)
        blinds = blinds * 2
    return toml("[[sit_and_go]]", lines | {"levels": levels})


def _people(draw: Stream, config: RoomConfig) -> list[ClientPlan]:
    """As many as the largest offer has seats and some more; each prefers some of the offers, and one can be filled."""
    offers = [offer.id for offer in config.sit_and_gos]
    count = max(offer.seats for offer in config.sit_and_gos) + draw.randint(2, 6)
    pauses = draw.random()
    people = [client_plan(draw, number, offers, pauses) for number in range(1, count + 1)]
    while not any(_can_be_filled(offer, people) for offer in config.sit_and_gos):
        people.append(replace(people[0], accounts=(account_plan(f"p{len(people) + 1}", RICH),)))
    return people


def client_plan(draw: Stream, number: int, offers: list[str], pauses: float) -> ClientPlan:
    """Draw a client that wants some of these offers; the first three want all of them, and can pay."""
    return ClientPlan(
        accounts=(one_account(draw, number, rich=RICH, poor=(50, 2_000), surely=number <= 3),),
        encoding=Encoding.JSON if draw.random() < 0.1 else Encoding.MSGPACK,
        pause=draw.random() < pauses,
        wanted=tuple(draw.sample(offers, draw.randint(1, len(offers)))) if number > 3 else tuple(offers),
        haste=draw.choice([0.05, 0.3, 1.0]),
    )


def _can_be_filled(offer: SitAndGoConfig, people: list[ClientPlan]) -> bool:
    """Whether as many want it as it has seats, who can pay again and again."""
    able = [client for client in people if client.accounts[0].wallet in {None, RICH}]
    return sum(offer.id in client.wanted for client in able) >= offer.seats
