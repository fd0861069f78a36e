"""What is no dump, no key or no published checkpoint ends in one line that says where; it never ends in a traceback.

`hands.sql` and `rounds.sql` are dumps of simulated rooms, with the checkpoints that an earlier build has signed.
"""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from pokerroom.cli import cli_errors
from pokerroom.ledger.checkpoints import CheckpointKey
from pokerroom.verifier.command import verify_command
from pokerroom.verifier.rows import TABLES, Rows, UnreadableRows
from pokerroom.verifier.verify import differences_of_published, verify
from tests.effort import times

KEY = CheckpointKey(bytes(range(32)))
HANDS, ROUNDS = [Path(__file__).with_name(name).read_bytes() for name in ("hands.sql", "rounds.sql")]
DEEP = b"[" * 100_000
NASTY = [
    b"\\N", b"", b"x", b"-1", b"1" * 30, b"9" * 5_000, b"1e9", b"NaN", b"infinity", b"2026-01-01 00:00:00", b"\\\\x0",
    b"\\", b"\xff", b"\x00", b"\xed\xa0\x80", b'"\\\\ud800"', DEEP, b'{"a": ' * 50_000, b'{"hidden": 1}', b"f",
    b'{"number": 1}', b"10000-01-01 00:00:00+00", b"0001-01-01 00:00:00+15",
]  # fmt: skip
"""Values that a column of another type may have, or none."""


def read(dump):
    """The rows of a dump; the caller closes them."""
    rows = Rows()
    rows.read_dump(dump.splitlines(keepends=True))
    rows.complete()
    return rows


def verified(dump):
    rows = read(dump)
    try:
        return verify(rows, [KEY.public])
    finally:
        rows.close()


@pytest.mark.parametrize("dump", [HANDS, ROUNDS])
def test_the_dump_of_an_earlier_build_is_verified(dump):
    """What it has signed stays proven: the format of links and checkpoints does not change."""
    found = verified(dump)
    assert (found.differences, found.checkpoints, found.open) == ((), 2, 0)


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (b"58\t41\t-300", b"58\t41\tmany", "line {}: a row of the table legs cannot be read"),
        (b"\tgenesis\t", b"\tgenesis\xff\t", "line {} is not UTF-8"),
        (b"\\.\nCOPY public.legs", b"COPY public.legs", "line {}: a row of the table ledger_accounts cannot be read"),
        (b"COPY public.legs (transfer,", b"COPY public.legs (t,", "the table legs has no column transfer"),
        (b"COPY public.legs", b"COPY public.feet", "there is no table public.legs"),
        (b"COPY public.legs", b"COPY public.hands", "the dump has the table hands twice"),
        *(
            (b"58\t41\t-300", b"58\t41\t" + amount, "line {}: a row of the table legs cannot be read")
            for amount in (
                b"-30\\60", b"-30\\x30", b"-30\\0", b"-30\\", b"\\-300", b"-3_00", b" -300", b"+300", b"-0x12c",
                "-30\u0660".encode(), b"-300\r", b"-300\t0",
            )
        ),
        (b"\tgenesis\t", b"\tg\\145nesis\t", "line {}: a row of the table transfers cannot be read"),
        (b"\tgenesis\t", b"\tg\\enesis\t", "line {}: a row of the table transfers cannot be read"),
        *(
            (b"COPY public.legs (", beside + b"COPY public.legs (", "line {}: a dump of a room has no such statement")
            for beside in (
                b"UPDATE public.legs SET amount = 0;\n", b"SET client_encoding = 'LATIN1';\n", b"SET a = '\n",
                b"-- a comment\rDROP TABLE public.legs;\n", b"SET row_security = off; DROP TABLE public.legs;\n",
                b"\\! true\n", b"\\i other.sql\n", b'COPY public.legs (" transfer") FROM stdin;\n',
                b"TRUNCATE public.legs; ",
            )
        ),
    ],
)  # fmt: skip
def test_a_dump_that_cannot_be_read_is_refused_with_its_line(before, after, text):
    """The line is that of the SQL text."""
    assert before in HANDS
    changed = HANDS.replace(before, after, 1)
    line = 1 + HANDS[: HANDS.index(before)].count(b"\n")
    with pytest.raises(UnreadableRows) as refused:
        verified(changed)
    assert text.format(line) in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "20260101", "2026-W01-1", "2026-01-01T00:00:00+00", "2026-01-01 00:00:00.0000009+00", "2026-01-01 00:00:00Z",
        "2026-01-01 00:00:00,5+00", "2026-01-01 00:00:00",
    ],
)  # fmt: skip
def test_a_time_is_read_in_the_one_form_that_postgresql_writes(text):
    """Python reads others, too, and some of them as another time than PostgreSQL."""
    created = TABLES["transfers"]["created"]
    assert created("2026-01-01 01:00:00.5+01") == created("2026-01-01 00:00:00.5+00")
    with pytest.raises(ValueError, match="not as PostgreSQL writes it"):
        created(text)


