"""Encryption of cards in journals and records, of second factors, and of messages between nodes.

ChaCha20-Poly1305 with a random nonce for each text. The context (the hand's id, or that it is the bus) is authenticated
with it, so that one text cannot replace another. Knows nothing of cards or journals.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

_NONCE_BYTES = 12


class Seal:
    """Seals with one key of 32 bytes, and opens what that key or an earlier one has sealed."""

    def __init__(self, key: bytes, *earlier: bytes) -> None:
        self._keys = (key, *earlier)
        self._ciphers = [ChaCha20Poly1305(each) for each in self._keys]
        self.key_id = hashlib.sha256(b"which key a journal is sealed with" + key).hexdigest()[:16]
        """Identifies the key, and reveals nothing else of it."""

    def of(self, purpose: str) -> Seal:
        """Return a seal with keys derived from these, for another purpose."""
        return Seal(
            *(hashlib.blake2b(purpose.encode(), key=key, digest_size=32).digest() for key in self._keys)
        )

    def close(self, plain: bytes, about: str) -> bytes:
        """Encrypt; `about` must be given again to open."""
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._ciphers[0].encrypt(nonce, plain, about.encode())

    def open(self, sealed: bytes, about: str) -> bytes:
        """Decrypt. Raises `cryptography.exceptions.InvalidTag` for another key, other bytes or another `about`."""
        nonce, text, context = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], about.encode()
        *others, last = self._ciphers
        for cipher in others:
            with suppress(InvalidTag):
                return cipher.decrypt(nonce, text, context)
        return last.decrypt(nonce, text, context)
