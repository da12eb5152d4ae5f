"""Pages of one message: block its author, report it, moderate it. The moderators' list of reports."""

from collections.abc import Callable
from typing import Any, cast

from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from crowdgame.accounts.guest_cookie import current_guest
from crowdgame.play.chat import moderation
from crowdgame.play.chat.chat_room_view import ROOM_TITLES
from crowdgame.play.chat.models import ChatLine, RoomKind
from crowdgame.play.chat.moderation import configure_room, is_moderator, reported_messages
from crowdgame.play.chat.posting import REPORT_REASONS, active_mute, block, report
from crowdgame.play.chat.rooms import ChatError, room_slug
from crowdgame.play.chat.views import require_entered_room, return_url, show_room

MUTE_DURATION_LABELS = {"hour": _("For an hour"), "day": _("For a day"), "ever": _("Permanently")}
REPORTS_PER_PAGE = 50


@require_POST
def change_room_settings(request: HttpRequest, slug: str) -> HttpResponse:
    room, by = require_entered_room(request, slug), _moderator(request)
    try:
        configure_room(room, by, int(request.POST.get("slow_s", "")), closed="closed" in request.POST)
    except (ChatError, ValueError):
        return show_room(request, room, gettext("Choose one of the intervals."), 400)
    return redirect(return_url(room))


@require_safe
def line(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show a message with the actions that the viewer may take."""
    return _message_page(request, _require_message(request, slug, number))


def _message_page(request: HttpRequest, line: ChatLine, problem: str = "", status: int = 200) -> HttpResponse:
    guest = current_guest(request)
    context: dict[str, Any] = {
        "line": line,
        "guest": guest,
        "slug": room_slug(line.room),
        "own": guest == line.guest,
        "blocked": guest is not None and guest.blocks.filter(blocked=line.guest).exists(),
        "reasons": REPORT_REASONS,
        "problem": problem,
        "back": return_url(line.room),
    }
    if is_moderator(request.user):
        given_reasons = [REPORT_REASONS[one.reason] for one in line.reports.all()]
        context |= {
            "is_moderator": True,
            "given_reasons": given_reasons,
            "mute": active_mute(line.guest),
            "how_long": MUTE_DURATION_LABELS,
        }
    return render(request, "chat/message_page.html", context, status=status)


@require_POST
def action(request: HttpRequest, slug: str, number: int, action: str) -> HttpResponse:
    line = _require_message(request, slug, number)
    if action not in ACTIONS:
        raise Http404
    try:
        ACTIONS[action](request, line)
    except ChatError as refusal:
        return _message_page(request, line, str(refusal), 400)
    if action == "report":
        context = {"guest": current_guest(request), "back": return_url(line.room)}
        return render(request, "chat/reported.html", context)
    return redirect("chat_reports" if "list" in request.POST else return_url(line.room))


def _block(request: HttpRequest, line: ChatLine) -> None:
    guest = current_guest(request)
    if guest is None:
        raise ChatError(gettext("Post a message or start a game first. Then you can mute others."))
    block(guest, line.guest)


ACTIONS: dict[str, Callable[[HttpRequest, ChatLine], None]] = {
    "block": _block,
    "report": lambda request, line: report(line, current_guest(request), request.POST.get("reason", "")),
    "mute": lambda request, line: moderation.mute(line, _moderator(request), request.POST.get("for", "")),
    "remove": lambda request, line: moderation.remove_message(line, _moderator(request)),
    "settle": lambda request, line: moderation.dismiss_reports(line, _moderator(request)),
    "unmute": lambda request, line: moderation.unmute(line, _moderator(request)),
}


@require_safe
def reports(request: HttpRequest) -> HttpResponse:
    """List messages with open reports. For moderators only."""
    if not request.user.is_authenticated:
        return redirect_to_login(request.get_full_path())
    _moderator(request)
    page = Paginator(reported_messages(), REPORTS_PER_PAGE).get_page(request.GET.get("page"))
    lines = [
        (line, room_slug(line.room), ROOM_TITLES[RoomKind(line.room.kind)], _given_reasons(line))
        for line in page
    ]
    return render(
        request, "chat/reports.html", {"lines": lines, "page": page, "guest": current_guest(request)}
    )


def _given_reasons(line: ChatLine) -> list[str]:
    return sorted({str(REPORT_REASONS[report.reason]) for report in line.reports.all()})


def _moderator(request: HttpRequest) -> User:
    if not is_moderator(request.user):
        raise Http404
    return cast(User, request.user)


def _require_message(request: HttpRequest, slug: str, number: int) -> ChatLine:
    """Return the message. Raises Http404 if there is none; removed ones are for moderators only."""
    seen = {} if is_moderator(request.user) else {"removed": False}
    lines = ChatLine.objects.select_related("guest", "room__duel__event")
    return get_object_or_404(lines, pk=number, room=require_entered_room(request, slug), **seen)
