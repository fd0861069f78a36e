"""Which passwords a new account may have: those of OWASP ASVS 5.0, 6.2. Existing accounts keep theirs.

There are no rules on kinds of characters, as 6.2.5 asks: length counts, and that attackers do not try it first.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache


@cache
def common_passwords() -> frozenset[str]:
    """Return the most common passwords in small letters, 11,600 of 8 characters or more; read when first asked for."""
    from zxcvbn.frequency_lists import FREQUENCY_LISTS  # noqa: PLC0415 -- 90,000 words, which only a room needs

    return frozenset(word for word in FREQUENCY_LISTS["passwords"] if len(word) >= 8)


class PasswordRules:
    """Passwords have `length_min` characters or more; `words` are those of this room that may not be one."""

    def __init__(self, length_min: int, words: Collection[str] = ()) -> None:
        self._length_min = length_min
        self._words = {word.casefold() for word in words}
        common_passwords()  # a tenth of a second, which no client has to wait for

    def problem(self, name: str, password: str) -> str | None:
        """Return why an account of this name may not have the password, and what to do; None if it may."""
        folded = password.casefold()
        if len(password) < self._length_min:
            return f"A password has at least {self._length_min} characters. Add a few words."
        if folded in common_passwords():
            return "This password is one of the most common ones. Choose several words that do not belong together."
        if len(set(folded)) <= 2:
            return "This password repeats one or two characters. Choose several words that do not belong together."
        for word in (name.casefold(), *self._words):
            if len(folded.replace(word, "")) < 4:
                return "This password is little more than a name. Choose several words that do not belong together."
        return None
