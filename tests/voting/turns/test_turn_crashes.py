from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from games.engine.game import SIDES
from tests.deploy.processes import wait_until
from tests.voting import match_helpers as helpers
from tests.voting.announcements.test_announcements import listening
from tests.voting.box_helpers import copy_all, empty, put_back, seal
from tests.voting.concurrency_helpers import at_once
from tests.voting.recovery_model import Crash, close_and_then
from tests.voting.sample_matches import plain, with_blinds
from tests.voting.turns.conftest import DueTurn, crashing
from tests.voting.verifiers import verify
from voting import protocol
from voting.announcements.channel_layer import NOT_A_CHANGE, LayerMessage
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import TooEarly
from voting.counting.ballots import Ballot
from voting.counting.commitments import EMPTY, Commitment, sort_ballots
from voting.matches import MatchError
from voting.models import Announcement, LogEntry, TallyRecord, Turn, TurnState
from voting.transparency.log import load_log, log_root
from voting.turns import closing, outcome_store
from voting.turns.closing import close_together, close_turn
from voting.turns.restoring import restore_turn
from voting.turns.scheduler import DeadlineScheduler
from voting.turns.seals import read_seals
from voting.turns.time_steps import move_turn
from voting.turns.turns import change_turn, load_turn, to_boxed_turn


def run_again(box: BallotBox) -> None:
    scheduler = DeadlineScheduler(box)
    for _ in range(3):
        scheduler.chores_at = 0.0
        scheduler.run_once()


def logged(turn: Turn) -> list[str]:
    contents = LogEntry.objects.filter(turn=turn.pk).order_by("pk").values_list("content", flat=True)
    return [content.split('"')[3] for content in contents]


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    ("owner", "step"),
    [
        (BallotBox, "seal_all"),
        (closing, "publish_seals"),
        (outcome_store, "claim_turns"),
        (outcome_store, "announce_all"),
        (closing, "relay"),
        (BallotBox, "place_all"),
        (BallotBox, "expire_all"),
    ],
)
def test_crashed_close_is_finished(owner: Any, step: str, after: bool, box: BallotBox, due: DueTurn) -> None:
    whole, half = due(red=[3, 3, 1], yellow=[6]), due(red=[3, 3, 1], game=helpers.SELECTOR)
    with crashing(owner, step, after=after):
        close_together([whole.pk, half.pk], box)
    is_written = step in {"place_all", "expire_all", "relay"}
    assert [load_turn(turn.pk).state != TurnState.OPEN for turn in (whole, half)] == [is_written] * 2
    assert logged(whole) == ["lot 1", "seal 1"][: 1 if step == "seal_all" else 2], "before it is published"
    unsent = Announcement.objects.filter(sent_at=None)
    assert step not in {"place_all", "expire_all"} or not unsent.exists(), "reveals do not wait for boxes"
    close_together([whole.pk, half.pk], box)
    run_again(box)
    states = [(turn.state, turn.red_pick, turn.yellow_pick) for turn in map(load_turn, (whole.pk, half.pk))]
    assert states == [(TurnState.RESOLVED, 3, 6), (TurnState.CONCEALED, 3, None)]
    for turn in (whole, half):
        following = helpers.only_turn(turn.match)
        assert helpers.tally_of(turn, "red").ballots == 3
        assert (following.number, type(seal(box, to_boxed_turn(following)))) == (2, TooEarly)
    assert TallyRecord.objects.count() == 3
    assert [logged(one) for one in whole.match.turns.order_by("pk")] == [["lot 1", "seal 1"], ["lot 1"]]
    assert not unsent.exists()
    helpers.play_turn(helpers.only_turn(half.match), box, yellow=[3])
    announced = [Counter(helpers.kinds(turn.match.event_id)) for turn in (whole, half)]
    assert [(of["turn.concealed"], of["turn.revealed"]) for of in announced] == [(0, 1), (1, 1)]


