"""Exports of settled hands: pages of the ledger, redacted and told, one page in memory at a time.

A sink writes them: `text_export` as text, `parquet_export` as a table. This module knows no format and no command line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol
from zlib import crc32

import msgspec
from twisted.internet.defer import Deferred

from pokerroom.history.hidden_cards import CardSeal
from pokerroom.history.record import HandRecord
from pokerroom.history.redaction import set_names, visible_hand, whole_hand
from pokerroom.history.story import BountyPaid, Currency, HandStory, PlaceWon, TournamentStory, story_of
from pokerroom.ledger.account_history import AccountHistoryLedger, HandQuery, SettledHand
from pokerroom.ledger.archives import RecordsArchived
from pokerroom.ledger.tournaments import TournamentRow, tournament_at
from pokerroom.ops.config_tournament_play import TournamentPlayConfig

PAGE: Final = 200
"""Hands in memory at once."""


class ExportLedger(AccountHistoryLedger, Protocol):
    """What an export needs of the ledger."""

    def account_names(self, accounts: list[int]) -> Deferred[dict[int, str]]:
        """See `Ledger.account_names`."""

    def tournament(self, tournament: str) -> Deferred[TournamentRow]:
        """See `TournamentLedger.tournament`."""


@dataclass(slots=True)
class Exported:
    """What was written so far. `sealed` counts hands with cards to be told that need a key that is not here.

    `archived` counts hands that are left out: their records are in an archive.
    """

    hands: int = 0
    sealed: int = 0
    archived: int = 0


class HandSink(Protocol):
    """Where the hands go."""

    after: int
    """The number of the last hand that it has; 0 at the beginning."""

    def add(self, stories: Sequence[HandStory], after: int) -> None:
        """Take the hands of a page. Those with numbers up to `after` are complete then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldPage:
    """A page of hands that are told; see `HandPage`. `sealed` is how many lack own cards, as in `Exported`.

    `archived` has the ids of those that are left out.
    """

    stories: Sequence[HandStory]
    sealed: int
    archived: Sequence[str]
    after: int | None


async def _no_rest() -> None:
    """Go on at once."""


def _as_it_is(record: bytes) -> bytes:
    return record


@dataclass(frozen=True, slots=True, kw_only=True)
class HandExport:
    """What is exported, and for whom: `viewer` is an account, None for spectators. `whole`: with all cards.

    `rest` is awaited after the work on each hand, some tenths of a millisecond. `restored` returns a record from its
    archive; without it an archived hand is left out.
    """

    query: HandQuery
    viewer: int | None
    currency: Currency | None
    seal: CardSeal | None
    whole: bool = False
    rest: Callable[[], Awaitable[None]] = _no_rest
    restored: Callable[[bytes], bytes] = _as_it_is

    async def run(self, ledger: ExportLedger, sink: HandSink, told: Callable[[Exported], None]) -> Exported:
        """Write all hands from where the sink ends; `told` is called after each page."""
        exported, tournaments = Exported(), TournamentStories(ledger.tournament)
        after: int | None = sink.after
        while after is not None:
            page = await self.page(ledger, tournaments, after, PAGE)
            exported.hands += len(page.stories)
            exported.sealed += page.sealed
            exported.archived += len(page.archived)
            after = page.after
            if page.stories or after is not None:
                sink.add(page.stories, page.stories[-1].number if after is None else after)
            told(exported)
        return exported

    async def page(
        self, ledger: ExportLedger, tournaments: TournamentStories, after: int, limit: int
    ) -> ToldPage:
        """Return the hands after a number, at most `limit` of them, perhaps none before the last page."""
        page = await ledger.hands_page(self.query, after, limit)
        hands, archived = [], list[str]()
        for hand in page.hands:
            try:
                record = (
                    whole_hand(self.restored(hand.record), self.seal)
                    if self.whole
                    else visible_hand(self.restored(hand.record), self.viewer, self.seal)
                )
            except RecordsArchived:
                archived.append(hand.hand_id)
                continue
            hands.append((hand, record))
            await self.rest()
        accounts = sorted({seat.account for _, record in hands for seat in record.seats})
        names = await ledger.account_names(accounts)
        stories = []
        for hand, record in hands:
            stories.append(await self._story(hand, record, names, tournaments))
            await self.rest()
        sealed = sum(record.hidden is not None for _, record in hands)
        return ToldPage(stories=stories, sealed=sealed, archived=archived, after=page.after)

    async def _story(
        self, hand: SettledHand, record: HandRecord, names: Mapping[int, str], tournaments: TournamentStories
    ) -> HandStory:
        set_names(record, names)
        facts = await tournaments.facts(tournament_at(hand.table)) if hand.in_chips else None
        return story_of(
            record,
            number=hand.number,
            viewer=self.viewer,
            whole=self.whole,
            tournament=facts,
            currency=self.currency,
        )


class TournamentStories:
    """The facts of the last tournaments that were asked for."""

    _KEPT: Final = 64

    def __init__(self, read: Callable[[str], Awaitable[TournamentRow]]) -> None:
        self._read = read
        self._known: dict[str, TournamentStory] = {}

    async def facts(self, tournament: str) -> TournamentStory:
        """Return them. Raises what the ledger raises."""
        if tournament not in self._known:
            if len(self._known) >= self._KEPT:
                self._known.clear()
            self._known[tournament] = tournament_story(await self._read(tournament))
        return self._known[tournament]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Offer(TournamentPlayConfig):
    """What a history reads of the terms of both kinds of tournaments."""

    seats_per_table: int = 0


def tournament_story(row: TournamentRow) -> TournamentStory:
    """Return what a history says of a tournament. Raises `msgspec.ValidationError` for terms that cannot be read."""
    opening = row.opening
    offer = msgspec.json.decode(opening.terms, type=_Offer)
    out_in = {entry.account: entry.out_in for entry in row.entries if entry.counts}
    return TournamentStory(
        tournament=opening.tournament,
        number=_number_of(opening.offer, opening.number),
        name=opening.named(offer.name),
        buy_in=opening.part,
        fee=opening.fee,
        starting_stack=offer.starting_stack,
        started_ms=row.started_ms or 0,
        level_s=offer.levels[0].length if offer.levels_timed else 0,
        levels=tuple((level.small_blind, level.big_blind) for level in offer.levels),
        places={
            place.account: PlaceWon(place=place.place, prize=place.prize, out_in=out_in.get(place.account))
            for place in row.places
        },
        has_several_tables=0 < offer.seats_per_table < opening.seats,
        starts_when_full=opening.scheduled is None,
        has_re_entries=opening.scheduled is not None and opening.scheduled.entries_max != 1,
        bounty=opening.bounty,
        bounty_kind=opening.bounty_kind,
        bounties=_bounties(row),
    )


def _bounties(row: TournamentRow) -> dict[int, list[BountyPaid]]:
    """Return what was paid of heads, by the hand; without the own heads at the end."""
    out_in = {(entry.account, entry.number): entry.out_in for entry in row.entries}
    found = defaultdict[int, list[BountyPaid]](list)
    for won in row.bounties:
        hand = out_in.get((won.account, won.number))
        if hand is not None:
            found[hand].append(BountyPaid(account=won.account, winner=won.winner, cash=won.cash))
    return dict(found)


def _number_of(offer: str, number: int) -> int:
    """Return the number for formats that know tournaments by a number: six digits for the offer, then its own number.

    Of twenty offers two have the same six digits in one room of some five thousand.
    """
    return int(f"{100_000 + crc32(offer.encode()) % 900_000}{number:04}")
