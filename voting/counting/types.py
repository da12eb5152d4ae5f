"""Terms of a vote and bounded integers, shared by counting, match records and the wire protocol."""

from typing import Annotated, Literal

from msgspec import Meta

MAX_COLUMN = 255

Column = Annotated[int, Meta(ge=1, le=MAX_COLUMN)]
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64)]

TallyMethod = Literal["plurality", "lottery", "approval", "instant_runoff"]
"""How a side's ballots become its pick.

Values:
    plurality: The choice with the most ballots.
    lottery: One ballot, drawn at random.
    approval: Each ballot approves any number of choices. The most approved one wins.
    instant_runoff: Each ballot ranks up to three choices. Choices are eliminated until one has more than
        half.
"""

TieRule = Literal["first", "lot", "captain"]
"""Rules for ties.

Values:
    first: The choice whose count was complete first.
    lot: A random draw.
    captain: The captain's own ballot, otherwise a random draw.
"""

NoBallotRule = Literal["random", "pass", "forfeit"]
"""Rules for a side without ballots.

Values:
    random: A random legal choice is played.
    pass: The side doesn't move.
    forfeit: The side loses the match.
"""

ResignShare = Literal["half", "two_thirds", "three_quarters", "all"]
"""Share of a team's ballots in one turn that resigns the match.

Values:
    half: Half of them.
    two_thirds: Two thirds.
    three_quarters: Three quarters.
    all: All of them.
"""

# How a side's pick was decided.
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
"""How a side's pick was decided.

Values:
    plurality: Most ballots.
    lottery: One ballot, drawn at random.
    approval: Most approvals.
    runoff: More than half of the ballots in the last round.
    first: A tie: the choice whose count was complete first.
    lot: A tie, decided by a random draw.
    captain: A tie, decided by the captain's ballot.
    random: No ballots: a legal choice, drawn at random.
    pass: No ballots: the side doesn't move. Also in a match with clocks, if the other side ran out of time
        first.
    forfeit: No ballots: the side loses the match. In a match with clocks, only the side that ran out of time
        does.
    resign: Enough ballots wanted to resign. There is no pick.
"""
