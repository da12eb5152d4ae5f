from contextlib import AbstractContextManager
from typing import Any

import pytest

from games.engine.registry import find_game
from tests.voting import match_helpers as helpers
from tests.voting.action_helpers import event_of, press, refused
from tests.voting.box_helpers import seal
from tests.voting.sample_matches import MATCHES, play_match
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import TooEarly
from voting.counting.ballots import DRAW, RESIGN, Ballot
from voting.counting.methods.voting_method import METHODS
from voting.counting.voter_codes import derive_voter_code
from voting.counting.window import SPECIAL_RULE_MS, START_LEAD_MS
from voting.matches import create_match, live_turn, locked_event
from voting.models import Event, Match, Turn, TurnState
from voting.positions import end_reason, load_position
from voting.terms import BOT, HANDS, EndReason, Lobby, MatchState, TieRule
from voting.turns import turns
from voting.turns.closing import close_turn
from voting.turns.event_end import end_event
from voting.turns.outcomes import captain_index
from voting.turns.scheduler import DeadlineScheduler
from voting.turns.turns import load_turn, start_due_match, start_match, to_boxed_turn
from voting.turns.voiding import take_back_turn

MINUTE_MS = 60_000
UNPLAYABLE = ({"game": "draughts"}, {"options": {"columns": 99}}, {"options": {"colour": 1}})


@pytest.mark.parametrize(
    ("special", "rules", "lobby", "lobby_after"),
    [({}, 0, "closed", "open"), ({"resign": "half", "tie_rule": "captain"}, 2, "locked", "locked")],
)
def test_start_match_opens_lobby_and_first_turn_after_its_rules_are_read(
    special: dict[str, Any], rules: int, lobby: str, lobby_after: str, box: BallotBox
) -> None:
    event = helpers.new_event(window_s=20, lobby=lobby, **special)
    before = box.now()
    match = start_match(event.pk, box)
    turn = helpers.only_turn(match)
    assert (turn.number, turn.state, turn.version, turn.epoch) == (1, TurnState.OPEN, 1, 1)
    assert before <= turn.opens_at - START_LEAD_MS - rules * SPECIAL_RULE_MS <= box.now()
    assert turn.closes_at - turn.opens_at == 20_000
    assert seal(box, to_boxed_turn(turn)) == TooEarly(turn.closes_at)
    assert helpers.kinds(event.pk) == ["match.started"]
    assert Event.objects.get(pk=event.pk).lobby == Lobby(lobby_after)


