"""`make bench`: the rules engine beside its peers, the whole room beside a bare server, two nodes beside one."""

import argparse
import json

from tests.bench import nodes, peers, room

PARTS = ["engines", "room", "nodes"]


def main() -> None:
    """Measures and prints; `--json` prints one object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", choices=[*PARTS, []], help="default: all")
    parser.add_argument("--seconds", type=float, default=3, help="of each run of an engine")
    parser.add_argument("--hands", type=int, default=4000, help="of the room's run without think time")
    parser.add_argument("--rate", type=int, default=1000, help="offered actions/s where not all is asked")
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
    if options.json:
        print(json.dumps(measured))


main()
