"""The operators' console: its files as the operations port serves them, its texts, and what it may be offered."""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePosixPath
from typing import get_args

import pytest

import pokerroom
from pokerroom.gateway.site import Pages
from pokerroom.ledger.account_standing import Excluded
from pokerroom.ledger.adjustments import OperatorNeeded, ProposalExpired, SameOperator
from pokerroom.ledger.cashier import CashKeyUsed, SourceEmpty, UnknownSource
from pokerroom.ledger.grammar import GRAMMAR
from pokerroom.ledger.limits import LIMITS, LimitReached
from pokerroom.ledger.operator_wallet import UnknownWalletTransfer, WalletKind
from pokerroom.ledger.operators import Role
from pokerroom.ledger.webhooks import KINDS, TooManyWebhooks, UnknownWebhook
from pokerroom.ops.operations_bounds import REQUESTS_PER_S, OperationsBounds
from pokerroom.ops.operator_api import PAGES as PAGES_OF_THE_API
from pokerroom.ops.operator_commands import TABLES, TOURNAMENTS
from pokerroom.ops.operator_roles import VERBS
from pokerroom.ops.player_pages import ORDERS
from pokerroom.web.files import CONSOLE_PREFIX, CONTENT_POLICY, SHARED, console_pages, web_pages
from tests.ops.fake_rooms import Asked, FakeRoom
from tests.web.test_files import ADDRESS, IMPORT, NAMESPACES, REFERENCE
from tests.web.test_locales import CALLED, VALUE

PAGES = console_pages()
FOLDER = Path(pokerroom.__file__).parent / "web" / "console"
TEXTS = {
    path.stem: json.loads(path.read_text(encoding="utf-8")) for path in (FOLDER / "locales").glob("*.json")
}
SCRIPTS = [path for path in PAGES if path.endswith(".js")]
NO_TOKEN = {"Authorization": None}


def asked(line: str, **headers: str | None) -> tuple[int, dict[str, str], bytes]:
    """The answer of an operations port to a client without a token."""
    return Asked(line, FakeRoom(), {**NO_TOKEN, **headers}, console=Pages(console_pages())).answer


