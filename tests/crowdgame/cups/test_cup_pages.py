"""The pages of a cup: the organizer's, and the one for the hall and every phone."""

import re

import pytest
from django.test import Client

from crowdgame.cups import board_view as cup_board
from crowdgame.cups.cups import begin_pairing, give_walkover
from crowdgame.cups.forms import TEMPLATES
from crowdgame.cups.models import Cup, CupPairing, CupTeam
from crowdgame.events.models import Member
from crowdgame.web.content_policy import INLINE
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
def _nothing_kept() -> None:
    cup_board._kept.clear()


@pytest.fixture
def olga(client: Client) -> Client:
    client.force_login(organizer())
    return client


def room(cup: Cup) -> str:
    return f"/console/cups/{cup.code}/"


def press(client: Client, cup: Cup, **asked: object) -> str:
    """The page that it ends on."""
    return client.post(room(cup), asked, follow=True).content.decode()


def test_a_list_of_names_makes_a_cup(olga: Client) -> None:
    answer = olga.post("/console/cups/new/", FILLED)
    cup = Cup.objects.get()
    assert answer.url == room(cup)  # type: ignore[attr-defined]
    assert list(cup.teams.order_by("seed").values_list("seed", "name")) == [
        (1, "4a"),
        (2, "4b"),
        (3, "5a"),
        (4, "5b"),
    ]
    assert (cup.owner, cup.format, cup.best_of, cup.window_s) == (organizer(), "knockout", 1, 20)
    assert "Begin this pairing" in olga.get(room(cup)).content.decode()


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"names": "4a"}, "A cup has 2 to 32 teams; this list has 1."),
        ({"names": "\n".join(f"Class {number}" for number in range(33))}, "this list has 33."),
        ({"names": "4a\n4A"}, "Line 2: “4A” is there twice."),
        ({"names": f"4a\n{'b' * 41}"}, "Line 2: a team&#x27;s name has at most 40 letters."),
        ({"names": "\u200b\n\u202e"}, "A cup has 2 to 32 teams; this list has 0."),
        ({"names": ""}, "Write the teams, one a line."),
        ({"names": "x" * 5_000}, "At most 32 teams, please."),
        ({"name": "\u3164"}, "Give the cup a name."),
        ({"format": "ladder"}, "ladder"),
        ({"best_of": "2"}, "2 is not one of the available choices"),
        ({"window_s_usual": "other", "window_s_number": "1", "window_s_unit": "1"}, "Choose between"),
    ],
)
def test_what_cannot_be_a_cup_is_said_and_changes_nothing(
    olga: Client, changes: dict[str, str], error: str
) -> None:
    answer = olga.post("/console/cups/new/", FILLED | changes)
    assert answer.status_code == 200
    assert error in answer.content.decode()
    assert not Cup.objects.exists()
    assert not CupTeam.objects.exists()


@pytest.mark.parametrize("preset", TEMPLATES, ids=[preset.slug for preset in TEMPLATES])
def test_every_template_fills_the_form_in(olga: Client, preset: object) -> None:
    page = olga.get(f"/console/cups/new/?like={preset.slug}").content.decode()  # type: ignore[attr-defined]
    assert 'aria-current="true"' in page
    window = preset.choices["window_s"]  # type: ignore[attr-defined]
    assert re.search(rf'name="window_s_usual" value="{window}"[^>]* checked', page)


def test_the_big_button_begins_and_leads_to_the_control_room(olga: Client) -> None:
    cup = new_cup()
    answer = olga.post(room(cup), {"ask": "begin", "pairing": "1"})
    event = Event.objects.get()
    assert answer.url == f"/console/{event.code}/?cup={cup.code}"  # type: ignore[attr-defined]
    page = olga.get(room(cup)).content.decode()
    assert f'class="button main" href="/console/{event.code}/?cup={cup.code}">Control room' in page
    assert f'href="/display/{event.code}"' in page


def test_a_walkover_by_a_press_and_its_undo(olga: Client) -> None:
    cup = new_cup()
    assert "5b has it without playing" in press(olga, cup, ask="walkover", pairing="1", place="2")
    assert "Taken back" in press(olga, cup, ask="back", pairing="1")
    assert not CupPairing.objects.exists()


