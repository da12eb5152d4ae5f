"""Checks of team colors, compared with an independent color library."""

from itertools import combinations

import pytest
from coloraide import Color

from crowdgame.events.branding.colors import (
    DARK,
    DEFAULT_COLORS,
    LIGHT,
    MIN_CONTRAST,
    MIN_DISTANCE,
    contrast,
    distance,
    is_visible,
    nearest_allowed,
)
from tests.design.test_colors import PAGE_TOKENS, palettes

RED, GREEN, BLUE, TEAL, PINK = "#d13438", "#2e8b57", "#2f6fd0", "#0f8a8a", "#d0457f"
SAMPLES = (*DEFAULT_COLORS, RED, GREEN, BLUE, TEAL, PINK, "#000000", "#ffffff")


@pytest.mark.parametrize(("one", "other"), list(combinations(SAMPLES, 2)))
def test_contrast_and_distance_agree_with_coloraide(one: str, other: str) -> None:
    assert contrast(one, other) == pytest.approx(Color(one).contrast(other, method="wcag21"), abs=1e-3)
    pair = Color(one), Color(other)
    kinds = ("protan", "deutan", "tritan")
    seen = [pair, *([color.filter(kind, 1, method="machado").clip() for color in pair] for kind in kinds)]
    expected = min(first.distance(second, space="oklab") for first, second in seen)
    assert distance(one, other) == pytest.approx(expected, abs=2e-3)


def test_backgrounds_are_those_of_the_pages() -> None:
    pages = palettes(PAGE_TOKENS)
    assert (pages["dark"]["ground"], pages["light"]["ground"]) == (DARK, LIGHT)


@pytest.mark.parametrize("ground", [DARK, LIGHT])
def test_visible_color_has_contrast_on_each_background(ground: str) -> None:
    grays = [f"#{level:02x}{level:02x}{level:02x}" for level in range(256)]
    edge = [gray for gray in grays if contrast(gray, ground) >= MIN_CONTRAST]
    assert not any(is_visible(gray) for gray in grays if gray not in edge)
    assert is_visible(edge[0] if ground == DARK else edge[-1])


def test_nearest_allowed_color_passes_and_stays_similar() -> None:
    for color in ("#ffe600", GREEN, "#000000"):
        nearest = nearest_allowed(color, RED)
        assert is_visible(nearest)
        assert distance(nearest, RED) >= MIN_DISTANCE
    assert nearest_allowed("#ffe600", BLUE) == "#aa8800"
