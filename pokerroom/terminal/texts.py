"""The player's language: texts by key from `catalogues/*.toml`, one file for each language.

A text is a string with `{names}` to fill in, or a table of plural forms, of which the value `n` chooses one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import resources
from typing import Final

from pokerroom_protocol.errors import Code

LANGUAGES: Final = ("en", "de", "pl")

Text = str | dict[str, str]

_spoken: dict[str, Text] = {}


def language_of(environ: Mapping[str, str]) -> str:
    """Return the language of the locale, or English if it has no catalogue."""
    locale = environ.get("LC_ALL") or environ.get("LC_MESSAGES") or environ.get("LANG") or ""
    return locale[:2] if locale[:2] in LANGUAGES else LANGUAGES[0]


def catalogue(language: str) -> dict[str, Text]:
    """Return all texts of a language, by `section.key`."""
    file = resources.files(__package__) / "catalogues" / f"{language}.toml"
    sections = tomllib.loads(file.read_text(encoding="utf-8"))
    return {f"{section}.{key}": text for section, texts in sections.items() for key, text in texts.items()}


def speak(language: str) -> None:
    """Use this language from now on."""
    texts = catalogue(language)
    _spoken.clear()
    _spoken.update(texts)


def t(key: str, /, otherwise: str | None = None, **values: object) -> str:
    """Return the text of a key with its values filled in.

    `otherwise` replaces a missing text, as for a value of a later version.
    """
    if otherwise is not None and key not in _spoken:
        return otherwise
    text = _spoken[key]
    if isinstance(text, dict):
        text = text.get(_plural(values["n"])) or text["other"]
    return text.format(**values)


def refusal(code: str, message: str, until_ms: int | None = None) -> str:
    """Return why the room refused a request or closed the connection; in English the room's own `message`.

    `until_ms` is that of the refusal: it tells a muted player until when.
    """
    if code == Code.CHAT_MUTED and until_ms is not None:
        return t("chat.muted", until=local_time(until_ms))
    return t(f"error.{code}", message)


def local_time(ms: int) -> str:
    """Return a time (Unix milliseconds) in the zone of the machine."""
    return f"{datetime.fromtimestamp(ms // 1000, UTC).astimezone():%Y-%m-%d %H:%M}"


def _plural(count: object) -> str:
    """Return the plural form of a count: `one`; `few` for 2 to 4, 22 to 24 ... in Polish; `other`."""
    if count == 1:
        return "one"
    assert isinstance(count, int)
    return "few" if count % 10 in {2, 3, 4} and count % 100 not in {12, 13, 14} else "other"


speak(LANGUAGES[0])
