"""Layout of a complete match: nothing overlaps, is cut off or too small, and no vote leaks early."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, WebSocket, expect

from tests.e2e.fake_gateway import FakeGateway
from tests.e2e.scene_setup import CONFLICT, Scene, at_step, show_scene, with_long_names
from tests.e2e.screens import PHONE, POLL_MS, PROJECTOR, TABLET, TIMEOUT_MS, Screen, open_screen, press, vote
from tests.e2e.test_full_match import log_in
from tests.e2e.visible_text import NEXT_FRAME_JS

PHONES = [{"width": 320, "height": 568}, {"width": 844, "height": 390}, PHONE]
DISPLAYS = [{"width": 1920, "height": 1080}, {"width": 1024, "height": 768}, PROJECTOR]
# Team names of the maximum length, forty characters.
NAMES = ("Donaudampfschifffahrtsgesellschaftskapit", "Équipe du Théâtre de Saint-Étienne réuni")
# Red's and yellow's column in each turn; the last is a conflict in which the token holder, red, wins.
MATCH = [(1, 2), (1, 3), (1, 5), (1, 1)]
REVEAL = Scene("reveal-long-names", at_step("picks", with_long_names(CONFLICT)), "reveal")

READS_FROM_AFAR = 0.05
CLOCK = 0.13
QR = 0.6
TOLERANCE_PX = 1

DISPLAY_PARTS = {
    "lobby": (
        ".joined-team .badge",
        ".joined-team h2",
        ".joined-team p",
        ".demonstration",
        ".qr",
        ".join-info .address",
    ),
    "voting": (
        ".team",
        ".turnout-label",
        ".clock .figure",
        ".cabinet",
        ".token",
        ".footer .turn",
        ".footer .address",
    ),
    "reveal": (".team", ".choice", ".cabinet", ".token", ".footer .caption"),
    "ended": (".end > *", ".cabinet", ".footer .address"),
}
DISPLAY_TEXTS = {
    "lobby": (".joined-team h2", ".joined-team p", ".captions p", ".join-info .address"),
    "voting": (".team h2", ".turnout-label b", ".turnout-label span", ".plate text", ".footer span"),
    "reveal": (".team h2", ".choice span", ".choice p", ".plate text", ".footer .caption"),
    "ended": (".end h1", ".end p", ".plate text", ".footer span"),
}
PHONE_PARTS = {
    "lobby": (".clock", "h1", ".sentence"),
    "voting": (".clock", "h1", ".sentence", ".rim", ".plate", ".corner"),
    "ended": (".receipts summary", ".clock", "h1", ".sentence", ".rim", ".plate", ".corner"),
}

# Finishes animations first. `type` is the font size, also in scaled drawings; digits in a drawing fill only
# the middle of their line box.
BOXES = """selectors => {
document.getAnimations()
  .filter(({constructor, effect}) => constructor !== Animation && effect.getTiming().iterations !== Infinity)
  .forEach(gliding => gliding.finish());
return selectors.flatMap(name => [...document.querySelectorAll(name)].map(part => {
  const {left, right, height, ...box} = part.getBoundingClientRect().toJSON();
  const drawn = part instanceof SVGTextElement && part.getBBox().height;
  const style = getComputedStyle(part);
  const spare = drawn ? 0.2 * height : 0;
  const [top, bottom] = [box.top + spare, box.bottom - spare];
  const type = parseFloat(style.fontSize) * (drawn ? height / drawn : 1);
  const seen = right > left && bottom > top && style.opacity !== "0" && style.visibility === "visible";
  const cut = part.scrollHeight > part.clientHeight + 1 && style.overflow !== "visible";
  return {name, left, top, right, bottom, type, seen, cut, text: part.textContent};
})).filter(({seen}) => seen);
}"""
# The page itself waits for all parts; polling from outside could miss a step on a busy machine.
BOXES_ONCE_SHOWN = f"""async ([selectors, withinMs]) => {{
  const boxes = {BOXES};
  const end = performance.now() + withinMs;
  for (;;) {{
    const found = boxes(selectors);
    const shown = new Set(found.map(({{name}}) => name));
    if (selectors.every(name => shown.has(name)) || performance.now() > end) return found;
    await new Promise(resolve => setTimeout(resolve, {POLL_MS}));
  }}
}}"""
DIGIT_HEIGHT = """() => {
  const {fontWeight, fontSize, fontFamily} = getComputedStyle(document.querySelector(".clock .figure"));
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `${fontWeight} ${fontSize} ${fontFamily}`;
  return pen.measureText("8").actualBoundingBoxAscent;
}"""
SCROLLS = """() => {
  const page = document.scrollingElement;
  return page.scrollWidth > innerWidth || page.scrollHeight > innerHeight;
}"""
# The page's content without the running time.
WITHOUT_TIME = """() => {
  const page = document.body.cloneNode(true);
  page.querySelectorAll("[role=timer], [data-rate], [data-changed], .shape").forEach(part => part.remove());
  return page.outerHTML;
}"""
OWNERS = """() => Object.fromEntries(
  [...document.querySelectorAll("[data-cell]")].map(({dataset}) => [dataset.cell, dataset.owner]))"""


@dataclass(frozen=True, slots=True)
class Box:
    """A part of a page on the screen; `type` is its font size."""

    name: str
    left: float
    top: float
    right: float
    bottom: float
    type: float
    seen: bool
    cut: bool
    text: str

    def overlaps(self, other: "Box") -> bool:
        return self.overlap(other) > TOLERANCE_PX

    def overlap(self, other: "Box") -> float:
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return min(across, down)

    def is_outside(self, size: dict[str, int]) -> bool:
        in_width = self.left >= -TOLERANCE_PX and self.right <= size["width"] + TOLERANCE_PX
        return not in_width or self.top < -TOLERANCE_PX or self.bottom > size["height"] + TOLERANCE_PX


@dataclass
class EventScreens:
    """A display, one with reduced motion, a phone per team, and the messages they received."""

    console: Screen
    display: Screen
    calm: Screen
    red: Screen
    yellow: Screen
    received: list[dict[str, Any]] = field(default_factory=list, init=False)
    asked: list[str] = field(default_factory=list, init=False)

    @property
    def watchers(self) -> tuple[Screen, Screen, Screen]:
        return self.display, self.calm, self.yellow

    def listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: self.received.append(json.loads(frame)))


def boxes(screen: Screen, selectors: tuple[str, ...]) -> list[Box]:
    """The boxes of all these selectors, once each has a visible element."""
    shown = screen.page.evaluate(BOXES_ONCE_SHOWN, [list(selectors), TIMEOUT_MS])
    found = [Box(**box) for box in shown]
    missing = [name for name in selectors if name not in {box.name for box in found}]
    assert not missing, f"{screen.name} shows no {missing}"
    return found


def check_places(screen: Screen, found: list[Box], size: dict[str, int]) -> None:
    """Every part is completely on the screen, and none overlap."""
    where = f"{screen.name} at {size['width']}x{size['height']}"
    assert [box for box in found if box.is_outside(size)] == [], f"{where}: outside"
    assert [pair for pair in combinations(found, 2) if pair[0].overlaps(pair[1])] == [], f"{where}: overlap"
    assert not screen.page.evaluate(SCROLLS), f"{where}: scrolls"


def check_display(display: Screen, phase: str, size: dict[str, int]) -> None:
    parts, texts = DISPLAY_PARTS[phase], DISPLAY_TEXTS[phase]
    found = boxes(display, tuple(dict.fromkeys((*parts, *texts))))
    check_places(display, [box for box in found if box.name in parts], size)
    least = READS_FROM_AFAR * size["height"]
    small = [box for box in found if box.name in texts and box.type < least - 0.01]
    assert small == [], f"{size}: too small to read from afar"


def check_phone(screen: Screen, phase: str, size: dict[str, int]) -> None:
    found = boxes(screen, PHONE_PARTS[phase])
    check_places(screen, found, size)
    assert [box for box in found if box.cut] == [], f"{size}: cut off"


def at_sizes(
    screen: Screen, sizes: list[dict[str, int]], check_size: Callable[[dict[str, int]], None]
) -> None:
    """Check at every size; the last one stays."""
    for size in sizes:
        screen.page.set_viewport_size(size)  # type: ignore[arg-type]
        screen.page.evaluate(NEXT_FRAME_JS)
        check_size(size)


def check_all_sizes(screens: EventScreens, phase: str) -> None:
    if phase != "voting":
        screens.display.page.evaluate("() => document.fonts.ready")
    at_sizes(screens.display, DISPLAYS, lambda size: check_display(screens.display, phase, size))
    at_sizes(screens.red, PHONES, lambda size: check_phone(screens.red, phase, size))
    at_sizes(screens.yellow, PHONES, lambda size: check_phone(screens.yellow, phase, size))


def make_event(console: Screen, organizer: str) -> str:
    page = console.page
    log_in(page, organizer)
    page.goto("/console/new/empty/")
    page.get_by_label("Event name").fill("Looking closely")
    page.get_by_label("First team, red").fill(NAMES[0])
    page.get_by_label("Second team, yellow").fill(NAMES[1])
    page.get_by_text("More settings").click()
    page.locator("[name=pace][value='dramatic']").check()
    page.locator("[name=window_s_usual][value='300']").check()
    page.get_by_label("Close as soon as everyone connected has voted").check()
    page.get_by_role("button", name="Create event").click()
    expect(page.locator("[data-action]").first).to_be_visible(timeout=TIMEOUT_MS)
    return page.url.rstrip("/").rsplit("/", 1)[1]


def join(screens: EventScreens, code: str) -> None:
    for screen in (screens.console, screens.display, screens.red, screens.yellow):
        screen.animate()
    for screen in (screens.display, screens.calm):
        screen.page.goto(f"/display/{code}")
        screen.wait_for(phase="lobby")
    screens.red.page.on("request", lambda request: screens.asked.append(request.url))
    for phone, team in ((screens.red, "1"), (screens.yellow, "2")):
        phone.page.goto(f"/{code}")
        phone.wait_for(team=team, phase="lobby")


@pytest.fixture(scope="module")
def screens(browser: Browser, base_url: str, shots: Path, organizer: str) -> Iterator[EventScreens]:
    sizes = {"console": TABLET, "display": PROJECTOR, "calm": PROJECTOR, "red": PHONE, "yellow": PHONE}
    opened = {
        name: open_screen(browser, base_url, shots, f"sizes-{name}", size) for name, size in sizes.items()
    }
    screens = EventScreens(**opened)
    for screen in screens.watchers:
        screen.page.on("websocket", screens.listen)
    code = make_event(screens.console, organizer)
    press(screens.console, "lobby.open")
    join(screens, code)
    yield screens
    for screen in opened.values():
        screen.page.context.close()


def test_lobby_fits_every_screen(screens: EventScreens) -> None:
    check_all_sizes(screens, "lobby")
    symbol = boxes(screens.display, (".qr path",))[0]
    assert symbol.bottom - symbol.top >= QR * PROJECTOR["height"]
    page, *later = [url for url in screens.asked if not url.startswith("data:")]
    assert page == screens.red.page.url
    assert all("/static/app/deferred." in url for url in later)


def test_open_window_fits_every_screen_and_keeps_votes_secret(screens: EventScreens) -> None:
    press(screens.console, "match.start")
    for screen in (screens.red, *screens.watchers):
        screen.wait_for(phase="voting")
    expect(screens.yellow.page.locator("details.code")).to_be_attached(timeout=TIMEOUT_MS)  # loaded later
    screens.received.clear()
    check_all_sizes(screens, "voting")
    assert screens.display.page.evaluate(DIGIT_HEIGHT) >= CLOCK * PROJECTOR["height"]
    seen = [see_after(screens, keys, column) for keys, column in KEYBOARD]
    assert seen[0] == seen[1] == seen[2]
    assert {message["type"] for message in screens.received} <= {"turnout.counted", "clock.synced"}
    turnout = {"type", "turn", "connected", "voted", "picked_at", "watching", "votes_per_s", "figures"}
    for message in screens.received:
        assert message.keys() <= turnout | {"sent", "now_at"}
        assert message.get("picked_at") is None
        assert not message.get("watching")


# The third column by arrows and Enter, then the sixth and finally the first by digit.
KEYBOARD = [(("ArrowRight", "ArrowRight", "ArrowRight", "Enter"), 3), (("6",), 6), (("1",), 1)]


def see_after(screens: EventScreens, keys: tuple[str, ...], column: int) -> list[str]:
    """The content of all other pages after red has voted by keyboard."""
    for key in keys:
        screens.red.page.keyboard.press(key)
        if key.startswith("Arrow"):  # the first arrow key loads the part that handles arrows
            expect(screens.red.page.locator("[data-column]:focus")).to_be_attached(timeout=TIMEOUT_MS)
    label = f"Column {column}, 0 of 6 full, your choice"
    own = screens.red.page.get_by_role("button", name=label, exact=True)
    expect(own).to_have_attribute("aria-pressed", "true", timeout=TIMEOUT_MS)
    expect(screens.red.page.get_by_role("status")).to_have_text(
        f"Counted: your vote for\u00a0{column}. You can still change it."
    )
    for display in (screens.display, screens.calm):
        expect(display.page.locator('[data-turnout="1"]')).to_have_text("1", timeout=TIMEOUT_MS)
    return [screen.page.evaluate(WITHOUT_TIME) for screen in screens.watchers]


def test_reveal_fits_every_projector(fake_gateway: FakeGateway, window: Page, shots: Path) -> None:
    display = Screen(window, shots, "reveal")
    show_scene("display", REVEAL, window, fake_gateway)
    at_sizes(display, DISPLAYS, lambda size: check_display(display, "reveal", size))


@pytest.mark.nightly
def test_full_match_fits_and_ends_the_same_with_reduced_motion(screens: EventScreens) -> None:
    for number, (red, yellow) in enumerate(MATCH, 1):
        if number > 1:
            screens.display.wait_for(phase="voting", turn=str(number))
            vote(screens.red, red)
        vote_last(screens.yellow, yellow)
    for screen in (screens.red, *screens.watchers):
        screen.wait_for(2 * TIMEOUT_MS, phase="ended")  # the last reveal is replayed
    check_all_sizes(screens, "ended")
    check_end(screens)


def vote_last(phone: Screen, column: int) -> None:
    """Cast the vote that closes the window; its answer may arrive together with the reveal."""
    phone.page.locator(f'[data-column="{column}"]').click(timeout=TIMEOUT_MS)
    phone.wait_for(phase="reveal")


def check_end(screens: EventScreens) -> None:
    moved, calm = (screen.page for screen in (screens.display, screens.calm))
    for page in (moved, calm):
        expect(page.locator(".end h1")).to_have_text(NAMES[0])
        sea = boxes(Screen(page, screens.display.shots, "sea"), (".flood .crest",))[0]
        assert sea.top <= 0.03 * PROJECTOR["height"]
        assert sea.right - sea.left >= PROJECTOR["width"]
    assert moved.evaluate(OWNERS) == calm.evaluate(OWNERS)
    screens.display.shoot("ended")
    everyone = (screens.console, screens.display, screens.calm, screens.red, screens.yellow)
    assert [screen.errors for screen in everyone] == [[], [], [], [], []]
