"""A turn from its opening to its reveal, once, whatever dies in between."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from random import Random
from threading import Barrier, Thread
from typing import Any

import pytest
from django.db import connections
from redis import Redis

from deploy.laptop.network import LOOPBACK, free_port
from games.engine.game import SIDES, Side
from games.matches import MatchError, claim_turn, live_turn, position_of
from games.models import Event, Lobby, Match, MatchState, Turn, TurnState
from tests.voting.playing import (
    CLASSIC,
    RED_WINS,
    ballots,
    new_event,
    only_turn,
    open_now,
    play,
    play_turn,
    run_out,
    set_window,
    start,
    vote,
)
from voting.announcements import relay
from voting.ballot_box import BallotBox, BoxedTurn, Early, Lost, Sealed
from voting.ballots import Ballot, unpack_ballots
from voting.clock import Clock
from voting.lots import draw_lot
from voting.models import Announcement, StoredBallot, TallyRecord
from voting.protocol import decode_change
from voting.tally import TallyTerms, decide
from voting.turns import (
    PATIENCE_MS,
    boxed,
    close_turn,
    load_turn,
    restore_turn,
    start_due_match,
    start_match,
)
from voting.window import RESTORED_MIN_MS, START_LEAD_MS

pytestmark = pytest.mark.django_db

FOR_EVER = -1
LONG_S = 601


def kinds(event_id: int) -> list[str]:
    """What was announced, in order."""
    rows = Announcement.objects.filter(event_id=event_id).order_by("seq")
    return [bytes(row.body).split(b'"')[3].decode() for row in rows]


def tally_of(turn: Turn, side: Side) -> TallyRecord:
    return TallyRecord.objects.get(turn=turn, side=side)


# ------------------------------------------------------------------ start
def test_a_match_starts_with_its_first_turn_in_the_box(box: BallotBox) -> None:
    event = new_event(window_s=20)
    before = box.now()
    match = start_match(event.pk, box)
    turn = only_turn(match)
    assert (turn.number, turn.state, turn.version, turn.epoch) == (1, TurnState.OPEN, 1, 1)
    assert before <= turn.opens_at - START_LEAD_MS <= box.now()
    assert turn.closes_at - turn.opens_at == 20_000
    assert box.seal(boxed(turn)) == Early(turn.closes_at)
    assert kinds(event.pk) == ["match.started"]


def test_the_doors_open_with_the_first_match_and_stay_locked_if_they_were(box: BallotBox) -> None:
    for before, after in [("closed", "open"), ("open", "open"), ("locked", "locked")]:
        event = new_event(lobby=before)
        start_match(event.pk, box)
        assert Event.objects.get(pk=event.pk).lobby == Lobby(after)


def test_there_is_one_match_at_a_time(box: BallotBox) -> None:
    event = new_event()
    start_match(event.pk, box)
    with pytest.raises(MatchError, match="playing already"):
        start_match(event.pk, box)
    assert event.matches.count() == 1
    assert kinds(event.pk) == ["match.started"]


def test_a_game_that_is_not_there_starts_nothing(box: BallotBox) -> None:
    event = new_event(game="draughts")
    with pytest.raises(MatchError, match="cannot be played"):
        start_match(event.pk, box)
    assert not event.matches.exists()
    assert not kinds(event.pk)


# ------------------------------------------------------------------ close
def test_before_the_deadline_nothing_is_closed(box: BallotBox) -> None:
    turn = start(box)
    close_turn(turn.pk, box)
    open_now(turn, box)
    vote(turn, box, red=[3])
    close_turn(turn.pk, box)
    untouched = load_turn(turn.pk)
    assert (untouched.state, untouched.version) == (TurnState.OPEN, turn.version)
    assert not TallyRecord.objects.exists()
    vote(turn, box, red=[4, 4])
    assert [b.column for b in play_and_unpack(turn, box, "red")] == [3, 4]


def play_and_unpack(turn: Turn, box: BallotBox, side: Side) -> tuple[Ballot, ...]:
    run_out(turn, box)
    close_turn(turn.pk, box)
    return unpack_ballots(bytes(tally_of(turn, side).sealed))


def test_a_closed_turn_holds_tallies_ballots_and_picks_and_the_next_is_open(box: BallotBox) -> None:
    turn = start(box, window_s=20, reveal_s=6)
    after = play_turn(turn, box, red=[3, 4, 4], yellow=[7])
    assert (after.state, after.red_pick, after.yellow_pick) == (TurnState.RESOLVED, 4, 7)
    red, yellow = tally_of(turn, "red"), tally_of(turn, "yellow")
    assert (red.counts, red.ballots, red.pick, red.decided_by) == ([0, 0, 1, 2, 0, 0, 0], 3, 4, "plurality")
    assert (yellow.counts, yellow.ballots, yellow.pick) == ([0, 0, 0, 0, 0, 0, 1], 1, 7)
    held = unpack_ballots(bytes(red.sealed))
    assert [(b.voter, b.column, b.arrival) for b in held] == [("red1", 3, 1), ("red2", 4, 2), ("red3", 4, 3)]
    following = only_turn(turn.match)
    assert after.resolved_at is not None
    assert (following.number, following.opens_at) == (2, after.resolved_at + 6_000)
    assert following.closes_at - following.opens_at == 20_000
    assert box.seal(boxed(following)) == Early(following.closes_at)


def test_a_box_without_all_it_counted_is_lost_and_what_is_left_goes_on(
    box: BallotBox, valkey_url: str
) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[2, 2, 5])
    with Redis.from_url(valkey_url) as redis:
        redis.hdel(boxed(turn).keys[1], "red3")
    run_out(turn, box)
    close_turn(turn.pk, box)
    restored = load_turn(turn.pk)
    assert (restored.state, restored.epoch) == (TurnState.OPEN, 2)
    assert kinds(turn.match.event_id)[-1] == "turn.restored"
    assert len(play_and_unpack(restored, box, "red")) == 2


def test_closing_again_does_nothing(box: BallotBox) -> None:
    turn = start(box)
    after = play_turn(turn, box, red=[1], yellow=[2])
    told = kinds(turn.match.event_id)
    for _ in range(2):
        close_turn(turn.pk, box)
    assert load_turn(turn.pk).version == after.version
    assert kinds(turn.match.event_id) == told
    assert turn.match.turns.count() == 2


def test_a_turn_that_was_extended_meanwhile_is_not_closed_and_its_box_is_kept(
    box: BallotBox, valkey_url: str
) -> None:
    """Somebody extends between the seal and the transaction: the extension wins, no ballot is lost."""

    class ExtendedAfterSeal(BallotBox):
        def seal(self, turn: BoxedTurn) -> Early | Lost | Sealed:
            answer = super().seal(turn)
            set_window(load_turn(turn.turn_id), box, -1_000, 30 * 24 * 3_600_000)
            return answer

    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3, 3])
    run_out(turn, box)
    slow = ExtendedAfterSeal()
    close_turn(turn.pk, slow)
    slow.close()
    assert load_turn(turn.pk).state == TurnState.OPEN
    with Redis.from_url(valkey_url) as redis:
        for key in boxed(turn).keys:
            assert redis.pttl(key) == FOR_EVER
    vote(load_turn(turn.pk), box, yellow=[4])
    assert len(play_and_unpack(load_turn(turn.pk), box, "red")) == 2
    assert tally_of(turn, "yellow").ballots == 1


def test_who_comes_a_moment_early_waits_for_the_deadline(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3, 3], yellow=[5])
    set_window(turn, box, -1_000, PATIENCE_MS - 50)
    close_turn(turn.pk, box)
    after = load_turn(turn.pk)
    assert after.state == TurnState.RESOLVED
    assert after.sealed_at is not None
    assert after.sealed_at >= after.closes_at


def test_who_waits_for_a_deadline_that_moves_away_closes_nothing(box: BallotBox) -> None:
    class MovedMeanwhile(BallotBox):
        def seal(self, turn: BoxedTurn) -> Early | Lost | Sealed:
            asked.append(turn.turn_id)
            if len(asked) > 1:
                return super().seal(turn)
            set_window(load_turn(turn.turn_id), box, -1_000, 60_000)
            return Early(self.now() + 50)

    asked: list[int] = []
    turn = start(box)
    run_out(turn, box)
    moved = MovedMeanwhile()
    close_turn(turn.pk, moved)
    moved.close()
    assert asked == [turn.pk, turn.pk]
    assert load_turn(turn.pk).state == TurnState.OPEN


def test_the_first_seal_is_what_is_told_whoever_asks_again(box: BallotBox) -> None:
    """A worker died between the seal and the transaction; another closes later."""
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3])
    run_out(turn, box)
    first = box.seal(boxed(turn))
    assert isinstance(first, Sealed)
    while box.now() == first.sealed_at:
        pass
    close_turn(turn.pk, box)
    after = load_turn(turn.pk)
    assert after.closes_at <= first.sealed_at < (after.resolved_at or 0)
    assert after.sealed_at == first.sealed_at
    told = Announcement.objects.filter(event_id=turn.match.event_id).latest("seq")
    state = decode_change(bytes(told.body)).state
    assert state.match is not None
    assert state.match.reveal is not None
    assert state.match.reveal.sealed_at == first.sealed_at


class AsksAClockBehind(BallotBox):
    """As of a cluster: the node that tells the time is not the one that seals."""

    def now(self) -> int:
        return super().now() - 60_000


def test_no_turn_is_resolved_before_it_is_sealed_whatever_the_clocks_say(box: BallotBox) -> None:
    turn = start(box)
    run_out(turn, box)
    behind = AsksAClockBehind()
    close_turn(turn.pk, behind)
    behind.close()
    after = load_turn(turn.pk)
    assert after.sealed_at is not None
    assert after.resolved_at == after.sealed_at


def test_an_unsealed_turn_is_sealed_at_its_new_deadline(box: BallotBox) -> None:
    turn = start(box)
    run_out(turn, box)
    first = box.seal(boxed(turn))
    assert isinstance(first, Sealed)
    set_window(turn, box, -1_000, PATIENCE_MS - 50)
    close_turn(turn.pk, box)
    after = load_turn(turn.pk)
    assert (after.sealed_at or 0) >= after.closes_at > first.sealed_at


def test_the_reveal_is_on_its_way_before_the_next_box_is_made(box: BallotBox) -> None:
    unsent: list[int] = []

    class Watched(BallotBox):
        def place(self, turn: BoxedTurn, *, create: bool) -> bool:
            unsent.append(Announcement.objects.filter(sent_at=None).count())
            return super().place(turn, create=create)

    turn = start(box)
    run_out(turn, box)
    watched = Watched()
    close_turn(turn.pk, watched)
    watched.close()
    assert unsent == [0]
    assert kinds(turn.match.event_id)[-1] == "turn.revealed"


@pytest.mark.django_db(transaction=True)
def test_of_many_that_close_at_once_one_does(box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3, 3], yellow=[5])
    run_out(turn, box)
    at_once(6, lambda own: close_turn(turn.pk, own))
    assert load_turn(turn.pk).state == TurnState.RESOLVED
    assert Counter(TallyRecord.objects.values_list("side", flat=True)) == {"red": 1, "yellow": 1}
    assert [t.number for t in turn.match.turns.order_by("pk")] == [1, 2]
    assert kinds(turn.match.event_id).count("turn.revealed") == 1


def at_once(threads: int, act: Callable[[BallotBox], object]) -> list[BaseException]:
    """Each in a thread with connections of its own; what they raised, but for MatchError nothing may."""
    barrier, raised = Barrier(threads), list[BaseException]()

    def run() -> None:
        own = BallotBox()
        barrier.wait()
        try:
            act(own)
        except BaseException as trouble:  # noqa: BLE001  told to the test
            raised.append(trouble)
        finally:
            own.close()
            connections.close_all()

    running = [Thread(target=run) for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join(30)
    assert [trouble for trouble in raised if not isinstance(trouble, MatchError)] == []
    return raised


@pytest.mark.django_db(transaction=True)
def test_of_many_that_start_a_match_at_once_one_does(box: BallotBox) -> None:
    event = new_event()
    refused = at_once(4, lambda own: start_match(event.pk, own))
    assert len(refused) == 3
    assert event.matches.count() == 1
    assert kinds(event.pk) == ["match.started"]


@pytest.mark.django_db(transaction=True)
def test_a_writer_with_an_older_version_changes_nothing(box: BallotBox) -> None:
    """The loser read the turn before the winner wrote it."""
    turn = start(box)
    at_once(4, lambda own: set_if_first(turn.pk, own))
    assert load_turn(turn.pk).version == 2


def set_if_first(turn_id: int, box: BallotBox) -> None:
    turn = Turn.objects.get(pk=turn_id)
    turn.version = 1
    claim_turn(turn, closes_at=box.now() + 10_000)


# ------------------------------------------------------------------ crashes
class Crash(Exception):
    pass


class DyingBox(BallotBox):
    """A process that dies just before or just after one of its calls."""

    def __init__(self, step: str, before: bool) -> None:
        super().__init__()
        self.step, self.before = step, before

    def _dying(self, step: str, call: Callable[[], Any]) -> Any:
        if step == self.step and self.before:
            raise Crash
        answer = call()
        if step == self.step:
            raise Crash
        return answer

    def seal(self, turn: BoxedTurn) -> Early | Lost | Sealed:
        answer: Early | Lost | Sealed = self._dying("seal", lambda: BallotBox.seal(self, turn))
        return answer

    def place(self, turn: BoxedTurn, *, create: bool) -> bool:
        return bool(self._dying("place", lambda: BallotBox.place(self, turn, create=create)))

    def cast(self, turn: BoxedTurn, ballots: Any) -> None:
        self._dying("cast", lambda: BallotBox.cast(self, turn, ballots))

    def expire(self, event_id: int, turn_id: int) -> None:
        self._dying("expire", lambda: BallotBox.expire(self, event_id, turn_id))


def look_again(box: BallotBox, looks: int = 3) -> None:
    """A clock that has just started, and its next looks."""
    clock = Clock(box)
    for _ in range(looks):
        clock.tended_at = 0.0
        clock.look()


@pytest.mark.parametrize("step", ["seal", "place", "expire"])
@pytest.mark.parametrize("before", [True, False])
def test_a_close_that_dies_is_finished_by_the_next(step: str, before: bool, box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3, 3, 1], yellow=[6])
    run_out(turn, box)
    dying = DyingBox(step, before)
    with pytest.raises(Crash):
        close_turn(turn.pk, dying)
    dying.close()
    close_turn(turn.pk, box)
    look_again(box)
    after, following = load_turn(turn.pk), only_turn(turn.match)
    assert (after.state, after.red_pick, after.yellow_pick) == (TurnState.RESOLVED, 3, 6)
    assert tally_of(turn, "red").ballots == 3
    assert TallyRecord.objects.count() == 2
    assert isinstance(box.seal(boxed(following)), Early)
    assert following.number == 2
    assert kinds(turn.match.event_id).count("turn.revealed") == 1
    assert not Announcement.objects.filter(sent_at=None).exists()


def test_a_start_that_dies_before_the_box_is_placed_is_made_good(box: BallotBox) -> None:
    event = new_event()
    dying = DyingBox("place", before=True)
    with pytest.raises(Crash):
        start_match(event.pk, dying)
    dying.close()
    look_again(box)
    turn = only_turn(Match.objects.get(event=event))
    assert turn.epoch == 2
    assert isinstance(box.seal(boxed(turn)), Early)


@pytest.mark.parametrize("step", ["place", "cast"])
def test_a_restoration_that_dies_is_finished_by_the_next(step: str, box: BallotBox, valkey_url: str) -> None:
    turn = start(box, window_s=LONG_S)
    open_now(turn, box)
    store(turn, ballots("red", [2, 2]))
    empty(valkey_url)
    dying = DyingBox(step, before=True)
    with pytest.raises(Crash):
        restore_turn(turn.pk, dying)
    dying.close()
    look_again(box)
    after = play_out(turn, box)
    assert (after.state, after.red_pick) == (TurnState.RESOLVED, 2)
    assert tally_of(turn, "red").ballots == 2


def test_with_the_channel_layer_away_a_turn_closes_and_is_told_later(box: BallotBox, settings: Any) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3])
    run_out(turn, box)
    present = settings.CHANNEL_LAYERS
    away = {"address": f"redis://{LOOPBACK}:{free_port()}/0"}
    settings.CHANNEL_LAYERS = {"default": present["default"] | {"CONFIG": {"hosts": [away]}}}
    close_turn(turn.pk, box)
    assert load_turn(turn.pk).state == TurnState.RESOLVED
    assert only_turn(turn.match).number == 2
    waiting = Announcement.objects.filter(event_id=turn.match.event_id, sent_at=None)
    assert waiting.count() == 1
    settings.CHANNEL_LAYERS = present
    relay()
    assert waiting.count() == 0


# ------------------------------------------------------------------ deciding
@dataclass(frozen=True)
class Rule:
    choices: dict[str, str]
    decided_by: str


def test_without_ballots_the_pick_is_drawn_from_the_seed(box: BallotBox) -> None:
    turn = start(box, no_ballot_rule="random")
    after = play_turn(turn, box)
    for side, pick in (("red", after.red_pick), ("yellow", after.yellow_pick)):
        lot = sha256(f"{turn.seed}:{side}".encode()).hexdigest()
        assert pick == 1 + int(lot, 16) % 7
    assert tally_of(turn, "red").decided_by == "random"


def test_without_ballots_nothing_drops_if_that_is_the_rule(box: BallotBox) -> None:
    turn = start(box, no_ballot_rule="pass")
    after = play_turn(turn, box, yellow=[4])
    assert (after.red_pick, after.yellow_pick) == (None, 4)
    assert tally_of(turn, "red").decided_by == "pass"
    assert position_of(turn.match).game.view(position_of(turn.match).state, None).grid[-1] == "...Y..."


@pytest.mark.parametrize(
    ("red", "yellow", "result"), [([1], [], "red"), ([], [1], "yellow"), ([], [], "draw")]
)
def test_without_ballots_the_match_is_lost_if_that_is_the_rule(
    red: list[int], yellow: list[int], result: str, box: BallotBox
) -> None:
    turn = start(box, no_ballot_rule="forfeit")
    after = play_turn(turn, box, red, yellow)
    match = Match.objects.get(pk=turn.match_id)
    assert (match.state, match.result, match.ended_by) == (MatchState.ENDED, result, "forfeit")
    assert (after.red_pick, after.yellow_pick) == (None, None)
    assert tally_of(turn, "red").ballots == len(red)
    assert live_turn(match) is None


@pytest.mark.parametrize(
    "rule",
    [
        Rule({"tally_method": "lottery"}, "lottery"),
        Rule({"tie_rule": "lot"}, "lot"),
        Rule({"tie_rule": "first"}, "first"),
    ],
)
def test_every_lot_can_be_drawn_again_from_what_is_stored(rule: Rule, box: BallotBox) -> None:
    turn = start(box, **rule.choices)
    play_turn(turn, box, red=[1, 2, 3, 3, 2, 1], yellow=[7, 6, 6, 7])
    match = turn.match
    terms = TallyTerms(match.tally_method, match.tie_rule, match.no_ballot_rule)  # type: ignore[arg-type]
    for side in SIDES:
        record = TallyRecord.objects.get(turn=turn, side=side)
        held = unpack_ballots(bytes(record.sealed))
        again = decide(held, range(1, 8), 7, terms, partial(draw_lot, turn.seed, side))
        assert (record.pick, record.decided_by, record.counts) == (
            again.pick,
            rule.decided_by,
            list(again.counts),
        )


def test_the_two_sides_draw_lots_of_their_own_and_turns_have_seeds_of_their_own(box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, [(1, 1), (2, 2), (3, 4)])
    seeds = list(turn.match.turns.values_list("seed", flat=True))
    assert len(set(seeds)) == len(seeds) == 4
    assert all(len(seed) == 32 for seed in seeds)


# ------------------------------------------------------------------ the course of a match
def test_a_match_ends_with_a_line_and_the_next_one_is_scheduled(box: BallotBox) -> None:
    event = new_event(next_match_after_s=30, reveal_s=6)
    match = start_match(event.pk, box)
    play(match, box, RED_WINS)
    match = Match.objects.get(pk=match.pk)
    last = match.turns.get(number=4)
    assert (match.state, match.result, match.ended_by) == (MatchState.ENDED, "red", "board")
    assert match.ended_at == last.resolved_at
    assert live_turn(match) is None
    assert last.resolved_at is not None
    assert Event.objects.get(pk=event.pk).next_match_at == last.resolved_at + 36_000


def test_without_a_pause_between_matches_none_is_scheduled(box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, RED_WINS)
    assert Event.objects.get(pk=turn.match.event_id).next_match_at is None


def test_a_scheduled_match_starts_when_its_time_has_come_and_once(box: BallotBox) -> None:
    event = new_event(next_match_after_s=30)
    match = start_match(event.pk, box)
    play(match, box, RED_WINS)
    start_due_match(event.pk, box)
    assert event.matches.count() == 1
    Event.objects.filter(pk=event.pk).update(next_match_at=box.now())
    for _ in range(2):
        start_due_match(event.pk, box)
    assert [m.number for m in event.matches.order_by("pk")] == [1, 2]
    assert Event.objects.get(pk=event.pk).next_match_at is None
    assert kinds(event.pk).count("match.started") == 2


def test_a_due_match_that_cannot_be_played_is_called_off_and_everyone_is_told(box: BallotBox) -> None:
    event = new_event(game="draughts")
    Event.objects.filter(pk=event.pk).update(next_match_at=box.now())
    start_due_match(event.pk, box)
    event.refresh_from_db()
    assert event.next_match_at is None
    assert kinds(event.pk) == ["event.edited"]


def test_in_the_classic_game_one_side_votes_a_turn(box: BallotBox) -> None:
    turn = start(box, game=CLASSIC, options={"first": "yellow"})
    first = play_turn(turn, box, red=[1, 1], yellow=[4])
    assert (first.red_pick, first.yellow_pick) == (None, 4)
    assert [t.side for t in TallyRecord.objects.filter(turn=first)] == ["yellow"]
    second = play_turn(only_turn(turn.match), box, red=[5], yellow=[2, 2])
    assert (second.red_pick, second.yellow_pick) == (5, None)


def test_the_lot_for_who_begins_is_drawn_when_the_match_is_made(box: BallotBox) -> None:
    event = new_event(game=CLASSIC, options={"first": "lot"})
    match = start_match(event.pk, box)
    assert match.options["first"] in {"red", "yellow"}
    assert Event.objects.get(pk=event.pk).options == {"first": "lot"}


def test_a_whole_match_fills_the_board(box: BallotBox) -> None:
    """Every column is illegal once it is full; nobody's ballots are ever for one."""
    turn = start(box, options={"columns": 6}, tally_method="lottery")
    picks = Random(5)
    match = turn.match
    for _ in range(40):
        live = live_turn(match)
        if live is None:
            break
        legal = position_of(match).game.legal_actions(position_of(match).state, "red")
        crowd = [[picks.choice(legal) for _ in range(3)] for _ in range(2)]
        play_turn(load_turn(live.pk), box, *crowd)
    match.refresh_from_db()
    assert match.state == MatchState.ENDED
    assert position_of(match).game.result(position_of(match).state) == match.result


