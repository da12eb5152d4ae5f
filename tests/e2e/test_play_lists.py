"""The Play page in two browsers: create and invite, watch live pictures, and a replay while nobody plays."""

import re

from playwright.sync_api import expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, PROJECTOR
from tests.server import Server


def test_lists_and_invitation_of_two_players(open_at: OpenScreen) -> None:
    """One creates and invites; the other reads what game it is and joins. Then a picture shows."""
    one = open_at(PROJECTOR, "/play/").page
    form = one.locator(".begin form").first
    form.get_by_text("More options").click()
    cards = form.locator(".card")
    expect(cards.filter(has_text="Simultaneous").locator(".options")).to_be_visible()
    form.get_by_label("Captain's Mistress", exact=True).check()
    expect(form.locator(".options:visible")).to_have_count(1)
    cards.nth(2).get_by_label("6", exact=True).check()
    form.get_by_label("3 days", exact=True).check()
    form.get_by_label("Casual").check()
    form.get_by_role("button", name="Start game").click()
    expect(one.locator(".qr")).to_be_visible()
    code = one.url.rpartition("/")[2]
    one.context.grant_permissions(["clipboard-read", "clipboard-write"])
    about = r"Captain's Mistress · 6 \u00d7 6 · first to move .* · 3 days per player · casual"
    expect(one.locator(".what").first).to_have_text(re.compile(about))
    one.get_by_role("button", name="Copy link").click()
    expect(one.get_by_role("button", name="Link copied")).to_be_visible()
    assert one.evaluate("navigator.clipboard.readText()").endswith(f"/play/{code}")

    two = open_at(PHONE, "/play/").page
    line = two.locator(".game", has=two.locator(f'form[action="/play/{code}/join"]'))
    what = "Captain's Mistress · 6 \u00d7 6 · 3 days per player · casual"
    expect(line.locator(".what")).to_contain_text(what)
    expect(line).to_contain_text("just created")
    line.get_by_role("button").click()
    expect(two.frame_locator(".board iframe").locator('body[data-phase="voting"]')).to_be_attached()
    picture = open_at(PROJECTOR, "/play/").page.locator(f'img[src="/board/{code}/1/0.svg"]').first
    expect(picture).to_be_visible()
    assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth > 0)")


def test_live_picture_follows_and_finished_game_replays(server: Server, open_at: OpenScreen) -> None:
    code = server.ask("duel", time_control="5-min")["code"]
    screen = open_at(PROJECTOR)
    screen.animate()  # or the replay would stand at its end
    watcher = screen.page
    watcher.goto("/play/")
    live = watcher.locator(f'#running ~ ul img[src^="/board/{code}/1/"]')
    expect(live).to_have_attribute("src", f"/board/{code}/1/0.svg")
    server.ask("play_duel_to_end", code=code)
    expect(live).to_have_count(0, timeout=60_000)
    server.ask("abort_all_matches")
    watcher.reload()
    board = watcher.locator(".showcase img")
    expect(board).to_be_visible()
    expect(board).to_have_attribute("src", re.compile(r"/1/2\.svg$"))
    watcher.get_by_role("button", name="Pause").click()
    watcher.get_by_role("button", name="Play replay").click()
