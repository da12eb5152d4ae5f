"""Rematch of a duel: the next match starts when both players have asked for it, on the page or by phone.

Registers a gateway hook for requests over a phone's socket, and what snapshots say of a duel.
"""

from contextlib import suppress
from functools import cache

from django.utils.translation import gettext as _

from crowdgame.play.duels.duels import PlayError, name_seats
from crowdgame.play.duels.models import Duel
from voting import protocol
from voting.announcements.outbox import announce, relay
from voting.announcements.snapshots import PlayersState, provide_players
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.stores import STORE_ERRORS
from voting.gateway import hooks
from voting.gateway.threads import in_database
from voting.matches import MatchError, locked_event
from voting.models import Event, Match
from voting.terms import MatchState
from voting.turns.turns import start_due_match

ballot_box = cache(BallotBox)


def request_rematch(event_id: int, team: int, box: BallotBox) -> None:
    """Record that `team` wants a rematch, and start the match if the other team wants one, too. Idempotent.

    The computer always wants one.

    The second request schedules the match in its transaction. If that process dies, the deadline scheduler
    starts the match.

    Raises PlayError if there is nothing to repeat, or if the next match is playing or scheduled. Raises
    RedisError without the ballot box.
    """
    now = box.now()
    with locked_event(event_id) as event:
        duel = _check_over(event)
        if duel.rematch_wanted_by == team:
            return
        both = duel.rematch_wanted_by is not None or duel.bot is not None
        Duel.objects.filter(pk=duel.pk).update(rematch_wanted_by=None if both else team)
        if both:
            name_seats(duel, next_match_at=now)
        announce(event_id, protocol.EventEdited, now)
    relay(event_id)
    if both:
        start_due_match(event_id, box)


def _check_over(event: Event) -> Duel:
    duel = Duel.objects.filter(event=event).first()
    last = Match.objects.filter(event=event).order_by("-number").first()
    if duel is None or duel.crowd or last is None:
        raise PlayError(_("This game has no rematch."))
    if last.state == MatchState.PLAYING or event.next_match_at is not None:
        raise PlayError(_("The next match has already started."))
    return duel


def load_players_state(event: Event, match: Match | None) -> PlayersState:
    """Return what is announced of a duel. `rematch_wanted_by` is 0 if neither team has asked."""
    duel = Duel.objects.filter(event=event).first()
    if duel is None:
        return PlayersState()
    is_over = match is not None and match.state != MatchState.PLAYING and event.next_match_at is None
    return PlayersState(duel.casual, (duel.rematch_wanted_by or 0) if is_over and not duel.crowd else None)


async def handle_rematch_ask(event_id: int, team: int) -> None:
    """Request a rematch. Ignores refusals and outages: the phone then sees that nothing changed."""
    with suppress(MatchError, *STORE_ERRORS):
        await in_database(lambda: request_rematch(event_id, team, ballot_box()))()


hooks.rematch_requests.append(handle_rematch_ask)
provide_players(load_players_state)
