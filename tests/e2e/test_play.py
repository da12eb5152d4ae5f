import re

from playwright.sync_api import FrameLocator, Page, expect

from tests.e2e.screens import PHONE, PROJECTOR, SMALL_PHONE, TIMEOUT_MS, OpenScreen
from tests.e2e.scripts import page_script
from tests.server import Server

POLL_MS = 2 * TIMEOUT_MS
TURN_MS = 2 * POLL_MS  # the reveal, the opening of the next turn, the cast, and the refresh of the page
ROWS = ".history tbody tr"
FITS_JS = "document.documentElement.scrollWidth <= innerWidth"
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


def board(page: Page) -> FrameLocator:
    return page.frame_locator(".board iframe")


def expect_phase(page: Page, phase: str) -> None:
    expect(board(page).locator(f'body[data-phase="{phase}"]')).to_be_attached(timeout=POLL_MS)


def begin(open_at: OpenScreen) -> tuple[Page, Page, str]:
    """Start a game of three days between a large and a small window, each on the game's page."""
    one, two = open_at(PROJECTOR, "/play/").page, open_at(PHONE).page
    one.get_by_text("More options").click()
    one.get_by_label("3 days", exact=True).check()
    one.get_by_role("button", name="Start game").click()
    expect_phase(one, "lobby")
    code = one.url.rpartition("/")[2]
    two.goto("/play/")
    two.locator(f'form[action="/play/{code}/join"] button').click()
    for page in (one, two):
        expect_phase(page, "voting")
    return one, two, code


def choose(page: Page, column: int) -> None:
    """Choose a column and wait until the choice is counted, or the turn that it ended is revealed."""
    board(page).locator(f'[data-column="{column}"]').click()
    counted = board(page).locator('main[data-status="counted"], body:not([data-phase="voting"])')
    expect(counted.first).to_be_attached()


def test_player_invites_with_a_link_and_another_reads_what_game_it_is(open_at: OpenScreen) -> None:
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

    screen = open_at(PHONE, "/play/")
    two = screen.page
    two.locator("[name=time_control]:checked").first.evaluate(
        "(input) => { input.value = 'none'; input.form.requestSubmit(); }"
    )
    expect(two.get_by_role("alert")).to_have_text("The game was not created. Check its options.")
    expect(two).to_have_url(re.compile(r"/play/$"))
    screen.errors.clear()
    line = two.locator(".game", has=two.locator(f'form[action="/play/{code}/join"]'))
    what = "Captain's Mistress · 6 \u00d7 6 · 3 days per player · casual"
    expect(line.locator(".what")).to_contain_text(what)
    expect(line).to_contain_text("just created")
    line.get_by_role("button").evaluate("(join) => { join.click(); setTimeout(() => join.click(), 5); }")
    expect_phase(two, "voting")
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


def test_players_and_spectator_share_page_of_duel(open_at: OpenScreen) -> None:
    one, two, code = begin(open_at)
    watcher = open_at(PHONE, f"/play/{code}").page
    expect_phase(watcher, "voting")
    pages = (one, two, watcher)
    play = two.context.new_page()
    play.goto("/play/")
    expect(play).to_have_title("Your turn · Play · Crowdgame")
    choose(one, 4)
    assert [page.locator(ROWS).count() for page in pages] == [0, 0, 0]
    board(two).locator('[data-column="5"]').click()
    expect_phase(one, "reveal")
    # While the board reveals a turn, a refresh adds nothing to the page.
    before = one.locator(ROWS).count()
    with one.expect_response(re.compile(rf"/play/{code}$")) as fetched:
        one.evaluate("document.dispatchEvent(new Event('outdated'))")
    assert re.search(r"<tbody><tr", fetched.value.text())
    assert one.locator(ROWS).count() == before
    for page in pages:
        expect(page.locator(f"{ROWS} td")).to_have_count(2, timeout=POLL_MS)
        assert sorted(page.locator(f"{ROWS} td").all_inner_texts()) == ["4", "5"]
        assert page.evaluate(FITS_JS)
    one.get_by_text("Resign or make an offer").click()
    one.get_by_role("button", name="Resign", exact=True).click()
    for page in pages:
        expect(page.locator(".result")).to_contain_text("won · Resigned", timeout=POLL_MS)
        expect_phase(page, "ended")
        expect(page.get_by_role("link", name="Replay")).to_be_visible()
    assert [page.get_by_role("button", name="Rematch").count() for page in pages] == [1, 1, 0]


