"""The effects of organizer actions on matches: abort, void, captains; each happens once."""

from collections.abc import Callable

import pytest
from redis import Redis
from redis.exceptions import TimeoutError  # noqa: A004

from crowdgame.events.models import AuditEntry
from crowdgame.organizer.console.abandoned_rehearsals import GRACE_S, AbandonedRehearsals
from crowdgame.organizer.console.actions.turn_time import pause_turn
from tests.voting.action_helpers import event_of, press, record_voters, refused
from tests.voting.box_helpers import seal
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import RED_WINS, kinds, only_turn, open_now, play, play_turn, start, tally_of
from tests.voting.sample_matches import record_of
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxedTurn, PlaceResult, TooEarly, event_key
from voting.counting.ballots import unpack_ballots
from voting.counting.voter_codes import derive_voter_code
from voting.counting.window import START_LEAD_MS
from voting.matches import live_turn
from voting.models import Announcement, Event, Match, Turn, TurnState
from voting.records.recount import find_faults
from voting.terms import MatchState
from voting.turns.closing import close_turn
from voting.turns.turns import load_turn, to_boxed_turn

pytestmark = pytest.mark.django_db

TIED = [5, 1, 1, 5]


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
    press(event_of(mine), "turn.extend", box, turn=mine.pk)
    assert load_turn(other.pk).version == 1
    press(event_of(other), "match.abort", box)
    assert Match.objects.get(pk=mine.match_id).state == MatchState.PLAYING


def test_voided_turn_is_voted_again(box: BallotBox) -> None:
    turn = start(box)
    play_turn(turn, box, red=[3], yellow=[4])
    following = only_turn(turn.match)
    before = box.now()
    press(event_of(turn), "turn.void", box)
    assert load_turn(turn.pk).state == TurnState.VOID
    assert load_turn(following.pk).state == TurnState.VOID
    again = only_turn(turn.match)
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
    turn = start_with_captain(box, "captain")
    assert load_snapshot(turn.match.event).captains
    play_turn(turn, box, red=TIED, yellow=[4])
    tally = tally_of(turn, "red")
    assert (tally.decided_by, tally.captain) == ("lot", None), "nobody was captain when it was planned"
    turn = only_turn(turn.match)
    play_turn(turn, box, red=TIED, yellow=[4])
    tally = tally_of(turn, "red")
    assert (tally.pick, tally.decided_by) == (5, "captain")
    assert tally.captain is not None
    assert unpack_ballots(bytes(tally.sealed))[tally.captain].voter == "red1"
    assert find_faults(record_of(turn.match)) == []


def test_captain_has_no_effect_without_captain_tie_rule(box: BallotBox) -> None:
    turn = start_with_captain(box, "lot")
    play_turn(turn, box, red=[1], yellow=[4])
    play_turn(only_turn(turn.match), box, red=TIED, yellow=[4])
    tally = tally_of(turn.match.turns.get(number=2), "red")
    assert (tally.decided_by, tally.captain) == ("lot", None)


def start_with_captain(box: BallotBox, tie_rule: str) -> Turn:
    """The first turn of a match whose captain of the red team was appointed after the start."""
    turn, code = start(box, tie_rule=tie_rule), derive_voter_code("red1")
    record_voters(event_of(turn), code)
    press(event_of(turn), "voter.captain", box, voter_code=code, team=1)
    return turn


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
    assert len(losers) == 3
    assert kinds(event_id).count(kind) == before + 1
    assert turn.match.turns.filter(state__in=["open", "paused"]).count() == (action != "match.abort")


@pytest.mark.django_db(transaction=True)
def test_concurrent_pause_close_and_void_leave_one_live_turn(box: BallotBox) -> None:
    turn = start(box)
    event_id = event_of(turn)
    presses: list[Callable[[BallotBox], None]] = [
        lambda own: press(event_id, "turn.pause", own, turn=turn.pk),
        lambda own: press(event_id, "turn.close", own, turn=turn.pk),
        lambda own: press(event_id, "turn.void", own),
    ]
    at_once(3, lambda own: presses.pop()(own))  # noqa: PLW0108  each thread pops its own
    after = load_turn(turn.pk)
    assert after.state in {TurnState.PAUSED, TurnState.RESOLVED, TurnState.VOID}
    assert turn.match.turns.filter(state__in=["open", "paused"]).count() == 1
    seqs = list(Announcement.objects.filter(event_id=event_id).order_by("seq").values_list("seq", flat=True))
    assert seqs == list(range(1, len(seqs) + 1))


class SilentBox(BallotBox):
    """Answers the time, but times out when a window is placed."""

    def place(self, turn: BoxedTurn, *, create: bool) -> PlaceResult:
        raise TimeoutError("Timeout reading from socket")


def test_committed_action_succeeds_though_ballot_box_times_out(box: BallotBox) -> None:
    turn = start(box)
    silent = SilentBox()
    press(event_of(turn), "turn.extend", silent, turn=turn.pk, seconds=60)
    silent.close()
    assert load_turn(turn.pk).closes_at == turn.closes_at + 60_000
    assert kinds(event_of(turn))[-1] == "turn.moved"


@pytest.fixture
def match(box: BallotBox) -> Match:
    match = start(box).match
    Match.objects.filter(pk=match.pk).update(rehearsed=True)
    return match


def abort_after(seconds: float, box: BallotBox, match: Match) -> str:
    """Check now and after some seconds; return the state of the match."""
    times = iter((0.0, seconds))
    job = AbandonedRehearsals(box, lambda: next(times))
    job.abort_all()
    job.abort_all()
    return str(Match.objects.get(pk=match.pk).state)


def test_match_is_aborted_after_its_crowd_has_left(match: Match, box: BallotBox) -> None:
    assert abort_after(GRACE_S - 1, box, match) == "playing"
    assert abort_after(GRACE_S, box, match) == "aborted"
    entry = AuditEntry.objects.get(event_id=match.event_id)
    assert str(entry) == f"The simulated crowd has left, so match {match.number} was aborted"


@pytest.mark.parametrize("rehearsed", [True, False])
def test_match_goes_on_during_or_without_a_rehearsal(
    rehearsed: bool, match: Match, box: BallotBox, valkey_url: str
) -> None:
    Match.objects.filter(pk=match.pk).update(rehearsed=rehearsed)
    if rehearsed:
        Redis.from_url(valkey_url).hset(event_key(match.event_id, "rehearsal"), "run", "a crowd")
    assert abort_after(GRACE_S, box, match) == "playing"
