"""The discussion of a team: who may read it, and its suggestions in the current turn."""

from dataclasses import dataclass
from itertools import chain

from django.db.models import QuerySet

from crowdgame.play.chat.models import ChatRoom, RoomKind, Suggestion
from voting import protocol
from voting.admission.restrictions import NO_RESTRICTION, Restrictions, load_restrictions
from voting.admission.seats import Seat, find_phone_team
from voting.counting.voter_codes import derive_voter_code
from voting.matches import live_turn
from voting.models import Event, Turn
from voting.nicknames import load_nicknames
from voting.terms import MatchState

MOST_AGREED, NEWEST = 30, 20


@dataclass(frozen=True, slots=True)
class TeamAccess:
    """Who may read a team's room: its seated voters, while the discussion `is_on`.

    `only_team` is the team with phones if the other one has none, or 0.
    """

    event_id: int
    team: int
    is_on: bool
    restrictions: Restrictions
    only_team: int

    def may_enter(self, seat: Seat) -> bool:
        restriction = self.restrictions.get(derive_voter_code(seat.voter), NO_RESTRICTION)
        team = self.only_team or restriction.team or seat.team
        is_member = seat.event_id == self.event_id and team == self.team
        return self.is_on and is_member and not restriction.banned


@dataclass(frozen=True, slots=True)
class Discussion:
    """An event's discussion, loaded once for several voters. `turn` is open, paused or next."""

    event: Event
    turn: Turn | None
    teams: tuple[TeamAccess, TeamAccess]

    def team_of(self, seat: Seat) -> int | None:
        return next((access.team for access in self.teams if access.may_enter(seat)), None)


def load_discussion(event: Event) -> Discussion:
    """Load who may write and read now: nobody while sides are secret."""
    match = event.matches.order_by("-number").select_related("red", "yellow").first()
    only_team = find_phone_team(event.teams.all(), 0)
    is_on = event.team_discussion and not (match and match.is_secret)
    restrictions = load_restrictions([event.pk])[event.pk]
    one, two = (TeamAccess(event.pk, team, is_on, restrictions, only_team) for team in (1, 2))
    is_live = match is not None and match.state == MatchState.PLAYING
    return Discussion(event, live_turn(match) if match and is_live else None, (one, two))


def find_team_room(event: Event, team: int) -> ChatRoom:
    """Return the team's room. Creates it on first use."""
    room, _ = ChatRoom.objects.get_or_create(event=event, team=team, kind=RoomKind.TEAM)
    return room


def load_suggestions(room: ChatRoom, turn: Turn) -> QuerySet[Suggestion]:
    return room.suggestions.filter(turn=turn, removed=False)


def list_suggestions(room: ChatRoom, discussion: Discussion) -> protocol.DiscussionUpdated:
    turn = discussion.turn
    if turn is None:
        return protocol.DiscussionUpdated(seq=room.seq, turn=0, total=0, suggestions=())
    shown = load_suggestions(room, turn)
    listed = chain(shown.order_by("-agreed", "pk")[:MOST_AGREED], shown.order_by("-pk")[:NEWEST])
    ranked = {one.pk: one for one in listed}
    names = load_nicknames(discussion.event)
    suggestions = tuple(
        protocol.Suggestion(
            id=one.pk, name=names.get(one.voter_code, ""), text=one.text, choice=one.choice, agreed=one.agreed
        )
        for one in sorted(ranked.values(), key=lambda one: (-one.agreed, one.pk))
    )
    return protocol.DiscussionUpdated(
        seq=room.seq, turn=turn.pk, total=shown.count(), suggestions=suggestions
    )
