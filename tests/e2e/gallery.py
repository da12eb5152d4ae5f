"""Make docs/gallery anew: every face in every state, small, with an index (`make gallery`).

python -m tests.e2e.gallery [--only voting]
"""

import argparse
import base64
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

import django

django.setup()

from playwright.sync_api import Browser, Page  # noqa: E402

from deploy.laptop.paths import ROOT  # noqa: E402
from tests.e2e.axe import AT_REST  # noqa: E402
from tests.e2e.faces import chromium  # noqa: E402
from tests.e2e.prompter import Prompter, prompting  # noqa: E402
from tests.e2e.rooms import PAGES, Visit, furnished_house, visit  # noqa: E402
from tests.e2e.scenes import DISPLAY_SCENES, PHONE_SCENES, Scene, look_at  # noqa: E402
from tests.e2e.words_shown import DRAWN  # noqa: E402
from tests.stack import House  # noqa: E402

HOME = ROOT / "docs" / "gallery"
SETTLED_MS = 500
QUALITY = 55
TALLEST = 1400
BOTH = ("light", "dark")
LIMIT_BYTES = 3_000_000


@dataclass(frozen=True, slots=True)
class Frame:
    """A screen of a size, and how large its picture is; `mark` tells it from others of the same face."""

    face: str
    width: int
    height: int
    scale: float
    mark: str

    @property
    def size(self) -> dict[str, int]:
        return {"width": self.width, "height": self.height}


PHONES = (Frame("phone", 430, 932, 0.5, "430"), Frame("phone", 320, 568, 0.6, "320"))
DISPLAYS = (Frame("display", 1920, 1080, 0.3, "16x9"), Frame("display", 1024, 768, 0.38, "4x3"))
ROOM = Frame("pages", 1024, 768, 0.5, "tablet")


def shoot(page: Page, frame: Frame, name: str, scheme: str) -> None:
    """Keep a picture of the page as it is."""
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.wait_for_timeout(SETTLED_MS)
    if not name.startswith("reveal"):
        page.evaluate(AT_REST)
    height = frame.height
    if frame is ROOM:
        height = min(TALLEST, int(page.evaluate("() => document.documentElement.scrollHeight")))
    clip = {"x": 0, "y": 0, "width": frame.width, "height": height, "scale": frame.scale}
    asked = {"format": "webp", "quality": QUALITY, "clip": clip, "captureBeyondViewport": frame is ROOM}
    taken = page.context.new_cdp_session(page).send("Page.captureScreenshot", asked)
    kept = HOME / frame.face / f"{name}-{frame.mark}{'' if scheme == 'light' else '-dark'}.webp"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_bytes(base64.b64decode(taken["data"]))


def shoot_scene(browser: Browser, prompter: Prompter, scene: Scene, frames: tuple[Frame, ...]) -> None:
    """In dark, too, if the page knows of it."""
    page = browser.new_context(viewport=frames[0].size).new_page()  # type: ignore[arg-type]
    look_at(frames[0].face, scene, page, prompter)
    schemes = BOTH if "prefers-color-scheme" in page.content() else BOTH[:1]
    for frame in frames:
        page.set_viewport_size(frame.size)  # type: ignore[arg-type]
        page.evaluate(DRAWN)
        for scheme in schemes if frame is frames[0] else BOTH[:1]:
            shoot(page, frame, scene.name, scheme)
    page.context.close()


def shoot_page(browser: Browser, house: House, visited: Visit) -> None:
    page = browser.new_context(viewport=ROOM.size, base_url=house.http).new_page()  # type: ignore[arg-type]
    visit(visited, page, house)
    for scheme in BOTH:
        shoot(page, ROOM, visited.name, scheme)
    page.context.close()


def make(only: str) -> None:
    with chromium() as browser, prompting() as prompter:
        for frames, scenes in ((PHONES, PHONE_SCENES), (DISPLAYS, DISPLAY_SCENES)):
            for scene in scenes:
                if only in scene.name:
                    shoot_scene(browser, prompter, scene, frames)
        wanted = [visited for visited in PAGES if only in visited.name]
        with tempfile.TemporaryDirectory() as data, furnished_house(Path(data)) as house:
            for visited in wanted:
                shoot_page(browser, house, visited)


TITLES = {"phone": "Phone", "display": "Projector", "pages": "Control room and pages"}


def index() -> Iterator[str]:
    yield "# Gallery\n\nEvery face in every state: `make gallery`, from made-up evenings and a real house.\n"
    for face, title in TITLES.items():
        yield f"## {title}\n"
        kept: dict[str, list[str]] = {}
        for path in sorted((HOME / face).glob("*.webp")):
            name, _, mark = path.stem.partition(f"-{_mark(path.stem)}")
            kept.setdefault(name, []).append(
                f"[{_mark(path.stem)}{mark.replace('-', ' ')}]({face}/{path.name})"
            )
        yield from (f"- {name.replace('-', ' ')}: {', '.join(links)}" for name, links in kept.items())
        yield ""


def _mark(stem: str) -> str:
    return next(frame.mark for frame in (*PHONES, *DISPLAYS, ROOM) if f"-{frame.mark}" in stem)


def main() -> None:
    parser = argparse.ArgumentParser(description="Make docs/gallery anew.")
    parser.add_argument("--only", default="", help="states whose names hold this")
    asked = parser.parse_args()
    if not asked.only:
        shutil.rmtree(HOME, ignore_errors=True)
    make(asked.only)
    (HOME / "README.md").write_text("\n".join(index()), encoding="utf-8")
    weight = sum(path.stat().st_size for path in HOME.rglob("*.webp"))
    print(f"{weight / 1e6:.2f} MB in {len(list(HOME.rglob('*.webp')))} pictures")
    if weight > LIMIT_BYTES:
        raise SystemExit("too heavy to be kept")


if __name__ == "__main__":
    main()
