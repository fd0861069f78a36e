"""`pokerroom replay` as a person or a script runs it."""

import json
import os

import pytest
from click.testing import CliRunner

from pokerroom.cli import main
from tests.history.writing import NO_LIMIT

DIFFERS = NO_LIMIT.replace("[900, 1100, 1000]", "[1000, 1000, 1000]")
REFUSED = NO_LIMIT.replace("'p2 cbr 300'", "'p2 cbr 150'")


def run(*arguments):
    return CliRunner().invoke(main, ["replay", *map(str, arguments)])


def three(tmp_path):
    path = tmp_path / "hands.phhs"
    path.write_text(f"[1]\n{NO_LIMIT}\n[2]\n{DIFFERS}\n[3]\n{REFUSED}")
    return path


def test_json_lines(tmp_path):
    """--json prints an object for each hand and a summary last, and the exit code says whether all agreed."""
    path = three(tmp_path)

    result = run("--json", path, tmp_path / "none.phh")

    *hands, summary = [json.loads(line) for line in result.stdout.splitlines()]
    assert result.exit_code == 1
    assert [set(hand) for hand in hands] == [
        {"file", "hand", "finishing_stacks", "expected", "ok", "error", "detail"}
    ] * 4
    assert hands[0] == {
        "file": str(path),
        "hand": "1",
        "finishing_stacks": [900, 1100, 1000],
        "expected": [900, 1100, 1000],
        "ok": True,
        "error": None,
        "detail": None,
    }
    assert [hand["error"] for hand in hands] == [None, "stacks_differ", "raise_too_small", "unreadable"]
    assert [hand["hand"] for hand in hands] == ["1", "2", "3", None]
    assert hands[2]["detail"] == "action 6: p2 cbr 150: from 200 to 1000 is allowed"
    assert summary == {"summary": True, "hands": 4, "ok": 1, "mismatched": 1, "refused": 2}


def test_for_the_eye(tmp_path):
    """Without --json only what does not agree is told, and a sentence at the end."""
    result = run(three(tmp_path))

    lines = result.stdout.splitlines()
    assert "hand 2: stacks_differ: ours 900, 1100, 1000; the file's 1000, 1000, 1000" in lines[0]
    assert "hand 3: raise_too_small" in lines[1]
    assert lines[2:] == ["3 hands: 1 ok, 1 mismatched, 1 refused"]


def test_all_well(tmp_path):
    """Where every hand agrees the exit code is 0."""
    path = tmp_path / "one.phh"
    path.write_text(NO_LIMIT)

    result = run(path)

    assert (result.exit_code, result.stdout) == (0, "1 hand: 1 ok, 0 mismatched, 0 refused\n")


def test_a_name_that_is_not_utf8(tmp_path):
    """A file whose name is not UTF-8 is replayed like any other, its name told as far as it can be."""
    path = tmp_path / os.fsdecode(b"bad\xff.phh")
    try:
        path.write_text(DIFFERS)
    except OSError:
        pytest.skip("the file system has UTF-8 names only")

    told, seen = run("--json", path), run(path)

    hand, summary = [json.loads(line) for line in told.stdout.splitlines()]
    assert hand["error"] == "stacks_differ"
    assert hand["file"].endswith("bad\N{REPLACEMENT CHARACTER}.phh")
    assert summary == {"summary": True, "hands": 1, "ok": 0, "mismatched": 1, "refused": 0}
    assert "bad\N{REPLACEMENT CHARACTER}.phh: hand 1: stacks_differ" in seen.stdout
    assert (told.exit_code, seen.exit_code) == (1, 1)


def test_amounts_with_decimals_stay_exact(tmp_path):
    """Amounts of a file in decimals come back as the decimals they are."""
    path = tmp_path / "one.phh"
    path.write_text(
        NO_LIMIT.replace("[1000, 1000, 1000]", "[1000.10, 1000, 1000]").replace("[900,", "[900.1,")
    )

    result = run("--json", path)

    assert '"finishing_stacks":[900.1,1100,1000],"expected":[900.1,1100,1000],"ok":true' in result.stdout


def test_a_missing_file_is_told_without_a_hand(tmp_path):
    """There is no hand to name."""
    result = run(tmp_path / "nosuch.phh")
    assert result.exit_code == 1
    assert "hand None" not in result.output
    assert "nosuch.phh: " in result.output
