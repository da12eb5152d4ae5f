"""Take screenshots of every screen in every state (`make gallery`).

python -m tests.e2e.gallery [--only phone/voting pages/events | --docs] [--language de]

The pictures are written to `.play/gallery/`. `--docs` retakes those that the documentation shows, larger,
in `docs/images/`.
"""

import argparse
import base64
import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django

django.setup()

from django.conf import settings  # noqa: E402
from PIL import Image  # noqa: E402
from playwright.sync_api import Browser, Page  # noqa: E402

from crowdgame.server.laptop.paths import ROOT  # noqa: E402
from tests.docs.pictures import IMAGES, shown_screenshots  # noqa: E402
from tests.e2e.fake_gateway import FakeGateway, running_fake_gateway  # noqa: E402
from tests.e2e.page_checks import FINISH_ANIMATIONS_JS, NEXT_FRAME_JS  # noqa: E402
from tests.e2e.page_visits import GALLERY_ONLY, PAGES, running_server_with_static, visit  # noqa: E402
from tests.e2e.scene_setup import CODE, MIDDLE, in_language, show_scene, with_terms  # noqa: E402
from tests.e2e.scenes import DISPLAY_GALLERY, PHONE_GALLERY  # noqa: E402
from tests.e2e.screens import chromium  # noqa: E402
from tests.e2e.scripts import page_script  # noqa: E402
from voting.protocol import TurnoutCounted  # noqa: E402

GALLERY = ROOT / ".play" / "gallery"
IN_MOTION = ("reveal", "lobby-cheers")
# Sizes of screens and scales of their screenshots, by the mark at the end of the screenshots' names.
FRAMES = {
    "430": (430, 932, 0.5),
    "320": (320, 568, 0.6),
    "16x9": (1920, 1080, 0.3),
    "4x3": (1024, 768, 0.38),
    "tablet": (1024, 768, 0.5),
    "desk": (1280, 800, 0.5),
}
MARKS = {"phone": ("430", "320"), "display": ("16x9", "4x3")}
# The animated turn: the last votes arrive, and both teams pick the same column.
FRAME_MS = 100
RED, YELLOW = (31, 22, 196, 64, 17, 48, 12), (25, 70, 149, 58, 41, 33, 9)
CONNECTED = (412, 405)
AFTER = with_terms(MIDDLE, pace="brisk").play(3, 3).with_votes(RED, YELLOW)
VOTING_MS, AFTERWARDS_MS = 3_000, 800
# The votes of both teams when the animation begins, and by the milliseconds before the deadline.
FIRST = (180, 171)
ARRIVED = {2_900: (231, 214), 1_900: (288, 262), 900: (347, 331), 100: (sum(RED), sum(YELLOW))}


@dataclass(frozen=True, slots=True)
class Album:
    """Where pictures are written, and which: all, those with one of `parts` in their names, or only `names`.

    Pictures have names like FOLDER/STATE-MARK, states like FOLDER/STATE.
    """

    folder: Path
    parts: tuple[str, ...] = ()
    names: frozenset[str] | None = None
    scale: float = 1
    language: str = "en"
    taken: set[str] = field(default_factory=set)

    def wants_state(self, name: str) -> bool:
        if self.names is not None:
            return name in {picture.removesuffix("-dark").rpartition("-")[0] for picture in self.names}
        return not self.parts or any(part in name for part in self.parts)

    def keep(self, name: str, picture: bytes) -> None:
        path = self.folder / f"{name}.webp"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture)
        self.taken.add(name)


def shoot(album: Album, page: Page, marks: tuple[str, ...], name: str, *, whole: bool = False) -> None:
    """Take screenshots at these sizes, at the first one also in dark mode, if the page supports it.

    `whole`: including the scrolled part. `name` is FOLDER/STATE.
    """
    has_dark_mode = whole or "prefers-color-scheme" in page.content()
    for mark in marks:
        width, height, _ = FRAMES[mark]
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate(NEXT_FRAME_JS)
        for suffix in ("", "-dark") if has_dark_mode and mark == marks[0] else ("",):
            picture = f"{name}-{mark}{suffix}"
            if album.names is None or picture in album.names:
                page.emulate_media(color_scheme="dark" if suffix else "light")
                page.wait_for_timeout(500)
                if not name.rpartition("/")[2].startswith(IN_MOTION):
                    page.evaluate(FINISH_ANIMATIONS_JS)
                is_long = whole and mark not in MARKS["display"]
                album.keep(picture, screenshot(page, mark, album.scale, is_long))


def screenshot(page: Page, mark: str, scale: float, whole: bool) -> bytes:
    width, height, own_scale = FRAMES[mark]
    if whole:
        page.evaluate("() => scrollTo(0, 0)")  # a sticky header would be in the middle of the picture
        height = min(1800, int(page.evaluate("() => document.documentElement.scrollHeight")))
    clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": own_scale * scale}
    options = {"format": "webp", "quality": 55, "clip": clip, "captureBeyondViewport": whole}
    taken = page.context.new_cdp_session(page).send("Page.captureScreenshot", options)
    return base64.b64decode(taken["data"])


