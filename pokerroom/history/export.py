"""Exports of settled hands: pages of the ledger, redacted, and written as text, one page in memory at a time.

A file is continued where it ended. Until the export is complete, `FILE.resume` beside it says after which hand and
which byte that is. What follows the byte, if the process died while it wrote, is cut off. This module knows no command
line.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final, Literal, Protocol, Self

import msgspec
from twisted.internet.defer import Deferred

from pokerroom.history.hidden_cards import CardSeal
from pokerroom.history.ohh_text import ohh_text
from pokerroom.history.phh_text import phh_text
from pokerroom.history.pokerstars_text import pokerstars_text
from pokerroom.history.record import HandRecord
from pokerroom.history.redaction import set_names, visible_hand
from pokerroom.history.story import Currency, HandStory, PlaceWon, TournamentStory, story_of
from pokerroom.ledger.account_history import AccountHistoryLedger, HandQuery, SettledHand
from pokerroom.ledger.tournaments import TournamentRow
from pokerroom.ops.config_sit_and_go import SitAndGoConfig

Format = Literal["phh", "ohh", "pokerstars"]

PAGE: Final = 200
"""Hands in memory at once."""

FORMATS: Final[Mapping[Format, Callable[[HandStory], str]]] = {
    "phh": lambda story: f"[{story.number}]\n{phh_text(story)}\n",
    "ohh": lambda story: f"{ohh_text(story)}\n\n",
    "pokerstars": lambda story: f"{pokerstars_text(story)}\n\n",
}
"""A hand as it stands in a file of many."""


class ExportLedger(AccountHistoryLedger, Protocol):
    """What an export needs of the ledger."""

    def account_names(self, accounts: list[int]) -> Deferred[dict[int, str]]:
        """See `Ledger.account_names`."""

    def tournament(self, tournament: str) -> Deferred[TournamentRow]:
        """See `TournamentLedger.tournament`."""


class UnfitFile(Exception):  # noqa: N818 -- says what the file is, as UnreadableHand does
    """Raised for a file that cannot take the export. Its text says what to do."""


@dataclass(slots=True)
class Exported:
    """What was written so far. `sealed` counts hands with own cards that need a key that is not here."""

    hands: int = 0
    sealed: int = 0


class HandSink(Protocol):
    """Where the text goes."""

    after: int
    """The number of the last hand that it has; 0 at the beginning."""

    def add(self, text: str, after: int) -> None:
        """Write the text of a page. The hands with numbers up to `after` are complete then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandExport:
    """What is exported, and for whom: `viewer` is an account, None for spectators."""

    query: HandQuery
    form: Format
    viewer: int | None
    currency: Currency | None
    seal: CardSeal | None

    async def run(self, ledger: ExportLedger, sink: HandSink, told: Callable[[Exported], None]) -> Exported:
        """Write all hands from where the sink ends; `told` is called after each page."""
        exported, tournaments = Exported(), _Tournaments(ledger.tournament)
        after: int | None = sink.after
        while after is not None:
            page = await ledger.hands_page(self.query, after, PAGE)
            hands = [(hand, visible_hand(hand.record, self.viewer, self.seal)) for hand in page.hands]
            accounts = sorted({seat.account for _, record in hands for seat in record.seats})
            names = await ledger.account_names(accounts)
            texts = [await self._text(hand, record, names, tournaments) for hand, record in hands]
            exported.hands += len(hands)
            exported.sealed += sum(record.hidden is not None for _, record in hands)
            after = page.after
            if hands or after is not None:
                sink.add("".join(texts), hands[-1][0].number if after is None else after)
            told(exported)
        return exported

    async def _text(
        self, hand: SettledHand, record: HandRecord, names: Mapping[int, str], tournaments: _Tournaments
    ) -> str:
        set_names(record, names)
        facts = await tournaments.facts(hand.table) if hand.in_chips else None
        story = story_of(
            record, number=hand.number, viewer=self.viewer, tournament=facts, currency=self.currency
        )
        return FORMATS[self.form](story)


