"""Read the design tokens from the style sheets: custom properties by selector, for light and dark."""

import re
from pathlib import Path

from deploy.laptop.paths import ROOT

FRONTEND = ROOT / "frontend" / "src"
STATIC = ROOT / "crowdgame" / "static"
STAGE_TOKENS = STATIC / "tokens" / "stage.css"
PAGE_TOKENS = STATIC / "tokens" / "pages.css"
SHEETS = [
    sheet
    for sheet in (*FRONTEND.rglob("*.css"), *(ROOT / "crowdgame").rglob("static/**/*.css"))
    if sheet.parent.name != "tokens"
]
DARK = re.compile(r"@media \(prefers-color-scheme: dark\) \{\s*(:root \{.*?\})\s*\}", re.DOTALL)
RULE = re.compile(r"(:root|\[data-side=\"(?:red|yellow)\"\])[^{}]*\{(.*?)\}", re.DOTALL)
PROPERTY = re.compile(r"--([\w-]+):\s*([^;]+);")
PLAIN = re.compile(r"#(?:[0-9a-fA-F]{3}){1,2}")
PRINT = re.compile(r"@media print \{.*?\n\}", re.DOTALL)
Palette = dict[str, str]


def palettes(sheet: Path) -> dict[str, Palette]:
    """Plain colors by name for `light` and `dark`. A side's own are named like `red.on-side`."""
    text = PRINT.sub("", sheet.read_text(encoding="utf-8"))  # print styles are always light
    dark = "".join(DARK.findall(text))
    light = _read(DARK.sub("", text))
    return {"light": light, "dark": light | _read(dark)}


def _read(text: str) -> Palette:
    found: Palette = {}
    for selector, body in RULE.findall(text):
        side = re.search(r"red|yellow", selector)
        for name, value in PROPERTY.findall(body):
            found[f"{side[0]}.{name}" if side else name] = value.strip()
    return {name: value for name, value in found.items() if PLAIN.fullmatch(value)}
