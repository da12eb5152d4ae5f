"""Lists of duels: pictures of live games, series, the replay, changed names, and how a duel is described."""

from typing import Any

import pytest
from django.test import Client

from crowdgame.accounts import accounts
from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.events.variants import TIMES, describe_variant, name_variant
from crowdgame.play.duels import lists
from crowdgame.play.duels.descriptions import describe_duel
from crowdgame.play.duels.duel_matches import list_series
from crowdgame.play.duels.duels import DuelSettings, active_games, join_duel, new_duel
from crowdgame.play.duels.lists import DuelListKind, load_page, load_play_lists
from crowdgame.play.duels.models import Duel
from crowdgame.play.duels.rematch import request_rematch
from crowdgame.play.duels.time_controls import TIME_CONTROLS_BY_SLUG
from tests.crowdgame.organizer.cups.cup_helpers import let_win
from tests.voting.match_helpers import RED_WINS, only_turn, open_now, play, vote
from tests.voting.page_fixtures import SIMULTANEOUS
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Match
from voting.terms import MatchState

pytestmark = pytest.mark.django_db
SHORT_LIST = 6
KINDS: tuple[DuelListKind, ...] = ("open", "running", "finished")
LONG = [(1, 2), (2, 1), (1, 2), (2, 1), (3, 4), (3, 4), (3, 3), (4, 4)]


def started(box: BallotBox, one: Guest | None = None) -> Match:
    duel = join_duel(new_duel(one or new_guest(), DuelSettings()).event.code, new_guest(), box)
    return Match.objects.select_related("event").get(event=duel.event)


def test_thumbnail_shows_revealed_turns_only(box: BallotBox, client: Client) -> None:
    match = started(box)
    play(match, box, RED_WINS[:2])
    live = only_turn(match)
    open_now(live, box)
    vote(live, box, [5], [6])
    code = match.event.code
    assert f'src="/board/{code}/1/2.svg"' in client.get("/play/").content.decode()
    none, one, two = (client.get(f"/board/{code}/1/{turns}.svg") for turns in (0, 1, 2))
    balls = [answer.content.count(b"<use") for answer in (none, one, two)]
    assert [count - balls[0] for count in balls] == [0, 2, 4]
    assert two["Cache-Control"] == "public, max-age=300"
    assert two["Content-Type"] == "image/svg+xml"
    assert "default-src 'none'" in two["Content-Security-Policy"]
    for missing in (f"/board/{code}/1/3.svg", f"/board/{code}/2/0.svg"):
        assert client.get(missing).status_code == 404


def test_every_game_of_series_is_found(box: BallotBox, client: Client) -> None:
    guest = new_guest()
    match = started(box, guest)
    code, event = match.event.code, match.event_id
    play(match, box, RED_WINS)
    assert not active_games(guest).exists()
    accounts.create_account(guest, "Ada", "only-for-tests")
    for team in (1, 2):
        request_rematch(event, team, box)
    live, finished = (load_page(kind, 1)[0] for kind in ("running", "finished"))
    assert (live.match, live.others, live.names[::-1]) == (2, (1,), ("Ada", finished.names[1]))
    assert (finished.match, finished.others) == (1, ())
    assert active_games(guest).count() == 1
    assert f'href="/report/{code}/1"' in client.get(f"/play/{code}").content.decode()
    play(Match.objects.get(event=event, number=2), box, RED_WINS)
    [line] = load_page("finished", 1)
    assert (line.match, line.others, line.won) == (2, (1,), 1)
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
    def shown() -> tuple[str, int, bool] | None:
        game = load_play_lists(None, None, SHORT_LIST).showcase
        return (game.code, game.turns, game.double_win) if game else None

    assert shown() is None
    assert "Create a game" in client.get("/play/").content.decode()
    play(started(box), box, RED_WINS)
    long = started(box)
    assert shown() is None, "a game is live"
    play(long, box, LONG)
    assert shown() == (long.event.code, len(LONG), False)
    double = started(box)
    play(double, box, [(1, 2)] * 4)
    assert shown() == (double.event.code, 4, True)
    page = client.get("/play/").content.decode()
    assert f'data-picture="/board/{double.event.code}/1/0.svg"' in page


def test_new_name_shows_in_unfinished_games_only(box: BallotBox, client: Client) -> None:
    guest = new_guest()
    old = str(guest)
    ended, live = started(box, guest), started(box, guest)
    play(ended, box, RED_WINS)
    waiting = new_duel(guest, DuelSettings()).event
    seq = Event.objects.get(pk=live.event_id).seq
    accounts.create_account(guest, "Ada", "only-for-tests")
    accounts.rename(guest, "Grace")
    names = {line.code: line.names for kind in KINDS for line in load_page(kind, 1)}
    shown = {"Grace": (live.event.code, waiting.code), old: (ended.event.code,)}
    assert all(name in names[code] for name, codes in shown.items() for code in codes)
    event = Event.objects.get(pk=live.event_id)
    assert ("Grace" in event.name, event.seq > seq) == (True, True)
    assert Event.objects.get(pk=waiting.pk).name == "Grace's game"
    assert "Grace" in client.get(f"/play/{live.event.code}").content.decode()


CLASSIC = {"game": "captains-mistress", "options": {"columns": 6, "rows": 6, "first": "lot"}}


def duel_with(**choices: Any) -> Duel:
    return new_duel(new_guest(), DuelSettings(**choices))


def test_description_names_game_variant_time_and_rating() -> None:
    assert describe_duel(duel_with()) == (
        f"Simultaneous Captain's Mistress · 7 {TIMES} 6 · red has the token first · "
        "two lines at once: the token's holder wins · 5 minutes + 5 s per player · rated"
    )
    slow = duel_with(**CLASSIC, casual=True, time_control=TIME_CONTROLS_BY_SLUG["3-days"])
    assert describe_duel(slow) == (
        f"Captain's Mistress · 6 {TIMES} 6 · first to move drawn at random · 3 days per player · casual"
    )
    assert describe_duel(duel_with(crowd=True)).endswith("30 seconds per turn · casual")


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ({}, [f"7 {TIMES} 6"]),
        ({"columns": 6, "tie": "other"}, [f"6 {TIMES} 6", "flipped double win"]),
        ({"token": "lot", "tie": "other"}, [f"7 {TIMES} 6", "special rules"]),
    ],
)
def test_variant_has_a_name_for_lists(options: dict[str, object], name: list[str]) -> None:
    assert name_variant(SIMULTANEOUS, options) == name
    assert describe_variant("trails", {}) == ["Size of the field: Small: 9 by 7 squares"], "its form label"
    assert describe_variant("not-installed", options) == []


def test_lists_name_the_variant_and_link_its_rules(client: Client) -> None:
    duel = duel_with(game="captains-mistress", options={"columns": 6, "rows": 6, "first": "yellow"})
    for path in ("/play/", "/play/all/open"):
        page = client.get(path).content.decode()
        assert f"6 {TIMES} 6 · yellow moves first · 5 minutes + 5 s per player · rated" in page, path
        assert '<a href="/rules/captains-mistress">' in page, path
    invitation = client.get(f"/play/{duel.event.code}").content.decode()
    assert describe_duel(duel).replace("'", "&#x27;") in invitation
