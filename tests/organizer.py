"""Test operations in a stack's own database: `python -m tests.organizer` reads a JSON request per line.

It is a separate process with the stack's environment, so no test opens that database with its own ORM.
"""

import json
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from inspect import isfunction
from typing import Any

import django

django.setup()

from django.apps import apps  # noqa: E402
from django.conf import settings  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db import transaction  # noqa: E402
from django.db.models import F  # noqa: E402
from django.utils import timezone  # noqa: E402
from redis import Redis  # noqa: E402

from crowdgame.events import members  # noqa: E402
from crowdgame.events.models import Member  # noqa: E402
from crowdgame.organizer.console.actions.matches import abort_playing_match  # noqa: E402
from crowdgame.organizer.console.actions.turn_time import extend_turn  # noqa: E402
from crowdgame.organizer.console.control import run_action  # noqa: E402
from crowdgame.organizer.cups.cups import create_cup, start_pairing  # noqa: E402
from crowdgame.play.notifications.models import PushNotification  # noqa: E402
from crowdgame.play.notifications.vote_news import VoteNews  # noqa: E402
from tests import account_helpers, play_helpers  # noqa: E402
from tests.voting.match_helpers import RED_WINS, only_turn, open_now, organizer, play, set_window  # noqa: E402
from voting import models  # noqa: E402
from voting.admission.seats import Seat, sign_seat  # noqa: E402
from voting.announcements.outbox import announce_edit  # noqa: E402
from voting.ballot_box.ballot_box import BallotBox  # noqa: E402
from voting.ballot_box.box_types import turn_keys  # noqa: E402
from voting.events import create_event  # noqa: E402
from voting.matches import MatchError, live_turn  # noqa: E402
from voting.protocol import ActionAsk, Role, TurnMoved  # noqa: E402
from voting.terms import MatchState  # noqa: E402
from voting.transparency.accepted_witnesses import store_cosignatures  # noqa: E402
from voting.transparency.cosignatures import Cosigner  # noqa: E402
from voting.transparency.entries import decode_entry  # noqa: E402
from voting.transparency.log import append_entries, load_log  # noqa: E402
from voting.transparency.notes import COSIGNATURE_V1, SignedNote  # noqa: E402
from voting.turns.tasks import enqueue_close  # noqa: E402
from voting.turns.turns import change_turn, load_turn, start_match  # noqa: E402

NOT_OURS = b"\x93nothing of ours"
box = BallotBox()


def event(
    owner: str = "olga", name: str = "An evening", names: tuple[str, str] = ("Rooks", "Doves"), **choices: Any
) -> dict[str, Any]:
    made = create_event(organizer(owner), name, names, **choices)
    return {"id": made.pk, "code": made.code}


def set_source(event_id: int, team: int, source: str) -> None:
    models.Team.objects.filter(event=event_id, number=team).update(source=source)


def begin(event_id: int) -> None:
    _playing(event_id)


def _playing(event_id: int) -> models.Match:
    playing = models.Match.objects.filter(event_id=event_id, state="playing").first()
    return playing or start_match(event_id, box)


def play_to(event_id: int, picks: list[tuple[int, int]], voters: tuple[int, int] = (1, 1)) -> int:
    """Play these turns instantly and open the next; return its id, or 0 if the match is over."""
    match = _playing(event_id)
    play(match, box, picks, voters)
    if live_turn(match) is None:
        return 0
    turn = only_turn(match)
    open_now(turn, box)
    return turn.pk


def seat_token(event_id: int, voter: str, team: int) -> str:
    return sign_seat(Seat(event_id, voter, team))


def close_after(event_id: int, ms: int) -> int:
    turn = only_turn(_playing(event_id))
    set_window(turn, box, -1_000, ms)
    return turn.pk


def close_together(event_ids: list[int], ms: int) -> int:
    """Let the turns of these events end in `ms` milliseconds; return the deadline."""
    deadline = box.now() + ms
    for event_id in event_ids:
        turn = only_turn(_playing(event_id))
        change_turn(turn, TurnMoved, box, closes_at=deadline)
    return deadline


def share_deadline(event_ids: list[int], ms: int) -> None:
    """Let all open turns of these events whose window has begun end in `ms` milliseconds."""
    now = box.now()
    begun = models.Turn.objects.select_related("match").filter(opens_at__lt=now)
    for turn in begun.filter(match__event__in=event_ids, state="open"):
        with suppress(MatchError):  # it has been closed since it was loaded
            change_turn(turn, TurnMoved, box, closes_at=now + ms)


def announce_edits(event_ids: list[int]) -> float:
    """Announce an edit of each of these events, in order; return the time of the last (Unix ms)."""
    announced_at = 0.0
    for event_id in event_ids:
        announced_at = time.time() * 1000
        announce_edit(event_id, box.now())
    return announced_at


def call_worker(turn_id: int) -> None:
    enqueue_close(turn_id)


def make_pushes_due() -> None:
    PushNotification.objects.exclude(news=VoteNews.REMINDER).update(due_at=timezone.now())


def open_turn_now(event_id: int) -> None:
    open_now(only_turn(_playing(event_id)), box)


def act(event_id: int, action: str, **fields: Any) -> None:
    run_action(event_id, ActionAsk(id=1, action=action, **fields), box)


