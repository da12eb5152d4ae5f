"""Accessibility checks of a page with axe-core.

The pages' CSP blocks foreign scripts, so axe is evaluated through the browser, in the page's main world.
"""

from collections.abc import Sequence
from typing import Literal

from playwright.sync_api import Page

from crowdgame.server.laptop.paths import ROOT

SOURCE = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
Scheme = Literal["light", "dark"]
# All of axe's rules except the experimental ones, including best practices.
RUN = """async () => {
  const {violations} = await axe.run(document, {resultTypes: ["violations"]});
  return violations.map(({id, impact, nodes}) => `${id} (${impact}): ` + nodes
    .map(({target, failureSummary}) => `${target.join(" ")}: ${failureSummary}`).join("; "));
}"""
# Finish all animations first: text that is still fading in has too little contrast.
FINISH_ANIMATIONS_JS = """() => document.getAnimations()
  .filter(({effect}) => effect.getTiming().iterations !== Infinity)
  .forEach(animation => animation.finish())"""


def check(page: Page, where: str, schemes: Sequence[Scheme] = ("light", "dark")) -> list[str]:
    """The violations on the page in its present state in light and dark mode, one line each."""
    wrong = []
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)
        page.evaluate(FINISH_ANIMATIONS_JS)
        if not page.evaluate("() => 'axe' in window"):
            page.evaluate(f"() => {{ {SOURCE.read_text(encoding='utf-8')} }}")
        wrong += [f"{where}, {scheme}: {found}" for found in page.evaluate(RUN)]
    return wrong
