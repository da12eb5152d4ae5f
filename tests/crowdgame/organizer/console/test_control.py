from typing import Any

import pytest
from django.conf import settings
from redis import Redis
from redis.exceptions import TimeoutError  # noqa: A004

from crowdgame.events.models import AuditEntry
from crowdgame.organizer.console.abandoned_rehearsals import GRACE_S, AbandonedRehearsals
from crowdgame.organizer.console.actions.turn_time import pause_turn
from games.engine.game import SIDES
from tests.voting import match_helpers as helpers
from tests.voting.action_helpers import event_of, press, refused, words_of
from tests.voting.box_helpers import empty, seal
from tests.voting.concurrency_helpers import at_once
from tests.voting.sample_matches import record_of
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import TooEarly, event_key
from voting.counting.ballots import HAND_VOTER_PREFIX, Ballot, unpack_ballots
from voting.counting.window import START_LEAD_MS
from voting.matches import claim_turn, live_turn
from voting.models import Event, Match, StoredBallot, Team, Turn, TurnState
from voting.protocol import MAX_HANDS
from voting.records.recount import find_faults
from voting.terms import HANDS, MatchState
from voting.turns.closing import close_turn
from voting.turns.early_close import close_turn_early
from voting.turns.restoring import restore_turn
from voting.turns.turns import load_turn, start_match, to_boxed_turn

pytestmark = pytest.mark.django_db
DOVES = 2


@pytest.mark.parametrize("paused", [False, True])
def test_aborted_match_is_over_and_next_may_start(paused: bool, box: BallotBox) -> None:
    turn = helpers.start(box)
    if paused:
        press(event_of(turn), "turn.pause", box)
    press(event_of(turn), "match.abort", box)
    match = Match.objects.get(pk=turn.match_id)
    assert (match.state, match.result) == (MatchState.ABORTED, None)
    assert live_turn(match) is None
    close_turn(turn.pk, box)
    assert load_turn(turn.pk).state == TurnState.VOID
    press(event_of(turn), "match.start", box)
    assert helpers.kinds(event_of(turn))[-2:] == ["match.aborted", "match.started"]


def test_action_affects_only_its_own_event_and_the_turn_it_has_seen(box: BallotBox) -> None:
    mine, other = helpers.start(box), helpers.start(box)
    seen = load_turn(mine.pk)
    with refused("already ended"):
        press(event_of(mine), "turn.close", box, turn=other.pk)
    press(event_of(mine), "turn.extend", box)
    with refused("The turn changed in the meantime"):
        pause_turn(seen, box)
    press(event_of(other), "match.abort", box)
    assert Match.objects.get(pk=mine.match_id).state == MatchState.PLAYING


def test_voided_turn_is_voted_again(box: BallotBox) -> None:
    turn = helpers.start(box)
    helpers.play_turn(turn, box, red=[3], yellow=[4])
    following = helpers.only_turn(turn.match)
    before = box.now()
    press(event_of(turn), "turn.void", box)
    again = helpers.only_turn(turn.match)
    assert [load_turn(one.pk).state for one in (turn, following)] == [TurnState.VOID] * 2
    assert again.pk not in {turn.pk, following.pk}
    assert (again.number, again.seed != turn.seed) == (1, True)
    assert again.opens_at >= before + START_LEAD_MS
    assert isinstance(seal(box, to_boxed_turn(again)), TooEarly)
    after = helpers.play_turn(again, box, red=[7], yellow=[7])
    assert (after.red_pick, after.yellow_pick) == (7, 7)


def test_turns_are_voided_newest_first_discarding_a_paused_one(box: BallotBox) -> None:
    turn = helpers.start(box)
    helpers.play(turn.match, box, [(1, 2), (3, 4)])
    with refused("Another turn has been revealed"):
        press(event_of(turn), "turn.void", box, turn=turn.pk)
    press(event_of(turn), "turn.pause", box)
    for number in (2, 1):
        press(event_of(turn), "turn.void", box)
        live = helpers.only_turn(turn.match)
        assert (live.number, live.state) == (number, TurnState.OPEN)