def void(event_id: int) -> None:
    act(event_id, "turn.void")


def age_matches(event_id: int, ms: int) -> None:
    models.Match.objects.filter(event_id=event_id, state=MatchState.ENDED).update(ended_at=F("ended_at") - ms)


def extend_overdue(event_ids: list[int], seconds: int) -> int:
    """Extend the turns of these events that are past their deadline; return how many."""
    due = models.Turn.objects.filter(match__event__in=event_ids, state="open", closes_at__lte=box.now())
    extended = 0
    for turn in map(load_turn, due.values_list("pk", flat=True)):
        with suppress(MatchError):
            if turn.state == models.TurnState.OPEN:  # extending the others takes a while
                extend_turn(turn, seconds, box)
                extended += 1
    return extended


def corrupt_ballot_list(turn_id: int) -> None:
    for record in models.TallyRecord.objects.filter(turn=turn_id):
        record.sealed = NOT_OURS + bytes(record.sealed)
        record.save(update_fields=["sealed"])


def repair_ballot_list(turn_id: int) -> None:
    for record in models.TallyRecord.objects.filter(turn=turn_id):
        record.sealed = bytes(record.sealed).removeprefix(NOT_OURS)
        record.save(update_fields=["sealed"])


def abort_all_matches() -> None:
    models.Event.objects.update(next_match_at=None)
    for event_id in models.Match.objects.filter(state=MatchState.PLAYING).values_list("event_id", flat=True):
        abort_playing_match(event_id, box)


def command(words: list[str]) -> None:
    """Run a manage.py command in this process; a new process takes seconds to start."""
    call_command(*words, stdout=sys.stderr)


def voters_in_box(event_id: int, turn_id: int) -> list[str]:
    with Redis.from_url(settings.BALLOT_BOX_URL) as redis:
        return [voter.decode() for voter in redis.hkeys(turn_keys(event_id, turn_id)[1])]


def member(event_id: int, name: str, role: str) -> None:
    Member.objects.update_or_create(event_id=event_id, user=organizer(name), defaults={"role": role})


def change_member(event_id: int, name: str, role: str) -> None:
    members.change_member(models.Event.objects.get(pk=event_id), _member(event_id, name).pk, Role(role))


def remove_member(event_id: int, name: str) -> None:
    members.remove_member(models.Event.objects.get(pk=event_id), _member(event_id, name).pk)


def demote_and_renew_display_key(event_id: int, name: str) -> None:
    """Demote a member, and renew the display key before a gateway can have checked the role."""
    change_member(event_id, name, Role.VIEWER)
    act(event_id, "display.renew")


def delete_member_row(event_id: int, name: str) -> None:
    """Remove a member; no gateway is notified."""
    _member(event_id, name).delete()


def _member(event_id: int, name: str) -> Member:
    return Member.objects.get(event=event_id, user__username=name)


def cup(event_id: int, teams: list[str], won: list[int], **choices: Any) -> str:
    """Create a cup of the event's owner; return its code.

    The first pairings are over, each won by team 1 or 2 as `won` says; the next one has begun.
    """
    made = create_cup(models.Event.objects.get(pk=event_id).owner, "Spring cup", teams, **choices)
    for number, place in enumerate(won, 1):
        picks = RED_WINS if place == 1 else [(yellow, red) for red, yellow in RED_WINS]
        play_to(start_pairing(made.pk, number).pk, picks)
    start_pairing(made.pk, len(won) + 1)
    return made.code


def restore_log() -> None:
    """Begin a new log, as after a restored backup."""
    models.LogHead.objects.update(key=b"")
    load_log()


@transaction.atomic
def rewrite_log() -> None:
    """A dishonest server shows another history, in which the first turn was planned twice."""
    contents = models.LogEntry.objects.order_by("pk").values_list("content", flat=True)
    entries = [decode_entry(content.encode()) for content in contents]
    models.LogEntry.objects.all().delete()
    models.LogTileHash.objects.all().delete()
    models.LogHead.objects.update(size=0, hashes=b"")
    append_entries([entries[0], *entries])


def cosign(names: list[str]) -> None:
    log = load_log()
    note = log.sign(log.checkpoint)
    for name in names:
        witness = Cosigner(name, COSIGNATURE_V1, b"w" * 32)
        models.LogWitness.objects.get_or_create(key=str(witness.verifier_key))
        signatures = note.signatures[0], witness.cosign(note.text, int(time.time()))
        store_cosignatures(str(SignedNote(note.text, signatures)).encode())


def contents() -> dict[str, str]:
    own = [model for model in apps.get_models() if model.__module__.startswith(("crowdgame.", "voting."))]
    recorded = {"most_voters", "most_ballots"}
    columns = {model: {field.attname for field in model._meta.concrete_fields} - recorded for model in own}
    return {
        model._meta.db_table: repr([*model._default_manager.order_by("pk").values_list(*sorted(names))])
        for model, names in columns.items()
    }


# All functions of these modules without an underscore.
OPERATIONS: dict[str, Callable[..., Any]] = {
    name: value
    for module in (account_helpers, play_helpers, sys.modules[__name__])
    for name, value in vars(module).items()
    if isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_")
}

if __name__ == "__main__":
    for line in sys.stdin:
        name, arguments = json.loads(line)
        print(json.dumps(OPERATIONS[name](**arguments)), flush=True)
