"""A finished duel as pictures and record, and a position that one browser shares with another."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, PROJECTOR
from tests.server import Server

DOWNLOADS = {
    "Animation (SVG)": b"<svg",
    "Final board (SVG)": b"<svg",
    "Final board (PNG)": b"\x89PNG",
    "Match record": b"{",
}


@pytest.fixture
def report(server: Server) -> str:
    """The path of the report of a duel that red has won in four turns."""
    code = server.ask("duel")["code"]
    server.ask("play_duel_to_end", code=code)
    return f"/report/{code}/1"


def test_duel_is_downloaded_as_pictures_and_record(server: Server, open_at: OpenScreen, report: str) -> None:
    page = open_at(server, "export", PROJECTOR).page
    page.goto(report)
    for name, begins in DOWNLOADS.items():
        with page.expect_download() as started:
            page.get_by_role("link", name=name, exact=True).click()
        assert Path(started.value.path()).read_bytes().startswith(begins), name


def test_position_of_duel_is_shared_by_link(server: Server, open_at: OpenScreen, report: str) -> None:
    one, two = (open_at(server, f"editor-{name}", size) for name, size in (("a", PROJECTOR), ("b", PHONE)))
    one.page.goto(report)
    one.page.get_by_role("link", name="Open in the board editor").click()
    expect(one.page.get_by_role("status")).to_contain_text("After turn 4.")
    one.page.get_by_role("link", name="Take back turn").click()
    expect(one.page.get_by_role("status")).to_contain_text("After turn 3.")

    two.page.goto(one.page.get_by_label("Link to this position").input_value())
    expect(two.page.get_by_role("status")).to_contain_text("After turn 3.")
    two.page.get_by_label(re.compile("^Red.s column")).select_option("1")
    two.page.get_by_label(re.compile("^Yellow.s column")).select_option("7")
    two.page.get_by_role("button", name="Play turn").click()
    expect(two.page.get_by_role("status")).to_contain_text("After turn 4.")
    two.shoot("played")
    assert [screen.errors for screen in (one, two)] == [[], []]
