import io
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.maintenance.personal_data.tables import Person, load_tables
from crowdgame.organizer.console.actions.matches import abort_playing_match, void_last_turn
from crowdgame.play.duels.duels import DEFAULT_GAME, DuelSettings, new_duel
from crowdgame.play.duels.models import Duel
from crowdgame.play.ratings import match_ratings as rating
from crowdgame.play.ratings import rebuild
from crowdgame.play.ratings.models import RatedMatch, Rating
from crowdgame.play.ratings.rating_ledger import DAY_MS, START, FinishedMatch, RatingLedger, is_settled
from crowdgame.play.ratings.rating_table import PAGE_SIZE, load_guest_row, load_table_page
from tests.crowdgame.organizer.cups.cup_helpers import let_win
from tests.crowdgame.play.duels.test_play_pages import join_game, new_game
from tests.crowdgame.play.duels.test_player_actions import begin
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import RED_WINS, new_event, only_turn, open_now, play, run_out, vote
from tests.voting.page_fixtures import SIMULTANEOUS
from tests.voting.turns.test_banks import age
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import MatchError
from voting.models import Match
from voting.terms import MatchState
from voting.turns.closing import close_turn
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db
RESULTS = st.sampled_from(["red", "yellow", "draw"])
PAIRS = st.tuples(st.integers(1, 6), st.integers(1, 6)).filter(lambda pair: pair[0] != pair[1])
MATCH_LISTS = st.lists(st.tuples(PAIRS, RESULTS), max_size=40)


def finished(number: int, pair: tuple[int, int], result: str, at: int | None = None) -> FinishedMatch:
    return FinishedMatch(number, "trails", *pair, result, number if at is None else at)


def numbered(matches: list[tuple[tuple[int, int], str]]) -> list[FinishedMatch]:
    return [finished(number, pair, result) for number, (pair, result) in enumerate(matches, 1)]


def mus(ledger: RatingLedger) -> dict[int, float]:
    return {player: player_rating.skill.mu for player, player_rating in ledger.player_ratings.items()}


@given(MATCH_LISTS)
def test_ledger_is_deterministic_and_independent_of_side(matches: list[tuple[tuple[int, int], str]]) -> None:
    one, two, mirrored = RatingLedger(), RatingLedger(), RatingLedger()
    changes = [[ledger.rate(match) for match in numbered(matches)] for ledger in (one, two)]
    assert changes[0] == changes[1]
    assert mus(one) == mus(two)
    other_side = {"red": "yellow", "yellow": "red", "draw": "draw"}
    for match in numbered([((pair[1], pair[0]), other_side[result]) for pair, result in matches]):
        mirrored.rate(match)
    assert mus(mirrored) == pytest.approx(mus(one))


@given(MATCH_LISTS, RESULTS)
def test_winner_gains_and_loser_loses_rating(matches: list[tuple[tuple[int, int], str]], result: str) -> None:
    ledger = RatingLedger()
    for match in numbered(matches):
        ledger.rate(match)
    change = ledger.rate(finished(99, (1, 2), result))
    assert change
    red, yellow = change.red_after - change.red_before, change.yellow_after - change.yellow_before
    if result == "draw":
        assert (red if change.red_before < change.yellow_before else yellow) >= 0, "the weaker player"
    else:
        assert ((red > 0), (yellow > 0)) == (result == "red", result == "yellow")


def test_rating_starts_at_1200_settles_and_has_a_scale() -> None:
    ledger = RatingLedger()
    first = ledger.rate(finished(1, (1, 2), "red"))
    assert first
    assert (first.red_before, first.yellow_before) == (START, START) == (1200, 1200)
    assert first.red_after - START == pytest.approx(START - first.yellow_after)
    assert 50 < first.red_after - START < 100
    settled = 1
    while not is_settled(ledger.player_ratings[1].skill.sigma):
        settled += 1
        ledger.rate(finished(settled, (1, 2), "red" if settled % 2 else "yellow"))
    assert 10 <= settled <= 20
    ledger = RatingLedger()
    for number in range(1, 1101):
        ledger.rate(finished(number, (1, 2), "yellow" if number % 11 == 0 else "red"))
    assert 330 < mus(ledger)[1] - mus(ledger)[2] < 430, "400 points mean ten to one"


def won(box: BallotBox, winner: Guest, loser: Guest) -> Match:
    playing = begin(box, winner, loser)
    match = playing.match
    play(match, box, RED_WINS if playing.red == winner else [(yellow, red) for red, yellow in RED_WINS])
    match.refresh_from_db()
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
    assert (winner.games, winner.last_at, winner.game) == (1, match.ended_at, DEFAULT_GAME)
    assert {match.rated.red_before, match.rated.yellow_before} == {1200}
    assert {match.rated.red_after, match.rated.yellow_after} == {winner.mu, loser.mu}
    before = stored_ratings()
    with pytest.raises(MatchError, match="rated"):
        void_last_turn(match.event_id, None, box)
    assert stored_ratings() == before
    Rating.objects.update(last_at=2**52)
    assert won(box, one, two).ended_at == 2**52 + 1, "the order survives a clock that is set back"


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
        match = begin(box, *pair).match
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


