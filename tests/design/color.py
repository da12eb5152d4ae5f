"""Color math: contrast (WCAG 2), difference (CIE 1976 and 2000) and simulated color blindness."""

import re
from dataclasses import dataclass
from math import atan2, cos, degrees, dist, exp, hypot, radians, sin, sqrt

Triple = tuple[float, float, float]
Matrix = tuple[Triple, Triple, Triple]

TO_XYZ: Matrix = (
    (0.4124564, 0.3575761, 0.1804375),
    (0.2126729, 0.7151522, 0.0721750),
    (0.0193339, 0.1191920, 0.9503041),
)
WHITE: Triple = (0.95047, 1.0, 1.08883)
# Machado, Oliveira and Fernandes 2009, severity 1, for linear light.
BLINDNESSES: dict[str, Matrix] = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}


@dataclass(frozen=True, slots=True)
class Lab:
    lightness: float
    a: float
    b: float


def linear(color: str) -> Triple:
    """Linear light of `#rgb` or `#rrggbb`."""
    found = re.fullmatch(r"#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})", color)
    if found is None:
        raise ValueError(f"{color!r} is not a plain color")
    digits = found[1] if len(found[1]) == 6 else "".join(digit * 2 for digit in found[1])
    red, green, blue = (_light(int(digits[at : at + 2], 16) / 255) for at in (0, 2, 4))
    return red, green, blue


def _light(share: float) -> float:
    return share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((_luminance(one), _luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    red, green, blue = linear(color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def seen_by(blindness: str, light: Triple) -> Triple:
    red, green, blue = (min(1.0, max(0.0, value)) for value in _apply(BLINDNESSES[blindness], light))
    return red, green, blue


def _apply(matrix: Matrix, vector: Triple) -> Triple:
    x, y, z = (sum(row[at] * vector[at] for at in range(3)) for row in matrix)
    return x, y, z


def lab(light: Triple) -> Lab:
    x, y, z = (_cube_root(part / white) for part, white in zip(_apply(TO_XYZ, light), WHITE, strict=True))
    return Lab(116 * y - 16, 500 * (x - y), 200 * (y - z))


def _cube_root(part: float) -> float:
    return float(part ** (1 / 3)) if part > 216 / 24389 else (24389 / 27 * part + 16) / 116


def distance(one: Lab, other: Lab) -> float:
    """Delta E (CIE 1976)."""
    return dist((one.lightness, one.a, one.b), (other.lightness, other.a, other.b))


def difference(one: Lab, other: Lab) -> float:
    """CIEDE2000, after Sharma, Wu and Dalal 2005."""
    mean_chroma = (hypot(one.a, one.b) + hypot(other.a, other.b)) / 2
    stretch = 1 + 0.5 * (1 - sqrt(mean_chroma**7 / (mean_chroma**7 + 25**7)))
    (chroma1, hue1), (chroma2, hue2) = (_polar(color.a * stretch, color.b) for color in (one, other))
    step = _hue_step(hue1, hue2) if chroma1 * chroma2 else 0.0
    return _weighted(one, other, (chroma1, chroma2), (hue1, step))


def _polar(a: float, b: float) -> tuple[float, float]:
    return hypot(a, b), degrees(atan2(b, a)) % 360


def _hue_step(one: float, other: float) -> float:
    return (other - one + 180) % 360 - 180


def _weighted(one: Lab, other: Lab, chromas: tuple[float, float], hues: tuple[float, float]) -> float:
    lightness = (one.lightness + other.lightness) / 2
    chroma, hue = sum(chromas) / 2, (hues[0] + hues[1] / 2) % 360
    wave = (
        1
        - 0.17 * cos(radians(hue - 30))
        + 0.24 * cos(radians(2 * hue))
        + 0.32 * cos(radians(3 * hue + 6))
        - 0.20 * cos(radians(4 * hue - 63))
    )
    middle = (lightness - 50) ** 2
    d_light = (other.lightness - one.lightness) / (1 + 0.015 * middle / sqrt(20 + middle))
    d_chroma = (chromas[1] - chromas[0]) / (1 + 0.045 * chroma)
    turn = 2 * sqrt(chromas[0] * chromas[1]) * sin(radians(hues[1]) / 2)
    d_hue = turn / (1 + 0.015 * chroma * wave)
    swing = 2 * sqrt(chroma**7 / (chroma**7 + 25**7))
    rotation = -swing * sin(radians(60 * exp(-(((hue - 275) / 25) ** 2))))
    return sqrt(d_light**2 + d_chroma**2 + d_hue**2 + rotation * d_chroma * d_hue)
