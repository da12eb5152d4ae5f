"""axe-core in a page: what it finds wrong there for people who hear, feel or magnify a page.

The pages' own policy lets no foreign script in, so it is evaluated from outside, in the page's main world.
"""

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from deploy.laptop.paths import ROOT

SOURCE = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
SCHEMES = ("light", "dark")
# All of axe's rules but the experimental ones, its advice among them.
RUN = """async () => {
  const {violations} = await axe.run(document, {resultTypes: ["violations"]});
  return violations.map(({id, impact, help, nodes}) => ({id, impact, help,
    nodes: nodes.map(({target, failureSummary}) => `${target.join(" ")}: ${failureSummary}`)}));
}"""
# Whatever glides or fades is where it is going: half-faded words have half a contrast.
AT_REST = """() => document.getAnimations()
  .filter(({effect}) => effect.getTiming().iterations !== Infinity)
  .forEach(gliding => gliding.finish())"""


def violations(page: Page) -> list[dict[str, Any]]:
    """What axe finds on the page as it is."""
    page.evaluate(AT_REST)
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(_source())
    found: list[dict[str, Any]] = page.evaluate(RUN)
    return found


def check(page: Page, where: str, schemes: tuple[str, ...] = SCHEMES) -> list[str]:
    """What is wrong in light and in dark, a line each; empty if nothing is."""
    wrong = []
    for scheme in schemes:
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        wrong += [f"{where}, {scheme}: {format_violation(found)}" for found in violations(page)]
    return wrong


def format_violation(found: dict[str, Any]) -> str:
    return f"{found['id']} ({found['impact']}): {json.dumps(found['nodes'], ensure_ascii=False)}"


def _source() -> str:
    """As an expression that gives nothing back."""
    return f"() => {{ {Path(SOURCE).read_text(encoding='utf-8')} }}"
