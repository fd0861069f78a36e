"""`pokerroom history export`: which hands come, for whom, where they go, and how an interrupted export continues."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import click
import pytest
from click.testing import Result
from pyarrow import parquet
from twisted.internet.defer import Deferred, fail

from pokerroom.chips import Money
from pokerroom.gateway.account_service import AccountService
from pokerroom.history import export, parquet_export
from pokerroom.history.action_rows import COLUMNS
from pokerroom.history.export_command import history_commands
from pokerroom.history.files import documents
from pokerroom.history.hidden_cards import with_hidden_cards
from pokerroom.history.replay import replay
from pokerroom.ledger.account_history import HandPage, HandQuery
from pokerroom.ledger.api import HandSettlement, LedgerUnavailable
from pokerroom.ledger.memory.ledger import MemoryLedger
from pokerroom.ledger.operator_log import LogQuery
from pokerroom.ledger.operators import Role, operator_token_hash
from pokerroom.ledger.tournaments import PlaceGiven
from pokerroom.ops.operator_client import local_acting
from pokerroom.table.seal import Seal
from pokerroom.tournament.offers import opening_of
from pokerroom_protocol import messages as wire
from tests import commands
from tests.history.dealt import SEAL
from tests.history.readers import ohh_stacks, pokerstars_stacks
from tests.history.test_exports import record
from tests.poker.support import now
from tests.tournament.playing import offer

STARTED_MS = 1_795_000_000_000  # 2026-11-18T11:06:40


class Ledger(MemoryLedger):
    """Can be lost after a number of pages."""

    pages = 99

    def hands_page(self, query: HandQuery, after: int, limit: int) -> Deferred[HandPage]:
        self.pages -= 1
        return super().hands_page(query, after, limit) if self.pages >= 0 else fail(LedgerUnavailable("gone"))


@pytest.fixture
def ledger() -> Ledger:
    """Seven hands of alice, bob and carol at T1, an hour apart; alice shows in each, bob mucks and carol folds."""
    ledger = Ledger()
    for name in ("alice", "bob", "carol"):
        now(ledger.create_account(name, "hash", Money(99_000)))
    for table, count in (("T1", 7), ("T2", 1)):
        now(ledger.take_table(table, "n1", 0))
        for seat, account in ((4, 1), (6, 2), (9, 3)):
            now(ledger.buy_in(f"buyin:{table[1:]}{seat:031x}", table, 1, seat, account, Money(9_000), 9))
        for number in range(count):
            settle(ledger, f"{table}-h{number}", table, hours=number)
    return ledger


def settle(ledger: MemoryLedger, hand_id: str, table: str, hours: int = 0, **changes: Any) -> None:
    """One more hand, as the table stores it."""
    ended_ms = STARTED_MS + hours * 3_600_000
    stored = with_hidden_cards(
        json.loads(record(hand_id=hand_id, table=table, ended_ms=ended_ms, **changes)), SEAL
    )
    deltas = tuple((seat["account"], seat["end"] - seat["stack"]) for seat in stored["seats"])
    hand = HandSettlement(
        hand_id=hand_id,
        table=table,
        epoch=1,
        started_ms=STARTED_MS,
        ended_ms=ended_ms,
        deltas=deltas,
        record=json.dumps(stored).encode(),
    )
    now(ledger.settle([hand]))


@pytest.fixture
def said(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """What the command answers. A page has two hands."""
    monkeypatch.setattr(export, "PAGE", 2)

    def run(*arguments: str, seal: Any = SEAL) -> Result:
        made: Callable[[Any], click.Command] = lambda on_ledger: history_commands(on_ledger, lambda: seal)  # noqa: E731 -- typed
        return commands.said(ledger, made, "export", *arguments)

    return run


def test_an_account_gets_its_own_view(said: Callable[..., Result], ledger: Ledger) -> None:
    """All its hands, with its own cards and those that were shown; the export is a line of the operators' log."""
    result = said("--account", "bob", "--format", "ohh", "--reason", "asked for it")
    assert (result.exit_code, result.stderr) == (0, "8 hands\n")
    hands = [json.loads(line)["ohh"] for line in result.stdout.split("\n\n")[:-1]]
    assert [hand["game_number"] for hand in hands] == [*(f"T1-h{number}" for number in range(7)), "T2-h0"]
    assert "KhKd" not in result.stdout
    assert all(["Kh", "Kd"] in [a.get("cards") for a in hand["rounds"][0]["actions"]] for hand in hands)
    assert '"7c"' not in result.stdout
    (line,) = now(ledger.log_lines(LogQuery()))
    assert (line.verb, line.subject, line.by) == ("history.export", "account:2", local_acting("asked for it"))
    assert line.named() == {"format": "ohh"}


