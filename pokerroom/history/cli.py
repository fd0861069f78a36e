"""`pokerroom replay`: play the hands of PHH files through the rules. `pokerroom hand`: print a hand that was played."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import click
import msgspec

from pokerroom.history.files import documents
from pokerroom.history.hidden_cards import CardSeal, hidden_cards, with_all_cards
from pokerroom.history.phh import UnreadableHand
from pokerroom.history.replay import Replayed, replay
from pokerroom.ledger.account_history import AccountHistoryLedger
from pokerroom.ledger.archive_files import ArchiveFolder
from pokerroom.ledger.archives import ArchiveFailed, ArchiveLedger, archived
from pokerroom.ops.operator_client import REASON_OPTION, CommandLedger, OnLedger, acting, ended

_PROGRESS_EVERY = 500


@dataclass(slots=True)
class _Totals:
    hands: int = 0
    ok: int = 0
    mismatched: int = 0
    refused: int = 0

    def count(self, replayed: Replayed) -> None:
        self.hands += 1
        self.ok += replayed.ok
        self.mismatched += replayed.mismatched
        self.refused += not replayed.ok and not replayed.mismatched


@click.command("replay")
@click.argument("files", metavar="FILE…", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--json", "as_json", is_flag=True, help="Print a JSON object for each hand, and a summary last."
)
def replay_command(files: tuple[Path, ...], as_json: bool) -> None:
    """Play recorded hands by the rules, and compare the results.

    The files have hands in the notation PHH (.phh, .phhs).
    Reads fixed-limit (FT) and no-limit hold'em (NT), pot-limit hold'em as NT with `_bet_limit = "PL"`, and pot-limit
    Omaha (PO). Where a hand gives finishing_stacks, the results must agree. Exit code 1 unless all hands do.
    """
    totals = _Totals()
    encode = msgspec.json.Encoder(decimal_format="number").encode
    for file, hand, replayed in _hands(files):
        totals.count(replayed)
        if as_json:
            line = {
                "file": click.format_filename(file),  # a name that is not UTF-8 has no JSON
                "hand": hand,
                "finishing_stacks": replayed.finishing_stacks,
                "expected": replayed.expected,
                "ok": replayed.ok,
                "error": replayed.error,
                "detail": replayed.detail,
            }
            click.echo(encode(line))
        elif not replayed.ok:
            which = "" if hand is None else f"hand {hand}: "
            click.echo(f"{click.format_filename(file)}: {which}{_sentence(replayed)}")
        _progress(totals.hands)
    _progress(0)
    if as_json:
        click.echo(encode({"summary": True, **msgspec.to_builtins(totals)}))
    else:
        hands = f"{totals.hands} hand{'' if totals.hands == 1 else 's'}"
        click.echo(f"{hands}: {totals.ok} ok, {totals.mismatched} mismatched, {totals.refused} refused")
    sys.exit(0 if totals.ok == totals.hands else 1)


def _hands(files: tuple[Path, ...]) -> Iterator[tuple[Path, str | None, Replayed]]:
    for file in files:
        try:
            for name, document in documents(file):
                yield (
                    file,
                    name,
                    _failed(document) if isinstance(document, UnreadableHand) else replay(document),
                )
        except UnreadableHand as unreadable:
            yield file, None, _failed(unreadable)


def _failed(unreadable: UnreadableHand) -> Replayed:
    return Replayed(finishing_stacks=None, expected=None, error=unreadable.code, detail=unreadable.detail)


def _sentence(replayed: Replayed) -> str:
    if replayed.error == "stacks_differ":
        ours, theirs = (
            ", ".join(map(str, stacks or ())) for stacks in (replayed.finishing_stacks, replayed.expected)
        )
        return f"stacks_differ: ours {ours}; the file's {theirs}"
    return f"{replayed.error}: {replayed.detail}"


def _progress(hands: int) -> None:
    """Show a count on the terminal's error line while the command runs; 0 clears it."""
    if sys.stderr.isatty() and hands % _PROGRESS_EVERY == 0:
        click.echo(f"\r{hands} hands …" if hands else "\r\033[K", nl=False, err=True)


class HandLedger(AccountHistoryLedger, ArchiveLedger, CommandLedger, Protocol):
    """What the command needs of the ledger."""


def _from_archive(on_ledger: OnLedger[HandLedger], hand_id: str, left: bytes, archive: Path | None) -> bytes:
    if archive is None:
        ended(1, f"refused: the record of hand {hand_id} is in an archive: name its directory with --archive")
    rows = on_ledger(lambda ledger: ledger.archives())
    try:
        return ArchiveFolder(archive, rows).restored(left)
    except ArchiveFailed as failed:
        ended(1, f"refused: {failed}")


def hand_command(on_ledger: OnLedger[HandLedger], find_seal: Callable[[], CardSeal | None]) -> click.Command:
    """Return the command `hand`. `find_seal` returns the seal of records, None if the room's key is not here."""

    @click.command("hand")
    @click.argument("hand_id")
    @click.option(
        "--archive",
        type=click.Path(path_type=Path, file_okay=False, exists=True),
        help="The directory of `pokerroom archive`, for a hand that is there.",
    )
    @REASON_OPTION
    def hand(hand_id: str, archive: Path | None, reason: str) -> None:
        """Print the record of a settled hand with all its cards, as JSON.

        For a dispute: each look is a line of the operators' log. Cards that were erased are null.
        """
        by, seal = acting(on_ledger, reason, "hand"), find_seal()
        found = on_ledger(lambda ledger: ledger.read_hand(hand_id, by=by))
        if found is None:
            ended(1, f"refused: no settled hand has the id {hand_id}")
        if archived(found) is not None:
            found = _from_archive(on_ledger, hand_id, found, archive)
        record = msgspec.json.decode(found, type=dict[str, Any])
        hidden = record.get("hidden")
        if hidden is not None and (seal is None or hidden_cards(hand_id, hidden, seal) is None):
            ended(
                1,
                f"the hidden cards are sealed with the key {hidden[0]}, which is not here: run this with the room's"
                " POKERROOM_JOURNAL_KEY or POKERROOM_DATA_DIR, and name earlier keys after the present one",
            )
        if hidden is not None and seal is not None:
            record = with_all_cards(record, seal)
            del record["hidden"]
        click.echo(msgspec.json.encode(record))

    return hand
