"""Every test begins in English."""

from __future__ import annotations

import pytest

from pokerroom.terminal.texts import speak


@pytest.fixture(autouse=True)
def english():
    speak("en")
