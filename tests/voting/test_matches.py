from time import time_ns
from typing import Any

import pytest
from django.contrib.auth.models import User

from games.engine.game import Picks
from games.engine.registry import find_game
from voting import events
from voting.announcements.snapshots import load_snapshot
from voting.events import CODE_LETTERS, create_event, generate_code
from voting.matches import (
    MatchError,
    abort_match,
    claim_turn,
    create_match,
    draft_turn,
    end_match,
    live_turn,
    reopen_match,
)
from voting.models import Event, Match, Turn, TurnState
from voting.positions import load_end_reasons, load_position
from voting.terms import HANDS, PHONES, Ending, EndReason, MatchState, TieRule

pytestmark = pytest.mark.django_db


@pytest.fixture
def event() -> Event:
    return create_event(User.objects.create(username="olga"), "An evening", ("Rooks", "Doves"), window_s=30)


def abort(match: Match) -> Match:
    abort_match(match, match.started_at)
    return match


def create_turn(match: Match, number: int, opens_at: int, closes_at: int) -> Turn:
    turn = draft_turn(match, match.event.teams.all(), number, opens_at, closes_at)
    turn.save()
    return turn


def create_resolved_turn(match: Match, number: int, red: int | None, yellow: int | None) -> Turn:
    turn = create_turn(match, number, 1_000, 2_000)
    assert claim_turn(turn, state=TurnState.RESOLVED, red_pick=red, yellow_pick=yellow, resolved_at=2_000)
    return turn


def test_create_event_sets_teams_code_and_options(event: Event) -> None:
    assert list(event.teams.order_by("number").values_list("number", "name")) == [(1, "Rooks"), (2, "Doves")]
    assert (event.window_s, event.lobby, event.seq) == (30, "closed", 0)
    assert len(event.code) == 4
    assert set(event.code) <= set(CODE_LETTERS)


def test_event_code_has_no_vowels_or_ambiguous_characters() -> None:
    assert not set(CODE_LETTERS) & set("AEIOUL01")
    assert len({generate_code() for _ in range(20)}) > 1


def test_codes_grow_longer_when_shorter_ones_are_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "CODE_LETTERS", "B")
    user = User.objects.create(username="grace")
    codes = [create_event(user, "An evening", ("Rooks", "Doves")).code for _ in range(4)]
    assert [len(code) for code in codes] == [4, 6, 8, 14]
    assert len(generate_code()) == 14


def test_match_keeps_terms_from_its_creation(event: Event) -> None:
    match = create_match(event, now=5)
    Event.objects.filter(pk=event.pk).update(window_s=99, options={"columns": 6})
    match.refresh_from_db()
    assert (match.number, match.window_s, match.started_at, match.state) == (1, 30, 5, MatchState.PLAYING)
    assert match.options["columns"] == 7
    assert (match.red.number, match.yellow.number) == (1, 2)


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"bank_s": 60}, "teams that vote by phone, with the same time"),
        ({"tie_rule": TieRule.CAPTAIN}, "combined with captains"),
        ({"game": "captains-mistress"}, "same columns at once"),
        ({"game": "goofspiel"}, "same columns at once"),
        ({"game": "single-selector"}, "same columns at once"),
    ],
)
def test_match_with_secret_sides_refuses_what_reveals_them(
    event: Event, changes: dict[str, Any], text: str
) -> None:
    event.max_side_changes = 1
    for name, value in changes.items():
        setattr(event, name, value)
    with pytest.raises(MatchError, match=text):
        create_match(event, now=5)
    event.max_side_changes = 0
    assert create_match(event, now=5)


@pytest.mark.parametrize("team", [1, 2])
def test_match_with_secret_sides_refuses_shows_of_hands(event: Event, team: int) -> None:
    event.max_side_changes = 1
    event.teams.filter(number=team).update(source=HANDS)
    with pytest.raises(MatchError, match="teams that vote by phone"):
        create_match(event, now=5)
    event.teams.update(source=PHONES)
    assert create_match(event, now=5)


def test_create_match_numbers_matches_and_allows_one_at_a_time(event: Event) -> None:
    first = create_match(event, now=5)
    with pytest.raises(MatchError, match="already live"):
        create_match(event, now=6)
    abort_match(first, now=7)
    assert create_match(event, now=8).number == 2


def test_create_match_after_deletion_takes_unused_number(event: Event) -> None:
    first, second = (abort(create_match(event, now)) for now in (1, 2))
    first.delete()
    assert create_match(event, 3).number == second.number + 1


