"""Was a crowd wiser than its average member? Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean, stdev
from typing import Literal

from crowdgame.results.analysis.analyzed_turn import Crowd

Answer = Literal["yes", "no", "unclear", "too few turns"]

MIN_TURNS = 5  # with fewer, one turn decides the answer
# Student's t for 95% two-sided, by degrees of freedom from MIN_TURNS - 1.
T_95 = (
    2.776,
    2.571,
    2.447,
    2.365,
    2.306,
    2.262,
    2.228,
    2.201,
    2.179,
    2.160,
    2.145,
    2.131,
    2.120,
    2.110,
    2.101,
)
T_95_LIMIT, T_95_SLOPE = 1.96, 2.6


@dataclass(frozen=True, slots=True)
class Wisdom:
    """How a crowd did over some turns, all of equal weight; losses in winning chance.

    `gain` is the loss of the average voter minus that of the picks. With `margin`, it is a 95% confidence
    interval of its mean, as if the turns were drawn at random from many alike; None with under MIN_TURNS.
    """

    turns: int
    mean_loss: float
    gain: float
    margin: float | None

    @property
    def pick_loss(self) -> float:
        return self.mean_loss - self.gain

    @property
    def answer(self) -> Answer:
        """Whether the picks were better than the average voter, as far as the interval tells."""
        if self.margin is None:
            return "too few turns"
        if self.gain - self.margin > 0:
            return "yes"
        return "no" if self.gain + self.margin < 0 else "unclear"


def measure_wisdom(crowds: Sequence[Crowd]) -> Wisdom | None:
    """Summarize the turns of a crowd. None without any."""
    if not crowds:
        return None
    gains = [crowd.gain for crowd in crowds]
    return Wisdom(
        turns=len(crowds),
        mean_loss=mean(crowd.mean_loss for crowd in crowds),
        gain=mean(gains),
        margin=_t95(len(gains) - 1) * stdev(gains) / sqrt(len(gains)) if len(gains) >= MIN_TURNS else None,
    )


def _t95(freedom: int) -> float:
    index = freedom - MIN_TURNS + 1
    return T_95[index] if index < len(T_95) else T_95_LIMIT + T_95_SLOPE / freedom
