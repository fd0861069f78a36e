"""Who was knocked out in a hand, and by whom: from its record (L13)."""

from __future__ import annotations

from pokerroom.history.record import ACTIONS, HandRecord
from pokerroom.ledger.api import Knockout
from pokerroom.rules.events import PostKind
from pokerroom.rules.pots import layers
from pokerroom.rules.tournament.bounties import ContestedPot, bounty_winners

_DEAD = frozenset({PostKind.big_blind_ante, PostKind.dead_post})
"""Posts that lie in the main pot, and match no bet."""


def knockouts_of(hand: HandRecord) -> tuple[Knockout, ...]:
    """Return the players that have no chips left, and the winners of the highest pot that each was in."""
    out = [seat.account for seat in hand.seats if not seat.end]
    if not out:
        return ()
    pots = contested_pots(hand)
    return tuple([Knockout(account=account, winners=bounty_winners(pots, account)) for account in out])


def contested_pots(hand: HandRecord) -> list[ContestedPot]:
    """Return the pots of a hand, the main pot first."""
    players = {seat.seat: player for player, seat in enumerate(hand.seats)}
    live, dead = [0] * len(players), 0
    folded: set[int] = set()
    won: dict[int, list[int]] = {}
    for name, *told in hand.events:
        if name == "post" and told[1] in _DEAD:
            dead += told[2]
        elif name == "post":
            live[players[told[0]]] += told[2]
        elif name in ACTIONS:
            live[players[told[0]]] += told[1]
            if name == "fold":
                folded.add(players[told[0]])
        elif name == "uncalled":
            live[players[told[0]]] -= told[1]
        elif name == "award":
            won[told[0]] = sorted(players[seat] for seat, amount in told[2] if amount)
    contesting = [player for player in range(len(players)) if player not in folded]
    return [
        ContestedPot(
            contested_by=frozenset([hand.seats[player].account for player in eligible]),
            winners=tuple([hand.seats[player].account for player in won[pot]]),
        )
        for pot, (_, eligible) in enumerate(layers(live, dead, contesting))
    ]
