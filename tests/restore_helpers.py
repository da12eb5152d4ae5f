"""An evening that is lost in the middle, and goes on from a backup with the crowd that was there before."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from deploy.laptop import startup
from deploy.laptop.paths import ROOT
from deploy.laptop.stack import MANAGE, Stack
from tests.crowd_helpers import ENOUGH, PATIENCE_S, PHONES, crowd, leave, live_turn, turn_with_ballots
from tests.deploy.processes import wait_until
from tests.faces import faces_of
from tests.ledger import (
    assert_counts_are_of_sealed_ballots,
    assert_nothing_is_lost,
    resolved_turns,
    sealed_ballots,
)
from tests.stack import House, organizer, running_house

BACKUP = "event.backup"
# After a turn is given back it is open for so long, however slow the machine.
CALM = {"window_s": 8, "reveal_s": 1, "lobby": "open", "next_match_after_s": 3}
# Whatever was lost knows no number above this one.
HIGHEST_OF_OLD = 1_000_000
A_MINUTE_MS, SOON_MS = 60_000, 2_000


@dataclass(frozen=True)
class Lost:
    """An evening that came to its end in the middle: none of its processes runs any more.

    `turn` was open when the backup was made, `turns` came after it, `epoch` is what `turn` had. `blinds` are
    those of the ballots that `turn` was first resolved with, `seed` its seed; `seen` is what the crowd saw,
    `seq` what a projector was told last.
    """

    stack: Stack
    event: int
    code: str
    turn: int
    epoch: int
    turns: list[int]
    blinds: set[str]
    seed: str
    seen: RehearsalReport
    seq: int

    def copied(self, data: Path, database_url: str) -> "Lost":
        """The same end with a disk of its own, and a database that is a copy."""
        shutil.copytree(self.stack.data, data)
        return replace(self, stack=replace(self.stack, data=data, database_url=database_url))


@dataclass(frozen=True)
class RestoredEvent:
    """`seen` is what the crowd saw after the restoration, `shown` what a projector was told first."""

    lost: Lost
    house: House
    seen: RehearsalReport
    shown: dict[str, Any]

    @property
    def resolved(self) -> list[int]:
        return resolved_turns(self.house, self.lost.event)


def lose_event(data: Path, database_url: str) -> Lost:
    with running_house(data, database_url=database_url) as house:
        made = house.ask("event", **CALM)
        event, code = made["id"], made["code"]
        with crowd(house, code, data, *seats(data)) as phones:
            house.ask("begin", event_id=event)
            hurry(house, event)
            turn = turn_with_ballots(house, event)
            ((epoch,),) = house.rows("SELECT epoch FROM games_turn WHERE id = ?", turn)
            house.ask("command", words=["backup", str(data / BACKUP)])
            assert turn not in resolved_turns(house, event)
            for _ in range(3):
                hurry(house, event)
            for faces in faces_of(house):
                _, welcome = faces.display(code)
            seen = leave(phones, data)
        lost = [t for t in resolved_turns(house, event) if t > turn]
        blinds = {ballot.blind for ballot in sealed_ballots(house, turn).values()}
        ((seed,),) = house.rows("SELECT seed FROM games_turn WHERE id = ?", turn)
        house.supervisor.kill()
    return Lost(house.stack, event, code, turn, epoch, lost, blinds, seed, seen, welcome["seq"])


@contextmanager
def restored_event(lost: Lost, *options: str) -> Iterator[RestoredEvent]:
    """Restored with these `options`, it goes on with the crowd that was there before."""
    stack, event, data = lost.stack, lost.event, lost.stack.data
    manage(stack, "restore", str(data / BACKUP), "--yes", *options)
    with organizer(stack) as asked, startup.running_stack(stack) as supervisor:
        house = House(stack, supervisor, asked)
        house.ask("closing_in", event_id=event, ms=A_MINUTE_MS)  # a slow machine's crowd takes so long
        for faces in faces_of(house):
            _, shown = faces.display(lost.code)
        with crowd(house, lost.code, data, *seats(data)) as phones:
            for _ in range(3):
                hurry(house, event)
            seen = leave(phones, data)
        hurry(house, event)
        yield RestoredEvent(lost, house, seen, shown)


def hurry(house: House, event: int) -> None:
    """Have the turn that is open, or opens next, resolved soon: phones that have not voted yet do so now."""
    wait_until(lambda: live_turn(house, event), PATIENCE_S)
    turn = house.ask("closing_in", event_id=event, ms=SOON_MS)
    wait_until(lambda: turn in resolved_turns(house, event), PATIENCE_S)


def seats(data: Path) -> tuple[str, str]:
    """The same crowd again, by the tokens it was given."""
    return "--seats", str(data / "seats")


def manage(stack: Stack, *words: str) -> str:
    env = {**os.environ, **stack.env}
    done = subprocess.run([*MANAGE, *words], cwd=ROOT, env=env, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


class GoesOn:
    """What holds on every database. A test file has a class of this kind, and a fixture `restored`."""

    def test_the_match_goes_on_from_the_backup(self, restored: RestoredEvent) -> None:
        lost, resolved = restored.lost, restored.resolved
        assert len(lost.turns) > 1
        assert lost.turn in resolved
        assert not set(lost.turns) & set(resolved)
        new = [turn for turn in resolved if turn > lost.turn]
        assert len(new) > 1
        assert min(new) > HIGHEST_OF_OLD
        assert_counts_are_of_sealed_ballots(restored.house)

    def test_the_turn_that_was_open_is_voted_anew_by_another_lot(self, restored: RestoredEvent) -> None:
        lost, query = restored.lost, "SELECT epoch, seed FROM games_turn WHERE id = ?"
        ((epoch, seed),) = restored.house.rows(query, lost.turn)
        assert epoch > lost.epoch
        assert seed != lost.seed
        held = sealed_ballots(restored.house, lost.turn)
        assert lost.turn in restored.seen.ledger
        assert len(held) >= ENOUGH
        assert lost.blinds
        assert not lost.blinds & {ballot.blind for ballot in held.values()}

    def test_every_ballot_acknowledged_since_counts(self, restored: RestoredEvent) -> None:
        assert_nothing_is_lost(restored.house, restored.seen, restored.resolved)
        assert restored.seen.ballots.acknowledged > PHONES

    def test_the_crowd_comes_back_to_its_old_seats(self, restored: RestoredEvent) -> None:
        assert restored.seen.joined == PHONES
        assert restored.seen.voters == restored.lost.seen.voters
        assert (restored.seen.unreadable, restored.seen.away) == (0, {})

    def test_screens_that_were_there_before_take_what_they_are_told(self, restored: RestoredEvent) -> None:
        """They drop what is not newer than what they know."""
        assert restored.shown["seq"] > restored.lost.seq
        shown = restored.shown["state"]["match"]
        assert (shown["state"], shown["turn"]["id"]) == ("playing", restored.lost.turn)
        assert shown["turn"]["epoch"] > restored.lost.epoch
