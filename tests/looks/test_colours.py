"""Words can be read and shapes told apart, by every eye: computed from the design tokens."""

import pytest

from tests.looks.colour import BLINDNESSES, Lab, contrast, difference, distance, lab, linear, seen_by
from tests.looks.tokens import ROOMS, SHEETS, TOKENS, palettes

TEXT, SHAPE, SIDES_APART = 4.5, 3.0, 40.0
# By the formula of 2000 a red that comes to 40 with yellow is a raspberry: so much is held, and no less.
APART_BY_2000 = 30.0
STAGE = palettes(TOKENS)["dark"]
# What is written on what, and which shapes lie on what, on the phone and the projector.
WORDS = [
    *[
        (ink, ground)
        for ink in ("ink", "ink-quiet", "brass", "danger")
        for ground in ("night", "lacquer-lit")
    ],
    ("red-lit", "night"),
    ("yellow", "night"),
    ("red.on-side", "red"),
    ("yellow.on-side", "yellow"),
]
SHAPES = [(shape, ground) for shape in ("red", "yellow", "brass") for ground in ("night", "hole")]
QUIET_WORDS = [(ink, ground) for ink in ("ink", "quiet") for ground in ("panel", "ground", "sunk")]
QUIET_WORDS += [("on-main", "main"), ("danger", "panel"), ("danger", "danger-ground")]


@pytest.mark.parametrize(("ink", "ground"), WORDS)
def test_words_can_be_read(ink: str, ground: str) -> None:
    assert contrast(STAGE[ink], STAGE[ground]) >= TEXT


@pytest.mark.parametrize(("shape", "ground"), SHAPES)
def test_shapes_can_be_seen(shape: str, ground: str) -> None:
    assert contrast(STAGE[shape], STAGE[ground]) >= SHAPE


@pytest.mark.parametrize(("ink", "ground"), QUIET_WORDS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_organizers_words_can_be_read(scheme: str, ink: str, ground: str) -> None:
    palette = palettes(ROOMS)[scheme]
    assert contrast(palette[ink], palette[ground]) >= TEXT


@pytest.mark.parametrize("blindness", BLINDNESSES)
def test_the_sides_are_told_apart_by_the_colour_blind(blindness: str) -> None:
    red, yellow = (lab(seen_by(blindness, linear(STAGE[side]))) for side in ("red", "yellow"))
    assert distance(red, yellow) >= SIDES_APART
    assert difference(red, yellow) >= APART_BY_2000


def test_a_colour_has_its_name_in_one_place() -> None:
    """No sheet says again what the tokens say."""
    tokens = {*palettes(TOKENS)["dark"], *palettes(ROOMS)["dark"]}
    again = {sheet.name: tokens & {*palettes(sheet)["dark"]} for sheet in SHEETS}
    assert {name: names for name, names in again.items() if names} == {}


# From the paper of Sharma, Wu and Dalal: pairs with their difference.
KNOWN = [
    ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
    ((50, 2.49, -0.001), (50, -2.49, 0.0009), 7.1792),
    ((50, 2.5, 0), (73, 25, -18), 27.1492),
    ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
    ((6.7747, -0.2908, -2.4247), (5.8714, -0.0985, -2.2286), 0.6377),
    ((2.0776, 0.0795, -1.135), (0.9033, -0.0636, -0.5514), 0.9082),
]


@pytest.mark.parametrize(("one", "other", "apart"), KNOWN)
def test_differences_are_those_of_the_paper(
    one: tuple[float, float, float], other: tuple[float, float, float], apart: float
) -> None:
    assert difference(Lab(*one), Lab(*other)) == pytest.approx(apart, abs=1e-4)


def test_black_on_white_is_the_most_there_is() -> None:
    assert contrast("#000", "#fff") == pytest.approx(21)
