"""Terms of a vote and bounded integers, shared by counting, match records and the wire protocol."""

from typing import Annotated, Literal

from msgspec import Meta

MAX_COLUMN = 255

Column = Annotated[int, Meta(ge=1, le=MAX_COLUMN)]
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64)]

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
