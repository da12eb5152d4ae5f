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
from tests.crowdgame.events.form_helpers import form_defaults
from voting.admission.admission import format_key
from voting.admission.tickets import MAX_TICKETS, PresentedKey, claim_tickets, make_tickets
from voting.events import create_event
from voting.models import Event, Ticket
from voting.terms import Admission

pytestmark = pytest.mark.django_db


def address(event: Event, page: str = "tickets/") -> str:
    return f"/console/{event.code}/{page}"


def ask(browser: Client, event: Event, ask: str, **fields: Any) -> str:
    return browser.post(address(event), {"ask": ask, **fields}, follow=True).content.decode()


def mark_used(ticket: Ticket) -> None:
    assert claim_tickets(ticket.event_id, [PresentedKey(ticket.code, 1, 1, False, False)])


def test_tickets_are_limited_and_have_unique_codes_and_voters(browser: Client, event: Event) -> None:
    page = browser.get(address(event)).content.decode()
    for text in ("No codes yet", "These codes are not in use.", 'enctype="multipart/form-data"'):
        assert text in page
    refusals = {"": "Enter a number.", "0": "at least 1.", "5001": "at most 5000.", "x": "a whole"}
    for count, text in refusals.items():
        assert text in ask(browser, event, "make", count=count)
    assert not event.tickets.exists()
    assert "5,000 new codes" in ask(browser, event, "make", count=MAX_TICKETS)
    assert "You can add 0 more" in ask(browser, event, "make", count=1)
    assert "You can add 0 more" in ask(browser, event, "roster", names="Ada")
    codes, voters = (set(event.tickets.values_list(name, flat=True)) for name in ("code", "voter"))
    assert len(codes) == len(voters) == event.tickets.count() == MAX_TICKETS
    assert all(re.fullmatch("[0-9a-f]{16}", voter) for voter in voters)
    assert {len(code) for code in codes} == {8}
    names = "\U00020000" * MAX_ROSTER_LENGTH  # would be twelve bytes per character, were it URL-encoded
    assert len(encode_multipart(BOUNDARY, {"ask": "roster", "names": names})) < MAX_UPLOAD_BYTES


def test_roster_creates_one_ticket_per_name_or_lists_errors(browser: Client, event: Event) -> None:
    page = ask(browser, event, "save", names="Ada, South\nBob\n<b>Cy</b>")
    assert "3 new codes" in page
    assert "&lt;b&gt;Cy" in page
    created = event.tickets.order_by("label").values_list("label", "team")
    assert list(created) == [("<b>Cy</b>", None), ("Ada", 2), ("Bob", None)]
    assert {len(ticket.code) for ticket in event.tickets.all()} == {8}
    assert "“ada” already has a code" in ask(browser, event, "save", names="Dan\nada")
    names = "\nDan\nEve,Blues\ndan\n\tNorth"
    page = ask(browser, event, "roster", names=names)
    assert re.findall(r"<li>(Line \d)", page) == ["Line 3", "Line 4", "Line 5"]
    assert f"{names}</textarea>" in page
    assert 'value="save"' not in page
    assert event.tickets.count() == 3


def test_roster_is_offered_first_and_previewed_by_line(browser: Client, event: Event) -> None:
    Event.objects.filter(pk=event.pk).update(admission=Admission.ROSTER)
    page = browser.get(address(event)).content.decode()
    assert re.findall(r'<button class="main" name="ask" value="(\w+)"', page) == ["roster"]
    assert "<summary>Codes without names</summary>" in page
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


def test_tickets_are_found_by_name_and_code_in_pages_and_by_post(browser: Client, event: Event) -> None:
    ask(browser, event, "save", names="Bob\nAda")
    ticket, *_ = make_tickets(event, ROWS_PER_PAGE - 1)
    shown = format_key(ticket.code)
    searches = [("ADA", "Ada"), (shown.lower(), shown), (f"\u200e{ticket.code}.", shown)]
    for wanted, found in [*searches, ("nobody", "No matching codes.")]:
        page = ask(browser, event, "find", q=wanted)
        assert found in page
        assert not re.search(r"\bBob\b", page)
    first, second = (ask(browser, event, "find", q="", show="unused", page=page) for page in (1, 2))
    assert (first.count("<tr>"), second.count("<tr>")) == (ROWS_PER_PAGE + 1, 2)
    assert (">Ada<" in first, ">Bob<" in second) == (True, True), "by name"
    assert 'name="page" value="2"' in first
    assert ('method="get"' in first, "?q=" in first) == (False, False)
    assert "No matching codes" not in browser.get(address(event), {"q": "nobody"}).content.decode()


