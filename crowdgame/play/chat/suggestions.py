"""Write, support, report and remove suggestions of a team, for many voters in one transaction."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from crowdgame.play.chat.limits import normalize_text
from crowdgame.play.chat.models import SUGGESTION_LENGTH, ChatRoom, Mark, MarkKind, Suggestion
from crowdgame.play.chat.posting import clean_message
from crowdgame.play.chat.rooms import ChatError, next_seq
from crowdgame.play.chat.team_rooms import Discussion, find_team_room, load_discussion, load_suggestions
from games.engine.game import Side
from voting.admission.seats import Seat
from voting.counting.voter_codes import derive_voter_code
from voting.models import Event, StoredRestriction, Turn, TurnState
from voting.positions import load_position
from voting.protocol import SuggestionAnswered, SuggestionMark, SuggestionSend

INTERVAL = timedelta(seconds=10)
MAX_PER_TURN = 3
MAX_PER_ROOM, ROOM_WINDOW = 300, timedelta(minutes=1)
LINK = re.compile(r"://|www\.|\w\.(com|org|net|info|io|gg|tv|me|ly|app|de|fr|es|it|ru|cn)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class VoterAsk:
    """What a seated voter wants. `message` is None after the join."""

    seat: Seat
    message: SuggestionSend | SuggestionMark | None = None

    @property
    def voter_code(self) -> str:
        return derive_voter_code(self.seat.voter)


@dataclass(frozen=True, slots=True)
class VoterAnswer:
    """The answer to a voter who may read `room`. A voter who may not read any gets none."""

    room: ChatRoom
    message: SuggestionAnswered


@dataclass(frozen=True, slots=True)
class _TeamRoom:
    """A team's room during a transaction. `legal` are the team's columns."""

    room: ChatRoom
    turn: Turn | None
    legal: tuple[int, ...]


@transaction.atomic
def answer_voters(asks: Sequence[VoterAsk], now: int) -> list[VoterAnswer | None]:
    """Do what each voter asks, in order. `now` is ballot box time in milliseconds."""
    events = Event.objects.in_bulk([ask.seat.event_id for ask in asks])
    if any(ask.message for ask in asks):  # in one order, so that two gateways cannot deadlock
        list(ChatRoom.objects.select_for_update(no_key=True).filter(event__in=events).order_by("pk"))
    discussions = {pk: load_discussion(event) for pk, event in events.items()}
    rooms: dict[tuple[int, int], _TeamRoom] = {}
    answers: list[VoterAnswer | None] = []
    for ask in asks:
        discussion = discussions.get(ask.seat.event_id)
        team = discussion.team_of(ask.seat) if discussion else None
        if discussion is None or team is None:
            answers.append(None)
            continue
        key = (ask.seat.event_id, team)
        team_room = rooms.get(key) or rooms.setdefault(key, _open_room(discussion, team))
        problem = _handle(team_room, ask, now)
        marks = Mark.objects.filter(voter_code=ask.voter_code, kind=MarkKind.AGREE)
        agreed = marks.filter(suggestion__room=team_room.room, suggestion__turn=team_room.turn)
        own = tuple(agreed.values_list("suggestion", flat=True))
        answers.append(VoterAnswer(team_room.room, SuggestionAnswered(own, problem)))
    return answers


def _open_room(discussion: Discussion, team: int) -> _TeamRoom:
    room, turn = find_team_room(discussion.event, team), discussion.turn
    if turn is None:
        return _TeamRoom(room, None, ())
    position = load_position(turn.match)
    side: Side = "red" if turn.match.red.number == team else "yellow"
    return _TeamRoom(room, turn, tuple(position.game.legal_actions(position.state, side)))


def _handle(team_room: _TeamRoom, ask: VoterAsk, now: int) -> str:
    """Return why the suggestion is refused, or an empty string."""
    asked = ask.message
    if isinstance(asked, SuggestionMark) and team_room.turn:
        _mark(team_room.room, team_room.turn, ask.voter_code, asked)
    if not isinstance(asked, SuggestionSend):
        return ""
    with override(asked.language if asked.language in dict(settings.LANGUAGES) else None):
        try:
            _send(team_room, ask.voter_code, asked, now)
        except ChatError as refusal:
            return str(refusal)
    return ""


def _send(team_room: _TeamRoom, voter_code: str, asked: SuggestionSend, now: int) -> None:
    text, room, turn = clean_message(asked.text, SUGGESTION_LENGTH), team_room.room, team_room.turn
    if LINK.search(text):
        raise ChatError(_("Suggestions cannot contain links."))
    if turn is None or (turn.state == TurnState.OPEN and now >= turn.closes_at):
        raise ChatError(_("No vote is open or about to open."))
    if asked.choice is not None and asked.choice not in team_room.legal:
        raise ChatError(_("This column cannot be chosen now."))
    next_seq(room)
    _check_limits(room, turn, voter_code, text)
    room.suggestions.create(
        turn=turn, voter_code=voter_code, text=text, choice=asked.choice, at=timezone.now()
    )


def _check_limits(room: ChatRoom, turn: Turn, voter_code: str, text: str) -> None:
    """Raise ChatError if the voter is muted or wrote too much. Call it while the room is locked."""
    if StoredRestriction.objects.filter(event=room.event, voter_code=voter_code, muted=True).exists():
        raise ChatError(_("An organizer has muted you."))
    now = timezone.now()
    own = list(room.suggestions.filter(turn=turn, voter_code=voter_code))
    if any(normalize_text(one.text) == normalize_text(text) for one in own):
        raise ChatError(_("You just posted that message."))
    if len(own) >= MAX_PER_TURN:
        raise ChatError(_("You can write %(count)s suggestions per turn.") % {"count": MAX_PER_TURN})
    if any(now - one.at < INTERVAL for one in own):
        text = _("Wait %(seconds)s seconds between two suggestions.")
        raise ChatError(text % {"seconds": INTERVAL.seconds})
    if room.suggestions.filter(at__gt=now - ROOM_WINDOW).count() >= MAX_PER_ROOM:
        raise ChatError(_("Too many messages in this room. Try again in a minute."))


def _mark(room: ChatRoom, turn: Turn, voter_code: str, asked: SuggestionMark) -> None:
    """Mark a suggestion of the voter's own team and of this turn; ignore any other."""
    if not load_suggestions(room, turn).filter(pk=asked.id).exists():
        return
    mark = Mark(suggestion_id=asked.id, voter_code=voter_code, kind=asked.mark)
    marked = Mark.objects.filter(suggestion=asked.id, voter_code=voter_code)
    before = set(marked.values_list("kind", flat=True))
    if asked.mark == "withdraw":
        marked.filter(kind=MarkKind.AGREE).delete()
    else:
        Mark.objects.bulk_create([mark], ignore_conflicts=True)
    if before == set(marked.values_list("kind", flat=True)):
        return
    next_seq(room)
    agreed = Mark.objects.filter(suggestion=asked.id, kind=MarkKind.AGREE).count()
    Suggestion.objects.filter(pk=asked.id).update(agreed=agreed)


@transaction.atomic
def remove_suggestion(suggestion: Suggestion) -> bool:
    """Hide the suggestion from the team and return whether it was visible."""
    next_seq(suggestion.room)
    return bool(Suggestion.objects.filter(pk=suggestion.pk, removed=False).update(removed=True))
