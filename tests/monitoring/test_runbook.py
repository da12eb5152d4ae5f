"""docs/runbook.md says for each alert what to do, with units and settings that exist."""

import re

from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.monitoring.alerts import ALERTS

RUNBOOK = (ROOT / "docs" / "runbook.md").read_text()
UNITS = {path.name for path in (ROOT / "deploy" / "server" / "systemd").iterdir()}


def test_runbook_has_each_alert_once() -> None:
    names = [f"Crowdgame{alert.name}" for alerts in ALERTS.values() for alert in alerts]
    assert sorted(re.findall(r"^\| (Crowdgame\w+) \|", RUNBOOK, re.MULTILINE)) == sorted(names)


def test_runbook_names_units_that_exist() -> None:
    units = re.findall(r"crowdgame-[a-z]+(?:@|\.\w+|)(?=[`' *]|$|\.service)", RUNBOOK)
    assert "crowdgame-worker" in units
    for unit in units:
        assert {unit, f"{unit}.service"} & UNITS, unit
