import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from crowdgame.events.models import AuditEntry, Member
from crowdgame.organizer.cups import board_view as cup_board
from crowdgame.organizer.cups.cups import CupError, give_walkover, load_cup_progress, start_pairing
from crowdgame.organizer.cups.models import Cup, CupPairing, CupTeam
from crowdgame.organizer.cups.renaming import rename_cup
from tests.crowdgame.organizer.cups.cup_helpers import COMPUTER, THREE, decide, let_win, new_cup, sources
from tests.voting.match_helpers import organizer
from tests.voting.page_fixtures import CLASSIC, SIMULTANEOUS
from voting.admission.admission import projector_key
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Announcement, Event, Match
from voting.terms import PHONES

pytestmark = pytest.mark.django_db

NEW = "/console/cups/new/"
FILLED = {"name": "Spring cup", "names": "4a\n4b\n\n 5a \n5b", "format": "knockout", "nicknames": "off"}
FILLED |= {"window_s_usual": "20", "talk_s_usual": "", "pace": "normal", "next_match_after_s_usual": ""}
FILLED |= {"game": SIMULTANEOUS, "best_of": "1"}
RENAMED = {"name": "Autumn cup", "team_1": "5b", "team_2": "4b", "team_3": "5a", "team_4": "4a"}


@pytest.fixture
def cup() -> Cup:
    return new_cup()


def cup_path(cup: Cup, page: str = "") -> str:
    return f"/console/cups/{cup.code}/{page}"


def test_cup_form_creates_cup_from_names_and_options_of_its_game(olga: Client) -> None:
    options = {f"{CLASSIC}-columns": "6", f"{CLASSIC}-first": "yellow", f"{SIMULTANEOUS}-columns": "7"}
    response = olga.post(NEW, FILLED | {"game": CLASSIC} | options)
    cup = Cup.objects.get()
    assert response.headers["Location"] == cup_path(cup)
    seeds = list(cup.teams.order_by("seed").values_list("seed", "name"))
    assert seeds == [(1, "4a"), (2, "4b"), (3, "5a"), (4, "5b")]
    assert (cup.owner, cup.format, cup.best_of, cup.window_s) == (organizer(), "knockout", 1, 20)
    assert cup.nicknames == "off"
    assert (cup.game, cup.options) == (CLASSIC, {"columns": 6, "rows": 6, "first": "yellow"})
    assert "Start this pairing" in olga.get(cup_path(cup)).content.decode()
    template = olga.post(NEW, FILLED | {"like": "first-game"}).content.decode()
    assert Cup.objects.count() == 1
    assert "5b</textarea>" in template
    assert 'aria-current="true"' in template
    assert re.search(r'name="nicknames" value="off"[^>]* checked', template)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"names": "4a"}, "A cup has 2 to 32 teams. Your list has 1."),
        ({"names": "\n".join(f"Class {number}" for number in range(33))}, "Your list has 33."),
        ({"names": "4a\n4A"}, "Line 2: “4A” appears twice."),
        ({"names": f"4a\n{'b' * 41}"}, "Line 2: a team name has at most 40 characters."),
        ({"names": "\u200b\n\u202e"}, "A cup has 2 to 32 teams. Your list has 0."),
        ({"names": ""}, "Enter the teams, one per line."),
        ({"names": "x" * 5_000}, "Enter at most 32 teams."),
        ({"name": "\u3164"}, "Enter a cup name."),
        ({"format": "ladder"}, "ladder"),
        ({"names": "4a", "filler": "2"}, "A cup has 2 to 32 teams."),
        ({"names": "4a\n4b\ncomputer 2", "filler": "2"}, "“Computer 2” appears twice."),
        ({"filler": "6"}, "6 is not one of the available choices"),
        ({"best_of": "2"}, "2 is not one of the available choices"),
        ({"window_s_usual": "other", "window_s_number": "1", "window_s_unit": "1"}, "Choose between"),
    ],
)
def test_invalid_cup_form_creates_nothing(olga: Client, changes: dict[str, str], error: str) -> None:
    response = olga.post(NEW, FILLED | changes)
    assert response.status_code == 200
    assert error in response.content.decode()
    assert not CupTeam.objects.exists()


def test_begin_button_leads_owner_and_superuser_to_event_console(olga: Client, cup: Cup) -> None:
    olga.force_login(User.objects.create_superuser("root"))
    response = olga.post(cup_path(cup), {"ask": "begin", "pairing": "1"})
    event = Event.objects.get()
    assert response.headers["Location"] == f"/console/{event.code}/?cup={cup.code}"
    assert event.owner == cup.owner
    olga.force_login(cup.owner)
    page = olga.get(cup_path(cup)).content.decode()
    assert f'class="button main" href="/console/{event.code}/?cup={cup.code}">Console' in page
    assert f'href="/stage/{cup.code}#{projector_key(cup.code, 0)}"' in page
    board = olga.get(f"/cup/{cup.code}").content.decode()
    assert event.code in board
    assert not any(projector_key(code, 0) in board for code in (event.code, cup.code))


