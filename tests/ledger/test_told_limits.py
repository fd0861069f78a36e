"""What documents tell of the ledger's limits is what it has."""

from pathlib import Path

import pytest

from pokerroom.ledger.account_standing import MUTE_MINUTES_MAX
from pokerroom.ledger.order_keys import KEY_MAX
from pokerroom.ledger.player_notes import NOTES_MAX
from pokerroom.ledger.tickets import TICKET_DAYS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ("deploy/operations/operators.md", f"a header with 1 to {KEY_MAX} letters"),
        ("protocol/account.md", f"notes about at most {NOTES_MAX:,} players"),
        ("deploy/room.toml", f"ticket_days = {TICKET_DAYS} "),
    ],
)
def test_documents_tell_the_limits(document, sentence):
    """A number that changes changes there, too."""
    assert sentence in (ROOT / document).read_text(encoding="utf-8")


def test_a_player_is_muted_for_a_year_at_most():
    """A leap year is one, too."""
    assert MUTE_MINUTES_MAX == 366 * 24 * 60
