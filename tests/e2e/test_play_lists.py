"""The Play page in two browsers: create and invite, watch live pictures, and a replay while nobody plays."""

import re

from playwright.sync_api import ViewportSize, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, PROJECTOR, Screen
from tests.server import Server


def enter(server: Server, open_at: OpenScreen, name: str, size: ViewportSize) -> Screen:
    screen = open_at(server, f"lists-{name}", size)
    screen.page.goto("/play/")
    return screen


def test_lists_and_invitation_of_two_players(server: Server, open_at: OpenScreen) -> None:
    """One creates and invites; the other reads what game it is and joins. Then a picture shows."""
    one = enter(server, open_at, "one", PROJECTOR)
    two = enter(server, open_at, "two", PHONE)
    form = one.page.locator(".begin form").first
    form.get_by_text("More options").click()
    cards = form.locator(".card")
    expect(cards.filter(has_text="Simultaneous").locator(".options")).to_be_visible()
    form.get_by_label("Captain's Mistress", exact=True).check()
    expect(form.locator(".options:visible")).to_have_count(1)
    cards.nth(2).get_by_label("6", exact=True).check()
    form.get_by_label("3 days", exact=True).check()
    form.get_by_label("Casual").check()
    one.shoot("cards")
    form.get_by_role("button", name="Start game").click()
    expect(one.page.locator(".qr")).to_be_visible()
    code = one.page.url.rpartition("/")[2]
    about = re.compile(r"Captain's Mistress · 6 \u00d7 6 · first to move .* · 3 days per player · casual")

    one.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    expect(one.page.locator(".what").first).to_have_text(about)
    one.page.get_by_role("button", name="Copy link").click()
    expect(one.page.get_by_role("button", name="Link copied")).to_be_visible()
    assert one.page.evaluate("navigator.clipboard.readText()").endswith(f"/play/{code}")
    one.shoot("invite")

    two.page.reload()
    line = two.page.locator(".game", has=two.page.locator(f'form[action="/play/{code}/join"]'))
    expect(line.locator(".what")).to_contain_text(
        "Captain's Mistress · 6 \u00d7 6 · 3 days per player · casual"
    )
    expect(line).to_contain_text("just created")
    two.shoot("open")
    line.get_by_role("button").click()
    expect(two.page.frame_locator(".board iframe").locator('body[data-phase="voting"]')).to_be_attached()
    other = enter(server, open_at, "other", PROJECTOR)
    picture = other.page.locator(f'img[src="/board/{code}/1/0.svg"]').first
    expect(picture).to_be_visible()
    assert picture.evaluate("(image) => image.decode().then(() => image.naturalWidth > 0)")
    other.shoot("live")
    assert [screen.errors for screen in (one, two, other)] == [[], [], []]


def test_live_picture_follows_and_finished_game_replays(server: Server, open_at: OpenScreen) -> None:
    watcher = enter(server, open_at, "watcher", PROJECTOR)
    watcher.animate()  # or the replay would stand at its end
    code = server.ask("duel", time_control="5-min")["code"]
    watcher.page.reload()
    first = f'#running ~ ul img[src^="/board/{code}/1/"]'
    expect(watcher.page.locator(first)).to_have_attribute("src", f"/board/{code}/1/0.svg")
    server.ask("play_duel_to_end", code=code)
    expect(watcher.page.locator(first)).to_have_count(0, timeout=60_000)
    server.ask("abort_all_matches")

    watcher.page.reload()
    board = watcher.page.locator(".showcase img")
    expect(board).to_be_visible()
    expect(board).to_have_attribute("src", re.compile(r"/1/2\.svg$"))
    watcher.page.get_by_role("button", name="Pause").click()
    watcher.page.get_by_role("button", name="Play replay").click()
    watcher.shoot("replay")
    assert watcher.errors == []
