"""Which events an organizer may open, and which are theirs."""

from typing import cast

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404

from crowdgame.events.models import Member
from crowdgame.events.rights import role_at_event
from games.models import Event


def visible_events(user: User) -> QuerySet[Event]:
    """What this organizer may enter: their own and where they are a member, a superuser everyone's."""
    if user.is_superuser:
        return Event.objects.all()
    member = Member.objects.filter(event=OuterRef("pk"), user=user)
    return Event.objects.filter(Q(owner=user) | Q(Exists(member)))


def require_own_event(request: HttpRequest, code: str) -> Event:
    """Raises Http404 also if it is somebody else's."""
    event = require_accessible_event(request, code)
    if role_at_event(cast(User, request.user), event.pk) != "owner":
        raise Http404
    return event


def require_accessible_event(request: HttpRequest, code: str) -> Event:
    """One whose control room they may enter, as whatever. Raises Http404 if there is none."""
    return get_object_or_404(visible_events(cast(User, request.user)), code=code.upper())
