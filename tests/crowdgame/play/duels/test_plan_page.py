"""The plan on the page of a duel: who sees it, who can change it, and when."""

import json
import logging
import re
from itertools import chain

import pytest
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext

from crowdgame.accounts.models import Guest
from crowdgame.accounts.signals import guest_left
from crowdgame.maintenance.personal_data.tables import Person, load_tables
from crowdgame.play.duels import conditional_picks
from crowdgame.play.duels.duels import seat_number
from crowdgame.play.duels.models import ConditionalPicks, Duel
from crowdgame.play.duels.sealed_picks import seal, unseal
from tests.crowdgame.play.duels.conditional_picks_helpers import begin_days
from tests.crowdgame.play.duels.test_duel_page import KEYS
from tests.crowdgame.play.duels.test_play_pages import join_game, new_game, page
from tests.voting.match_helpers import only_turn, play
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Match

pytestmark = pytest.mark.django_db
SUMMARY = "Plan your next choice"
SENTENCE = re.compile(r"<span>If <bdi>(.*?)</bdi>, then <bdi>(.*?)</bdi></span>")


class Visitors:
    """Two players of a new game of days, and a spectator."""

    def __init__(self, **form: str) -> None:
        self.one, self.two, self.watcher = Client(), Client(), Client()
        self.code = new_game(self.one, **({"time_control": "3-days"} | form))
        join_game(self.code, self.two)
        self.path = f"/play/{self.code}"

    @property
    def turn(self) -> int:
        return only_turn(Match.objects.get(event__code=self.code)).pk

    def plan(self, client: Client, theirs: object = 2, own: object = 5, turn: object = None) -> int:
        posted = {"turn": turn or self.turn, "theirs": theirs, "own": own}
        return client.post(f"{self.path}/plan", posted).status_code

    def remove(self, client: Client, theirs: int) -> int:
        return client.post(
            f"{self.path}/plan", {"turn": self.turn, "theirs": theirs, "remove": "1"}
        ).status_code

    def planned(self, client: Client) -> list[tuple[str, ...]]:
        return SENTENCE.findall(page(client, self.path))


@pytest.fixture
def visitors(box: BallotBox) -> Visitors:
    return Visitors()


def version(text: str) -> str:
    found = re.search(r'data-current="(.*?)"', text)
    assert found
    return found[1]


def test_player_adds_replaces_and_removes_choices(visitors: Visitors) -> None:
    one, seen = visitors.one, set()
    for theirs, own in [(3, 4), (2, 5), (3, 7)]:
        assert visitors.plan(one, theirs, own) == 302
        seen.add(version(page(one, visitors.path)))
    assert visitors.planned(one) == [("2", "5"), ("3", "7")]
    assert visitors.remove(one, 3) == 302
    assert visitors.planned(one) == [("2", "5")]
    seen.add(version(page(one, visitors.path)))
    assert len(seen) == 4
    assert visitors.remove(one, 2) == visitors.remove(one, 2) == 302
    assert not ConditionalPicks.objects.exists()


def test_nobody_else_sees_a_plan(visitors: Visitors, caplog: pytest.LogCaptureFixture) -> None:
    others = (visitors.two, visitors.watcher, Client())
    paths = (visitors.path, f"/display/{visitors.code}", "/play/", f"/report/{visitors.code}/1")
    caplog.set_level(logging.DEBUG)

    def shown() -> list[str]:
        pages = [KEYS.sub("", page(client, path)) for client in others for path in paths]
        return [re.sub(r'nonce="[^"]*"|\d+ (second|minute)s?', "", text) for text in pages]

    before = shown()
    rows = count_rows()
    assert visitors.plan(visitors.one) == 302
    assert shown() == before
    rows["duels.ConditionalPicks"] += 1
    assert count_rows() == rows  # nothing is announced, logged as an action or sent
    assert visitors.planned(visitors.one) == [("2", "5")]
    assert SUMMARY not in page(visitors.watcher, visitors.path)
    assert "duels_conditionalpicks" not in caplog.text
    assert not re.search(r"conditional|\bplan", caplog.text.replace(f"{visitors.path}/plan", ""))


def count_rows() -> dict[str, int]:
    """The rows of each table. Visits of pages may write sessions, never these."""
    return {model._meta.label: model._default_manager.count() for model in apps.get_models()}


def test_database_holds_no_readable_choice(visitors: Visitors) -> None:
    visitors.plan(visitors.one, 2, 5)
    few = ConditionalPicks.objects.get().sealed
    for theirs in (1, 3, 4, 5, 6, 7):
        visitors.plan(visitors.one, theirs, 7)
    many = ConditionalPicks.objects.get()
    assert len(few) == len(many.sealed)
    assert many.sealed.isascii()
    assert "2" not in str(many).removeprefix(str(many.turn))
    key = (many.turn.match_id, many.side)
    assert unseal(*key, many.sealed)[2] == 5
    assert unseal(key[0], "yellow" if key[1] == "red" else "red", many.sealed) == {}
    with override_settings(SECRET_KEY="another-key"):
        assert unseal(*key, many.sealed) == {}


def test_most_picks_have_the_same_sealed_length() -> None:
    most = dict.fromkeys(range(240, 240 + conditional_picks.MAX_PICKS), 255)
    sealed = seal(1, "red", most)
    assert len(sealed) == len(seal(1, "red", {1: 1}))
    assert unseal(1, "red", sealed) == most
    assert len(sealed) <= (ConditionalPicks._meta.get_field("sealed").max_length or 0)