@pytest.mark.parametrize("text", ["6162", "\\\\x6", "\\\\x61 62", "\\\\xAB", "\\x61"])
def test_bytes_are_read_in_the_one_form_that_postgresql_writes(text):
    """Without its prefix a text is other bytes."""
    rows = Rows()
    with pytest.raises(UnreadableRows, match="a row of the table checkpoints cannot be read"):
        rows.read("checkpoints", list(TABLES["checkpoints"]), [f"1\t{{}}\t{text}\n"])
    rows.close()


def test_what_pg_dump_writes_beside_the_rows_is_read():
    """Settings, comments, the numbers of sequences."""
    beside = (
        b"--\n-- PostgreSQL database dump\n--\n\n\\restrict aZ09\n\n"
        b"SET statement_timeout = 0;\nSET client_encoding = 'UTF8';\n"
        b"SELECT pg_catalog.set_config('search_path', '', false);\nSET default_tablespace = '';\n"
        b"SELECT pg_catalog.setval('public.transfers_id_seq', 9, true);\n\\unrestrict aZ09\n"
    )
    assert verified(beside + HANDS).differences == ()


@pytest.mark.parametrize(
    ("table", "values", "sentence"),
    [
        (
            "legs",
            {"transfer": b"58", "ledger_account": b"9999", "amount": b"7"},
            "transfer 58: a leg is of ledger account 9999, and there is no such account",
        ),
        (
            "transfers",
            {"id": b"58", "key": b"other"},
            "transfers has 58 more than once",
        ),
        (
            "ledger_accounts",
            {"id": b"9999", "code": b"bank"},
            "ledger_accounts has bank more than once",
        ),
        (
            "chain_links",
            {"transfer": b"9999", "stream": b"transfers", "n": b"0"},
            "stream transfers, number 0: no checkpoint has this link",
        ),
        (
            "chain_links",
            {"transfer": b"9999", "stream": b"transfers", "n": b"1"},
            "chain_links has transfers, 1 more than once",
        ),
        (
            "round_stakes",
            {"round": b"58", "transfer": b"58"},
            "transfer 58: a stake is of round 58, and there is no such round",
        ),
    ],
)
def test_a_row_that_was_added_is_named(table, values, sentence):
    """Also where nothing that was signed leads to it."""
    dump = HANDS if table != "round_stakes" else ROUNDS
    header = dump[dump.index(b"COPY public.%s (" % table.encode()) :].partition(b"\n")[0] + b"\n"
    before, found, after = dump.partition(header)
    columns = header.partition(b"(")[2].partition(b")")[0].split(b", ")
    fields = after.partition(b"\n")[0].split(b"\t")
    added = [values.get(name.decode(), field) for name, field in zip(columns, fields, strict=True)]
    assert sentence in verified(before + found + b"\t".join(added) + b"\n" + after).differences


def test_a_dump_that_ends_too_early_is_refused():
    """In the middle of a table, and between two."""
    for end, text in (
        (len(HANDS) // 2, "the dump ends in the middle of a table"),
        (0, "there is no table public."),
    ):
        with pytest.raises(UnreadableRows, match=text):
            verified(HANDS[:end])


def test_a_row_without_a_value_that_each_row_has_is_named():
    """It hides no other: a link without a transfer does not cover a transfer without a link."""
    header = HANDS[HANDS.index(b"COPY public.chain_links") :].partition(b"\n")[0] + b"\n"
    columns = header.partition(b"(")[2].partition(b")")[0].split(b", ")
    empty = b"\t".join(b"\\N" for _ in columns) + b"\n"
    found = verified(HANDS.replace(header, header + empty))
    assert found.differences == ("the table chain_links has 1 rows without transfer",)


@st.composite
def malformed(draw):
    """A dump with some values, lines or bytes changed, or without its end."""
    lines = draw(st.sampled_from([HANDS, ROUNDS])).splitlines(keepends=True)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, max(0, len(lines) - 1)))
        lines = lines or [b"\n"]
        fields = lines[at].removesuffix(b"\n").split(b"\t")
        field = draw(st.integers(0, len(fields) - 1))
        match draw(st.sampled_from(["value", "part", "byte", "line", "twice", "swap", "end"])):
            case "value":
                fields[field] = draw(st.sampled_from(NASTY))
                lines[at] = b"\t".join(fields) + b"\n"
            case "part":  # a value in a checkpoint or a record
                parts = fields[field].split(b'"')
                parts[draw(st.integers(0, len(parts) - 1))] = draw(st.sampled_from(NASTY))
                fields[field] = b'"'.join(parts)
                lines[at] = b"\t".join(fields) + b"\n"
            case "byte":
                place = draw(st.integers(0, max(0, len(lines[at]) - 1)))
                lines[at] = lines[at][:place] + draw(st.binary(max_size=2)) + lines[at][place + 1 :]
            case "line":
                del lines[at]
            case "twice":
                lines.insert(at, lines[at])
            case "swap":
                other = draw(st.integers(0, len(lines) - 1))
                lines[at], lines[other] = lines[other], lines[at]
            case "end":
                lines = lines[: max(1, at)]
                lines[-1] = lines[-1][:field]
    return b"".join(lines)


