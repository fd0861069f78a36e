"""Plants small faults in the room, one at a time, and says which of them no test finds.

`python -m tests.mutants --package rules --sample 300`: a line for each mutant that survived; the last line is JSON. The
exit code is 1 if fewer are killed than `LEAST` asks for. The checkout is not changed.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from tests.mutants import operators, statements
from tests.mutants.operators import Mutant

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "mutants"
EQUIVALENT = Path(__file__).with_name("equivalent.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """Where the mutants are planted, the directories of the tests that must find them, and the games to simulate."""

    files: str
    tests: list[str]
    games: list[str]
    least: float = 0.8
    """The part of those that are not equivalent that must be killed."""


PACKAGES = {
    "rules": Package(
        files="rules/**/*.py",
        tests=["rules"],
        games=["holdem", "omaha", "sit_and_go", "mtt", "ultimate"],
        least=0.9,
    ),
    "poker": Package(
        files="poker/**/*.py", tests=["poker", "table", "audit/test_records.py"], games=["holdem"]
    ),
    "table": Package(files="table/**/*.py", tests=["table", "poker"], games=["holdem", "ultimate"]),
    "tournament": Package(
        files="tournament/**/*.py",
        tests=[
            "tournament",
            "cluster/test_tournaments.py",
            "cluster/test_scheduled_tournaments.py",
            "gateway/test_session_tournaments.py",
        ],
        games=["sit_and_go", "mtt"],
    ),
    "ultimate": Package(
        files="ultimate/**/*.py", tests=["ultimate", "audit/test_records.py"], games=["ultimate"]
    ),
    "ledger": Package(files="ledger/*.py", tests=["ledger", "test_documents.py"], games=["holdem"]),
    "memory": Package(
        files="ledger/memory/*.py", tests=["ledger"], games=["holdem", "sit_and_go", "mtt", "ultimate"]
    ),
    "postgres": Package(
        files="ledger/postgres/*.py", tests=["ledger", "audit/test_books.py", "test_backup.py"], games=[]
    ),
    "schema": Package(files="ledger/schema/functions/*.sql", tests=["ledger"], games=[]),
}


def mutants_of(package: Package) -> list[Mutant]:
    """All of a package, in the order of its files."""
    files = [str(path.relative_to(ROOT)) for path in sorted((ROOT / "pokerroom").glob(package.files))]
    return [
        mutant
        for file in files
        for mutant in (statements if file.endswith(".sql") else operators).mutants_of(ROOT, file)
    ]


def equivalent() -> dict[tuple[Any, ...], str]:
    """The reasons why no test can find them, by what names them."""
    listed = tomllib.loads(EQUIVALENT.read_text())["equivalent"]
    names = ("file", "function", "before", "after")
    return {(*(one[name] for name in names), one.get("repeated", 0)): one["reason"] for one in listed}


def tried(package: Package, mutants: list[Mutant], jobs: int, **bounds: float) -> list[dict[str, Any]]:
    """What has become of each. Those that must be imported get a process each, after the others."""
    job = {"directories": package.tests, "games": package.games, **bounds}
    _work({**job, "mutants": []})  # runs the tests once, and keeps what the others need
    with ThreadPoolExecutor(jobs) as pool:
        parts = [{**job, "mutants": [asdict(one) for one in mutants[at::jobs]]} for at in range(jobs)]
        found = [line for lines in pool.map(_work, parts) for line in lines]
        cold = [line for line in found if line["outcome"] == "cold"]
        fields = Mutant.__slots__
        alone = [{**job, "cold": True, "mutants": [{name: line[name] for name in fields}]} for line in cold]
        for line, results in zip(cold, pool.map(_work, alone), strict=True):
            line["outcome"] = results[0]["outcome"] if results else "cannot be imported"
    return found


def _work(job: dict[str, Any]) -> list[dict[str, Any]]:
    """Run a worker, and read what it has written. One that has no mutant to try must succeed."""
    with tempfile.TemporaryDirectory() as folder:
        asked, results = Path(folder) / "job.json", Path(folder) / "results"
        results.touch()
        asked.write_text(json.dumps({**job, "results": str(results)}))
        command = [sys.executable, "-m", "tests.mutants.worker", str(asked)]
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        with (Path(folder) / "output").open("w") as output:
            done = subprocess.run(
                command, cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT, check=False
            )
        lines = [json.loads(line) for line in results.read_text().splitlines()]
        if not job.get("cold") and (done.returncode or len(lines) != len(job["mutants"])):
            raise click.ClickException((Path(folder) / "output").read_text()[-3000:])
        return lines


def _text(line: dict[str, Any]) -> str:
    where = f"{line['file']}:{line['lines'][0]} {line['function']}"
    return f"{where}\n    {line['before']}\n    {line['after']}\n    {line['outcome']}, {line['seconds']} s"


def _told(name: str, lines: Iterable[dict[str, Any]], equivalents: int) -> dict[str, int]:
    """The figures of a package. What PostgreSQL refuses is no mutant."""
    loaded = [line for line in lines if not line["outcome"].startswith("refused")]
    survived = [line for line in loaded if line["outcome"] == "survived"]
    for line in survived:
        click.echo(_text(line))
    click.echo(f"{name}: {len(loaded)} mutants, {len(survived)} survived", err=True)
    return {
        "mutants": len(loaded) + equivalents,
        "killed": len(loaded) - len(survived),
        "survived": len(survived),
        "equivalent": equivalents,
    }


def _tell_stale(mutants: list[Mutant], reasons: dict[tuple[Any, ...], str]) -> None:
    """Name the listed ones of these files that are none."""
    files, keys = {mutant.file for mutant in mutants}, {mutant.key for mutant in mutants}
    for key in reasons:
        if key[0] in files and key not in keys:
            click.echo(f"equivalent.toml has no such mutant: {key}", err=True)


@click.command(help=__doc__)
@click.option(
    "--package", "names", multiple=True, type=click.Choice(list(PACKAGES)), help="All, if none is named."
)
@click.option("--sample", default=200, help="How many mutants of each package.")
@click.option("--seed", default=1, help="Which ones.")
@click.option("--jobs", default=1, help="How many processes try them.")
@click.option("--seconds", default=20.0, help="Of processor time of tests for a mutant.")
@click.option(
    "--rooms", default=2, help="How many are simulated of each game for a mutant that no test has found."
)
@click.option("--again", is_flag=True, help="Only those that survived the last run of the package.")
def main(  # noqa: PLR0917 -- click passes them by name
    names: tuple[str, ...], sample: int, seed: int, jobs: int, seconds: float, rooms: int, again: bool
) -> None:
    reasons = equivalent()
    figures: dict[str, dict[str, int]] = {}
    BUILD.mkdir(parents=True, exist_ok=True)
    for name in names or PACKAGES:
        package = PACKAGES[name]
        every = mutants_of(package)
        _tell_stale(every, reasons)
        kept = BUILD / f"survived-{name}.json"
        if again:
            wanted = {tuple(key) for key in json.loads(kept.read_text())}
            chosen = [one for one in every if one.key in wanted]
        else:
            chosen = random.Random(seed).sample(every, min(sample, len(every)))
        open_ones = [one for one in chosen if one.key not in reasons]
        lines = tried(package, open_ones, jobs, seconds=seconds, rooms=rooms)
        keys = [
            [line[part] for part in ("file", "function", "before", "after", "repeated")] for line in lines
        ]
        kept.write_text(
            json.dumps([key for key, line in zip(keys, lines, strict=True) if line["outcome"] == "survived"])
        )
        (BUILD / f"last-{name}.json").write_text(json.dumps(lines, indent=1))
        figures[name] = _told(name, lines, len(chosen) - len(open_ones))
    click.echo(json.dumps(figures))
    few = [
        name
        for name, told in figures.items()
        if told["killed"] < PACKAGES[name].least * (told["killed"] + told["survived"])
    ]
    sys.exit(bool(few))


if __name__ == "__main__":
    main()
