import re
import sys
import zlib
from typing import Any

import pytest
import segno
from django.test import Client
from django.utils import translation
from hypothesis import given
from hypothesis import strategies as st

from crowdgame.events.printing import ticket_sheets
from crowdgame.events.printing.pdf_document import PdfDocument, Unprintable, can_print
from crowdgame.events.printing.posters import QR_SIZE, Poster, print_posters
from crowdgame.events.printing.rules_leaflet import RULE_EXAMPLES, draw_examples, play_example
from crowdgame.events.printing.ticket_sheets import COUPONS_PER_SHEET, Coupon, print_coupons
from games.engine.game import SIDES
from voting.admission.admission import format_key
from voting.admission.roster import Pupil
from voting.admission.tickets import PresentedKey, claim_tickets, make_roster, make_tickets
from voting.models import Event

DOCUMENT = PdfDocument("")
URL = "HTTP://PLAY.EXAMPLE.ORG/BCDF"
STREAM = re.compile(rb"/Filter /FlateDecode.*?stream\n(.*?)\nendstream", re.DOTALL)
RECTANGLE = re.compile(rb"(?<![\d.])([\d.]+) ([\d.]+) ([\d.]+) -([\d.]+) re f")


def pages(pdf: bytes) -> int:
    return len(re.findall(rb"/Type /Page\b", pdf))


def drawn(pdf: bytes) -> bytes:
    """The uncompressed drawing commands of its pages."""
    return b"\n".join(
        plain for stream in STREAM.findall(pdf) if b" re f" in (plain := zlib.decompress(stream))
    )


def symbol(pdf: bytes, side: float, url: str) -> list[list[int]]:
    """The rows of the QR symbol, from its rectangles."""
    size = len(segno.make_qr(url, error="m").matrix)
    found = [tuple(map(float, numbers)) for numbers in RECTANGLE.findall(drawn(pdf))]
    left, top = min(x for x, *_ in found), max(y for _, y, *_ in found)
    module = side * 72 / 25.4 / size
    rows = [[0] * size for _ in range(size)]
    for x, y, width, _ in found:
        row = round((top - y) / module)
        first = round((x - left) / module)
        rows[row][first : first + round(width / module)] = [1] * round(width / module)
    return rows


def poster(name: str = "Gala", teams: tuple[str, str] = ("North", "South"), **more: Any) -> Poster:
    choices = {"side": None, "board": True} | more
    return Poster(name, "BCDF", teams, URL, "play.example.org/BCDF", "", **choices)


@pytest.mark.parametrize(
    ("text", "scripts"),
    [
        ("Łódź, Ελλάδα, Київ", ""),
        ("مدرسة 7b", "Sans Arabic"),
        ("三年级二班 한국 🎉", "Sans SC,Sans KR,Emoji"),
    ],
)
def test_document_has_the_fonts_of_its_text_and_is_mirrored(text: str, scripts: str) -> None:
    with translation.override("ar"):
        pdf = PdfDocument("")
        assert pdf.place(10, 30) == pytest.approx(210 - 10 - 30, abs=0.01)
    pdf = PdfDocument("")
    assert pdf.place(10, 30) == 10
    pdf.add_page()
    pdf.select_font(20, bold=True)
    pdf.put_line(text, 10, 20, 100)
    assert pdf.families == {f"Noto {name}" for name in ["Sans", *filter(None, scripts.split(","))]}


def test_fit_shrinks_text_then_truncates_it() -> None:
    pdf = PdfDocument("")
    pdf.select_font(20, bold=True)
    assert pdf.fit_text("Short", 180) == ("Short", 20)
    shown, size = pdf.fit_text("A name of some length", 50)
    assert shown == "A name of some length"
    assert pdf.get_string_width(shown) * size / 20 == pytest.approx(50)
    shown, size = pdf.fit_text("W" * 80, 50)
    assert (shown[-1], size) == ("…", 9)
    assert pdf.get_string_width(shown) * size / 20 <= 50


@given(code=st.text("BCDFGHJKMNPQRSTVWXYZ23456789", min_size=8, max_size=8))
def test_fit_never_truncates_codes(code: str) -> None:
    key = format_key(code)
    DOCUMENT.select_font(ticket_sheets.KEY_SIZE, bold=True)
    for width in (ticket_sheets.TEXT_WIDTH, DOCUMENT.get_string_width(key) * 0.9):
        assert DOCUMENT.fit_text(key, width)[0] == key


