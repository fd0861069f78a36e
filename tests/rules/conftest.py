"""Tells, where pytest sums up, how many hands were played against PokerKit."""

from collections import Counter

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Adds up what each differential test has counted, in this process or in its workers."""
    counted: Counter[str] = Counter()
    for report in terminalreporter.getreports("passed") + terminalreporter.getreports("failed"):
        counted.update(
            {name: number for name, number in report.user_properties if name.startswith("pokerkit_")}
        )
    if counted:
        told = ", ".join(f"{number:,} {name.removeprefix('pokerkit_')}" for name, number in counted.items())
        terminalreporter.write_line(f"Against PokerKit: {told}")
