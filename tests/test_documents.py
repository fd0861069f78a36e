"""The documents: their links lead somewhere, and what is called one page is one."""

import json
import re
from pathlib import Path

import click
import pytest

from pokerroom.cli import main
from pokerroom.ledger.account_standing import MUTE_MINUTES_MAX
from pokerroom.ledger.operator_log import RARE_PER_HOUR, SAME_PER_HOUR
from pokerroom.ledger.player_notes import NOTES_MAX
from pokerroom.ledger.recovery_codes import CODES, OPERATOR_CODE_S
from pokerroom.ledger.tickets import TICKET_DAYS
from pokerroom.ledger.tournaments import RETURNED_MAX
from pokerroom.ops.config import parse

ROOT = Path(__file__).parents[1]
SKIPPED = {".venv", "build", "dist", "node_modules", ".git", "var"}
DOCUMENTS = sorted(path for path in ROOT.rglob("*.md") if not SKIPPED & set(path.relative_to(ROOT).parts))
OPERATIONS = [
    str(path.relative_to(ROOT))
    for path in (ROOT / "deploy/README.md", *sorted((ROOT / "deploy/operations").glob("*.md")))
]
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)|^\[[^\]]+\]: (\S+)", re.MULTILINE)


def anchors(document: Path) -> set[str]:
    """What a link can name in a document: its headings, as they are written in an address."""
    headings = re.findall(
        r"^#+ (.*)$", CODE.sub(lambda code: code[0].strip("`"), document.read_text()), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def words(text: str) -> int:
    """How many words a reader reads; a picture is none."""
    return len(re.sub(r"^```mermaid\n.*?^```", "", text, flags=re.MULTILINE | re.DOTALL).split())


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document):
    """Every relative link is to a file of the repository, and a part of it that is there."""
    for found in LINK.findall(CODE.sub("", document.read_text())):
        address, _, anchor = (found[0] or found[1]).partition("#")
        if re.match(r"[a-z]+:", address):
            continue
        target = (document.parent / address).resolve() if address else document
        assert target.is_relative_to(ROOT)
        assert target.exists(), f"{address} is not there"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{address}#{anchor} is not there"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_named_files_are_there(document):
    """A file that a document names by its path, or by its name in the package that the document is about, exists."""
    text = re.sub(r"^```.*?^```", "", document.read_text(), flags=re.MULTILINE | re.DOTALL)
    named = set(re.findall(r"`([\w./-]+\.(?:py|sql|js|md|toml|txt))`", text))
    roots = [document.parent, ROOT, ROOT / "pokerroom", ROOT / "pokerroom/rules"]

    assert {name for name in named if not any((root / name).exists() for root in roots)} == set()


@pytest.mark.parametrize(
    ("document", "sentence", "value", "figure"),
    [
        ("protocol/account.md", "An account has notes about at most 1,000 players", NOTES_MAX, 1_000),
        ("protocol/account.md", "`make_recovery_codes` makes ten codes", CODES, 10),
        ("protocol/account.md", "It is valid for a day, and voids all others.", OPERATOR_CODE_S, 86_400),
        ("protocol/tournaments.md", "gets back at most 20 entries to one tournament", RETURNED_MAX, 20),
        ("deploy/operations/players.md", "for a time, at most a year,", MUTE_MINUTES_MAX, 366 * 1_440),
        ("deploy/operations/players.md", "It expires after N days, 90 if none are named", TICKET_DAYS, 90),
        ("deploy/operations/operators.md", "In an hour there are at most 10 lines", SAME_PER_HOUR, 10),
        ("deploy/operations/operators.md", "Strangers cause at most 100 lines", RARE_PER_HOUR, 100),
    ],
)
def test_bounds_that_clients_and_operators_are_told_are_those_of_the_ledger(
    document, sentence, value, figure
):
    """A bound that changes in the code changes in the document, too."""
    assert sentence in " ".join((ROOT / document).read_text().split())
    assert value == figure


def test_the_architecture_is_one_page():
    """ARCHITECTURE.md has at most 900 words and one picture."""
    text = (ROOT / "ARCHITECTURE.md").read_text()

    assert words(text) <= 900
    assert text.count("```mermaid") == 1


def test_the_example_of_a_settings_file_is_valid():
    """The table that the README has a newcomer write is a table."""
    (example,) = re.findall(r"```toml\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)

    (table,) = parse(example).tables

    assert (table.table, table.seats) == ("friday", 8)


def test_the_steps_for_a_kind_of_transfer_name_all_files():
    """Each file that names the kind of the example, but migrations, which stay, and tests of single modules."""
    text = (ROOT / ".github/CONTRIBUTING.md").read_text()
    steps = text[text.index("### A kind of transfer") : text.index("### An export format")]
    files = [
        file
        for folder in ("pokerroom", "tests/audit", "tests/chaos")
        for file in (ROOT / folder).rglob("*")
        if file.suffix in {".py", ".sql"} and not file.name.startswith(("test_", "0"))
    ]
    naming = {str(file.relative_to(ROOT)) for file in files if re.search(r"['\"]gift['\"]", file.read_text())}
    assert len(naming) > 4
    assert {name for name in naming if f"`{name}`" not in steps} == set()


@pytest.mark.parametrize("name", ["README.md", *OPERATIONS, ".github/CONTRIBUTING.md"])
def test_commands_are_there(name):
    """Every `make` target and every subcommand of `pokerroom` that a document names exists."""
    text = (ROOT / name).read_text()
    targets = set(re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"(?:^|`|[A-Z]=\S+ )make ([a-z][\w-]*)", text, re.MULTILINE))
    commands = re.findall(r"(?:^|`|bin/)pokerroom ([a-z-]+)(?: ([a-z-]+)\b)?", text, re.MULTILINE)

    assert named | {command for command, _ in commands}
    assert named <= targets
    for command, subcommand in commands:
        found = main.commands[command]
        if subcommand and isinstance(found, click.Group):
            assert subcommand in found.commands


def test_every_page_of_the_console_is_told():
    """Where the operator reads what the console is."""
    console = ROOT / "pokerroom/web/console"
    names = re.findall(r"\{ name: \"(\w+)\", verb:", (console / "main.js").read_text())
    labels = json.loads((console / "locales/en.json").read_text())
    told = (
        (ROOT / "deploy/operations/operators.md").read_text().split("### The console\n\n")[1].split("\n\n")[0]
    )
    assert len(names) > 5
    assert [name for name in names if labels[f"page.{name}"].lower() not in told] == []
