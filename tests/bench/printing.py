"""How the benchmarks print."""

import sys


def row(name: str, value: object) -> None:
    """One line of a table."""
    print(f"  {name:45} {value}")


def note(text: str) -> None:
    """Progress, on standard error."""
    print(f"bench: {text} …", file=sys.stderr, flush=True)
