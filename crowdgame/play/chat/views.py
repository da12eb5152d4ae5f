"""Chat pages: a room, its earlier messages, the form to post, and unblocking a guest."""

from dataclasses import replace

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from crowdgame.accounts.guest_cookie import current_guest, set_guest_cookie
from crowdgame.accounts.guest_names import new_guest
from crowdgame.play.chat.chat_room_view import load_visitor, view_room
from crowdgame.play.chat.models import ChatRoom, RoomKind
from crowdgame.play.chat.moderation import is_moderator
from crowdgame.play.chat.posting import MessageAuthor, post_message, unblock
from crowdgame.play.chat.rooms import ChatError, find_room, guest_pk, room_access, room_slug

JSON = "application/json"


@require_safe
def room(request: HttpRequest, slug: str) -> HttpResponse:
    """Show one room on a page of its own, with earlier messages."""
    return show_room(request, require_entered_room(request, slug))


def show_room(request: HttpRequest, room: ChatRoom, problem: str = "", status: int = 200) -> HttpResponse:
    before = request.GET.get("before", "")
    early = int(before) if _is_number(before) else None
    visitor = load_visitor(request, current_guest(request))
    talk = view_room(visitor, room, room_access(room.duel, room.kind).over, early)
    talk = replace(talk, problem=problem, refused=request.POST.get("text", ""))
    context = {"talk": talk, "guest": visitor.guest, "early": early, "back": return_url(room)}
    return render(request, "chat/room.html", context, status=status)


@require_POST
def post_in_room(request: HttpRequest, slug: str) -> HttpResponse:
    """Post a message. Answers with JSON to the page's script, else with a redirect."""
    room = require_entered_room(request, slug)
    listens = request.headers.get("Accept") == JSON
    try:
        line = post_message(
            room, MessageAuthor(current_guest(request), new_guest), request.POST.get("text", "")
        )
    except ChatError as refusal:
        if listens:
            return JsonResponse({"problem": str(refusal)}, status=409)
        return show_room(request, room, str(refusal), 409)
    said = JsonResponse({"me": line.guest.number}) if listens else redirect(return_url(room))
    return set_guest_cookie(said, line.guest)


@require_POST
def unblock_guest(request: HttpRequest) -> HttpResponse:
    """Show the messages of a blocked guest again."""
    guest, number = current_guest(request), request.POST.get("number", "")
    if guest is None or not _is_number(number):
        raise Http404
    unblock(guest, int(number))
    room = find_room(request.POST.get("slug", ""))
    return redirect(return_url(room) if room else "play")


def _is_number(typed: str) -> bool:
    return typed.isdecimal() and len(typed) < len(str(2**53))


def require_entered_room(request: HttpRequest, slug: str) -> ChatRoom:
    """Return a room that the requester may read. Raises Http404 for a room they may not read, too."""
    room = find_room(slug)
    if room is None:
        raise Http404
    if not (room.kind == RoomKind.LOBBY or is_moderator(request.user)):
        access = room_access(room.duel, room.kind)
        if not access.may_enter(guest_pk(current_guest(request))):
            raise Http404
    return room


def return_url(room: ChatRoom) -> str:
    slug = room_slug(room)
    return f"/play/{'' if room.kind == RoomKind.LOBBY or room.duel is None else room.duel.event.code}#{slug}"
