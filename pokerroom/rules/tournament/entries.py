"""Entries to a tournament: registration, re-entries, rebuys and add-ons (L1, L2).

Every function returns the next state, or raises `TournamentRefusal` and nothing has changed. The amounts say what the
ledger moves; this module knows no wallet. Levels are counted from 1.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from pokerroom.chips import Chips, Money
from pokerroom.rules.tournament.refusal import TournamentRefusal

_NOTHING: Final = Money(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Purchase:
    """What an account pays for a stack, by where the money goes, and the stack. Money in 1/100 credit."""

    prize: Money
    fee: Money = _NOTHING
    bounty: Money = _NOTHING
    chips: Chips

    @property
    def paid(self) -> Money:
        """All that the account pays."""
        return Money(self.prize + self.fee + self.bounty)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryTerms:
    """What may be bought, when, and for how much.

    `entry` is a full stack; its fee and its bounty are parts of the buy-in. `players_max` and `entries_max` of an
    account may be 0: no limit; an `entries_max` of 1 is a freezeout. Registration closes at the end of level
    `late_levels` (0: at the start). An account buys `rebuy` at most `rebuys_max` times, until the end of level
    `rebuy_levels`, with at most `rebuy_below` chips (None: a full stack). An `add_on` is sold once, in a break of its
    own that begins as that level ends, also where no rebuys are sold.

    Raises ValueError for terms that cannot be.
    """

    entry: Purchase
    players_min: int = 2
    players_max: int = 0
    entries_max: int = 1
    late_levels: int = 0
    rebuy: Purchase | None = None
    rebuys_max: int = 0
    rebuy_levels: int = 0
    rebuy_below: int | None = None
    add_on: Purchase | None = None

    def __post_init__(self) -> None:
        sold = [purchase for purchase in (self.entry, self.rebuy, self.add_on) if purchase is not None]
        is_free = len(sold) == 1 and not self.entry.paid
        if any(one.prize < 1 - is_free or one.fee < 0 or one.bounty < 0 or one.chips < 1 for one in sold):
            raise ValueError(
                "what is sold has a stack, and a part of its price of at least 1 in the prize pool, or is a free entry"
            )
        if self.entry.bounty and len(sold) > 1:
            raise ValueError("a tournament with bounties has no rebuys and no add-ons")
        if any(one.bounty for one in sold[1:]):
            raise ValueError("a bounty is part of an entry")
        if (self.rebuy is None) == (self.rebuys_max > 0) or (len(sold) > 1) != (self.rebuy_levels > 0):
            raise ValueError(
                "rebuys have a price and a number, and with add-ons a last level, or none of them"
            )
        if self.players_min < 2 or 0 < self.players_max < self.players_min:
            raise ValueError("a tournament has two players or more, and room for the least number of them")
        if (
            min(self.entries_max, self.late_levels, self.rebuys_max, self.rebuy_levels, self.stack_for_rebuy)
            < 0
        ):
            raise ValueError("no number is negative")

    @property
    def last_level(self) -> int:
        """The last level in which anything is sold; 0: nothing after the start."""
        return max(self.late_levels, self.rebuy_levels)

    @property
    def stack_for_rebuy(self) -> int:
        """The largest stack with which a rebuy is sold."""
        return self.entry.chips if self.rebuy_below is None else self.rebuy_below


class EntryStage(StrEnum):
    """What the clock says about entries."""

    registering = "registering"
    drawing = "drawing"
    """Seats are being drawn just before the start: an account can still enter, and not withdraw [D]."""
    running = "running"
    add_on_break = "add_on_break"
    closed = "closed"
    """Nothing is sold any more, whatever the level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnteredPlayer:
    """An account and what it has bought. `in_play` is whether its last entry still has chips."""

    account: int
    entries: int = 1
    rebuys: int = 0
    add_ons: int = 0
    in_play: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Entries:
    """All entries of a tournament at one moment, in the order of registration."""

    terms: EntryTerms
    stage: EntryStage = EntryStage.registering
    level: int = 1
    players: tuple[EnteredPlayer, ...] = ()

    @property
    def registration_open(self) -> bool:
        """Whether an account can enter, or re-enter."""
        match self.stage:
            case EntryStage.registering | EntryStage.drawing:
                return True
            case EntryStage.closed:
                return False
            case EntryStage.running | EntryStage.add_on_break:
                return self.level <= self.terms.late_levels

    @property
    def rebuys_open(self) -> bool:
        """Whether a rebuy is sold."""
        return (
            self.terms.rebuy is not None
            and self.stage is EntryStage.running
            and self.level <= self.terms.rebuy_levels
        )

    @property
    def closed(self) -> bool:
        """Whether nothing is sold any more: then prizes are fixed, and places final."""
        if self.stage is EntryStage.running:
            return self.level > self.terms.last_level
        return self.stage is EntryStage.closed

    @property
    def count(self) -> int:
        """The number of entries, re-entries among them."""
        return sum(player.entries for player in self.players)

    @property
    def left(self) -> int:
        """The number of players with chips."""
        return sum(player.in_play for player in self.players)

    @property
    def prize_parts(self) -> Money:
        """What all entries, rebuys and add-ons bring to the prize pool."""
        return Money(sum(one.prize * number for one, number in self._sold()))

    @property
    def fees(self) -> Money:
        """What the house keeps."""
        return Money(sum(one.fee * number for one, number in self._sold()))

    @property
    def bounties(self) -> Money:
        """The bounties that were bought."""
        return Money(sum(one.bounty * number for one, number in self._sold()))

    @property
    def chips(self) -> Chips:
        """The chips in play: all stacks that were sold."""
        return Chips(sum(one.chips * number for one, number in self._sold()))

    def player(self, account: int) -> EnteredPlayer | None:
        """Return the player of an account; None if it has no entry."""
        return next((player for player in self.players if player.account == account), None)

    def paid_by(self, account: int) -> Money:
        """Return all that an account has paid, which a roll back returns (I3). Raises LookupError without an entry."""
        player = self.player(account)
        if player is None:
            raise LookupError("the account has no entry")
        return Money(sum(one.paid * number for one, number in self._bought(player)))

    def _sold(self) -> Iterator[tuple[Purchase, int]]:
        for player in self.players:
            yield from self._bought(player)

    def _bought(self, player: EnteredPlayer) -> Iterator[tuple[Purchase, int]]:
        yield self.terms.entry, player.entries
        if self.terms.rebuy is not None:
            yield self.terms.rebuy, player.rebuys
        if self.terms.add_on is not None:
            yield self.terms.add_on, player.add_ons


