"""Turns that share a deadline are closed together, as if each were closed alone, and exactly once."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest
from django.core.management.color import no_style
from django.db import connection, transaction
from django.db.models import Model
from django.test.utils import CaptureQueriesContext

from games.engine.errors import GameError
from games.engine.game import SIDES
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import (
    RED_WINS,
    SELECTOR,
    ballots,
    kinds,
    only_turn,
    open_now,
    play,
    run_out,
    set_window,
    start,
    store,
    tally_of,
    vote,
)
from tests.voting.recovery_model import Crash
from tests.voting.sample_matches import with_blinds
from tests.voting.turns.conftest import DueTurn
from tests.voting.turns.test_turn_crashes import DyingBox, run_again
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxedTurn, Sealed, TooEarly
from voting.models import Announcement, Event, Match, TallyRecord, Turn, TurnState
from voting.models.event import SEED_BYTES
from voting.turns import set_closing
from voting.turns.closing import close_turn
from voting.turns.outcomes import decide_outcome
from voting.turns.set_closing import close_together
from voting.turns.tasks import close_turns
from voting.turns.turns import load_turn, to_boxed_turn

pytestmark = pytest.mark.django_db

TABLES: tuple[type[Model], ...] = (Event, Match, Turn, TallyRecord, Announcement)
TERMS: tuple[dict[str, Any], ...] = (
    {},
    {"tie_rule": "lot", "language": "de"},
    {"tie_rule": "captain"},
    {"tally_method": "lottery", "extra_s": 5},
    {"tally_method": "approval", "pace": "dramatic"},
    {"no_ballot_rule": "pass", "talk_s": 10, "best_of": 3},
    {"game": "captains-mistress", "resign": "half"},
    {"game": SELECTOR},
    {"bank_s": 600},
)


def rows() -> dict[str, list[dict[str, Any]]]:
    """Everything that the database holds about the matches."""
    return {
        table.__name__: [
            {name: value for name, value in row.items() if name not in {"made_at", "sent_at"}}
            for row in table._default_manager.order_by("pk").values()
        ]
        for table in TABLES
    }


@contextmanager
def undone() -> Iterator[None]:
    """Undo all writes to the database, the ids that they took included."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), TABLES):
            cursor.execute(statement)


def cast_at_random(turn: Turn, box: BallotBox, rng: Random) -> None:
    open_now(turn, box)
    cast = [ballots(side, rng.choices(range(1, 6), k=rng.randrange(4))) for side in SIDES]
    box.cast(to_boxed_turn(turn), with_blinds([*cast[0], *cast[1]]))