def test_used_ticket_is_released_and_not_issued_again(browser: Client, event: Event, other: User) -> None:
    ask(browser, event, "save", names="Ada\nBob")
    ada, bob = event.tickets.order_by("label")
    [theirs] = make_tickets(create_event(other, "Theirs", ("A", "B")), 1)
    for ticket in (ada, theirs):
        mark_used(ticket)
    page = ask(browser, event, "find", show="used")
    assert (format_key(ada.code) in page, format_key(bob.code) in page) == (True, False)
    assert "Released" in ask(browser, event, "release", ticket=ada.pk)
    ada.refresh_from_db()
    assert (ada.used_at, ada.team) == (None, 1)
    for wrong in ["", "x", "9" * 40, "²", str(theirs.pk)]:
        assert "Released" not in ask(browser, event, "release", ticket=wrong)
    theirs.refresh_from_db()
    assert theirs.used_at is not None
    page = browser.get(address(event)).content.decode()
    assert ("2 codes, 1 used" in page, "<td>released</td>" in page) == (True, True)
    shown = form_defaults(browser, address(event))["newest"]
    make_tickets(event, 1)
    assert "Unused codes deleted: 1." in ask(browser, event, "delete", newest=shown), "only what it shows"
    assert "“Ada” already has a code" in ask(browser, event, "roster", names="Ada\nBob")
    assert "1 new code." in ask(browser, event, "save", names="Bob")
    assert list(event.tickets.filter(label="Ada").values_list("voter", flat=True)) == [ada.voter]
    assert not event.tickets.filter(voter=bob.voter).exists()
    mark_used(event.tickets.get(label="Bob"))
    assert "Unused codes deleted: 0." in ask(browser, event, "delete", newest="x")
    shown = form_defaults(browser, address(event))["newest"]
    assert "Unused codes deleted: 1." in ask(browser, event, "delete", newest=shown)
    rows = browser.get(address(event, "tickets/csv/")).content.decode("utf-8-sig").splitlines()
    assert rows[1].startswith(f"{format_key(ada.code)},Ada,North,released,")


@pytest.mark.parametrize(("language", "delimiter"), [("en", ","), ("de", ";"), ("ar", ";")])
def test_csv_export_lists_all_tickets_and_escapes_formulas(
    language: str, delimiter: str, browser: Client, event: Event, tmp_path: Path
) -> None:
    ask(browser, event, "save", names="=1+1\nAda, 1")
    response = browser.get(address(event, "tickets/csv/"), headers={"accept-language": language})
    assert response.headers["Content-Disposition"] == f'attachment; filename="tickets-{event.code}.csv"'
    text = io.StringIO(response.content.decode("utf-8-sig"))
    titles, formula, ada = csv.reader(text, delimiter=delimiter)
    assert language != "en" or titles == ["Code", "Name", "Team", "Used", "Address"]
    assert formula[1] == "'=1+1"
    code = event.tickets.get(label="Ada").code
    assert (*ada[:3], ada[4]) == (format_key(code), "Ada", "North", f"http://testserver/{event.code}#{code}")
    (tmp_path / "codes.csv").write_bytes(response.content)
    assert set(read_keys(tmp_path / "codes.csv", 2)) == {ticket.code for ticket in event.tickets.all()}
    (tmp_path / "codes.txt").write_text("\ufeffBCDF-GHJK\n\nbcdf ghjm\n")
    assert read_keys(tmp_path / "codes.txt", 2) == ("BCDFGHJK", "BCDFGHJM")


def test_tickets_command_makes_and_exports_tickets(event: Event, tmp_path: Path, settings: Settings) -> None:
    settings.PUBLIC_URL = "https://play.example.org"
    file = tmp_path / "tickets.csv"
    file.touch(0o644)
    call_command("tickets", f"http://testserver/{event.code.lower()}", "--count", "12", "--csv", str(file))
    assert event.tickets.count() == len(file.read_text().splitlines()) - 1 == 12
    assert f"https://play.example.org/{event.code}#" in file.read_text()
    assert file.read_text().startswith("\ufeffCode,Name,Team,Used,Address"), "with a byte order mark"
    assert file.stat().st_mode & 0o777 == 0o600
    assert set(read_keys(file, 12)) == {ticket.code for ticket in event.tickets.all()}
    unwritable = [event.code, "--count", "1", "--csv", str(file / "below")]
    for wrong in (["ZZZZ"], [event.code, "--count", "5000"], [event.code, "--count", "-1"], unwritable):
        with pytest.raises(CommandError):
            call_command("tickets", *wrong)
    assert event.tickets.count() == 12


def test_admin_masks_ticket_codes_and_hides_voters(client: Client, event: Event, other: User) -> None:
    User.objects.filter(pk=other.pk).update(is_superuser=True, is_staff=True)
    client.force_login(other)
    [ticket] = make_tickets(event, 1)
    for page in ("", f"{ticket.pk}/change/"):
        shown = client.get(f"/admin/voting/ticket/{page}").content.decode()
        assert (ticket.code[:2] in shown, ticket.code in shown, ticket.voter in shown) == (True, False, False)
