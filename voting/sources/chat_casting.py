"""Cast votes of a chat. Every reader makes the same ballots of the same lines, so repeating is harmless."""

from collections.abc import Iterable, Iterator, Sequence

from django.db.models import Q, QuerySet

from games.engine.game import Side
from voting.admission.restrictions import load_restrictions
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import Ballot
from voting.counting.methods.voting_method import find_method
from voting.counting.voter_codes import derive_voter_code
from voting.models import Team, Turn, TurnState
from voting.positions import load_position
from voting.sources.casting import RETRIED, cast_ballots, derive_blind, derive_seat
from voting.sources.chat_lines import ChatVote
from voting.terms import TWITCH

PREFIX = f"{TWITCH}:"
MAX_SEQUENCE = 2**31 - 1  # of a stored ballot, which are 24 days in milliseconds
LATE_UNIT_MS = 64
CLOCK_CHANGE_MS = 24 * 3600 * 1000  # the largest before a match's first window


def chat_turns() -> QuerySet[Turn]:
    """Return the open and paused turns in which a chat votes."""
    by_chat = Q(match__red__source__startswith=PREFIX) | Q(match__yellow__source__startswith=PREFIX)
    live = Turn.objects.filter(by_chat, awaits_sources=True, state__in=[TurnState.OPEN, TurnState.PAUSED])
    return live.select_related("match__red", "match__yellow")


def turn_channels(turn: Turn) -> dict[str, Side]:
    """Return the sides that vote in a chat, by channel."""
    teams: dict[Side, Team] = {"red": turn.match.red, "yellow": turn.match.yellow}
    chats = {side: team.source for side, team in teams.items() if team.source.startswith(PREFIX)}
    return {source.removeprefix(PREFIX): side for side, source in chats.items()}


def derive_chat_seat(event_id: int, login: str) -> str:
    """Return the voter id of a chatter, who has one ballot even in the chats of both teams."""
    return derive_seat(event_id, TWITCH, login)


def cast_votes(turn: Turn, votes: Iterable[ChatVote], box: BallotBox) -> list[ChatVote]:
    """Cast the votes that were sent while the turn's window was open. Idempotent.

    Returns those to try again, because the ballot box does not have the turn yet or has lost it. Raises
    STORE_ERRORS.
    """
    channels = turn_channels(turn)
    timely = [v for v in votes if v.channel in channels and turn.opens_at <= v.sent_at < turn.closes_at]
    if turn.state != TurnState.OPEN or not timely:
        return []
    newest: dict[str, tuple[Ballot, ChatVote]] = {}
    for ballot, vote in _to_ballots(turn, channels, timely):
        if ballot.voter not in newest or newest[ballot.voter][0].sequence < ballot.sequence:
            newest[ballot.voter] = ballot, vote
    answers = cast_ballots(turn, [ballot for ballot, _ in newest.values()], box, stored=True)
    pairs = zip(newest.values(), answers, strict=True)
    return [vote for (_, vote), answer in pairs if answer in RETRIED]


def _to_ballots(
    turn: Turn, channels: dict[str, Side], votes: Sequence[ChatVote]
) -> Iterator[tuple[Ballot, ChatVote]]:
    event_id = turn.match.event_id
    position, method = load_position(turn.match, before=turn), find_method(turn.match.tally_method)
    legal = {side: position.game.legal_actions(position.state, side) for side in position.to_move}
    restrictions = load_restrictions([event_id])[event_id]
    banned = {voter_code for voter_code, restriction in restrictions.items() if restriction.banned}
    for vote in votes:
        side = channels[vote.channel]
        voter = derive_chat_seat(event_id, vote.login)
        if vote.column not in legal.get(side, ()) or (banned and derive_voter_code(voter) in banned):
            continue
        sequence = derive_sequence(turn, vote.sent_at)
        blind = derive_blind(turn.pk, voter, sequence)
        yield Ballot(voter, side, method.encode_single(vote.column), sequence, blind=blind), vote


def derive_sequence(turn: Turn, sent_at: int) -> int:
    """Return a number that grows with the time of a vote, also if the turn's window moves.

    From the twelfth day of a match on, it grows once every LATE_UNIT_MS, so that it lasts for two years.
    """
    age, half = max(1, sent_at - turn.match.started_at + CLOCK_CHANGE_MS), MAX_SEQUENCE // 2
    return age if age < half else min(MAX_SEQUENCE, half + (age - half) // LATE_UNIT_MS)
