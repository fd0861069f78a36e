"""Where an incremental audit begins."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Since:
    """After the transfer of this number, or with `at_ms` at a time in Unix milliseconds.

    After a number it begins a minute earlier: a transfer may be committed after one with a higher number.
    """

    number: int = 0
    at_ms: int | None = None

    @classmethod
    def read(cls, text: str) -> Since:
        """Read a number or a time. A time without a zone is UTC. Raises ValueError."""
        if text.isascii() and text.isdigit() and len(text) < 19:
            return cls(number=int(text))
        try:
            at = datetime.fromisoformat(text)
        except ValueError:
            raise ValueError("write the number of a transfer, or a time such as 2026-11-01T12:00") from None
        if at.tzinfo is None:
            at = at.replace(tzinfo=UTC)
        return cls(at_ms=int(at.timestamp() * 1000))


WHOLE: Final = Since()
"""An audit of everything."""
