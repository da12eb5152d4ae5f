"""The public state of an event: nothing of it is secret in a window."""

from typing import Literal

import msgspec

from games.engine.game import Board, Resolution, Result, Side
from voting.counting.side_changes import SidesSummary
from voting.counting.types import (
    Column,
    Count,
    Deciding,
    Hash,
    NoBallotRule,
    ResignShare,
    TallyMethod,
    TieRule,
)
from voting.protocol.fields import Epoch, Id, TeamNumber, Time


class Team(msgspec.Struct, frozen=True, kw_only=True):
    """`hands`: it votes by a show of hands, and takes in no phones. `captain` is its captain's sign.

    `solo`: it is of one voter, with a ticket.
    """

    number: TeamNumber
    name: str
    hands: bool = False
    captain: str = ""
    solo: bool = False


class Legal(msgspec.Struct, frozen=True, kw_only=True):
    """What each side may pick; empty for a side that is not to move."""

    red: tuple[Column, ...]
    yellow: tuple[Column, ...]


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """The present turn. Ballots count from `opens_at` until before `closes_at`, unless paused.

    `epoch` grows when the ballot box lost the turn: a phone then sends the ballot it keeps again.
    `lot` is the SHA-256 of the seed that will decide every lot of the turn; the reveal opens it.
    """

    id: Id
    number: Id
    opens_at: Time
    closes_at: Time
    epoch: Epoch
    paused: bool
    left_ms: Count
    to_move: tuple[Side, ...]
    legal: Legal
    lot: Hash | None = None


class SideTally(msgspec.Struct, frozen=True, kw_only=True):
    """What a side voted: `counts[0]` is column 1. `decided_by` says how the pick came about.

    `root` is the Merkle root over the side's blinded ballots, as it was told at the seal. Of rankings
    `counts` are the first choices, and `rounds` all counts of the runoff. `resigning` ballots wish it.
    While sides are secret only the pick is told: `counts` is empty, `decided_by` None.
    """

    counts: tuple[Count, ...]
    ballots: Count
    pick: Column | None
    decided_by: Deciding | None
    root: Hash | None = None
    rounds: tuple[tuple[Count, ...], ...] | None = None
    resigning: Count = 0


class Concealed(msgspec.Struct, frozen=True, kw_only=True):
    """A turn whose votes stay secret until the next one's are revealed, and what they were sealed with.

    It is of one `side`, and the next of the other. `seed` is told with the reveal.
    """

    turn: Id
    number: Id
    side: Side
    sealed_at: Time
    root: Hash
    ballots: Count
    seed: str | None = None


class Reveal(msgspec.Struct, frozen=True, kw_only=True):
    """The turn resolved last; a side that was not to move has no tally. `sealed_at`: no ballot since.

    `seed` decided every lot of the turn. A server of a version before does not tell them. `concealed`: the
    turn before it stayed secret until now, and what its side voted is told here, too. `turn_commitment` is
    the one commitment of a turn with secret sides, as it was told at the seal; until the match is over its
    seed is secret, too: a pick that equals the lot, turn after turn, would tell of a side that nobody is on.
    """

    turn: Id
    number: Id
    sealed_at: Time = 0
    resolved_at: Time
    red: SideTally | None
    yellow: SideTally | None
    resolution: Resolution
    seed: str | None = None
    concealed: Concealed | None = None
    turn_commitment: Hash | None = None


Ending = Literal["board", "forfeit", "time", "resign", "deserted"]


class Clocks(msgspec.Struct, frozen=True, kw_only=True):
    """The sides' clocks: `red_ms` and `yellow_ms` stood on them when the turn opened, or at the end.

    Each turn adds `increment_s`; of its clock a side may use `cap_s` in one turn. While a turn is open, a
    side's clock runs until it has a ballot; of a `crowd`, until everybody of it who is connected has voted.
    """

    bank_s: Count
    increment_s: Count
    cap_s: Count | None
    red_ms: Count
    yellow_ms: Count
    crowd: bool = False


class Rated(msgspec.Struct, frozen=True, kw_only=True):
    """What the match made of its players' ratings."""

    red_before: Count
    red_after: Count
    yellow_before: Count
    yellow_after: Count


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """The latest match. `red` and `yellow` are team numbers; `turn` is None unless it is playing.

    Before each window people have `talk_s` to talk. `tally_method`, `tie_rule` and `no_ballot_rule` are the
    terms by which ballots become a pick, the same in all its turns. A server of a version before does not
    tell them. `resign`: which share of a team's ballots gives the match up, None: none can. `clocks`: its
    sides play by clocks, and `closes_at` is when the turn is over if nobody else picks. `rated`: it is over,
    and counts for its players' ratings. `concealed`: the turn closed last, as long as nothing more is told of
    it. With `max_side_changes` sides are secret: so often each voter may change over between turns, and
    `sides` is told at the end. `turn_points`: each turn in which one voted with the later winner is a point.
    """

    id: Id
    number: Id
    game: str
    title: str
    state: Literal["playing", "ended", "aborted"]
    red: TeamNumber
    yellow: TeamNumber
    result: Result
    ended_by: Ending | None
    window_s: Count
    reveal_s: Count
    close_early: bool
    board: Board
    turn: Turn | None
    reveal: Reveal | None
    tally_method: TallyMethod | None = None
    tie_rule: TieRule | None = None
    no_ballot_rule: NoBallotRule | None = None
    talk_s: Count = 0
    clocks: Clocks | None = None
    resign: ResignShare | None = None
    rated: Rated | None = None
    concealed: Concealed | None = None
    max_side_changes: Count = 0
    turn_points: bool = False
    sides: SidesSummary | None = None


class Finished(msgspec.Struct, frozen=True, kw_only=True):
    """An earlier match; `winner` is a team number, None for a draw."""

    number: Id
    winner: TeamNumber | None
    turns: Count


Admission = Literal["open", "rotating", "tickets", "roster"]
Part = Literal["code", "turnout", "tally"]


class EventState(msgspec.Struct, frozen=True, kw_only=True):
    """Everything public about an event: what a screen needs to show it right at any moment.

    `peek`: the organizers see the votes by column before the reveal, and everybody is told so; `own_counts`:
    each team's phones see its own; `captains`: in the next match theirs break a tie. `notice` is the
    organizer's word to all; the `hidden` parts stay off the projector. `best_of`: so many matches make the
    series; None: no series. Every turn is planned `extra_s` longer than the match says. `rematch_wanted_by`:
    the team that wants another match in the hall, once one is over; 0: neither has said so; None: nobody is
    asked. `is_duel`: a game of the open hall, where nobody organizes and nobody sees a big screen. `consent`
    is to be read before the first vote: the votes go, without a name, into a study.
    """

    code: str
    name: str
    lobby: Literal["closed", "open", "locked"]
    team_choice: Literal["balance", "choose", "link"]
    teams: tuple[Team, Team]
    match: Match | None
    next_match_at: Time | None
    finished: tuple[Finished, ...]
    admission: Admission = "open"
    peek: bool = False
    own_counts: bool = False
    notice: str = ""
    hidden: tuple[Part, ...] = ()
    best_of: Count | None = None
    extra_s: Count = 0
    captains: bool = False
    rematch_wanted_by: Count | None = None
    is_duel: bool = False
    consent: str = ""
