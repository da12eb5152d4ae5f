"""Chat in the lobby and beside a duel, with and without JavaScript, safe against injected markup."""

from playwright.sync_api import Page, ViewportSize, expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, PROJECTOR, TIMEOUT_MS, Screen
from tests.e2e.test_duel_page import POLL_MS
from tests.server import Server

SMALL: ViewportSize = {"width": 320, "height": 640}
# Each of these would set a flag if it were run as markup, an attribute or a URL.
NASTY = (
    "<script>window.ran = 1</script>",
    "<img src=x onerror='window.ran = 1'>",
    '"><svg onload="window.ran = 1">',
    "javascript:window.ran=1//",
    "<a href='javascript:window.ran=1'>press</a>",
    "</span></p><iframe srcdoc='<script>parent.ran = 1</script>'>",
    "{{ constructor.constructor('window.ran = 1')() }}",
    "&lt;b&gt;bold&lt;/b&gt; &#60;i&#62;",
    "https://elsewhere.example/ <style>*{display:none}</style>",
    "</template><script>window.ran = 1</script>",
)


def at(
    server: Server, open_at: OpenScreen, name: str, path: str = "/play/", size: ViewportSize = PHONE
) -> Screen:
    screen = open_at(server, f"chat-{name}", size)
    screen.page.goto(path)
    return screen


def say(page: Page, text: str) -> None:
    page.get_by_label("Write a message").fill(text)
    page.keyboard.press("Enter")
    expect(page.get_by_label("Write a message")).to_have_value("", timeout=TIMEOUT_MS)


def last(page: Page) -> str:
    return page.locator(".said .text").last.inner_text()


def test_chat_shows_messages_and_hides_muted_guest(server: Server, open_at: OpenScreen) -> None:
    server.ask("clear_chat")
    one = at(server, open_at, "one", size=SMALL)
    two = at(server, open_at, "two", size=PROJECTOR)
    one.shoot("empty")
    say(one.page, "Anybody for a long game?")
    expect(two.page.locator(".said .text")).to_have_text("Anybody for a long game?", timeout=TIMEOUT_MS)
    say(two.page, "Yes! Start one.")
    expect(one.page.locator(".said")).to_have_count(2, timeout=TIMEOUT_MS)
    expect(one.page.locator(".said[data-own]")).to_have_count(1)
    one.page.get_by_label("Write a message").fill("Anybody for a long game?")
    one.page.get_by_role("button", name="Send").click()
    expect(one.page.get_by_role("alert")).to_have_text("You just posted that message.", timeout=TIMEOUT_MS)
    one.shoot("refused")
    two.shoot("two")
    one.page.get_by_role("link", name="Mute or report").last.click()
    one.shoot("line")
    one.page.get_by_role("button", name="Mute").click()
    expect(one.page.locator(".said")).to_have_count(1)
    assert two.errors == []


def test_chat_escapes_markup_in_messages(server: Server, open_at: OpenScreen) -> None:
    server.ask("clear_chat")
    live = at(server, open_at, "nasty")
    dialogs: list[str] = []
    live.page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    for text in NASTY:
        server.ask("post_chat_message", slug="lobby", text=text)
    expect(live.page.locator(".said")).to_have_count(len(NASTY), timeout=TIMEOUT_MS)
    live.shoot("live")
    for _ in ("as it came", "as it is served"):
        assert live.page.locator(".said .text").all_inner_texts() == list(NASTY)
        inside = live.page.locator(".said .text *, .log iframe, .log svg, .log img, .log script, .log style")
        assert inside.count() == 0
        assert live.page.locator(".log a:not(.more)").count() == 0
        assert live.page.evaluate("window.ran") is None
        live.page.reload()
        expect(live.page.locator(".said")).to_have_count(len(NASTY))
    live.page.get_by_role("link", name="Mute or report").first.click()
    assert live.page.locator("blockquote").inner_text() == NASTY[0]
    assert (live.page.evaluate("window.ran"), dialogs, live.errors) == (None, [], [])


def test_chat_hides_player_messages_from_watchers_and_removed_ones(
    server: Server, open_at: OpenScreen
) -> None:
    code = server.ask("duel")["code"]
    watcher = at(server, open_at, "watcher", f"/play/{code}")
    server.ask(
        "post_chat_message",
        slug=f"{code}-players",
        text="Good luck",
        guest=server.ask("seated_guests", code=code)[0],
    )
    open_drawer(watcher.page)
    say(watcher.page, "Column 4!")
    number = server.ask("post_chat_message", slug=f"{code}-watchers", text="Rubbish")
    expect(watcher.page.locator(".said .text")).to_have_text(["Column 4!", "Rubbish"], timeout=TIMEOUT_MS)
    watcher.shoot("watchers")
    server.ask("remove_chat_message", line=number)
    expect(watcher.page.locator(".said .text")).to_have_text(["Column 4!"], timeout=TIMEOUT_MS)
    server.ask("configure_chat_room", slug=f"{code}-watchers", slow_s=30, closed=True)
    expect(watcher.page.get_by_text("This room is closed to new messages.")).to_be_visible(timeout=TIMEOUT_MS)
    expect(watcher.page.get_by_label("Write a message")).to_be_hidden()
    assert "Good luck" not in watcher.page.content()
    server.ask("play_duel_to_end", code=code)
    expect(watcher.page.get_by_text("Good luck")).to_be_visible(timeout=POLL_MS)
    expect(watcher.page.get_by_text("until the game ends")).to_have_count(0)
    server.ask("post_chat_message", slug=f"{code}-players", text="Well played")
    expect(watcher.page.get_by_text("Well played")).to_be_visible(timeout=TIMEOUT_MS)
    watcher.shoot("over")
    assert watcher.errors == []


def open_drawer(page: Page) -> None:
    """Beside a game on a phone, the chat is a drawer."""
    expect(page.locator(".talks")).not_to_have_attribute("open", "", timeout=TIMEOUT_MS)
    page.locator(".talks summary").click()
