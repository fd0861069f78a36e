"""What operators copy from `deploy`: alerts of Prometheus and the service of systemd."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import pokerroom
from pokerroom.ops.metrics import Metrics


def asked(board):
    """The expressions of a dashboard."""
    return [target["expr"] for panel in board["panels"] for target in panel["targets"]]


HERE = Path(__file__).parent
DEPLOY = HERE.parents[1] / "deploy"
ALERTS = (DEPLOY / "alerts.yml").read_text(encoding="utf-8")
BOARDS = sorted((DEPLOY / "dashboards").glob("*.json"))
DASHBOARDS = ["\n".join(asked(json.loads(path.read_text(encoding="utf-8")))) for path in BOARDS]
RUNBOOK = (DEPLOY / "operations" / "alerts.md").read_text(encoding="utf-8")


def named(program: str) -> str:
    """A program of the machine; without it the test is skipped."""
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"this machine has no {program}")
    return found


@pytest.mark.parametrize("text", [ALERTS, *DASHBOARDS], ids=["alerts", *(path.stem for path in BOARDS)])
def test_every_metric_exists(text):
    """A counter with its label's value is there from the start: a rate does not see the first event otherwise."""
    exposed = Metrics().exposition().decode()
    app = (Path(pokerroom.__file__).parent / "app.py").read_text(encoding="utf-8")
    for name, labels in re.findall(r"\bpokerroom_(\w+)(\{[^}]*\})?", text):
        if name == "tables":
            assert "watch_tables" in app
        elif f"pokerroom_{name}" not in exposed:
            assert f'"{name}"' in app, name
        else:
            assert f"pokerroom_{name}{labels}" in exposed, name


def test_every_alert_has_its_runbook():
    """Named by a row of the table that says what to do."""
    runbooks = set(re.findall(r"runbook: (\S+)", ALERTS))
    assert len(re.findall(r"- alert:", ALERTS)) == len(re.findall(r"runbook:", ALERTS))
    assert runbooks == set(re.findall(r"^\| `([a-z-]+)` \|", RUNBOOK, re.MULTILINE))


def test_alerts_fire_when_they_should():
    """By Prometheus's own program, over made-up series."""
    tried = subprocess.run(
        [named("promtool"), "test", "rules", HERE / "alerts.yml"], capture_output=True, text=True, check=False
    )
    assert tried.returncode == 0, tried.stdout + tried.stderr
    assert set(re.findall(r"- alert: (\w+)", ALERTS)) == set(
        re.findall(r"alertname: (\w+)", (HERE / "alerts.yml").read_text(encoding="utf-8"))
    )


@pytest.mark.parametrize("text", DASHBOARDS, ids=[path.stem for path in BOARDS])
def test_prometheus_takes_what_a_dashboard_asks(text, tmp_path):
    """Read by Prometheus's own program, as rules that record each expression."""
    rules = [
        {"record": f"panel:{number}", "expr": expression.replace("$__rate_interval", "5m")}
        for number, expression in enumerate(text.split("\n"))
    ]
    file = tmp_path / "rules.yml"
    file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}), encoding="utf-8")
    tried = subprocess.run(
        [named("promtool"), "check", "rules", file], capture_output=True, text=True, check=False
    )
    assert tried.returncode == 0, tried.stdout + tried.stderr


def test_the_service_is_one_that_systemd_takes(tmp_path):
    """And that is locked up: systemd's own score of exposure goes from 0 to 10."""
    program = named("systemd-analyze")
    unit = tmp_path / "pokerroom.service"
    text = (DEPLOY / "pokerroom.service").read_text(encoding="utf-8")
    unit.write_text(text.replace("/opt/pokerroom/bin/pokerroom", "/bin/true"), encoding="utf-8")
    checked = subprocess.run([program, "verify", unit], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")
    scored = subprocess.run(
        [program, "security", "--offline=true", "--threshold=20", unit],
        capture_output=True,
        text=True,
        check=False,
    )
    assert scored.returncode == 0, scored.stdout
