"""`python -m tests.referee exports FILE…` and `python -m tests.referee watch ADDRESS`: see README.md here."""

import argparse
import asyncio
import contextlib
import secrets
import sys
from collections import defaultdict
from pathlib import Path

from tests.referee.exports import TournamentStacks, check_text
from tests.referee.report import Report
from tests.referee.watch import Watch
from tests.referee.wire import watch_room


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.referee", description="Say where a room is wrong.")
    commands = parser.add_subparsers(dest="command", required=True)
    exports = commands.add_parser("exports", help="check files that `pokerroom history export` wrote")
    exports.add_argument(
        "files", nargs="*", default=["-"], help="PHH, OHH or PokerStars text; - is standard input"
    )
    watch = commands.add_parser("watch", help="check a running room as an observer of its tables")
    watch.add_argument("address", help="HOST:PORT, tls://HOST:PORT, ws://HOST:PORT/ws or wss://…")
    watch.add_argument(
        "--seconds", type=float, default=60.0, help="how long (default 60); Ctrl-C ends it earlier"
    )
    watch.add_argument(
        "--clock", default="", help="seconds to act + countdown, as 10+20; else those of the first turn"
    )
    watch.add_argument("--table", default="", help="watch only tables with this in their id")
    watch.add_argument("--name", default="", help="account of the referee; it is opened if there is none")
    watch.add_argument("--password", default="", help="its password")
    watch.add_argument("--msgpack", action="store_true", help="speak msgpack, not JSON")
    return parser.parse_args()


def main() -> int:
    """Run the command; return the exit code: 0, 1 with differences, 2 if there was nothing to check."""
    arguments, report = _arguments(), Report()
    if arguments.command == "exports":
        known = defaultdict[str, TournamentStacks](TournamentStacks)
        for name in arguments.files:
            text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
            check_text(text, report, known)
        return report.finish() or (0 if report.hands else 2)
    clock = tuple(int(part) for part in arguments.clock.split("+")) if arguments.clock else None
    watch = Watch(
        report,
        name=arguments.name or f"ref.{secrets.token_hex(5)}",
        password=arguments.password or secrets.token_urlsafe(16),
        clock=None if clock is None else (clock[0], clock[1]),
        only=arguments.table,
    )
    ended = None
    with contextlib.suppress(KeyboardInterrupt):
        ended = asyncio.run(
            watch_room(arguments.address, watch, seconds=arguments.seconds, packed=arguments.msgpack)
        )
    if ended is not None:
        sys.stderr.write(f"{ended}\n")
    return report.finish() or (0 if ended is None and report.hands else 2)


if __name__ == "__main__":
    sys.exit(main())
