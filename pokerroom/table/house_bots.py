"""Which names are the house's own: those of its bots. Nobody may register one, and everybody is told who is one."""

from __future__ import annotations

from typing import Final

BOT_PREFIX: Final = "Bot."


def is_house_bot(name: str) -> bool:
    """Whether an account of this name is a bot of the house; upper and lower case make no difference in names."""
    return name.lower().startswith(BOT_PREFIX.lower())
