"""A short chaos campaign, and one per mutant; `make chaos` runs long ones on any server."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from crowdgame.server.laptop.stack import SERVERS
from tests.chaos.campaign import Campaign, Size
from tests.chaos.faults import catalog
from tests.chaos.mutants import NAMES
from tests.chaos.target import TargetOptions, running_target

pytestmark = pytest.mark.nightly

SHORT = ("worker killed", "Valkey killed", "closing process killed in the transaction after all writes")
LONGER = (
    *("scheduler killed", "gateway killed", "closing process killed after the seal"),
    *("closing process stalls", "turn extended while it closes"),
)
# Turns are prepared before their deadline, unless all events close together.
LARGE = {False: 5, True: 0}
SIZE = Size(events=4, phones=60, turns=1_000, seconds=300, rounds=1)
EXPOSED_BY = {"no-compare-and-set": "turn extended while it closes", "no-seal": "closing process stalls"}


def play(home: Path, options: TargetOptions, names: tuple[str, ...], size: Size) -> Campaign:
    known = catalog()
    with running_target(home, options) as target:
        campaign = Campaign(target, size, [known[name] for name in names], Random(4), print)
        campaign.play()
        campaign.audit.journal.refresh()
    return campaign


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((SHORT, False), id="short, prepared"),
        pytest.param((LONGER, True), id="longer, together"),
    ],
)
def short_campaign(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Campaign:
    names, together = request.param
    size = replace(SIZE, together=together)
    return play(
        tmp_path_factory.mktemp("chaos"), TargetOptions(SERVERS[0], large_turn=LARGE[together]), names, size
    )


def test_chaos_faults_affect_turns(short_campaign: Campaign) -> None:
    injected = {one.fault for one in short_campaign.injected if one.turns}
    assert short_campaign.not_applicable == {}
    assert len(injected) >= len(short_campaign.faults) - 1


def test_chaos_loses_no_ballot_and_corrupts_no_turn(short_campaign: Campaign) -> None:
    assert short_campaign.findings == []
    assert (
        short_campaign.audit.acknowledged(short_campaign.monitor.turns)
        > SIZE.phones * len(short_campaign.faults) / 2
    )


def test_chaos_phones_recover_after_each_fault(short_campaign: Campaign) -> None:
    assert [one.fault for one in short_campaign.injected if one.recovered_at is None] == []
    assert short_campaign.journal.unexpected == 0


def test_chaos_resolves_all_turns_but_the_current(short_campaign: Campaign) -> None:
    left = set(short_campaign.monitor.turns) - short_campaign.monitor.over()
    assert len(left) <= SIZE.events


@pytest.mark.parametrize("mutant", [name for name in NAMES if name])
def test_chaos_detects_mutant(mutant: str, tmp_path: Path) -> None:
    few = Size(events=3, phones=60, turns=1_000, seconds=120, rounds=3)
    campaign = play(tmp_path, TargetOptions(mutant=mutant), (EXPOSED_BY[mutant],), few)
    assert {finding.kind for finding in campaign.findings} & {"lost", "wrong"}