def open_page(browser: Browser, mark: str, **options: Any) -> Page:
    width, height, _ = FRAMES[mark]
    return browser.new_context(viewport={"width": width, "height": height}, **options).new_page()


def shoot_scenes(album: Album, browser: Browser) -> None:
    """An animated scene is replayed from its start on every screen."""
    pairs = [("phone", scene) for scene in PHONE_GALLERY] + [("display", scene) for scene in DISPLAY_GALLERY]
    wanted = [pair for pair in pairs if album.wants_state(f"{pair[0]}/{pair[1].name}")]
    with running_fake_gateway() as fake_gateway:
        for screen, scene in wanted:
            is_moving = scene.name.startswith(IN_MOTION)
            for marks in [(mark,) for mark in MARKS[screen]] if is_moving else [MARKS[screen]]:
                page = open_page(browser, marks[0])
                show_scene(screen, in_language(scene, album.language), page, fake_gateway)
                shoot(album, page, marks, f"{screen}/{scene.name}")
                page.context.close()


def shoot_pages(album: Album, browser: Browser) -> None:
    with tempfile.TemporaryDirectory() as data, running_server_with_static(Path(data)) as server:
        for visited in (*PAGES, *GALLERY_ONLY):
            if album.wants_state(f"pages/{visited.name}"):
                page = open_page(browser, visited.frames[0], base_url=server.http)
                visit(visited.in_language(album.language), page, server)
                shoot(album, page, visited.frames, f"pages/{visited.name}", whole=True)
                page.context.close()


def turn_animation(browser: Browser) -> bytes:
    """An animated WebP. Its frames do not depend on the speed of the machine."""
    frames = [Image.open(io.BytesIO(picture)).convert("RGB") for picture in turn_frames(browser)]
    animation = io.BytesIO()
    options = {"duration": FRAME_MS, "loop": 0, "quality": 35, "method": 4, "minimize_size": True}
    frames[0].save(animation, "WEBP", save_all=True, append_images=frames[1:], **options)
    return animation.getvalue()


def turn_frames(browser: Browser) -> Iterator[bytes]:
    with running_fake_gateway(rate=0) as fake_gateway:
        page = browser.new_context(viewport={"width": 960, "height": 540}).new_page()
        show_votes(page, fake_gateway)
        deadline = fake_gateway.now() + VOTING_MS
        for left_ms in range(VOTING_MS, -AFTER.steps.over - AFTERWARDS_MS, -FRAME_MS):
            if left_ms in ARRIVED:
                fake_gateway.say("display", turnout(ARRIVED[left_ms]))
            if left_ms == 0:
                fake_gateway.announce("display", "turn.revealed", lambda _: AFTER.reveal(deadline))
            step(page, fake_gateway)
            yield page.screenshot()
        page.context.close()


def show_votes(page: Page, fake_gateway: FakeGateway) -> None:
    """Open the display while votes arrive, and let it draw the first ones."""
    page.clock.install(time=fake_gateway.now() / 1000)
    page.clock.pause_at(fake_gateway.now() / 1000)
    state = MIDDLE.voting(fake_gateway.now(), VOTING_MS + 40 * FRAME_MS)
    fake_gateway.show(state, more=(turnout(FIRST),))
    page.goto(f"{fake_gateway.http}/display/{CODE}", wait_until="networkidle")
    for _ in range(40):
        step(page, fake_gateway)
    assert page.locator('.stage[data-particles="true"]').count(), "the display draws no votes"


def turnout(voted: tuple[int, int]) -> TurnoutCounted:
    return TurnoutCounted(turn=MIDDLE.turn_id, connected=CONNECTED, voted=voted, votes_per_s=111)


def step(page: Page, fake_gateway: FakeGateway) -> None:
    page.wait_for_timeout(60)  # until messages have arrived
    fake_gateway.advance(FRAME_MS)
    page.clock.run_for(FRAME_MS)
    page.evaluate(page_script("animate"), FRAME_MS)


def make(album: Album) -> None:
    with chromium() as browser:
        shoot_scenes(album, browser)
        if album.wants_state("display/turn"):
            album.keep("display/turn-16x9", turn_animation(browser))
        if not album.parts or not all(part.startswith(("phone/", "display/")) for part in album.parts):
            shoot_pages(album, browser)


def main() -> None:
    parser = argparse.ArgumentParser(description="Take screenshots of every screen in every state.")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--only", nargs="+", default=[], help="states with one of these in FOLDER/STATE")
    which.add_argument("--docs", action="store_true", help="the pictures that the documentation shows")
    parser.add_argument("--language", default="en", choices=[code for code, _ in settings.LANGUAGES])
    options = parser.parse_args()
    album = Album(GALLERY, parts=tuple(options.only), language=options.language)
    if options.docs:
        album = Album(IMAGES, names=shown_screenshots(), scale=1.5)
    elif not options.only:
        shutil.rmtree(GALLERY, ignore_errors=True)
    make(album)
    print(f"{len(album.taken)} pictures in {album.folder}")
    if missing := sorted((album.names or set()) - album.taken):
        raise SystemExit(f"No such screens: {', '.join(missing)}")


if __name__ == "__main__":
    main()
