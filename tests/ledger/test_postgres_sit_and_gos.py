"""What PostgreSQL keeps of the sit-and-gos of hosts by its own rules, and what the audit finds past them."""

import psycopg
import pytest

from pokerroom.ledger.clubs import ClubChips
from tests.ledger.contract import opened
from tests.ledger.contract_of_club_sit_and_gos import CLUB, come, hosted_in_club
from tests.ledger.contract_of_hosted_sit_and_gos import NAME, TABLE, hosted, players
from tests.ledger.contract_of_scheduled_tournaments import scheduled

pytestmark = pytest.mark.services


def test_the_audit_finds_an_entry_without_an_invitation(run, postgres, emptied_database):
    """An account that is entered past the rules; a guest that was removed since was invited."""
    alice, bob, _ = opened(run, postgres, "alice", "bob", "carol")
    hosted(run, postgres, alice)
    players(run, postgres, [alice, bob])
    assert run(postgres.audit()).differences == ()
    with psycopg.connect(emptied_database, autocommit=True) as connection:
        connection.execute("UPDATE hosted_guests SET removed = now() WHERE account = %s", (bob,))
        assert run(postgres.audit()).differences == ()
        connection.execute("DELETE FROM hosted_guests WHERE account = %s", (bob,))
    assert run(postgres.audit()).differences == (f"account {bob} has entered {NAME}, and was not invited",)


def test_the_audit_finds_an_entry_of_an_account_that_was_no_member(run, postgres, emptied_database):
    """To a sit-and-go of a club, also when its guests are forgotten. One that has left the club since was a member."""
    alice, bob, _ = opened(run, postgres, "alice", "bob", "carol")
    run(postgres.create_club(CLUB, alice, "Fridays", "invitation", 2))
    run(postgres.join_club("invitation", bob))
    for name in ("alice", "bob"):
        chips = ClubChips(club=CLUB, manager=alice, name=name, key=name, amount=500)
        run(postgres.move_club_chips(chips))
    hosted_in_club(run, postgres, alice)
    come(run, postgres, [alice, bob])
    run(postgres.return_entry(NAME, bob, 1))
    run(postgres.leave_club(CLUB, bob))
    run(postgres.cancel_tournament(NAME))
    assert run(postgres.audit()).differences == ()
    forget = "UPDATE hosted_tables SET closing = now(), closed = now(), code = NULL"
    dated = "UPDATE transfers SET created = created - interval '2 hours' WHERE key = %s"
    with psycopg.connect(emptied_database, autocommit=True) as connection:
        connection.execute(forget)
        assert run(postgres.audit()).differences == ()
        connection.execute("SET session_replication_role = replica")
        connection.execute(dated, (f"sng:{NAME}:entry:{bob}:1",))
    found = f"account {bob} has entered {NAME}, and was no member of club {CLUB}"
    assert run(postgres.audit()).differences == (found,)


def test_only_a_private_sit_and_go_starts_sooner(run, postgres, emptied_database):
    """With fewer players, while it fills; nothing else of its terms changes, and no other tournament."""
    alice, *_ = opened(run, postgres, "alice", "bob", "carol")
    hosted(run, postgres, alice)
    run(postgres.open_tournament(scheduled()))
    change = "UPDATE tournaments SET {} WHERE id = %s"
    with psycopg.connect(emptied_database, autocommit=True) as connection:
        for what, tournament in (
            ("starts_ms = starts_ms + 1", NAME),
            ("players_min = players_min + 1, seats = 9", NAME),
            ("paused = true, seats = 2", NAME),
            ("starts_ms = starts_ms - 1", "sun.1"),
            ("players_min = 3", "sun.1"),
            ("paused = true", "sun.1"),
        ):
            with pytest.raises(psycopg.errors.RestrictViolation):
                connection.execute(change.format(what), (tournament,))
        connection.execute(change.format("starts_ms = starts_ms - 1, players_min = 2"), (NAME,))


def test_a_sit_and_go_has_one_row_of_a_host(run, postgres, emptied_database):
    """A second row would invite others."""
    (alice,) = opened(run, postgres, "alice")
    hosted(run, postgres, alice)
    with psycopg.connect(emptied_database, autocommit=True) as connection, pytest.raises(psycopg.Error):
        connection.execute(
            "INSERT INTO hosted_tables (table_id, host, terms, code, tournament)"
            " SELECT 'host:other', host, terms, 'other', tournament FROM hosted_tables WHERE table_id = %s",
            (TABLE,),
        )
