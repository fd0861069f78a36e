"""L15: deals at a final table: that every player left has accepted, and what each gets. Knows no rules."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from pokerroom.ledger.tournaments import DealRow, tournament_at
from pokerroom_protocol import messages as wire

_ALL_BPS: Final = 10_000

_MODEL_MAX: Final = 7
"""The model is followed for so many players: it looks at all orders in which they may finish."""


class DealChecker:
    """What players have said to deals, by tournament, and whether a deal is theirs."""

    def __init__(self) -> None:
        self._proposed: defaultdict[str, set[int]] = defaultdict(set)
        self._accepted: defaultdict[tuple[str, int], set[int]] = defaultdict(set)
        self.made = 0

    def asked(self, account: int | None, request: wire.Request) -> None:
        """A request has reached the room."""
        if account is None:
            return
        if isinstance(request, wire.ProposeDeal):
            self._proposed[tournament_at(request.table)].add(account)
        elif isinstance(request, wire.AnswerDeal) and request.accept:
            self._accepted[tournament_at(request.table), request.deal].add(account)

    def wrong(
        self,
        name: str,
        deal: DealRow,
        terms: Mapping[str, Any],
        left: Mapping[int, int],
        prizes: Sequence[int],
    ) -> Iterator[str]:
        """Say what is wrong with a deal of the players `left`, given with their chips."""
        self.made += 1
        if deal.proposer not in self._proposed[name] or not any(
            set(deal.accounts) <= accepted | {deal.proposer}
            for (tournament, _), accepted in self._accepted.items()
            if tournament == name
        ):
            yield f"not all of {deal.accounts} have accepted {deal}"
        if not terms["deals"] or len(left) > terms["deal_from_players"]:
            yield f"a deal of {len(left)} players, by its terms {terms}"
        if dict(zip(deal.accounts, deal.stacks, strict=True)) != left:
            yield f"a deal of {deal.accounts} with {deal.stacks}, left are {dict(left)}"
            return
        unpaid = [*prizes, *[0] * len(left)][: len(left)]
        aside = deal.for_the_winner
        most = unpaid[0] - unpaid[1]
        least = min(most, sum(unpaid) * terms["deal_leave_bps"] // _ALL_BPS)
        if not least <= aside <= most:
            yield f"{aside} is set aside for the winner, the bounds are {least} and {most}"
        unpaid[0] -= aside
        if sum(deal.amounts) != sum(unpaid):
            yield f"{deal.amounts} are shared, and {sum(unpaid)} is unpaid"
        due = _by_chips(deal.stacks, unpaid) if deal.kind == "chips" else _by_model(deal.stacks, unpaid)
        if due is not None and any(
            abs(amount - exact) >= 1 for amount, exact in zip(deal.amounts, due, strict=True)
        ):
            yield f"{deal.amounts} are shared by {deal.kind}, due are {[float(exact) for exact in due]}"


def _by_chips(stacks: Sequence[int], unpaid: Sequence[int]) -> list[Fraction]:
    rest = sum(unpaid) - unpaid[-1] * len(stacks)
    return [unpaid[-1] + Fraction(rest * stack, sum(stacks)) for stack in stacks]


def _by_model(stacks: Sequence[int], unpaid: Sequence[int]) -> list[Fraction] | None:
    """What each can expect, if the winner is drawn by the chips, then the second of the others, and so on."""
    if len(stacks) > _MODEL_MAX:
        return None
    due = [Fraction(0)] * len(stacks)

    def finish(chance: Fraction, place: int, left: tuple[int, ...]) -> None:
        total = sum(stacks[player] for player in left)
        for player in left:
            first = chance * Fraction(stacks[player], total)
            due[player] += first * unpaid[place]
            if len(left) > 1:
                finish(first, place + 1, tuple(other for other in left if other != player))

    finish(Fraction(1), 0, tuple(range(len(stacks))))
    return due
