"""Terms of a vote and numbers with their limits, as counting, records and the wire know them."""

from typing import Annotated, Literal

from msgspec import Meta

MAX_COLUMN = 255

Column = Annotated[int, Meta(ge=1, le=MAX_COLUMN)]
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64)]

TallyMethod = Literal["plurality", "lottery", "approval", "instant_runoff"]
TieRule = Literal["first", "lot", "captain"]
NoBallotRule = Literal["random", "pass", "forfeit"]
ResignShare = Literal["half", "two_thirds", "three_quarters", "all"]

# How a side's pick came about.
Deciding = Literal[
    "plurality",
    "lottery",
    "approval",
    "runoff",
    "first",
    "lot",
    "captain",
    "random",
    "pass",
    "forfeit",
    "resign",
]
