"""`make chaos`: real nodes, PostgreSQL and Redis under a swarm and a nemesis; then every chip and hand is looked for.

Progress goes to standard error. The last line of standard output is one JSON object: of the run, of the drill with
--drill, of the upgrade with --upgrade-from. Exit code 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path

from tests.chaos.faults import KILLS, kinds
from tests.chaos.report import failure, upgrade
from tests.chaos.run import SERVICES, Options, run


def main() -> int:
    """Runs, prints, and says whether all was well."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--seconds", type=float, default=600, help="of play under faults")
    parser.add_argument(
        "--kills",
        type=int,
        metavar="N",
        help="nothing but kills, until there were so many; --seconds is then the most that it may take",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--nodes", type=int, default=2)
    parser.add_argument("--tables", type=int, default=8)
    parser.add_argument("--seats", type=int, default=6, help="of each table; a player in each")
    parser.add_argument("--crowd", type=int, default=2000, help="further clients, who come and go")
    parser.add_argument("--sng-bots", type=int, default=20, help="in sit-and-gos, through each node; 0: none")
    parser.add_argument(
        "--field-bots", type=int, default=14, help="in each of two fields, beside a satellite; 0: none"
    )
    parser.add_argument(
        "--house-bots", type=int, default=12, help="at tables against the house, through each node; 0: none"
    )
    parser.add_argument(
        "--parties",
        type=int,
        default=2,
        help="of four friends with clubs and private tables, and as many with private sit-and-gos",
    )
    parser.add_argument("--think-ms", type=int, default=40, help="what a decision takes, on average")
    parser.add_argument(
        "--supervised", action="store_true", help="all nodes below one parent: serve --nodes N"
    )
    parser.add_argument(
        "--redis",
        choices=sorted(SERVICES),
        default="one",
        help="one server, one behind Sentinels, or a Cluster",
    )
    parser.add_argument(
        "--drill", action="store_true", help="back up in the middle, and restore to a second room at the end"
    )
    parser.add_argument(
        "--point-in-time",
        action="store_true",
        help="a drill that restores to a moment, from a base backup and archived WAL",
    )
    parser.add_argument(
        "--upgrade-from", default="", metavar="COMMIT", help="the nodes begin with this earlier version"
    )
    parser.add_argument("--faults", default="", help="kinds, with commas between them; all that can be")
    parser.add_argument("--pokerroom", default=str(Path(sys.executable).with_name("pokerroom")))
    parser.add_argument("--out", type=Path, default=Path("build/chaos"))
    asked = parser.parse_args()
    known = kinds(supervised=asked.supervised, versions=2 if asked.upgrade_from else 1, redis=asked.redis)
    usual = known if asked.kills is None else [kind for kind in known if kind in KILLS]
    chosen = tuple(filter(None, asked.faults.split(","))) or tuple(usual)
    unknown = [kind for kind in chosen if kind not in known]
    if unknown:
        parser.error(f"no such faults: {', '.join(unknown)}; there are {', '.join(known)}")
    if asked.supervised and asked.nodes < 2:
        parser.error("a parent has two nodes at least")
    options = Options(
        seconds=asked.seconds,
        seed=asked.seed,
        nodes=asked.nodes,
        tables=asked.tables,
        seats=asked.seats,
        crowd=asked.crowd,
        sng_bots=asked.sng_bots,
        field_bots=asked.field_bots,
        house_bots=asked.house_bots,
        parties=0
        if asked.upgrade_from
        else asked.parties,  # an earlier version may lack fields of their client
        think_ms=asked.think_ms,
        kinds=chosen,
        kills=asked.kills,
        redis=asked.redis,
        supervised=asked.supervised,
        drill=asked.drill or asked.point_in_time,
        point_in_time=asked.point_in_time,
        upgrade_from=asked.upgrade_from,
        command=(asked.pokerroom, "serve"),
        out=asked.out.resolve(),
    )
    try:
        report = run(options, _tell)
    except (KeyboardInterrupt, asyncio.CancelledError):
        _tell("interrupted; everything that was started is ended")
        return 130
    sys.stdout.write(json.dumps(report) + "\n")
    if report["drill"] is not None:
        sys.stdout.write(json.dumps(report["drill"]) + "\n")
    if report["upgraded_from"]:
        sys.stdout.write(json.dumps(upgrade(report)) + "\n")
    if why := failure(report, asked.kills):
        _tell(why)
        return 1
    return 0


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