@pytest.mark.parametrize(
    "choices", [{"game": "draughts"}, {"options": {"columns": 99}}, {"options": {"colour": 1}}]
)
def test_create_match_reports_invalid_game_or_options(event: Event, choices: dict[str, object]) -> None:
    Event.objects.filter(pk=event.pk).update(**choices)
    event.refresh_from_db()
    with pytest.raises(MatchError, match=r"This game cannot be played: .+\."):
        create_match(event, now=5)
    assert not event.matches.exists()


def test_load_position_replays_resolved_turns(event: Event) -> None:
    match = create_match(event, now=5)
    turns = [create_resolved_turn(match, 1, 4, 4), create_resolved_turn(match, 2, 1, None)]
    create_turn(match, 3, 3_000, 4_000)
    position = load_position(match)
    game = find_game(match.game)
    state = game.start(game.options())
    for picks in (Picks(4, 4), Picks(1, None)):
        state, _ = game.resolve(state, picks)
    assert position.state == state
    assert position.turns == tuple(turns)
    assert [r.conflict for r in position.resolutions] == [4, None]


@pytest.mark.parametrize(
    ("tie", "picks", "reason"),
    [
        ("holder", [(1, 7)] * 4, EndReason.HOLDER),
        ("other", [(1, 7)] * 4, EndReason.OTHER),
        ("holder", [*[(1, 7)] * 3, (1, 6)], EndReason.LINE),
    ],
)
def test_end_reason_follows_from_last_turn(
    event: Event, tie: str, picks: list[tuple[int, int]], reason: EndReason
) -> None:
    event.options = {"tie": tie}
    match = create_match(event, now=5)
    for number, (red, yellow) in enumerate(picks, 1):
        create_resolved_turn(match, number, red, yellow)
    assert load_end_reasons([match]) == {match.pk: None}
    end_match(match, "yellow" if tie == "other" else "red", Ending.BOARD, now=time_ns())
    assert load_end_reasons([match]) == {match.pk: reason}
    (finished,) = load_snapshot(event).finished
    assert finished.end_reason == reason


def test_load_position_ignores_void_turns(event: Event) -> None:
    match = create_match(event, now=5)
    first, second = create_resolved_turn(match, 1, 4, 4), create_resolved_turn(match, 2, 1, 2)
    assert claim_turn(second, state=TurnState.VOID)
    create_resolved_turn(match, 2, 7, 7)
    assert [r.conflict for r in load_position(match).resolutions] == [4, 7]
    assert load_position(match).turns[0] == first


def test_claim_turn_fails_on_stale_version(event: Event) -> None:
    turn = create_turn(create_match(event, now=5), 1, 1_000, 2_000)
    mine, theirs = Turn.objects.get(pk=turn.pk), Turn.objects.get(pk=turn.pk)
    assert claim_turn(theirs, closes_at=9_000)
    assert not claim_turn(mine, state=TurnState.VOID)
    assert (mine.state, mine.version) == (TurnState.OPEN, 1)
    turn.refresh_from_db()
    assert (turn.state, turn.closes_at, turn.version) == (TurnState.OPEN, 9_000, 2)


def test_claim_turn_fails_if_state_changed(event: Event) -> None:
    turn = create_turn(create_match(event, now=5), 1, 1_000, 2_000)
    for closes_at in (3_000, 4_000):
        assert claim_turn(turn, closes_at=closes_at)
    assert (turn.version, turn.closes_at) == (3, 4_000)
    Turn.objects.filter(pk=turn.pk).update(state=TurnState.VOID)
    assert not claim_turn(turn, closes_at=9_000)
    turn.refresh_from_db()
    assert (turn.state, turn.closes_at) == (TurnState.VOID, 4_000)


def test_live_turn_is_open_or_paused(event: Event) -> None:
    match = create_match(event, now=5)
    create_resolved_turn(match, 1, 1, 2)
    assert live_turn(match) is None
    turn = create_turn(match, 2, 1_000, 2_000)
    assert live_turn(match) == turn
    assert claim_turn(turn, state=TurnState.PAUSED, left_ms=500)
    assert live_turn(match) == turn
    assert claim_turn(turn, state=TurnState.VOID, left_ms=None)
    assert live_turn(match) is None


def test_match_can_end_and_reopen(event: Event) -> None:
    match = create_match(event, now=5)
    end_match(match, "draw", "board", now=9)
    match.refresh_from_db()
    assert (match.state, match.result, match.ended_by, match.ended_at) == ("ended", "draw", "board", 9)
    reopen_match(match)
    match.refresh_from_db()
    assert (match.state, match.result, match.ended_by, match.ended_at) == ("playing", None, None, None)
