"""Players who repeat, forge or replay requests change nothing."""

import pytest
from django.test import Client

from crowdgame.accounts.models import Guest
from crowdgame.play.duels.duels import seat_number
from crowdgame.play.duels.models import Duel
from crowdgame.play.duels.rematch import request_rematch
from tests.crowdgame.play.duels.test_player_actions import TWO_TURNS, begin
from tests.voting.match_helpers import only_turn, play
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Match, MatchResult, Offer
from voting.protocol import DuelAction
from voting.terms import Ending, MatchState

pytestmark = pytest.mark.django_db
ACTIONS: tuple[DuelAction, ...] = ("resign", "abort", "draw", "takeback", "decline")


def test_player_resigns_only_for_themselves(box: BallotBox) -> None:
    """The cookie decides who resigns, not what the request says."""
    one, two = Client(), Client()
    one.post("/play/new")
    code = Duel.objects.select_related("event").get().event.code
    two.post(f"/play/{code}/join")
    match = Match.objects.select_related("red", "yellow").get()
    joined = seat_number(Duel.objects.get(), Guest.objects.latest("pk"))
    forged = {"turn": only_turn(match).pk, "team": str(3 - joined), "side": "red"}
    two.post(f"/play/{code}/do/resign", forged)
    match.refresh_from_db()
    winner = MatchResult.YELLOW if match.red.number == joined else MatchResult.RED
    assert (match.ended_by, match.result) == (Ending.CONCEDED, winner)


def test_offers_of_one_turn_are_stored_once(box: BallotBox) -> None:
    playing = begin(box, casual=True)
    play(playing.match, box, TWO_TURNS)
    actions: tuple[DuelAction, ...] = ("draw", "takeback")
    for action in actions:
        playing.do(1, action, box)
        for _ in range(3):
            assert playing.refusal(1, action, box) == "too_soon"
    assert Offer.objects.count() == 2


def test_takeback_does_not_shorten_pause_between_offers(box: BallotBox) -> None:
    playing = begin(box, casual=True)
    play(playing.match, box, [*TWO_TURNS, (3, 4)])
    playing.do(1, "draw", box)
    playing.do(2, "decline", box)
    playing.do(2, "takeback", box)
    playing.do(1, "takeback", box)
    assert only_turn(playing.match).number == 3
    assert playing.refusal(1, "draw", box) == "too_soon"


def test_accepted_takeback_can_not_be_replayed(box: BallotBox) -> None:
    playing = begin(box, casual=True)
    play(playing.match, box, TWO_TURNS)
    seen = only_turn(playing.match)
    playing.do(1, "takeback", box)
    playing.do(2, "takeback", box)
    for team in playing.teams:
        assert playing.refusal(team, "takeback", box, seen) == "turn_changed"
    assert only_turn(playing.match).number == 2


def test_requests_of_earlier_match_do_nothing_in_rematch(box: BallotBox) -> None:
    playing = begin(box)
    seen = only_turn(playing.match)
    playing.do(1, "resign", box)
    for team in (1, 2):
        request_rematch(playing.duel.event_id, team, box)
    rematch = Match.objects.get(event=playing.duel.event, number=2)
    for team in (1, 2):
        for action in ACTIONS:
            assert playing.refusal(team, action, box, seen) in ("turn_changed", "not_possible")
    rematch.refresh_from_db()
    assert (rematch.state, rematch.result) == (MatchState.PLAYING, None)


def test_turn_of_another_game_is_refused(box: BallotBox) -> None:
    mine, other = begin(box), begin(box)
    for action in ACTIONS:
        assert mine.refusal(1, action, box, only_turn(other.match)) in ("turn_changed", "not_possible")
    for playing in (mine, other):  # a pause between offers is one game's
        playing.do(playing.teams[0], "draw", box)
    assert [mine.ending()[0], other.ending()[0]] == [MatchState.PLAYING] * 2
