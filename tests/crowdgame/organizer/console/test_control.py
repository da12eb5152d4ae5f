"""The effects of organizer actions on matches: abort, void, captains; each happens once."""

from contextlib import closing

import pytest
from django.conf import settings
from redis import Redis
from redis.exceptions import TimeoutError  # noqa: A004

from crowdgame.events.models import AuditEntry
from crowdgame.organizer.console.abandoned_rehearsals import GRACE_S, AbandonedRehearsals
from crowdgame.organizer.console.actions.turn_time import pause_turn
from tests.voting.action_helpers import event_of, press, record_voters, refused
from tests.voting.box_helpers import seal
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import RED_WINS, kinds, only_turn, open_now, play, play_turn, start
from tests.voting.sample_matches import record_of
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxedTurn, PlaceResult, TooEarly, event_key
from voting.counting.ballots import unpack_ballots
from voting.counting.voter_codes import derive_voter_code
from voting.counting.window import START_LEAD_MS
from voting.matches import live_turn
from voting.models import Event, Match, TallyRecord, TurnState
from voting.records.recount import find_faults
from voting.terms import MatchState
from voting.turns.closing import close_turn
from voting.turns.turns import load_turn, to_boxed_turn

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("paused", [False, True])
def test_aborted_match_is_over_and_next_may_start(paused: bool, box: BallotBox) -> None:
    turn = start(box)
    if paused:
        press(event_of(turn), "turn.pause", box)
    press(event_of(turn), "match.abort", box)
    match = Match.objects.get(pk=turn.match_id)
    assert (match.state, match.result) == (MatchState.ABORTED, None)
    assert live_turn(match) is None
    close_turn(turn.pk, box)
    assert load_turn(turn.pk).state == TurnState.VOID
    press(event_of(turn), "match.start", box)
    assert kinds(event_of(turn))[-2:] == ["match.aborted", "match.started"]


def test_action_affects_only_its_own_event(box: BallotBox) -> None:
    mine, other = start(box), start(box)
    with refused("already ended"):
        press(event_of(mine), "turn.close", box, turn=other.pk)
    press(event_of(other), "match.abort", box)
    assert Match.objects.get(pk=mine.match_id).state == MatchState.PLAYING


def test_voided_turn_is_voted_again(box: BallotBox) -> None:
    turn = start(box)
    play_turn(turn, box, red=[3], yellow=[4])
    following = only_turn(turn.match)
    before = box.now()
    press(event_of(turn), "turn.void", box)
    again = only_turn(turn.match)
    assert [load_turn(one.pk).state for one in (turn, following)] == [TurnState.VOID] * 2
    assert again.pk not in {turn.pk, following.pk}
    assert (again.number, again.seed != turn.seed) == (1, True)
    assert again.opens_at >= before + START_LEAD_MS
    assert isinstance(seal(box, to_boxed_turn(again)), TooEarly)
    after = play_turn(again, box, red=[7], yellow=[7])
    assert (after.red_pick, after.yellow_pick) == (7, 7)
    assert kinds(event_of(turn)).count("turn.voided") == 1


def test_turns_are_voided_newest_first_discarding_a_paused_one(box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, [(1, 2), (3, 4)])
    with refused("Another turn has been revealed"):
        press(event_of(turn), "turn.void", box, turn=turn.pk)
    press(event_of(turn), "turn.pause", box)
    for number in (2, 1):
        press(event_of(turn), "turn.void", box)
        assert (only_turn(turn.match).number, only_turn(turn.match).state) == (number, TurnState.OPEN)
    with refused("no turn to take back"):
        press(event_of(turn), "turn.void", box)


def test_last_turn_of_ended_match_can_be_voided(box: BallotBox) -> None:
    turn = start(box, next_match_after_s=30)
    play(turn.match, box, RED_WINS)
    press(event_of(turn), "turn.void", box)
    match = Match.objects.get(pk=turn.match_id)
    assert (match.state, match.result, match.ended_at) == (MatchState.PLAYING, None, None)
    assert Event.objects.get(pk=event_of(turn)).next_match_at is None
    assert only_turn(match).number == 4
    play(match, box, [(1, 3)])
    assert Match.objects.get(pk=match.pk).result == "red"


