"""Organizer permission checks of console pages: the events an organizer may open or owns."""

from collections.abc import Callable
from functools import wraps
from typing import Any, cast

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_http_methods

from crowdgame.accounts.backend import guest_of
from crowdgame.events.models import Member, SharedEvent
from crowdgame.events.permissions import role_at_event
from voting.models import Event
from voting.protocol import Role


def visible_events(user: User) -> QuerySet[Event]:
    """Return `own_events`. A superuser sees all events."""
    return Event.objects.all() if user.is_superuser else own_events(user)


def own_events(user: User) -> QuerySet[Event]:
    """Return the events that the user owns, or is a member of, also through an organization."""
    member = Member.objects.filter(event=OuterRef("pk"), user=user)
    shared = SharedEvent.objects.filter(event=OuterRef("pk"), organization__members__user=user)
    return Event.objects.filter(Q(owner=user) | Exists(member) | Exists(shared))


def organizer_page(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Decorate a page that creates something. Accounts of guests are sent to their list of events."""

    @login_required
    @wraps(view)
    def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if guest_of(cast(User, request.user)):
            return redirect("console:events")
        return view(request, *args, **kwargs)

    return page


def owner_page(*methods: str) -> Callable[[Callable[[HttpRequest, Event], HttpResponse]], Any]:
    """Decorate a page of the event's owner, which receives the event with the code in its URL.

    Raises Http404 if the event doesn't exist or the user isn't its owner.
    """

    def decorate(view: Callable[[HttpRequest, Event], HttpResponse]) -> Any:
        @login_required
        @require_http_methods(methods)
        @wraps(view)
        def page(request: HttpRequest, code: str) -> HttpResponse:
            event = require_accessible_event(request, code)
            if role_at_event(cast(User, request.user), event.pk) != Role.OWNER:
                raise Http404
            return view(request, event)

        return page

    return decorate


def require_accessible_event(request: HttpRequest, code: str) -> Event:
    """Return the event with this code if the user has any role in it. Raises Http404 otherwise."""
    return get_object_or_404(visible_events(cast(User, request.user)), code=code.upper())
