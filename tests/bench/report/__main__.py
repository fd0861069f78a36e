"""`make report`: load, engines, faults and attacks, measured and written as one page of HTML with pictures.

Progress goes to standard error. Each part is a file of JSON in the folder of the report, written when the part has
ended, and the page is made of these files. So one part can be repeated, and Ctrl-C keeps those that have ended. The
last line of standard output is one JSON object; exit code 1 if a part has failed, 130 after Ctrl-C.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.bench.report.parts import PARTS
from tests.bench.report.run import run
from tests.bench.windows import ROOT


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.report", description=__doc__)
    parser.add_argument(
        "--parts", default=",".join(PARTS), help="names with commas between them; default: all"
    )
    parser.add_argument("--seconds", type=float, default=6, help="of each window of the load")
    parser.add_argument("--engine-seconds", type=float, default=1, help="of each turn of an engine")
    parser.add_argument("--chaos-seconds", type=float, default=60, help="of play under faults")
    parser.add_argument(
        "--siege-seconds", type=float, default=3, help="of each attack, and of quiet before it"
    )
    parser.add_argument("--out", type=Path, default=ROOT / "build/report", help="the folder of the report")
    asked = parser.parse_args()
    wanted = [name for name in asked.parts.split(",") if name]
    if unknown := [name for name in wanted if name not in PARTS]:
        parser.error(f"no such parts: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    asked.out = asked.out.resolve()
    return run(PARTS, wanted, asked)


if __name__ == "__main__":
    sys.exit(main())
