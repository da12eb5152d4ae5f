"""Concurrent operations on an event: each takes effect once, and leaves no gap in `seq`.

SQLite serializes writers; on PostgreSQL these transactions interleave. `test_postgres.py` runs this file on
PostgreSQL. `at_once` accepts only MatchError and LockError: a deadlock, a violated constraint or a timeout
fails the test.
"""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from random import Random
from typing import TypeVar

import pytest
from django.db import connection, connections
from redis.exceptions import LockError

from tests.voting.action_helpers import press
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import NINE_MINUTES_MS, kinds, only_turn, open_now, play, run_out, start, vote
from voting import protocol
from voting.announcements.outbox import announce_edit, relay
from voting.ballot_box.archive import load_stored_ballots, store_ballots
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import Ballot
from voting.matches import MatchError, claim_turn, event_lock
from voting.models import Announcement, Event, Match, TallyRecord, Turn, TurnState
from voting.terms import MatchState
from voting.turns import closing
from voting.turns.closing import close_together, close_turn
from voting.turns.turns import load_turn

pytestmark = pytest.mark.django_db(transaction=True)
T = TypeVar("T")
MANY = 8
ROUNDS = 6
ACTIONS = [
    *(f"turn.{action}" for action in ("pause", "resume", "extend", "close", "void")),
    *("match.abort", "match.start", "joining.lock", "joining.unlock"),
]


def test_database_is_postgresql() -> None:
    assert connection.vendor == "postgresql"


def assert_consistent(event_id: int) -> None:
    """Announcements have no gap and carry the state they led to; nothing exists twice."""
    rows = Announcement.objects.filter(event_id=event_id).order_by("seq")
    messages = [json.loads(bytes(row.body)) for row in rows]
    assert [one["seq"] for one in messages] == list(range(1, len(messages) + 1))
    assert Event.objects.get(pk=event_id).seq == len(messages)
    assert all(one["state"]["match"] is not None for one in messages if one["type"] != "event.edited")
    playing = Match.objects.filter(event_id=event_id, state=MatchState.PLAYING)
    assert playing.count() <= 1
    for match in playing:
        assert match.turns.filter(state__in=[TurnState.OPEN, TurnState.PAUSED]).count() == 1
    numbers = Match.objects.filter(event_id=event_id).order_by("pk").values_list("number", flat=True)
    assert list(numbers) == list(range(1, len(numbers) + 1))
    resolved = Turn.objects.filter(match__event_id=event_id, tallies__isnull=False).distinct().count()
    assert TallyRecord.objects.filter(turn__match__event_id=event_id).count() == 2 * resolved
    assert kinds(event_id).count("turn.revealed") == resolved


@pytest.fixture(autouse=True)
def short_leases(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leases that end at once, so that several processes close the same turn."""
    monkeypatch.setattr("voting.ballot_box.closing_lease.LEASE_MS", 1)


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_concurrent_random_actions_keep_event_consistent(seed: int, box: BallotBox) -> None:
    """All actions lock rows of event, match and turns in one order; otherwise they deadlock."""
    turn = start(box)
    event_id = turn.match.event_id
    play(turn.match, box, [(1, 2), (3, 4)])

    threads = count()

    def act_randomly(own: BallotBox) -> None:
        lot = Random(f"{seed} {next(threads)}")
        for _ in range(12):
            _act_once(lot, event_id, own)

    at_once(MANY, act_randomly)
    assert_consistent(event_id)


def _act_once(lot: Random, event_id: int, own: BallotBox) -> None:
    with suppress(MatchError, LockError):
        match lot.randrange(5):
            case 0:
                relay()
            case 1:
                announce_edit(event_id, own.now())
            case 2:
                for turn in Turn.objects.filter(match__event_id=event_id, state=TurnState.OPEN):
                    close_turn(turn.pk, own)
            case _:
                press(event_id, lot.choice(ACTIONS), own)


@pytest.mark.parametrize("attempt", range(ROUNDS))
def test_concurrent_voids_and_closes_keep_event_consistent(attempt: int, box: BallotBox) -> None:
    """A void writes the live turn, then the previous one; a close writes the match, then its turn."""
    turn = start(box)
    event_id = turn.match.event_id
    play(turn.match, box, [(1, 2), (3, 4)])
    live = only_turn(turn.match)
    run_out(live, box)
    acts: list[Callable[[BallotBox], None]] = [
        lambda own: close_turn(live.pk, own),
        lambda own: press(event_id, "turn.void", own),
    ] * (MANY // 2)
    at_once(MANY, lambda own: acts.pop()(own))  # noqa: PLW0108  each thread pops its own
    assert_consistent(event_id)


def test_store_ballots_in_any_order_does_not_deadlock(box: BallotBox) -> None:
    turn = start(box)

    threads = count()

    def store(own: BallotBox) -> None:
        lot = Random(next(threads))
        for sequence in range(1, 11):
            ballots = [Ballot(f"v{number}", "red", sequence, sequence) for number in range(60)]
            lot.shuffle(ballots)
            store_ballots(turn.pk, ballots, own.now())

    at_once(MANY, store)
    held = load_stored_ballots(turn)
    assert len(held) == 60
    assert {(ballot.sequence, ballot.choice) for ballot in held} == {(10, 10)}


def with_own_box(call: Callable[[BallotBox], T]) -> T:
    own = BallotBox()
    try:
        return call(own)
    finally:
        own.close()
        connections.close_all()


def test_no_seal_is_published_while_its_turn_changes(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Closing in a set skips the locked event; closing alone waits for the change."""
    published: list[protocol.TurnSealed] = []
    monkeypatch.setattr(closing, "publish_seals", lambda seals: published.extend(seals.values()))
    turn, other = start(box), start(box)
    open_now(turn, box)
    vote(turn, box, red=[3], yellow=[4])
    run_out(turn, box)
    run_out(other, box)
    with ThreadPoolExecutor() as threads, event_lock(turn.match.event_id):
        set_of_two = [turn.pk, other.pk]
        in_set = threads.submit(with_own_box, lambda own: close_together(set_of_two, own))
        assert in_set.result(10) == [turn.pk]
        assert [seal.turn for seal in published] == [other.pk]
        assert claim_turn(load_turn(turn.pk), closes_at=box.now() + NINE_MINUTES_MS)
        alone = threads.submit(with_own_box, lambda own: close_turn(turn.pk, own))
        with pytest.raises(TimeoutError):
            alone.result(1)
    alone.result(10)
    assert ([seal.turn for seal in published], load_turn(turn.pk).seals) == ([other.pk], None)