def test_match_aborted_or_unplayed_or_casual_or_without_duel_is_not_rated(box: BallotBox) -> None:
    one, two = new_guest(), new_guest()
    abort_playing_match(begin(box, one, two).match.event_id, box)
    unplayed = begin(box, one, two).match
    close_turn(age(only_turn(unplayed), box, DAY_MS).pk, box)
    without_duel, casual = start_match(new_event().pk, box), begin(box, one, two, casual=True).match
    for match in (without_duel, casual):
        play(match, box, RED_WINS)
    absent = begin(box, one, two, game="captains-mistress").match
    play(absent, box, [(1, 1)])
    close_turn(age(only_turn(absent), box, DAY_MS).pk, box)
    for match, ended_by in ((unplayed, "time"), (absent, "time"), (without_duel, "board"), (casual, "board")):
        match.refresh_from_db()
        assert (match.state, match.ended_by) == (MatchState.ENDED, ended_by)
    assert not RatedMatch.objects.exists()
    assert "0 of 0 games" in rate()


def test_pair_is_rated_limited_times_a_day(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = RatingLedger(max_per_day=2)
    pairs = [(1, 2), (2, 1), (1, 2), (1, 3)]
    changes = [ledger.rate(finished(at, pair, "red", at)) for at, pair in enumerate(pairs)]
    assert [change is not None for change in changes] == [True, True, False, True]
    assert ledger.player_ratings[1].games == 3
    assert ledger.rate(finished(9, (1, 2), "red", DAY_MS))
    for module in (rating, rebuild):
        monkeypatch.setattr(module, "MAX_RATED_PER_DAY", 2)
    one, two = new_guest(), new_guest()
    for _ in range(3):
        won(box, one, two)
    assert RatedMatch.objects.count() == 2
    assert "2 of 3 games" in rate(check=True)


def rated(number: int, mu: float, sigma: float = 60.0, game: str = DEFAULT_GAME) -> Guest:
    guest = Guest.objects.get_or_create(number=number)[0]
    Rating.objects.create(guest=guest, game=game, mu=mu, sigma=sigma, games=3, last_at=1_790_000_000_000)
    return guest


def test_table_orders_by_rating_with_shared_places() -> None:
    weak = rated(1001, 1100.2)
    for number in (1002, 1003):
        rated(number, 1300.4)
    rated(1004, 1500, sigma=240, game="trails")
    rows = list(load_table_page(DEFAULT_GAME, None, "", weak))
    listed = [(row.place, row.name, row.rating) for row in rows]
    assert listed == [(1, "Guest 1002", 1300), (1, "Guest 1003", 1300), (3, "Guest 1001", 1100)]
    assert [(row.mine, row.sure) for row in rows] == [(False, True), (False, True), (True, True)]
    assert not load_table_page("trails", None, "", None)[0].sure
    mine, other = (load_guest_row(weak, game) for game in (DEFAULT_GAME, "trails"))
    assert (mine and mine.place, other) == (3, None)
    found = load_table_page(DEFAULT_GAME, None, "guest 1001", None)
    assert [(row.name, row.place) for row in found] == [("Guest 1001", 3)]
    for number in range(PAGE_SIZE - 1):
        rated(2000 + number, 1000 - number)
    places = [row.place for row in load_table_page(DEFAULT_GAME, "2", "", None)]
    assert places == [PAGE_SIZE + 1, PAGE_SIZE + 2]
    assert load_table_page(DEFAULT_GAME, "99", "", None).number == 2
    assert len(load_table_page(DEFAULT_GAME, None, "nobody", None)) == 0


def test_ratings_page_shows_one_game_and_empty_state(client: Client) -> None:
    def page(query: str = "") -> str:
        return client.get(f"/play/ratings{query}").content.decode()

    assert "No ratings yet" in page()
    rated(1001, 1100, sigma=200)
    rated(1001, 1300, game="trails")
    assert [shown in page() for shown in ("1100", "provisional", "1300")] == [True, True, False]
    assert "1300" in page("?game=trails")
    assert "No rated guest has this number" in page("?q=77")
    assert client.get("/play/ratings?game=nonsense").status_code == 404
    assert client.get("/play/ratings?page=x&q=%00").status_code == 200
    assert "/play/ratings" in client.get("/play/").content.decode()


def results(guest: Guest) -> list[list[object]]:
    tables = load_tables(Person(None, guest))
    return [list(row.values()) for row in tables.get("computer-games", ())]


def test_results_are_counted_for_each_strength_and_game() -> None:
    guest = new_guest()
    for bot, game, seat, winner in (
        (2, "trails", "one", 1),
        (2, "trails", "two", 2),
        (2, "trails", "one", 2),
        (5, "trails", "two", 0),
        (2, "goofspiel", "two", 1),
        (4, "trails", "one", 1),
    ):
        duel = new_duel(guest, DuelSettings(game=game, bot=bot, casual=True))
        Duel.objects.filter(pk=duel.pk).update(**{"one": None, "two": None, seat: guest})
        Match.objects.filter(pk=let_win(duel.event, winner).pk).update(game=game)
    Match.objects.filter(event__duel__bot=4).update(state=MatchState.ABORTED, result=None, ended_by=None)
    assert results(guest) == [["goofspiel", 2, 0, 0, 1], ["trails", 2, 2, 0, 1], ["trails", 5, 0, 1, 0]]
    assert results(new_guest()) == []


def test_game_against_the_computer_changes_no_rating(box: BallotBox) -> None:
    player, opponent = Client(), Client()
    new_game(player, bot="3")
    play(Match.objects.get(), box, RED_WINS)
    assert not Rating.objects.exists()
    page = player.get("/play/ratings").content.decode()
    assert page.index("Your games against the computer") < page.index("Computer 3")
    assert "against the computer" not in opponent.get("/play/ratings").content.decode()
    join_game(new_game(player), opponent)
    play(Match.objects.latest("pk"), box, RED_WINS)
    assert Rating.objects.count() == 2
    assert [row[:2] for row in results(Guest.objects.earliest("pk"))] == [[SIMULTANEOUS, 3]]
