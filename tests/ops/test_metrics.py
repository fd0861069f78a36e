"""The metrics as Prometheus reads them."""

import sys
from inspect import signature

import pytest
from prometheus_client.parser import text_string_to_metric_families

from pokerroom.ops.metrics import Metrics
from pokerroom.ops.observer import METRICS, Observer, help_of


def samples(metrics):
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(metrics.exposition().decode())
        for sample in family.samples
    }


def test_a_node_tells_its_counters_at_this_moment():
    """Hands, rounds and actions since its start, its clients by transport, and why it is not ready."""
    metrics = Metrics()
    metrics.hand()
    metrics.action()
    metrics.action()
    metrics.connection_opened("tcp")
    found = metrics.now("n1", 5_000, ["draining"])
    assert (found.node, found.at_ms, found.reasons) == ("n1", 5_000, ("draining",))
    assert (found.hands, found.rounds, found.actions, found.connections) == (1, 0, 2, {"tcp": 1})


def test_every_event_is_counted():
    """Each method moves exactly its own metrics."""
    metrics = Metrics()
    metrics.hand()
    metrics.action()
    metrics.action()
    metrics.action_latency(0.0004)
    metrics.action_latency(0.02)
    metrics.action_latency(3.0)
    for code in ("not_your_turn", "not_your_turn", "hand_over"):
        metrics.refusal(code)
    metrics.timeout_all_in()
    metrics.timeout_all_in()
    metrics.crash()
    metrics.connection_opened("tcp")
    metrics.connection_opened("tcp")
    metrics.connection_opened("websocket")
    metrics.connection_closed("tcp")
    metrics.frames_in()
    metrics.frames_out(6)
    metrics.journal_flush(12)
    metrics.journal_flush(3)
    metrics.settlement(5, 0.004)
    found = samples(metrics)
    expected = {
        ("pokerroom_hands_total",): 1,
        ("pokerroom_actions_total",): 2,
        ("pokerroom_action_seconds_count",): 3,
        ("pokerroom_action_seconds_bucket", "0.0005"): 1,
        ("pokerroom_action_seconds_bucket", "0.025"): 2,
        ("pokerroom_action_seconds_bucket", "1.0"): 2,
        ("pokerroom_action_seconds_bucket", "+Inf"): 3,
        ("pokerroom_refusals_total", "not_your_turn"): 2,
        ("pokerroom_refusals_total", "hand_over"): 1,
        ("pokerroom_timeout_all_ins_total",): 2,
        ("pokerroom_table_crashes_total",): 1,
        ("pokerroom_connections", "tcp"): 1,
        ("pokerroom_connections", "websocket"): 1,
        ("pokerroom_frames_in_total",): 1,
        ("pokerroom_frames_out_total",): 6,
        ("pokerroom_journal_flushes_total",): 2,
        ("pokerroom_journal_entries_total",): 15,
        ("pokerroom_settlement_hands_total",): 5,
        ("pokerroom_settlement_seconds_count",): 1,
        ("pokerroom_settlement_seconds_sum",): pytest.approx(0.004),
    }
    assert {key: found[key] for key in expected} == expected


def test_tables_are_asked_when_the_metrics_are_read():
    """Registering the functions asks nothing; every reading asks again."""
    metrics = Metrics()
    states = {"playing": 3, "frozen": 1}
    asked = []
    metrics.watch_tables(lambda: asked.append(1) or states)
    assert asked == []
    found = samples(metrics)
    assert found["pokerroom_tables", "playing"] == 3
    assert found["pokerroom_tables", "frozen"] == 1
    states["playing"] = 4
    assert samples(metrics)["pokerroom_tables", "playing"] == 4


@pytest.mark.parametrize("method", METRICS)
def test_each_declared_metric_is_exposed_with_its_help(method):
    """A plain observer ignores the same event."""
    metrics, metric = Metrics(), METRICS[method]
    given = ["tcp" if metric.label else 1] * (len(signature(getattr(Observer, method)).parameters) - 1)
    getattr(metrics, method)(*given)
    getattr(Observer(), method)(*given)
    suffix = {"counter": "_total", "histogram": "_count", "gauge": ""}[metric.kind]
    labels = () if metric.label is None else ("tcp",)
    assert samples(metrics)[f"pokerroom_{metric.name}{suffix}", *labels] == metric.step
    assert help_of(method).removesuffix(".") in metrics.exposition().decode()


def test_two_rooms_in_one_process_count_apart():
    """Nothing is registered globally."""
    first, second = Metrics(), Metrics()
    first.hand()
    assert samples(second)["pokerroom_hands_total",] == 0


def test_the_process_itself_is_told_of():
    """CPU and memory of the process come with it, where the system tells."""
    assert (("process_cpu_seconds_total",) in samples(Metrics())) == sys.platform.startswith("linux")


def test_nodes_are_asked_for_when_the_page_is_read():
    """The values of the moment at which the metrics are read."""
    metrics, seen = Metrics(), {"living": 2, "suspended": False}
    metrics.watch("nodes_living", "Living nodes.", lambda: seen["living"])
    metrics.watch("suspended", "Whether this node waits.", lambda: seen["suspended"])
    assert metrics.registry.get_sample_value("pokerroom_nodes_living") == 2
    assert metrics.registry.get_sample_value("pokerroom_suspended") == 0
    seen.update(living=3, suspended=True)
    assert metrics.registry.get_sample_value("pokerroom_nodes_living") == 3
    assert metrics.registry.get_sample_value("pokerroom_suspended") == 1