def test_earlier_secret_key_opens_plans() -> None:
    with override_settings(SECRET_KEY="earlier"):
        sealed = seal(1, "red", {2: 5})
    with override_settings(SECRET_KEY="present", SECRET_KEY_FALLBACKS=["earlier"]):
        assert unseal(1, "red", sealed) == {2: 5}


def test_admin_does_not_list_plans(visitors: Visitors) -> None:
    visitors.plan(visitors.one, 2, 5)
    assert not admin.site.is_registered(ConditionalPicks)
    administrator = Client()
    administrator.force_login(User.objects.create_superuser("root"))
    event = Event.objects.get(code=visitors.code)
    answer = administrator.get(f"/admin/voting/event/{event.pk}/delete/")
    assert ConditionalPicks.objects.get().sealed not in answer.content.decode()


def test_players_change_only_their_own_plan(visitors: Visitors) -> None:
    visitors.plan(visitors.one, 2, 5)
    visitors.remove(visitors.two, 2)
    visitors.plan(visitors.two, 2, 6)
    assert visitors.planned(visitors.one) == [("2", "5")]
    assert visitors.planned(visitors.two) == [("2", "6")]
    assert visitors.plan(visitors.watcher) == visitors.remove(visitors.watcher, 2) == 403
    outsider = Client()
    outsider.post("/play/new")
    assert visitors.plan(outsider) == 403
    assert visitors.one.get(f"{visitors.path}/plan").status_code == 405
    assert Client(enforce_csrf_checks=True).post(f"{visitors.path}/plan").status_code == 403
    assert ConditionalPicks.objects.count() == 2


def test_only_the_live_turn_is_planned(visitors: Visitors, box: BallotBox) -> None:
    seen = visitors.turn
    other = Visitors()
    play(Match.objects.get(event__code=visitors.code), box, [(1, 2)])
    for turn in (seen, other.turn, "0", "x", "9" * 5_000):
        assert visitors.plan(visitors.one, turn=turn) == 409
    assert not ConditionalPicks.objects.exists()
    answer = visitors.one.post(f"{visitors.path}/plan", {"turn": seen, "theirs": 2, "own": 5})
    assert "The turn is over. Look at the board, then try again." in answer.content.decode()


@pytest.mark.parametrize(("theirs", "own"), [(0, 5), (8, 5), (2, 8), ("", 5), (2, ""), ("-1", 5), ("²", 5)])
def test_impossible_choices_are_refused(visitors: Visitors, theirs: object, own: object) -> None:
    assert visitors.plan(visitors.one, theirs, own) == 409
    assert not ConditionalPicks.objects.exists()


def test_number_of_planned_choices_is_limited(visitors: Visitors, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditional_picks, "MAX_PICKS", 2)
    assert [visitors.plan(visitors.one, theirs) for theirs in (1, 2, 3)] == [302, 302, 409]
    assert visitors.plan(visitors.one, 2, 7) == 302
    assert visitors.planned(visitors.one) == [("1", "5"), ("2", "7")]


@pytest.mark.parametrize(
    "form", [{"time_control": "5-min"}, {"game": "single-selector"}], ids=["minutes", "single-selector"]
)
def test_other_games_have_no_plans(box: BallotBox, form: dict[str, str]) -> None:
    visitors = Visitors(**form)
    assert SUMMARY not in page(visitors.one, visitors.path)
    assert visitors.plan(visitors.one) == 409


def test_game_against_a_crowd_has_no_plans(box: BallotBox) -> None:
    client = Client()
    client.post("/play/new", {"time_control": "3-days", "crowd": "on"})
    code = Duel.objects.get().event.code
    client.post(f"/play/{code}/begin")
    assert SUMMARY not in page(client, f"/play/{code}")
    turn = only_turn(Match.objects.get()).pk
    answer = client.post(f"/play/{code}/plan", {"turn": turn, "theirs": 2, "own": 5})
    assert answer.status_code == 409


def test_choices_have_the_names_of_the_game(box: BallotBox) -> None:
    visitors = Visitors(game="trails")
    assert visitors.plan(visitors.one, 1, 2) == 302
    names = tuple(chain(*visitors.planned(visitors.one)))
    assert len(names) == 2
    assert not any(name.isdecimal() for name in names)


def test_page_with_a_plan_makes_few_queries(visitors: Visitors) -> None:
    for theirs in range(1, 8):
        visitors.plan(visitors.one, theirs)
    with CaptureQueriesContext(connection) as queries:
        page(visitors.one, visitors.path)
    assert len(queries) <= 10


def test_plan_is_in_the_players_download_until_the_account_is_deleted(box: BallotBox) -> None:
    playing = begin_days(box)
    turn = only_turn(playing.match).pk
    for guest, own in ((playing.red, 5), (playing.yellow, 6)):
        conditional_picks.plan_pick(playing.duel.event_id, seat_number(playing.duel, guest), turn, 2, own)
    row = {"event__code": playing.duel.event.code, "turn__number": 1, "opponent": 2}
    for guest, own in ((playing.red, 5), (playing.yellow, 6)):
        data = load_tables(Person(None, guest))["planned-choices"]
        assert json.loads(json.dumps(data)) == [row | {"own": own}]
    guest_left.send(Guest, guest=playing.red, box=box)
    assert [plan.side for plan in ConditionalPicks.objects.all()] == ["yellow"]
