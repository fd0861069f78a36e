"""Compares screenshots with the approved pictures in `tests/browser/approved`.

A picture is kept with five bits a channel, less than half of the size. Two screenshots of one state on one machine are
equal byte for byte. The tolerance is for another machine: a channel may differ by CHANNEL_MAX, three such steps, and
SHARE_MAX of the pixels by more, where another processor rounds the edge of a curve.

The pictures show the fonts of the machine that made them. `approved/fonts.json` has the widths of a sample in these
fonts; with other fonts a comparison says nothing, and is skipped.
"""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops

APPROVED = Path(__file__).parent / "approved"
FONTS = APPROVED / "fonts.json"
APPROVING = bool(os.environ.get("POKERROOM_APPROVE"))
"""Whether the screenshots of this run become the approved ones: `make e2e APPROVE=1`."""

CHANNEL_MAX = 24
SHARE_MAX = 0.0002
"""200 of a million pixels: a missing letter is more."""

SAMPLE = """() => {
  const pen = document.createElement("canvas").getContext("2d");
  const width = (font) => ((pen.font = font), Math.round(100 * pen.measureText("Raise 0123456789 ½ Żółć").width));
  const family = getComputedStyle(document.body).fontFamily;
  return [`16px ${family}`, `bold 16px ${family}`, 'bold 60px Georgia, "DejaVu Serif", serif'].map(width);
}"""


def same_fonts(page: Any) -> None:
    """Skip the test where the approved pictures were made with other fonts."""
    widths = page.evaluate(SAMPLE)
    if APPROVING:
        FONTS.write_text(json.dumps(widths) + "\n")
    elif json.loads(FONTS.read_text()) != widths:
        pytest.skip("the approved pictures have other fonts: see CONTRIBUTING.md, Pictures")


def compare(seen: bytes, name: str, artefacts: Path) -> None:
    """Fail if a screenshot differs from the approved picture of this name; approve it instead if the run says so."""
    picture = Image.open(io.BytesIO(seen)).convert("RGB").point([value & 0xF8 for value in range(256)] * 3)
    approved = APPROVED / f"{name}.png"
    if APPROVING:
        APPROVED.mkdir(exist_ok=True)
        if not approved.exists() or different(picture, approved):
            picture.save(approved, optimize=True)
        return
    artefacts.mkdir(parents=True, exist_ok=True)
    shown = artefacts / f"{name}.png"
    shown.write_bytes(seen)
    if not approved.exists():
        pytest.fail(f"{name} has no approved picture. Look at {shown}, then: make e2e APPROVE=1")
    if found := different(picture, approved):
        marked = artefacts / f"{name}.difference.png"
        found[1].save(marked)
        pytest.fail(
            f"{name} looks different: {found[0]}.\n  approved   {approved}\n  seen       {shown}\n"
            f"  difference {marked}\nIf what is seen is right: make e2e APPROVE=1"
        )


def different(picture: Image.Image, approved: Path) -> tuple[str, Image.Image] | None:
    """What differs, in words and as a picture of the differing pixels; None within the tolerance."""
    kept = Image.open(approved).convert("RGB")
    if kept.size != picture.size:
        return f"{picture.size} instead of {kept.size} pixels", picture
    red, green, blue = ImageChops.difference(picture, kept).split()
    most = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    marked = most.point([255 if value > CHANNEL_MAX else 0 for value in range(256)])
    count = marked.histogram()[255]
    if count <= SHARE_MAX * picture.width * picture.height:
        return None
    return f"{count} pixels, within {marked.getbbox()}", marked
