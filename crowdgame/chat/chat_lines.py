"""What can be done about a message: mute, report, and what moderators do."""

from collections.abc import Callable
from typing import Any, cast

from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from crowdgame.accounts.guest_cookie import guest_of
from crowdgame.chat import moderation as moderating
from crowdgame.chat.models import ChatLine
from crowdgame.chat.moderation import moderates, reported, rule_room
from crowdgame.chat.posting import REASONS, active_mute, block, report
from crowdgame.chat.rooms import ChatError, place_of_room
from crowdgame.chat.views import entered, show_room, way_back

HOW_LONG = {"hour": "For an hour", "day": "For a day", "ever": "For ever"}
MOST_REPORTS_SHOWN = 100


@require_POST
def rule(request: HttpRequest, place: str) -> HttpResponse:
    room, by = entered(request, place), _moderator(request)
    try:
        rule_room(room, by, int(request.POST.get("slow_s", "")), closed="closed" in request.POST)
    except (ChatError, ValueError):
        return show_room(request, room, "Choose one of the times.", 400)
    return redirect(way_back(room))


@require_safe
def line(request: HttpRequest, place: str, number: int) -> HttpResponse:
    """What can be done about a message."""
    return _line(request, _found(request, place, number))


def _line(request: HttpRequest, line: ChatLine, problem: str = "", status: int = 200) -> HttpResponse:
    guest = guest_of(request)
    context: dict[str, Any] = {
        "line": line,
        "guest": guest,
        "place": place_of_room(line.room),
        "own": guest == line.guest,
        "blocked": guest is not None and guest.blocks.filter(blocked=line.guest).exists(),
        "reasons": REASONS,
        "problem": problem,
        "back": way_back(line.room),
    }
    if moderates(request.user):
        given_reasons = [REASONS[one.reason] for one in line.reports.all()]
        context |= {
            "moderates": True,
            "given_reasons": given_reasons,
            "mute": active_mute(line.guest),
            "how_long": HOW_LONG,
        }
    return render(request, "chat/message_page.html", context, status=status)


@require_POST
def action(request: HttpRequest, place: str, number: int, action: str) -> HttpResponse:
    line = _found(request, place, number)
    if action not in ACTIONS:
        raise Http404
    try:
        ACTIONS[action](request, line)
    except ChatError as refusal:
        return _line(request, line, str(refusal), 400)
    if action == "report":
        return render(
            request, "chat/reported.html", {"guest": guest_of(request), "back": way_back(line.room)}
        )
    return redirect("chat_reports" if "list" in request.POST else way_back(line.room))


def _block(request: HttpRequest, line: ChatLine) -> None:
    guest = guest_of(request)
    if guest is None:
        raise ChatError("You get a name with your first message or game. Then you can block others.")
    block(guest, line.guest)


def _report(request: HttpRequest, line: ChatLine) -> None:
    report(line, guest_of(request), request.POST.get("reason", ""))


def _mute(request: HttpRequest, line: ChatLine) -> None:
    moderating.mute(line, _moderator(request), request.POST.get("for", ""))


ACTIONS: dict[str, Callable[[HttpRequest, ChatLine], None]] = {
    "block": _block,
    "report": _report,
    "mute": _mute,
    "remove": lambda request, line: moderating.remove(line, _moderator(request)),
    "settle": lambda request, line: moderating.settle(line, _moderator(request)),
    "unmute": lambda request, line: moderating.unmute(line, _moderator(request)),
}


@require_safe
def reports(request: HttpRequest) -> HttpResponse:
    """What moderators have to look at."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    _moderator(request)
    lines = [
        (line, place_of_room(line.room), sorted({REASONS[one.reason] for one in line.reports.all()}))
        for line in reported()[:MOST_REPORTS_SHOWN]
    ]
    return render(request, "chat/reports.html", {"lines": lines, "guest": guest_of(request)})


def _moderator(request: HttpRequest) -> User:
    if not moderates(request.user):
        raise Http404
    return cast(User, request.user)


def _found(request: HttpRequest, place: str, number: int) -> ChatLine:
    """Removed ones are for moderators only."""
    seen = {} if moderates(request.user) else {"removed": False}
    lines = ChatLine.objects.select_related("guest", "room__duel__event")
    return get_object_or_404(lines, pk=number, room=entered(request, place), **seen)
