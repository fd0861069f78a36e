"""Hashes passwords at almost no cost in every Python process that starts with this folder on its path: see `field`."""

from typing import Any

import argon2

_made = argon2.PasswordHasher.__init__


def _quick(self: argon2.PasswordHasher, *_: Any, **__: Any) -> None:
    _made(self, time_cost=1, memory_cost=8, parallelism=1)


argon2.PasswordHasher.__init__ = _quick  # type: ignore[method-assign]  # what this module is for