@pytest.mark.parametrize(
    "asked",
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
def test_a_nonsense_press_changes_nothing(olga: Client, asked: dict[str, str]) -> None:
    cup = new_cup()
    assert cup.name in press(olga, cup, **asked)
    assert not CupPairing.objects.exists()
    assert not Event.objects.exists()


def test_only_the_owner_and_a_superuser_come_in(client: Client) -> None:
    cup = new_cup()
    for address in (room(cup), f"{room(cup)}delete/"):
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
    assert client.get(room(cup)).status_code == 200
    press(client, cup, ask="begin", pairing="1")
    assert Event.objects.get().owner == cup.owner


def test_deleting_says_that_the_events_stay(olga: Client) -> None:
    cup = new_cup()
    begin_pairing(cup.pk, 1)
    assert "Its 1 event stays with all matches" in olga.get(f"{room(cup)}delete/").content.decode()
    olga.post(f"{room(cup)}delete/")
    assert not Cup.objects.exists()
    assert Event.objects.exists()


def test_my_events_show_my_cups(olga: Client) -> None:
    mine, theirs = new_cup(), new_cup()
    Cup.objects.filter(pk=theirs.pk).update(owner=organizer("carl"))
    page = olga.get("/console/").content.decode()
    assert room(mine) in page
    assert room(theirs) not in page
    assert "/console/cups/new/" in page


def test_my_events_leave_a_cups_pairings_to_its_page(olga: Client) -> None:
    event = begin_pairing(new_cup().pk, 1)
    page = olga.get("/console/").content.decode()
    assert f"/console/{event.code}/" not in page
    assert "A cup of 4 teams · 1 event on its page" in page


def test_who_helps_with_a_pairing_finds_it_among_their_events(client: Client) -> None:
    event = begin_pairing(new_cup().pk, 1)
    Member.objects.create(event=event, user=organizer("carl"), role="cohost")
    client.force_login(organizer("carl"))
    assert f'aria-label="{event.name} {event.code}"' in client.get("/console/").content.decode()


def board(client: Client, cup: Cup) -> str:
    cup_board._kept.clear()
    return client.get(f"/cup/{cup.code}").content.decode()


def test_anybody_sees_the_bracket_and_where_to_join(client: Client) -> None:
    cup = new_cup()
    assert "Winner of semi-final 2" in board(client, cup)
    event = begin_pairing(cup.pk, 1)
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


def test_a_league_shows_its_table(client: Client) -> None:
    cup = new_cup(format="league")
    decide(cup, 1, 2)
    page = board(client, cup)
    assert "A pairing won is 2 points" in page
    assert [int(points) for points in re.findall(r'class="points">(\d+)', page)] == [2, 0, 0, 0]


def test_the_board_has_no_cookie_runs_only_its_own_and_is_kept_a_moment(client: Client) -> None:
    cup = new_cup()
    answer = client.get(f"/cup/{cup.code}")
    assert not answer.cookies
    assert "Cookie" not in answer.headers.get("Vary", "")
    assert answer.headers["Cache-Control"] == "public, max-age=2"
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
    assert not [block for _, block in INLINE.findall(answer.content) if block]
    assert not re.search(rb' style=| on[a-z]+="', answer.content)
    same = client.get(f"/cup/{cup.code}", headers={"If-None-Match": answer.headers["ETag"]})
    assert (same.status_code, same.content) == (304, b"")
    begin_pairing(cup.pk, 1)
    cup_board._kept.clear()
    other = client.get(f"/cup/{cup.code}", headers={"If-None-Match": answer.headers["ETag"]})
    assert other.status_code == 200


def test_many_who_ask_at_once_are_answered_from_memory(
    client: Client, django_assert_num_queries: object
) -> None:
    cup = new_cup()
    client.get(f"/cup/{cup.code}")
    with django_assert_num_queries(0):  # type: ignore[operator]
        for _ in range(5):
            client.get(f"/cup/{cup.code}")


def test_what_is_no_cup_is_not_found(client: Client) -> None:
    event = begin_pairing(new_cup().pk, 1)
    for address in ("/cup/ZZZZZ", f"/cup/{event.code}", "/cup/", "/cup/ÄÄÄÄÄ"):
        assert client.get(address).status_code == 404
    assert client.post(f"/cup/{Cup.objects.get().code}").status_code == 405


def test_names_are_text_on_every_page(olga: Client) -> None:
    cup = new_cup((f"{SCRIPT}1"[:40], f"{SCRIPT}2"[:40]))
    Cup.objects.filter(pk=cup.pk).update(name=SCRIPT)
    for address in ("/console/", room(cup), f"{room(cup)}delete/", f"/cup/{cup.code}"):
        page = olga.get(address).content.decode()
        assert SCRIPT not in page
        assert "&lt;script&gt;" in page
