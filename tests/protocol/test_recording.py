"""The transcripts that a room has said are what a room says."""

from __future__ import annotations

import pytest

from tests.protocol.recording import DIRECTORY, RECORDED, text_of


@pytest.mark.parametrize("name", RECORDED)
def test_a_recorded_transcript_is_current(name):
    """The room says the same again, from the same random numbers: the file is neither stale nor written by hand."""
    recorded = text_of(RECORDED[name]())
    assert (DIRECTORY / f"{name}.jsonl").read_text("utf-8") == recorded, (
        "run python -m tests.protocol.recording"
    )
