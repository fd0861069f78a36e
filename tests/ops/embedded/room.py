"""A room reduced to its services, run as a process of its own by test_services.

`python -m tests.ops.embedded.room DATA_DIR` says what happens on standard output and stops when its input ends.
"""

import os
import select
import signal
import sys
from pathlib import Path

from pokerroom.ops.embedded import EmbeddedServices, running
from tests import clusters


def main():
    data = Path(sys.argv[1])
    services = EmbeddedServices(data, lambda line: None)
    with clusters.copied():
        services.start()
    signal.signal(signal.SIGINT, lambda number, frame: say("interrupted", running(data)))
    say("up", running(data))
    while not select.select([sys.stdin], [], [], 0.1)[
        0
    ]:  # a signal just before a read would wait for its end
        pass
    sys.stdin.read()
    services.stop()
    say("stopped", running(data))


def say(what, addresses):
    # at once: the signal may come while another line is written, and a buffered file may not be entered twice
    os.write(sys.stdout.fileno(), f"{what} {addresses is not None}\n".encode())


if __name__ == "__main__":
    main()
