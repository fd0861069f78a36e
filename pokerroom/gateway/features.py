"""What this room takes beyond the first release of the protocol's version."""

from __future__ import annotations

from typing import Final

FEATURES: Final = [
    "account_security",
    "recovery_codes",
    "second_factor",
    "limits",
    "reality_check",
    "exclusion",
    "delete_account",
    "hand_text",
    "statistics",
    "hand_links",
    "player_notes",
    "export_hands",
    "tournament_lobby",
    "tournaments",
    "tickets",
]
"""See the module. Parts that may be switched off add theirs."""
