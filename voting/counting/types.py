"""Terms of a vote and bounded integers, shared by counting, match records and the wire protocol."""

from typing import Annotated, Literal

from msgspec import Meta

MAX_COLUMN = 255

Column = Annotated[int, Meta(ge=1, le=MAX_COLUMN)]
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64)]

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

RuleDecision = Literal["first", "lot", "captain", "random", "pass", "forfeit", "resign"]
"""What decided a side's pick if it was not the voting method.

Values:
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
