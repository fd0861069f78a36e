"""The page: one document of HTML that needs no network and no script, made of the parts that have been measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any

from tests.bench.report import charts
from tests.bench.report.charts import Table, number
from tests.bench.report.store import Parts, main_figures
from tests.bench.report.style import STYLE

Result = dict[str, Any]

FAULTS = {
    "kill_mid_bet": "node killed in a betting round",
    "kill_after_commit": "node killed after COMMIT",
    "stop_continue": "node stopped and continued",
    "redis_restart": "Redis restarted",
    "redis_lost": "Redis emptied",
    "postgres_restart": "PostgreSQL restarted",
    "cut_from_postgres": "node cut off from PostgreSQL",
    "cut_from_redis": "node cut off from Redis",
    "drop_clients": "all clients dropped and back",
    "flood_table": "a table flooded",
}
"""The faults of the run and what the page calls them; those of tournaments need a longer run."""


def page(parts: Parts) -> str:
    """The whole document."""
    sections = "".join(
        f'<section id="{name}"><h2>{escape(title)}</h2>{_body(name, parts, tell)}</section>'
        for name, (title, tell) in SECTIONS.items()
    )
    links = "".join(
        f'<li><a href="#{name}">{escape(title)}</a></li>' for name, (title, _) in SECTIONS.items()
    )
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>Load report of the poker room</title><style>{STYLE}</style></head><body><header>"
        "<h1>Load report of the poker room</h1>"
        "<p>How fast the room is, how long it stops when something fails, and what attacks cost honest players. "
        "Every server, node and player of these runs was on one machine, over loopback, so they shared its "
        "processor. Compare figures of one run with each other.</p>"
        f'{_of_several_revisions(parts)}<nav aria-label="Parts"><ul>{links}</ul></nav></header>'
        f'<main><section id="main-figures"><h2>Main figures</h2>{_main(parts)}</section>{sections}</main>'
        "<footer><p><code>make report</code> measures all parts and writes this page. "
        "<code>make report REPORT='--parts load --seconds 10'</code> repeats one part and keeps the others.</p>"
        "</footer></body></html>\n"
    )


def _of_several_revisions(parts: Parts) -> str:
    found = {part["revision"] for part in parts.values()}
    return "<p><strong>The parts are of different revisions.</strong></p>" if len(found) > 1 else ""


def _body(name: str, parts: Parts, tell: Callable[[Result], str]) -> str:
    if name not in parts:
        return (
            f"<p class='missing'>Not measured yet. Run <code>make report REPORT='--parts {name}'</code>.</p>"
        )
    part = parts[name]
    began = part["started"].replace("T", " ").removesuffix("+00:00")
    took = f", in {part['took_s']:.0f} s" if part["took_s"] >= 1 else ""
    when = (
        f"Measured {began} UTC, revision {part['revision']}{took}. The load average of the machine was "
        f"{part['load_at_start']:.1f} at the start."
    )
    return f'<p class="when">{escape(when)}</p>{tell(part["result"])}'


def _main(parts: Parts) -> str:
    found = main_figures(parts)
    tiles = [
        (f"Actions per second, {form}", f"{capacity:,.0f}", _within(found["p99_ms"][form]))
        for form, capacity in (found["capacity_per_s"] or {}).items()
    ]
    others = (
        ("times_pokerkit", "Hands per second of the rules, in Python", "{} times", "those of PokerKit"),
        (
            "recovery_s_max",
            "Longest time to the next prompt",
            "{} s",
            "after a fault, or its end where that comes first",
        ),
        ("violations", "Violations under faults", "{}", "what clients were told, beside the ledger"),
        (
            "siege_p99_ratio",
            "Under the worst attack",
            "{} times",
            "the quiet 99th percentile of an honest player",
        ),
        ("differences", "Differences found by the audits", "{}", "of all runs of this report"),
    )
    tiles += [
        (label, text.format(value if isinstance(value, int) else number(value)), more)
        for name, label, text, more in others
        if (value := found[name]) is not None
    ]
    if not tiles:
        return "<p class='missing'>Nothing is measured yet.</p>"
    return (
        '<dl class="tiles">'
        + "".join(
            f"<div><dt>{escape(label)}</dt><dd>{escape(value)}</dd><dd class='more'>{escape(more)}</dd></div>"
            for label, value, more in tiles
        )
        + "</dl>"
    )


def _within(p99_ms: Mapping[str, float]) -> str:
    told = " and ".join(f"{number(value)} ms at {percent} % load" for percent, value in p99_ms.items())
    return f"99 % of them within {told}"


def _machine(found: Result) -> str:
    facts = (
        ("Processor", found["processor"]),
        ("Cores", str(found["cores"])),
        ("Memory", f"{found['memory_mb']:,} MB"),
        ("System", f"{found['system']}, {found['kernel']}"),
        ("Python", found["python"]),
        ("Database", found["postgres"]),
        ("Journal", found["redis"]),
        (
            "Rules",
            "Python, and compiled by mypyc" if found["compiled"] else "Python; no compiled form was there",
        ),
    )
    return (
        '<dl class="facts">'
        + "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in facts)
        + "</dl>"
    )


def _load(found: Result) -> str:
    forms = found["forms"]
    levels = [(form, level) for form in forms for level in form["levels"]]
    measured = [value for _, level in levels for _, value in level["curve"] if value > 0] or [1.0]
    low, high = _axis(min(measured), max(measured))
    shown = [
        charts.figure(
            f"Latency, {form['form']}",
            "Upright: milliseconds from the intended time to the player's own event. Across: percent of the actions "
            f"that took no longer. One line for each part of the capacity of {form['capacity_per_s']:,.0f} actions/s.",
            charts.curves(
                f"Latency, {form['form']}", [level["curve"] for level in form["levels"]], low, high
            ),
            _percentiles(form),
            [f"{level['percent']} % of capacity" for level in form["levels"]],
            lines=True,
        )
        for form in forms
    ]
    p99_rows = [
        (
            f"{percent} % of capacity",
            [
                level["latency_ms"]["p99"]
                for form in forms
                for level in form["levels"]
                if level["percent"] == percent
            ],
        )
        for percent in sorted({level["percent"] for _, level in levels})
    ]
    names = [form["form"] for form in forms]
    p99 = charts.figure(
        "99th percentile of the latency",
        "At each part of its own capacity; shorter is better.",
        charts.bars("99th percentile of the latency", p99_rows, "ms"),
        Table(
            head=["load", *(f"{name}, ms" for name in names)],
            rows=[[label, *map(number, values)] for label, values in p99_rows],
        ),
        names,
    )
    cost_rows = [
        (f"{form['form']}, {level['percent']} %", list(level["cpu_us"].values())) for form, level in levels
    ] + [(f"{form['form']}, no think time", list(form["cpu_us"].values())) for form in forms]
    cost = charts.figure(
        "Processor time for each action",
        "Of all nodes, of PostgreSQL, and of Redis or Valkey, in microseconds, from /proc over the measured window. At "
        "part load fewer actions share a flush, a commit and a send, so each costs more.",
        charts.stacks("Processor time for each action", cost_rows, "µs"),
        Table(
            head=["form and load", "nodes, µs", "PostgreSQL, µs", "Redis, µs", "together, µs"],
            rows=[[label, *map(number, values), number(sum(values))] for label, values in cost_rows],
        ),
        ("nodes", "PostgreSQL", "Redis"),
    )
    audits = sum(form["differences"] for form in forms)
    how = (
        f"<p>{found['players']} players over TCP at {found['tables']} six-seat no-limit tables. First they play "
        f"without think time for {found['seconds']:g} s: what they get done is the capacity. Then actions arrive at "
        f"random times (a Poisson stream), at parts of that rate, for {found['seconds']:g} s each after a second of "
        "warm-up. The times do not depend on the room: when it stalls, later actions wait, and their latency counts "
        "from when they were due. So no wait is left out (&ldquo;coordinated omission&rdquo;). The table of each form "
        "shows the time from sending, too, which is what a driver that waits for answers would see.</p>"
        "<p>One process of players measures, on the same machine, into a histogram of three digits (HdrHistogram). "
        f"With {_least(levels):,} actions in the smallest window, percentiles above "
        f"{_sure_percent(_least(levels))} % rest on fewer than ten actions. "
        f"Each hand was settled in the ledger; the audit found {audits} differences.</p>"
    )
    return f'{how}<div class="charts">{"".join(shown)}</div><div class="charts">{p99}{cost}</div>'


def _axis(low: float, high: float) -> tuple[float, float]:
    """The ends of an axis on which both are: 1, 2 or 5 of a power of ten."""
    marks = [step * 10.0**power for power in range(-4, 7) for step in (1, 2, 5)]
    return max(mark for mark in marks if mark <= low), min(mark for mark in marks if mark > high)


def _least(levels: Sequence[tuple[Result, Result]]) -> int:
    return min((level["done"] for _, level in levels), default=0)


def _sure_percent(actions: int) -> str:
    """The percentile above which there are fewer than ten actions."""
    return next(
        (f"{percent:g}" for percent in (99.99, 99.9, 99) if actions * (100 - percent) / 100 >= 10), "90"
    )


def _percentiles(form: Result) -> Table:
    names = list(form["levels"][0]["latency_ms"]) if form["levels"] else []
    counts = {"offered": "offered", "done": "done", "refused": "refused", "unfinished": "not ended"}
    return Table(
        head=[
            "load",
            "actions/s",
            *(f"{name}, ms" for name in names),
            "p99 from sending, ms",
            *counts.values(),
        ],
        rows=[
            [
                f"{level['percent']} %",
                number(level["rate_per_s"]),
                *(number(level["latency_ms"][name]) for name in names),
                number(level["answer_ms"]["p99"]),
                *(f"{level[name]:,}" for name in counts),
            ]
            for level in form["levels"]
        ],
    )


def _growth(found: Result) -> str:
    tables = [(f"{int(count):,} tables", one) for count, one in found["tables"].items()]
    offered = (
        f"{found['rate_per_s']:g} actions a second are offered over all tables together, at random times. With more "
        "tables fewer actions of one moment are at the same table."
    )
    idle = "In each second, with six players at each table and a hand in progress."
    shown = (
        ("Processor time of the node for each action, by busy tables", offered, "cpu_us_per_action", "µs", 1),
        ("Processor time of the node while no player acts, by tables", idle, "at_rest_cpu", "ms", 1_000),
    )
    pictures = [
        charts.figure(
            title,
            how,
            charts.bars(title, [(label, [one[name] * times]) for label, one in tables], unit),
            Table(
                head=["tables", unit, "actions/s", "p99 of the latency, ms"],
                rows=[
                    [label, number(one[name] * times), str(one["actions_per_s"]), number(one["p99_ms"])]
                    for label, one in tables
                ],
            ),
        )
        for title, how, name, unit, times in shown
    ]
    return (
        "<p>The cost of an action must not grow with the number of tables that a node has. "
        "<code>make bench WHAT=scale</code> measures more: seated connections, observers, hands after a kill, starts."
        f'</p><div class="charts">{"".join(pictures)}</div>'
    )


def _engines(found: Result) -> str:
    engines = {engine: one for engine, one in found["engines"].items() if one is not None}
    label = {"pure": "this project, Python", "compiled": "this project, compiled by mypyc"}
    ranked = sorted(engines.items(), key=lambda item: -item[1]["hands_per_s"])
    rows = [(label.get(engine, one["name"]), [one["hands_per_s"]]) for engine, one in ranked]
    picture = charts.figure(
        "Hands per second of one core",
        "Six-handed no-limit hold'em, 100 big blinds, 10 % fold, 70 % check or call, 20 % smallest raise; the best of "
        "three turns of each engine, in rotation.",
        charts.bars("Hands per second of one core", rows, ""),
        Table(
            head=["engine", "hands/s", "actions/s", "actions in a hand"],
            rows=[
                [
                    label.get(engine, one["name"]), f"{one['hands_per_s']:,.0f}", f"{one['actions_per_s']:,}",
                    f"{one['actions_per_hand']:.1f}",
                ]
                for engine, one in ranked
            ],
        ),
    )  # fmt: skip
    bare = found["fan_out"]
    ceiling = (
        "The bare fan-out server, which shows what sockets alone allow, was not measured: POKERROOM_BASELINE names no "
        "folder with it."
        if bare is None
        else f"A bare server that only decodes a message and sends it to six connections did {bare['in_per_s']:,.0f} "
        f"messages/s, at {bare['cpu_us_per_message']} µs of processor time each."
    )
    absent = [engine for engine, one in found["engines"].items() if one is None]
    lacking = f"<p>Not there: {escape(', '.join(absent))}.</p>" if absent else ""
    return (
        "<p>The rules alone, from the shuffle to the showdown, without network, journal or ledger, beside other "
        f'engines that Python programs use.</p>{lacking}<div class="charts">{picture}</div><p>{escape(ceiling)}</p>'
    )


def _chaos(found: Result) -> str:
    faults = sorted(found["faults"], key=lambda fault: -(fault["recovery_s_max"] or 1e9))
    rows = [(FAULTS.get(fault["kind"], fault["kind"]), [fault["recovery_s_max"]]) for fault in faults]
    picture = charts.figure(
        "Longest time to the next prompt, by fault",
        "From the fault, or from its end where nothing can go on before it ends, until every table that it struck has "
        "asked a player to act.",
        charts.bars("Longest time to the next prompt, by fault", rows, "s", "never"),
        Table(
            head=["fault", "times", "to the next prompt, s", "counted from", "longest pause of a table, s"],
            rows=[
                [
                    FAULTS.get(fault["kind"], fault["kind"]), str(fault["count"]), number(fault["recovery_s_max"]),
                    fault["counted_from"].replace("blow", "fault").replace("healing", "end of the fault"),
                    number(fault["pause_s_max"]),
                ]
                for fault in faults
            ],
        ),
    )  # fmt: skip
    wrong = found["violations"]
    verdict = f"<strong>violations: {wrong}</strong>" if wrong else "no violation"
    return (
        "<p>Two nodes with their PostgreSQL and Redis, 48 players at 8 tables and 100 clients that come and go. Every "
        f"few seconds something fails, as seed {found['seed']} says. At the end everything that clients were told is "
        f"compared with the ledger: {verdict} in {found['hands']:,} hands and {found['actions']:,} actions; "
        f"{found['hands_void']} hands void, which is allowed where Redis has lost data. The run took "
        f'{found["seconds"]:.0f} s.</p><div class="charts">{picture}</div>'
    )


def _siege(found: Result) -> str:
    kinds = {"action": "actions", "ping": "pings", "log_in": "log-ins"}
    pictures = []
    for kind, name in kinds.items():
        rows = [
            (_words(one["attack"]), [one["quiet"][f"{kind}_p99_ms"], one["under"][f"{kind}_p99_ms"]])
            for one in found["found"]
        ]
        title = f"99th percentile of honest {name}, by attack"
        pictures.append(
            charts.figure(
                title,
                "In the quiet seconds before the attack, and under it.",
                charts.bars(title, rows, "ms"),
                Table(
                    head=["attack", "quiet p99, ms", "under attack p99, ms", "p50, ms", "longest, ms", "refused"],
                    rows=[
                        [
                            _words(one["attack"]), number(one["quiet"][f"{kind}_p99_ms"]),
                            number(one["under"][f"{kind}_p99_ms"]), number(one["under"][f"{kind}_p50_ms"]),
                            number(one["under"][f"{kind}_worst_ms"]), str(len(one["under"]["refused"])),
                        ]
                        for one in found["found"]
                    ],
                ),
                ("quiet", "under attack"),
            )
        )  # fmt: skip
    return (
        "<p>60 bots play in one room, and attackers do one thing after another. Beside them two honest players act and "
        "ping, and a client logs in again and again. The attackers run on the same machine, with lower priority. "
        f"{found['attacks']} attacks: honest clients were refused {found['honest_refused']} times, the node stopped "
        f"dealing {found['suspensions']} times, the audit found {found['differences']} differences.</p>"
        f'<div class="charts">{"".join(pictures)}</div>'
    )


def _words(name: str) -> str:
    """A name of the code as words."""
    return name.replace("_", " ")


SECTIONS: dict[str, tuple[str, Callable[[Result], str]]] = {
    "machine": ("The machine", _machine),
    "load": ("Latency and cost under load", _load),
    "growth": ("How a node grows", _growth),
    "engines": ("The rules beside other engines", _engines),
    "chaos": ("Faults", _chaos),
    "siege": ("Attacks", _siege),
}
"""By the names of the parts, in the order of the page."""
