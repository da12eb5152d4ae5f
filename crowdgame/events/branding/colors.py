"""Team colors: whether they are visible on every page, and told apart by color-blind people. Pure.

Visible is a contrast of 3:1 (WCAG 2.2, 1.4.11). Color blindness is simulated with the matrices of Machado,
Oliveira and Fernandes (2009), and distances are those of OKLab.
"""

from collections.abc import Sequence
from itertools import product
from math import cbrt, dist

DARK, LIGHT = "#0b1020", "#f1f2f5"  # the backgrounds in tokens/pages.css
DEFAULT_COLORS = ("#d92b45", "#ffdd33")  # the sides in tokens/stage.css
MIN_CONTRAST = 3.0
MIN_DISTANCE = 0.15
LINEAR_BELOW = 0.04045  # of sRGB's transfer function
LEVELS = range(0, 256, 17)  # of each channel, in colors that are offered

Matrix = tuple[tuple[float, float, float], ...]
VISIONS: tuple[Matrix, ...] = (
    ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
)
RGB_TO_LMS: Matrix = (
    (0.4122214708, 0.5363325363, 0.0514459929),
    (0.2119034982, 0.6806995451, 0.1073969566),
    (0.0883024619, 0.2817188376, 0.6299787005),
)
LMS_TO_LAB: Matrix = (
    (0.2104542553, 0.7936177850, -0.0040720468),
    (1.9779984951, -2.4285922050, 0.4505937099),
    (0.0259040371, 0.7827717662, -0.8086757660),
)


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colors as `#rrggbb`, from 1 to 21."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def distance(one: str, other: str) -> float:
    """Return the smallest distance of two colors among the kinds of color vision."""
    return min(dist(_lab(one, vision), _lab(other, vision)) for vision in VISIONS)


def is_visible(color: str) -> bool:
    return min(contrast(color, DARK), contrast(color, LIGHT)) >= MIN_CONTRAST


def nearest_allowed(color: str, other: str) -> str:
    """Return the visible color most similar to `color` that is told apart from `other`."""
    offered = (f"#{r:02x}{g:02x}{b:02x}" for r, g, b in product(LEVELS, repeat=3))
    similar = sorted(offered, key=lambda one: dist(_lab(one, VISIONS[0]), _lab(color, VISIONS[0])))
    return next(one for one in similar if is_visible(one) and distance(one, other) >= MIN_DISTANCE)


def read_rgb(color: str) -> tuple[int, int, int]:
    red, green, blue = bytes.fromhex(color[1:])
    return red, green, blue


def _linear(color: str) -> tuple[float, ...]:
    channels = (channel / 255 for channel in read_rgb(color))
    return tuple(c / 12.92 if c <= LINEAR_BELOW else ((c + 0.055) / 1.055) ** 2.4 for c in channels)


def _luminance(color: str) -> float:
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), _linear(color), strict=True))


def _lab(color: str, vision: Matrix) -> Sequence[float]:
    seen = [min(1, max(0, channel)) for channel in _multiply(vision, _linear(color))]
    return _multiply(LMS_TO_LAB, [cbrt(cone) for cone in _multiply(RGB_TO_LMS, seen)])


def _multiply(matrix: Matrix, vector: Sequence[float]) -> list[float]:
    return [sum(a * b for a, b in zip(row, vector, strict=True)) for row in matrix]
