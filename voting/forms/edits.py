"""After an organizer saved an event: every screen hears of it."""

from contextlib import closing

from django.contrib import messages
from django.http import HttpRequest
from redis import RedisError

from games.models import Event
from voting.box.ballot_box import BallotBox
from voting.organizing.control import edit_event


def tell_screens(request: HttpRequest, event: Event) -> bool:
    """Whether they heard. If the ballot box is away, the organizer is told that they hear of it later."""
    try:
        with closing(BallotBox()) as box:
            edit_event(event.pk, box)
    except (RedisError, OSError):
        text = "Saved. The screens cannot be told now; they hear of it with the next change."
        messages.warning(request, text)
        return False
    return True
