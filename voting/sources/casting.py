"""Cast ballots on the server, by the ballot box's ordinary rules.

A turn with a team whose ballots come from a source `awaits_sources` until they are cast. That is in the
database, as are ballots that were cast. So a process that crashes at any step only delays them: the next one
casts the same ballots, and a lost ballot box is restored with them.
"""

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from time import time

from django.conf import settings
from django.db.models import QuerySet
from django.utils.crypto import salted_hmac
from redis.exceptions import LockError

from games.engine.game import Side
from voting.ballot_box.archive import store_ballots
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import MAX_BATCH, CastResult
from voting.counting.ballots import Ballot
from voting.counting.methods.voting_method import find_method
from voting.metrics.metrics import BALLOTS
from voting.models import Team, Turn, TurnState
from voting.positions import Position, load_position
from voting.sources.ballot_source import Choice, SourceTurn
from voting.sources.registry import find_source
from voting.turns.clocks import turn_ends_at
from voting.turns.early_close import close_turn_early
from voting.turns.turns import load_turn, to_boxed_turn

CAST_SOURCE_BALLOTS = "voting.cast_source_ballots"
FIRST_SEQUENCE = 1  # of a phone's first ballot in a turn; later ones replace it
SEAT_DIGITS, BLIND_DIGITS = 16, 32
LOOKAHEAD_MS = 1_000  # so that a slow choice is ready when the window opens
COUNTED = (CastResult.OK, CastResult.DUPLICATE)
# The ballot box does not have the turn yet, or has lost it: tried again.
RETRIED = (CastResult.EARLY, CastResult.UNKNOWN, CastResult.BUSY)


def derive_seat(event_id: int, source: str, account: str) -> str:
    """Return the voter id of a source's account: the same in every process, and not reversible."""
    mac = salted_hmac("crowdgame.sources.seat", f"{event_id}.{source}.{account}", algorithm="sha256")
    return mac.hexdigest()[:SEAT_DIGITS]


def derive_blind(
    turn_id: int, voter: str, sequence: int = FIRST_SEQUENCE, secret_key: str | None = None
) -> str:
    """Return the blinding factor of a ballot that is cast on the server. None: with SECRET_KEY."""
    value = f"{turn_id}.{voter}.{sequence}"
    mac = salted_hmac("crowdgame.sources.blind", value, secret_key, algorithm="sha256")
    return mac.hexdigest()[:BLIND_DIGITS]


def is_cast_on_server(turn_id: int, ballot: Ballot) -> bool:
    """Return whether the ballot came from a chat, the computer or another source, not from a phone."""
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return any(ballot.blind == derive_blind(turn_id, ballot.voter, ballot.sequence, key) for key in keys)


def is_due() -> bool:
    return _due(round(time() * 1000)).exists()


def cast_due(box: BallotBox) -> None:
    """Cast the ballots of all sources in open turns, each even if another one fails. Raises STORE_ERRORS."""
    with ExitStack() as casts:
        for turn_id in _due(box.now()).order_by("-opens_at").values_list("pk", flat=True):
            casts.callback(_cast_sources, turn_id, box)


def _due(now: int) -> QuerySet[Turn]:
    awaiting = Turn.objects.filter(awaits_sources=True, opens_at__lte=now + LOOKAHEAD_MS)
    return awaiting.exclude(state=TurnState.PAUSED)


def _cast_sources(turn_id: int, box: BallotBox) -> None:
    turn = load_turn(turn_id)
    if not turn.awaits_sources or turn.state == TurnState.PAUSED:
        return
    if turn.state == TurnState.OPEN:
        position = load_position(turn.match, before=turn)
        are_cast = [_cast_side(turn, side, position, box) for side in position.to_move]
        if not all(are_cast) or _closes_later(turn, box):
            return
    Turn.objects.filter(pk=turn.pk).update(awaits_sources=False)


def _cast_side(turn: Turn, side: Side, position: Position, box: BallotBox) -> bool:
    """Cast the ballots of the side's source. Returns whether no more will come."""
    team: Team = getattr(turn.match, side)
    found = find_source(team.source)
    if found is None:
        return True
    source, address = found
    legal = position.game.legal_actions(position.state, side)
    asked = SourceTurn(
        turn.pk, side, legal, position.game, position.state, turn.seed, turn.opens_at, turn.closes_at
    )
    ballots = [
        _to_ballot(turn, team, side, choice)
        for choice in source.choices(address, asked)
        if choice.choice in legal
    ]
    answers = cast_ballots(turn, ballots, box, stored=True)
    return source.once and not set(answers) & set(RETRIED)


def _to_ballot(turn: Turn, team: Team, side: Side, choice: Choice) -> Ballot:
    voter = derive_seat(team.event_id, team.source, choice.account)
    blind = derive_blind(turn.pk, voter, choice.sequence)
    single = find_method(turn.match.tally_method).encode_single(choice.choice)
    return Ballot(voter, side, single, choice.sequence, blind=blind)


def cast_ballots(turn: Turn, ballots: Sequence[Ballot], box: BallotBox, *, stored: bool = False) -> list[int]:
    """Cast ballots by the rules for gateways. Idempotent.

    Those that count are also `stored` in the database if nobody could send them again after a loss. Returns
    for each a `CastResult`, or minus the sequence of the voter's later ballot. Raises STORE_ERRORS.
    """
    answers: list[int] = []
    for start in range(0, len(ballots), MAX_BATCH):
        batch = ballots[start : start + MAX_BATCH]
        results, must_store = box.cast_new(to_boxed_turn(turn), batch)
        counted = [ballot for ballot, result in zip(batch, results, strict=True) if result in COUNTED]
        BALLOTS.labels("counted").inc(len(counted))
        if counted and (stored or must_store):  # as a gateway does, before anyone relies on it
            store_ballots(turn.pk, counted, box.now())
        answers += results
    return answers


def cast_pick(turn: Turn, ballot: Ballot, box: BallotBox) -> int:
    """Cast a player's ballot in a match with clocks, then close the turn if it waits for no other pick.

    A ballot that the voter has cast by phone stays. Returns a `CastResult`, or minus the sequence of the
    voter's later ballot; BUSY if another process kept the turn from closing. Idempotent: after that or a
    crash, call it again with the same ballot. Raises STORE_ERRORS.
    """
    answer = cast_ballots(turn, [ballot], box)[0]
    if answer in COUNTED and _closes_later(turn, box):
        return CastResult.BUSY
    return answer


def _closes_later(turn: Turn, box: BallotBox) -> bool:
    """Close a turn with clocks if all have picked. Returns whether it must be tried again.

    Nobody may be connected to ask for it.
    """
    if turn.match.bank_s is None:
        return False
    with suppress(LockError):  # another process is closing it
        close_turn_early(turn.pk, turn.closes_at, box)
    now = load_turn(turn.pk)
    is_open = now.state == TurnState.OPEN
    return is_open and turn_ends_at(now, load_position(now.match, before=now), box) <= box.now()