@pytest.fixture
def printed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines that the documents of a test show."""
    drawn = list[str]()
    put_line = PdfDocument.put_line

    def record(pdf: PdfDocument, text: str, *box: float, centered: bool = False) -> None:
        drawn.append(pdf.fit_text(text, box[2])[0])
        put_line(pdf, text, *box, centered=centered)

    monkeypatch.setattr(PdfDocument, "put_line", record)
    return drawn


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("Goethe-Gymnasium Klasse 7b", {"Goethe-", "Gymnasium", "Klasse 7b"}),
        ("Kindergartenfreunde1", {"Kindergartenfreunde1"}),
        ("👍🏽", {"👍🏽"}),
        ("القاعة الكبرى في الطابق الأول", {"القاعة الكبرى", "في الطابق الأول"}),
        *((name, set()) for name in ("Donaudampfschifffahrtsgesellschaftskapit", "W" * 80, "A name " * 11)),
        ("三" * 80, set()),
    ],
)
def test_poster_shows_long_names_in_whole_words(printed: list[str], name: str, lines: set[str]) -> None:
    teams = (name[:40], name[:40])
    assert pages(print_posters([poster(name, teams)])) == 1
    shown = "".join(printed).replace(" ", "")
    assert "…" not in shown
    assert name.replace(" ", "") in shown
    assert lines <= set(printed)
    assert pages(print_posters([poster(name, teams, side=side) for side in SIDES])) == 3


def test_poster_leaves_out_names_that_no_font_can_show(printed: list[str]) -> None:
    assert pages(print_posters([poster("ไทย", ("ไทย", "ไทย"))])) == 1
    assert not any("ไทย" in line for line in printed)


def test_poster_has_qr_code_of_its_url_and_balls_of_both_teams_on_the_board() -> None:
    pdf, lacquer = print_posters([poster()]), b"0.102 0.149 0.2784 rg"
    assert symbol(pdf, QR_SIZE, URL) == [list(map(int, row)) for row in segno.make_qr(URL, error="m").matrix]
    with_board, without = drawn(pdf), drawn(print_posters([poster(board=False)]))
    assert all(color in with_board for color in (b"0.9098 0.2 0.2902 rg", b"1 0.8235 0.2471 rg", lacquer))
    assert without.count(b" c") < with_board.count(b" c") / 10
    assert lacquer not in without


def test_ticket_sheet_holds_fixed_number_of_coupons_in_supported_scripts() -> None:
    coupon = Coupon("Ada", "BCDF-GHJK", URL, "play.example.org/BCDF", "North", "red")
    assert pages(print_coupons("Codes", [coupon] * COUPONS_PER_SHEET)) == 1
    assert pages(print_coupons("Codes", [coupon] * (COUPONS_PER_SHEET + 1))) == 2
    with pytest.raises(Unprintable):
        print_coupons("Codes", [Coupon("ไทย", "BCDFGH", URL, "play.example.org/BCDF")])
    printable = ["Zoë Żuraw", "Ελένη", "Олена", "李小龙", "王玥", "さくら", "عليّ", "한국", "🎉❤️👩‍🚀"]
    assert [name for name in [*printable, "ไทย", "שלום"] if can_print(name)] == printable


@pytest.mark.django_db
@pytest.mark.parametrize(("choice", "count"), [("balance", 1), ("choose", 1), ("link", 3)])
def test_link_choice_prints_three_posters(browser: Client, event: Event, choice: str, count: int) -> None:
    Event.objects.filter(pk=event.pk).update(team_choice=choice, language="ar")
    response = browser.get(f"/console/{event.code}/poster.pdf")
    assert response.headers["Content-Type"] == "application/pdf"
    assert response.headers["Content-Disposition"] == f'attachment; filename="poster-{event.code}.pdf"'
    assert pages(response.content) == count
    assert b"/Lang (ar)" in response.content


@pytest.mark.django_db
def test_ticket_pdf_has_unused_codes_split_into_files(browser: Client, event: Event) -> None:
    path = f"/console/{event.code}/tickets.pdf"
    assert browser.get(path).headers["Location"] == f"/console/{event.code}/tickets/"
    used, *_, last = make_tickets(event, 5 * COUPONS_PER_SHEET + 1)
    first = browser.get(path, {"part": 1})
    assert claim_tickets(event.pk, [PresentedKey(used.code, 1, 1, False, False)])
    second = browser.get(path, {"part": 2})
    assert (pages(first.content), pages(second.content)) == (5, 1)
    assert first.headers["Content-Disposition"] == f'attachment; filename="tickets-{event.code}-1.pdf"'
    event.tickets.exclude(pk=last.pk).update(first_used_at=1)
    page = browser.get(f"/console/{event.code}/tickets/").content.decode()
    assert re.findall(r"tickets\.pdf\?part=(\d)", page) == ["2"]


@pytest.mark.django_db
def test_unprintable_names_redirect_to_tickets_page(browser: Client, event: Event) -> None:
    make_roster(event, [Pupil("ท", None), Pupil("Ada", 2)])
    page = browser.get(f"/console/{event.code}/tickets.pdf", follow=True)
    assert page.redirect_chain == [(f"/console/{event.code}/tickets/", 302)]
    assert "The PDF cannot show the character “ท”" in page.content.decode()


def test_pictures_show_winning_lines_and_pending_balls() -> None:
    (scene,) = (play_example(one) for one in RULE_EXAMPLES if one.title == "Both win at once")
    assert scene.after.winning_cells == ((1, 1), (2, 1), (3, 1), (4, 1))
    assert scene.after.losing_cells == ((7, 1), (7, 2), (7, 3), (7, 4))
    _, same, *_, both = draw_examples()
    assert both.after.count('class="light"') == 8
    heights = re.findall(r'href="#ball-(red|yellow)" x="326" y="(-?\d+)"', same.before)
    assert heights == [("red", "-102"), ("yellow", "-220")]


@pytest.mark.parametrize(
    ("path", "size"), [("/rules/cards.pdf", b"595.28 841.89"), ("/rules/cards-letter.pdf", b"612.00 792.00")]
)
@pytest.mark.parametrize("language", ["ar", pytest.param("en", marks=pytest.mark.nightly)])
def test_play_sheets_are_two_pages_of_their_paper(path: str, size: bytes, language: str) -> None:
    answer = Client().get(path, {"locale": language})
    assert (answer["Content-Type"], pages(answer.content)) == ("application/pdf", 2)
    assert b"/MediaBox [0 0 %s]" % size in answer.content


def test_page_says_how_to_install_missing_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fpdf", None)
    answer = Client().get("/rules/cards.pdf", {"locale": "de"})
    assert answer.status_code == 501
    assert "PDF-Dateien sind nicht verfügbar" in answer.content.decode()
    assert 'pip install "crowdgame[pdf]"' in answer.content.decode()
