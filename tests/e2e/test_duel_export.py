"""A finished duel as pictures and record."""

from pathlib import Path

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PROJECTOR
from tests.server import Server


def test_duel_is_downloaded_as_pictures_and_record(server: Server, open_at: OpenScreen) -> None:
    code = server.ask("duel")["code"]
    server.ask("play_duel_to_end", code=code)
    page = open_at(server, "export", PROJECTOR).page
    page.goto(f"/report/{code}/1")
    for name, begins in [
        ("Animation (SVG)", b"<svg"),
        ("Final board (SVG)", b"<svg"),
        ("Final board (PNG)", b"\x89PNG"),
        ("Match record", b"{"),
    ]:
        with page.expect_download() as started:
            page.get_by_role("link", name=name, exact=True).click()
        assert Path(started.value.path()).read_bytes().startswith(begins), name
