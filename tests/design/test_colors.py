"""Color contrast and color-blind safety, computed from the design tokens of the style sheets."""

import re
from pathlib import Path

import pytest
from coloraide import Color

from crowdgame.server.laptop.paths import ROOT

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


TEXT, SHAPE = 4.5, 3.0
STAGE, PAGES = palettes(STAGE_TOKENS)["dark"], palettes(PAGE_TOKENS)
STAGE_TEXT = [(ink, on) for ink in ("ink", "ink-quiet", "brass", "danger") for on in ("night", "lacquer-lit")]
STAGE_TEXT += [
    ("red-lit", "night"),
    ("yellow", "night"),
    ("red.on-side", "red"),
    ("yellow.on-side", "yellow"),
]
STAGE_SHAPES = [(shape, ground) for shape in ("red", "yellow", "brass") for ground in ("night", "hole")]
PAGE_TEXT = [(ink, ground) for ink in ("ink", "quiet") for ground in ("panel", "ground", "sunk")]
PAGE_TEXT += [("on-main", "main"), ("danger", "panel"), ("danger", "danger-ground")]


@pytest.mark.parametrize(
    ("palette", "pairs", "least"),
    [
        pytest.param(STAGE, STAGE_TEXT, TEXT, id="text-on-stage"),
        pytest.param(STAGE, STAGE_SHAPES, SHAPE, id="shapes-on-stage"),
        pytest.param(PAGES["light"], PAGE_TEXT, TEXT, id="light-pages"),
        pytest.param(PAGES["dark"], PAGE_TEXT, TEXT, id="dark-pages"),
    ],
)
def test_colors_have_enough_contrast(palette: Palette, pairs: list[tuple[str, str]], least: float) -> None:
    contrasts = {pair: Color(palette[pair[0]]).contrast(palette[pair[1]], method="wcag21") for pair in pairs}
    assert {pair: contrast for pair, contrast in contrasts.items() if contrast < least} == {}


@pytest.mark.parametrize("blindness", ["protan", "deutan", "tritan"])
def test_side_colors_are_distinguishable_with_color_blindness(blindness: str) -> None:
    sides = (Color(STAGE[side]) for side in ("red", "yellow"))
    red, yellow = (color.filter(blindness, method="machado").clip() for color in sides)
    assert red.delta_e(yellow, method="76", space="lab-d65") >= 40
    # CIEDE2000 gives lower values: a red at 40 from yellow would no longer look red.
    assert red.delta_e(yellow, method="2000", space="lab-d65") >= 30


def test_design_tokens_are_defined_only_once() -> None:
    """No other style sheet redefines a token."""
    tokens = {*palettes(STAGE_TOKENS)["dark"], *palettes(PAGE_TOKENS)["dark"]}
    redefined = {sheet.name: tokens & {*palettes(sheet)["dark"]} for sheet in SHEETS}
    assert {name: names for name, names in redefined.items() if names} == {}