# ------------------------------------------------------------------ lost boxes and long windows
def empty(valkey_url: str) -> None:
    with Redis.from_url(valkey_url) as redis:
        redis.flushall()


def store(turn: Turn, kept: list[Ballot]) -> None:
    for at, ballot in enumerate(kept, 1):
        StoredBallot.objects.create(
            turn=turn,
            voter=ballot.voter,
            side=ballot.side,
            column=ballot.column,
            sequence=ballot.sequence,
            stored_at=at,
        )


def play_out(turn: Turn, box: BallotBox) -> Turn:
    run_out(load_turn(turn.pk), box)
    close_turn(turn.pk, box)
    return load_turn(turn.pk)


def test_a_lost_box_is_never_tallied_as_empty(box: BallotBox, valkey_url: str) -> None:
    turn = start(box)
    open_now(turn, box)
    vote(turn, box, red=[3, 3], yellow=[5])
    run_out(turn, box)
    empty(valkey_url)
    close_turn(turn.pk, box)
    restored = load_turn(turn.pk)
    assert (restored.state, restored.epoch) == (TurnState.OPEN, 2)
    assert restored.closes_at - box.now() > RESTORED_MIN_MS - 1_000
    assert not TallyRecord.objects.exists()
    assert kinds(turn.match.event_id)[-1] == "turn.restored"
    vote(restored, box, red=[3, 3], yellow=[5])
    after = play_out(turn, box)
    assert (after.red_pick, after.yellow_pick) == (3, 5)
    assert tally_of(turn, "red").ballots == 2


