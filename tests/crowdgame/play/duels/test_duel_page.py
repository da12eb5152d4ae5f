import html
import json
import logging
import re

import pytest
from django.apps import apps
from django.conf import settings
from django.contrib import admin
from django.contrib.auth.models import User
from django.test import Client, override_settings

from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.accounts.signals import guest_left
from crowdgame.maintenance.personal_data.tables import Person, load_tables
from crowdgame.play.duels import conditional_picks
from crowdgame.play.duels.duel_view import view_duel
from crowdgame.play.duels.duels import DuelSettings, find_duel, join_duel, new_duel, start_for_one
from crowdgame.play.duels.models import ConditionalPicks, Duel
from crowdgame.play.duels.sealed_picks import seal, unseal
from tests.crowdgame.play.duels.test_conditional_picks import begin_days, plan
from tests.crowdgame.play.duels.test_play_pages import join_game, new_game, page
from tests.voting.match_helpers import RED_WINS, only_turn, open_now, play, play_out, play_turn, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import PresenceCounts
from voting.models import Match
from voting.positions import load_position

pytestmark = pytest.mark.django_db
PLANNING = "Plan your next choice"
KEYS = re.compile(r'(csrfmiddlewaretoken" value|data-key)="[^"]*"')
VERSION = re.compile(r'data-current="(.*?)"')
SENTENCE = re.compile(r"<span>If <bdi>(.*?)</bdi>, then <bdi>(.*?)</bdi></span>")
ACCEPT = re.compile(r'aria-describedby="(.*?)">Accept')
ROW = re.compile(r'<th scope="row">(\d+)</th><td>(.*?)</td><td>(.*?)</td>')


class Visitors:
    def __init__(self, **form: str) -> None:
        self.one, self.two, self.watcher = Client(), Client(), Client()
        self.code = new_game(self.one, **({"time_control": "3-days"} | form))
        join_game(self.code, self.two)
        self.path = f"/play/{self.code}"

    @property
    def match(self) -> Match:
        return Match.objects.get(event__code=self.code)

    @property
    def turn(self) -> int:
        return only_turn(self.match).pk

    def page(self, client: Client) -> str:
        return page(client, self.path)

    def turns(self, client: Client) -> list[tuple[str, ...]]:
        return ROW.findall(self.page(client))

    def plan(self, client: Client, theirs: object = 2, own: object = 5, **fields: object) -> int:
        posted = {"turn": self.turn, "theirs": theirs, "own": own} | fields
        return client.post(f"{self.path}/plan", posted).status_code

    def remove(self, client: Client, theirs: int) -> int:
        return self.plan(client, theirs, "", remove="1")

    def planned(self, client: Client) -> list[tuple[str, ...]]:
        return SENTENCE.findall(self.page(client))


@pytest.fixture
def visitors(box: BallotBox) -> Visitors:
    return Visitors()


def test_players_have_their_own_board_and_spectators_the_display(box: BallotBox) -> None:
    one, two, watcher = Client(), Client(), Client()
    code = new_game(one)

    def boards(client: Client) -> list[str]:
        return re.findall(r'<iframe src="(.*?)"', page(client, f"/play/{code}"))

    assert (boards(watcher), boards(one)[0].partition("#")[0]) == ([], f"/{code}")
    join_game(code, two)
    assert boards(watcher) == [f"/display/{code}"]
    keys = {board for client in (one, two) for board in boards(client)}
    assert len(keys) == 2
    assert all(key.rpartition("#")[2] not in page(watcher, f"/play/{code}") for key in keys)
    assert re.search(r'href="/rules/[a-z-]+"', page(watcher, f"/play/{code}"))


def test_turn_is_shown_only_after_its_reveal(visitors: Visitors, box: BallotBox) -> None:
    turn = only_turn(visitors.match)
    open_now(turn, box)
    before = KEYS.sub("", visitors.page(visitors.watcher))
    for red, yellow in (([4], []), ([], [5])):
        vote(turn, box, red, yellow)
        assert KEYS.sub("", visitors.page(visitors.watcher)) == before
    play_out(turn, box)
    for client in (visitors.one, visitors.two, visitors.watcher):
        assert visitors.turns(client) == [("1", "4", "5")]
    selector = Visitors(game="single-selector")
    for column, shown in ((4, []), (6, ["", "", "4", "6"])):
        (to_move,) = load_position(selector.match).to_move
        play_turn(only_turn(selector.match), box, **{to_move: [column]})
        assert sorted(choice for _, *both in selector.turns(selector.two) for choice in both) == shown


def permissions(duel: Duel, guest: Guest) -> tuple[tuple[bool, ...], bool, tuple[str, ...]]:
    """Whether the page shows the link, start and withdraw; whether it has a board; the player's actions."""
    match = Match.objects.filter(event=duel.event).select_related("event", "red", "yellow").last()
    view = view_duel(find_duel(duel.event.code), match, guest, PresenceCounts())
    viewer = view.viewer
    shown = (viewer.shows_invite, viewer.may_start, viewer.may_withdraw)
    return shown, bool(viewer.board), viewer.actions.names if viewer.actions else ()


