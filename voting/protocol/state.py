"""The public state of an event, the same for all clients.

It contains nothing secret while a window is open.
"""

from typing import Literal

import msgspec

from voting.counting.types import Count, Hash
from voting.protocol.fields import TeamNumber, Time
from voting.protocol.match_state import Finished, Match
from voting.terms import PHONES, Admission, Lobby, Nicknames, SpecialRule, TeamChoice


class Team(msgspec.Struct, frozen=True, kw_only=True):
    """One of the event's two teams.

    Attributes:
        number: 1 or 2.
        name: Plain text, never markup.
        source: Where its ballots come from: `phones`, `hands` for a show of hands, or a ballot source such as
            `bot:3` or `twitch:channel`. Only `phones` has phones and a turnout.
        is_public: Anyone can read its votes before the reveal, in a chat. All clients say so.
        captain: The captain's voter code, or empty.
        solo: The team is a single voter who joins with a ticket. Everyone else joins the other team.
        color: Its own color, as `#rrggbb`. Empty: the color of its side.
    """

    number: TeamNumber
    name: str
    source: str = PHONES
    is_public: bool = False
    captain: str = ""
    solo: bool = False
    color: str = ""


Part = Literal["code", "turnout", "tally", "drops", "sound", "hints", "recognition", "judges"]
"""A part that displays can hide.

Values:
    code: The join code.
    turnout: The turnout.
    tally: The counts of a reveal. Picks are shown.
    drops: The marks of voters who want to find their own drop.
    sound: The sound.
    hints: Comments on winning columns before the match is over.
    recognition: What phones say about the voter's own choices: streaks, and how few saw the best column.
    judges: The three voters with the best judgment, after a match.
"""


class EventState(msgspec.Struct, frozen=True, kw_only=True):
    """The complete public state of an event.

    Attributes:
        code: The join code.
        name: The event's name, plain text.
        lobby: Whether people may join.
        team_choice: How new voters get a team: assigned evenly, chosen by the voter, or named by the link.
        teams: Both teams.
        match: The latest match.
        next_match_at: When the next match starts by itself.
        finished: The last 20 finished matches, oldest first, without those of rehearsals.
        admission: The requirement for new voters.
        peek: Consoles see the votes per choice before the reveal.
        own_counts: Phones see their own team's votes per choice before the reveal.
        team_discussion: The voters of a team can write [suggestions](../protocol.md#team-discussion).
        notice: The organizer's message to all. Plain text, never markup.
        notice_until: When clients hide the notice. Null: it stays until it is cleared.
        hidden: Parts that displays hide.
        sound_on: Displays turn their sound on. Otherwise it is off until someone turns it on at a display.
        lobby_music: Displays with sound play music in the lobby. Null: the installation has none.
        best_of: Number of matches in the series, see [Series](../protocol.md#series).
        extra_s: Seconds added to every turn.
        captains: Ties are broken by captains in the next match.
        game: Slug of the game of the next match.
        next_lot: The commitment to everything drawn at the start of the next match, see
            [Hashes](../verification.md#hashes). Null while a match is played.
        special_rules: Rules to announce before the first turn: of the match that is played, otherwise of the
            next one.
        rematch_wanted_by: In a duel whose match is over: the team that asked for a rematch, 0 for none. Null:
            no rematch is possible.
        is_duel: A one-on-one game, without organizer and display.
        is_casual: A one-on-one game that isn't rated. Its players can agree to take turns back.
        consent: Not empty: voters agree to this text before their first vote.
        language: The language of displays, such as `zh-hans`.
        nicknames: The nicknames that voters can have. Null from earlier versions.
        vote_mail: Voters can ask for an e-mail or a push notification when a vote opens.
        ends_at: When the event ends. A match still live then is aborted, and none starts.
        brand_line: A short text of the organizer, such as the name of a sponsor. Plain text, never markup.
        logo: The organizer's logo is at `/brand/{logo}.webp`. Empty: there is none.
        display_key_version: How often an organizer has replaced the display key.
        embed_sites: The origins whose pages may embed the event, separated by spaces.
    """

    code: str
    name: str
    lobby: Lobby
    team_choice: TeamChoice
    teams: tuple[Team, Team]
    match: Match | None
    next_match_at: Time | None
    finished: tuple[Finished, ...]
    admission: Admission = Admission.OPEN
    peek: bool = False
    own_counts: bool = False
    team_discussion: bool = False
    notice: str = ""
    notice_until: Time | None = None
    hidden: tuple[Part, ...] = ()
    sound_on: bool = False
    lobby_music: bool | None = None
    best_of: Count | None = None
    extra_s: Count = 0
    captains: bool = False
    game: str = ""
    next_lot: Hash | None = None
    special_rules: tuple[SpecialRule, ...] = ()
    rematch_wanted_by: Count | None = None
    is_duel: bool = False
    is_casual: bool = False
    consent: str = ""
    language: str = "en"
    nicknames: Nicknames | None = None
    vote_mail: bool = False
    ends_at: Time | None = None
    brand_line: str = ""
    logo: str = ""
    display_key_version: Count = 0
    embed_sites: str = ""
