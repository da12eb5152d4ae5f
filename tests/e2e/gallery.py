"""Take screenshots of every screen in every state (`make gallery`).

python -m tests.e2e.gallery [--only phone/voting pages/events | --docs] [--language de]

The pictures are written to `.play/gallery/`. `--docs` retakes those that the documentation shows, larger,
in `docs/images/`.
"""

import argparse
import base64
import os
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django

django.setup()

from django.conf import settings  # noqa: E402
from playwright.sync_api import Browser, Page  # noqa: E402

from crowdgame.server.laptop.paths import ROOT  # noqa: E402
from tests.docs.pictures import IMAGES, shown_screenshots  # noqa: E402
from tests.e2e.axe import FINISH_ANIMATIONS_JS  # noqa: E402
from tests.e2e.display_scenes import DISPLAY_GALLERY  # noqa: E402
from tests.e2e.fake_gateway import FakeGateway, running_fake_gateway  # noqa: E402
from tests.e2e.gallery_turn import turn_animation  # noqa: E402
from tests.e2e.page_visits import GALLERY_ONLY, PAGES, Visit, running_server_with_static, visit  # noqa: E402
from tests.e2e.phone_scenes import PHONE_GALLERY  # noqa: E402
from tests.e2e.scene_setup import (  # noqa: E402
    Scene,
    in_language,
    show_scene,
)
from tests.e2e.screens import chromium  # noqa: E402
from tests.e2e.visible_text import NEXT_FRAME_JS  # noqa: E402
from tests.server import Server  # noqa: E402

GALLERY = ROOT / ".play" / "gallery"
SETTLED_MS = 500
QUALITY = 55
TALLEST = 1800
BOTH = ("light", "dark")
DOCS_SCALE = 1.5
NO_PAGES = ("phone/", "display/")
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

    def wants_picture(self, name: str) -> bool:
        return self.names is None or name in self.names

    def keep(self, name: str, picture: bytes) -> None:
        path = self.folder / f"{name}.webp"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(picture)
        self.taken.add(name)


def shoot(album: Album, page: Page, frame: Frame, name: str, scheme: str, *, whole: bool = False) -> None:
    """Take a screenshot of the page; `whole`: including the scrolled part. `name` is FOLDER/STATE."""
    picture = f"{name}-{frame.mark}{'' if scheme == 'light' else '-dark'}"
    if not album.wants_picture(picture):
        return
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.wait_for_timeout(SETTLED_MS)
    if not name.rpartition("/")[2].startswith(IN_MOTION):
        page.evaluate(FINISH_ANIMATIONS_JS)
    height = frame.height
    if whole:
        page.evaluate("() => scrollTo(0, 0)")  # a sticky header would be in the middle of the picture
        height = min(TALLEST, int(page.evaluate("() => document.documentElement.scrollHeight")))
    clip = {"x": 0, "y": 0, "width": frame.width, "height": height, "scale": frame.scale * album.scale}
    options = {"format": "webp", "quality": QUALITY, "clip": clip, "captureBeyondViewport": whole}
    taken = page.context.new_cdp_session(page).send("Page.captureScreenshot", options)
    album.keep(picture, base64.b64decode(taken["data"]))


def shoot_at(album: Album, page: Page, frames: tuple[Frame, ...], name: str, whole: bool = False) -> None:
    """On the first screen also in dark mode, if the page supports it."""
    schemes = BOTH if whole or "prefers-color-scheme" in page.content() else BOTH[:1]
    for frame in frames:
        page.set_viewport_size(frame.size)  # type: ignore[arg-type]
        page.evaluate(NEXT_FRAME_JS)
        for scheme in schemes if frame is frames[0] else BOTH[:1]:
            shoot(album, page, frame, name, scheme, whole=whole and frame not in DISPLAYS)


def shoot_scene(album: Album, browser: Browser, fake_gateway: FakeGateway, screen: str, scene: Scene) -> None:
    """An animated scene is replayed from its start on every screen."""
    frames = PHONES if screen == "phone" else DISPLAYS
    for some in [(frame,) for frame in frames] if is_moving(scene) else [frames]:
        page = browser.new_context(viewport=some[0].size).new_page()  # type: ignore[arg-type]
        show_scene(screen, scene, page, fake_gateway)
        shoot_at(album, page, some, f"{screen}/{scene.name}")
        page.context.close()


def is_moving(scene: Scene) -> bool:
    return scene.name.startswith(IN_MOTION)


def shoot_page(album: Album, browser: Browser, server: Server, visited: Visit) -> None:
    frames = tuple(FRAMES[mark] for mark in visited.frames)
    page = browser.new_context(viewport=frames[0].size, base_url=server.http).new_page()  # type: ignore[arg-type]
    visit(visited, page, server)
    shoot_at(album, page, frames, f"pages/{visited.name}", whole=True)
    page.context.close()


def shoot_scenes(album: Album, browser: Browser) -> None:
    with running_fake_gateway() as fake_gateway:
        for screen, scenes in (("phone", PHONE_GALLERY), ("display", DISPLAY_GALLERY)):
            for scene in scenes:
                if album.wants_state(f"{screen}/{scene.name}"):
                    shoot_scene(album, browser, fake_gateway, screen, in_language(scene, album.language))


def shoot_pages(album: Album, browser: Browser) -> None:
    with tempfile.TemporaryDirectory() as data, running_server_with_static(Path(data)) as server:
        for visited in (*PAGES, *GALLERY_ONLY):
            if album.wants_state(f"pages/{visited.name}"):
                shoot_page(album, browser, server, visited.in_language(album.language))


def make(album: Album) -> None:
    with chromium() as browser:
        shoot_scenes(album, browser)
        if album.wants_state("display/turn"):
            album.keep("display/turn-16x9", turn_animation(browser))
        if not album.parts or not all(part.startswith(NO_PAGES) for part in album.parts):
            shoot_pages(album, browser)


def main() -> None:
    parser = argparse.ArgumentParser(description="Take screenshots of every screen in every state.")
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--only", nargs="+", default=[], help="states whose FOLDER/STATE contains one of these"
    )
    which.add_argument("--docs", action="store_true", help="the pictures that the documentation shows")
    parser.add_argument("--language", default="en", choices=[code for code, _ in settings.LANGUAGES])
    options = parser.parse_args()
    album = Album(GALLERY, parts=tuple(options.only), language=options.language)
    if options.docs:
        album = Album(IMAGES, names=shown_screenshots(), scale=DOCS_SCALE)
    elif not options.only:
        shutil.rmtree(GALLERY, ignore_errors=True)
    make(album)
    print(f"{len(album.taken)} pictures in {album.folder}")
    if missing := sorted((album.names or set()) - album.taken):
        raise SystemExit(f"No such screens: {', '.join(missing)}")


if __name__ == "__main__":
    main()
