"""The names reserved for house bots. No client may register one, and all clients see which players are bots."""

from __future__ import annotations

from typing import Final

BOT_PREFIX: Final = "Bot."

HOUSE_BOT_CLIENT: Final = "pokerroom house bot"
"""What house bots call their client when they greet."""


def is_house_bot(name: str) -> bool:
    """Return whether an account of this name is a house bot; names ignore upper and lower case."""
    return name.lower().startswith(BOT_PREFIX.lower())
