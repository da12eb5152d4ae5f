from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from games.engine.game import SIDES
from tests.voting import match_helpers as helpers
from tests.voting.box_helpers import cast, queued_tasks
from tests.voting.sample_matches import plain, with_blinds
from tests.voting.verifiers import verify
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import CastResult
from voting.ballot_box.sealed_lists import BATCH_BALLOTS
from voting.counting.ballots import Ballot
from voting.counting.commitments import hash_ballots, sort_ballots
from voting.matches import create_match
from voting.models import Turn, TurnState
from voting.turns import closing, prefetching
from voting.turns.closing import close_turn
from voting.turns.scheduler import DeadlineScheduler
from voting.turns.turns import load_turn, to_boxed_turn

LEFT_MS = 500
in_three_shards = pytest.mark.parametrize("shards", [3], indirect=True)


@pytest.fixture(autouse=True)
def every_turn_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefetching, "LARGE_TURN", 1)


def voting_turn(box: BallotBox, **terms: Any) -> Turn:
    turn = helpers.start(box, **terms)
    helpers.set_window(turn, box, -1_000, LEFT_MS)
    crowd = helpers.ballots("red", [3, 4]) + helpers.ballots("yellow", [5])
    box.cast(to_boxed_turn(turn), with_blinds(crowd))
    return turn


def test_larger_turns_are_enqueued_earlier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prefetching, "LARGE_TURN", 2_000)
    early_ms = [prefetching.enqueue_early_ms(count) for count in (0, 1_999, 2_000, 50_000, 10**6)]
    assert early_ms == [100, 100, 120, 600, prefetching.MAX_EARLY_MS]


