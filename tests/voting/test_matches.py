from time import time_ns
from typing import Any

import pytest
from django.contrib.auth.models import User

from games.engine.game import Picks
from games.engine.registry import find_game
from voting import events
from voting.announcements.snapshots import load_snapshot
from voting.events import CODE_LETTERS, create_event, generate_code
from voting.matches import MatchError, abort_match, claim_turn, create_match, draft_turn, end_match, live_turn
from voting.models import Event, Match, Turn, TurnState
from voting.positions import load_end_reasons, load_position
from voting.terms import HANDS, Ending, EndReason, MatchState, TieRule

pytestmark = pytest.mark.django_db


@pytest.fixture
def event() -> Event:
    return create_event(User.objects.create(username="olga"), "An evening", ("Rooks", "Doves"), window_s=30)


def create_turn(match: Match, number: int, red: int | None = None, yellow: int | None = None) -> Turn:
    turn = draft_turn(match, match.event.teams.all(), number, 1_000, 2_000)
    turn.save()
    if red or yellow:
        assert claim_turn(turn, state=TurnState.RESOLVED, red_pick=red, yellow_pick=yellow, resolved_at=2_000)
    return turn


def test_codes_are_unambiguous_and_grow_if_necessary(event: Event, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not set(CODE_LETTERS) & set("AEIOUL01")
    assert len({generate_code() for _ in range(20)}) > 1
    monkeypatch.setattr(events, "CODE_LETTERS", "B")
    codes = [create_event(event.owner, "An evening", ("Rooks", "Doves")).code for _ in range(4)]
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
        ({"hands": 1}, "teams that vote by phone"),
        ({"hands": 2}, "teams that vote by phone"),
        ({"tie_rule": TieRule.CAPTAIN}, "combined with captains"),
        ({"game": "captains-mistress"}, "same columns at once"),
        ({"game": "goofspiel"}, "same columns at once"),
        ({"game": "single-selector"}, "same columns at once"),
    ],
)
def test_secret_sides_refuse_what_reveals_them(event: Event, changes: dict[str, Any], text: str) -> None:
    for name, value in changes.items():
        setattr(event, name, value)
    event.teams.filter(number=changes.get("hands", 0)).update(source=HANDS)
    event.max_side_changes = 1
    with pytest.raises(MatchError, match=text):
        create_match(event, now=5)
    event.max_side_changes = 0
    assert create_match(event, now=5)


def test_create_match_allows_one_at_a_time_and_takes_unused_numbers(event: Event) -> None:
    first = create_match(event, now=5)
    with pytest.raises(MatchError, match="already live"):
        create_match(event, now=6)
    abort_match(first, now=7)
    second = create_match(event, now=8)
    abort_match(second, now=9)
    first.delete()
    assert (second.number, second.red.number, create_match(event, now=10).number) == (2, 1, 3)


@pytest.mark.parametrize(
    ("tie", "picks", "reason"),
    [
        ("holder", [(1, 7)] * 4, EndReason.HOLDER),
        ("other", [(1, 7)] * 4, EndReason.OTHER),
        ("holder", [*[(1, 7)] * 3, (1, 6)], EndReason.LINE),
    ],
)
def test_reason_of_the_end(event: Event, tie: str, picks: list[tuple[int, int]], reason: EndReason) -> None:
    event.options = {"tie": tie}
    match = create_match(event, now=5)
    for number, (red, yellow) in enumerate(picks, 1):
        create_turn(match, number, red, yellow)
    assert load_end_reasons([match]) == {match.pk: None}
    end_match(match, "yellow" if tie == "other" else "red", Ending.BOARD, now=time_ns())
    assert load_end_reasons([match]) == {match.pk: reason}
    (finished,) = load_snapshot(event).finished
    assert finished.end_reason == reason
    match.game = "removed-game"
    assert load_end_reasons([match]) == {match.pk: EndReason.GAME}


def test_load_position_replays_resolved_turns_but_not_void_or_open_ones(event: Event) -> None:
    match = create_match(event, now=5)
    first, second = create_turn(match, 1, 4, 4), create_turn(match, 2, 1, 2)
    assert claim_turn(second, state=TurnState.VOID)
    again = create_turn(match, 2, 7)
    open_turn = create_turn(match, 3)
    position, game = load_position(match), find_game(match.game)
    state = game.start(game.options())
    for picks in (Picks(4, 4), Picks(7, None)):
        state, _ = game.resolve(state, picks)
    assert (position.state, position.turns) == (state, (first, again))
    assert [resolution.conflict for resolution in position.resolutions] == [4, None]
    for state_now, left_ms in ((TurnState.OPEN, None), (TurnState.PAUSED, 500)):
        assert claim_turn(open_turn, state=state_now, left_ms=left_ms)
        assert live_turn(match) == open_turn
    assert claim_turn(open_turn, state=TurnState.VOID, left_ms=None)
    assert live_turn(match) is None


def test_claim_turn_fails_on_stale_version_or_changed_state(event: Event) -> None:
    turn = create_turn(create_match(event, now=5), 1)
    mine = Turn.objects.get(pk=turn.pk)
    for closes_at in (3_000, 4_000):
        assert claim_turn(turn, closes_at=closes_at)
    assert not claim_turn(mine, state=TurnState.VOID)
    assert (mine.state, mine.version) == (TurnState.OPEN, 1)
    Turn.objects.filter(pk=turn.pk).update(state=TurnState.VOID)
    assert not claim_turn(turn, closes_at=9_000)
    turn.refresh_from_db()
    assert (turn.state, turn.closes_at, turn.version) == (TurnState.VOID, 4_000, 3)
