"""An evening that is lost in the middle, and goes on from a backup with the crowd that was there before."""

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deploy.laptop import startup
from deploy.laptop.paths import ROOT
from deploy.laptop.stack import MANAGE, Stack
from tests.deploy.processes import wait_until
from tests.faces import faces_of
from tests.ledger import (
    assert_counts_are_of_sealed_ballots,
    assert_nothing_is_lost,
    resolved_turns,
    sealed_ballots,
)
from tests.nights import (
    ENOUGH,
    PATIENCE_S,
    PHONES,
    ballots_in_the_box,
    crowd,
    leave,
    resolve_another,
    turn_with_ballots,
)
from tests.stack import House, organizer, running_house
from voting.rehearsal.report import Report

CALM = {"window_s": 8, "reveal_s": 1, "lobby": "open", "next_match_after_s": 3}
# Whatever was lost knows no number above this one.
HIGHEST_OF_OLD = 1_000_000
A_MINUTE_MS, SOON_MS = 60_000, 1_000


@dataclass
class Evening:
    """`turn` was open when the backup was made, `lost_turns` came after it, `epoch` is what `turn` had.

    `lost_blinds` are those of the ballots that `turn` was first resolved with, `lost_seed` its seed;
    `before` and `after` is what the crowd saw, `seq` and `shown` what a projector was told last before the
    end, and first after it.
    """

    house: House
    event: int
    turn: int
    epoch: int
    lost_turns: list[int]
    lost_blinds: set[str]
    lost_seed: str
    before: Report
    after: Report
    seq: int
    shown: dict[str, Any]


@contextmanager
def evening_begun_anew(
    data: Path, database_url: str, lose: Callable[[Stack], None], *options: str
) -> Iterator[Evening]:
    """`lose` is what happens to the data of the house, none of which runs any more."""
    with running_house(data, database_url=database_url) as house:
        made = house.ask("event", **CALM)
        event, code = made["id"], made["code"]
        with crowd(house, code, data, *seats(data)) as phones:
            house.ask("begin", event_id=event)
            resolve_another(house, event)
            turn = turn_with_ballots(house, event)
            ((epoch,),) = house.rows("SELECT epoch FROM games_turn WHERE id = ?", turn)
            house.ask("command", words=["backup", str(data / "evening.backup")])
            assert turn not in resolved_turns(house, event)
            wait_until(lambda: len([t for t in resolved_turns(house, event) if t > turn]) > 1, PATIENCE_S)
            for faces in faces_of(house):
                _, welcome = faces.display(code)
            before = leave(phones, data)
        lost = [t for t in resolved_turns(house, event) if t > turn]
        blinds = {ballot.blind for ballot in sealed_ballots(house, turn).values()}
        ((seed,),) = house.rows("SELECT seed FROM games_turn WHERE id = ?", turn)
        house.supervisor.kill()
    lose(house.stack)
    manage(house.stack, "restore", str(data / "evening.backup"), "--yes", *options)
    with organizer(house.stack) as asked, startup.running(house.stack) as supervisor:
        again = House(house.stack, supervisor, asked)
        again.ask("closing_in", event_id=event, ms=A_MINUTE_MS)  # a slow machine's crowd takes so long
        for faces in faces_of(again):
            _, anew = faces.display(code)
        with crowd(again, code, data, *seats(data)) as phones:
            wait_until(lambda: ballots_in_the_box(again, event, turn) >= ENOUGH, PATIENCE_S)
            again.ask("closing_in", event_id=event, ms=SOON_MS)
            wait_until(lambda: turn in resolved_turns(again, event), PATIENCE_S)
            for _ in range(2):
                resolve_another(again, event)
            after = leave(phones, data)
        resolve_another(again, event)
        yield Evening(again, event, turn, epoch, lost, blinds, seed, before, after, welcome["seq"], anew)


def seats(data: Path) -> tuple[str, str]:
    """The same crowd again, by the tokens it was given."""
    return "--seats", str(data / "seats")


def manage(stack: Stack, *words: str) -> str:
    env = {**os.environ, **stack.env}
    done = subprocess.run([*MANAGE, *words], cwd=ROOT, env=env, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def assert_it_goes_on_from_the_backup(evening: Evening) -> None:
    house, resolved = evening.house, resolved_turns(evening.house, evening.event)
    assert evening.lost_turns
    assert evening.turn in resolved
    assert not set(evening.lost_turns) & set(resolved)
    new = [turn for turn in resolved if turn > evening.turn]
    assert len(new) > 1
    assert min(new) > HIGHEST_OF_OLD
    assert_counts_are_of_sealed_ballots(house)


def assert_the_open_turn_was_voted_anew(evening: Evening) -> None:
    ((epoch, seed),) = evening.house.rows("SELECT epoch, seed FROM games_turn WHERE id = ?", evening.turn)
    assert epoch > evening.epoch
    assert seed != evening.lost_seed
    held = sealed_ballots(evening.house, evening.turn)
    assert evening.turn in evening.after.ledger
    assert len(held) >= ENOUGH
    assert evening.lost_blinds
    assert not evening.lost_blinds & {ballot.blind for ballot in held.values()}


def assert_every_ballot_acknowledged_since_counts(evening: Evening) -> None:
    assert_nothing_is_lost(evening.house, evening.after, resolved_turns(evening.house, evening.event))
    assert evening.after.ballots.acknowledged > PHONES


def assert_the_crowd_has_its_old_seats(evening: Evening) -> None:
    assert evening.after.joined == PHONES
    assert evening.after.voters == evening.before.voters
    assert (evening.after.unreadable, evening.after.away) == (0, {})


def assert_screens_of_before_take_what_they_are_told(evening: Evening) -> None:
    """They drop what is not newer than what they know."""
    assert evening.shown["seq"] > evening.seq
    shown = evening.shown["state"]["match"]
    assert (shown["state"], shown["turn"]["id"]) == ("playing", evening.turn)
    assert shown["turn"]["epoch"] > evening.epoch
