"""Take the screenshots of docs/gallery: every screen in every state (`make gallery`).

python -m tests.e2e.gallery [--only phone/voting pages/event]
"""

import argparse
import base64
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django

django.setup()

from playwright.sync_api import Browser, Page  # noqa: E402

from deploy.laptop.paths import ROOT  # noqa: E402
from tests.e2e.axe import FINISH_ANIMATIONS_JS  # noqa: E402
from tests.e2e.crowded_pages import crowded_event  # noqa: E402
from tests.e2e.fake_gateway import FakeGateway, running_fake_gateway  # noqa: E402
from tests.e2e.gallery_crowd import crowd_match  # noqa: E402
from tests.e2e.page_visits import GALLERY_ONLY, PAGES, Event, Visit, running_server_with_static, visit  # noqa: E402
from tests.e2e.scenes import DISPLAY_GALLERY, PHONE_GALLERY, Scene, show_scene  # noqa: E402
from tests.e2e.screens import chromium  # noqa: E402
from tests.e2e.visible_text import NEXT_FRAME_JS  # noqa: E402
from tests.server import Server  # noqa: E402

HOME = ROOT / "docs" / "gallery"
FOLDERS = ("phone", "display", "pages", "crowd")
SETTLED_MS = 500
QUALITY = 55
TALLEST = 1800
BOTH = ("light", "dark")
LIMIT_BYTES = 6_000_000
IN_MOTION = ("reveal", "lobby-cheers")


@dataclass(frozen=True, slots=True)
class Frame:
    """A screen size and the scale of its screenshot; `mark` is its suffix in file names."""

    width: int
    height: int
    scale: float
    mark: str

    @property
    def size(self) -> dict[str, int]:
        return {"width": self.width, "height": self.height}


PHONES = (Frame(430, 932, 0.5, "430"), Frame(320, 568, 0.6, "320"))
DISPLAYS = (Frame(1920, 1080, 0.3, "16x9"), Frame(1024, 768, 0.38, "4x3"))
DESKTOPS = (Frame(1024, 768, 0.5, "tablet"), Frame(1280, 800, 0.5, "desk"))
FRAMES = {frame.mark: frame for frame in (*PHONES, *DISPLAYS, *DESKTOPS)}


def shoot(page: Page, frame: Frame, name: str, scheme: str, whole: bool = False) -> None:
    """Take a screenshot of the page; `whole`: including the scrolled part. `name` is FOLDER/STATE."""
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.wait_for_timeout(SETTLED_MS)
    if not name.rpartition("/")[2].startswith(IN_MOTION):
        page.evaluate(FINISH_ANIMATIONS_JS)
    height = frame.height
    if whole:
        height = min(TALLEST, int(page.evaluate("() => document.documentElement.scrollHeight")))
    clip = {"x": 0, "y": 0, "width": frame.width, "height": height, "scale": frame.scale}
    options = {"format": "webp", "quality": QUALITY, "clip": clip, "captureBeyondViewport": whole}
    taken = page.context.new_cdp_session(page).send("Page.captureScreenshot", options)
    kept = HOME / f"{name}-{frame.mark}{'' if scheme == 'light' else '-dark'}.webp"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(base64.b64decode(taken["data"]))


def shoot_at(page: Page, frames: tuple[Frame, ...], name: str, whole: bool = False) -> None:
    """On the first screen also in dark mode, if the page supports it."""
    schemes = BOTH if whole or "prefers-color-scheme" in page.content() else BOTH[:1]
    for frame in frames:
        page.set_viewport_size(frame.size)  # type: ignore[arg-type]
        page.evaluate(NEXT_FRAME_JS)
        for scheme in schemes if frame is frames[0] else BOTH[:1]:
            shoot(page, frame, name, scheme, whole and frame not in DISPLAYS)


def shoot_scene(browser: Browser, fake_gateway: FakeGateway, screen: str, scene: Scene) -> None:
    """An animated scene is replayed from its start on every screen."""
    frames = PHONES if screen == "phone" else DISPLAYS
    for some in [(frame,) for frame in frames] if is_moving(scene) else [frames]:
        page = browser.new_context(viewport=some[0].size).new_page()  # type: ignore[arg-type]
        show_scene(screen, scene, page, fake_gateway)
        shoot_at(page, some, f"{screen}/{scene.name}")
        page.context.close()


def is_moving(scene: Scene) -> bool:
    return scene.name.startswith(IN_MOTION)


def shoot_page(browser: Browser, server: Server, visited: Visit, event: Event | None = None) -> None:
    frames = tuple(FRAMES[mark] for mark in visited.frames)
    page = browser.new_context(viewport=frames[0].size, base_url=server.http).new_page()  # type: ignore[arg-type]
    visit(visited, page, server, event)
    shoot_at(page, frames, f"pages/{visited.name}", whole=True)
    page.context.close()


def is_wanted(name: str, only: list[str]) -> bool:
    return not only or any(part in name for part in only)


def shoot_scenes(browser: Browser, only: list[str]) -> None:
    with running_fake_gateway() as fake_gateway:
        for screen, scenes in (("phone", PHONE_GALLERY), ("display", DISPLAY_GALLERY)):
            for scene in scenes:
                if is_wanted(f"{screen}/{scene.name}", only):
                    shoot_scene(browser, fake_gateway, screen, scene)


def shoot_pages(browser: Browser, only: list[str]) -> None:
    with tempfile.TemporaryDirectory() as data, running_server_with_static(Path(data)) as server:
        for visited in (*PAGES, *GALLERY_ONLY):
            if is_wanted(f"pages/{visited.name}", only):
                shoot_page(browser, server, visited)
        if is_wanted("pages/event", only):
            for visited, event in crowded_event(server):
                shoot_page(browser, server, visited, event)


def shoot_crowd(browser: Browser) -> None:
    frames = (DISPLAYS[0], PHONES[0])
    sizes = (frames[0].size, frames[1].size)
    with tempfile.TemporaryDirectory() as data, running_server_with_static(Path(data)) as server:
        for state, *pages in crowd_match(browser, server, sizes):
            for page, frame in zip(pages, frames, strict=True):
                shoot(page, frame, f"crowd/{state}", BOTH[0])


def make(only: list[str]) -> None:
    with chromium() as browser:
        shoot_scenes(browser, only)
        if not only or not all(part.startswith(("phone/", "display/", "crowd")) for part in only):
            shoot_pages(browser, only)
        if is_wanted("crowd/", only):
            shoot_crowd(browser)


def main() -> None:
    parser = argparse.ArgumentParser(description="Take the screenshots of docs/gallery.")
    parser.add_argument(
        "--only", nargs="+", default=[], help="states whose FOLDER/STATE contains one of these"
    )
    only = parser.parse_args().only
    for folder in FOLDERS if not only else ():
        shutil.rmtree(HOME / folder, ignore_errors=True)
    make(only)
    page_bytes = sum(path.stat().st_size for path in HOME.rglob("*.webp"))
    print(f"{page_bytes / 1e6:.2f} MB in {len(list(HOME.rglob('*.webp')))} pictures")
    if page_bytes > LIMIT_BYTES:
        raise SystemExit("too large to commit")


if __name__ == "__main__":
    main()
