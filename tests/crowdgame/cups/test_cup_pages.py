"""The pages of a cup: the organizer's page, and the public board."""

import re

import pytest
from django.test import Client

from crowdgame.cups import board_view as cup_board
from crowdgame.cups.cups import give_walkover, start_pairing
from crowdgame.cups.forms import CUP_PRESETS
from crowdgame.cups.models import Cup, CupPairing, CupTeam
from crowdgame.events.models import Member
from crowdgame.web.content_policy import INLINE_BLOCK
from games.models import Event
from tests.crowdgame.cups.cup_helpers import decide, new_cup
from tests.voting.match_helpers import organizer

pytestmark = pytest.mark.django_db

FILLED = {
    "name": "Spring cup",
    "names": "4a\n4b\n\n 5a \n5b",
    "format": "knockout",
    "game": "simultaneous-captains-mistress",
    "best_of": "1",
    "window_s_usual": "20",
    "talk_s_usual": "",
    "reveal_s_usual": "6",
    "next_match_after_s_usual": "",
}
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(autouse=True)
def _empty_board_cache() -> None:
    cup_board._cache.clear()


@pytest.fixture
def olga(client: Client) -> Client:
    client.force_login(organizer())
    return client


def cup_path(cup: Cup) -> str:
    return f"/console/cups/{cup.code}/"


def post_form(client: Client, cup: Cup, **form: object) -> str:
    """Post the form and return the page it redirects to."""
    return client.post(cup_path(cup), form, follow=True).content.decode()


def test_cup_form_creates_cup_from_names(olga: Client) -> None:
    response = olga.post("/console/cups/new/", FILLED)
    cup = Cup.objects.get()
    assert response.url == cup_path(cup)  # type: ignore[attr-defined]
    assert list(cup.teams.order_by("seed").values_list("seed", "name")) == [
        (1, "4a"),
        (2, "4b"),
        (3, "5a"),
        (4, "5b"),
    ]
    assert (cup.owner, cup.format, cup.best_of, cup.window_s) == (organizer(), "knockout", 1, 20)
    assert "Start this pairing" in olga.get(cup_path(cup)).content.decode()


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
        ({"best_of": "2"}, "2 is not one of the available choices"),
        ({"window_s_usual": "other", "window_s_number": "1", "window_s_unit": "1"}, "Choose between"),
    ],
)
def test_invalid_cup_form_shows_error_and_creates_nothing(
    olga: Client, changes: dict[str, str], error: str
) -> None:
    response = olga.post("/console/cups/new/", FILLED | changes)
    assert response.status_code == 200
    assert error in response.content.decode()
    assert not Cup.objects.exists()
    assert not CupTeam.objects.exists()


@pytest.mark.parametrize("preset", CUP_PRESETS, ids=[preset.slug for preset in CUP_PRESETS])
def test_cup_template_prefills_form(olga: Client, preset: object) -> None:
    page = olga.get(f"/console/cups/new/?like={preset.slug}").content.decode()  # type: ignore[attr-defined]
    assert 'aria-current="true"' in page
    window = preset.choices["window_s"]  # type: ignore[attr-defined]
    assert re.search(rf'name="window_s_usual" value="{window}"[^>]* checked', page)


def test_begin_button_leads_to_event_console(olga: Client) -> None:
    cup = new_cup()
    response = olga.post(cup_path(cup), {"ask": "begin", "pairing": "1"})
    event = Event.objects.get()
    assert response.url == f"/console/{event.code}/?cup={cup.code}"  # type: ignore[attr-defined]
    page = olga.get(cup_path(cup)).content.decode()
    assert f'class="button main" href="/console/{event.code}/?cup={cup.code}">Console' in page
    assert f'href="/display/{event.code}"' in page


def test_walkover_is_given_and_taken_back(olga: Client) -> None:
    cup = new_cup()
    assert "5b wins by walkover" in post_form(olga, cup, ask="walkover", pairing="1", place="2")
    assert "Walkover undone" in post_form(olga, cup, ask="back", pairing="1")
    assert not CupPairing.objects.exists()


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"ask": "begin"},
        {"ask": "begin", "pairing": "x"},
        {"ask": "begin", "pairing": "-1"},
        {"ask": "begin", "pairing": "²"},
        {"ask": "begin", "pairing": "9" * 30},
        {"ask": "begin", "pairing": "3"},
        {"ask": "walkover", "pairing": "1"},
        {"ask": "walkover", "pairing": "1", "place": "3"},
        {"ask": "back", "pairing": "1"},
        {"ask": "shout", "pairing": "1"},
    ],
)
def test_invalid_cup_action_changes_nothing(olga: Client, form: dict[str, str]) -> None:
    cup = new_cup()
    assert cup.name in post_form(olga, cup, **form)
    assert not CupPairing.objects.exists()
    assert not Event.objects.exists()


