"""A row of the table, and the goals of each server."""

import operator
from dataclasses import dataclass

import msgspec

FULL_AUDIENCE = 10_000
COMPARATORS = {"≥": operator.ge, "≤": operator.le}


@dataclass(frozen=True, slots=True)
class ServerGoals:
    """A server's goals. `audience` is the number of phones that the goals of load runs assume."""

    echo: str
    stock: str
    fanout: str
    audience: int
    spread_ack: str
    burst_ack: str
    last_reveal: str


GOALS = {
    "daphne": ServerGoals("≥ 0.75", "≥ 3", "≤ 0.33", FULL_AUDIENCE, "≤ 250 ms", "≤ 400 ms", "≤ 600 ms"),
    "uvicorn": ServerGoals("≥ 0.6", "≥ 6", "≤ 0.2", 18_000, "≤ 200 ms", "≤ 200 ms", ""),
}


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """`value` is a ratio if there is a `reference`. `goal` is like "≥ 3", empty if there is none.

    `not_judged`: why the goal was not judged; `key`: the name of a row that is compared with the baseline.
    """

    server: str
    what: str
    measured: str
    reference: str = ""
    value: float
    goal: str = ""
    not_judged: str = ""
    key: str = ""

    @property
    def met(self) -> bool | None:
        if not self.goal or self.not_judged:
            return None
        sign, limit = self.goal.split()[:2]
        return bool(COMPARATORS[sign](self.value, float(limit)))


def too_few(phones: int, meant_for: int) -> str:
    return f"meant for {meant_for:,} phones" if phones < meant_for else ""