def register(entries: Entries, account: int) -> Entries:
    """Enter an account for the first time. Codes: `registration_closed`, `already_registered`, `tournament_full`."""
    _check_open(entries)
    if entries.player(account) is not None:
        raise TournamentRefusal("already_registered")
    if 0 < entries.terms.players_max <= len(entries.players):
        raise TournamentRefusal("tournament_full")
    return replace(entries, players=(*entries.players, EnteredPlayer(account=account)))


def unregister(entries: Entries, account: int) -> Entries:
    """Withdraw an entry before the start; the account gets back all it paid.

    Codes: `not_registered`, `seats_drawn`, `tournament_started`.
    """
    if entries.stage is EntryStage.drawing:
        raise TournamentRefusal("seats_drawn")
    if entries.stage is not EntryStage.registering:
        raise TournamentRefusal("tournament_started")
    if entries.player(account) is None:
        raise TournamentRefusal("not_registered")
    return replace(entries, players=tuple(one for one in entries.players if one.account != account))


def re_enter(entries: Entries, account: int) -> Entries:
    """Sell another full stack to an eliminated player.

    Codes: `registration_closed`, `not_registered`, `still_playing`, `entries_used_up`.
    """
    _check_open(entries)
    player = _entered(entries, account)
    if player.in_play:
        raise TournamentRefusal("still_playing")
    if 0 < entries.terms.entries_max <= player.entries:
        raise TournamentRefusal("entries_used_up")
    return _with(entries, replace(player, entries=player.entries + 1, in_play=True))


def rebuy(entries: Entries, account: int, stack: int) -> Entries:
    """Sell a rebuy to a player with so many chips (>= 0) after a hand.

    A player without chips decides before `bust` is noted, and else re-enters.
    Codes: `rebuys_closed`, `not_registered`, `not_playing`, `rebuys_used_up`, `stack_too_large`.
    """
    if not entries.rebuys_open:
        raise TournamentRefusal("rebuys_closed")
    player = _entered(entries, account)
    if not player.in_play:
        raise TournamentRefusal("not_playing")
    if player.rebuys >= entries.terms.rebuys_max:
        raise TournamentRefusal("rebuys_used_up")
    if stack > entries.terms.stack_for_rebuy:
        raise TournamentRefusal("stack_too_large")
    return _with(entries, replace(player, rebuys=player.rebuys + 1))


def may_rebuy(entries: Entries, account: int) -> bool:
    """Return whether a player that has lost all chips has a rebuy left, as long as they are sold."""
    player = entries.player(account)
    return player is not None and player.rebuys < entries.terms.rebuys_max


def add_on(entries: Entries, account: int) -> Entries:
    """Sell the add-on to a player with any stack, in its break.

    Codes: `add_ons_closed`, `not_registered`, `not_playing`, `add_on_bought`.
    """
    if entries.stage is not EntryStage.add_on_break or entries.terms.add_on is None:
        raise TournamentRefusal("add_ons_closed")
    player = _entered(entries, account)
    if not player.in_play:
        raise TournamentRefusal("not_playing")
    if player.add_ons:
        raise TournamentRefusal("add_on_bought")
    return _with(entries, replace(player, add_ons=1))


def bust(entries: Entries, account: int) -> Entries:
    """Note that a player is out. Codes: `not_registered`, `not_playing`."""
    player = _entered(entries, account)
    if not player.in_play:
        raise TournamentRefusal("not_playing")
    return _with(entries, replace(player, in_play=False))


def may_return(entries: Entries, account: int) -> bool:
    """Return whether an eliminated player can still re-enter; until then no place is told."""
    try:
        re_enter(entries, account)
    except TournamentRefusal:
        return False
    return True


def closes_early(entries: Entries, *, paid: int, hand_for_hand: bool) -> bool:
    """Return whether nothing more is sold because the next player out decides over a prize (L1) [D].

    `paid` are the places by the entries so far; `hand_for_hand` is whether it would begin without further entries.
    """
    return entries.stage is EntryStage.running and (entries.left <= paid or hand_for_hand)


def _check_open(entries: Entries) -> None:
    if not entries.registration_open:
        raise TournamentRefusal("registration_closed")


def _entered(entries: Entries, account: int) -> EnteredPlayer:
    player = entries.player(account)
    if player is None:
        raise TournamentRefusal("not_registered")
    return player


def _with(entries: Entries, changed: EnteredPlayer) -> Entries:
    players = tuple(changed if one.account == changed.account else one for one in entries.players)
    return replace(entries, players=players)
