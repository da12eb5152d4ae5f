"""All visible text of a page: its position, its size, and whether it is cut off."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

from playwright.sync_api import Page

from tests.e2e.axe import FINISH_ANIMATIONS_JS

TOLERANCE_PX = 2
# The height of a capital letter as a share of the font size.
TALL = 0.7
# Wait until a new size is drawn.
NEXT_FRAME_JS = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
READ_TEXT_JS = """() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = {opacityProperty: true, visibilityProperty: true};
  const found = [];
  const scaleOf = (part) => {
    if (part instanceof SVGElement) return Math.hypot(part.getScreenCTM().a, part.getScreenCTM().b);
    const scale = part.offsetWidth ? part.getBoundingClientRect().width / part.offsetWidth : 1;
    return Math.abs(scale - 1) < 0.05 ? 1 : scale;  // offsetWidth is rounded
  };
  const clips = (part) => {
    const {overflowX, overflowY, clipPath} = getComputedStyle(part);
    return overflowX !== "visible" || overflowY !== "visible" || clipPath !== "none";
  };
  const canScroll = (part) => {
    const {overflowX, overflowY} = getComputedStyle(part);
    return (part.scrollHeight > part.clientHeight + 4 && /auto|scroll/.test(overflowY))
      || (part.scrollWidth > part.clientWidth + 4 && /auto|scroll/.test(overflowX));
  };
  const unread = (part) => part.clientWidth <= 1 && part.clientHeight <= 1 && clips(part);
  const above = (part) => part ? [part, ...above(part.parentElement)] : [];
  const floating = [...document.querySelectorAll("[role=dialog], .talks")];
  const behind = (part, {left, right, top, bottom}) => floating.some((box) => {
    const over = box.getBoundingClientRect();
    return !box.contains(part)
      && left < over.right && right > over.left && top < over.bottom && bottom > over.top;
  });
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const part = node.parentElement;
    if (!node.data.trim() || /^(SCRIPT|STYLE|TITLE|NOSCRIPT)$/i.test(part.tagName)) continue;
    if (!part.checkVisibility(seen) || above(part).some(unread)) continue;
    const type = parseFloat(getComputedStyle(part).fontSize) * scaleOf(part);
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      const {left, right, top, bottom} = box;
      if (right - left < 1 || behind(part, box)) continue;
      const frames = above(part).slice(0, -2).filter(clips).map((one) => one.getBoundingClientRect());
      const cut = frames.some((one) => left < one.left - 2 || right > one.right + 2);
      const scrolls = above(part).slice(0, -2).some(canScroll);
      const name = part.closest("[class]")?.getAttribute("class") ?? part.tagName;
      found.push({text: node.data.trim(), name, left, right, top, bottom, type, cut, scrolls});
    }
  }
  return found;
}"""


@dataclass(frozen=True, slots=True)
class TextLine:
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
    return [_to_line(found) for found in page.evaluate(READ_TEXT_JS) if not found["scrolls"]]


def _to_line(found: dict[str, Any]) -> TextLine:
    del found["scrolls"]
    middle, half = (found["top"] + found["bottom"]) / 2, TALL * found["type"] / 2
    return TextLine(**(found | {"top": middle - half, "bottom": middle + half}))


def faults(words: list[TextLine], width: int, height: int) -> list[str]:
    """Text that is off the screen, cut off, or overlaps other text."""
    outside = [f"off the screen: {word}" for word in words if word.is_outside(width, height)]
    cut = [f"cut off: {word}" for word in words if word.cut]
    over = [
        f"one over the other: {one} and {other}"
        for one, other in combinations(words, 2)
        if one.overlaps(other)
    ]
    return outside + cut + over
