"""A hand's state as plain data and back, exactly: dicts, lists, strings and integers only.

The data hold every card of the hand, dealt or not. Who stores them encrypts them.
"""

from typing import Any

from pokerroom.rules.betting import BettingStructure, FixedLimit, NoLimit, PotLimit
from pokerroom.rules.cards import Card
from pokerroom.rules.events import PostKind, Street
from pokerroom.rules.legal import turn_of
from pokerroom.rules.setup import HandSetup, PlayerSetup, check_setup
from pokerroom.rules.state import BOARD_CARDS, HandState, PlayerStatus
from pokerroom.rules.stored import check_stored

_LISTS = ("stacks", "bets", "committed", "dead")
_NUMBERS = ("blind_shortfall", "current_bet", "full_bet", "full_raise", "raises", "aggressor")


def state_to_data(state: HandState) -> dict[str, Any]:
    """Everything `state_from_data` needs. `to_act` and `aggressor` may be None."""
    data: dict[str, Any] = {name: list(getattr(state, name)) for name in _LISTS}
    data.update({name: getattr(state, name) for name in _NUMBERS})
    data["to_act"] = state.to_act
    data["setup"] = _setup_to_data(state.setup)
    data["statuses"] = [status.value for status in state.statuses]
    data["acted"] = [int(acted) for acted in state.acted]
    data["street"] = state.street.value
    data["heads_up"] = int(state.heads_up)
    return data


def state_from_data(data: dict[str, Any]) -> HandState:
    """The state `state_to_data` wrote.

    Raises InvariantBroken for one that no hand can reach; KeyError, IndexError, TypeError or ValueError for what is
    no state at all.
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
    state.board = state.setup.board[: BOARD_CARDS[state.street]]
    state.heads_up = bool(data["heads_up"])
    to_act = data["to_act"]
    check_stored(state, to_act)
    if to_act is not None:
        state.turn = turn_of(state, to_act)
    return state


def _setup_to_data(setup: HandSetup) -> dict[str, Any]:
    return {
        "structure": _structure_to_data(setup.structure),
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
    }


def _setup_from_data(data: dict[str, Any]) -> HandSetup:
    return HandSetup(
        structure=_structure_from_data(data["structure"]),
        big_blind=data["big_blind"],
        players=tuple(
            PlayerSetup(
                stack=player["stack"],
                holes=(Card(player["holes"][0]), Card(player["holes"][1])),
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
        show_all_in=bool(data["show_all_in"]),
    )


def _structure_to_data(structure: BettingStructure) -> dict[str, Any]:
    if isinstance(structure, FixedLimit):
        return {
            "kind": "fixed_limit",
            "small_bet": structure.small_bet,
            "big_bet": structure.big_bet,
            "raises_max": structure.raises_max,
            "cap_heads_up": int(structure.cap_heads_up),
        }
    return {"kind": "pot_limit" if isinstance(structure, PotLimit) else "no_limit"}


def _structure_from_data(data: dict[str, Any]) -> BettingStructure:
    kind = data["kind"]
    if kind == "fixed_limit":
        return FixedLimit(
            small_bet=data["small_bet"],
            big_bet=data["big_bet"],
            raises_max=data["raises_max"],
            cap_heads_up=bool(data["cap_heads_up"]),
        )
    return {"pot_limit": PotLimit, "no_limit": NoLimit}[kind]()
