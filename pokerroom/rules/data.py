"""A hand's state as plain data and back, exactly: dicts, lists, strings and integers only.

The data contain every card of the hand, dealt or not. Encrypt them before you store them.
"""

from typing import Any

from pokerroom.rules.betting import structure_named
from pokerroom.rules.cards import Card
from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.events import PostKind, Street
from pokerroom.rules.legal import turn_of
from pokerroom.rules.rake import RakeTerms
from pokerroom.rules.setup import HandSetup, PlayerSetup, check_setup
from pokerroom.rules.state import HandState, PlayerStatus
from pokerroom.rules.stored import check_stored
from pokerroom.rules.variants import HOLDEM, variant_named

_LISTS = ("stacks", "bets", "committed", "dead")
_NUMBERS = ("blind_shortfall", "current_bet", "full_bet", "full_raise", "raises", "aggressor")


def state_to_data(state: HandState) -> dict[str, Any]:
    """Return all that `state_from_data` needs. `to_act` and `aggressor` may be None.

    Raises UnknownName or InvariantBroken for a variant that would not be read back as itself.
    """
    data: dict[str, Any] = {name: list(getattr(state, name)) for name in _LISTS}
    data.update({name: getattr(state, name) for name in _NUMBERS})
    data["to_act"] = state.to_act
    data["setup"] = _setup_to_data(state.setup)
    data["statuses"] = [status.value for status in state.statuses]
    data["acted"] = [int(acted) for acted in state.acted]
    data["street"] = state.street.value
    data["heads_up"] = int(state.heads_up)
    if state.rake:
        data["rake"] = list(state.rake)
    return data


def state_from_data(data: dict[str, Any]) -> HandState:
    """Return the state that `state_to_data` wrote.

    Raises InvariantBroken for a state that no hand can reach, UnknownName for a game that is not played here, and
    KeyError, IndexError, TypeError or ValueError for data that are no state at all.
    """
    setup = _setup_from_data(data["setup"])
    check_setup(setup)
    state = HandState(setup)
    for name in _LISTS:
        setattr(state, name, list(data[name]))
    for name in _NUMBERS:
        setattr(state, name, data[name])
    state.statuses = [PlayerStatus(status) for status in data["statuses"]]
    state.acted = [bool(acted) for acted in data["acted"]]
    state.street = Street(data["street"])
    state.board = setup.board[: setup.variant.board_cards[state.street]]
    state.heads_up = bool(data["heads_up"])
    state.rake = list(data.get("rake", ()))
    to_act = data["to_act"]
    check_stored(state, to_act)
    if to_act is not None:
        state.turn = turn_of(state, to_act)
    return state


def _setup_to_data(setup: HandSetup) -> dict[str, Any]:
    if variant_named(setup.variant.name) != setup.variant:
        raise InvariantBroken(f"another variant is called {setup.variant.name}")
    data = {
        "variant": setup.variant.name,
        "structure": {"kind": setup.structure.name, **setup.structure.parameters},
        "big_blind": setup.big_blind,
        "players": [
            {
                "stack": player.stack,
                "holes": list(player.holes),
                "ante": player.ante,
                "blind": player.blind,
                "blind_kind": player.blind_kind.value if player.blind_kind is not None else "",
                "dead": player.dead,
                "muck_losing": int(player.muck_losing),
            }
            for player in setup.players
        ],
        "board": list(setup.board),
        "last_blind": setup.last_blind,
        "show_all_in": int(setup.show_all_in),
        "unit": setup.unit,
        "ante_first": int(setup.ante_first),
    }
    if setup.dead_blind:
        data["dead_blind"] = setup.dead_blind
    if (rake := setup.rake) is not None:
        data["rake"] = {
            "bps": rake.bps,
            "caps": [list(cap) for cap in rake.caps],
            "no_flop_no_drop": int(rake.no_flop_no_drop),
            "unit": rake.unit,
            "min_pot": rake.min_pot,
        }
    return data


def _setup_from_data(data: dict[str, Any]) -> HandSetup:
    structure = dict(data["structure"])
    return HandSetup(
        # Data of a room that knew one game do not name it.
        variant=variant_named(data["variant"]) if "variant" in data else HOLDEM,
        structure=structure_named(structure.pop("kind"), structure),
        big_blind=data["big_blind"],
        players=tuple(
            PlayerSetup(
                stack=player["stack"],
                holes=tuple([Card(card) for card in player["holes"]]),
                ante=player["ante"],
                blind=player["blind"],
                blind_kind=PostKind(player["blind_kind"]) if player["blind_kind"] else None,
                dead=player["dead"],
                muck_losing=bool(player["muck_losing"]),
            )
            for player in data["players"]
        ),
        board=tuple(Card(card) for card in data["board"]),
        last_blind=data["last_blind"],
        dead_blind=data.get("dead_blind", 0),
        show_all_in=bool(data["show_all_in"]),
        unit=data.get("unit", 1),  # of an earlier version: each pot was split to the last 1/100
        rake=_rake_from_data(data["rake"]) if "rake" in data else None,
        ante_first=bool(data.get("ante_first", 1)),  # of an earlier version: the blind came last (B9)
    )


def _rake_from_data(data: dict[str, Any]) -> RakeTerms:
    return RakeTerms(
        bps=data["bps"],
        caps=tuple([(players, cap) for players, cap in data["caps"]]),
        no_flop_no_drop=bool(data["no_flop_no_drop"]),
        unit=data["unit"],
        min_pot=data["min_pot"],
    )
