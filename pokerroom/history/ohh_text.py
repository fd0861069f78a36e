"""A hand as Open Hand History 1.4.7 (https://hh-specs.handhistory.org): one JSON object on one line.

OHH has no uncalled bet: the part that came back is in no pot. It has no clock: a player whom it put all-in acts no
more.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec

from pokerroom.history.story import HandStory, StoryStep
from pokerroom.rules.betting import FixedLimit, NoLimit, PotLimit
from pokerroom.rules.events import PostKind
from pokerroom.rules.variants import HOLDEM, OMAHA

_SPEC: Final = "1.4.7"
_WRITER: Final = "1.3.0"
"""The version of this writer. Raise it with every change of what it writes: readers look at it."""

_SITE: Final = "pokerroom"
_GAMES: Final = {HOLDEM.name: "Holdem", OMAHA.name: "Omaha"}
_LIMITS: Final = {NoLimit.name: "NL", PotLimit.name: "PL", FixedLimit.name: "FL"}
_PLAY_MONEY: Final = "XPM"

_POSTS: Final = {
    PostKind.ante: "Post Ante",
    PostKind.big_blind_ante: "Post Ante",
    PostKind.small_blind: "Post SB",
    PostKind.big_blind: "Post BB",
    PostKind.straddle: "Straddle",
    PostKind.live_post: "Post Extra Blind",
    PostKind.dead_post: "Post Dead",
}
_ACTIONS: Final = {"fold": "Fold", "check": "Check", "call": "Call", "bet": "Bet", "raise": "Raise"}
_SHOWDOWN: Final = {"show": "Shows Cards", "muck": "Mucks Cards"}

_encode: Final = msgspec.json.Encoder().encode


def ohh_text(story: HandStory) -> str:
    """Return the line of a hand. In a file a blank line stands between two hands."""
    return _encode({"ohh": _hand(story)}).decode()


def _hand(story: HandStory) -> dict[str, Any]:
    record = story.record
    ids = {seat: number for number, seat in enumerate(story.seats)}
    own = {} if story.own_seat is None else {"hero_player_id": ids[story.own_seat]}
    return {
        "spec_version": _SPEC,
        "site_name": _SITE,
        "network_name": _SITE,
        "internal_version": _WRITER,
        **_tournament(story, ids),
        "game_number": record.hand_id,
        "start_date_utc": f"{story.at:%Y-%m-%dT%H:%M:%SZ}",
        "table_name": record.table,
        "game_type": _GAMES[record.game],
        "bet_limit": {"bet_type": _LIMITS[record.structure], "bet_cap": 0},
        "table_size": story.size,
        "currency": story.currency or _PLAY_MONEY,
        "dealer_seat": record.button,
        "small_blind_amount": _number(story, record.small_blind),
        "big_blind_amount": _number(story, record.big_blind),
        "ante_amount": _number(story, _ante(story)),
        **own,
        "flags": [] if own else ["Observed"],
        "players": [
            {
                "id": ids[seat.seat],
                "seat": seat.seat,
                "name": seat.name,
                "starting_stack": _number(story, seat.stack),
            }
            for seat in story.seats.values()
        ],
        "rounds": _rounds(story, ids),
        "pots": [
            {
                "number": pot.number,
                "amount": _number(story, pot.amount),
                "rake": _number(story, pot.rake),
                "jackpot": 0,
                "player_wins": [
                    {"player_id": ids[seat], "win_amount": _number(story, won)} for seat, won in pot.shares
                ],
            }
            for pot in story.pots
        ],
    }


def _ante(story: HandStory) -> int:
    """Return the ante of all players; where there is none, that of the big blind for the table."""
    antes = [owed.ante for owed in story.owed.values()]
    return min(antes) or max(antes)


def _tournament(story: HandStory, ids: dict[int, int]) -> dict[str, Any]:
    of = story.tournament
    if of is None:
        return {}
    flags = {
        "SNG": of.starts_when_full and not of.has_several_tables,
        "Bounty": of.bounty_kind == "knockout",
        "Progressive-Bounty": of.bounty_kind == "progressive",
        "Re-Entry": of.has_re_entries,
    }
    info = {
        "tournament_number": of.tournament,
        "name": of.name,
        "start_date_utc": f"{of.started:%Y-%m-%dT%H:%M:%SZ}",
        "currency": story.currency or _PLAY_MONEY,
        "buyin_amount": msgspec.Raw(story.money(of.buy_in).encode()),
        "fee_amount": msgspec.Raw(story.money(of.fee).encode()),
        "bounty_fee_amount": msgspec.Raw(story.money(of.bounty).encode()),
        "initial_stack": of.starting_stack,
        "type": "MTT" if of.has_several_tables else "STT",
        "flags": [flag for flag, holds in flags.items() if holds],
        "speed": {"type": "Normal", "round_time": of.level_s},
    }
    player = {row.account: ids[row.seat] for row in story.seats.values()}
    won = [
        {
            "player_id": player[one.winner],
            "bounty_won": msgspec.Raw(story.money(one.cash).encode()),
            "defeated_player_id": player[one.account],
        }
        for one in of.bounties.get(story.number, ())
    ]
    bounties = {"tournament_bounties": won} if won else {}
    return {"tournament": True, "tournament_info": info, **bounties}


def _rounds(story: HandStory, ids: dict[int, int]) -> list[dict[str, Any]]:
    """Return the streets, and a showdown with all cards that were shown or mucked, whenever that was."""
    told = [
        (street.name.capitalize(), street.cards, [_action(story, step) for step in street.steps])
        for street in story.streets
    ]
    name, cards, preflop = told[0]
    posts = sum(step.what == "post" for step in story.streets[0].steps)
    told[0] = name, cards, [*preflop[:posts], *_dealt(story), *preflop[posts:]]
    turned = [step for street in story.streets for step in street.steps if step.what in _SHOWDOWN]
    if turned:
        told.append(("Showdown", (), [_turned(story, step) for step in turned]))
    return [
        {"id": number, "street": street, "cards": cards, "actions": _numbered(actions, ids)}
        for number, (street, cards, actions) in enumerate(told)
    ]


_Action = tuple[int, dict[str, Any]]


def _numbered(actions: Iterable[_Action | None], ids: dict[int, int]) -> list[dict[str, Any]]:
    kept = [action for action in actions if action is not None]
    return [
        {"action_number": number, "player_id": ids[seat], **fields}
        for number, (seat, fields) in enumerate(kept, start=1)
    ]


def _action(story: HandStory, step: StoryStep) -> _Action | None:
    if step.what == "post":
        name = _POSTS[PostKind(step.kind)]
    elif step.what == "bet" and len(story.streets) == 1:
        name = "Raise"  # before the flop there is no bet
    elif step.what in _ACTIONS:
        name = _ACTIONS[step.what]
    else:
        return None
    fields = {"action": name, "amount": _number(story, step.added), "is_allin": step.all_in}
    return step.seat, fields


def _dealt(story: HandStory) -> list[_Action]:
    return [(seat, _with_cards("Dealt Cards", story.seats[seat].cards or ())) for seat in story.dealt]


def _turned(story: HandStory, step: StoryStep) -> _Action:
    return step.seat, _with_cards(_SHOWDOWN[step.what], story.seats[step.seat].cards or ())


def _with_cards(action: str, cards: Sequence[str]) -> dict[str, Any]:
    return {"action": action, "amount": 0, "is_allin": False, "cards": cards}


def _number(story: HandStory, amount: int) -> msgspec.Raw:
    return msgspec.Raw(story.amount(amount).encode())