def test_cup_page_is_restricted_to_owner_and_superuser(client: Client) -> None:
    cup = new_cup()
    for address in (cup_path(cup), f"{cup_path(cup)}delete/"):
        assert client.get(address).status_code == 302
        client.force_login(organizer("carl"))
        assert client.get(address).status_code == 404
        assert client.post(address, {"ask": "begin", "pairing": "1"}).status_code == 404
        client.logout()
    assert Cup.objects.exists()
    assert not Event.objects.exists()
    boss = organizer("root")
    boss.is_superuser = True
    boss.save()
    client.force_login(boss)
    assert client.get(cup_path(cup)).status_code == 200
    post_form(client, cup, ask="begin", pairing="1")
    assert Event.objects.get().owner == cup.owner


def test_cup_deletion_keeps_its_events(olga: Client) -> None:
    cup = new_cup()
    start_pairing(cup.pk, 1)
    assert "Its 1 event and its matches are kept" in olga.get(f"{cup_path(cup)}delete/").content.decode()
    olga.post(f"{cup_path(cup)}delete/")
    assert not Cup.objects.exists()
    assert Event.objects.exists()


def test_event_list_shows_only_own_cups(olga: Client) -> None:
    mine, theirs = new_cup(), new_cup()
    Cup.objects.filter(pk=theirs.pk).update(owner=organizer("carl"))
    page = olga.get("/console/").content.decode()
    assert cup_path(mine) in page
    assert cup_path(theirs) not in page
    assert "/console/cups/new/" in page


def test_event_list_omits_events_of_cups(olga: Client) -> None:
    event = start_pairing(new_cup().pk, 1)
    page = olga.get("/console/").content.decode()
    assert f"/console/{event.code}/" not in page
    assert "Cup with 4 teams · 1 event" in page


def test_event_list_shows_cup_event_to_its_member(client: Client) -> None:
    event = start_pairing(new_cup().pk, 1)
    Member.objects.create(event=event, user=organizer("carl"), role="cohost")
    client.force_login(organizer("carl"))
    assert f'aria-label="{event.name} {event.code}"' in client.get("/console/").content.decode()


def board(client: Client, cup: Cup) -> str:
    cup_board._cache.clear()
    return client.get(f"/cup/{cup.code}").content.decode()


def test_cup_board_shows_bracket_and_join_links(client: Client) -> None:
    cup = new_cup()
    assert "Winner of semi-final 2" in board(client, cup)
    event = start_pairing(cup.pk, 1)
    page = board(client, cup)
    assert f'class="join red" href="/{event.code}/1"' in page
    assert f'class="join yellow" href="/{event.code}/2"' in page
    give_walkover(cup.pk, 2, 1)
    event.delete()
    decide(cup, 1, 1)
    decide(cup, 3, 1)
    won = board(client, cup)
    assert re.search(r"<strong><bdi>4a</bdi></strong>.*wins the cup", won, re.DOTALL)
    assert re.search(r'href="/report/\w+/1">Match 1', won)
    assert client.get(f"/cup/{cup.code.lower()}").status_code == 200


def test_cup_board_shows_league_table(client: Client) -> None:
    cup = new_cup(format="league")
    decide(cup, 1, 2)
    page = board(client, cup)
    assert "A win is worth 2 points" in page
    assert [int(points) for points in re.findall(r'class="points">(\d+)', page)] == [2, 0, 0, 0]


def test_cup_board_has_no_cookie_and_short_cache(client: Client) -> None:
    cup = new_cup()
    response = client.get(f"/cup/{cup.code}")
    assert not response.cookies
    assert "Cookie" not in response.headers.get("Vary", "")
    assert response.headers["Cache-Control"] == "public, max-age=2"
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    assert not [block for _, block in INLINE_BLOCK.findall(response.content) if block]
    assert not re.search(rb' style=| on[a-z]+="', response.content)
    unchanged = client.get(f"/cup/{cup.code}", headers={"If-None-Match": response.headers["ETag"]})
    assert (unchanged.status_code, unchanged.content) == (304, b"")
    start_pairing(cup.pk, 1)
    cup_board._cache.clear()
    other = client.get(f"/cup/{cup.code}", headers={"If-None-Match": response.headers["ETag"]})
    assert other.status_code == 200


def test_cup_board_is_served_from_memory(client: Client, django_assert_num_queries: object) -> None:
    cup = new_cup()
    client.get(f"/cup/{cup.code}")
    with django_assert_num_queries(0):  # type: ignore[operator]
        for _ in range(5):
            client.get(f"/cup/{cup.code}")


def test_unknown_cup_returns_404(client: Client) -> None:
    event = start_pairing(new_cup().pk, 1)
    for address in ("/cup/ZZZZZ", f"/cup/{event.code}", "/cup/", "/cup/ÄÄÄÄÄ"):
        assert client.get(address).status_code == 404
    assert client.post(f"/cup/{Cup.objects.get().code}").status_code == 405


def test_cup_pages_escape_names(olga: Client) -> None:
    cup = new_cup((f"{SCRIPT}1"[:40], f"{SCRIPT}2"[:40]))
    Cup.objects.filter(pk=cup.pk).update(name=SCRIPT)
    for address in ("/console/", cup_path(cup), f"{cup_path(cup)}delete/", f"/cup/{cup.code}"):
        page = olga.get(address).content.decode()
        assert SCRIPT not in page
        assert "&lt;script&gt;" in page
