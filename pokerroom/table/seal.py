"""Encryption of the cards of a hand in progress in its journal, and of messages between nodes.

ChaCha20-Poly1305 with a random nonce for each hand and each batch between nodes. The context (the hand's id, or that it
is the bus) is authenticated with it, so that one text cannot replace another. Knows nothing of cards or journals.
"""

from __future__ import annotations

import hashlib
import os

from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

_NONCE_BYTES = 12


class Seal:
    """Seals and opens with one key of 32 bytes."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._aead = ChaCha20Poly1305(key)
        self.key_id = hashlib.sha256(b"which key a journal is sealed with" + key).hexdigest()[:16]
        """Identifies the key, and reveals nothing else of it."""

    def of(self, purpose: str) -> Seal:
        """Return a seal with a key derived from this one, for another purpose."""
        return Seal(hashlib.blake2b(purpose.encode(), key=self._key, digest_size=32).digest())

    def close(self, plain: bytes, about: str) -> bytes:
        """Encrypt; `about` must be given again to open."""
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._aead.encrypt(nonce, plain, about.encode())

    def open(self, sealed: bytes, about: str) -> bytes:
        """Decrypt. Raises `cryptography.exceptions.InvalidTag` for another key, other bytes or another `about`."""
        return self._aead.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], about.encode())
