"""A step of building the wheel that hatchling's settings cannot express.

The protocol package is a distribution of its own (`protocol/python`); this wheel depends on it.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WheelSteps(BuildHookInterface):
    """Clean up after the wheel is packed."""

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 -- hatchling's signature
        """Remove what hatch-mypyc compiled in place: Python would import it instead of the sources."""
        for pattern in ("*__mypyc.*.so", "pokerroom/**/*.so"):
            for compiled in Path(self.root).glob(pattern):
                compiled.unlink()
