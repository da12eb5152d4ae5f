"""Where guests talk: a room, what was said in it, the form to say something, and whom one does not read."""

from dataclasses import replace

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from crowdgame.accounts.guest_cookie import guest_of, known
from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.chat.models import ChatRoom, RoomKind
from crowdgame.chat.moderation import moderates
from crowdgame.chat.posting import Speaker, say, unblock
from crowdgame.chat.rooms import ChatError, find_room, id_of, place_of_room, room_access
from crowdgame.chat.talk import talk_in

JSON = "application/json"


@require_safe
def room(request: HttpRequest, place: str) -> HttpResponse:
    """A room alone, with what was said earlier."""
    return show_room(request, entered(request, place))


def show_room(request: HttpRequest, room: ChatRoom, problem: str = "", status: int = 200) -> HttpResponse:
    before = request.GET.get("before", "")
    early = int(before) if _is_number(before) else None
    talk = talk_in(request, room, guest_of(request), early)
    talk = replace(talk, problem=problem, refused=request.POST.get("text", ""))
    context = {"talk": talk, "guest": talk.guest, "early": early, "back": way_back(room)}
    return render(request, "chat/room.html", context, status=status)


@require_POST
def say_in(request: HttpRequest, place: str) -> HttpResponse:
    """A page that listens is answered in JSON and goes on listening."""
    room = entered(request, place)
    listens = request.headers.get("Accept") == JSON
    try:
        line = say(room, Speaker(guest_of(request), new_guest), request.POST.get("text", ""))
    except ChatError as refusal:
        if listens:
            return JsonResponse({"problem": str(refusal)}, status=409)
        return show_room(request, room, str(refusal), 409)
    said = JsonResponse({"me": line.guest.number}) if listens else redirect(way_back(room))
    return known(said, line.guest)


@require_POST
def unblock_guest(request: HttpRequest) -> HttpResponse:
    """Somebody who was muted."""
    guest, number = guest_of(request), request.POST.get("number", "")
    if guest is None or not _is_number(number):
        raise Http404
    unblock(guest, int(number))
    room = find_room(request.POST.get("place", ""))
    return redirect(way_back(room) if room else "play")


def _is_number(typed: str) -> bool:
    return typed.isdecimal() and len(typed) < len(str(2**53))


def entered(request: HttpRequest, place: str) -> ChatRoom:
    """A room that whoever asks may enter now; others hear of none."""
    room, guest = find_room(place), guest_of(request)
    if room is None or not (_may_enter(room, guest) or moderates(request.user)):
        raise Http404
    return room


def _may_enter(room: ChatRoom, guest: Guest | None) -> bool:
    return room_access(room.duel, room.kind).may_enter(id_of(guest))


def way_back(room: ChatRoom) -> str:
    place = place_of_room(room)
    return f"/play/{'' if room.kind == RoomKind.LOBBY or room.duel is None else room.duel.event.code}#{place}"