@pytest.mark.parametrize(
    "form",
    [
        *({"ask": "begin", "pairing": pairing} for pairing in ("3", "x", "-1", "²", "9" * 30)),
        *({"ask": ask, "pairing": "1"} for ask in ("back", "shout", "walkover")),
        *({"ask": "walkover", "pairing": "1", "place": "3"}, {}, {"ask": "begin"}),
    ],
)
def test_invalid_cup_action_changes_nothing(olga: Client, cup: Cup, form: dict[str, str]) -> None:
    for ask, shown in (
        (form, cup.name),
        ({"ask": "walkover", "pairing": "1", "place": "2"}, "5b wins by walkover"),
        ({"ask": "back", "pairing": "1"}, "Walkover undone"),
    ):
        assert shown in olga.post(cup_path(cup), ask, follow=True).content.decode()
        assert CupPairing.objects.exists() == (ask.get("place") == "2")
    assert not Event.objects.exists()


def test_cup_deletion_keeps_its_events(olga: Client, cup: Cup) -> None:
    """A pairing won by walkover has no event."""
    start_pairing(cup.pk, 1)
    give_walkover(cup.pk, 2, 1)
    path = cup_path(cup, "delete/")
    assert "Its 1 event and its matches are kept" in olga.get(path).content.decode()
    olga.post(path)
    assert not Cup.objects.exists()
    assert Event.objects.exists()
    with pytest.raises(CupError, match="deleted"):
        start_pairing(cup.pk, 3)


def test_event_list_shows_only_own_cups(olga: Client, cup: Cup) -> None:
    theirs = new_cup()
    Cup.objects.filter(pk=theirs.pk).update(owner=organizer("carl"))
    event = start_pairing(cup.pk, 1)
    page = olga.get("/console/").content.decode()
    for shown in (cup_path(cup), "/console/cups/new/", "Cup with 4 teams · 1 event"):
        assert shown in page
    assert cup_path(theirs) not in page
    assert f"/console/{event.code}/" not in page, "events of cups are listed only for members"
    Member.objects.create(event=event, user=organizer("carl"), role="cohost")
    olga.force_login(organizer("carl"))
    assert f'aria-label="{event.name} {event.code}"' in olga.get("/console/").content.decode()


def board(client: Client, cup: Cup) -> str:
    cup_board._cache.clear()
    return client.get(f"/cup/{cup.code}").content.decode()


def test_cup_board_shows_bracket_join_links_and_why_pairings_ended(client: Client, cup: Cup) -> None:
    assert "Winner of semi-final 2" in board(client, cup)
    event = start_pairing(cup.pk, 1)
    page = board(client, cup)
    assert f'class="join red" href="/{event.code}/1"' in page
    assert f'class="join yellow" href="/{event.code}/2"' in page
    match = let_win(event, 1)
    for by, word in (("resign", "Resigned"), ("time", "Out of time"), ("forfeit", "No votes")):
        Match.objects.filter(pk=match.pk).update(ended_by=by)
        assert f'<span class="word">{word}' in board(client, cup)
    give_walkover(cup.pk, 2, 1)
    decide(cup, 3, 1)
    won = board(client, cup)
    assert re.search(r"<strong><bdi>4a</bdi></strong>.*wins the cup", won, re.DOTALL)
    assert re.search(r'href="/report/\w+/1">Match 1', won)
    assert client.get(f"/cup/{cup.code.lower()}").status_code == 200


def test_cup_board_shows_league_table_and_escapes_names(olga: Client) -> None:
    script = "<script>alert(1)</script>"
    cup = new_cup((f"{script}1", f"{script}2", "5a", "5b"), format="league")
    Cup.objects.filter(pk=cup.pk).update(name=script)
    decide(cup, 1, 2)
    decide(cup, 2, 0)
    page = board(olga, cup)
    assert "A win is worth 2 points" in page
    assert [int(points) for points in re.findall(r'class="points">(\d+)', page)] == [2, 1, 1, 0]
    for address in ("/console/", cup_path(cup), cup_path(cup, "delete/"), f"/cup/{cup.code}"):
        page = olga.get(address).content.decode()
        assert (script in page, "&lt;script&gt;" in page) == (False, True)


def test_cup_board_is_cached_two_seconds(client: Client, cup: Cup, django_assert_num_queries: Any) -> None:
    response = client.get(f"/cup/{cup.code}")
    assert response.headers["Cache-Control"] == "public, max-age=2"
    known = {"If-None-Match": response.headers["ETag"]}
    with django_assert_num_queries(0):
        assert client.get(f"/cup/{cup.code}").content == response.content
        unchanged = client.get(f"/cup/{cup.code}", headers=known)
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    start_pairing(cup.pk, 1)
    cup_board._cache.clear()
    assert client.get(f"/cup/{cup.code}", headers=known).status_code == 200