def test_preparation_catches_up_when_the_turn_changes(
    box: BallotBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn = voting_turn(box)
    helpers.set_window(turn, box, -1_000, 9_000)
    closes_at = turn.closes_at

    def while_preparing(turn_id: int, cast: Iterable[Ballot]) -> dict[int, bytes]:
        hashed = hash_ballots(turn_id, cast)
        if len(hashed) == 3:
            box.cast(to_boxed_turn(turn), with_blinds([Ballot("red1", "red", 6, 2)]))
            helpers.set_window(turn, box, -1_000, 0)
        return hashed

    monkeypatch.setattr(prefetching, "hash_ballots", while_preparing)
    prefetched, leaves, _ = prefetching.prepare_ballots(load_turn(turn.pk), box)
    assert box.now() < closes_at - prefetching.ENQUEUE_EARLY_MS
    assert {one.voter: one.choice for one in prefetched.ballots} == {"red1": 6, "red2": 4, "yellow1": 5}
    assert all(id(one) in leaves for one in prefetched.ballots)


def test_ballots_cast_late_count(box: BallotBox, shards: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new one and a revote: the records and roots are those of a count without preparation."""
    turn, prepared = voting_turn(box), list[prefetching.PreparedBallots]()
    before = helpers.kinds(turn.match.event_id)

    def prepare_then_cast(turn: Turn, box: BallotBox) -> prefetching.PreparedBallots:
        prepared.append(prefetching.prepare_ballots(turn, box))
        assert turn.closes_at - prefetching.ENQUEUE_EARLY_MS <= box.now() < turn.closes_at
        assert (load_turn(turn.pk).state, helpers.kinds(turn.match.event_id)) == (TurnState.OPEN, before)
        late = [Ballot("red1", "red", 6, 2), Ballot("new", "yellow", 2, 1)]
        box.cast(to_boxed_turn(turn), with_blinds(late))
        helpers.run_out(load_turn(turn.pk), box)  # it moves the window of the prepared turn
        return prepared[-1]

    monkeypatch.setattr(closing, "prepare_ballots", prepare_then_cast)
    close_turn(turn.pk, box)
    assert [len(one.leaves) for one in prepared] == [3]
    expected = {"red": [("red2", 4), ("red1", 6)], "yellow": [("yellow1", 5), ("new", 2)]}
    arrivals = {side: [ballot.arrival for ballot in helpers.arrived_ballots(turn, side)] for side in SIDES}
    assert shards > 1 or arrivals == {"red": [2, 4], "yellow": [3, 5]}
    for side in SIDES:
        counted = helpers.arrived_ballots(turn, side)
        assert [(ballot.voter, ballot.choice) for ballot in counted] == expected[side]
        assert helpers.tally_of(turn, side).root == sort_ballots(turn.pk, side, counted).commitment.root


@pytest.mark.parametrize(
    ("left_ms", "large_turn", "terms"),
    [
        (-1, 1, {}),
        (prefetching.ENQUEUE_EARLY_MS, 1, {}),
        (prefetching.MAX_EARLY_MS + 1_000, 1, {}),
        (LEFT_MS, 4, {}),
        (LEFT_MS, 1, {"bank_s": 60}),
        (LEFT_MS, 1, {"max_side_changes": 3}),
    ],
)
def test_nothing_is_prepared_at_other_times_or_for_small_or_special_turns(
    left_ms: int, large_turn: int, terms: dict[str, int], box: BallotBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prefetching, "LARGE_TURN", large_turn)
    turn = voting_turn(box, **terms)
    helpers.set_window(turn, box, -1_000, left_ms)
    assert prefetching.prepare_ballots(turn, box) == prefetching.PreparedBallots()


def test_large_turn_comes_early_if_it_is_prepared(
    box: BallotBox, valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("BALLOTS_PER_MS", 0.0005), ("LARGE_TURN", 3), ("MAX_EARLY_MS", 6_100)):
        monkeypatch.setattr(prefetching, name, value)
    monkeypatch.setattr("voting.turns.scheduler.LOOKAHEAD_MS", 60_000)
    large = voting_turn(box)
    timed, secret = voting_turn(box, bank_s=60), voting_turn(box, max_side_changes=3)
    for turn in (large, timed, secret, helpers.start(box)):
        helpers.set_window(turn, box, -1_000, 6_000)
    deadlines = DeadlineScheduler(box)
    deadlines.run_once()  # it learns the number of ballots after the deadlines
    assert queued_tasks(valkey_url) == []
    deadlines.run_once()
    monkeypatch.setattr("voting.turns.scheduler.WORKER_TIMEOUT_MS", 0)
    deadlines.run_once()
    assert load_turn(large.pk).state == TurnState.OPEN, "others wait for this process"
    assert [turn_id for turn_id, _ in deadlines.dispatched] == [large.pk]
    assert len(queued_tasks(valkey_url)) == 1


@in_three_shards
@pytest.mark.parametrize(
    ("terms", "count"),
    [
        ({}, 3),
        ({"game": helpers.CLASSIC, "host_wait_s": 60, "peek": True}, 3),
        ({"bank_s": 60}, 1),
        ({"fixed_players": True}, 1),
        ({"max_side_changes": 1}, 1),
        ({"game": helpers.SELECTOR}, 1),
    ],
)
def test_matches_that_have_shards(terms: dict[str, Any], count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert create_match(helpers.new_event(**terms), now=5).shards == count
    monkeypatch.setattr(settings, "MAX_SHARDS", 2)
    limited = create_match(helpers.new_event(**terms), now=5)
    assert limited.shards == min(count, 2), "the installation limits them"


@in_three_shards
def test_turn_in_shards_has_the_roots_and_record_of_one_box(box: BallotBox, tmp_path: Path) -> None:
    """Also after a crash between the seals of two shards, and if it is extended then."""
    turn = helpers.start_open(box)
    red, yellow = helpers.ballots("red", [3] * 8 + [4] * 4), helpers.ballots("yellow", [6] * 5 + [1] * 9)
    crowd = with_blinds(red + yellow)
    assert cast(to_boxed_turn(turn), *crowd) == [CastResult.OK] * len(crowd)
    assert len(to_boxed_turn(turn).split(crowd)) == 3, "phones of all shards"
    helpers.run_out(turn, box)
    first, *_ = to_boxed_turn(load_turn(turn.pk)).parts
    box._seal(keys=first.keys, args=(*first.window, "", BATCH_BALLOTS))  # the process died after this seal
    helpers.set_window(turn, box, -2_000, 60_000)
    last = Ballot("latecomer", "red", 4, 1, blind="ab" * 16)
    answers = cast(to_boxed_turn(load_turn(turn.pk)), *crowd, last)
    assert answers == [CastResult.DUPLICATE] * len(crowd) + [CastResult.OK]
    after = helpers.play_out(turn, box)
    assert (after.state, after.red_pick, after.yellow_pick) == (TurnState.RESOLVED, 3, 1)
    for side in SIDES:
        own = [ballot for ballot in (*crowd, last) if ballot.side == side]
        record = helpers.tally_of(turn, side)
        assert (record.ballots, record.root) == (len(own), sort_ballots(turn.pk, side, own).commitment.root)
    verify(plain(turn.match), tmp_path)
