"""Color contrast and color-blind safety, computed from the design tokens of the style sheets."""

import re
from pathlib import Path

import pytest

from crowdgame.server.laptop.paths import ROOT
from tests.design.color import BLINDNESSES, Lab, contrast, difference, distance, lab, linear, seen_by

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


TEXT, SHAPE, SIDES_APART = 4.5, 3.0, 40.0
# CIEDE2000 gives lower values: a red at 40 from yellow would no longer look red.
APART_BY_2000 = 30.0
STAGE = palettes(STAGE_TOKENS)["dark"]
SHAPES = [(shape, ground) for shape in ("red", "yellow", "brass") for ground in ("night", "hole")]
QUIET_WORDS = [(ink, ground) for ink in ("ink", "quiet") for ground in ("panel", "ground", "sunk")]
QUIET_WORDS += [("on-main", "main"), ("danger", "panel"), ("danger", "danger-ground")]


@pytest.mark.parametrize(
    ("ink", "ground"),
    [
        *[
            (ink, ground)
            for ink in ("ink", "ink-quiet", "brass", "danger")
            for ground in ("night", "lacquer-lit")
        ],
        ("red-lit", "night"),
        ("yellow", "night"),
        ("red.on-side", "red"),
        ("yellow.on-side", "yellow"),
    ],
)
def test_stage_text_has_sufficient_contrast(ink: str, ground: str) -> None:
    assert contrast(STAGE[ink], STAGE[ground]) >= TEXT


@pytest.mark.parametrize(("shape", "ground"), SHAPES)
def test_stage_shapes_have_sufficient_contrast(shape: str, ground: str) -> None:
    assert contrast(STAGE[shape], STAGE[ground]) >= SHAPE


@pytest.mark.parametrize(("ink", "ground"), QUIET_WORDS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_organizer_text_has_sufficient_contrast(scheme: str, ink: str, ground: str) -> None:
    palette = palettes(PAGE_TOKENS)[scheme]
    assert contrast(palette[ink], palette[ground]) >= TEXT


@pytest.mark.parametrize("blindness", BLINDNESSES)
def test_side_colors_are_distinguishable_with_color_blindness(blindness: str) -> None:
    red, yellow = (lab(seen_by(blindness, linear(STAGE[side]))) for side in ("red", "yellow"))
    assert distance(red, yellow) >= SIDES_APART
    assert difference(red, yellow) >= APART_BY_2000


def test_design_tokens_are_defined_only_once() -> None:
    """No other style sheet redefines a token."""
    tokens = {*palettes(STAGE_TOKENS)["dark"], *palettes(PAGE_TOKENS)["dark"]}
    redefined = {sheet.name: tokens & {*palettes(sheet)["dark"]} for sheet in SHEETS}
    assert {name: names for name, names in redefined.items() if names} == {}


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 2.49, -0.001), (50, -2.49, 0.0009), 7.1792),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((6.7747, -0.2908, -2.4247), (5.8714, -0.0985, -2.2286), 0.6377),
        ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_difference_matches_ciede2000_reference(
    one: tuple[float, float, float], other: tuple[float, float, float], apart: float
) -> None:
    """The reference pairs of Sharma, Wu and Dalal."""
    assert difference(Lab(*one), Lab(*other)) == pytest.approx(apart, abs=1e-4)


def test_contrast_of_black_on_white_is_21() -> None:
    assert contrast("#000", "#fff") == pytest.approx(21)
