"""Whole turns of a crowd: what a rehearsal's report says of the deadline and the acks."""

import os
import subprocess
import time
from pathlib import Path

import msgspec

from deploy.laptop.paths import ROOT
from deploy.laptop.stack import MANAGE
from tests.stack import House
from voting.rehearsal.report import Report

JOINS_A_SECOND = 500
WINDOW_S = 5
LONGEST_S = 240


def rehearse(house: House, phones: int, turns: int, home: Path) -> tuple[Report, float]:
    """Its report, and how much of a core the crowd itself took: near 1 its waits are its own."""
    choices = {"window_s": WINDOW_S, "reveal_s": 1, "lobby": "open", "next_match_after_s": 3}
    event = house.ask("event", owner="otto", **choices)
    house.ask("begin", event_id=event["id"])
    report = home / "rehearsal.json"
    argv = [*MANAGE, "rehearse", event["code"], "--url", house.http, "--phones", str(phones)]
    limits = ["--turns", str(turns), "--joins", str(JOINS_A_SECOND), "--json", str(report)]
    began = time.perf_counter()
    with (home / "rehearsal.log").open("w") as log:
        subprocess.run(
            [*argv, *limits],
            cwd=ROOT,
            env={**os.environ, **house.stack.env},
            stdout=log,
            check=True,
            timeout=LONGEST_S,
        )
    told = msgspec.json.decode(report.read_bytes(), type=Report)
    return told, told.cpu_s / (time.perf_counter() - began)
