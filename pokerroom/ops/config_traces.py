"""The `[traces]` section: where traces of single requests go, and how many are traced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from pokerroom.ops.config_reader import Section

_EVERY_MAX: Final = 1_000_000
_URL_LENGTH_MAX: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class TracesConfig:
    """`url` takes traces in the OTLP form over HTTP; empty: there are none. Of `every` requests one is traced."""

    url: str = ""
    every: int = 100


def traces_settings(section: Section) -> TracesConfig:
    """Read the section; problems are noted there."""
    default = TracesConfig()
    traces = TracesConfig(
        url=section.text("url", default.url, _URL_LENGTH_MAX),
        every=section.integer("every", default.every, 1, _EVERY_MAX),
    )
    if traces.url and not _is_address(traces.url):
        section.problem(
            "url", 'should be an address with its path, such as "http://127.0.0.1:4318/v1/traces"'
        )
    if not traces.url and section.has("every"):
        section.problem("every", "is of traces: give url, or leave this out")
    section.finish()
    return traces


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return (
            parts.scheme in {"http", "https"}
            and bool(parts.hostname and parts.path.strip("/"))
            and parts.port != 0
        )
    except ValueError:
        return False
