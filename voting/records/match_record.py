"""The match record: everything that anyone needs to recount a match and to detect tampering.

It is one JSON object and also a game record (`games/engine/record.py`). The picks are in `turns`, and how
each came about is in `counts`. Nothing in it tells which ballots are of the same voter.
"""

import json
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from games.engine.errors import BadRecord
from games.engine.game import Result, Side
from voting.counting.methods import Deciding
from voting.counting.side_changes import SidesSummary
from voting.counting.tally import TallyTerms
from voting.terms import Ending, MatchState, VoidReason

Format = Literal["crowdgame match 2", "crowdgame match 3", "crowdgame match 4", "crowdgame match 5"]
#: From version 3 on, nobody chooses the order of the ballots. Before, they are in order of arrival.
UNSORTED: Format = "crowdgame match 2"
SORTED: Format = "crowdgame match 3"
#: From version 4 on, the record lists all published seals, and why each was replaced.
SEALS_LISTED: Format = "crowdgame match 4"
#: From version 5 on, draws follow from the roots, too, unless the `lot` of an earlier turn says otherwise.
DRAWN_FROM_ROOTS: Format = "crowdgame match 5"

#: What precedes the record in a report file. Its "<" are escaped.
RECORD_OPENS = b'<script id="record" type="application/json">'

#: Where the ballots of a turn came from after a loss: phones sent them again, the database had stored them,
#: or a backup of the database was restored while the turn was open.
Restored = Literal["phones", "database", "backup"]

#: An integer that every JSON parser reads alike.
Integer = Annotated[int, Meta(ge=-(2**53) + 1, le=2**53 - 1)]
Pick = int | None
Root = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
Blind = Annotated[str, Meta(pattern=r"^([0-9a-f]{32})?\Z")]


class SidePicks(msgspec.Struct, frozen=True, kw_only=True):
    """The picks of a turn; None for a side that did not move."""

    red: Pick = None
    yellow: Pick = None


class Terms(TallyTerms, frozen=True, kw_only=True, omit_defaults=True):
    """How ballots become a pick, and how often a voter may change sides."""

    max_side_changes: Annotated[int, Meta(ge=0, le=2**53 - 1)] = 0
    turn_points: bool = False


