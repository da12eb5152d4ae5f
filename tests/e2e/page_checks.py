"""What a reader would object to on a page: text that is cut off or not translated, and axe's violations.

The pages' CSP blocks foreign scripts, so axe-core is evaluated through the browser, in the page's main world.
"""

import re
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from typing import Literal, NamedTuple

from babel.messages.pofile import read_po
from playwright.sync_api import Page

from crowdgame.server.laptop.paths import ROOT
from tests.e2e.scripts import page_script

AXE = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
Scheme = Literal["light", "dark"]
TOLERANCE_PX = 2
PLACEHOLDER = re.compile(r"%\(\w+\)s|\{\w+\}")
LABELS = ("aria-label", "alt", "title", "placeholder")
FINISH_ANIMATIONS_JS = page_script("finish_animations")
# Wait until a new size is drawn.
NEXT_FRAME_JS = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


def axe_violations(page: Page, where: str, schemes: Sequence[Scheme] = ("light", "dark")) -> list[str]:
    """The violations on the page in its present state in light and dark mode, one line each."""
    wrong = []
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        page.evaluate(FINISH_ANIMATIONS_JS)
        if not page.evaluate("() => 'axe' in window"):
            page.evaluate(f"() => {{ {AXE.read_text(encoding='utf-8')} }}")
        wrong += [f"{where}, {scheme}: {found}" for found in page.evaluate(page_script("axe"))]
    return wrong


class TextLine(NamedTuple):
    """A line of text; `top` and `bottom` are those of its capital letters."""

    text: str
    name: str
    left: float
    right: float
    top: float
    bottom: float
    type: float
    cut: bool

    def __str__(self) -> str:
        where = f"{self.left:.0f},{self.top:.0f}-{self.right:.0f},{self.bottom:.0f}"
        return f"{self.text[:40]!r} (.{self.name}, {self.type:.0f} px, {where})"

    def overlaps(self, other: "TextLine") -> bool:
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return min(across, down) > TOLERANCE_PX

    def is_outside(self, width: int, height: int) -> bool:
        across = self.left < -TOLERANCE_PX or self.right > width + TOLERANCE_PX
        return across or self.top < -TOLERANCE_PX or self.bottom > height + TOLERANCE_PX


def visible_lines(page: Page) -> list[TextLine]:
    page.evaluate(FINISH_ANIMATIONS_JS)
    return [TextLine(**found) for found in page.evaluate(page_script("read_text"))]


def resize(page: Page, width: int, height: int) -> None:
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(NEXT_FRAME_JS)


def text_faults(page: Page, *sizes: tuple[int, int]) -> list[str]:
    """Text that is off the screen, cut off, or overlaps other text, at these sizes of the screen."""
    found = []
    for size in sizes:
        resize(page, *size)
        found += [f"{size[0]}x{size[1]}: {fault}" for fault in faults(visible_lines(page), *size)]
    return found


def faults(words: list[TextLine], width: int, height: int) -> list[str]:
    outside = [f"off the screen: {word}" for word in words if word.is_outside(width, height)]
    cut = [f"cut off: {word}" for word in words if word.cut]
    pairs = [(one, other) for one, other in combinations(words, 2) if one.overlaps(other)]
    return outside + cut + [f"one over the other: {one} and {other}" for one, other in pairs]


def english_on(page: Page, language: str, *domains: str) -> list[str]:
    """Texts and labels of the page that contain an English message of the catalogs, hidden ones too."""
    messages = frozenset[str]().union(*(english_messages(language, domain) for domain in domains))
    phrases = [f" {message} " for message in messages if " " in message]
    texts: list[str] = page.evaluate(page_script("read_all"), LABELS)
    return [text for text in texts if text in messages or any(phrase in f" {text} " for phrase in phrases)]


@cache
def english_messages(language: str, domain: str) -> frozenset[str]:
    """The English messages, in pieces without placeholders, that are no text of the language as well."""
    folder = language.replace("zh-hans", "zh_Hans")
    with (ROOT / "locale" / folder / "LC_MESSAGES" / f"{domain}.po").open(encoding="utf-8") as file:
        messages = [message for message in read_po(file) if message.id]
    english = {piece for message in messages for piece in _pieces(message.id)}
    return frozenset(english - {piece for message in messages for piece in _pieces(message.string or "")})


def _pieces(texts: str | tuple[str, ...] | list[str]) -> set[str]:
    forms = (texts,) if isinstance(texts, str) else texts
    pieces = {piece.strip() for form in forms for piece in PLACEHOLDER.split(form)}
    return {piece for piece in pieces if len(piece) > 1}
