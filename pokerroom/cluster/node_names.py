"""The names of nodes: no two processes have the same one, and it begins with the name of the machine."""

from __future__ import annotations

import os
import secrets
import socket


def new_name() -> str:
    """Return the name of this process: a node that starts again is another node."""
    return f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}"


def is_of_this_machine(node: str) -> bool:
    """Return whether a node runs on the machine of this one, or ran there."""
    return node.rsplit("-", 2)[0] == socket.gethostname()