@settings(max_examples=times(60), deadline=None)
@given(malformed())
def test_every_malformed_dump_is_refused_or_compared(dump):
    """In one line, or with sentences of what differs."""
    try:
        found, text = verified(dump), ""
    except UnreadableRows as refused:
        found, text = None, str(refused)
    assert found is not None or (len(text.splitlines()) == 1 and len(text) < 200)


PUBLISHED = [
    json.dumps({"checkpoint": body, "signature": KEY.sign(body).hex()}).encode() + b"\n"
    for body in ('{"number": 1, "key": "%s"}' % KEY.key_id, "{}")  # noqa: UP031 -- braces
]


@st.composite
def malformed_published(draw):
    """A file of published checkpoints with some bytes or values changed."""
    text = b"".join(PUBLISHED)
    at = draw(st.integers(0, len(text) - 1))
    return text[:at] + draw(st.sampled_from(NASTY)) + text[at + draw(st.integers(0, 3)) :]


@pytest.fixture(scope="module")
def verify_dump(tmp_path_factory):
    """Runs the command with a program in the place of `pg_restore` that prints its file. What it says, by exit code."""
    folder = tmp_path_factory.mktemp("verify")
    tool, source, key = folder / "pg_restore", folder / "dump", folder / "key"
    tool.write_text('#!/bin/sh\nfor last; do :; done\nexec cat "$last"\n')
    tool.chmod(0o700)
    command = verify_command(lambda _: tool, cli_errors)

    def run(dump=HANDS, pem=None, published=None):
        source.write_bytes(dump)
        key.write_text(pem or KEY.pem())
        options = []
        if published is not None:
            file = folder / "published"
            file.write_bytes(published)
            options = ["--published", str(file)]
        result = CliRunner().invoke(command, [str(source), "--key", str(key), *options])
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exc_info
        return result.exit_code, result.output

    return run


def test_the_exit_code_says_what_was_proven(verify_dump):
    """0 for a proof, 1 for differences or no checkpoint, 2 for what cannot be read."""
    assert verify_dump()[0] == 0
    assert verify_dump(HANDS.replace(b"58\t41\t-300", b"58\t41\t-301"))[0] == 1
    code, output = verify_dump(HANDS[:5_000])
    assert code == 2
    (line,) = output.splitlines()
    assert line.endswith("the dump ends in the middle of a table")


@pytest.mark.parametrize(
    ("published", "line"),
    [
        (b"\xff\n", 1),
        (PUBLISHED[0] + b"[]\n", 2),
        (PUBLISHED[0] + DEEP + b"\n", 2),
        (b'{"checkpoint": "\\ud800", "signature": ""}\n', 1),
        (b'{"checkpoint": "{}", "signature": 7}\n', 1),
    ],
)
def test_a_published_line_that_is_none_is_refused_with_its_number(verify_dump, published, line):
    """Also one that is no text."""
    code, output = verify_dump(published=published)
    assert code == 2
    assert output.endswith(f"published, line {line}: this is no published checkpoint\n")
    assert len(output.splitlines()) == 1


@settings(max_examples=times(20), deadline=None)
@given(malformed_published())
def test_every_malformed_published_file_is_refused_or_compared(verify_dump, published):
    """By the command."""
    code, output = verify_dump(ROUNDS, published=published)
    assert code in {1, 2}
    assert code == 1 or len(output.splitlines()) == 1


@pytest.mark.parametrize("body", ["MAA=", "!", "MCowBQYDK2VwAyEA", ""])
def test_a_key_that_is_none_is_refused_with_its_number(verify_dump, body):
    """After one that is a key."""
    pem = KEY.pem() + f"-----BEGIN PUBLIC KEY-----\n{body}\n-----END PUBLIC KEY-----\n"
    code, output = verify_dump(pem=pem)
    assert (code, output.endswith("key 2 is not the public key of a room\n")) == (2, True)


def test_a_checkpoint_with_half_a_character_was_changed():
    """JSON can have one, a database cannot."""
    rows = read(ROUNDS)
    body = json.dumps({"number": 1, "key": "\ud800"})
    assert list(differences_of_published(rows, [KEY.public], [(body, b"")])) == [
        "a published line is no checkpoint of a known key"
    ]
    rows.close()
