"""Another match of the same two: it begins when both have asked for it."""

from crowdgame.duels.duels import HallError
from games.matches import changing_event
from games.models import Duel, Event, Match, MatchState
from voting import protocol
from voting.announcements.outbox import announce, relay
from voting.ballot_box.ballot_box import BallotBox
from voting.turns.turns import start_due_match


def ask_again(event_id: int, team: int, box: BallotBox) -> None:
    """Whoever asks twice has asked once. Raises HallError.

    The match is planned in the transaction of the second who asks: if that one dies, the clock starts it.
    """
    now = box.now()
    with changing_event(event_id) as event:
        duel = _over(event)
        if duel.again == team:
            return
        both = duel.again not in {None, team}
        Duel.objects.filter(pk=duel.pk).update(again=None if both else team)
        if both:
            Event.objects.filter(pk=event_id).update(next_match_at=now)
        announce(event_id, protocol.EventEdited, now)
    relay(event_id)
    if both:
        start_due_match(event_id, box)


def _over(event: Event) -> Duel:
    duel = Duel.objects.filter(event=event).first()
    last = Match.objects.filter(event=event).order_by("-number").first()
    if duel is None or duel.crowd or last is None:
        raise HallError("There is nothing to be played again.")
    if last.state == MatchState.PLAYING or event.next_match_at is not None:
        raise HallError("The next match is on already.")
    return duel
