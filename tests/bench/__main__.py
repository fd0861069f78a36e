"""`make bench`: the rules engine beside its peers, the room beside a bare server, two nodes beside one, sit-and-gos."""

import argparse
import json

from tests.bench import nodes, peers, room, tournaments

PARTS = ["engines", "room", "nodes", "tournaments"]


def main() -> None:
    """Measures and prints; `--json` prints one object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", choices=[*PARTS, []], help="default: all")
    parser.add_argument("--seconds", type=float, default=3, help="of each run of an engine")
    parser.add_argument("--hands", type=int, default=4000, help="of the room's run without think time")
    parser.add_argument("--rate", type=int, default=1000, help="offered actions/s where not all is asked")
    parser.add_argument("--tournaments", type=int, default=200, help="sit-and-gos to play")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    wanted = options.what or PARTS
    measured = {}
    if "engines" in wanted:
        measured["engines"] = peers.measure(options.seconds)
        if not options.json:
            peers.tell(measured["engines"])
    if "room" in wanted:
        measured["room"] = room.measure(options.hands, options.rate)
        if not options.json:
            room.tell(measured["room"], options.rate)
    if "nodes" in wanted:
        measured["nodes"] = nodes.measure(15)
        if not options.json:
            nodes.tell(measured["nodes"])
    if "tournaments" in wanted:
        measured["tournaments"] = tournaments.measure(options.tournaments)
        if not options.json:
            tournaments.tell(measured["tournaments"])
    if options.json:
        print(json.dumps(measured))


main()
