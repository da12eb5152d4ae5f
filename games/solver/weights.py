"""The files of weights: two bytes per weight, compressed."""

import gzip
import sys
from array import array
from functools import cache
from pathlib import Path

WEIGHTS = Path(__file__).parent / "weights"
SCALE = 256  # steps per unit
MOST = (1 << 15) - 1


def encode_weights(weights: "array[float]") -> bytes:
    """Return the file of these weights, rounded to 1/256 and limited to ±127."""
    steps = array("h", (max(-MOST, min(MOST, round(weight * SCALE))) for weight in weights))
    return gzip.compress(_little_endian(steps).tobytes(), mtime=0)


def decode_weights(file: bytes) -> "array[float]":
    """Return the weights in a file."""
    steps = array("h", gzip.decompress(file))
    return array("f", (step / SCALE for step in _little_endian(steps)))


@cache
def read_weights(columns: int, reverse_tie: bool) -> "array[float]":
    """Return the trained weights for a board of so many columns and a rule for double wins.

    In the wheel, the files' names contain a hash, because they are also static files.
    """
    name = Path(weights_name(columns, reverse_tie))
    (file,) = WEIGHTS.glob(f"{name.stem}*{name.suffix}")
    return decode_weights(file.read_bytes())


def weights_name(columns: int, reverse_tie: bool) -> str:
    return f"{columns}-{'other' if reverse_tie else 'holder'}.gz"


def _little_endian(steps: "array[int]") -> "array[int]":
    if sys.byteorder == "big":
        steps.byteswap()
    return steps
