"""The audit finds what a superuser forges past every trigger, in rooms that were played."""

from __future__ import annotations

import asyncio
import re

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from pokerroom.ledger.grammar import GRAMMAR
from tests.audit.forgeries import TABLES, named
from tests.audit.tamper import ARCHIVED, ROOMS, Tally, tampered
from tests.databases import copied_database
from tests.effort import part

pytestmark = [pytest.mark.services, pytest.mark.dear, pytest.mark.timeout(400)]  # hundreds of audits

NOT_FORGED = {
    "account_transfers": "which transfers are of an account, and compared with their legs",
    "accounts": "who may log in, not what they hold",
    "account_settings": "how a client looks",
    "announcements": "what operators tell players",
    "cashier_settings": "a setting",
    "chat_mutes": "who may chat",
    "daily_games": "counted from hands and rounds, and compared",
    "daily_players": "counted from hands, rounds, entries and fees, and compared",
    "daily_results": "counted from the hands; hands and results are compared",
    "daily_tournaments": "counted from entries and fees, and compared",
    "hosted_guests": "who may sit down",
    "limit_kinds": "a setting",
    "offer_changes": "what is offered; a tournament has terms of its own",
    "order_keys": "what operators' programs were answered",
    "play_time": "a statistic for limits",
    "player_notes": "what players note of each other",
    "player_statistics": "counted from the hands; hands and results are compared",
    "recovery_codes": "who may log in",
    "schema_functions": "which build made the functions",
    "schema_migrations": "which migrations were applied",
    "second_factors": "who may log in",
    "sessions": "the accounts that are logged in",
    "shared_hands": "links that players make",
    "statistics_stakes": "what hands were played for",
    "tournament_statistics": "counted from the places, and compared",
    "wallet_links": "the players with money at the operator's wallet, not how much",
    "webhook_endpoints": "whom operators' programs are told",
    "webhook_messages": "what waits to be told: references, no amounts",
}
"""The other tables: they hold no money, and no record of a hand or round."""


MOVES = ("mtt", 56, 1)
"""A room with moves at one table, and with a table that was closed before a hand."""

HEADS = ("mtt", 51, 1)
"""A room with progressive bounties."""

SALES = ("mtt", 55, 1)
"""A room with rebuys and add-ons."""


TICKETS = ("mtt", 5, 15)
"""A room with a satellite, of which tickets have paid entries."""


DEAL = ("mtt", 40, 5)
"""A room with a deal."""

OWN_TABLES = {
    DEAL: ("tournament_deals",),
    SALES: ("tournament_sales", "tournament_purchases"),
    TICKETS: ("tickets.",),
}
"""The tables that have rows in these rooms alone. A part of their forgeries is tried, too; `make tamper` tries all."""


@pytest.fixture(scope="module")
def tally(services, ledger_template, tmp_path_factory):
    """Small rooms with the careful forgeries, until each is found, and a part of the generated ones.

    Without the room of sit-and-gos: each careful forgery that it has is found in another, and `make tamper` tries all.
    """
    found = Tally()
    names = frozenset(forgery.name for forgery in named())
    for number, room in enumerate([*ROOMS[:3], DEAL, TICKETS, SALES, HEADS, MOVES, *ROOMS[4:]]):
        if names <= found.found:
            break

        def chosen(generated, room=room):
            if room in OWN_TABLES:
                return part([one for one in generated if one.name.startswith(OWN_TABLES[room])], 3)
            return part(generated, 240) if room in ROOMS else []

        with copied_database(services, ledger_template, f"tamper_{number}") as (_, url):
            asyncio.run(tampered(url, room, found, chosen, names - found.found))
    for number, room in enumerate(ARCHIVED[:2]):
        with copied_database(services, ledger_template, f"tamper_archived_{number}") as (_, url):
            folder = tmp_path_factory.mktemp("archives")
            asyncio.run(tampered(url, room, found, of_archives, frozenset(), archive=folder))
    return found


def of_archives(generated):
    """Those of archives and their files, and of what is left of a record."""
    return [one for one in generated if re.match(r"archives?\b|\w+\.record (digest|archive|game)", one.name)]


def test_every_forgery_is_found_or_listed_with_its_reason(tally):
    """The list says what is harmless."""
    assert tally.missed == []
    assert tally.counts["found"] > 120
    assert {"archives.sha256 changed", "hands.record digest other"} <= tally.tried


def test_every_forged_file_of_an_archive_is_found(tally):
    """Also where its hash in the ledger is that of the forged file."""
    tried = {name for name in tally.tried if name.startswith("archive file ")}
    assert tried - tally.found == {"archive file header room other"}
    assert {
        f"archive file cards {what}" for what in ("other", "removed", "of an unknown key", "of another hand")
    } <= tried
    assert len(tried) >= 14


def test_every_careful_forgery_is_tried_and_found(tally):
    """In a room that has what it changes."""
    names = {forgery.name for forgery in named()}
    assert names <= tally.tried
    assert names - tally.found == set()
    assert len(names) >= 40


def test_a_transfer_of_every_kind_is_forged():
    """By a careful forgery: a new kind of the grammar needs one."""
    forged = {
        word for forgery in named() for text in forgery.statements for word in re.findall(r"'(\w+)'", text)
    }
    assert GRAMMAR.keys() - forged == set()


def test_every_table_is_forged_or_holds_no_money(services, ledger_template):
    """A new table is one or the other."""
    address = make_conninfo(**{**conninfo_to_dict(services.owner_database_url), "dbname": ledger_template})
    with psycopg.connect(address) as connection:
        rows = connection.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        )
        assert {name for (name,) in rows.fetchall()} == {*TABLES, *NOT_FORGED}
