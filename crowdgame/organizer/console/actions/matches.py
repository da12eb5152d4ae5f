"""Organizer actions on matches: start or abort one, and void its last turn."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from crowdgame.events.audit_text import LogText
from crowdgame.organizer.console.actions.registry import ActionResult, CurrentState, action, undone_by
from crowdgame.play.ratings.models import RatedMatch
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import MatchError
from voting.models import Turn
from voting.terms import MatchState
from voting.turns.turns import start_match
from voting.turns.voiding import stop_match, take_back_turn


@action("match.start", target="match", done="The match has started.")
@undone_by("match.abort", lambda start, now: _is_playing(start.match, now))
def start_next_match(event_id: int, box: BallotBox) -> ActionResult:
    """Start the next match."""
    number = start_match(event_id, box).number
    what = LogText(gettext_noop("%(by)s started match %(match)s"), {"match": number})
    return ActionResult(what, {"match": number}, undo={})


def _is_playing(number: int | None, now: CurrentState) -> bool:
    match = now.event.match
    return match is not None and match.state == "playing" and match.number == number


@action(
    "turn.void",
    target="turn",
    done="Turn taken back. Teams vote again.",
    confirm="Press again to confirm",
    keys={"U": "Take back the last turn (press twice)"},
)
def void_last_turn(event_id: int, turn_id: int | None, box: BallotBox) -> ActionResult:
    """Void the turn closed last. It is voted again.

    A concealed turn that was revealed together with it is voided too, because its votes are public now.
    `turn_id` is the id of the turn the organizer saw, or None. A late click can't void a later turn.
    Raises MatchError if another turn was closed meanwhile, or if no turn can be voided. Rated matches and
    ended matches with secret sides can't be changed.
    """

    def check(last: Turn) -> None:
        if turn_id is not None and turn_id != last.pk:
            raise MatchError(_("Another turn has been revealed in the meantime. Nothing was taken back."))
        if RatedMatch.objects.filter(match=last.match).exists():
            raise MatchError(_("This match is rated, so its turns can't be taken back."))
        if last.match.max_side_changes and last.match.state == MatchState.ENDED:
            raise MatchError(_("Sides have been revealed, so turns can't be taken back."))

    last = take_back_turn(event_id, box, check)
    what = LogText(gettext_noop("%(by)s took back turn %(turn)s"), {"turn": last.number})
    return ActionResult(what, {"turn": last.pk})


@action(
    "match.abort",
    target="match",
    label="Abort the match",
    done="The match was aborted.",
    confirm="Press again to abort",
)
def abort_playing_match(event_id: int, box: BallotBox) -> ActionResult:
    """End the match without a result.

    Voids its live and concealed turns. Raises MatchError if no match is live.
    """
    match = stop_match(event_id, box, lambda _: None)
    return ActionResult(LogText(gettext_noop("%(by)s aborted match %(match)s"), {"match": match.number}))