def test_a_table_is_as_spectators_see_it(said: Callable[..., Result], tmp_path: Path) -> None:
    """The file replays by the room's own command."""
    out = tmp_path / "hands.phhs"
    result = said("--table", "T1", "--format", "phh", "--out", str(out), seal=None)
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "7 hands\n")
    hands = dict(documents(out))
    assert [replay(hand).error for hand in hands.values()] == [None] * 7
    assert [list(tmp_path.iterdir()), len(hands)] == [[out], 7]
    assert not {"Kh", "Kd", "7c", "2d"} & {out.read_text()[at : at + 2] for at in range(out.stat().st_size)}


def test_many_hands_are_no_phh(said: Callable[..., Result], tmp_path: Path) -> None:
    """A file of one hand is refused before anything is written, with the name that `replay` reads."""
    result = said("--table", "T1", "--format", "phh", "--out", str(tmp_path / "hands.phh"), seal=None)
    assert (result.exit_code, list(tmp_path.iterdir())) == (2, [])
    assert "hands.phhs" in "".join(result.stderr.split())


def test_the_bounds_are_of_the_end_of_a_hand(said: Callable[..., Result]) -> None:
    """From the first bound on, and before the second."""
    bounds = ("--since", "2026-11-18T12:06:40", "--until", "2026-11-18T14:06:40")
    result = said("--table", "T1", "--format", "pokerstars", "--currency", "USD", *bounds)
    hands = result.stdout.split("\n\n\n")
    assert [pokerstars_stacks(hand)[4] for hand in hands[:-1]] == [pytest.approx(19.25)] * 2
    assert result.stderr == "2 hands\n"
    none = said("--table", "T1", "--format", "ohh", "--until", "2026-11-18")
    assert (none.exit_code, none.stdout) == (0, "")
    assert none.stderr == "0 hands\nno settled hand fits: look at the id and at the times, which are in UTC\n"


def test_all_hands_of_the_room(said: Callable[..., Result], ledger: Ledger) -> None:
    """As spectators see them; the line of the log is about the room."""
    result = said("--all", "--format", "ohh", seal=None)
    hands = [json.loads(line)["ohh"] for line in result.stdout.split("\n\n")[:-1]]
    assert [hand["game_number"] for hand in hands] == [*(f"T1-h{number}" for number in range(7)), "T2-h0"]
    assert [hand["flags"] for hand in hands] == [["Observed"]] * 8
    (line,) = now(ledger.log_lines(LogQuery()))
    assert (line.verb, line.subject) == ("history.export", "room")


