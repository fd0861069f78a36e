"""The report: its page from stored parts, its last line, and what a run keeps."""

from __future__ import annotations

import json
import re
from argparse import Namespace
from html.parser import HTMLParser

import jsonschema
import pytest

from tests.bench.report import charts, store
from tests.bench.report.page import SECTIONS, page
from tests.bench.report.run import run

HEAD = {"revision": "abc1234", "started": "2026-11-28T06:00:00+00:00", "load_at_start": 0.5, "took_s": 61.2}
PERCENTILES = {"p50": 2.1, "p90": 4.2, "p99": 8.4, "p99.9": 16.8, "p99.99": 33.6, "max": 40.5}


def level(percent: int) -> dict:
    return {
        "percent": percent,
        "rate_per_s": 20.0 * percent,
        "cpu_us": {"node": 300.0, "postgres": 150.0, "redis": 20.0},
        "offered": 12_000,
        "done": 12_000,
        "refused": 0,
        "unfinished": 0,
        "latency_ms": {name: value * percent / 25 for name, value in PERCENTILES.items()},
        "answer_ms": PERCENTILES,
        "curve": [[nines / 20, 1.5 + nines * percent / 100] for nines in range(81)],
        "histogram": "HISTF",
    }


def form(name: str, nodes: int, capacity: float) -> dict:
    return {
        "form": name,
        "nodes": nodes,
        "compiled": False,
        "capacity_per_s": capacity,
        "cpu_us": {"node": 250.0, "postgres": 90.0, "redis": 10.0},
        "levels": [level(percent) for percent in (25, 50, 75, 90)],
        "differences": 0,
    }


def engine(name: str, hands_per_s: float) -> dict:
    return {
        "name": name,
        "hands_per_s": hands_per_s,
        "actions_per_s": 31 * int(hands_per_s),
        "actions_per_hand": 31.4,
    }


def seen(p99: float) -> dict:
    figures = {
        f"{kind}_{name}_ms": p99
        for kind in ("ping", "action", "newcomer", "log_in")
        for name in ("p50", "p99", "worst")
    }
    return figures | {"refused": []}


RESULTS = {
    "machine": {
        "processor": "A <fast> one", "cores": 2, "memory_mb": 24_000, "system": "Debian 12", "kernel": "Linux 6.1",
        "python": "CPython 3.11.7", "postgres": "PostgreSQL 15.14", "redis": "Valkey 9.1.2", "compiled": True,
    },
    "load": {
        "tables": 20, "players": 120, "seconds": 6.0,
        "forms": [form("one node", 1, 2345.6), form("two nodes", 2, 3210.9)],
    },
    "growth": {
        "rate_per_s": 250.0,
        "tables": {
            "10": {"actions_per_s": 249, "cpu_us_per_action": 643, "p99_ms": 12.5, "at_rest_cpu": 0.017},
            "1000": {"actions_per_s": 234, "cpu_us_per_action": 770, "p99_ms": 20.1, "at_rest_cpu": 0.067},
        },
    },
    "engines": {
        "engines": {
            "pure": engine("pokerroom", 5600.0), "compiled": None, "pokerkit": engine("PokerKit 0.7.7", 187.0),
        },
        "fan_out": None,
    },
    "chaos": {
        "violations": 0, "hands": 400, "actions": 9000, "hands_void": 2, "audit_differences": 0, "seconds": 71.0,
        "seed": 1,
        "faults": [
            {"kind": "redis_lost", "count": 2, "recovery_s_max": 4.7, "pause_s_max": 5.1,
             "counted_from": "the healing"},
            {"kind": "kill_mid_bet", "count": 1, "recovery_s_max": 2.9, "pause_s_max": 2.9, "counted_from": "the blow"},
        ],
    },
    "siege": {
        "found": [{"attack": "guesses", "mb": 1.0, "quiet": seen(2.5), "under": seen(7.5)}],
        "attacks": 1, "p99_ratio": 3.0, "worst_ms": 7.5, "suspensions": 0, "honest_refused": 0, "log_in_p99_s": 0.1,
        "differences": 0,
    },
}  # fmt: skip
PARTS = {name: {**HEAD, "result": result} for name, result in RESULTS.items()}

