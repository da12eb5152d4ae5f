"""A row of the table, and the servers' goals."""

import operator
from dataclasses import dataclass

import msgspec

FULL_AUDIENCE = 10_000
SIGNS = {"≥": operator.ge, "≤": operator.le}


@dataclass(frozen=True, slots=True)
class Wanted:
    """A server's goals; `audience` is the number of phones that load run goals assume."""

    echo: str
    stock: str
    fanout: str
    audience: int
    spread_ack: str
    burst_ack: str
    last_reveal: str


WANTED = {
    "daphne": Wanted("≥ 0.75", "≥ 3", "≤ 0.33", FULL_AUDIENCE, "≤ 250 ms", "≤ 400 ms", "≤ 600 ms"),
    "uvicorn": Wanted("≥ 0.6", "≥ 6", "≤ 0.2", 18_000, "≤ 200 ms", "≤ 200 ms", ""),
}


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """`value` is a ratio where there is an `other`. `goal` is like "≥ 3", empty if there is none.

    `why_not`: why the goal was not judged; `key`: the name of a row compared with recorded ones.
    """

    server: str
    what: str
    ours: str
    other: str = ""
    value: float
    goal: str = ""
    why_not: str = ""
    key: str = ""

    @property
    def met(self) -> bool | None:
        if not self.goal or self.why_not:
            return None
        sign, limit = self.goal.split()[:2]
        return bool(SIGNS[sign](self.value, float(limit)))


def too_few(phones: int, meant_for: int) -> str:
    return f"meant for {meant_for:,} phones" if phones < meant_for else ""
