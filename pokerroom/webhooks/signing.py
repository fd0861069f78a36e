"""Secrets of webhooks, and signatures by the rules of Standard Webhooks (`v1`).

The signature is HMAC-SHA256 over `ID.TIMESTAMP.BODY`. So a receiver knows that the room has sent a message, and when.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import Final

SECRET_BYTES: Final = 32

_PREFIX: Final = "whsec_"


def secret_text(secret: bytes) -> str:
    """Return a secret as operators copy it."""
    return _PREFIX + base64.b64encode(secret).decode()


def signed_headers(secret: bytes, message: str, at_s: int, body: bytes) -> dict[str, str]:
    """Return the headers of a message that is sent at this Unix time."""
    content = f"{message}.{at_s}.".encode() + body
    signature = base64.b64encode(hmac.new(secret, content, hashlib.sha256).digest()).decode()
    return {
        "webhook-id": message,
        "webhook-timestamp": str(at_s),
        "webhook-signature": f"v1,{signature}",
    }
