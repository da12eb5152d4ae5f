"""The public state of a match, the same for all clients.

It contains nothing secret while a window is open.
"""

import msgspec

from games.engine.game import Board, Resolution, Result, Side
from voting.counting.methods import TallyMethod
from voting.counting.pacing import CloseCall, RevealSteps
from voting.counting.side_changes import SidesSummary
from voting.counting.tally import SideTally
from voting.counting.types import Column, Count, Hash
from voting.protocol.fields import Epoch, Id, TeamNumber, Time
from voting.protocol.match_analysis import Analysis
from voting.terms import (
    Ending,
    EndReason,
    MatchState,
    NoBallotRule,
    OfferKind,
    Pace,
    ResignShare,
    TieRule,
)


class Legal(msgspec.Struct, frozen=True, kw_only=True):
    """Legal choices. Empty for a side that is not to move.

    Attributes:
        red: Red's legal choices.
        yellow: Yellow's legal choices.
    """

    red: tuple[Column, ...]
    yellow: tuple[Column, ...]


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """The open turn, or the next one.

    Attributes:
        id: Identifies the turn in all messages.
        number: Counts the match's turns.
        opens_at: Ballots count from here.
        closes_at: The deadline.
        epoch: Grows when the ballot box lost the turn's ballots.
        paused: Whether the turn is paused.
        left_ms: Milliseconds that remain while paused.
        to_move: The sides that vote.
        legal: The legal choices of each side.
        lot: SHA-256 of `crowdgame lot 2:` and the seed of every draw in this turn.
        talk_ms: Milliseconds to talk before `opens_at`. 0 after a pause during the vote.
        idle: Paused, and nobody voted in the last two turns. After those, turns pause by themselves.
        draw_offered_by: The side whose draw offer stands until the other side has voted.
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
    talk_ms: Count = 0
    idle: bool = False
    draw_offered_by: Side | None = None


class Concealed(msgspec.Struct, frozen=True, kw_only=True):
    """A turn of one side that stays secret until the other side's turn is revealed.

    Attributes:
        turn: `id` of the turn.
        number: Its number.
        side: The side that voted.
        sealed_at: When the ballots were frozen.
        root: Merkle root of the ballots.
        ballots: Number of ballots.
        seed: The seed of the turn, null until the reveal.
    """

    turn: Id
    number: Id
    side: Side
    sealed_at: Time
    root: Hash
    ballots: Count
    seed: str | None = None


class Reveal(msgspec.Struct, frozen=True, kw_only=True):
    """The turn resolved last.

    Attributes:
        turn: `id` of the turn.
        number: Its number.
        sealed_at: When the counted ballots were frozen.
        resolved_at: When the turn was resolved.
        red: Red's tally. Null if red was not to move.
        yellow: Yellow's tally.
        resolution: The result of the picks.
        steps: When each step of the reveal begins.
        close_call: The closest decision. The reveal replays it if it has time for that.
        seed: The seed that decided every lot. Null while sides are secret.
        concealed: The previous turn, if it was kept secret until now. Its tally and pick are part of this
            reveal.
        turn_commitment: Commitment of a turn with secret sides, as in `turn.sealed`.
    """

    turn: Id
    number: Id
    sealed_at: Time = 0
    resolved_at: Time
    red: SideTally | None
    yellow: SideTally | None
    resolution: Resolution
    steps: RevealSteps
    close_call: CloseCall | None = None
    seed: str | None = None
    concealed: Concealed | None = None
    turn_commitment: Hash | None = None


class Clocks(msgspec.Struct, frozen=True, kw_only=True):
    """The sides' clocks.

    A side's clock runs from `opens_at` until its last ballot. `closes_at` is when the turn ends if nobody
    else votes; it moves (`turn.moved`) when someone does. A ballot cast after the side's own time is `late`.

    Attributes:
        bank_s: Seconds on each clock at the start of the match.
        increment_s: Seconds added after each turn.
        cap_s: Seconds a side may use in one turn.
        red_ms: Red's clock when the turn opened, or at the end of the match.
        yellow_ms: Yellow's clock.
        crowd: A clock runs until every connected voter of the side has voted. Otherwise each side is one
            voter.
    """

    bank_s: Count
    increment_s: Count
    cap_s: Count | None
    red_ms: Count
    yellow_ms: Count
    crowd: bool = False


class Rated(msgspec.Struct, frozen=True, kw_only=True):
    """The players' ratings before and after the match, rounded.

    Attributes:
        red_before: Red's player before.
        red_after: Red's player after.
        yellow_before: Yellow's player before.
        yellow_after: Yellow's player after.
    """

    red_before: Count
    red_after: Count
    yellow_before: Count
    yellow_after: Count


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """An offer of one player of a duel to the other. It lapses when the turn closes.

    Attributes:
        side: The side that made it.
        kind: What it offers.
        declined: Whether the other side has declined it.
    """

    side: Side
    kind: OfferKind
    declined: bool


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """The latest match.

    Attributes:
        id: Identifies the match.
        number: Counts the event's matches.
        game: The game's slug.
        title: The game's name.
        state: Whether it is being played.
        red: The team that plays red.
        yellow: The team that plays yellow.
        result: `open` until the match ends.
        ended_by: How it ended.
        window_s: Seconds to vote.
        pace: How long reveals last.
        close_early: The window closes once every connected voter has voted.
        board: The board as it stands.
        turn: The open turn, or the next one.
        reveal: The turn resolved last.
        tally_method: The voting method. It stays the same for the whole match, like the next two.
        tie_rule: The rule for ties.
        no_ballot_rule: The rule for a side without ballots.
        talk_s: Seconds to talk before each window.
        host_wait_s: After a window, `reveal.start` starts the reveal, and after the reveal, `turn.open` opens
            the next turn. Each step happens by itself after this many seconds. Null: nothing waits.
        clocks: The sides' clocks. Null: turns have windows of `window_s`.
        resign: Share of a team's ballots that resigns the match. Null: nobody can resign.
        draw_offers: Ballots can offer or accept a draw.
        rated: Set once the match is over and rated.
        concealed: The turn closed last, while it is kept secret.
        max_side_changes: Not 0: sides are secret, and each voter may change sides this often.
        turn_points: A voter scores a point for each turn voted with the winner.
        sides: Summary of secret sides, once the match has ended.
        offers: The offers of the players of a duel in the open turn.
        end_reason: Why it ended. Null until then.
        analysis: The analysis of `reveal`, if the event shows it now. Arrives after the reveal.
        shards: Gateways send each voter's ballots to one of this many parts of the ballot box.
    """

    id: Id
    number: Id
    game: str
    title: str
    state: MatchState
    red: TeamNumber
    yellow: TeamNumber
    result: Result
    ended_by: Ending | None
    window_s: Count
    pace: Pace
    close_early: bool
    board: Board
    turn: Turn | None
    reveal: Reveal | None
    tally_method: TallyMethod | None = None
    tie_rule: TieRule | None = None
    no_ballot_rule: NoBallotRule | None = None
    talk_s: Count = 0
    host_wait_s: Count | None = None
    clocks: Clocks | None = None
    resign: ResignShare | None = None
    draw_offers: bool = False
    rated: Rated | None = None
    concealed: Concealed | None = None
    max_side_changes: Count = 0
    turn_points: bool = False
    sides: SidesSummary | None = None
    offers: tuple[Offer, ...] = ()
    end_reason: EndReason | None = None
    analysis: Analysis | None = None
    shards: Count = 1


class Finished(msgspec.Struct, frozen=True, kw_only=True):
    """An earlier match.

    Attributes:
        number: Number of the match.
        winner: The winning team, null for a draw.
        turns: Number of turns.
        end_reason: Why it ended.
    """

    number: Id
    winner: TeamNumber | None
    turns: Count
    end_reason: EndReason | None = None