@pytest.mark.django_db(transaction=True)
def test_concurrent_closes_close_once_and_keep_one_order_of_the_log(
    box: BallotBox, due: DueTurn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("voting.ballot_box.closing_lease.LEASE_MS", 1)  # no lease keeps them apart
    turns = [due(red=[3], yellow=[5]) for _ in range(6)]
    ids = [turn.pk for turn in turns]
    sets = iter([ids, ids[::-1], ids[:4], ids[2:], ids[1:5], ids])

    def close_set(own: BallotBox) -> None:
        for turn_id in close_together(next(sets), own):
            close_turn(turn_id, own)

    at_once(6, close_set)
    for turn in turns:
        closed = load_turn(turn.pk)
        assert (closed.state, closed.version) == (TurnState.RESOLVED, turn.version + 1)
        sides = turn.match.turns.values_list("tallies__side", flat=True).exclude(tallies=None)
        assert sorted(sides) == ["red", "yellow"]
        assert [t.number for t in turn.match.turns.order_by("pk")] == list(range(1, turn.number + 2))
        assert helpers.kinds(turn.match.event_id).count("turn.revealed") == 1
        assert logged(turn) == ["lot 1", "seal 1"]
    checkpoint = load_log().checkpoint
    assert [*LogEntry.objects.order_by("pk").values_list("pk", flat=True)] == [*range(checkpoint.size)]
    assert log_root(checkpoint.size) == checkpoint.root


@pytest.mark.parametrize("step", ["place", "cast"])
def test_crashed_restore_is_finished_by_scheduler(step: str, box: BallotBox) -> None:
    turn = helpers.start_open(box, window_s=601)
    helpers.store(turn, helpers.ballots("red", [2, 2]))
    empty()
    with crashing(BallotBox, step):
        restore_turn(turn.pk, box)
    run_again(box)
    after = helpers.play_out(turn, box)
    assert (after.state, after.red_pick) == (TurnState.RESOLVED, 2)
    assert helpers.tally_of(turn, "red").ballots == 2


def test_stored_ballot_missing_from_box_counts(box: BallotBox) -> None:
    """The box was restored from an older copy: stored ballots still count, once each, in order of storage."""
    turn = helpers.start_open(box, window_s=601)
    helpers.vote(turn, box, red=[1, 1])
    others = [Ballot(voter, "red", 6, 1) for voter in ("zz", "aa")]
    helpers.store(turn, helpers.ballots("red", [6], sequence=2) + others)
    helpers.play_out(turn, box)
    record = helpers.tally_of(turn, "red")
    assert (record.counts, record.ballots, record.pick) == ([1, 0, 0, 0, 0, 3, 0], 4, 6)
    assert [ballot.voter for ballot in helpers.arrived_ballots(turn, "red")] == ["red1", "zz", "aa", "red2"]


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> list[protocol.TurnSealed]:
    seals: list[protocol.TurnSealed] = []
    monkeypatch.setattr(closing, "publish_seals", lambda by_event: seals.extend(by_event.values()))
    return seals


@pytest.mark.parametrize(("step", "times"), [("publish_seals", 1), ("write_outcomes", 2)])
def test_seal_is_published_before_the_result_and_unchanged_after_a_crash(
    step: str, times: int, box: BallotBox, valkey_url: str, tmp_path: Path
) -> None:
    turn = helpers.start_open(box)
    crowd = helpers.ballots("red", [3, 3, 1]) + helpers.ballots("yellow", [6])
    box.cast(to_boxed_turn(turn), with_blinds(crowd))
    helpers.run_out(turn, box)
    with listening(valkey_url, turn.match.event) as listener:
        with crashing(closing, step):
            close_turn(turn.pk, box)
        (recorded,) = read_seals(load_turn(turn.pk))
        assert load_turn(turn.pk).state == TurnState.OPEN
        for _ in range(2):
            close_turn(turn.pk, box)
        wait_until(lambda: len(listener.receive()) == times + 1)
        *seals, revealed = listener.receive()
    assert seals == [LayerMessage(turn.match.event_id, NOT_A_CHANGE, seals[0].body)] * times
    assert revealed.seq > NOT_A_CHANGE
    message = msgspec.json.decode(seals[0].body, type=protocol.TurnSealed)
    closed = load_turn(turn.pk)
    assert closed.state == TurnState.RESOLVED
    assert recorded.at == message.at == closed.sealed_at
    assert read_seals(closed) == (recorded,)
    for side in SIDES:
        arrived = helpers.arrived_ballots(turn, side)
        assert getattr(message, side) == sort_ballots(turn.pk, side, arrived, commit_order=True).commitment
        assert getattr(message, side).root == getattr(recorded, side) == helpers.tally_of(turn, side).root
    verify(plain(turn.match), tmp_path)


@pytest.mark.parametrize("game", [helpers.CLASSIC, helpers.SELECTOR])
def test_late_worker_publishes_no_seal_of_closed_turn(
    game: str, box: BallotBox, due: DueTurn, published: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not a seal of the side that moves next, in which phones would not find their votes."""
    turn = due(red=[3], yellow=[5], game=game)
    slow = load_turn(turn.pk)
    close_turn(turn.pk, box)
    monkeypatch.setattr(closing, "_load_open_turns", lambda _: [slow])
    close_turn(turn.pk, box)
    assert [seal.turn for seal in published] == [turn.pk]


def test_side_not_to_move_has_no_commitment(box: BallotBox, due: DueTurn, published: list[Any]) -> None:
    close_turn(due(game=helpers.CLASSIC, options={"first": "yellow"}).pk, box)
    empty = Commitment(root=EMPTY.hex(), ballots=0, order=EMPTY.hex())
    assert [(seal.red, seal.yellow) for seal in published] == [(None, empty)]


@pytest.mark.parametrize("is_published", [True, False])
def test_ballots_lost_since_the_seal_begin_a_new_epoch(
    is_published: bool, box: BallotBox, published: list[Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Valkey comes back without its last second. The turn isn't sealed again as if nothing had happened."""
    turn = helpers.start_open(box)
    helpers.vote(turn, box, red=[3])
    older = copy_all()
    helpers.vote(turn, box, red=[3, 4], yellow=[5])
    helpers.run_out(turn, box)

    def lose_and_crash(seals: Mapping[int, protocol.TurnSealed]) -> None:
        published.extend([*seals.values()] * is_published)
        put_back(older)
        raise Crash

    with monkeypatch.context() as dying:
        dying.setattr(closing, "publish_seals", lose_and_crash)
        with pytest.raises(Crash):
            close_turn(turn.pk, box)
    close_turn(turn.pk, box)
    assert (load_turn(turn.pk).state, load_turn(turn.pk).epoch) == (TurnState.OPEN, 2)
    assert helpers.kinds(turn.match.event_id).count("turn.restored") == 1
    helpers.vote(load_turn(turn.pk), box, red=[3, 4], yellow=[5])
    helpers.play_out(turn, box)
    assert helpers.tally_of(turn, "red").ballots == 2
    first, last = read_seals(load_turn(turn.pk))
    assert [(seal.at, seal.epoch) for seal in published] == [(first.at, 1)] * is_published + [(last.at, 2)]
    assert (first.void and first.void.reason, last.void) == ("box_lost", None)
    verify(plain(turn.match), tmp_path)


def test_sealed_turn_changes_only_by_added_time(box: BallotBox, due: DueTurn) -> None:
    """Otherwise phones would see another seal without a new window."""
    turn = due(red=[3])
    loaded = load_turn(turn.pk)

    def change() -> None:
        with pytest.raises(MatchError, match="changed in the meantime"):
            change_turn(loaded, protocol.TurnMoved, box, closes_at=box.now() + 60_000)
        sealed = load_turn(turn.pk)
        with pytest.raises(MatchError, match="Time is up"):
            change_turn(sealed, protocol.TurnMoved, box, closes_at=sealed.closes_at - 1)
        move_turn(turn.pk, sealed.version, -3_600_000, box.now(), box)
        assert load_turn(turn.pk).version == sealed.version

    close_and_then(turn, change)
    assert load_turn(turn.pk).state == TurnState.RESOLVED
