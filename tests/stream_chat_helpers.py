"""Votes in a stream's chat for tests, run in a stack's own database by `tests.organizer`."""

from random import Random
from typing import Any

from voting.ballot_box.ballot_box import BallotBox
from voting.models import TurnState
from voting.positions import load_position
from voting.sources.casting import derive_blind
from voting.sources.chat_casting import chat_turns, derive_chat_seat, derive_sequence, turn_channels

box = BallotBox()


def draw_chat_votes(event_id: int, logins: list[str], seed: float, spare_ms: int) -> dict[str, Any]:
    """Draw a legal column for each chatter, with the ballot that it becomes if it is sent now.

    Draws nothing unless the vote stays open for another `spare_ms`.
    """
    turn, now, rng = chat_turns().filter(match__event=event_id).first(), box.now(), Random(seed)
    if turn is None or turn.state != TurnState.OPEN or not turn.opens_at <= now < turn.closes_at - spare_ms:
        return {}
    position, (side,) = load_position(turn.match, before=turn), turn_channels(turn).values()
    legal, sequence = position.game.legal_actions(position.state, side), derive_sequence(turn, now)
    votes = []
    for login in logins:
        voter = derive_chat_seat(event_id, login)
        blind = derive_blind(turn.pk, voter, sequence)
        votes.append([login, rng.choice(legal), voter, sequence, blind])
    return {"turn": turn.pk, "at": now, "closes_at": turn.closes_at, "votes": votes}
