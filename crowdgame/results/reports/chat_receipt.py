"""`/chat/CODE`: a chatter sees whether a revealed turn counted the vote.

Votes in a stream's chat are public, so a login is enough. It is stored nowhere. Votes by button are secret:
they need the receipt code, which is the turn's id and the ballot's blinding factor.
"""

import json
import re
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
from voting.counting.methods.voting_method import find_method
from voting.models import Event, Turn, TurnState
from voting.sources.chat_casting import derive_chat_seat
from voting.terms import CHATS

KEPT_S = 30
RECEIPT_CODE = re.compile("([0-9]{1,18})-([0-9a-f]{32})")
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
    chats = [team for team in event.teams.all() if team.source.startswith(CHATS)]
    if not chats:
        raise Http404
    login = request.GET.get("login", "").strip().removeprefix("@").lower()
    receipt_code = request.GET.get("receipt", "").strip()
    resolved = Turn.objects.filter(match__event=event, state=TurnState.RESOLVED)
    turns = resolved.select_related("match__red", "match__yellow").order_by("-pk")
    if receipt_code:
        turn_id, blind = _parse(receipt_code)
        turn = turns.filter(pk=turn_id).first()
        receipt = find_receipt(turn, blind=blind) if turn else None
    else:
        turn = turns.first()
        receipt = find_receipt(turn, login) if login and turn else None
    context = {
        "event": event,
        "has_logins": any(team.is_public for team in chats),
        "login": login,
        "receipt_code": receipt_code,
        "turn": turn,
        "receipt": receipt,
    }
    answer = render(request, "reports/chat_receipt.html", context)
    answer.headers["Content-Security-Policy"] = POLICY
    answer.headers["Cache-Control"] = "no-store"
    return answer


def _parse(receipt_code: str) -> tuple[int, str]:
    """Return the id of the turn and the ballot's blinding factor; of no turn if the code is malformed."""
    found = RECEIPT_CODE.fullmatch(receipt_code)
    return (int(found[1]), found[2]) if found else (0, "")


def find_receipt(turn: Turn, login: str = "", blind: str = "") -> ChatReceipt:
    """Return what the resolved turn knows of a chatter, or else of the ballot with this blinding factor."""
    event_id = turn.match.event_id
    opened = _load_opened(event_id, turn.pk, int(time() // KEPT_S))
    if opened is None:
        return ChatReceipt(turn.number)
    voter = derive_chat_seat(event_id, login) if login else opened.find_blind(blind)
    place = opened.find(voter)
    if place is None:
        return ChatReceipt(turn.number)
    team = turn.match.red if place.side == "red" else turn.match.yellow
    proof = json.dumps(msgspec.to_builtins(opened.receipt(voter, team.number)), indent=1)
    column, *_ = find_method(turn.match.tally_method).decode(place.choice)
    return ChatReceipt(turn.number, column, team.name, proof)
