"""Codes of an authenticator app (TOTP, RFC 6238): the secret, the picture of it, and which step a code belongs to.

Knows no accounts and no ledger.
"""

from __future__ import annotations

import hmac
from typing import Final

import pyotp
import segno

STEP_S: Final = 30
DRIFT_STEPS: Final = 1
"""[D] The clock of the player's device may differ by this many steps."""


def new_secret() -> str:
    """Return a secret of 160 bits, in base 32 as apps take it."""
    return pyotp.random_base32()


def uri(secret: str, account: str, room: str) -> str:
    """Return the address that an authenticator app reads."""
    return pyotp.TOTP(secret).provisioning_uri(name=account, issuer_name=room)


def picture(text: str) -> list[str]:
    """Return the QR code of a text: rows of 1 for dark and 0 for light, without a border."""
    return [
        "".join("1" if module else "0" for module in row) for row in segno.make_qr(text, error="m").matrix
    ]


def step_of(secret: str, code: str, now_s: float) -> int | None:
    """Return the step that the code belongs to, or None if it is no code of this time."""
    totp, now = pyotp.TOTP(secret, interval=STEP_S), int(now_s) // STEP_S
    for step in range(now - DRIFT_STEPS, now + DRIFT_STEPS + 1):
        if hmac.compare_digest(totp.generate_otp(step), code):
            return step
    return None
