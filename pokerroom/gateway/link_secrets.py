"""Makes ids of private tables and clubs, and the secrets of their links."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Callable
from typing import Final

_LETTERS: Final = "0123456789abcdefghjkmnpqrstvwxyz"


class LinkSecrets:
    """Makes them of `random_bytes`."""

    def __init__(self, random_bytes: Callable[[int], bytes]) -> None:
        self._random_bytes = random_bytes

    def letters(self) -> str:
        """Return ten letters and digits for the id of a new table or club."""
        return "".join(_LETTERS[byte % 32] for byte in self._random_bytes(10))

    def code(self) -> str:
        """Return the secret of a new link."""
        return urlsafe_b64encode(self._random_bytes(16)).rstrip(b"=").decode()
