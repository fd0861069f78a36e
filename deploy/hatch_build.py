"""Steps of building the wheel that hatchling's settings cannot say.

The protocol package lies in `protocol/python`, and stands beside `pokerroom` in the wheel. As an entry of `packages` it
would do so, too, but then hatch-mypyc takes `protocol/python` for the folder of everything. An editable install finds
it by `dev-mode-dirs`; a copy would go stale.
"""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class WheelSteps(BuildHookInterface):
    """What happens before and after the wheel is packed."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Put `pokerroom_protocol` into the wheel; `version` is standard or editable."""
        if version == "standard":
            build_data["force_include"]["protocol/python/pokerroom_protocol"] = "pokerroom_protocol"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002 -- hatchling's signature
        """Remove what hatch-mypyc compiled in place: left there it would be imported instead of the sources."""
        for pattern in ("*__mypyc.*.so", "pokerroom/**/*.so"):
            for compiled in Path(self.root).glob(pattern):
                compiled.unlink()