def test_parquet_is_a_folder_that_other_programs_read(
    said: Callable[..., Result], ledger: Ledger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interrupted after a file and continued, it has each row once. No other user reads it."""
    monkeypatch.setattr(parquet_export, "BATCH_ROWS", 10)
    monkeypatch.setattr(parquet_export, "FILE_BATCHES", 2)
    arguments = ("--table", "T1", "--format", "parquet", "--out")
    whole, out = tmp_path / "whole", tmp_path / "out"
    assert said(*arguments, str(whole)).stderr == "7 hands\n"
    ledger.pages = 3
    assert isinstance(said(*arguments, str(out)).exception, LedgerUnavailable)
    assert sorted(path.name for path in out.iterdir()) == ["export.resume", "part-00001.parquet"]
    (out / "part-00002.parquet.new").write_bytes(b"half")
    other = said("--table", "T2", "--format", "parquet", "--out", str(out))
    assert (other.exit_code, "was begun with other options" in other.stderr) == (1, True)
    ledger.pages = 99
    assert f"continues {out}" in said(*arguments, str(out)).stderr
    table = parquet.read_table(out)
    assert table.equals(parquet.read_table(whole))
    assert table.schema.metadata[b"pokerroom.actions"] == b"1"
    assert table.schema.field("pot").metadata[b"description"] == COLUMNS["pot"][1].encode()
    rows = table.to_pylist()
    assert [row["hand"] for row in rows if row["step"] == 0] == [f"T1-h{number}" for number in range(7)]
    assert {row["cards"] for row in rows if row["player"] != "alice"} == {None}
    assert {path.stat().st_mode & 0o777 for path in out.iterdir()} == {0o600}
    assert sorted(path.name for path in out.iterdir()) == sorted(path.name for path in whole.iterdir())
    again = said(*arguments, str(out))
    assert again.stderr == f"refused: {out} exists: name another folder, or remove it\n"


def test_a_parquet_folder_is_whole_or_refused(said: Callable[..., Result], tmp_path: Path) -> None:
    """An export of no hand is a table without rows; a folder that lost a file is not continued."""
    assert "name a new one with --out" in said("--table", "T1", "--format", "parquet").stderr
    out = tmp_path / "none"
    assert said("--table", "T9", "--format", "parquet", "--out", str(out)).exit_code == 0
    assert parquet.read_table(out).num_rows == 0
    (out / "part-00001.parquet").unlink()
    note = {"export": {"format": "parquet", "table": "T9"}, "after": 9, "size": 1}
    (out / "export.resume").write_text(json.dumps(note))
    lost = said("--table", "T9", "--format", "parquet", "--out", str(out))
    assert lost.stderr == f"refused: {out} lacks files that were written: remove it and begin again\n"


def test_without_pyarrow_the_command_says_what_to_install(
    said: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The extra is not part of the room."""
    for name in [name for name in sys.modules if name.split(".")[0] == "pyarrow"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "pokerroom.history.parquet_export")
    monkeypatch.setattr(sys, "meta_path", [_WithoutPyarrow(), *sys.meta_path])
    result = said("--all", "--format", "parquet", "--out", str(tmp_path / "actions"))
    assert (result.exit_code, "pip install 'pokerroom[parquet]'" in result.stderr) == (1, True)


class _WithoutPyarrow:
    """As if it were not installed."""

    @staticmethod
    def find_spec(name: str, *_: Any) -> None:
        if name == "pyarrow":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


@pytest.mark.parametrize("pages", [0, 1, 3])
@pytest.mark.parametrize("form", ["phh", "ohh", "pokerstars"])
def test_an_interrupted_export_continues(
    said: Callable[..., Result], ledger: Ledger, tmp_path: Path, pages: int, form: str
) -> None:
    """Also if half a hand was written last: the file is then as if nothing had happened."""
    whole, out = tmp_path / "whole", tmp_path / "hands"
    arguments = ("--table", "T1", "--format", form, "--out")
    assert said(*arguments, str(whole)).exit_code == 0
    ledger.pages = pages
    assert isinstance(said(*arguments, str(out)).exception, LedgerUnavailable)
    ledger.pages = 99
    with out.open("ab") as file:
        file.write(b"half a ha")
    other = said("--table", "T2", "--format", form, "--out", str(out))
    assert (other.exit_code, "was begun with other options" in other.stderr) == (1, True)
    result = said(*arguments, str(out))
    assert (result.exit_code, f"continues {out}" in result.stderr) == (0, pages > 0)
    assert out.read_bytes() == whole.read_bytes()
    assert sorted(tmp_path.iterdir()) == [out, whole]


def test_a_file_is_never_overwritten(said: Callable[..., Result], ledger: Ledger, tmp_path: Path) -> None:
    """Nor is one continued that was changed; nothing is read, and nothing logged."""
    out = tmp_path / "hands"
    out.write_text("mine")
    arguments = ("--table", "T1", "--format", "ohh", "--out", str(out))
    assert said(*arguments).stderr == f"refused: {out} exists: name another file, or remove it\n"
    assert out.read_text() == "mine"
    note = tmp_path / "hands.resume"
    note.write_bytes(json.dumps({"export": {"format": "ohh", "table": "T1"}, "after": 3, "size": 5}).encode())
    assert "is shorter than" in said(*arguments).stderr
    note.write_text("{")
    assert "hands.resume cannot be read: remove it and" in said(*arguments).stderr
    out.unlink()
    note.write_bytes(json.dumps({"export": {"format": "ohh", "table": "T1"}, "after": 3, "size": 5}).encode())
    assert "hands is gone: remove" in said(*arguments).stderr
    assert said(*arguments[:-1], str(tmp_path / "no" / "hands")).exit_code == 2
    assert now(ledger.log_lines(LogQuery())) == []


def test_a_file_is_the_operators_own(said: Callable[..., Result], ledger: Ledger, tmp_path: Path) -> None:
    """It has a player's own cards: no other user reads it, and links of others lead to no file of the operator."""
    mine, out = tmp_path / "mine", tmp_path / "hands"
    mine.write_text("mine")
    (tmp_path / "hands.resume.new").symlink_to(mine)
    arguments = ("--account", "bob", "--format", "ohh", "--out", str(out))
    ledger.pages = 1
    said(*arguments)
    assert (out.stat().st_mode & 0o777, mine.read_text()) == (0o600, "mine")
    out.unlink()
    out.symlink_to(mine)
    assert said(*arguments).exit_code == 2
    assert mine.read_text() == "mine"


def test_what_cannot_be_exported_is_refused(
    said: Callable[..., Result], ledger: Ledger, tmp_path: Path
) -> None:
    """With a sentence; no file is begun."""
    out = ("--format", "ohh", "--out", str(tmp_path / "hands"))
    assert said("--account", "dora", *out).stderr == "refused: no player has the name dora\n"
    assert said("--tournament", "six.1", *out).stderr == "refused: no tournament has the id six.1\n"
    assert "POKERROOM_JOURNAL_KEY" in said("--account", "bob", *out, seal=None).stderr
    for wrong in (("--account", "bob", "--table", "T1"), ()):
        assert "Name one of --account, --table and --tournament, or give --all." in said(*wrong, *out).stderr
    assert list(tmp_path.iterdir()) == []
    assert now(ledger.log_lines(LogQuery())) == []


def test_an_earlier_key_that_is_missing_is_told(said: Callable[..., Result]) -> None:
    """The hands come without the player's own cards."""
    result = said("--account", "bob", "--format", "phh", seal=Seal(bytes([7]) * 32).of("hand records"))
    assert result.exit_code == 0
    assert "8 hands lack hidden cards" in result.stderr


@pytest.mark.parametrize("form", ["phh", "ohh", "pokerstars"])
def test_an_operator_sees_all_cards(
    said: Callable[..., Result], ledger: Ledger, tmp_path: Path, form: str
) -> None:
    """Also those that were folded and mucked; the results are those of the ledger, and the log says the view."""
    asked = ("--table", "T1", "--format", form)
    spectators = said(*asked).stdout
    result = said(*asked, "--view", "operators")
    assert (result.exit_code, result.stderr) == (0, "7 hands\n")
    for cards in (("Kh", "Kd"), ("7c", "2d")):
        told = {
            "phh": "".join(cards),
            "ohh": json.dumps(cards, separators=(",", ":")),
            "pokerstars": " ".join(cards),
        }
        assert result.stdout.count(told[form]) >= 7
        assert told[form] not in spectators
    line = now(ledger.log_lines(LogQuery()))[0]
    assert (line.verb, line.named()) == ("history.export", {"format": form, "view": "operators"})
    if form == "phh":
        (file := tmp_path / "hands.phhs").write_text(result.stdout)
        assert [replay(hand).error for hand in dict(documents(file)).values()] == [None] * 7
    if form == "pokerstars":
        (stacks,) = {tuple(pokerstars_stacks(hand).items()) for hand in result.stdout.split("\n\n\n")[:-1]}
        assert dict(stacks) == pokerstars_stacks(spectators.split("\n\n\n")[0])


def test_all_cards_need_the_key_and_the_role(
    said: Callable[..., Result], ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without the key nothing is written; with another one the number of hands that lack cards is told."""
    asked = ("--all", "--format", "ohh", "--view", "operators")
    assert "POKERROOM_JOURNAL_KEY" in said(*asked, seal=None).stderr
    other = said(*asked, seal=Seal(bytes([7]) * 32).of("hand records"))
    assert (other.exit_code, "8 hands lack hidden cards" in other.stderr) == (0, True)
    now(ledger.add_operator("ben", Role.SUPPORT, operator_token_hash("ben")))
    monkeypatch.setenv("POKERROOM_OPERATOR_TOKEN", "ben")
    refused = said(*asked)
    assert (refused.exit_code, refused.stdout) == (1, "")


def test_only_an_admin_exports(
    said: Callable[..., Result], ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The role of a token is checked."""
    for name, role in (("ann", Role.ADMIN), ("ben", Role.SUPPORT)):
        now(ledger.add_operator(name, role, operator_token_hash(name)))
    monkeypatch.setenv("POKERROOM_OPERATOR_TOKEN", "ben")
    assert said("--account", "bob", "--format", "ohh").exit_code == 1
    monkeypatch.setenv("POKERROOM_OPERATOR_TOKEN", "ann")
    assert said("--account", "bob", "--format", "ohh").exit_code == 0


def test_a_sit_and_go_has_its_buy_in_and_places(said: Callable[..., Result], ledger: Ledger) -> None:
    """From the ledger; amounts are chips."""
    opening = opening_of(offer(seats=2, prizes=(Money(480),)), 3)
    now(ledger.open_tournament(opening))
    accounts = [
        now(ledger.create_account(f"p{n}", "hash", Money(99_000))).account for n in range(opening.seats)
    ]
    for account in accounts:
        now(ledger.enter(opening.tournament, account, 1))
    now(ledger.take_table("tournament:" + opening.tournament, "n1", 0))
    now(ledger.take_table(opening.tournament, "n1", 0))
    now(ledger.start_tournament(opening.tournament, 1, accounts, 1_000))
    seats = [
        {
            "seat": n,
            "account": account,
            "name": f"p{n - 1}",
            "stack": 1_000,
            "cards": ["As", "Ad"],
            "end": end,
        }
        for n, (account, end) in enumerate(zip(accounts[:2], (2_000, 0), strict=True), 1)
    ]
    events = [["post", 2, "small_blind", 50], ["post", 1, "big_blind", 100], ["raise", 2, 950, 1_000]]
    events += [["call", 1, 900, 1_000], ["show", 1], ["show", 2], ["flop", "2c", "3c", "4c"], ["turn", "9h"]]
    events += [["river", "9d"], ["award", 0, 2_000, [[1, 2_000]]]]
    settle(ledger, "s1", opening.tournament, seats=seats, events=events, button=2)
    for place, account in ((2, accounts[1]), (1, accounts[0])):
        prize = Money(480 if place == 1 else 0)
        now(
            ledger.give_places(
                opening.tournament, 1, place, [PlaceGiven(place=place, account=account, prize=prize)]
            )
        )
    result = said("--tournament", opening.tournament, "--format", "pokerstars")
    assert result.exit_code == 0, result.output
    offer_digits = 100_000 + crc32(opening.offer.encode()) % 900_000
    number = f"{offer_digits}0003"  # of two offers of a room, tournaments with one number are two
    assert f": Tournament #{number}, 2.40+0.60 Hold'em No Limit - Level " in result.stdout
    assert (
        "p1 finished the tournament in 2nd place\np0 wins the tournament and receives 4.80 - "
        in result.stdout
    )
    assert pokerstars_stacks(result.stdout.rstrip("\n"))[1] == 2_000
    result = said("--account", "p0", "--format", "ohh")
    assert json.loads(result.stdout)["ohh"]["tournament_info"]["tournament_number"] == opening.tournament
    assert ohh_stacks(result.stdout.rstrip("\n"))[1] == 2_000
    request = wire.GetHand(id=1, hand_id="s1", format="ohh")
    answer = now(Deferred.fromCoroutine(AccountService(ledger, SEAL).answered(request, accounts[0])))
    assert answer.text == result.stdout, "the player downloads the same"