def test_last_turn_of_ended_match_can_be_voided(box: BallotBox) -> None:
    turn = helpers.start(box, next_match_after_s=30)
    helpers.play(turn.match, box, helpers.RED_WINS)
    press(event_of(turn), "turn.void", box)
    match = Match.objects.get(pk=turn.match_id)
    assert (match.state, match.result, match.ended_at) == (MatchState.PLAYING, None, None)
    assert Event.objects.get(pk=event_of(turn)).next_match_at is None
    assert helpers.only_turn(match).number == 4
    helpers.play(match, box, [(1, 3)])
    assert Match.objects.get(pk=match.pk).result == "red"


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
    turn = helpers.start(box)
    helpers.play(turn.match, box, [(1, 2)])
    turn = helpers.only_turn(turn.match)
    helpers.open_now(turn, box)
    event_id = event_of(turn)
    ask = {"turn": turn.pk} if action in {"turn.pause", "turn.close"} else {}
    before = helpers.kinds(event_id).count(kind)
    losers = at_once(4, lambda own: press(event_id, action, own, **ask))
    assert (len(losers), helpers.kinds(event_id).count(kind)) == (3, before + 1)
    assert turn.match.turns.filter(state__in=["open", "paused"]).count() == (action != "match.abort")


def test_action_succeeds_though_ballot_box_times_out(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    def place(*_: object, create: bool) -> None:
        raise TimeoutError("Timeout reading from socket")

    turn = helpers.start(box)
    monkeypatch.setattr(box, "place", place)
    press(event_of(turn), "turn.extend", box, turn=turn.pk, seconds=60)
    assert load_turn(turn.pk).closes_at == turn.closes_at + 60_000
    assert helpers.kinds(event_of(turn))[-1] == "turn.moved"


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
    match = helpers.start(box).match
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


def by_hands(box: BallotBox, *teams: int, **choices: Any) -> Turn:
    """An open turn of a match in which these teams, or else the second, vote by a show of hands."""
    event = helpers.new_event(**choices)
    Team.objects.filter(event=event, number__in=teams or (DOVES,)).update(source=HANDS)
    turn = helpers.only_turn(start_match(event.pk, box))
    helpers.open_now(turn, box)
    return load_turn(turn.pk)


def count(turn: Turn, box: BallotBox, *hands: int, team: int = DOVES) -> str:
    return words_of(event_of(turn), "hands.count", box, turn=turn.pk, team=team, hands=hands)


@pytest.mark.parametrize(
    ("counted", "tally", "pick", "decided_by"),
    [
        ([(9, 9, 9), (0, 0, 0, 2), (1, 0, 0, 3)], [1, 0, 0, 3, 0, 0, 0], 4, "plurality"),
        ([(5,), (0, 0)], [0] * 7, None, "pass"),
        ([(MAX_HANDS,)], [MAX_HANDS, 0, 0, 0, 0, 0, 0], 1, "plurality"),
        ([(1, 2)], [5, 10, 0, 0, 0, 0, 0], 2, "score"),
    ],
)
def test_latest_hand_count_is_tallied(
    counted: list[tuple[int, ...]], tally: list[int], pick: int | None, decided_by: str, box: BallotBox
) -> None:
    method = "score" if decided_by == "score" else "plurality"
    turn = by_hands(box, 1, 2, no_ballot_rule="pass", tally_method=method)
    count(turn, box, 1, team=1)
    for hands in counted:
        count(turn, box, *hands)
    after = helpers.play_out(turn, box)
    stored = helpers.tally_of(turn, "yellow")
    assert (after.red_pick, after.yellow_pick) == (1, pick)
    assert (stored.counts, stored.ballots, stored.decided_by) == (tally, sum(counted[-1]), decided_by)
    assert find_faults(record_of(turn.match)) == []


def test_latest_hand_count_survives_pause_and_ballot_box_loss(box: BallotBox) -> None:
    def lose_box() -> None:
        empty()
        restore_turn(turn.pk, box)
        helpers.open_now(load_turn(turn.pk), box)

    turn = by_hands(box)
    count(turn, box, 6, 6, 6)
    lose_box()
    helpers.vote(load_turn(turn.pk), box, red=[1])
    count(turn, box, 0, 2, 0, 0, 7)
    for action in ("turn.pause", "turn.extend", "turn.resume", "turn.extend", "turn.shorten"):
        press(event_of(turn), action, box)
    lose_box()
    helpers.vote(load_turn(turn.pk), box, red=[3, 3, 5])
    helpers.play_out(turn, box)
    counts = [helpers.tally_of(turn, side).counts for side in SIDES]
    assert counts == [[0, 0, 2, 0, 1, 0, 0], [0, 2, 0, 0, 7, 0, 0]]
    sealed = unpack_ballots(bytes(helpers.tally_of(turn, "yellow").sealed))
    assert len({ballot.blind for ballot in sealed}) == len({ballot.voter for ballot in sealed}) == 9
    assert find_faults(record_of(turn.match)) == []


def test_hand_count_replaces_the_last_one_but_no_phone_ballots_and_stops_a_close(box: BallotBox) -> None:
    turn = by_hands(box, window_s=3600)
    helpers.store(turn, [Ballot("ada", "red", 4, 1), Ballot("bob", "yellow", 7, 1)])
    closing = load_turn(turn.pk)
    for hands in (2, 1):
        count(turn, box, hands)
    ada, bob, by_hand = StoredBallot.objects.filter(turn=turn).values_list("voter", flat=True).order_by("pk")
    assert (ada, bob, by_hand.startswith(HAND_VOTER_PREFIX)) == ("ada", "bob", True)
    assert not claim_turn(closing, state=TurnState.RESOLVED, resolved_at=box.now())
    assert load_turn(turn.pk).state == TurnState.OPEN


def test_hand_count_needs_legal_columns_and_a_turn_without_phone_votes(box: BallotBox) -> None:
    turn = by_hands(box)
    helpers.vote(turn, box, red=[7], yellow=[7])  # by phones, before the team was set to hands
    with refused("Doves has voted by phone"):
        count(turn, box, 1)
    helpers.play_out(turn, box)
    helpers.play(turn.match, box, [(7, 7)] * 2)
    turn = helpers.only_turn(turn.match)
    helpers.open_now(turn, box)
    with refused("Column 7"):
        count(turn, box, 0, 0, 0, 0, 0, 0, 1)
    with refused("Column 8"):
        count(turn, box, 0, 0, 0, 0, 0, 0, 0, 1)
    assert count(turn, box, 1, 0, 0, 0, 0, 0, 0, 0)


@pytest.mark.parametrize("to_move", [True, False])
def test_hands_are_counted_and_awaited_only_for_team_to_move(to_move: bool, box: BallotBox) -> None:
    terms: dict[str, Any] = {} if to_move else {"game": "captains-mistress", "options": {"first": "red"}}
    turn = by_hands(box, close_early=True, **terms)
    helpers.vote(turn, box, red=[3])
    if to_move:
        close_turn_early(turn.pk, turn.closes_at, box)
        assert load_turn(turn.pk).state == TurnState.OPEN
        count(turn, box, 0, 1)
    else:
        with refused("Doves does not move"):
            count(turn, box, 1)
    close_turn_early(turn.pk, turn.closes_at, box)
    assert load_turn(turn.pk).state == TurnState.RESOLVED


@pytest.mark.django_db(transaction=True)
def test_concurrent_hand_counts_store_one_whole_count(box: BallotBox) -> None:
    turn = by_hands(box)
    counts = [(3, 0, 0), (0, 5, 0), (0, 0, 7), (2, 2, 2)]
    left = list(counts)
    refusals = at_once(len(counts), lambda own: count(turn, own, *left.pop()))
    assert len(refusals) < len(counts)
    helpers.play_out(turn, box)
    assert helpers.tally_of(turn, "yellow").counts in [[*one, 0, 0, 0, 0] for one in counts]
