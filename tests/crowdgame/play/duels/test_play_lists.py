"""Live games have pictures, every game of a series is found, and a finished one replays if none is live."""

import pytest
from django.test import Client

from crowdgame.accounts.guest_names import new_guest
from crowdgame.play.duels import lists
from crowdgame.play.duels.duel_matches import list_series
from crowdgame.play.duels.duels import DuelSettings, join_duel, new_duel
from crowdgame.play.duels.lists import load_page, load_play_lists
from crowdgame.play.duels.rematch import request_rematch
from tests.crowdgame.organizer.cups.cup_helpers import let_win
from tests.voting.match_helpers import RED_WINS, only_turn, open_now, play, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Match
from voting.terms import MatchState

pytestmark = pytest.mark.django_db
SHORT_LIST = 6
LONG = [(1, 2), (2, 1), (1, 2), (2, 1), (3, 4), (3, 4), (3, 3), (4, 4)]


def started(box: BallotBox) -> Match:
    duel = join_duel(new_duel(new_guest(), DuelSettings()).event.code, new_guest(), box)
    return Match.objects.select_related("event").get(event=duel.event)


def picture(client: Client, match: Match, turns: int) -> tuple[int, str]:
    answer = client.get(f"/board/{match.event.code}/{match.number}/{turns}.svg")
    return answer.status_code, answer.content.decode()


def test_thumbnail_shows_revealed_turns_only(box: BallotBox, client: Client) -> None:
    match = started(box)
    play(match, box, RED_WINS[:2])
    live = only_turn(match)
    open_now(live, box)
    vote(live, box, [5], [6])
    code = match.event.code
    assert f'src="/board/{code}/1/2.svg"' in client.get("/play/").content.decode()
    balls = [picture(client, match, turns)[1].count("<use") for turns in (0, 1, 2)]
    assert [count - balls[0] for count in balls] == [0, 2, 4]
    assert picture(client, match, 3)[0] == 404
    assert client.get(f"/board/{code}/2/0.svg").status_code == 404
    answer = client.get(f"/board/{code}/1/2.svg")
    assert answer["Cache-Control"] == "public, max-age=300"
    assert answer["Content-Type"] == "image/svg+xml"
    assert "default-src 'none'" in answer["Content-Security-Policy"]


def test_every_game_of_series_is_found(box: BallotBox, client: Client) -> None:
    match = started(box)
    code, event = match.event.code, match.event_id
    play(match, box, RED_WINS)
    for team in (1, 2):
        request_rematch(event, team, box)
    live, finished = (load_page(kind, 1)[0] for kind in ("running", "finished"))
    assert (live.match, live.others) == (2, (1,))
    assert (finished.match, finished.others) == (1, ())
    assert f'href="/report/{code}/1"' in client.get(f"/play/{code}").content.decode()
    play(Match.objects.get(event=event, number=2), box, RED_WINS)
    assert (load_page("finished", 1)[0].match, load_page("finished", 1)[0].others) == (2, (1,))
    page = client.get(f"/play/{code}").content.decode()
    assert all(f'href="/report/{code}/{number}"' in page for number in (1, 2))


def test_series_lists_the_latest_finished_games_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lists, "MAX_OTHERS", 1)
    duel = new_duel(new_guest(), DuelSettings())
    for _ in range(4):
        let_win(duel.event, 1)
    Match.objects.filter(number=4).update(state=MatchState.ABORTED, result=None, ended_by=None)
    (line,) = load_page("finished", 1)
    assert (line.match, line.others) == (3, (2,))
    matches = list(Match.objects.select_related("red", "yellow").order_by("number"))
    assert [game.number for game in list_series(matches)] == [1, 2, 3]


def test_longest_finished_game_replays_unless_both_had_a_line(box: BallotBox, client: Client) -> None:
    assert load_play_lists(None, None, SHORT_LIST).showcase is None
    assert "Create a game" in client.get("/play/").content.decode()
    play(started(box), box, RED_WINS)
    long = started(box)
    assert load_play_lists(None, None, SHORT_LIST).showcase is None  # a game is live
    play(long, box, LONG)
    shown = load_play_lists(None, None, SHORT_LIST).showcase
    assert shown
    assert (shown.code, shown.turns) == (long.event.code, len(LONG))
    double = started(box)
    play(double, box, [(1, 2), (1, 2), (1, 2), (1, 2)])
    shown = load_play_lists(None, None, SHORT_LIST).showcase
    assert shown
    assert (shown.code, shown.double_win) == (double.event.code, True)
    page = client.get("/play/").content.decode()
    assert f'data-picture="/board/{double.event.code}/1/0.svg"' in page
