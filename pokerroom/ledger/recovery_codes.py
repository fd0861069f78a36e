"""Recovery codes: what a player writes down, and the hash that the ledger keeps of it.

A code has 80 random bits, so a plain SHA-256 cannot be guessed back. It is written in Crockford's base 32, which has no
letters that look like digits, in groups of four.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import Final

CODES: Final = 10
"""[D] Codes are made in this number."""

OPERATOR_CODE_S: Final = 86_400
"""[D] A code of the operator is valid for this long."""

_LETTERS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_LENGTH: Final = 16
_READ_AS: Final = str.maketrans({"O": "0", "I": "1", "L": "1", "-": None, " ": None})


def new_code() -> str:
    """Return a new code, as `7K2M-Q0XW-94TB-ZHCE`."""
    letters = [secrets.choice(_LETTERS) for _ in range(_LENGTH)]
    return "-".join("".join(letters[start : start + 4]) for start in range(0, _LENGTH, 4))


def code_hash(account: int, code: str) -> bytes:
    """Return the hash of an account's code, however it was typed: small letters, spaces, O for zero."""
    return hashlib.sha256(f"{account}:{code.upper().translate(_READ_AS)}".encode()).digest()
