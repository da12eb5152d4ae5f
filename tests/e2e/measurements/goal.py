"""A measurement with its goal, and statistics of few samples."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Measurement:
    """`met` is None if there is no goal."""

    what: str
    goal: str
    measured: str
    met: bool | None = None

    @property
    def row(self) -> str:
        verdict = {True: "met", False: "**missed**", None: ""}[self.met]
        return f"| {self.what} | {self.goal} | {self.measured} | {verdict} |"


def at_most(what: str, measured: float, goal: float, unit: str, digits: int = 0) -> Measurement:
    return Measurement(what, f"≤ {goal:g} {unit}", f"{measured:.{digits}f} {unit}", measured <= goal)


def quantile(samples: Sequence[float], share: float) -> float:
    """The smallest sample that is at least as large as this share of all."""
    ordered = sorted(samples)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]
