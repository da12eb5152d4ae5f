"""Two evenings whose hidden ballots are swapped between the teams look the same from outside."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.faces import faces_of
from tests.stack import House
from tests.watching.watcher import figures, records, watched_house

TIMED = re.compile(r"_(seconds(_sum|_bucket|_created)?|created)$")
UNSTEADY = {"crowdgame_loop_lag_seconds_count", "crowdgame_broadcast_seconds_count"}
LOGS = ("gateway-1", "gateway-2", "worker", "clock")
LOW, HIGH = [1, 1, 2], [7, 7, 6]


@dataclass(frozen=True)
class Outside:
    """What a watcher sees while a window is open: figures and logs but for times."""

    figures: dict[str, float]
    logs: dict[str, list[dict[str, Any]]]


def watch_window(data: Path, ballots: dict[int, list[int]]) -> Outside:
    """An evening up to where the window is open and all ballots are counted."""
    with watched_house(data) as house:
        made = house.ask("event", window_s=600, lobby="open", team_choice="choose")
        house.ask("begin", event_id=made["id"])
        house.ask("open_at_once", event_id=made["id"])
        _vote(house, made["code"], ballots)
        return Outside(_steady_figures(house), {name: _steady_log(house, name) for name in LOGS})


def _vote(house: House, code: str, ballots: dict[int, list[int]]) -> None:
    for faces in faces_of(house):
        for team, columns in ballots.items():
            for column in columns:
                phone, welcome = faces.phone(code, team=team)
                turn = welcome["state"]["match"]["turn"]
                phone.say("ballot.cast", turn=turn["id"], column=column, sequence=1, epoch=turn["epoch"])
                phone.hear("ballot.counted")


def _steady_figures(house: House) -> dict[str, float]:
    told: dict[str, float] = {}
    for sample in figures(house):
        if sample.name.startswith("process_") or TIMED.search(sample.name) or sample.name in UNSTEADY:
            continue
        labels = {name: value for name, value in sample.labels.items() if name != "pid"}
        key = f"{sample.name} {sorted(labels.items())}"
        told[key] = told.get(key, 0) + sample.value
    return {key: value for key, value in told.items() if not key.startswith("crowdgame_connections")}


def _steady_log(house: House, name: str) -> list[dict[str, Any]]:
    return [record | {"time": ""} for record in records(house, name)]


@pytest.fixture(scope="module")
def evenings(tmp_path_factory: pytest.TempPathFactory) -> tuple[Outside, Outside]:
    one = watch_window(tmp_path_factory.mktemp("one"), {1: LOW, 2: HIGH})
    other = watch_window(tmp_path_factory.mktemp("other"), {1: HIGH, 2: LOW})
    return one, other


def test_swapped_ballots_leave_every_figure_as_it_was(evenings: tuple[Outside, Outside]) -> None:
    one, other = evenings
    assert one.figures == other.figures
    assert one.figures["crowdgame_ballots_total [('outcome', 'counted')]"] == len(LOW) + len(HIGH)


def test_swapped_ballots_leave_every_log_as_it_was(evenings: tuple[Outside, Outside]) -> None:
    one, other = evenings
    assert one.logs == other.logs
    assert [record["message"] for record in one.logs["gateway-1"]] == ["gateway up"]
