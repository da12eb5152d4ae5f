"""Accessibility checks of a page with axe-core.

The pages' CSP blocks foreign scripts, so axe is evaluated through the browser, in the page's main world.
"""

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from crowdgame.server.laptop.paths import ROOT

SOURCE = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
SCHEMES = ("light", "dark")
# All of axe's rules except the experimental ones, including best practices.
RUN = """async () => {
  const {violations} = await axe.run(document, {resultTypes: ["violations"]});
  return violations.map(({id, impact, help, nodes}) => ({id, impact, help,
    nodes: nodes.map(({target, failureSummary}) => `${target.join(" ")}: ${failureSummary}`)}));
}"""
# Finish all animations first: text that is still fading in has too little contrast.
FINISH_ANIMATIONS_JS = """() => document.getAnimations()
  .filter(({effect}) => effect.getTiming().iterations !== Infinity)
  .forEach(animation => animation.finish())"""


def violations(page: Page) -> list[dict[str, Any]]:
    """The violations on the page in its present state."""
    page.evaluate(FINISH_ANIMATIONS_JS)
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(_source())
    found: list[dict[str, Any]] = page.evaluate(RUN)
    return found


def check(page: Page, where: str, schemes: tuple[str, ...] = SCHEMES) -> list[str]:
    """The violations in light and dark mode, one line each."""
    wrong = []
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        wrong += [f"{where}, {scheme}: {format_violation(found)}" for found in violations(page)]
    return wrong


def format_violation(found: dict[str, Any]) -> str:
    return f"{found['id']} ({found['impact']}): {json.dumps(found['nodes'], ensure_ascii=False)}"


def _source() -> str:
    """The script as an expression without a value."""
    return f"() => {{ {Path(SOURCE).read_text(encoding='utf-8')} }}"
