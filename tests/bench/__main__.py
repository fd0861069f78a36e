"""`make bench`: the rules engine beside its peers, then the whole room beside a bare server, each in one run."""

import argparse
import json

from tests.bench import peers, room


def main() -> None:
    """Measures and prints; `--json` prints one object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", nargs="*", choices=["engines", "room", []], help="default: both")
    parser.add_argument("--seconds", type=float, default=3, help="of each run of an engine")
    parser.add_argument("--hands", type=int, default=4000, help="of the room's run without think time")
    parser.add_argument("--rate", type=int, default=1000, help="offered actions/s of the room's latency run")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    measured = {}
    if options.what != ["room"]:
        measured["engines"] = peers.measure(options.seconds)
        if not options.json:
            peers.tell(measured["engines"])
    if options.what != ["engines"]:
        measured["room"] = room.measure(options.hands, options.rate)
        if not options.json:
            room.tell(measured["room"], options.rate)
    if options.json:
        print(json.dumps(measured))


main()