class _Tournaments:
    """The facts of the last sit-and-gos that were asked for."""

    _KEPT: Final = 64

    def __init__(self, read: Callable[[str], Awaitable[TournamentRow]]) -> None:
        self._read = read
        self._known: dict[str, TournamentStory] = {}

    async def facts(self, tournament: str) -> TournamentStory:
        if tournament not in self._known:
            if len(self._known) >= self._KEPT:
                self._known.clear()
            self._known[tournament] = tournament_story(await self._read(tournament))
        return self._known[tournament]


def tournament_story(row: TournamentRow) -> TournamentStory:
    """Return what a history says of a sit-and-go. Raises `msgspec.ValidationError` for terms that cannot be read."""
    opening = row.opening
    offer = msgspec.json.decode(opening.terms, type=SitAndGoConfig)
    return TournamentStory(
        tournament=opening.tournament,
        number=opening.number,
        name=f"{offer.name} #{opening.number}",
        buy_in=opening.buy_in - opening.fee,
        fee=opening.fee,
        starting_stack=offer.starting_stack,
        started_ms=row.started_ms or 0,
        level_s=offer.levels[0].length if offer.levels_timed else 0,
        levels=tuple((level.small_blind, level.big_blind) for level in offer.levels),
        places={place.account: PlaceWon(place=place.place, prize=place.prize) for place in row.places},
    )


class _Stand(msgspec.Struct, forbid_unknown_fields=True):
    """The content of `FILE.resume`."""

    export: dict[str, str]
    after: int
    size: int


class ExportFile:
    """A `HandSink` that is a file. `export` says what is in it, so that another export does not continue it."""

    def __init__(self, path: Path, export: dict[str, str]) -> None:
        self.after = 0
        self._path = path
        self._note = path.with_name(f"{path.name}.resume")
        self._export = export
        self._file: BinaryIO

    def __enter__(self) -> Self:
        """Create the file, or continue it. Raises UnfitFile, OSError."""
        stand = self._stand()
        if stand is None:
            try:
                self._file = self._opened(os.O_CREAT | os.O_EXCL)
            except FileExistsError:
                raise UnfitFile(f"{self._path} exists: name another file, or remove it") from None
            self._write_stand()
            return self
        if stand.export != self._export:
            raise UnfitFile(
                f"{self._path} was begun with other options: give the same ones, or remove it and {self._note}"
            )
        try:
            self._file = self._opened()
        except FileNotFoundError:
            raise UnfitFile(f"{self._path} is gone: remove {self._note} and begin again") from None
        if self._file.seek(0, os.SEEK_END) < stand.size:
            self._file.close()
            raise UnfitFile(f"{self._path} is shorter than {self._note} says: remove both and begin again")
        self._file.truncate(stand.size)
        self._file.seek(stand.size)
        self.after = stand.after
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file. It can be continued."""
        self._file.close()

    def add(self, text: str, after: int) -> None:
        """See `HandSink`."""
        self._file.write(text.encode())
        self.after = after
        self._write_stand()

    def complete(self) -> None:
        """Say that the export is complete."""
        self._note.unlink()

    def _opened(self, flags: int = 0) -> BinaryIO:
        """Open the file itself, not what a link names. It has a player's own cards: no other user reads it."""
        return os.fdopen(os.open(self._path, flags | os.O_RDWR | os.O_NOFOLLOW, 0o600), "r+b")

    def _write_stand(self) -> None:
        """Write the note when what it says is on the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())
        new = self._note.with_name(f"{self._note.name}.new")
        new.unlink(missing_ok=True)  # of a process that died, or a link to another file
        new.write_bytes(msgspec.json.encode(_Stand(self._export, self.after, self._file.tell())))
        new.replace(self._note)

    def _stand(self) -> _Stand | None:
        try:
            return msgspec.json.decode(self._note.read_bytes(), type=_Stand)
        except FileNotFoundError:
            return None
        except msgspec.DecodeError:
            raise UnfitFile(f"{self._note} cannot be read: remove it and {self._path}") from None
