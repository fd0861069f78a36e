"""Encryption of the cards of a hand in progress, so that its journal shows them to nobody; and of what nodes say.

ChaCha20-Poly1305 with a random nonce for each hand and each batch that leaves for other nodes. What it is about is
authenticated with it, a hand's id or that it is the bus, so that one cannot be put in place of another. Knows nothing
of cards or journals.
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
        """Tells keys apart, and nothing else of them."""

    def of(self, purpose: str) -> Seal:
        """Another one, whose key follows from this one's: for what is not a hand's."""
        return Seal(hashlib.blake2b(purpose.encode(), key=self._key, digest_size=32).digest())

    def close(self, plain: bytes, about: str) -> bytes:
        """Encrypts; `about` must be given again to open."""
        nonce = os.urandom(_NONCE_BYTES)
        return nonce + self._aead.encrypt(nonce, plain, about.encode())

    def open(self, sealed: bytes, about: str) -> bytes:
        """Decrypts. Raises `cryptography.exceptions.InvalidTag` for another key, other bytes or another `about`."""
        return self._aead.decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], about.encode())
