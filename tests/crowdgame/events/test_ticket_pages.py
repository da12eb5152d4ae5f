"""Ticket pages (create, find, release, print, export) and `manage.py tickets`."""

import csv
import io
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.test.client import BOUNDARY, encode_multipart
from pytest_django.fixtures import Settings

from crowdgame.events.ticket_forms import MAX_ROSTER_LENGTH
from crowdgame.events.ticket_views import ROWS_PER_PAGE
from crowdgame.rehearsal.join_keys import read_keys
from crowdgame.server.serving.request_limits import MAX_UPLOAD_BYTES
from voting.admission.admission import format_key
from voting.admission.tickets import MAX_TICKETS, PresentedKey, claim_tickets, make_tickets
from voting.events import create_event
from voting.models import Event, Ticket
from voting.terms import Admission

pytestmark = pytest.mark.django_db


def address(event: Event, page: str = "tickets/") -> str:
    return f"/console/{event.code}/{page}"


def mark_used(ticket: Ticket) -> None:
    assert claim_tickets(ticket.event_id, [PresentedKey(ticket.code, 1, 1, False, False)])


def ask(browser: Client, event: Event, ask: str, **fields: Any) -> str:
    return browser.post(address(event), {"ask": ask, **fields}, follow=True).content.decode()


def test_ticket_creation_requires_csrf_token(event: Event, organizer: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(organizer)
    assert strict.post(address(event), {"ask": "make", "count": 3}).status_code == 403
    assert not Ticket.objects.exists()


# ------------------------------------------------------------------ create


def test_created_tickets_have_unique_codes_and_voters(browser: Client, event: Event) -> None:
    page = browser.get(address(event)).content.decode()
    assert "No codes yet" in page
    assert "These codes are not in use." in page
    assert "200 new codes" in ask(browser, event, "make", count=200)
    tickets = list(event.tickets.all())
    assert len({ticket.code for ticket in tickets}) == len({ticket.voter for ticket in tickets}) == 200
    assert all(re.fullmatch("[0-9a-f]{16}", ticket.voter) for ticket in tickets)
    assert {len(ticket.code) for ticket in tickets} == {8}


@pytest.mark.parametrize(
    ("count", "text"),
    [("", "Enter a number."), ("0", "at least 1."), ("5001", "at most 5000."), ("x", "a whole number.")],
)
def test_ticket_count_is_validated(browser: Client, event: Event, count: str, text: str) -> None:
    assert text in ask(browser, event, "make", count=count)
    assert not event.tickets.exists()


def test_event_ticket_limit_is_enforced(browser: Client, event: Event) -> None:
    assert "5,000 new codes" in ask(browser, event, "make", count=MAX_TICKETS)
    assert "You can add 0 more" in ask(browser, event, "make", count=1)
    assert "You can add 0 more" in ask(browser, event, "roster", names="Ada")
    assert event.tickets.count() == MAX_TICKETS


def test_longest_roster_fits_into_a_request(browser: Client, event: Event) -> None:
    """In any script: a browser sends up to twelve bytes per character of an URL-encoded form."""
    assert 'enctype="multipart/form-data"' in browser.get(address(event)).content.decode()
    names = "\U00020000" * MAX_ROSTER_LENGTH
    assert len(encode_multipart(BOUNDARY, {"ask": "roster", "names": names})) < MAX_UPLOAD_BYTES


def test_roster_creates_one_ticket_per_name(browser: Client, event: Event) -> None:
    page = ask(browser, event, "save", names="Ada, South\nBob\n<b>Cy</b>")
    assert "3 new codes" in page
    assert "&lt;b&gt;Cy" in page
    created = event.tickets.order_by("label").values_list("label", "team")
    assert list(created) == [("<b>Cy</b>", None), ("Ada", 2), ("Bob", None)]
    assert {len(ticket.code) for ticket in event.tickets.all()} == {8}
    again = ask(browser, event, "save", names="Dan\nada")
    assert "“ada” already has a code" in again
    assert "Dan\r\nada" in again or "Dan\nada" in again
    assert event.tickets.count() == 3


def test_roster_is_previewed_by_line_before_it_is_saved(browser: Client, event: Event) -> None:
    names = 'Name,Team\r\n\r\n"Ada ""A""",\uff12\r\n<b>Cy</b>\r\n'
    page = ask(browser, event, "roster", names=names)
    rows = re.findall(r"<tr><td>(\d+)</td><th.*?><bdi>(.*?)</bdi></th><td>(.*?)</td></tr>", page)
    no_team = '<span class="state">no team</span>'
    assert rows == [("3", "Ada &quot;A&quot;", "<bdi>South</bdi>"), ("4", "&lt;b&gt;Cy&lt;/b&gt;", no_team)]
    assert "Line 1 has the titles of the columns." in page
    assert not event.tickets.exists()
    [kept] = re.findall(r'<textarea name="names" hidden>\n(.*?)</textarea>', page, re.DOTALL)
    assert unescape(kept) == names
    assert "2 new codes" in ask(browser, event, "save", names=unescape(kept))


def test_roster_errors_name_all_wrong_lines_and_keep_the_text(browser: Client, event: Event) -> None:
    page = ask(browser, event, "roster", names="\nAda\nBob,Blues\nada\n\tNorth")
    errors = re.findall(r"<li>(Line \d)", page)
    assert errors == ["Line 3", "Line 4", "Line 5"]
    assert "\nAda\nBob,Blues\nada\n\tNorth</textarea>" in page
    assert 'value="save"' not in page


def test_event_with_class_list_offers_the_list_first(browser: Client, event: Event) -> None:
    event.admission = Admission.ROSTER
    event.save()
    page = browser.get(address(event)).content.decode()
    assert re.findall(r'<button class="(\w*)" name="ask" value="(\w+)"', page) == [
        ("main", "roster"),
        ("", "make"),
    ]
    assert "<summary>Codes without names</summary>" in page


# ------------------------------------------------------------------ find and release
def test_tickets_are_found_by_name_and_code(browser: Client, event: Event) -> None:
    ask(browser, event, "save", names="Ada\nBob")
    [ticket] = make_tickets(event, 1)
    for wanted, found in [
        ("ADA", "Ada"),
        (format_key(ticket.code).lower(), format_key(ticket.code)),
        (f"\u200e{ticket.code}.", format_key(ticket.code)),
        ("nobody", "No matching codes."),
    ]:
        page = ask(browser, event, "find", q=wanted)
        assert found in page
        assert not re.search(r"\bBob\b", page)


def test_ticket_list_is_paginated_and_searched_by_post(browser: Client, event: Event) -> None:
    make_tickets(event, ROWS_PER_PAGE + 1)
    first, second = (ask(browser, event, "find", q="", show="unused", page=page) for page in (1, 2))
    assert (first.count("<tr>"), second.count("<tr>")) == (ROWS_PER_PAGE + 1, 2)
    assert 'name="page" value="2"' in first
    assert ('method="get"' in first, "?q=" in first) == (False, False)
    assert "No matching codes" not in browser.get(address(event), {"q": "nobody"}).content.decode()


def test_used_ticket_is_released_and_unused_ones_deleted(browser: Client, event: Event, other: User) -> None:
    used, unused = make_tickets(event, 2)
    [theirs] = make_tickets(create_event(other, "Theirs", ("A", "B")), 1)
    for ticket in (used, theirs):
        mark_used(ticket)
    page = ask(browser, event, "find", show="used")
    assert format_key(used.code) in page
    assert format_key(unused.code) not in page
    assert "Unused codes deleted: 1." in ask(browser, event, "delete")
    assert list(event.tickets.all()) == [used]
    assert "Released" in ask(browser, event, "release", ticket=used.pk)
    used.refresh_from_db()
    assert (used.used_at, used.team) == (None, 1)
    for wrong in ["", "x", "9" * 40, "²", str(theirs.pk)]:
        assert "Released" not in ask(browser, event, "release", ticket=wrong)
    theirs.refresh_from_db()
    assert theirs.used_at is not None


def test_released_roster_ticket_is_not_issued_again(browser: Client, event: Event) -> None:
    ask(browser, event, "save", names="Ada\nBob")
    ada, bob = event.tickets.order_by("label")
    mark_used(ada)
    ask(browser, event, "release", ticket=ada.pk)
    page = browser.get(address(event)).content.decode()
    assert "2 codes, 1 used" in page
    assert "<td>released</td>" in page
    assert "Unused codes deleted: 1." in ask(browser, event, "delete")
    assert "“Ada” already has a code" in ask(browser, event, "roster", names="Ada\nBob")
    assert "1 new code." in ask(browser, event, "save", names="Bob")
    assert list(event.tickets.filter(label="Ada").values_list("voter", flat=True)) == [ada.voter]
    assert not event.tickets.filter(voter=bob.voter).exists()
    rows = browser.get(address(event, "tickets/csv/")).content.decode("utf-8-sig").splitlines()
    assert rows[1].startswith(f"{format_key(ada.code)},Ada,North,released,")


# ------------------------------------------------------------------ export
def test_csv_export_lists_all_tickets_and_escapes_formulas(browser: Client, event: Event) -> None:
    ask(browser, event, "save", names="=1+1\nAda, 1")
    response = browser.get(address(event, "tickets/csv/"))
    assert response.headers["Content-Disposition"] == f'attachment; filename="tickets-{event.code}.csv"'
    rows = list(csv.reader(io.StringIO(response.content.decode("utf-8-sig"))))
    ada = event.tickets.get(label="Ada")
    assert rows[0] == ["Code", "Name", "Team", "Used", "Address"]
    assert rows[1][1] == "'=1+1"
    assert rows[2] == [
        format_key(ada.code),
        "Ada",
        "North",
        "no",
        f"http://testserver/{event.code}#{ada.code}",
    ]


@pytest.mark.parametrize("language", ["de", "ar"])
def test_rehearsal_reads_downloaded_codes(
    browser: Client, event: Event, tmp_path: Path, language: str
) -> None:
    make_tickets(event, 3)
    page = browser.get(address(event, "tickets/csv/"), headers={"accept-language": language})
    (tmp_path / "codes.csv").write_bytes(page.content)
    assert set(read_keys(tmp_path / "codes.csv", 3)) == {ticket.code for ticket in event.tickets.all()}
    (tmp_path / "codes.txt").write_text("\ufeffBCDF-GHJK\n\nbcdf ghjm\n")
    assert read_keys(tmp_path / "codes.txt", 2) == ("BCDFGHJK", "BCDFGHJM")


def test_tickets_command_creates_and_exports_tickets(
    event: Event, tmp_path: Path, settings: Settings
) -> None:
    settings.PUBLIC_URL = "https://play.example.org"
    file = tmp_path / "tickets.csv"
    file.touch(0o644)
    call_command("tickets", f"http://testserver/{event.code.lower()}", "--count", "12", "--csv", str(file))
    assert event.tickets.count() == 12
    assert len(file.read_text().splitlines()) == 13
    assert f"https://play.example.org/{event.code}#" in file.read_text()
    assert file.read_text().startswith("\ufeffCode,Name,Team,Used,Address"), "with a byte order mark"
    assert file.stat().st_mode & 0o777 == 0o600
    assert set(read_keys(file, 12)) == {ticket.code for ticket in event.tickets.all()}
    for wrong in (["ZZZZ"], [event.code, "--count", "5000"], [event.code, "--count", "-1"]):
        with pytest.raises(CommandError):
            call_command("tickets", *wrong)


# ------------------------------------------------------------------ admin
def test_admin_masks_ticket_codes_and_hides_voters(client: Client, event: Event, other: User) -> None:
    User.objects.filter(pk=other.pk).update(is_superuser=True, is_staff=True)
    client.force_login(other)
    [ticket] = make_tickets(event, 1)
    for page in ["", f"{ticket.pk}/change/"]:
        response = client.get(f"/admin/voting/ticket/{page}")
        assert response.status_code == 200
        assert ticket.code[:2] in response.content.decode()
        assert ticket.code not in response.content.decode()
        assert ticket.voter not in response.content.decode()
