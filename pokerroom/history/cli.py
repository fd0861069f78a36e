"""`pokerroom replay`: play the hands of PHH files through the rules, and print JSON lines or sentences."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import msgspec

from pokerroom.history.files import documents
from pokerroom.history.phh import UnreadableHand
from pokerroom.history.replay import Replayed, replay

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
        click.echo(
            f"{totals.hands} hands: {totals.ok} ok, {totals.mismatched} mismatched, {totals.refused} refused"
        )
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
