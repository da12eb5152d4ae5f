"""Write, support, report and remove suggestions of a team."""

import re
from datetime import timedelta
from typing import cast

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override

from crowdgame.play.chat.limits import normalize_text
from crowdgame.play.chat.models import SUGGESTION_LENGTH, ChatRoom, Mark, MarkKind, Suggestion
from crowdgame.play.chat.posting import clean_message
from crowdgame.play.chat.rooms import ChatError, next_seq
from crowdgame.play.chat.team_rooms import current_turn, find_team_room, load_suggestions
from games.engine.game import Side
from voting import protocol
from voting.admission.seats import Seat
from voting.counting.voter_codes import derive_voter_code
from voting.models import Event, StoredRestriction, Turn, TurnState
from voting.positions import load_position
from voting.protocol import SuggestionMark, SuggestionSend

INTERVAL = timedelta(seconds=10)
MAX_PER_TURN = 3
MAX_PER_ROOM, ROOM_WINDOW = 300, timedelta(minutes=1)
LINK = re.compile(r"://|www\.|\w\.(com|org|net|info|io|gg|tv|me|ly|app|de|fr|es|it|ru|cn)\b", re.IGNORECASE)


def answer_voter(
    seat: Seat, asked: SuggestionSend | SuggestionMark | None, now: int
) -> protocol.SuggestionAnswered | None:
    """Do what a voter asks and return what to answer; None if the voter may not read any room.

    `now` is ballot box time in milliseconds.
    """
    room = find_team_room(seat)
    if room is None:
        return None
    voter_code, problem, turn = derive_voter_code(seat.voter), "", current_turn(cast(Event, room.event))
    if isinstance(asked, SuggestionSend):
        with override(asked.language if asked.language in dict(settings.LANGUAGES) else None):
            try:
                _send(room, turn, voter_code, asked, now)
            except ChatError as refusal:
                problem = str(refusal)
    elif asked and turn:
        _mark(room, turn, voter_code, asked)
    agreed = Mark.objects.filter(suggestion__turn=turn, voter_code=voter_code, kind=MarkKind.AGREE)
    return protocol.SuggestionAnswered(tuple(agreed.values_list("suggestion", flat=True)), problem)


@transaction.atomic
def _send(room: ChatRoom, turn: Turn | None, voter_code: str, asked: SuggestionSend, now: int) -> None:
    text = clean_message(asked.text, SUGGESTION_LENGTH)
    if LINK.search(text):
        raise ChatError(_("Suggestions cannot contain links."))
    if turn is None or (turn.state == TurnState.OPEN and now >= turn.closes_at):
        raise ChatError(_("No vote is open or about to open."))
    next_seq(room)
    if asked.choice is not None and asked.choice not in _legal(room, turn):
        raise ChatError(_("This column cannot be chosen now."))
    _check_limits(room, turn, voter_code, text)
    room.suggestions.create(
        turn=turn, voter_code=voter_code, text=text, choice=asked.choice, at=timezone.now()
    )


def _legal(room: ChatRoom, turn: Turn) -> tuple[int, ...]:
    match = turn.match
    side: Side = "red" if match.red.number == room.team else "yellow"
    position = load_position(match)
    return position.game.legal_actions(position.state, side)


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


@transaction.atomic
def _mark(room: ChatRoom, turn: Turn, voter_code: str, asked: SuggestionMark) -> None:
    """Mark a suggestion of the voter's own team and of this turn; ignore any other."""
    suggestion = load_suggestions(room, turn).filter(pk=asked.id).first()
    if suggestion is None:
        return
    marks = suggestion.marks.filter(voter_code=voter_code, kind=MarkKind.AGREE)
    if asked.mark == "withdraw":
        marks.delete()
    else:
        suggestion.marks.get_or_create(voter_code=voter_code, kind=asked.mark)
    next_seq(room)
    suggestion.agreed = suggestion.marks.filter(kind=MarkKind.AGREE).count()
    suggestion.save(update_fields=["agreed"])


@transaction.atomic
def remove_suggestion(suggestion: Suggestion) -> bool:
    """Hide the suggestion from the team and return whether it was visible."""
    next_seq(suggestion.room)
    return bool(Suggestion.objects.filter(pk=suggestion.pk, removed=False).update(removed=True))