def test_captain_breaks_ties_from_next_turn_on(box: BallotBox) -> None:
    turn, code = start(box, tie_rule="captain"), derive_voter_code("red1")
    record_voters(event_of(turn), code)
    press(event_of(turn), "voter.captain", box, voter_code=code, team=1)
    for _ in range(2):
        play_turn(only_turn(turn.match), box, red=[5, 1, 1, 5], yellow=[4])
    first, second = TallyRecord.objects.filter(turn__match=turn.match, side="red").order_by("turn__number")
    assert (first.decided_by, first.captain) == ("lot", None), "nobody was captain when it was planned"
    assert (second.decided_by, second.pick) == ("captain", 5)
    assert unpack_ballots(bytes(second.sealed))[second.captain or 0].voter == "red1"
    assert find_faults(record_of(turn.match)) == []


def test_action_on_outdated_turn_is_refused(box: BallotBox) -> None:
    turn = start(box)
    stale = load_turn(turn.pk)
    press(event_of(turn), "turn.extend", box)
    with refused("The turn changed in the meantime"):
        pause_turn(stale, box)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("action", "kind"),
    [
        ("turn.pause", "turn.paused"),
        ("turn.close", "turn.revealed"),
        ("turn.void", "turn.voided"),
        ("match.abort", "match.aborted"),
    ],
)
def test_concurrent_actions_succeed_once(action: str, kind: str, box: BallotBox) -> None:
    turn = start(box)
    play(turn.match, box, [(1, 2)])
    turn = only_turn(turn.match)
    open_now(turn, box)
    event_id = event_of(turn)
    ask = {"turn": turn.pk} if action in {"turn.pause", "turn.close"} else {}
    before = kinds(event_id).count(kind)
    losers = at_once(4, lambda own: press(event_id, action, own, **ask))
    assert (len(losers), kinds(event_id).count(kind)) == (3, before + 1)
    assert turn.match.turns.filter(state__in=["open", "paused"]).count() == (action != "match.abort")


def test_committed_action_succeeds_though_ballot_box_times_out(box: BallotBox) -> None:
    class SilentBox(BallotBox):
        """Answers the time, but times out when a window is placed."""

        def place(self, turn: BoxedTurn, *, create: bool) -> PlaceResult:
            raise TimeoutError("Timeout reading from socket")

    turn = start(box)
    with closing(SilentBox()) as silent:
        press(event_of(turn), "turn.extend", silent, turn=turn.pk, seconds=60)
    assert load_turn(turn.pk).closes_at == turn.closes_at + 60_000
    assert kinds(event_of(turn))[-1] == "turn.moved"


@pytest.mark.parametrize(
    ("seconds", "rehearsed", "crowd", "state"),
    [
        (GRACE_S - 1, True, False, "playing"),
        (GRACE_S, True, False, "aborted"),
        (GRACE_S, False, False, "playing"),
        (GRACE_S, True, True, "playing"),
    ],
)
def test_only_rehearsed_match_is_aborted_after_its_crowd_has_left(
    seconds: int, rehearsed: bool, crowd: bool, state: str, box: BallotBox
) -> None:
    match = start(box).match
    Match.objects.filter(pk=match.pk).update(rehearsed=rehearsed)
    if crowd:
        with Redis.from_url(settings.REDIS_URL) as redis:
            redis.hset(event_key(match.event_id, "rehearsal"), "run", "a crowd")
    times = iter((0.0, seconds))
    job = AbandonedRehearsals(box, lambda: next(times))
    for _ in range(2):
        job.abort_all()
    assert Match.objects.get(pk=match.pk).state == state
    logged = [str(entry) for entry in AuditEntry.objects.all()]
    assert logged == ["The simulated crowd has left, so match 1 was aborted"] * (state == "aborted")