def test_page_offers_what_players_may_do_and_visitors_nothing(box: BallotBox) -> None:
    guest, visitor, nothing = new_guest(), new_guest(), (False, False, False)
    for casual, late in ((False, ("resign", "draw")), (True, ("resign", "draw", "takeback"))):
        duel = new_duel(guest, DuelSettings(casual=casual))
        assert permissions(duel, guest) == ((True, False, True), True, ())
        assert permissions(duel, visitor) == (nothing, False, ())
        join_duel(duel.event.code, new_guest(), box)
        assert permissions(duel, guest) == (nothing, True, ("abort", "draw"))
        assert permissions(duel, visitor) == (nothing, True, ())
        play(Match.objects.get(event=duel.event), box, RED_WINS[:1])
        assert permissions(duel, guest)[2] == late
    crowd = new_duel(guest, DuelSettings(crowd=True, casual=True))
    assert permissions(crowd, guest) == ((True, True, True), False, ())
    start_for_one(crowd.event.code, guest, box)
    assert permissions(crowd, guest) == ((True, False, False), True, ("abort",))
    play(Match.objects.get(event=crowd.event), box, RED_WINS[:1])
    assert permissions(crowd, guest)[2] == ("resign",)
    play(Match.objects.get(event=crowd.event), box, RED_WINS[1:])
    assert permissions(crowd, guest) == ((False, True, False), True, ())
    assert permissions(crowd, visitor) == (nothing, True, ())


def test_page_says_how_a_match_ended(box: BallotBox) -> None:
    visitors = Visitors()
    match, names = visitors.match, [str(guest) for guest in Guest.objects.order_by("pk")]
    play(match, box, RED_WINS)
    winners = [f"{names[getattr(match, side).number - 1]} won" for side in ("red", "yellow")]
    for result, text in zip(("red", "yellow", "draw", None), (*winners, "Draw", "Game aborted"), strict=True):
        how = ("ended", "board") if result else ("aborted", None)
        Match.objects.update(result=result, state=how[0], ended_by=how[1])
        shown = html.unescape(visitors.page(visitors.watcher))
        assert [said for said in (*winners, "Draw", "Game aborted") if said in shown] == [text]


def test_offers_are_shown_to_both_and_accepted_by_the_opponent_only(box: BallotBox) -> None:
    visitors = Visitors(casual="on")
    one, two = visitors.one, visitors.two
    play(visitors.match, box, RED_WINS[:1])
    turn = {"turn": visitors.turn}
    for offer in ("draw", "takeback"):
        one.post(f"{visitors.path}/do/{offer}", turn)
    assert "You offered a draw" in visitors.page(one)
    accept = [len(ACCEPT.findall(visitors.page(client))) for client in (one, two, visitors.watcher)]
    assert accept == [0, 2, 0]
    shown = visitors.page(two)
    texts = [re.findall(f'id="{offer}">(.*?)<', shown)[0] for offer in ACCEPT.findall(shown)]
    assert texts == ["Your opponent offers a draw.", "Your opponent asks to take back the last turn."]
    two.post(f"{visitors.path}/do/decline", turn)
    assert "You offered a draw" not in visitors.page(one)
    assert not ACCEPT.search(visitors.page(two))


def test_nobody_else_sees_a_plan(visitors: Visitors, caplog: pytest.LogCaptureFixture) -> None:
    others = (visitors.two, visitors.watcher, Client())
    paths = (visitors.path, f"/display/{visitors.code}", "/play/", f"/report/{visitors.code}/1")
    caplog.set_level(logging.DEBUG)

    def shown() -> list[str]:
        pages = [KEYS.sub("", page(client, path)) for client in others for path in paths]
        return [re.sub(r'nonce="[^"]*"|\d+ (second|minute)s?', "", text) for text in pages]

    def count_rows() -> dict[str, int]:
        return {model._meta.label: model._default_manager.count() for model in apps.get_models()}

    before = shown()
    rows = count_rows()
    assert visitors.plan(visitors.one) == 302
    assert shown() == before
    rows["duels.ConditionalPicks"] += 1
    assert count_rows() == rows  # nothing is announced, logged as an action or sent
    assert visitors.planned(visitors.one) == [("2", "5")]
    assert PLANNING not in page(visitors.watcher, visitors.path)
    assert "duels_conditionalpicks" not in caplog.text
    assert not re.search(r"conditional|\bplan", caplog.text.replace(f"{visitors.path}/plan", ""))


