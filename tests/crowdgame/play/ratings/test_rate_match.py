"""A duel's match is rated once, when it ends; a rebuild yields exactly the same ratings."""

import io
from typing import Any

import pytest
from django.core.management import call_command

from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.organizer.console.actions.matches import abort_playing_match, void_last_turn
from crowdgame.play.duels.duels import DuelSettings, join_duel, new_duel
from crowdgame.play.duels.models import Duel
from crowdgame.play.ratings import match_ratings as rating
from crowdgame.play.ratings import rebuild
from crowdgame.play.ratings.models import RatedMatch, Rating
from crowdgame.play.ratings.rating_ledger import DAY_MS
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import RED_WINS, new_event, only_turn, open_now, play, run_out, vote
from tests.voting.turns.test_banks import age
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import MatchError
from voting.models import Match
from voting.terms import MatchState
from voting.turns.closing import close_turn
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db
GAME = DuelSettings().game


def started_duel(box: BallotBox, one: Guest, two: Guest) -> Match:
    code = new_duel(one, DuelSettings()).event.code
    return Match.objects.get(event=join_duel(code, two, box).event)


def won(box: BallotBox, winner: Guest, loser: Guest) -> Match:
    match = started_duel(box, winner, loser)
    red = Duel.objects.get(event=match.event).one == winner
    play(match, box, RED_WINS if red else [(yellow, red) for red, yellow in RED_WINS])
    match.refresh_from_db()
    assert match.state == MatchState.ENDED
    return match


def stored_ratings() -> tuple[list[Any], list[Any]]:
    ratings = Rating.objects.order_by("guest").values_list("guest", "mu", "sigma", "games", "last_at")
    matches = RatedMatch.objects.order_by("match").values_list("match", "red_after", "yellow_after")
    return list(ratings), list(matches)


def rate(**options: Any) -> str:
    output = io.StringIO()
    call_command("rate", stdout=output, stderr=io.StringIO(), **options)
    return output.getvalue()


def test_match_end_updates_ratings(box: BallotBox) -> None:
    one, two = new_guest(), new_guest()
    match = won(box, one, two)
    winner, loser = Rating.objects.get(guest=one), Rating.objects.get(guest=two)
    assert winner.mu - 1200 == pytest.approx(1200 - loser.mu)
    assert winner.mu > 1250
    assert (winner.games, winner.last_at, winner.game) == (1, match.ended_at, GAME)
    assert {match.rated.red_before, match.rated.yellow_before} == {1200}
    assert {match.rated.red_after, match.rated.yellow_after} == {winner.mu, loser.mu}
    before = stored_ratings()
    with pytest.raises(MatchError, match="rated"):
        void_last_turn(match.event_id, None, box)
    assert stored_ratings() == before


def test_rating_order_survives_clock_set_back(box: BallotBox) -> None:
    one, two = new_guest(), new_guest()
    won(box, one, two)
    Rating.objects.update(last_at=2**52)
    assert won(box, one, two).ended_at == 2**52 + 1


def test_rebuild_reproduces_ratings_exactly(box: BallotBox) -> None:
    guests = [new_guest() for _ in range(4)]
    for one, two in ((0, 1), (1, 2), (2, 0), (0, 1), (3, 0), (1, 3)):
        won(box, guests[one], guests[two])
    before = stored_ratings()
    assert len(before[1]) == 6
    assert "6 of 6 games of 4 guests" in rate(check=True)
    RatedMatch.objects.all().delete()
    Rating.objects.update(mu=1)
    with pytest.raises(SystemExit):
        rate(check=True)
    assert "corrected" in rate()
    assert stored_ratings() == before
    assert "unchanged" in rate()


@pytest.mark.django_db(transaction=True)
def test_concurrent_match_ends_agree_with_rebuild(box: BallotBox) -> None:
    one, two, three = (new_guest() for _ in range(3))
    turns = []
    for pair in ((one, two), (two, three), (three, one)):
        match = started_duel(box, *pair)
        play(match, box, RED_WINS[:-1])
        turn = only_turn(match)
        open_now(turn, box)
        vote(turn, box, [RED_WINS[-1][0]], [RED_WINS[-1][1]])
        run_out(turn, box)
        turns.append(turn.pk)
    assert at_once(3, lambda own: close_turn(turns.pop(), own)) == []
    before = stored_ratings()
    assert len(before[1]) == 3
    rate()
    assert stored_ratings() == before


def test_match_aborted_or_unplayed_or_without_duel_is_not_rated(box: BallotBox) -> None:
    one, two = new_guest(), new_guest()
    abort_playing_match(started_duel(box, one, two).event_id, box)
    unplayed = started_duel(box, one, two)
    close_turn(age(only_turn(unplayed), box, DAY_MS).pk, box)
    without_duel = start_match(new_event().pk, box)
    play(without_duel, box, RED_WINS)
    for match, ended_by in ((unplayed, "time"), (without_duel, "board")):
        match.refresh_from_db()
        assert (match.state, match.ended_by) == (MatchState.ENDED, ended_by)
    assert not RatedMatch.objects.exists()
    assert "0 of 0 games" in rate()


def test_pair_is_rated_limited_times_a_day(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rating, "MAX_RATED_PER_DAY", 2)
    monkeypatch.setattr(rebuild, "MAX_RATED_PER_DAY", 2)
    one, two = new_guest(), new_guest()
    for _ in range(3):
        won(box, one, two)
    assert RatedMatch.objects.count() == 2
    assert "2 of 3 games" in rate(check=True)
