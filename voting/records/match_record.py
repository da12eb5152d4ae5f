"""The match record: all of a match that anyone needs to count it again.

One JSON object, and a game record too (`games/engine/record.py`): the picks are in `turns`, and beside each
of them in `counts` is how it came about. Nothing in it tells which ballots are of the same voter.
"""

import json
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from games.engine.errors import BadRecord
from games.engine.game import Result, Side
from voting.counting.side_changes import SidesSummary
from voting.counting.types import Deciding, NoBallotRule, ResignShare, TallyMethod, TieRule
from voting.protocol import Ending

FORMAT: Literal["crowdgame match 2"] = "crowdgame match 2"

Pick = int | None
Root = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
Blind = Annotated[str, Meta(pattern=r"^([0-9a-f]{32})?\Z")]


class SidePicks(msgspec.Struct, frozen=True, kw_only=True):
    red: Pick = None
    yellow: Pick = None


class Terms(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How ballots become a pick, as an organizer chose for the match, and how often one may change sides."""

    tally_method: TallyMethod
    tie_rule: TieRule
    no_ballot_rule: NoBallotRule
    resign: ResignShare | None = None
    max_side_changes: int = 0
    turn_points: bool = False


class SideCount(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`ballots` are column and blind of each, in order of arrival; `root` is their commitment.

    `rounds` are the counts of a runoff; `captain` is the place of the captain's ballot, from 0.
    """

    root: Root | None
    ballots: tuple[tuple[int, str], ...]
    legal: tuple[int, ...]
    counts: tuple[int, ...]
    pick: Pick
    decided_by: Deciding
    rounds: tuple[tuple[int, ...], ...] = ()
    captain: int | None = None


class TurnCount(msgspec.Struct, frozen=True, kw_only=True):
    """`lot` was told before the window, `seed` after it. None for a side that was not to move."""

    turn: int
    lot: str
    seed: str
    sealed_at: int | None
    resolved_at: int | None
    red: SideCount | None
    yellow: SideCount | None


class Teams(msgspec.Struct, frozen=True, kw_only=True):
    red: str
    yellow: str


class RecordedSides(msgspec.Struct, frozen=True, kw_only=True):
    """`side_changes` are the side and the blind of everybody who changed over before the turn, by blind.

    `turn_commitment` is what was told at the seal in place of the sides' roots: it is made of them and of
    `side_changes`.
    """

    turn_commitment: str
    side_changes: tuple[tuple[Side, Blind], ...]


class SecretSides(msgspec.Struct, frozen=True, kw_only=True):
    """Of a match in which sides were secret, a `turns` each."""

    summary: SidesSummary
    turns: tuple[RecordedSides, ...]


class MatchRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """`name` is for the reader. `result` is "open" and `ended_by` None unless the match has ended."""

    format: Literal["crowdgame match 2"]
    name: str
    code: str
    match: int
    teams: Teams
    game: str
    options: dict[str, Any]
    terms: Terms
    turns: tuple[SidePicks, ...]
    counts: tuple[TurnCount, ...]
    result: Result
    ended_by: Ending | None
    sides: SecretSides | None = None


def read_match_record(text: bytes) -> MatchRecord:
    """Raises BadRecord."""
    try:
        json.loads(text, object_pairs_hook=_reject_duplicate_keys)
        return msgspec.json.decode(text, type=MatchRecord)
    except (ValueError, RecursionError) as refusal:  # whatever is wrong with the text, and what msgspec says
        raise BadRecord(f"this is no match record: {refusal}") from refusal


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> None:
    """A key told twice would be read in one way here, and in another way elsewhere."""
    if len(dict(pairs)) < len(pairs):
        raise BadRecord("a key is there twice")


def side_count(count: TurnCount, side: Side) -> SideCount | None:
    return count.red if side == "red" else count.yellow