def test_a_box_that_is_not_lost_is_not_restored(box: BallotBox) -> None:
    turn = start(box)
    restore_turn(turn.pk, box)
    assert load_turn(turn.pk).epoch == 1


@pytest.mark.django_db(transaction=True)
def test_of_many_that_restore_a_box_one_does(box: BallotBox, valkey_url: str) -> None:
    turn = start(box)
    empty(valkey_url)
    at_once(4, lambda own: restore_turn(turn.pk, own))
    assert load_turn(turn.pk).epoch == 2
    assert kinds(turn.match.event_id).count("turn.restored") == 1


def test_the_ballots_of_a_long_window_are_put_back_into_a_lost_box(box: BallotBox, valkey_url: str) -> None:
    turn = start(box, window_s=LONG_S)
    open_now(turn, box)
    vote(turn, box, red=[4, 4, 1])
    store(turn, ballots("red", [4, 4, 1]))
    empty(valkey_url)
    restore_turn(turn.pk, box)
    restored = load_turn(turn.pk)
    vote(restored, box, yellow=[2])
    run_out(restored, box)
    sealed = box.seal(boxed(restored))
    assert isinstance(sealed, Sealed)
    assert [b.voter for b in sealed.ballots] == ["red1", "red2", "red3", "yellow1"]


def test_a_stored_ballot_that_the_box_does_not_hold_counts(box: BallotBox) -> None:
    """The box came back from an older copy of itself: what was written down still counts, once."""
    turn = start(box, window_s=LONG_S)
    open_now(turn, box)
    vote(turn, box, red=[1, 1])
    store(turn, [*ballots("red", [6], sequence=2), Ballot("red9", "red", 6, 1)])
    play_out(turn, box)
    record = tally_of(turn, "red")
    assert (record.counts, record.ballots, record.pick) == ([1, 0, 0, 0, 0, 2, 0], 3, 6)
