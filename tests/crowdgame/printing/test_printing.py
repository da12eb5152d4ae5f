"""Printed PDFs: posters and ticket sheets, read back from the file."""

import base64
import re
import zlib

import pytest
import segno
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from crowdgame.printing.pdf_text import BOLD, Unprintable, can_print, fit_text, text_width
from crowdgame.printing.posters import QR_SIZE, Poster, print_posters
from crowdgame.printing.ticket_sheets import (
    COUPONS_PER_SHEET,
    KEY_SIZE,
    TEXT_WIDTH,
    Coupon,
    print_coupons,
    split_name,
)
from games.engine.game import Side
from voting.admission.admission import format_key
from voting.admission.roster import Pupil
from voting.admission.tickets import make_roster, make_tickets
from voting.models import Event

URL = "HTTP://PLAY.EXAMPLE.ORG/BCDF"
STREAM = re.compile(rb"/Filter \[ /ASCII85Decode /FlateDecode \].*?stream\r?\n(.*?)endstream", re.DOTALL)
RECTANGLE = re.compile(rb"(?<![\d.])([\d.]+) ([\d.]+) ([\d.]+) ([\d.]+) re")


def pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type /Page\b", pdf))


def drawn(pdf: bytes) -> bytes:
    """The uncompressed drawing commands of its pages."""
    streams = (base64.a85decode(b"<~" + stream.strip(), adobe=True) for stream in STREAM.findall(pdf))
    return b"\n".join(plain for stream in streams if b" re" in (plain := zlib.decompress(stream)))


def symbol(pdf: bytes, side: float, url: str) -> list[list[int]]:
    """The rows of the QR symbol, from its rectangles."""
    size = len(segno.make_qr(url, error="m").matrix)
    found = [tuple(map(float, numbers)) for numbers in RECTANGLE.findall(drawn(pdf))]
    left, bottom = min(x for x, *_ in found), min(y for _, y, *_ in found)
    module = side / size
    rows = [[0] * size for _ in range(size)]
    for x, y, width, _ in found:
        row = size - 1 - round((y - bottom) / module)
        first = round((x - left) / module)
        rows[row][first : first + round(width / module)] = [1] * round(width / module)
    return rows


def poster(
    event: str = "Gala", teams: tuple[str, str] = ("North", "South"), side: Side | None = None
) -> Poster:
    return Poster(event, "BCDF", teams, URL, "play.example.org/BCDF", "", side)


def test_poster_qr_code_encodes_url() -> None:
    pdf = print_posters([poster()])
    assert symbol(pdf, QR_SIZE, URL) == [list(map(int, row)) for row in segno.make_qr(URL, error="m").matrix]
    assert print_posters([poster()]) == pdf


@pytest.mark.parametrize(
    "name", ["Łódź, Ελλάδα, Київ", "三年级二班", "さくら", "한국", "مدرسة", "🎉", "x" * 80]
)
def test_poster_is_printed_for_any_name(name: str) -> None:
    both = [poster(event=name, teams=(name, name)), poster(teams=(name, name), side="red")]
    assert pages(print_posters(both)) == 2


def test_can_print_knows_supported_scripts() -> None:
    assert all(map(can_print, ["Zoë Żuraw", "Ελένη", "Олена", "李小龙", "한"]))
    assert not any(map(can_print, ["علي", "🎉"]))


def test_fit_shrinks_text_then_truncates_it() -> None:
    assert fit_text("Short", BOLD, 20, 500) == ("Short", 20)
    shown, size = fit_text("A name of some length", BOLD, 20, 150)
    assert shown == "A name of some length"
    assert text_width(shown, BOLD, size) == pytest.approx(150)
    shown, size = fit_text("W" * 80, BOLD, 20, 150)
    assert shown.endswith("…")
    assert size == 9
    assert text_width(shown, BOLD, size) <= 150


@given(st.text("BCDFGHJKMNPQRSTVWXYZ23456789", min_size=8, max_size=8))
def test_fit_never_truncates_codes(code: str) -> None:
    key = format_key(code)
    assert fit_text(key, BOLD, KEY_SIZE, TEXT_WIDTH)[0] == key
    assert fit_text(key, BOLD, 14.5, text_width(key, BOLD, 14.5) * 0.9)[0] == key


def test_in_lines_splits_long_name_in_two() -> None:
    assert split_name("Ada Lovelace") == ("Ada Lovelace",)
    assert split_name("Maximiliane Hohenstein-Schilling") == ("Maximiliane", "Hohenstein-Schilling")
    assert split_name("W" * 60) == ("W" * 60,)


def test_ticket_sheet_holds_fixed_number_of_coupons() -> None:
    coupon = Coupon("Ada", "BCDF-GHJK", URL, "play.example.org/BCDF", "North", "red")
    assert pages(print_coupons("Codes", [coupon] * COUPONS_PER_SHEET)) == 1
    assert pages(print_coupons("Codes", [coupon] * (COUPONS_PER_SHEET + 1))) == 2
    with pytest.raises(Unprintable):
        print_coupons("Codes", [Coupon("علي", "BCDFGH", URL, "play.example.org/BCDF")])


# ------------------------------------------------------------------ the organizer's pages


@pytest.mark.django_db
@pytest.mark.parametrize(("choice", "count"), [("balance", 1), ("choose", 1), ("link", 2)])
def test_link_choice_prints_one_poster_per_team(
    browser: Client, event: Event, choice: str, count: int
) -> None:
    Event.objects.filter(pk=event.pk).update(team_choice=choice)
    response = browser.get(f"/console/{event.code}/poster.pdf")
    assert response.headers["Content-Type"] == "application/pdf"
    assert response.headers["Content-Disposition"] == f'attachment; filename="poster-{event.code}.pdf"'
    assert "no-store" in response.headers["Cache-Control"]
    assert pages(response.content) == count


@pytest.mark.django_db
def test_ticket_pdf_is_split_into_files(browser: Client, event: Event) -> None:
    path = f"/console/{event.code}/tickets.pdf"
    assert "Nothing to print" in browser.get(path, follow=True).content.decode()
    make_tickets(event, 10 * COUPONS_PER_SHEET + 1)
    first, second = (browser.get(path, {"part": part}) for part in (1, 2))
    assert (pages(first.content), pages(second.content)) == (10, 1)
    assert first.headers["Content-Disposition"] == f'attachment; filename="tickets-{event.code}-1.pdf"'


@pytest.mark.django_db
def test_unprintable_names_redirect_to_print_page(browser: Client, event: Event) -> None:
    make_roster(event, [Pupil("علي", None), Pupil("Ada", 2)])
    page = browser.get(f"/console/{event.code}/tickets.pdf", follow=True)
    assert page.redirect_chain == [(f"/console/{event.code}/tickets/print/", 302)]
    assert "The PDF cannot show every name" in page.content.decode()
