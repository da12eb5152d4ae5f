"""A short chaos campaign, and one per mutant; `make chaos` runs long ones on any server."""

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.chaos.campaign import Campaign, Size
from tests.chaos.faults import catalog
from tests.chaos.faulty import NAMES
from tests.chaos.target import running_target

pytestmark = pytest.mark.nightly
SHORT = ("worker killed", "Valkey killed", "closing process killed in the transaction after all writes")
LONGER = (
    *("scheduler killed", "gateway killed", "closing process killed after the seal"),
    *("closing process stalls", "turn extended while it closes"),
)
SIZE = Size(events=4, phones=60, turns=1_000, seconds=300, rounds=1)
EXPOSED_BY = {"no-compare-and-set": "turn extended while it closes", "no-seal": "closing process stalls"}
EXPOSED_BY |= {"second-seal": "worker killed"}


def play(home: Path, names: tuple[str, ...], size: Size, **options: Any) -> Campaign:
    known = catalog()
    with running_target(home, **options) as target:
        campaign = Campaign(target, size, [known[name] for name in names], Random(4))
        campaign.play()
        campaign.audit.journal.refresh()
    return campaign


@pytest.mark.parametrize(
    ("names", "together"), [(SHORT, False), (LONGER, True)], ids=["prepared", "together"]
)
def test_chaos_loses_no_ballot_and_no_phone(names: tuple[str, ...], together: bool, tmp_path: Path) -> None:
    # Turns are prepared before their deadline, unless all events close together.
    large_turn = 0 if together else 5
    campaign = play(tmp_path, names, replace(SIZE, together=together), large_turn=large_turn)
    assert (campaign.findings, campaign.not_applicable, campaign.journal.unexpected) == ([], {}, 0)
    assert len({one.fault for one in campaign.injected if one.turns}) >= len(names) - 1
    assert [one.fault for one in campaign.injected if one.recovered_at is None] == []
    assert campaign.audit.acknowledged(campaign.monitor.turns) > SIZE.phones * len(names) / 2
    assert len(set(campaign.monitor.turns) - campaign.monitor.over()) <= SIZE.events


@pytest.mark.parametrize("mutant", [name for name in NAMES if name])
def test_chaos_detects_mutant(mutant: str, tmp_path: Path) -> None:
    few = Size(events=3, phones=60, turns=1_000, seconds=120, rounds=3)
    campaign = play(tmp_path, (EXPOSED_BY[mutant],), few, mutant=mutant)
    assert {finding.kind for finding in campaign.findings} & {"lost", "wrong"}
