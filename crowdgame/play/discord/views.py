"""`/discord/CODE`: the interactions endpoint of the Discord applications with which teams of an event vote.

Only the voter sees the replies, and nothing in them depends on other votes.
"""

import re
from time import time
from typing import Any

import msgspec
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.translation import get_supported_language_variant, override
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from crowdgame.play.discord.interaction import EPHEMERAL, MESSAGE_COMPONENT, PING, Interaction, is_signed
from voting.ballot_box.box_types import CastResult
from voting.models import Team
from voting.sources.button_casting import OpenVote, load_open_vote, make_ballot
from voting.sources.casting import COUNTED, RETRIED, cast_ballots
from voting.terms import DISCORD
from voting.turns.tasks import ballot_box

PREFIX = f"{DISCORD}:"
PONG, NEW_MESSAGE, UNCHANGED, CHANGED_MESSAGE = 1, 4, 6, 7
ROW, BUTTON, BLUE, GRAY = 1, 2, 1, 2
ROW_LENGTH, MAX_ROWS = 5, 5
VOTE = "vote"  # the button that shows the open vote
COLUMN = re.compile(r"([0-9]{1,18})-([0-9]{1,3})")  # turn and column

_decode = msgspec.json.Decoder(Interaction).decode


@csrf_exempt
@require_POST
def interact(request: HttpRequest, code: str) -> HttpResponse:
    """Reply to a command or a button. The signature authenticates the application, and its key the team."""
    teams = Team.objects.select_related("event").filter(event__code=code, source__startswith=PREFIX)
    if not teams:
        raise Http404
    keys = {team.source.removeprefix(PREFIX): team for team in teams}
    now = round(time())
    signed = (team for key, team in keys.items() if is_signed(key, request.headers, request.body, now))
    team = next(signed, None)
    if team is None:
        return HttpResponse(status=401)
    try:
        interaction = _decode(request.body)
    except msgspec.MsgspecError:
        return HttpResponse(status=400)
    if interaction.type == PING:
        return JsonResponse({"type": PONG})
    if not interaction.user_id:
        return HttpResponse(status=400)
    with override(_language(interaction.locale, team.event.language)):
        return JsonResponse(_reply(request, team, interaction))


def _language(locale: str, default: str) -> str:
    try:
        return get_supported_language_variant(locale)
    except LookupError:
        return default


def _reply(request: HttpRequest, team: Team, interaction: Interaction) -> dict[str, Any]:
    vote = load_open_vote(team)
    pressed = COLUMN.fullmatch(interaction.data.custom_id)
    if interaction.type != MESSAGE_COMPONENT or not pressed:
        return _message(interaction, _prompt(vote), vote)
    turn, column = map(int, pressed.groups())
    if vote is None or vote.turn.pk != turn or column not in vote.legal:
        return _message(interaction, f"{_('This vote is over.')}\n{_prompt(vote)}", vote)
    return _cast(request, team, interaction, vote, column)


def _cast(
    request: HttpRequest, team: Team, interaction: Interaction, vote: OpenVote, column: int
) -> dict[str, Any]:
    ballot = make_ballot(vote, DISCORD, interaction.user_id, column, interaction.sent_at)
    if ballot is None:
        return _message(interaction, _("You have been banned from this event."))
    answer = cast_ballots(vote.turn, [ballot], ballot_box(), stored=True)[0]
    if answer in COUNTED:
        text = _receipt(request, team, column, f"{vote.turn.pk}-{ballot.blind}")
        return _message(interaction, text, vote, column)
    if answer == CastResult.LATE:
        return _message(interaction, _("This vote is over."))
    if answer in RETRIED:
        return _message(interaction, _("Your vote was not counted. Try again in a moment."), vote)
    return {"type": UNCHANGED}  # a later vote has overtaken this one


def _prompt(vote: OpenVote | None) -> str:
    if vote is None:
        return _("No vote is open. Press the button when the next turn begins.")
    text, at = _("Turn %(turn)s: the vote opens %(when)s."), vote.turn.opens_at
    if at <= time() * 1000:
        text = _("Turn %(turn)s: choose a column. Only you see this. The vote ends %(when)s.")
        at = vote.turn.closes_at
    # Discord shows this as a time from now, such as "in 20 seconds".
    return text % {"turn": vote.turn.number, "when": f"<t:{at // 1000}:R>"}


def _receipt(request: HttpRequest, team: Team, column: int, receipt: str) -> str:
    page = request.build_absolute_uri(reverse("chat_receipt", args=[team.event.code]))
    arrived = _("Column %(column)s: your vote has arrived. You can change it until the vote ends.")
    check = _("After the reveal, check your vote with the receipt code %(code)s: %(link)s")
    values = {"column": column, "code": f"`{receipt}`", "link": f"<{page}?receipt={receipt}>"}
    return f"{arrived}\n{check}" % values


def _message(
    interaction: Interaction, text: str, vote: OpenVote | None = None, chosen: int | None = None
) -> dict[str, Any]:
    """A message that only the voter sees. It replaces the one with the button, unless others see that."""
    columns = [_button(f"{vote.turn.pk}-{n}", str(n), n == chosen) for n in vote.legal] if vote else []
    rows = [columns[start : start + ROW_LENGTH] for start in range(0, len(columns), ROW_LENGTH)]
    rows.append([_button(VOTE, _("Current vote"), vote is None)])
    components = [{"type": ROW, "components": row} for row in rows[:MAX_ROWS]]
    return {
        "type": CHANGED_MESSAGE if interaction.from_ephemeral else NEW_MESSAGE,
        "data": {"content": text, "flags": EPHEMERAL, "components": components},
    }


def _button(custom_id: str, label: str, is_blue: bool) -> dict[str, Any]:
    return {"type": BUTTON, "style": BLUE if is_blue else GRAY, "label": label, "custom_id": custom_id}