def test_rename_form_updates_cup_teams_and_events(olga: Client, cup: Cup, box: BallotBox) -> None:
    path, event = cup_path(cup, "edit/"), start_pairing(cup.pk, 1)
    form_page = olga.get(path).content.decode()
    assert all(f'value="{name}"' in form_page for name in ("Spring cup", "4a", "4b", "5a", "5b"))
    for wrong, error in [
        ({"name": "\u3164"}, "Enter a cup name."),
        ({"team_2": " "}, "Enter a team name."),
        ({"team_2": "5B"}, "“5B” appears twice."),
        ({"team_2": "x" * 41}, "at most 40 characters"),
    ]:
        assert error in olga.post(path, RENAMED | wrong).content.decode()
        assert (Cup.objects.get().name, cup.teams.get(seed=1).name) == ("Spring cup", "4a")
    response = olga.post(path, RENAMED, follow=True).content.decode()
    assert ("Saved." in response, "Autumn cup" in response) == (True, True)
    assert list(cup.teams.order_by("seed").values_list("name", flat=True)) == ["5b", "4b", "5a", "4a"]
    event.refresh_from_db()
    assert event.name == "Autumn cup: Semi-final 1"
    assert list(event.teams.order_by("number").values_list("name", flat=True)) == ["5b", "4a"]
    assert Announcement.objects.filter(event=event).exists()
    assert AuditEntry.objects.get(event=event).action == "event.edit"


def test_rename_keeps_results_and_skips_names_changed_by_hand(cup: Cup) -> None:
    event = decide(cup, 1, 2)
    assert rename_cup(cup.pk, "Spring cup", ("4a", "4x", "5x", "5b")) == ()
    Event.objects.update(name="The opening")
    event.teams.filter(number=1).update(name="Class 4a")
    (changed,) = rename_cup(cup.pk, "Autumn cup", ("4x", "4b", "5a", "The Owls"))
    changed.refresh_from_db()
    assert changed.name == "The opening"
    assert set(changed.teams.values_list("name", flat=True)) == {"Class 4a", "The Owls"}
    progress = load_cup_progress(Cup.objects.get())
    assert progress.names[progress.meetings[2].red or 0] == "The Owls"


def test_cup_board_and_pairings_are_in_the_language_of_the_cup(olga: Client) -> None:
    olga.post(NEW, FILLED, headers={"accept-language": "fr"})
    cup = Cup.objects.get()
    assert (cup.language, start_pairing(cup.pk, 1).language) == ("fr", "fr")
    for query, language in (("", "fr"), ("?locale=es", "es")):
        page = olga.get(f"/cup/{cup.code}{query}", headers={"accept-language": "de"}).content.decode()
        assert f'<html lang="{language}">' in page


@pytest.mark.parametrize(
    ("names", "filler", "added"),
    [("4a\n4b\n5a", "2", [("Ordinateur 2", "bot:2")]), ("4a\n4b\n5a", "", []), ("4a\n4b\n5a\n5b", "2", [])],
)
def test_computer_fills_odd_cup(olga: Client, names: str, filler: str, added: list[tuple[str, str]]) -> None:
    olga.post(NEW, FILLED | {"names": names, "filler": filler, "language": "fr"})
    assert sources(Cup.objects.get()) == [(name, PHONES) for name in names.split()] + added


def test_cup_board_offers_every_team_but_the_computer(client: Client) -> None:
    cup = new_cup(THREE, filler="2")
    event = start_pairing(cup.pk, 1)
    page = client.get(f"/cup/{cup.code}").content.decode()
    teams, _, bracket = page.partition('class="another"')
    assert [f"<strong><bdi>{name}</bdi>" in teams for name in (*THREE, COMPUTER)] == [True, True, True, False]
    assert f"<bdi>{COMPUTER}</bdi>" in bracket
    assert f'href="/{event.code}/1"' in teams
    assert f'href="/{event.code}/2"' not in page


def test_late_team_replaces_computer_before_its_first_pairing_only(olga: Client) -> None:
    cup = new_cup(THREE, filler="2")
    path, form = cup_path(cup, "edit/"), {"name": cup.name, "team_1": "4a", "team_2": "4b", "team_3": "5a"}
    assert "appears twice" in olga.post(path, form | {"team_1": COMPUTER}).content.decode()
    start_pairing(cup.pk, 2)
    page = olga.get(path).content.decode()
    assert ("Late team" in page, 'name="team_4"' in page) == (True, False)
    for late, added in (("", (COMPUTER, "bot:2")), ("5b", ("5b", PHONES))):
        olga.post(path, form | {"late_team": late})
        assert sources(cup)[-1] == added
    assert not start_pairing(cup.pk, 1).teams.exclude(source=PHONES).exists()
    assert "Late team" not in olga.get(path).content.decode()
    begun, decided = (new_cup(THREE, filler="2") for _ in range(2))
    start_pairing(begun.pk, 1)
    give_walkover(decided.pk, 1, 2)
    for one in (begun, decided):
        assert "Late team" not in olga.get(cup_path(one, "edit/")).content.decode()
    with pytest.raises(CupError, match="already started"):
        rename_cup(begun.pk, begun.name, (*THREE, "5b"))
    rename_cup(begun.pk, "Autumn cup", THREE)
    assert sources(begun)[-1] == (COMPUTER, "bot:2")