class SideCount(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A side's ballots and their tally.

    `ballots` are pairs of choice and blinding factor, sorted by leaf hash; `root` is their commitment.
    `arrivals` are the indexes of the ballots in order of arrival, if that decides ties and the ballots are
    not listed in it. `rounds` are the counts of a runoff. `captain` is the index of the captain's ballot.
    All indexes count from 0.
    """

    root: Root | None
    ballots: tuple[tuple[int, str], ...]
    legal: tuple[int, ...]
    counts: tuple[int, ...]
    pick: Pick
    decided_by: Deciding
    rounds: tuple[tuple[int, ...], ...] = ()
    captain: int | None = None
    arrivals: tuple[int, ...] = ()


#: Why a published seal is void: an organizer added time after it, or the ballot box was lost.
Reopening = Literal["time_added", "box_lost"]


class VoidSeal(msgspec.Struct, frozen=True, kw_only=True):
    """Why a seal is void, since when, and the epoch from then on."""

    reason: Reopening
    at: Integer
    epoch: Annotated[int, Meta(ge=1, le=2**53 - 1)]


class PublishedSeal(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A seal as it was published (`turn.sealed`): its time and the Merkle root of each side that moved.

    With secret sides, `turn_commitment` in place of the roots. `void` is set if another seal replaced it.
    """

    at: Integer
    epoch: Annotated[int, Meta(ge=1, le=2**53 - 1)] = 1
    red: Root | None = None
    yellow: Root | None = None
    turn_commitment: Root | None = None
    void: VoidSeal | None = None


class TurnCount(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The counts of a turn; None for a side that was not to move.

    `lot` was published before the window, and `seed` after it. `epoch` is that of the sealed ballot box. It
    grows when a box is lost, and `restored` tells where the ballots then came from. `seals` are all that
    were published; the last one counts. Before version 4 there are only `void_seals`, published before time
    was added.
    """

    turn: Integer
    lot: str
    seed: str
    sealed_at: Integer | None
    resolved_at: Integer | None
    red: SideCount | None
    yellow: SideCount | None
    epoch: Annotated[int, Meta(ge=1, le=2**53 - 1)] = 1
    restored: Restored | None = None
    seals: tuple[PublishedSeal, ...] = ()
    void_seals: tuple[PublishedSeal, ...] = ()


class VoidedTurn(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A turn that does not count. `number` is its place in the match, which another turn may have taken.

    Its ballots are not in the record. `seals` are all that were published for it.
    """

    turn: Integer
    number: Annotated[int, Meta(ge=1, le=2**53 - 1)]
    lot: str
    seed: str
    voided_at: Integer | None = None
    reason: VoidReason | None = None
    seals: tuple[PublishedSeal, ...] = ()


class Teams(msgspec.Struct, frozen=True, kw_only=True):
    """The names of the teams that play red and yellow."""

    red: str
    yellow: str


class RecordedSides(msgspec.Struct, frozen=True, kw_only=True):
    """The secret sides of a turn.

    `side_changes` are the side and blinding factor of everyone who changed sides before the turn, sorted by
    blinding factor. `turn_commitment` was published at the seal in place of the sides' roots. It commits to
    them and to `side_changes`.
    """

    turn_commitment: str
    side_changes: tuple[tuple[Side, Blind], ...]


class SecretSides(msgspec.Struct, frozen=True, kw_only=True):
    """The secret sides of a match, with one entry of `turns` per turn."""

    summary: SidesSummary
    turns: tuple[RecordedSides, ...]


class StartDraw(msgspec.Struct, frozen=True, kw_only=True):
    """What was drawn at the start of a match, from the `options` as chosen.

    `lot` was public before the match (`next_lot` of the public state).
    """

    lot: str
    seed: str
    options: dict[str, Any]


class RecordedBots(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The strengths of the computer opponents, and the `version` of the table that says how each errs."""

    version: Integer
    red: Annotated[int, Meta(ge=1, le=5)] | None = None
    yellow: Annotated[int, Meta(ge=1, le=5)] | None = None

    def strength(self, side: Side) -> int | None:
        return self.red if side == "red" else self.yellow


class MatchRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A match with its ballots. `name` is a title for readers.

    Unless the match has ended, `result` is "open" and `ended_by` is None. `state` tells a match that goes on
    from one that was aborted. `voided` are the void turns in the order of their ids.
    """

    format: Format
    name: str
    code: str
    match: Integer
    teams: Teams
    game: str
    options: dict[str, Any]
    terms: Terms
    turns: tuple[SidePicks, ...]
    counts: tuple[TurnCount, ...]
    result: Result
    ended_by: Ending | None
    draw: StartDraw | None = None
    sides: SecretSides | None = None
    bots: RecordedBots | None = None
    state: MatchState | None = None
    voided: tuple[VoidedTurn, ...] = ()

    @property
    def lists_seals(self) -> bool:
        return self.format not in (UNSORTED, SORTED)


def read_match_record(text: bytes) -> MatchRecord:
    """Parse a record, or a report file that holds one. Raises BadRecord."""
    if text.startswith(b"<"):
        _, _, text = text.partition(RECORD_OPENS)
        text, _, _ = text.partition(b"</script>")
    try:
        json.loads(text, object_pairs_hook=_reject_duplicate_keys)
        return msgspec.json.decode(text, type=MatchRecord)
    except (ValueError, RecursionError) as refusal:  # malformed JSON, or an error of msgspec
        raise BadRecord(f"not a match record: {refusal}") from refusal


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> None:
    """Raise BadRecord for a duplicate key, which two parsers could read differently."""
    if len(dict(pairs)) < len(pairs):
        raise BadRecord("a key appears twice")


def side_count(count: TurnCount, side: Side) -> SideCount | None:
    """Return the side's count; None if it was not to move."""
    return count.red if side == "red" else count.yellow
