"""The cards for play without phones."""

import re
import sys

import pytest
from django.test import Client


@pytest.mark.parametrize(
    ("path", "size"), [("/rules/cards.pdf", b"595.28 841.89"), ("/rules/cards-letter.pdf", b"612.00 792.00")]
)
@pytest.mark.parametrize("language", ["ar", pytest.param("en", marks=pytest.mark.nightly)])
def test_play_sheets_are_two_pages_of_their_paper(path: str, size: bytes, language: str) -> None:
    answer = Client().get(path, {"locale": language})
    assert answer["Content-Type"] == "application/pdf"
    assert len(re.findall(rb"/Type /Page\b", answer.content)) == 2
    assert b"/MediaBox [0 0 %s]" % size in answer.content


def test_page_says_how_to_install_missing_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fpdf", None)
    answer = Client().get("/rules/cards.pdf", {"locale": "de"})
    assert answer.status_code == 501
    assert "PDF-Dateien sind nicht verfügbar" in answer.content.decode()
    assert 'pip install "crowdgame[pdf]"' in answer.content.decode()


def test_rules_page_links_the_play_sheets_and_names_the_flipped_double_win() -> None:
    page = Client().get("/rules").content.decode()
    assert '<a href="/rules/cards.pdf">A4</a>' in page
    assert "the side without the token wins" in page