def test_turn_plays_itself_when_both_plans_match(open_at: OpenScreen) -> None:
    one, two, _ = begin(open_at)
    for page in (one, two):
        page.get_by_text("Plan your next choice").click()
    for page, theirs, own in ((one, "5", "6"), (one, "1", "2"), (two, "4", "7")):
        page.get_by_label("If your opponent chooses").select_option(theirs)
        page.get_by_label("you choose").select_option(own)
        page.get_by_role("button", name="Add to plan").click()
        expect(page.get_by_text(f"If {theirs}, then {own}")).to_be_visible()
        assert page.evaluate(FITS_JS)
    # A page that changes while a player plans keeps what is selected, and the focus.
    their_choice, own_choice = one.get_by_label("If your opponent chooses"), one.get_by_label("you choose")
    their_choice.select_option("3")
    own_choice.select_option("7")
    own_choice.focus()
    one.evaluate(page_script("outdate"))
    expect(one.locator('[data-current="outdated"]')).to_have_count(0)
    expect(their_choice).to_have_value("3")
    expect(own_choice).to_have_value("7")
    expect(own_choice).to_be_focused()
    one.get_by_role("button", name="Remove your answer to 1").click()
    expect(one.get_by_text("If 1, then 2")).to_have_count(0)
    expect(one.get_by_text("If 5, then 6")).to_be_visible()
    choose(one, 4)
    choose(two, 5)
    for page in (one, two):
        expect(page.locator(ROWS)).to_have_count(2, timeout=TURN_MS)
        cells = page.locator(f"{ROWS} td").all_inner_texts()
        assert [sorted(cells[:2]), sorted(cells[2:])] == [["4", "5"], ["6", "7"]]
        expect_phase(page, "voting")
        expect(page.get_by_text("If 5, then 6")).to_have_count(0)


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


def test_chat_refuses_repetition_and_hides_some_messages(server: Server, open_at: OpenScreen) -> None:
    code = server.ask("duel")["code"]
    players, watchers = f"{code}-players", f"{code}-watchers"
    screen = open_at(SMALL_PHONE, f"/play/{code}")
    page = screen.page
    guest = server.ask("seated_guests", code=code)[0]
    server.ask("post_chat_message", slug=players, text="Good luck", guest=guest)
    expect(page.locator(".talks")).not_to_have_attribute("open", "")
    page.locator(".talks summary").click()  # beside a game on a phone, the chat is a drawer
    message = page.get_by_label("Write a message")
    message.fill("Column 4!")
    page.keyboard.press("Enter")
    expect(message).to_have_value("")
    message.fill("Column 4!")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("alert")).to_have_text("You just posted that message.")
    screen.errors.clear()
    number = server.ask("post_chat_message", slug=watchers, text="Rubbish")
    expect(page.locator(".said .text")).to_have_text(["Column 4!", "Rubbish"])
    server.ask("remove_chat_message", line=number)
    expect(page.locator(".said .text")).to_have_text(["Column 4!"])
    server.ask("configure_chat_room", slug=watchers, slow_s=30, closed=True)
    expect(page.get_by_text("This room is closed to new messages.")).to_be_visible()
    expect(message).to_be_hidden()
    assert "Good luck" not in page.content()
    server.ask("play_duel_to_end", code=code)
    expect(page.get_by_text("Good luck")).to_be_visible(timeout=POLL_MS)
    expect(page.get_by_text("until the game ends")).to_have_count(0)
    server.ask("post_chat_message", slug=players, text="Well played")
    expect(page.get_by_text("Well played")).to_be_visible()