@pytest.mark.parametrize("seed", range(2))
def test_turns_closed_together_leave_the_same_rows(
    seed: int, box: BallotBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = Random(seed)
    monkeypatch.setattr("secrets.token_hex", lambda size: "5e" * size)
    monkeypatch.setattr("voting.matches.new_seed", lambda: "5e" * SEED_BYTES)
    next_seed: Any = Event._meta.get_field("next_seed")
    monkeypatch.setattr(next_seed, "default", "5e" * SEED_BYTES)
    monkeypatch.setitem(vars(next_seed), "_get_default", lambda: "5e" * SEED_BYTES)
    playing = [start(box, **terms).match for terms in rng.sample(TERMS * 2, len(TERMS))]
    ending = start(box).match
    play(ending, box, RED_WINS[:2])
    for picks in RED_WINS[2:]:
        turns = [only_turn(match) for match in playing]
        for turn in turns:
            cast_at_random(turn, box, rng)
        turns.append(only_turn(ending))
        open_now(turns[-1], box)
        vote(turns[-1], box, *([pick] for pick in picks))
        for turn in turns:
            run_out(turn, box)
        ids = [turn.pk for turn in turns]
        sealed = box.seal_all([to_boxed_turn(turn) for turn in turns])
        now = max(one.sealed_at for one in sealed.values()) + rng.randrange(50)
        with monkeypatch.context() as at_a_fixed_time:
            at_a_fixed_time.setattr(BallotBox, "now", lambda _, at=now: at)
            with undone():
                left = close_together(ids, box)
                for turn_id in left:
                    close_turn(turn_id, box)
                together = rows()
            assert 0 < len(left) < len(ids) / 2
            for turn_id in sorted(set(ids) - set(left)) + left:
                close_turn(turn_id, box)
        assert rows() == together
    assert Match.objects.get(pk=ending.pk).result == "red"


def test_closing_more_turns_makes_no_more_queries(box: BallotBox, due: DueTurn) -> None:
    counts = []
    for size in (2, 12):
        ids = [due(red=[3], yellow=[4]).pk for _ in range(size)]
        with CaptureQueriesContext(connection) as queries:
            assert close_together(ids, box) == []
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_turns_that_are_not_plain_are_left(box: BallotBox, due: DueTurn) -> None:
    plain = [due(red=[3]), due()]
    stored = due()
    store(stored, ballots("red", [2]))
    early, later = start(box), start(box)
    set_window(early, box, -1_000, 60_000)
    lost = due()
    box._redis.delete(*to_boxed_turn(lost).keys)
    ending = start(box)
    play(ending.match, box, RED_WINS[:3])
    last = only_turn(ending.match)
    open_now(last, box)
    vote(last, box, [1], [3])
    run_out(last, box)
    odd = [
        *(due(bank_s=600), due(game=SELECTOR), due(max_side_changes=1), due(window_s=601)),
        *(stored, early, later, lost, last),
    ]
    left = close_together([turn.pk for turn in (*odd, *plain)], box)
    assert left == [turn.pk for turn in odd]
    assert [load_turn(turn.pk).state for turn in plain] == [TurnState.RESOLVED] * 2
    assert {load_turn(turn.pk).state for turn in odd} == {TurnState.OPEN}
    assert close_together([turn.pk for turn in plain], box) == [turn.pk for turn in plain]
    assert [t.number for turn in plain for t in turn.match.turns.order_by("pk")] == [1, 2, 1, 2]


def test_turns_wait_for_their_deadline_and_open_the_next_box(box: BallotBox) -> None:
    turns = [start(box), start(box)]
    for turn in turns:
        set_window(turn, box, -1_000, 200)
    assert close_together([turn.pk for turn in turns], box) == []
    for turn in turns:
        after, following = load_turn(turn.pk), only_turn(turn.match)
        assert after.closes_at <= (after.sealed_at or 0) <= (after.resolved_at or 0)
        assert box.seal(to_boxed_turn(following)) == TooEarly(following.closes_at)
        assert kinds(turn.match.event_id)[-1] == "turn.revealed"
        assert not Announcement.objects.filter(sent_at=None).exists()
        assert box._redis.pttl(to_boxed_turn(turn).keys[0]) > 0


def test_a_leased_turn_is_left_to_the_process_that_holds_the_lease(box: BallotBox, due: DueTurn) -> None:
    leased, free = due(), due()
    assert box.closing_lease.take(leased.pk)
    assert close_together([leased.pk, free.pk], box) == [leased.pk]
    assert (load_turn(leased.pk).state, load_turn(free.pk).state) == (TurnState.OPEN, TurnState.RESOLVED)
    assert [box.closing_lease.is_held(turn.pk) for turn in (leased, free)] == [True, False]


class ChangedAfterSeal(BallotBox):
    """The ballot box of a process to which something happens right after it sealed a set."""

    def __init__(self, then: Callable[[], object]) -> None:
        super().__init__()
        self.then = then

    def seal_all(self, turns: Sequence[BoxedTurn]) -> dict[int, Sealed]:
        sealed = super().seal_all(turns)
        self.then()
        return sealed


def test_turn_extended_after_its_seal_is_not_closed_with_the_others(box: BallotBox, due: DueTurn) -> None:
    extended, other = due(red=[3, 3]), due(red=[4])
    slow = ChangedAfterSeal(lambda: open_now(load_turn(extended.pk), box))
    assert close_together([extended.pk, other.pk], slow) == [extended.pk]
    slow.close()
    assert (load_turn(extended.pk).state, load_turn(extended.pk).seals) == (TurnState.OPEN, None)
    assert not extended.tallies.exists()
    assert extended.match.turns.count() == 1
    assert kinds(extended.match.event_id)[-1] == "turn.moved"
    vote(load_turn(extended.pk), box, yellow=[5])
    run_out(load_turn(extended.pk), box)
    close_turns(extended.pk)
    assert (tally_of(extended, "red").ballots, tally_of(extended, "yellow").ballots) == (2, 1)
    assert tally_of(other, "red").pick == 4


def test_failure_of_one_turn_leaves_the_others_to_close_alone(
    box: BallotBox, due: DueTurn, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, whole = due(), due(red=[3])

    def decide(turn: Turn, *arguments: Any) -> Any:
        if turn.pk == broken.pk:
            raise GameError("no such move")
        return decide_outcome(turn, *arguments)

    for module in ("set_closing", "closing"):
        monkeypatch.setattr(f"voting.turns.{module}.decide_outcome", decide)
    with pytest.raises(GameError):
        close_turns(broken.pk, whole.pk)
    assert (load_turn(broken.pk).state, load_turn(whole.pk).state) == (TurnState.OPEN, TurnState.RESOLVED)


@pytest.mark.django_db(transaction=True)
def test_concurrent_closes_of_overlapping_sets_close_each_turn_once(
    box: BallotBox, due: DueTurn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voting.ballot_box.ballot_box.LEASE_MS", 1)  # no lease keeps them apart
    turns = [due(red=[3], yellow=[5]) for _ in range(6)]
    ids = [turn.pk for turn in turns]
    sets = iter([ids, ids[::-1], ids[:4], ids[2:], ids[1:5], ids])
    at_once(6, lambda own: close_left(next(sets), own))
    for turn in turns:
        assert load_turn(turn.pk).state == TurnState.RESOLVED
        assert sorted(turn.tallies.values_list("side", flat=True)) == ["red", "yellow"]
        assert [t.number for t in turn.match.turns.order_by("pk")] == [1, 2]
        assert kinds(turn.match.event_id).count("turn.revealed") == 1


def close_left(ids: Sequence[int], box: BallotBox) -> None:
    for turn_id in close_together(ids, box):
        close_turn(turn_id, box)


# ------------------------------------------------------------------ crashes
@pytest.mark.parametrize("step", ["seal_all", "place_all", "expire_all"])
@pytest.mark.parametrize("before", [True, False])
def test_crashed_set_is_finished_by_the_next_process(
    step: str, before: bool, box: BallotBox, due: DueTurn
) -> None:
    turns = [due(red=[3, 3, 1], yellow=[6]) for _ in range(3)]
    dying = DyingBox(step, before)
    with pytest.raises(Crash):
        close_together([turn.pk for turn in turns], dying)
    dying.close()
    assert_finished(turns, box)


@pytest.mark.parametrize("step", ["publish_seals", "claim_resolved", "announce_all", "relay"])
def test_set_that_crashed_while_it_wrote_is_finished(
    step: str, box: BallotBox, due: DueTurn, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns = [due(red=[3, 3, 1], yellow=[6]) for _ in range(3)]
    call = getattr(set_closing, step)

    def crash(*arguments: Any) -> None:
        if step != "relay":
            call(*arguments)
        raise Crash

    with monkeypatch.context() as dying:
        dying.setattr(set_closing, step, crash)
        with pytest.raises(Crash):
            close_together([turn.pk for turn in turns], box)
    assert {load_turn(turn.pk).state == TurnState.RESOLVED for turn in turns} == {step == "relay"}
    assert_finished(turns, box)


def assert_finished(turns: Sequence[Turn], box: BallotBox) -> None:
    """Another process closes what is open, once."""
    close_left([turn.pk for turn in turns], box)
    run_again(box)
    for turn in turns:
        after, following = load_turn(turn.pk), only_turn(turn.match)
        assert (after.state, after.red_pick, after.yellow_pick) == (TurnState.RESOLVED, 3, 6)
        assert (tally_of(turn, "red").ballots, tally_of(turn, "yellow").ballots) == (3, 1)
        assert (following.number, type(box.seal(to_boxed_turn(following)))) == (2, TooEarly)
        assert kinds(turn.match.event_id).count("turn.revealed") == 1
    assert not Announcement.objects.filter(sent_at=None).exists()
