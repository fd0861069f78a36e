"""Print the coverage of each package that `make test` has measured.

    python -m tests.branch_coverage

A package's figure is the part of its branches that a test took; a statement that no test runs
shows in the second figure.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import click
from coverage import Coverage
from coverage.exceptions import CoverageException

COLUMNS = ("covered_branches", "num_branches", "covered_lines", "num_statements")


def measured() -> dict[str, Counter[str]]:
    """Branches and statements by package, from the data of the last run."""
    coverage = Coverage()
    coverage.load()
    with tempfile.TemporaryDirectory() as directory:
        report = Path(directory) / "coverage.json"
        coverage.json_report(outfile=str(report))
        files: dict[str, Any] = json.loads(report.read_text())["files"]
    packages: dict[str, Counter[str]] = {}
    for name, found in files.items():
        _, package, *_ = Path(name).parts
        summary = Counter({column: found["summary"][column] for column in COLUMNS})
        packages[package] = packages.get(package, Counter()) + summary
    return packages


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def main() -> int:
    try:
        packages = measured()
    except CoverageException as error:
        click.echo(f"no coverage was measured: {error}", err=True)
        return 1
    click.echo(f"{'coverage':12} {'branches':>9} {'statements':>11}")
    for package, sums in sorted(packages.items()):
        branches = percent(sums["covered_branches"], sums["num_branches"])
        statements = percent(sums["covered_lines"], sums["num_statements"])
        click.echo(f"{package:12} {branches:>9} {statements:>11}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