@pytest.mark.parametrize(
    ("terms", "words"),
    [
        *((terms, r"This game cannot be played: .+\.") for terms in UNPLAYABLE),
        ({"tally_method": "loudest"}, "no voting method “loudest”"),
        ({"tally_method": "approval"}, "“Approval” allows up to 6 choices"),
        ({"game": "goofspiel"}, "the match is over before the first turn"),
    ],
)
def test_unplayable_terms(
    terms: dict[str, Any], words: str, box: BallotBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(METHODS["approval"], "max_columns", 6)
    monkeypatch.setattr(type(find_game("goofspiel")), "to_move", lambda self, state: ())
    event = helpers.new_event(**terms)
    with refused(words):
        start_match(event.pk, box)
    Event.objects.update(next_match_at=box.now())
    start_due_match(event.pk, box)
    event.refresh_from_db()
    assert (event.next_match_at, event.matches.exists()) == (None, False)
    assert helpers.kinds(event.pk) == ["event.edited"]


def test_won_match_ends_and_next_one_starts_once_when_due(box: BallotBox) -> None:
    event = helpers.new_event(next_match_after_s=30, pace="normal")
    match = start_match(event.pk, box)
    helpers.play(match, box, helpers.RED_WINS)
    match.refresh_from_db()
    last = match.turns.get(number=4)
    assert (match.state, match.result, match.ended_by) == (MatchState.ENDED, "red", "board")
    assert match.ended_at == last.resolved_at
    assert live_turn(match) is None
    assert len({*match.turns.values_list("seed", flat=True)}) == 4, "each turn has its own"
    event.refresh_from_db()
    assert event.next_match_at == (last.resolved_at or 0) + helpers.reveal_ms(last) + 30_000
    Event.objects.filter(pk=helpers.new_event().pk).update(next_match_at=box.now())
    scheduler = DeadlineScheduler(box)
    scheduler.run_once()
    start_due_match(event.pk, box)
    assert event.matches.count() == 1, "another event is due"
    Event.objects.filter(pk=event.pk).update(next_match_at=box.now())
    for _ in range(2):
        scheduler.run_once()
    assert [m.number for m in event.matches.order_by("pk")] == [1, 2]
    assert Event.objects.get(pk=event.pk).next_match_at is None
    assert helpers.kinds(event.pk).count("match.started") == 2


def test_match_canceled_at_its_start_does_not_start(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    def cancel_first(event_id: int) -> AbstractContextManager[Event]:
        Event.objects.filter(pk=event_id).update(next_match_at=None)
        return locked_event(event_id)

    event = helpers.new_event()
    Event.objects.update(next_match_at=box.now())
    monkeypatch.setattr(turns, "locked_event", cancel_first)
    start_due_match(event.pk, box)
    assert not event.matches.exists()


def test_match_pauses_after_two_turns_without_votes(box: BallotBox) -> None:
    match = helpers.start(box, no_ballot_rule="pass", window_s=20, talk_s=5).match
    seen = []
    for votes in ([], [1], [], []):
        turn = helpers.only_turn(match)
        seen.append(turn.state)
        helpers.play_turn(turn, box, votes)
    assert seen == [TurnState.OPEN] * 4
    turn = helpers.only_turn(match)
    assert (turn.state, turn.left_ms, turn.talk_left_ms) == (TurnState.PAUSED, 20_000, 5_000)
    announced: Any = load_snapshot(match.event).match
    assert (announced.turn.paused, announced.turn.idle) == (True, True)
    helpers.play_turn(turn, box, [2], [3])
    assert helpers.only_turn(match).state == TurnState.OPEN


def test_next_match_does_not_start_by_itself_without_voters(box: BallotBox) -> None:
    event = helpers.new_event(next_match_after_s=30, no_ballot_rule="forfeit")
    scheduled = []
    for _ in range(2):
        helpers.play_turn(helpers.only_turn(start_match(event.pk, box)), box)
        scheduled.append(Event.objects.get(pk=event.pk).next_match_at is not None)
    assert scheduled == [True, False]


def test_start_match_draws_lot_for_first_side(box: BallotBox) -> None:
    event = helpers.new_event(game=helpers.CLASSIC, options={"first": "lot"})
    match = start_match(event.pk, box)
    assert match.options["first"] in {"red", "yellow"}
    assert Event.objects.get(pk=event.pk).options == {"first": "lot"}


def test_scheduler_aborts_live_or_paused_match_only_at_event_end(box: BallotBox) -> None:
    ending, paused, other, later = (helpers.start(box) for _ in range(4))
    helpers.open_now(paused, box)
    press(event_of(paused), "turn.pause", box)
    scheduler = DeadlineScheduler(box)
    scheduler.run_once()
    for turn, ends_in_ms in ((ending, 0), (paused, 0), (later, MINUTE_MS)):
        Event.objects.filter(pk=turn.match.event_id).update(ends_at=box.now() + ends_in_ms)
    for _ in range(2):
        scheduler.chores_at -= 2
        scheduler.run_once()
    states = dict(Match.objects.values_list("pk", "state"))
    playing = dict.fromkeys((other.match_id, later.match_id), MatchState.PLAYING)
    assert states == dict.fromkeys((ending.match_id, paused.match_id), MatchState.ABORTED) | playing
    assert load_turn(ending.pk).state == TurnState.VOID
    state = helpers.last_announced(ending.match.event_id)
    assert (state.match and state.match.state, state.match and state.match.turn) == ("aborted", None)


def test_event_ends_after_the_count_of_its_last_turn_and_starts_no_match(box: BallotBox) -> None:
    event = helpers.new_event()
    Event.objects.update(ends_at=box.now() + MINUTE_MS, next_match_at=box.now())
    match = start_match(event.pk, box)
    helpers.play(match, box, helpers.RED_WINS)
    Event.objects.update(ends_at=box.now())
    with refused("The event is over"):
        take_back_turn(event.pk, box, lambda _: None)
    Event.objects.update(ends_at=box.now() + MINUTE_MS)
    take_back_turn(event.pk, box, lambda _: None)
    last = helpers.only_turn(match)
    helpers.open_now(last, box)
    helpers.vote(last, box, red=[3], yellow=[4])
    helpers.run_out(last, box)
    Event.objects.update(ends_at=box.now(), next_match_at=box.now())
    end_event(event.pk, box)
    assert load_turn(last.pk).state == TurnState.OPEN, "its window is over, so it is counted first"
    close_turn(last.pk, box)
    end_event(event.pk, box)
    assert (load_turn(last.pk).state, Match.objects.get().state) == ("resolved", MatchState.ABORTED)
    with refused("The event is over"):
        start_match(event.pk, box)
    DeadlineScheduler(box).run_once()
    assert (event.matches.count(), Event.objects.get().next_match_at) == (1, None)


@pytest.mark.parametrize(("ends_in_ms", "planned"), [(MINUTE_MS // 2, False), (10 * MINUTE_MS, True)])
def test_next_match_is_planned_only_before_event_end(ends_in_ms: int, planned: bool, box: BallotBox) -> None:
    event = helpers.new_event(next_match_after_s=60)
    match = helpers.only_turn(start_match(event.pk, box)).match
    Event.objects.update(ends_at=box.now() + ends_in_ms)
    helpers.play(match, box, helpers.RED_WINS)
    assert (Event.objects.get().next_match_at is not None) is planned


@pytest.mark.parametrize(
    ("rule", "captain", "index"),
    [
        (TieRule.CAPTAIN, "bob", 1),
        (TieRule.CAPTAIN, "carol", None),
        (TieRule.CAPTAIN, "", None),
        (TieRule.LOT, "bob", None),
    ],
)
def test_captain_is_named_by_captain_rule(rule: TieRule, captain: str, index: int | None) -> None:
    turn = Turn(match=Match(tie_rule=rule), red_captain=captain and derive_voter_code(captain))
    ballots = [Ballot("ada", "red", 3, 1), Ballot("bob", "red", 4, 1)]
    assert captain_index(turn, "red", ballots) == index


def offer_in(turn: Turn) -> Any:
    state = helpers.last_announced(event_of(turn))
    assert state == helpers.shown(event_of(turn))
    match: Any = state.match
    return match.turn.draw_offered_by


@pytest.mark.parametrize(
    ("name", "offers", "result"),
    [
        ("draw accepted", ["", "", "red", "red"], "draw"),
        ("draw offered by both", [""], "draw"),
        ("draw offers lapsed", ["", "red", "", "yellow", ""], None),
        ("won despite offers", ["", "", "", ""], "red"),
        ("draw alternating", ["", "yellow"], "draw"),
        ("draw concealed", ["", "", "red", "red"], "draw"),
        ("draw in both halves", ["", ""], "draw"),
        ("draw accepted in secret", ["", "", "yellow"], "draw"),
    ],
)
def test_majority_agrees_to_draw(name: str, offers: list[str], result: str | None, box: BallotBox) -> None:
    match = play_match(box, *MATCHES[name])
    turns = match.turns.order_by("number")
    assert list(turns.values_list("draw_offered_by", flat=True)) == offers
    assert match.result == result
    assert (match.ended_by == "agreed") is (result == "draw")
    assert (end_reason(match, load_position(match)) == EndReason.AGREED) is (result == "draw")


def test_offer_is_public_and_logged_until_answered(box: BallotBox, caplog: pytest.LogCaptureFixture) -> None:
    opening = helpers.start(box, draw_offers=True)
    first = helpers.play_turn(opening, box, red=[DRAW + 1, DRAW + 2, 3], yellow=[DRAW + 4, 4])
    assert (helpers.tally_of(first, "red").draw_votes, helpers.tally_of(first, "yellow").draw_votes) == (2, 1)
    assert (first.red_pick, offer_in(first)) == (1, "red")
    assert "a draw offer of red stands" in caplog.text
    caplog.clear()
    helpers.play_turn(helpers.only_turn(first.match), box, red=[1], yellow=[2])
    assert offer_in(first) is None
    assert "draw offer" not in caplog.text
    press(event_of(first), "turn.void", box)
    assert offer_in(first) == "red", "the answer is taken back"
    press(event_of(first), "turn.void", box)
    assert offer_in(first) is None, "the offer itself is taken back"
    half = helpers.play_turn(helpers.start(box, game=helpers.SELECTOR, draw_offers=True), box, red=[DRAW + 4])
    assert offer_in(half) is None, "not before its reveal"
    assert "draw offer" not in caplog.text
    helpers.play_turn(helpers.only_turn(half.match), box, yellow=[2])
    assert offer_in(half) == "red"


def test_offers_need_two_crowds_with_phones_and_public_sides() -> None:
    assert create_match(helpers.new_event(draw_offers=True), now=5).draw_offers
    for terms in ({"fixed_players": True}, {"max_side_changes": 1}):
        assert not create_match(helpers.new_event(draw_offers=True, **terms), now=5).draw_offers
    for source in (HANDS, f"{BOT}:3"):
        event = helpers.new_event(draw_offers=True)
        event.teams.filter(number=2).update(source=source)
        assert not create_match(event, now=5).draw_offers


def test_resignation_precedes_a_draw_and_stored_ballots_keep_their_request(box: BallotBox) -> None:
    opening = helpers.start(box, draw_offers=True, resign="half")
    first = helpers.play_turn(opening, box, red=[DRAW + 1], yellow=[4])
    helpers.play_turn(helpers.only_turn(first.match), box, red=[RESIGN + 1], yellow=[DRAW + 4])
    match = Match.objects.get(pk=first.match_id)
    assert (match.result, match.ended_by) == ("yellow", "resign")
    turn = helpers.start(box, draw_offers=True)
    helpers.store(turn, [Ballot("ada", "red", DRAW + 3, 1), Ballot("bob", "yellow", DRAW + 4, 1)])
    assert helpers.play_turn(turn, box).match_id
    assert Match.objects.get(pk=turn.match_id).ended_by == "agreed"
