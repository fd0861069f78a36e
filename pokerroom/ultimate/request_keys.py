"""The idempotency keys of bets and tips that were taken: a repeated request does not act twice.

Keys of a slip count as soon as the bet is on the slip, and for the journal once betting has closed: a slip is in memory
only, so a bet that is lost with the table's owner may be repeated. Knows no request and no money.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

KEYS_MAX: Final = 32
"""[D] The number of keys that are remembered for each account; a client repeats its last requests only."""

Keys = Mapping[int, tuple[str, ...]]
"""By account."""


class RequestKeys:
    """The keys of one table."""

    def __init__(self) -> None:
        self._done: dict[int, dict[str, None]] = {}
        self._on_slip: dict[int, dict[str, None]] = {}

    def knows(self, account: int, key: str | None) -> bool:
        """Return whether a request with this key was taken; False without a key."""
        return key in self._done.get(account, {}) or key in self._on_slip.get(account, {})

    def note_bet(self, account: int, key: str | None) -> None:
        """Note a change of a slip."""
        if key is not None:
            _add(self._on_slip, account, [key])

    def note(self, account: int, keys: Iterable[str]) -> None:
        """Note requests that are done."""
        _add(self._done, account, keys)

    def betting_closed(self) -> None:
        """The slips are taken: their requests are done."""
        on_slip, self._on_slip = self._on_slip, {}
        for account, keys in on_slip.items():
            self.note(account, keys)

    def forget(self, account: int) -> None:
        """Forget an account that has left."""
        self._done.pop(account, None)
        self._on_slip.pop(account, None)

    def done(self) -> Keys:
        """Return the keys of requests that are done, for the journal."""
        return {account: tuple(keys) for account, keys in self._done.items() if keys}

    def restore(self, keys: Keys, accounts: Collection[int]) -> None:
        """Take the keys of these accounts from the journal; others have left since it was written."""
        for account in accounts:
            if account in keys:
                self.note(account, keys[account])

    def take_over(self, before: RequestKeys) -> None:
        """Take over the keys of the previous game: its slips stay valid."""
        for account, keys in before._done.items():
            self.note(account, keys)
        for account, keys in before._on_slip.items():
            _add(self._on_slip, account, keys)


def _add(known: dict[int, dict[str, None]], account: int, keys: Iterable[str]) -> None:
    found = known.setdefault(account, {})
    found.update(dict.fromkeys(keys))
    for key in list(found)[:-KEYS_MAX]:
        del found[key]
