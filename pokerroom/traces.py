"""Opens what `[traces]` asks for. The extra `traces` brings the packages; they are imported only where it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pokerroom.listeners import StartRefused
from pokerroom.ops.config_traces import TracesConfig

if TYPE_CHECKING:
    from pokerroom.open_telemetry import ExportedTraces


def exported_traces(config: TracesConfig, node: str) -> ExportedTraces | None:
    """Return the traces of a node, or None if there are none. Raises `StartRefused` if the packages are missing."""
    if not config.url:
        return None
    try:
        from pokerroom.open_telemetry import ExportedTraces  # noqa: PLC0415 -- the extra may be missing, and is slow to import
    except ImportError as missing:
        raise StartRefused(
            f"[traces] needs more packages ({missing.name} is missing): pip install 'pokerroom[traces]'"
        ) from missing
    return ExportedTraces(config, node)