@pytest.mark.parametrize("path", [CONSOLE_PREFIX, f"{CONSOLE_PREFIX}/"])
def test_the_page_needs_no_token(path):
    """It holds no data. Its policy allows what this port serves, and nothing inline."""
    status, headers, body = asked(f"GET {path}")
    assert (status, headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert headers["content-security-policy"] == CONTENT_POLICY.lower()
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert b"<script>" not in body
    assert not re.search(rb"\son\w+=|style=", body)


def test_every_file_needs_no_token():
    """Nor do other paths below it tell anything."""
    for path in PAGES:
        assert asked(f"GET {path}")[0] == 200, path
    assert asked(f"HEAD {CONSOLE_PREFIX}")[2] == b""
    for path in ("/operator/none.js", "/operator/console/package.json", "/operator/../tables", "/operators"):
        assert asked(f"GET {path}")[0] == 404, path


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_files_are_only_read(method):
    """405, with the methods that there are."""
    status, headers, _ = asked(f"{method} {CONSOLE_PREFIX}")
    assert (status, headers["allow"]) == (405, "get, head")


def test_a_name_that_is_not_the_rooms_gets_no_page():
    """As for every page of this port (DNS rebinding)."""
    assert asked(f"GET {CONSOLE_PREFIX}", Host="evil.example")[0] == 403


def test_a_page_loads_at_once():
    """Its files are more than an address may ask in a second at other pages, if it is opened twice."""

    class Anyone:
        def enter(self, _: str) -> bool:
            return True

        def leave(self, _: str) -> None: ...

    bounds = OperationsBounds(Anyone(), str, lambda: 0.0)
    for _ in range(REQUESTS_PER_S):
        bounds.allow("192.168.1.1")
    page = {"console": Pages(console_pages()), "bounds": bounds}
    assert Asked("GET /metrics", FakeRoom(), NO_TOKEN, **page).answer[0] == 429
    assert Asked(f"GET {CONSOLE_PREFIX}", FakeRoom(), NO_TOKEN, **page).answer[0] == 200
    stranger = {**NO_TOKEN, "Host": "evil.example"}  # each refusal is a line of the log
    assert Asked(f"GET {CONSOLE_PREFIX}", FakeRoom(), stranger, **page).answer[0] == 429


def test_players_do_not_get_the_console():
    """It is on the operations port alone."""
    assert not [path for path in web_pages() if "console" in path or path.startswith(CONSOLE_PREFIX)]


@pytest.mark.parametrize("path", SCRIPTS)
def test_every_import_is_served_and_nothing_else_is_needed(path):
    """Modules import only files of the console, and those that it shares with the players' client."""
    for target in IMPORT.findall(PAGES[path].body.decode()):
        found = PurePosixPath(path).parent
        for part in target.split("/"):
            found = found.parent if part == ".." else found / part
        assert str(found) in PAGES, f"{path} imports {target}"


def test_everything_the_page_names_is_served_and_all_that_is_shared_is_used():
    """Styles, scripts and the icon; no module of the players' client is served for nothing."""
    named = set(REFERENCE.findall(PAGES[CONSOLE_PREFIX].body.decode()))
    assert named
    assert named <= set(PAGES)
    imported = {
        str(PurePosixPath(target).name)
        for path in SCRIPTS
        for target in IMPORT.findall(PAGES[path].body.decode())
    }
    assert {PurePosixPath(path).name for path in SHARED} <= imported | {
        PurePosixPath(path).name for path in named
    }


@pytest.mark.parametrize("path", PAGES)
def test_no_other_host_is_asked_and_nothing_is_read_as_html(path):
    """The console works where there is no other network."""
    text = PAGES[path].body.decode()
    assert set(ADDRESS.findall(text)) <= NAMESPACES
    assert not re.search(
        r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text
    )


def test_the_token_is_kept_in_the_tab_alone():
    """Never in `localStorage`, a cookie or an address."""
    for path in FOLDER.glob("*.js"):
        assert not re.search(r"localStorage|cookie", path.read_text(encoding="utf-8")), path.name


@pytest.mark.parametrize("language", TEXTS)
def test_every_code_has_a_text_in_every_language(language):
    """The same languages as the players' client; the same values in each text."""
    assert TEXTS.keys() == {"en", "de", "pl"}
    assert TEXTS[language].keys() == TEXTS["en"].keys()
    for code, text in TEXTS[language].items():
        assert text.strip(), code
        assert set(VALUE.findall(text)) == set(VALUE.findall(TEXTS["en"][code])), code


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.js")), ids=lambda path: path.name)
def test_every_text_that_is_asked_for_is_there(path):
    """Codes that stand in a module as they are have a text."""
    assert set(CALLED.findall(path.read_text(encoding="utf-8"))) <= set(TEXTS["en"])


def test_every_order_role_and_column_has_a_text():
    """What the command line has, the console names, with what the order does."""
    wanted = {f"role.{role}" for role in Role}
    for verb in (
        "cashier.approve",
        "cashier.refuse",
        "wallet.retry",
        *(f"account.{order}" for order in (*ORDERS, "recovery_code")),
    ):
        wanted |= {f"order.{verb}", f"order.{verb}.about"}
    for page in PAGES_OF_THE_API:
        if page.is_order and page.verb.startswith("webhook.") and page.verb != "webhook.add":
            wanted |= {f"order.{page.verb}", f"order.{page.verb}.about"}
    wanted |= {f"webhook.{kind}" for kind in KINDS} | {f"wallet.{kind}" for kind in get_args(WalletKind)}
    for group in (TABLES, TOURNAMENTS):
        for order in group.orders:
            wanted |= {f"order.{group.verb(order.name)}", f"order.{group.verb(order.name)}.about"}
    for path in FOLDER.glob("*.js"):
        text = path.read_text(encoding="utf-8")
        for columns in re.findall(r"columns: \[([^\]]*)\]", text):
            wanted |= {f"column.{name}" for name in re.findall(r'"(\w+)"', columns)}
        wanted |= {f"column.{name}" for name in re.findall(r'\bfact\("(\w+)"', text)}
    assert wanted <= set(TEXTS["en"])


def test_the_console_offers_every_kind_of_event():
    """In the order in which the ledger has them."""
    (kinds,) = re.findall(
        r"^const KINDS = (\[.*\]);$", (FOLDER / "webhooks.js").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert tuple(json.loads(kinds)) == KINDS


def test_every_page_of_the_console_has_a_verb_that_exists():
    """A page with another one would be offered to no role."""
    main = (FOLDER / "main.js").read_text(encoding="utf-8")
    pages = re.findall(r'name: "(\w+)", verb: "([\w.]+)"', main)
    assert {verb for _, verb in pages} <= set(VERBS)
    assert {f"page.{name}" for name, _ in pages} <= set(TEXTS["en"])


def test_every_refusal_of_the_port_has_a_text():
    """Each code in the sources of the pages and of the orders."""
    sources = Path(pokerroom.__file__).parent
    code = re.compile(
        r'(?:OrderRefused\(\s*|AccessRefused\(\s*HTTPStatus\.\w+,\s*|answers\.error\(\s*HTTPStatus\.\w+,\s*|\berror\(\s*HTTPStatus\.\w+,\s*)"([a-z_]+)"'
    )
    found = {
        each
        for path in [
            *sources.glob("ops/*.py"),
            *sources.glob("lobby/operated_*.py"),
            *sources.glob("table/*.py"),
            *sources.glob("webhooks/*.py"),
        ]
        for each in code.findall(path.read_text(encoding="utf-8"))
    } | {
        refusal.code
        for refusal in (
            SourceEmpty,
            LimitReached,
            Excluded,
            TooManyWebhooks,
            UnknownWebhook,
            UnknownWalletTransfer,
            SameOperator,
            ProposalExpired,
            OperatorNeeded,
            UnknownSource,
            CashKeyUsed,
        )
    }
    assert {"not_permitted", "token_refused", "unavailable", "not_frozen", "unknown_table"} <= found
    assert {f"error.{each}" for each in found - {"pass_refused"}} <= set(TEXTS["en"])


def test_each_transfer_of_a_player_has_a_text():
    """Each kind that moves a wallet or tickets, and each limit."""
    kinds = {
        kind for kind, what in GRAMMAR.items() if any(re.search("wallet:|tickets:", leg) for leg in what.legs)
    }
    assert {"buy_in", "prize", "ticket"} <= kinds
    assert {f"transfer.{kind}" for kind in kinds} == {
        key for key in TEXTS["en"] if key.startswith("transfer.")
    }
    assert {f"limit.{kind}_{period}" for kind, period in LIMITS} == {
        key for key in TEXTS["en"] if key.startswith("limit.")
    }
