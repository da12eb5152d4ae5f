import pytest
from django.contrib.auth.models import User

from games.engine.game import Picks
from games.engine.registry import find_game
from games.matches import (
    CODE_LETTERS,
    MatchError,
    abort_match,
    claim_turn,
    create_event,
    create_match,
    create_turn,
    end_match,
    generate_code,
    live_turn,
    load_position,
    reopen_match,
)
from games.models import Event, Match, MatchState, Turn, TurnState

pytestmark = pytest.mark.django_db


@pytest.fixture
def event() -> Event:
    return create_event(User.objects.create(username="olga"), "An evening", ("Rooks", "Doves"), window_s=30)


def abort(match: Match) -> Match:
    abort_match(match, match.started_at)
    return match


def resolved(match: Match, number: int, red: int | None, yellow: int | None) -> Turn:
    turn = create_turn(match, number, 1_000, 2_000)
    assert claim_turn(turn, state=TurnState.RESOLVED, red_pick=red, yellow_pick=yellow, resolved_at=2_000)
    return turn


def test_an_event_has_two_teams_a_code_and_what_was_chosen(event: Event) -> None:
    assert list(event.teams.order_by("number").values_list("number", "name")) == [(1, "Rooks"), (2, "Doves")]
    assert (event.window_s, event.lobby, event.seq) == (30, "closed", 0)
    assert len(event.code) == 4
    assert set(event.code) <= set(CODE_LETTERS)


def test_a_code_cannot_be_an_address_of_the_site_nor_a_word() -> None:
    assert not set(CODE_LETTERS) & set("AEIOUL01")
    assert len({generate_code() for _ in range(20)}) > 1


def test_a_match_keeps_the_terms_it_was_made_with(event: Event) -> None:
    match = create_match(event, now=5)
    Event.objects.filter(pk=event.pk).update(window_s=99, options={"columns": 6})
    match.refresh_from_db()
    assert (match.number, match.window_s, match.started_at, match.state) == (1, 30, 5, MatchState.PLAYING)
    assert match.options["columns"] == 7
    assert (match.red.number, match.yellow.number) == (1, 2)


def test_matches_are_numbered_and_played_one_at_a_time(event: Event) -> None:
    first = create_match(event, now=5)
    with pytest.raises(MatchError, match="playing already"):
        create_match(event, now=6)
    abort_match(first, now=7)
    assert create_match(event, now=8).number == 2


def test_a_match_after_a_deleted_one_takes_no_number_that_is_there(event: Event) -> None:
    first, second = (abort(create_match(event, now)) for now in (1, 2))
    first.delete()
    assert create_match(event, 3).number == second.number + 1


@pytest.mark.parametrize(
    "choices", [{"game": "draughts"}, {"options": {"columns": 99}}, {"options": {"colour": 1}}]
)
def test_what_the_game_refuses_is_told_in_words(event: Event, choices: dict[str, object]) -> None:
    Event.objects.filter(pk=event.pk).update(**choices)
    event.refresh_from_db()
    with pytest.raises(MatchError, match=r"This game cannot be played: .+\."):
        create_match(event, now=5)
    assert not event.matches.exists()


def test_the_position_is_the_replay_of_the_resolved_turns(event: Event) -> None:
    match = create_match(event, now=5)
    turns = [resolved(match, 1, 4, 4), resolved(match, 2, 1, None)]
    create_turn(match, 3, 3_000, 4_000)
    position = load_position(match)
    game = find_game(match.game)
    state = game.start(game.options())
    for picks in (Picks(4, 4), Picks(1, None)):
        state, _ = game.resolve(state, picks)
    assert position.state == state
    assert position.turns == tuple(turns)
    assert [r.conflict for r in position.resolutions] == [4, None]


def test_a_void_turn_is_no_part_of_the_position(event: Event) -> None:
    match = create_match(event, now=5)
    first, second = resolved(match, 1, 4, 4), resolved(match, 2, 1, 2)
    assert claim_turn(second, state=TurnState.VOID)
    resolved(match, 2, 7, 7)
    assert [r.conflict for r in load_position(match).resolutions] == [4, 7]
    assert load_position(match).turns[0] == first


def test_who_read_the_turn_before_another_wrote_it_writes_nothing(event: Event) -> None:
    turn = create_turn(create_match(event, now=5), 1, 1_000, 2_000)
    mine, theirs = Turn.objects.get(pk=turn.pk), Turn.objects.get(pk=turn.pk)
    assert claim_turn(theirs, closes_at=9_000)
    assert not claim_turn(mine, state=TurnState.VOID)
    assert (mine.state, mine.version) == (TurnState.OPEN, 1)
    turn.refresh_from_db()
    assert (turn.state, turn.closes_at, turn.version) == (TurnState.OPEN, 9_000, 2)


def test_a_claim_compares_the_state_too(event: Event) -> None:
    match = create_match(event, now=5)
    turn = create_turn(match, 1, 1_000, 2_000)
    Turn.objects.filter(pk=turn.pk).update(state=TurnState.VOID)
    assert not claim_turn(turn, closes_at=9_000)
    turn.refresh_from_db()
    assert (turn.state, turn.closes_at) == (TurnState.VOID, 2_000)


def test_a_claim_is_seen_on_the_turn_that_made_it(event: Event) -> None:
    turn = create_turn(create_match(event, now=5), 1, 1_000, 2_000)
    assert claim_turn(turn, closes_at=3_000)
    assert (turn.version, turn.closes_at) == (2, 3_000)
    assert claim_turn(turn, closes_at=4_000)


def test_a_live_turn_is_an_open_or_a_paused_one(event: Event) -> None:
    match = create_match(event, now=5)
    resolved(match, 1, 1, 2)
    assert live_turn(match) is None
    turn = create_turn(match, 2, 1_000, 2_000)
    assert live_turn(match) == turn
    assert claim_turn(turn, state=TurnState.PAUSED, left_ms=500)
    assert live_turn(match) == turn
    assert claim_turn(turn, state=TurnState.VOID, left_ms=None)
    assert live_turn(match) is None


def test_a_match_ends_and_may_be_reopened(event: Event) -> None:
    match = create_match(event, now=5)
    end_match(match, "draw", "board", now=9)
    match.refresh_from_db()
    assert (match.state, match.result, match.ended_by, match.ended_at) == ("ended", "draw", "board", 9)
    reopen_match(match)
    match.refresh_from_db()
    assert (match.state, match.result, match.ended_by, match.ended_at) == ("playing", None, None, None)
