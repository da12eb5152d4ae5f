"""Chat in the lobby and beside a duel, with and without JavaScript, safe against injected markup."""

from playwright.sync_api import expect

from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, SMALL_PHONE
from tests.e2e.test_duel_page import POLL_MS
from tests.server import Server

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


def test_chat_escapes_markup_in_messages(server: Server, open_at: OpenScreen) -> None:
    server.ask("clear_chat")
    page = open_at(PHONE, "/play/").page
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    for text in NASTY:
        server.ask("post_chat_message", slug="lobby", text=text)
    for _ in ("as it came", "as it is served"):
        expect(page.locator(".said")).to_have_count(len(NASTY))
        assert page.locator(".said .text").all_inner_texts() == list(NASTY)
        inside = page.locator(".said .text *, .log iframe, .log svg, .log img, .log script, .log style")
        assert inside.count() == 0
        assert page.locator(".log a:not(.more)").count() == 0
        assert page.evaluate("window.ran") is None
        page.reload()
    page.get_by_role("link", name="Mute or report").first.click()
    assert page.locator("blockquote").inner_text() == NASTY[0]
    assert (page.evaluate("window.ran"), dialogs) == (None, [])


def test_chat_refuses_repetition_and_hides_messages_of_players_and_removed_ones(
    server: Server, open_at: OpenScreen
) -> None:
    code = server.ask("duel")["code"]
    players, watchers = f"{code}-players", f"{code}-watchers"
    screen = open_at(SMALL_PHONE, f"/play/{code}")
    page = screen.page
    guest = server.ask("seated_guests", code=code)[0]
    server.ask("post_chat_message", slug=players, text="Good luck", guest=guest)
    expect(page.locator(".talks")).not_to_have_attribute("open", "")
    page.locator(".talks summary").click()  # beside a game on a phone, the chat is a drawer
    page.get_by_label("Write a message").fill("Column 4!")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Write a message")).to_have_value("")
    page.get_by_label("Write a message").fill("Column 4!")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert")).to_have_text("You just posted that message.")
    screen.errors.clear()
    number = server.ask("post_chat_message", slug=watchers, text="Rubbish")
    expect(page.locator(".said .text")).to_have_text(["Column 4!", "Rubbish"])
    server.ask("remove_chat_message", line=number)
    expect(page.locator(".said .text")).to_have_text(["Column 4!"])
    server.ask("configure_chat_room", slug=watchers, slow_s=30, closed=True)
    expect(page.get_by_text("This room is closed to new messages.")).to_be_visible()
    expect(page.get_by_label("Write a message")).to_be_hidden()
    assert "Good luck" not in page.content()
    server.ask("play_duel_to_end", code=code)
    expect(page.get_by_text("Good luck")).to_be_visible(timeout=POLL_MS)
    expect(page.get_by_text("until the game ends")).to_have_count(0)
    server.ask("post_chat_message", slug=players, text="Well played")
    expect(page.get_by_text("Well played")).to_be_visible()
