"""Two versions of the program beside each other: an earlier one, built from git, and one that comes after this tree.

The later one is the tree itself. While the earlier one has the same schema, nothing would be upgraded: then the later
one also has a migration, other functions and another version of what nodes say, as a next release would.
"""

from __future__ import annotations

import asyncio
import io
import re
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.chaos.nodes import Node
from tests.chaos.program import said
from tests.chaos.stage import Blow, NotReached, Stage

_SCHEMA: Final = Path("pokerroom/ledger/schema")
_FACTS: Final = Path("pokerroom/cluster/node_facts.py")
_COLUMN: Final = "column\taccounts.of_next_version\tinteger\n"


class Versions:
    """Both, built below `into`. `earlier` names a commit. Blocks. Raises `CalledProcessError` if git or pip fail."""

    def __init__(self, earlier: str, into: Path) -> None:
        self.name = _git("describe", "--tags", "--always", earlier).decode().strip()
        with tarfile.open(fileobj=io.BytesIO(_git("archive", earlier))) as archive:
            archive.extractall(into / "source", filter="data")
        old, new = into / "earlier", into / "later"
        _install(into / "source", old)
        _install(Path.cwd(), new)
        self.planted = _newest(old) == _newest(new)
        if self.planted:
            _plant(new)
        self.earlier, self.later = _command(old), _command(new)
        self.upgraded = False
        """Whether the database is."""
        self.goes_back = False
        """Whether all nodes have had the later version, and not all the earlier one since."""

    def changed(self, nodes: Sequence[Node]) -> None:
        """Turn round, if all nodes have the same version now."""
        programs = {node.command[:-1] for node in nodes}
        if len(programs) == 1:
            self.goes_back = programs == {self.later}


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], capture_output=True, check=True).stdout


def _install(source: Path, into: Path) -> None:
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
    ]
    subprocess.run([*pip, "--target", str(into), str(source), str(source / "protocol/python")], check=True)


def _command(installed: Path) -> tuple[str, ...]:
    return (
        "env",
        f"PYTHONPATH={installed}",
        sys.executable,
        "-P",
        "-m",
        "pokerroom",
    )  # -P: not from this directory


def _newest(installed: Path) -> int:
    return max(int(file.name.split("_")[0]) for file in (installed / _SCHEMA).glob("*.sql"))


def _plant(installed: Path) -> None:
    """Make the next version of the one that is installed there."""
    newest, schema = _newest(installed), installed / _SCHEMA
    adds = f"-- beside {newest}\nALTER TABLE accounts ADD COLUMN of_next_version integer;\n"
    (schema / f"{newest + 1:03}_next_version.sql").write_text(adds)
    catalogue = schema / "catalogue.txt"
    catalogue.write_text("".join(sorted([*catalogue.read_text().splitlines(keepends=True), _COLUMN])))
    with (schema / "functions/owners.sql").open("a") as functions:
        functions.write("\n-- of the next version\n")
    facts = installed / _FACTS
    speaks = re.compile(r"^SPOKEN: Final = (\d+)$", re.MULTILINE)
    facts.write_text(speaks.sub(lambda found: f"SPOKEN: Final = {int(found[1]) + 1}", facts.read_text()))


async def change_version(stage: Stage) -> Blow:
    """Stop one node as an operator does, and start it with the other version: each with the later one, then each back.

    Its tables move to the other nodes. The database is upgraded before, while the nodes of the earlier version play.
    """
    versions = stage.versions
    if versions is None:
        raise NotReached("all nodes have one version")
    later = any(node.command[:-1] != versions.later for node in stage.nodes.all) and not versions.goes_back
    if not versions.upgraded:
        url = stage.services.database_url
        await asyncio.to_thread(said, versions.later, "migrate", POKERROOM_DATABASE_URL=url)
        versions.upgraded = True
    program = versions.later if later else versions.earlier
    node = next(node for node in stage.running() if node.command[:-1] != program)
    tables, at = stage.tables_of(node), stage.now()
    code = await asyncio.to_thread(stage.nodes.terminate, node)
    if code:
        stage.evidence.blame("C8", "", "", f"node {node.number} ends with {code} for another version")
    node.command = (*program, "serve")
    await asyncio.to_thread(stage.nodes.start, node)
    versions.changed(stage.nodes.all)
    return Blow(
        kind="change_version",
        tables=tables,
        struck_s=at,
        healed_s=stage.now(),
        takeover=True,
        note=f"node {node.number} has the {'later' if later else 'earlier'} version",
    )
