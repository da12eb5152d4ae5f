"""An evening that is lost in the middle, and goes on from a backup with the crowd that was there before."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from crowdgame.rehearsal.report import Report
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
    crowd,
    leave,
    live_turn,
    turn_with_ballots,
)
from tests.stack import House, organizer, running_house

BACKUP = "evening.backup"
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
    seen: Report
    seq: int

    def copied(self, data: Path, database_url: str) -> "Lost":
        """The same end with a disk of its own, and a database that is a copy."""
        shutil.copytree(self.stack.data, data)
        return replace(self, stack=replace(self.stack, data=data, database_url=database_url))


@dataclass(frozen=True)
class Evening:
    """`seen` is what the crowd saw after the restoration, `shown` what a projector was told first."""

    lost: Lost
    house: House
    seen: Report
    shown: dict[str, Any]

    @property
    def resolved(self) -> list[int]:
        return resolved_turns(self.house, self.lost.event)


def evening_lost(data: Path, database_url: str) -> Lost:
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
def evening_begun_anew(lost: Lost, *options: str) -> Iterator[Evening]:
    """Restored with these `options`, it goes on with the crowd that was there before."""
    stack, event, data = lost.stack, lost.event, lost.stack.data
    manage(stack, "restore", str(data / BACKUP), "--yes", *options)
    with organizer(stack) as asked, startup.running(stack) as supervisor:
        house = House(stack, supervisor, asked)
        house.ask("closing_in", event_id=event, ms=A_MINUTE_MS)  # a slow machine's crowd takes so long
        for faces in faces_of(house):
            _, shown = faces.display(lost.code)
        with crowd(house, lost.code, data, *seats(data)) as phones:
            for _ in range(3):
                hurry(house, event)
            seen = leave(phones, data)
        hurry(house, event)
        yield Evening(lost, house, seen, shown)


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
    """What holds on every database. A test file has a class of this kind, and a fixture `evening`."""

    def test_the_match_goes_on_from_the_backup(self, evening: Evening) -> None:
        lost, resolved = evening.lost, evening.resolved
        assert len(lost.turns) > 1
        assert lost.turn in resolved
        assert not set(lost.turns) & set(resolved)
        new = [turn for turn in resolved if turn > lost.turn]
        assert len(new) > 1
        assert min(new) > HIGHEST_OF_OLD
        assert_counts_are_of_sealed_ballots(evening.house)

    def test_the_turn_that_was_open_is_voted_anew_by_another_lot(self, evening: Evening) -> None:
        lost, told = evening.lost, "SELECT epoch, seed FROM games_turn WHERE id = ?"
        ((epoch, seed),) = evening.house.rows(told, lost.turn)
        assert epoch > lost.epoch
        assert seed != lost.seed
        held = sealed_ballots(evening.house, lost.turn)
        assert lost.turn in evening.seen.ledger
        assert len(held) >= ENOUGH
        assert lost.blinds
        assert not lost.blinds & {ballot.blind for ballot in held.values()}

    def test_every_ballot_acknowledged_since_counts(self, evening: Evening) -> None:
        assert_nothing_is_lost(evening.house, evening.seen, evening.resolved)
        assert evening.seen.ballots.acknowledged > PHONES

    def test_the_crowd_comes_back_to_its_old_seats(self, evening: Evening) -> None:
        assert evening.seen.joined == PHONES
        assert evening.seen.voters == evening.lost.seen.voters
        assert (evening.seen.unreadable, evening.seen.away) == (0, {})

    def test_screens_that_were_there_before_take_what_they_are_told(self, evening: Evening) -> None:
        """They drop what is not newer than what they know."""
        assert evening.shown["seq"] > evening.lost.seq
        shown = evening.shown["state"]["match"]
        assert (shown["state"], shown["turn"]["id"]) == ("playing", evening.lost.turn)
        assert shown["turn"]["epoch"] > evening.lost.epoch
