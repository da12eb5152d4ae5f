"""Show of hands: turns an organizer's count into ballots, which are sealed and published like all others.

These ballots are stored only in the database, never in the ballot box. A new count replaces them. Each count
increments the turn's version (compare-and-set), so that a close which hasn't read the count can't commit.
"""

import secrets
from typing import cast

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from crowdgame.events.audit_text import LogText
from crowdgame.organizer.console.actions.registry import ActionResult, action
from games.engine.game import SIDES, Side
from voting.ballot_box.archive import hand_ballots
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import HAND_VOTER_PREFIX
from voting.counting.methods.voting_method import find_method
from voting.matches import MatchError, claim_turn, event_lock
from voting.models import Match, StoredBallot, Team, Turn, TurnState
from voting.positions import load_position
from voting.protocol import MAX_HANDS
from voting.terms import HANDS
from voting.turns.turns import place_and_relay, to_boxed_turn

HandCounts = tuple[int, ...]


@action("hands.count", target="turn", label="Send counts", done="Counts sent.", with_clocks=False)
def count_hands(turn: Turn, team: int | None, hands: HandCounts | None, box: BallotBox) -> ActionResult:
    """Record the hands of a team that votes by show of hands. Replaces an earlier count of the turn.

    `hands` is the number of hands per column, first column first. The audit text doesn't name columns,
    because the turn isn't revealed yet. There is no undo: the organizer counts again.
    Raises MatchError if the team, the moment, a column or the total isn't valid, or its phones have voted.
    """
    if team is None or hands is None:
        raise MatchError(_("Choose a team and enter the number of hands for each column."))
    side, voting = _side_and_team(turn.match, team)
    now = box.now()
    _check_moment(turn, voting, now)
    _check_columns(turn.match, side, voting, hands)
    if box.ballot_counts(to_boxed_turn(turn))[side]:
        text = _("%(team)s has voted by phone in this turn. Count hands from the next turn on.")
        raise MatchError(text % {"team": voting.name})
    with event_lock(turn.match.event_id):
        if not claim_turn(turn):
            raise MatchError(_("The turn changed in the meantime. Check it and try again."))
        _replace_hands(turn, side, hands, now)
    place_and_relay(turn, box, create=False)
    message = gettext_noop("%(by)s counted the hands of %(team)s in turn %(turn)s: %(total)s")
    what = LogText(message, {"team": voting.name, "turn": turn.number, "total": sum(hands)})
    return ActionResult(what, {"turn": turn.pk, "team": team})


def _side_and_team(match: Match, number: int) -> tuple[Side, Team]:
    side = next(side for side in SIDES if getattr(match, side).number == number)
    return side, cast(Team, getattr(match, side))


def _check_moment(turn: Turn, team: Team, now: int) -> None:
    if team.source != HANDS:
        raise MatchError(_("%(team)s does not vote by a show of hands.") % {"team": team.name})
    if turn.state == TurnState.PAUSED:
        raise MatchError(_("The turn is paused. Resume it first."))
    if now < turn.opens_at:
        raise MatchError(_("Voting has not started yet."))
    if now >= turn.closes_at or turn.is_sealed:
        raise MatchError(_("Time is up. The votes are being counted."))


def _check_columns(match: Match, side: Side, team: Team, hands: HandCounts) -> None:
    position = load_position(match)
    if side not in position.to_move:
        raise MatchError(_("%(team)s does not move in this turn.") % {"team": team.name})
    legal = position.game.legal_actions(position.state, side)
    for column, count in enumerate(hands, 1):
        if count and column not in legal:
            raise MatchError(_("Column %(column)s can't be chosen in this turn.") % {"column": column})
    if sum(hands) > MAX_HANDS:
        most = number_format(MAX_HANDS, force_grouping=True)
        raise MatchError(_("At most %(count)s hands can be counted.") % {"count": most})


def _replace_hands(turn: Turn, side: Side, hands: HandCounts, now: int) -> None:
    hand_ballots(turn).filter(side=side).delete()
    method = find_method(turn.match.tally_method)
    choices = [method.encode_single(column) for column, count in enumerate(hands, 1) for _ in range(count)]
    StoredBallot.objects.bulk_create(
        StoredBallot(
            turn=turn,
            voter=f"{HAND_VOTER_PREFIX}{side[0]}{number}",
            side=side,
            choice=choice,
            sequence=1,
            blind=secrets.token_hex(16),
            stored_at=now,
        )
        for number, choice in enumerate(choices, 1)
    )