FIGURE = {"type": ["number", "null"]}
BY_FORM = {"type": ["object", "null"], "additionalProperties": {"type": "number"}}
LAST_LINE = {
    "type": "object",
    "additionalProperties": False,
    "required": [
        "page", "parts", "failed", "interrupted", "capacity_per_s", "p99_ms", "times_pokerkit", "recovery_s_max",
        "violations", "siege_p99_ratio", "differences",
    ],
    "properties": {
        "page": {"type": "string"},
        "parts": {"type": "array", "items": {"enum": list(SECTIONS)}},
        "failed": {"type": "array", "items": {"enum": list(SECTIONS)}},
        "interrupted": {"type": "boolean"},
        "capacity_per_s": BY_FORM,
        "p99_ms": {
            "type": ["object", "null"],
            "additionalProperties": {"type": "object", "additionalProperties": {"type": "number"}},
        },
        "times_pokerkit": FIGURE,
        "recovery_s_max": FIGURE,
        "violations": {"type": ["integer", "null"]},
        "siege_p99_ratio": FIGURE,
        "differences": {"type": ["integer", "null"]},
    },
}  # fmt: skip


class Document(HTMLParser):
    """Checks that elements end in their order, and keeps the texts of those that are asked for."""

    VOID = frozenset({"meta", "!doctype"})
    ALONE = frozenset({"rect", "line", "polyline"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)
        self.note(attrs)

    def handle_startendtag(self, tag, attrs):
        assert tag in self.ALONE
        self.note(attrs)

    def note(self, attrs):
        found = dict(attrs)
        self.ids += [found["id"]] if "id" in found else []
        self.references += [found[name] for name in ("src", "href", "xlink:href", "data") if name in found]

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("missing", [None, *SECTIONS])
def test_the_page_is_whole_without_any_of_its_parts(missing):
    """A part that was not measured says how to measure it, and the others are told."""
    text = page({name: part for name, part in PARTS.items() if name != missing})

    document = Document(text)
    assert len(set(document.ids)) == len(document.ids)
    assert all(f'<section id="{name}">' in text for name in SECTIONS)
    lacking = re.findall(r"Not measured yet. Run <code>make report REPORT='--parts (\w+)'", text)
    assert lacking == ([missing] if missing else [])


def test_a_page_of_nothing_says_so():
    """The page is there before the first part has ended."""
    assert "Nothing is measured yet." in page({})


def test_the_page_needs_no_network_and_no_script():
    """It refers to nothing but its own parts."""
    text = page(PARTS)

    assert all(reference.startswith("#") for reference in Document(text).references)
    assert not re.search(r"<script|<link|<iframe|<img|@import|url\(|https?:", text)


def test_each_chart_has_a_title_and_a_table():
    """Who cannot see a picture reads its numbers."""
    text = page(PARTS)

    found = re.findall(r"<figure>(.*?)</figure>", text, re.DOTALL)
    assert len(found) == 11
    for one in found:
        (title,) = re.findall(r"<h3>(.*?)</h3>", one)
        assert f"<caption>{title}</caption>" in one
        assert re.search(rf'role="img" aria-labelledby="([\w-]+)".*<title id="\1">{re.escape(title)}', one)
        assert 'scope="row"' in one


def test_the_page_has_the_numbers_of_its_parts():
    """Capacity, percentiles, faults and attacks, as they are stored; names are text, not markup."""
    text = page(PARTS)

    for told in (
        "2,346",
        "3,211",
        "<td>33.6</td>",
        "<td>4.70</td>",
        "7.50 ms",
        "5,600",
        "A &lt;fast&gt; one",
        "29.9 times",
        "node killed in a betting round",
    ):
        assert told in text
    assert "not there: compiled" in text.lower()


def test_a_fault_without_a_recovery_is_told_as_such():
    """It is not drawn as the shortest."""
    fault = {**RESULTS["chaos"]["faults"][0], "recovery_s_max": None}
    part = {**HEAD, "result": {**RESULTS["chaos"], "violations": 1, "faults": [fault]}}

    text = page({"chaos": part})

    assert "not measured" not in text
    assert "never" in text
    assert "<strong>violations: 1</strong>" in text


def test_parts_of_several_revisions_are_named():
    """Figures of two revisions on one page look like those of one."""
    other = {**PARTS["siege"], "revision": "fff0000"}

    assert "different revisions" in page({**PARTS, "siege": other})
    assert "different revisions" not in page(PARTS)


def test_the_bare_server_is_the_ceiling_where_it_was_measured():
    """Without its folder the page says what names it."""
    bare = {"in_per_s": 83_691, "cpu_us_per_message": 11.8}
    engines = {**HEAD, "result": {**RESULTS["engines"], "fan_out": bare}}

    assert "83,691 messages/s, at 11.8 µs" in page({"engines": engines})
    assert "POKERROOM_BASELINE" in page(PARTS)


def test_bars_are_as_long_as_their_values():
    """The longest has the width of all, and half of it half the width."""
    picture = charts.bars("t", [("a", [50.0]), ("b", [100.0])], "ms")

    widths = [float(width) for width in re.findall(r'class="bar s0"[^>]*width="([\d.]+)%"', picture)]
    assert widths == [charts.WIDTH_MOST / 2, charts.WIDTH_MOST]


@pytest.mark.parametrize(
    ("low", "high", "marks"), [(1, 10, [1, 2, 5, 10]), (0.1, 1000, [0.1, 1, 10, 100, 1000])]
)
def test_an_axis_has_few_marks(low, high, marks):
    """Steps of 1, 2 and 5 where they fit, and powers of ten else."""
    assert charts.ticks(low, high) == pytest.approx(marks)


def options(tmp_path) -> Namespace:
    return Namespace(out=tmp_path / "report")


def test_the_last_line_is_json_of_one_form(tmp_path, capsys):
    """With all parts and with none it has the same fields."""
    assert (
        run(
            {name: lambda _, name=name: RESULTS[name] for name in SECTIONS}, list(SECTIONS), options(tmp_path)
        )
        == 0
    )
    full = json.loads(capsys.readouterr().out.splitlines()[-1])
    empty = json.loads(store.last_line(tmp_path / "index.html", {}, [], interrupted=False))

    for line in (full, empty):
        jsonschema.validate(line, LAST_LINE)
    assert full["capacity_per_s"] == {"one node": 2345.6, "two nodes": 3210.9}
    assert full["p99_ms"]["one node"] == {"50": 16.8, "90": pytest.approx(30.24)}
    assert (full["recovery_s_max"], full["siege_p99_ratio"], full["differences"]) == (4.7, 3.0, 0)
    assert full["times_pokerkit"] == 29.9


def test_an_interruption_keeps_the_parts_that_have_ended(tmp_path, capsys):
    """The page has them, the part before that was there stays, and the exit code is that of Ctrl-C."""
    asked = options(tmp_path)
    asked.out.mkdir()
    store.write(asked.out, "siege", PARTS["siege"])

    def interrupted(_):
        raise KeyboardInterrupt

    measures = {"machine": lambda _: RESULTS["machine"], "load": interrupted, "siege": interrupted}
    assert run(measures, list(measures), asked) == 130

    line = json.loads(capsys.readouterr().out.splitlines()[-1])
    jsonschema.validate(line, LAST_LINE)
    assert (line["parts"], line["interrupted"]) == (["machine", "siege"], True)
    assert "A &lt;fast&gt; one" in (asked.out / "index.html").read_text()


def test_a_part_that_fails_does_not_stop_the_others(tmp_path, capsys):
    """It is named in the last line, and the exit code is 1."""

    def fails(_):
        raise SystemExit("the players have not sat down")

    measures = {"load": fails, "machine": lambda _: RESULTS["machine"]}
    assert run(measures, list(measures), options(tmp_path)) == 1

    line = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (line["parts"], line["failed"]) == (["machine"], ["load"])


def test_one_part_can_be_repeated(tmp_path, capsys):
    """The others stay, and the page has the new figure."""
    asked = options(tmp_path)
    run({name: lambda _, name=name: RESULTS[name] for name in SECTIONS}, list(SECTIONS), asked)
    again = {**RESULTS["load"], "forms": [form("one node", 1, 9876.0)]}

    run({"load": lambda _: again}, ["load"], asked)

    line = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert line["parts"] == list(SECTIONS)
    assert line["capacity_per_s"] == {"one node": 9876.0}
    assert "9,876" in (asked.out / "index.html").read_text()
