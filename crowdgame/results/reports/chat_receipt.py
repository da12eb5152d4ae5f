"""`/chat/CODE`: a chatter enters a login and sees whether the last revealed turn counted its vote.

The votes are public in the chat, so a login is enough. It is stored nowhere.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from time import time

import msgspec
from csp.constants import SELF
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from crowdgame.server.web.content_policy import strict_policy
from voting.ballot_box.opened_ballots import OpenedBallots, load_opened_ballots
from voting.models import Event, Turn, TurnState
from voting.sources.chat_casting import derive_chat_seat

KEPT_S = 30
POLICY = strict_policy({"style-src": [SELF], "img-src": ["data:"], "form-action": [SELF]})


@dataclass(frozen=True, slots=True)
class ChatReceipt:
    """What a turn knows of a chatter. `column` is None without a counted vote. `proof` is as for phones."""

    turn: int
    column: int | None = None
    team: str = ""
    proof: str = ""


@lru_cache(maxsize=4)
def _load_opened(event_id: int, turn_id: int, _period: int) -> OpenedBallots | None:
    """Cached for a short time: the trees of a large turn take a second, and many chatters ask at once."""
    return load_opened_ballots(event_id, turn_id)


@require_safe
def chat_receipt(request: HttpRequest, code: str) -> HttpResponse:
    event = get_object_or_404(Event, code=code)
    if not any(team.is_public for team in event.teams.all()):
        raise Http404
    login = request.GET.get("login", "").strip().removeprefix("@").lower()
    resolved = Turn.objects.filter(match__event=event, state=TurnState.RESOLVED)
    turn = resolved.select_related("match__red", "match__yellow").order_by("-pk").first()
    receipt = find_receipt(turn, login) if login and turn else None
    context = {"event": event, "login": login, "turn": turn, "receipt": receipt}
    answer = render(request, "reports/chat_receipt.html", context)
    answer.headers["Content-Security-Policy"] = POLICY
    answer.headers["Cache-Control"] = "no-store"
    return answer


def find_receipt(turn: Turn, login: str) -> ChatReceipt:
    """Return what the resolved turn knows of a chatter."""
    event_id = turn.match.event_id
    opened = _load_opened(event_id, turn.pk, int(time() // KEPT_S))
    voter = derive_chat_seat(event_id, login)
    place = opened.places.get(voter) if opened else None
    if opened is None or place is None:
        return ChatReceipt(turn.number)
    team = turn.match.red if place.side == "red" else turn.match.yellow
    proof = json.dumps(msgspec.to_builtins(opened.receipt(voter, team.number)), indent=1)
    return ChatReceipt(turn.number, place.choice, team.name, proof)
