"""The end of a hand: uncalled bet, turning hands up, the rake, awarding the pots (F, G)."""

from typing import Final

from pokerroom.rules.errors import InvariantBroken
from pokerroom.rules.events import Event, HandFinished, HandMucked, HandShown, PotWon, UncalledBetReturned
from pokerroom.rules.pots import layers, share_out
from pokerroom.rules.rake import attributed, rake_of_pots
from pokerroom.rules.state import HandState, PlayerStatus

_ALL_IN: Final = PlayerStatus.all_in
_CLOCK_ALL_IN: Final = PlayerStatus.clock_all_in
_FOLDED: Final = PlayerStatus.folded


def return_uncalled(state: HandState, events: list[Event]) -> None:
    """Give back what the largest bettor has in beyond all others (F1).

    Folded chips stay in, so a player who has folded gets nothing back. The street is over: its bets are
    cleared next, and need no change.
    """
    live = state.live()
    top = max(live)
    player = live.index(top)
    live[player] = 0
    amount = top - max(live)
    if amount <= 0 or state.statuses[player] is _FOLDED:
        return
    state.stacks[player] += amount
    state.committed[player] -= amount
    if state.statuses[player] is _ALL_IN:
        state.statuses[player] = PlayerStatus.active
    events.append(UncalledBetReturned(player=player, amount=amount, stack=state.stacks[player]))


def award_uncontested(state: HandState, winner: int, events: list[Event]) -> None:
    """Award everything to the only player left, who need not show (G1)."""
    return_uncalled(state, events)
    amount = sum(state.committed)
    rake = _take_rake(state, [amount])[0]
    state.stacks[winner] += amount - rake
    if amount:  # a lone blind that all others fold to is only returned
        events.append(PotWon(pot=0, amount=amount, shares=((winner, amount - rake),), rake=rake))
    _finish(state, events)


def all_in_shown(state: HandState) -> bool:
    """Return whether a player is all-in, with betting closed, and the table turns all hands up then (G2)."""
    return state.setup.show_all_in and any(
        status is _ALL_IN or status is _CLOCK_ALL_IN for status in state.statuses
    )


def show_all(state: HandState, events: list[Event]) -> None:
    """Turn up all live hands, in show order (G2)."""
    variant = state.setup.variant
    for player in _show_order(state):
        holes = state.setup.players[player].holes
        rank = variant.rank(holes, state.board) if state.street is variant.last_street else None
        events.append(HandShown(player=player, cards=holes, rank=rank))


def award_showdown(state: HandState, events: list[Event], *, shown: bool) -> None:
    """Compare the hands and award each pot on its own, a side pot before the main pot (F2).

    `shown`: all hands are turned up already. Mucking never changes the winner (G3).
    """
    variant, contesting = state.setup.variant, state.contesting()
    ranks = [0] * len(state.stacks)
    for player in contesting:
        ranks[player] = variant.rank(state.setup.players[player].holes, state.board)
    pots = layers(state.live(), sum(state.dead), contesting)
    if not shown:
        _show_or_muck(state, ranks, [eligible for _, eligible in pots], events)
    rakes = _take_rake(state, [amount for amount, _ in pots])
    awarded = sum(rakes)
    for pot in range(len(pots) - 1, -1, -1):
        amount, eligible = pots[pot]
        shares = share_out(amount - rakes[pot], eligible, ranks, state.setup.unit)
        for player, share in shares:
            state.stacks[player] += share
            awarded += share
        events.append(PotWon(pot=pot, amount=amount, shares=shares, rake=rakes[pot]))
    if awarded != sum(state.committed):
        raise InvariantBroken("the pots differ from the committed chips (A2)")
    _finish(state, events)


def _take_rake(state: HandState, pots: list[int]) -> list[int]:
    """Return the rake of each pot, and note each player's part of it (F4, F5)."""
    terms = state.setup.rake
    if terms is None:
        return [0] * len(pots)
    flop = state.street is not state.setup.variant.first_street
    rakes = rake_of_pots(terms, pots, len(state.stacks), flop=flop)
    rake = sum(rakes)
    if rake:
        state.rake = attributed(rake, state.committed)
    return rakes


def _show_order(state: HandState) -> list[int]:
    """Clockwise from the street's last aggressor, or else from the first live seat left of the button (G3)."""
    contesting = state.contesting()
    first = state.aggressor
    if first is None:
        return contesting
    return [player for player in contesting if player >= first] + [p for p in contesting if p < first]


def _show_or_muck(
    state: HandState, ranks: list[int], pots: list[tuple[int, ...]], events: list[Event]
) -> None:
    """Go in show order. A player beaten by a shown hand in every pot they contest may muck (G3)."""
    shown: set[int] = set()
    for player in _show_order(state):
        setup = state.setup.players[player]
        beaten = all(
            any(other in shown and ranks[other] > ranks[player] for other in eligible)
            for eligible in pots
            if player in eligible
        )
        if beaten and setup.muck_losing:
            events.append(HandMucked(player=player))
        else:
            shown.add(player)
            events.append(HandShown(player=player, cards=setup.holes, rank=ranks[player]))


def _finish(state: HandState, events: list[Event]) -> None:
    players = len(state.stacks)
    state.bets = [0] * players
    state.committed = [0] * players
    state.dead = [0] * players
    state.turn = None
    events.append(HandFinished(stacks=tuple(state.stacks)))
