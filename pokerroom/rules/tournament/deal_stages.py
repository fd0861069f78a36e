"""The stages of a deal: proposed in a hand, open to the players' answers between two hands, agreed (L15)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, assert_never

from pokerroom.chips import Money
from pokerroom.rules.tournament.deals import DEAL_PLAYERS_MAX, DealKind

DEAL_WINDOW_MS: Final = 90_000
"""[D] How long the players have to answer."""

HANDS_BETWEEN_DEALS: Final = 10
"""[D] Hands after the first deal that was not agreed, before the next one can be proposed. They double each time."""

DEALS_DOUBLED_MAX: Final = 6
"""[D] So often."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DealTerms:
    """When deals can be made: once so many players are left at the final table.

    At least `leave_bps` of the unpaid prizes, in basis points, are set aside for the winner.
    """

    players_max: int = DEAL_PLAYERS_MAX
    leave_bps: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DealProposal:
    """What a player has proposed. A later proposal has a larger `number`; `proposer` is an account."""

    number: int
    proposer: int
    kind: DealKind
    for_the_winner: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenDeal:
    """A proposal that the players answer until `until_ms` (Unix milliseconds); no hand is dealt meanwhile.

    `accounts` are those left, from the first left of the button, with their `stacks` and the amounts of each kind;
    `by_chips` is None where that kind is refused. `accepted` has the times of acceptance by account.
    """

    proposal: DealProposal
    until_ms: int
    accounts: tuple[int, ...]
    stacks: tuple[int, ...]
    by_icm: tuple[Money, ...]
    by_chips: tuple[Money, ...] | None
    accepted: Mapping[int, int]

    @property
    def amounts(self) -> tuple[Money, ...] | None:
        """Those of the proposed kind."""
        match self.proposal.kind:
            case DealKind.icm:
                return self.by_icm
            case DealKind.chips:
                return self.by_chips
            case _:
                assert_never(self.proposal.kind)

    @property
    def is_agreed(self) -> bool:
        """Whether all players have accepted."""
        return self.accepted.keys() >= set(self.accounts)


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreedDeal:
    """A deal that all players left have accepted, in the order of `OpenDeal`; `accepted_ms` are their times.

    Each gets the own amount with the place, and the winner `for_the_winner` as well. `hands` were finished at the final
    table.
    """

    proposer: int
    kind: DealKind
    for_the_winner: Money
    hands: int
    accounts: tuple[int, ...]
    stacks: tuple[int, ...]
    amounts: tuple[Money, ...]
    accepted_ms: tuple[int, ...]

    def prize(self, account: int, number: int) -> Money:
        """Return what a player of the deal gets that finishes with this number (1 is the winner)."""
        amount = self.amounts[self.accounts.index(account)]
        return Money(amount + (self.for_the_winner if number == 1 else 0))


DealStage: TypeAlias = DealProposal | OpenDeal | AgreedDeal
