"""Lose a running event, restore it from a backup, and continue with the same simulated crowd."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from crowdgame.rehearsal.rehearsal_report import RehearsalReport
from crowdgame.server.laptop import startup
from crowdgame.server.laptop.stack import Stack
from tests import crowd_helpers as crowds
from tests.deploy.processes import wait_until
from tests.server import Server, organizer, running_server
from tests.socket_clients import open_clients

BACKUP = "event.backup"
# A restored turn stays open for this long, also on a slow machine.
CALM = {"window_s": 8, "pace": "instant", "lobby": "open", "next_match_after_s": 3}
# All ids of lost turns are below this number.
MAX_OLD_ID = 1_000_000
MINUTE_MS, SOON_MS = 60_000, 2_000


@dataclass(frozen=True)
class Lost:
    """A stack that was killed during an event.

    `turn` was open when the backup was made, with this `epoch`; `turns` followed it. `blinds` and `seed` are
    those with which `turn` was first resolved. `seen` is the crowd's report, `seq` the sequence number that a
    projector received last.
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
        """The same lost stack with a copy of its data and this database."""
        shutil.copytree(self.stack.data, data)
        return replace(self, stack=replace(self.stack, data=data, database_url=database_url))


@dataclass(frozen=True)
class RestoredEvent:
    """`seen`: the crowd's report after the restore. `shown`: the first message to a projector."""

    lost: Lost
    server: Server
    seen: RehearsalReport
    shown: dict[str, Any]

    @property
    def resolved(self) -> list[int]:
        return crowds.resolved_turns(self.server, self.lost.event)


def lose_event(data: Path, database_url: str) -> Lost:
    with running_server(data, database_url=database_url) as server:
        made = server.ask("event", **CALM)
        event, code = made["id"], made["code"]
        with crowds.crowd(server, code, data, "--seats", str(data / "seats")) as phones:
            server.ask("begin", event_id=event)
            close_turn_soon(server, event)
            turn = crowds.turn_with_ballots(server, event)
            ((epoch,),) = server.rows("SELECT epoch FROM games_turn WHERE id = ?", turn)
            server.ask("command", words=["backup", str(data / BACKUP)])
            assert turn not in crowds.resolved_turns(server, event)
            for _ in range(3):
                close_turn_soon(server, event)
            with open_clients(server) as clients:
                _, welcome = clients.display(code)
            seen = crowds.leave(phones)
        lost = [t for t in crowds.resolved_turns(server, event) if t > turn]
        blinds = {ballot.blind for ballot in crowds.sealed_ballots(server, turn).values()}
        ((seed,),) = server.rows("SELECT seed FROM games_turn WHERE id = ?", turn)
        server.supervisor.kill()
    return Lost(server.stack, event, code, turn, epoch, lost, blinds, seed, seen, welcome["seq"])


@contextmanager
def restored_event(lost: Lost, *options: str) -> Iterator[RestoredEvent]:
    """Restore with these `options` and continue with the same crowd."""
    stack, event, data = lost.stack, lost.event, lost.stack.data
    startup.manage(stack, "restore the backup", "restore", str(data / BACKUP), "--yes", *options)
    with organizer(stack) as asked, startup.running_stack(stack) as supervisor:
        server = Server(stack, supervisor, asked)
        server.ask("close_after", event_id=event, ms=MINUTE_MS)  # for the crowd on a slow machine
        with open_clients(server) as clients:
            _, shown = clients.display(lost.code)
        with crowds.crowd(server, lost.code, data, "--seats", str(data / "seats")) as phones:
            for _ in range(3):
                close_turn_soon(server, event)
            seen = crowds.leave(phones)
        close_turn_soon(server, event)
        yield RestoredEvent(lost, server, seen, shown)


def close_turn_soon(server: Server, event: int) -> None:
    """Close the current or next turn soon, so that all phones vote now; wait until it is resolved."""
    wait_until(lambda: crowds.live_turn(server, event), crowds.TIMEOUT_S)
    turn = server.ask("close_after", event_id=event, ms=SOON_MS)
    wait_until(lambda: turn in crowds.resolved_turns(server, event), crowds.TIMEOUT_S)


class RestoreTests:
    """Checks for every database. A test file subclasses it and provides a fixture `restored`."""

    def test_restore_reopens_the_turn_with_new_epoch_and_seed(self, restored: RestoredEvent) -> None:
        lost, resolved = restored.lost, restored.resolved
        assert len(lost.turns) > 1
        assert lost.turn in resolved
        assert not set(lost.turns) & set(resolved)
        new = [turn for turn in resolved if turn > lost.turn]
        assert len(new) > 1
        assert min(new) > MAX_OLD_ID
        crowds.assert_counts_are_of_sealed_ballots(restored.server)
        ((epoch, seed),) = restored.server.rows("SELECT epoch, seed FROM games_turn WHERE id = ?", lost.turn)
        assert epoch > lost.epoch
        assert seed != lost.seed
        assert lost.turn in restored.seen.ledger
        held = crowds.sealed_ballots(restored.server, lost.turn)
        assert len(held) >= crowds.ENOUGH
        assert lost.blinds
        assert not lost.blinds & {ballot.blind for ballot in held.values()}

    def test_restore_keeps_seats_and_counts_all_ballots_since(self, restored: RestoredEvent) -> None:
        crowds.assert_nothing_is_lost(restored.server, restored.seen, restored.resolved)
        assert restored.seen.ballots.acknowledged > crowds.PHONES
        assert restored.seen.joined == crowds.PHONES
        assert restored.seen.voters == restored.lost.seen.voters
        assert (restored.seen.unreadable, restored.seen.away) == (0, {})

    def test_restore_announces_newer_state_to_existing_screens(self, restored: RestoredEvent) -> None:
        """Screens ignore messages that are not newer than their state."""
        assert restored.shown["seq"] > restored.lost.seq
        shown = restored.shown["state"]["match"]
        assert (shown["state"], shown["turn"]["id"]) == ("playing", restored.lost.turn)
        assert shown["turn"]["epoch"] > restored.lost.epoch
