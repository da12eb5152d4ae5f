"""Votes by buttons of a chat, such as Discord's. A repeated delivery makes the same ballot."""

from dataclasses import dataclass

from games.engine.game import SIDES, Side
from voting.admission.restrictions import load_restrictions
from voting.counting.ballots import Ballot
from voting.counting.methods.voting_method import find_method
from voting.counting.voter_codes import derive_voter_code
from voting.models import Team, Turn, TurnState
from voting.positions import load_position
from voting.sources.casting import derive_blind, derive_seat
from voting.sources.chat_casting import derive_sequence


@dataclass(frozen=True, slots=True)
class OpenVote:
    """An open turn in which a team votes as `side`, for one of the `legal` columns."""

    turn: Turn
    side: Side
    legal: tuple[int, ...]


def load_open_vote(team: Team) -> OpenVote | None:
    """Return the vote that is open or opens soon; None if the team does not vote in any."""
    turns = Turn.objects.select_related("match").filter(match__event=team.event_id, state=TurnState.OPEN)
    turn = turns.last()
    if turn is None:
        return None
    side = SIDES[turn.match.red_id != team.pk]
    position = load_position(turn.match, before=turn)
    if side not in position.to_move:
        return None
    return OpenVote(turn, side, position.game.legal_actions(position.state, side))


def make_ballot(vote: OpenVote, source: str, account: str, column: int, pressed_at: int) -> Ballot | None:
    """Return the ballot of an account that pressed a legal column's button; None if it is banned.

    An account has one seat in an event, even if it votes in the chats of both teams. `pressed_at` is the
    chat server's time (Unix ms).
    """
    event_id = vote.turn.match.event_id
    voter = derive_seat(event_id, source, account)
    restriction = load_restrictions([event_id])[event_id].get(derive_voter_code(voter))
    if restriction and restriction.banned:
        return None
    sequence = derive_sequence(vote.turn, pressed_at)
    blind = derive_blind(vote.turn.pk, voter, sequence)
    choice = find_method(vote.turn.match.tally_method).encode_single(column)
    return Ballot(voter, vote.side, choice, sequence, blind=blind)