def test_database_and_admin_show_no_readable_choice(visitors: Visitors) -> None:
    visitors.plan(visitors.one, 2, 5)
    plan = ConditionalPicks.objects.get()
    assert plan.sealed.isascii()
    assert "2" not in str(plan).removeprefix(str(plan.turn))
    key = (plan.turn.match_id, plan.side)
    assert unseal(*key, plan.sealed) == {2: 5}
    assert unseal(key[0], "yellow" if key[1] == "red" else "red", plan.sealed) == {}
    most = dict.fromkeys(range(240, 240 + conditional_picks.MAX_PICKS), 255)
    assert len(seal(*key, most)) == len(plan.sealed), "the length doesn't tell how many choices it has"
    assert len(plan.sealed) <= (ConditionalPicks._meta.get_field("sealed").max_length or 0)
    with override_settings(SECRET_KEY="present", SECRET_KEY_FALLBACKS=[settings.SECRET_KEY]):
        assert unseal(*key, plan.sealed) == {2: 5}
    with override_settings(SECRET_KEY="another-key"):
        assert unseal(*key, plan.sealed) == {}
    assert not admin.site.is_registered(ConditionalPicks)
    administrator = Client()
    administrator.force_login(User.objects.create_superuser("root"))
    answer = administrator.get(f"/admin/voting/event/{plan.turn.match.event_id}/change/")
    assert (answer.status_code, plan.sealed in answer.content.decode()) == (200, False)


def test_players_change_only_their_own_plan(visitors: Visitors) -> None:
    one, two, seen = visitors.one, visitors.two, set()
    for theirs, own in [(3, 4), (2, 5), (3, 7)]:
        assert visitors.plan(one, theirs, own) == 302
        seen |= set(VERSION.findall(visitors.page(one)))
    assert visitors.remove(two, 2) == visitors.plan(two, 2, 6) == 302
    assert visitors.planned(one) == [("2", "5"), ("3", "7")]
    assert visitors.planned(two) == [("2", "6")]
    assert visitors.remove(one, 3) == 302
    assert visitors.planned(one) == [("2", "5")]
    assert len(seen | set(VERSION.findall(visitors.page(one)))) == 4
    assert visitors.plan(visitors.watcher) == visitors.remove(visitors.watcher, 2) == 403
    outsider = Client()
    outsider.post("/play/new")
    assert visitors.plan(outsider) == 403
    assert one.get(f"{visitors.path}/plan").status_code == 405
    assert Client(enforce_csrf_checks=True).post(f"{visitors.path}/plan").status_code == 403
    assert ConditionalPicks.objects.count() == 2
    assert visitors.remove(one, 2) == visitors.remove(one, 2) == 302
    assert ConditionalPicks.objects.count() == 1


def test_wrong_plan_is_refused(visitors: Visitors, box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, other = visitors.turn, Visitors(game="trails")
    play(visitors.match, box, [(1, 2)])
    for turn in (seen, other.turn, "0", "x", "9" * 5_000):
        assert visitors.plan(visitors.one, turn=turn) == 409
    for theirs, own in [(0, 5), (8, 5), (2, 8), ("", 5), (2, ""), ("-1", 5), ("²", 5)]:
        assert visitors.plan(visitors.one, theirs, own) == 409, (theirs, own)
    assert not ConditionalPicks.objects.exists()
    monkeypatch.setattr(conditional_picks, "MAX_PICKS", 2)
    assert [visitors.plan(visitors.one, theirs) for theirs in (1, 2, 3)] == [302, 302, 409]
    assert visitors.plan(visitors.one, 2, 7) == 302
    assert visitors.planned(visitors.one) == [("1", "5"), ("2", "7")]
    assert other.plan(other.one, 1, 2) == 302
    (names,) = other.planned(other.one)
    assert not any(name.isdecimal() for name in names), "choices have the names of the game"


@pytest.mark.parametrize(
    "form",
    [
        pytest.param({"time_control": "5-min"}, id="minutes"),
        pytest.param({"time_control": "3-days", "game": "single-selector"}, id="single-selector"),
        pytest.param({"time_control": "3-days", "crowd": "on"}, id="crowd"),
    ],
)
def test_other_games_have_no_plans(box: BallotBox, form: dict[str, str], client: Client) -> None:
    path = f"/play/{new_game(client, **form)}"
    Client().post(f"{path}/join")
    client.post(f"{path}/begin")
    assert PLANNING not in page(client, path)
    posted = {"turn": only_turn(Match.objects.get()).pk, "theirs": 2, "own": 5}
    assert client.post(f"{path}/plan", posted).status_code == 409


def test_plan_is_in_the_players_download_until_the_account_is_deleted(box: BallotBox) -> None:
    playing = begin_days(box)
    plan(playing, "red", 2, 5)
    plan(playing, "yellow", 2, 6)
    row = {"event__code": playing.duel.event.code, "turn__number": 1, "opponent": 2}
    for guest, own in ((playing.red, 5), (playing.yellow, 6)):
        data = load_tables(Person(None, guest))["planned-choices"]
        assert json.loads(json.dumps(data)) == [row | {"own": own}]
    guest_left.send(Guest, guest=playing.red, box=box)
    assert [left.side for left in ConditionalPicks.objects.all()] == ["yellow"]
