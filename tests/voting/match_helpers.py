"""Play matches through the public functions, with votes and deadlines under the test's control."""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any

import msgspec
from django.contrib.auth.models import User
from redis.exceptions import LockError

from games.engine.game import Side
from tests.deploy.processes import wait_until
from voting import models, protocol
from voting.announcements.outbox import announce, relay
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import Ballot, unpack_ballots
from voting.counting.commitments import arrival_order
from voting.counting.window import is_stored
from voting.events import create_event
from voting.matches import claim_turn, event_lock
from voting.transparency.log import append_entries
from voting.turns.closing import close_turn
from voting.turns.host_steps import reveal_turn
from voting.turns.log_entries import void_seal
from voting.turns.seals import void_by_added_time
from voting.turns.side_change_store import SideChangeAnswer, SideChangeRequest, change_sides
from voting.turns.turns import load_turn, start_match, to_boxed_turn, update_box

CLASSIC = "captains-mistress"
SELECTOR = "single-selector"
NINE_MINUTES_MS = 540_000
COMMON_TERMS: dict[str, Any] = {}  # of all new events; fixtures set them


def organizer(name: str = "olga") -> User:
    return User.objects.get_or_create(username=name)[0]


def new_event(**choices: Any) -> models.Event:
    return create_event(organizer(), "An evening", ("Rooks", "Doves"), **COMMON_TERMS | choices)


def start(box: BallotBox, **choices: Any) -> models.Turn:
    """The first turn of a match in a new event; its window opens soon."""
    return only_turn(start_match(new_event(**choices).pk, box))


def start_open(box: BallotBox, **choices: Any) -> models.Turn:
    turn = start(box, **choices)
    open_now(turn, box)
    return turn


def only_turn(match: models.Match) -> models.Turn:
    """The live turn with its event preloaded, because an event loop cannot query the database."""
    return models.Turn.objects.select_related("match__event").get(match=match, state__in=models.LIVE_STATES)


def set_window(
    turn: models.Turn, box: BallotBox, opens_in_ms: int, closes_in_ms: int, **changes: Any
) -> None:
    """Move the window, with further changes of the turn, and announce it."""
    now = box.now()
    with event_lock(turn.match.event_id):
        turn.refresh_from_db(fields=["state", "version", "stored", "seals", "sealed_version"])
        assert turn.state in models.LIVE_STATES
        times = {"opens_at": now + opens_in_ms, "closes_at": now + closes_in_ms}
        changes["stored"] = turn.stored or is_stored(closes_in_ms - opens_in_ms)
        changes |= void_by_added_time(turn, times["closes_at"], now)
        assert claim_turn(turn, **times, **changes)
        announce(turn.match.event_id, protocol.TurnMoved, now)
        append_entries([*void_seal(turn, changes)])
    update_box(turn, box, create=False)
    relay(turn.match.event_id)


def reveal_ms(turn: models.Turn) -> int:
    """How long the reveal that the turn's event shows lasts."""
    match = load_snapshot(turn.match.event).match
    assert match is not None
    assert match.reveal is not None
    return match.reveal.steps.over


def open_now(turn: models.Turn, box: BallotBox) -> None:
    """Open the window, even of a turn that is paused because nobody voted."""
    set_window(turn, box, -1_000, NINE_MINUTES_MS, state=models.TurnState.OPEN, left_ms=None)


def run_out(turn: models.Turn, box: BallotBox) -> None:
    """End the window, even if it was restored and would wait for voters."""
    set_window(turn, box, -2_000, 0, box_lost_at=None)


def ballots(side: Side, columns: Iterable[int], sequence: int = 1) -> list[Ballot]:
    return [Ballot(f"{side}{i}", side, choice, sequence) for i, choice in enumerate(columns, 1)]


def vote(turn: models.Turn, box: BallotBox, red: Sequence[int] = (), yellow: Sequence[int] = ()) -> None:
    """Cast one ballot per listed column, red first; the window must be open."""
    box.cast(to_boxed_turn(turn), ballots("red", red) + ballots("yellow", yellow))


def store(turn: models.Turn, kept: list[Ballot]) -> None:
    """Store ballots in the database, as for a long window."""
    for at, ballot in enumerate(kept, 1):
        fields = {name: getattr(ballot, name) for name in ("voter", "side", "choice", "sequence", "blind")}
        models.StoredBallot.objects.create(turn=turn, stored_at=at, **fields)


def play_out(turn: models.Turn, box: BallotBox) -> models.Turn:
    run_out(load_turn(turn.pk), box)
    return _close(turn, box)


def _close(turn: models.Turn, box: BallotBox) -> models.Turn:
    """Close and reveal the turn, unless the scheduler or worker of a running stack is closing it."""
    try:
        close_turn(turn.pk, box)
        if turn.match.host_wait_s:
            reveal_turn(turn.pk, box)
    except LockError:
        wait_until(lambda: load_turn(turn.pk).state in models.CLOSED_STATES)
    return load_turn(turn.pk)


def play_turn(
    turn: models.Turn, box: BallotBox, red: Sequence[int] = (), yellow: Sequence[int] = ()
) -> models.Turn:
    """Open, vote, run out and close; return the turn afterwards."""
    open_now(turn, box)
    vote(turn, box, red, yellow)
    run_out(turn, box)
    return _close(turn, box)


def play(
    match: models.Match, box: BallotBox, picks: Iterable[tuple[int, int]], voters: tuple[int, int] = (1, 1)
) -> None:
    """Play turns in which each side votes for one column, with so many voters."""
    for red, yellow in picks:
        play_turn(only_turn(match), box, [red] * voters[0], [yellow] * voters[1])


def kinds(event_id: int) -> list[str]:
    rows = models.Announcement.objects.filter(event_id=event_id).order_by("seq")
    return [bytes(row.body).split(b'"')[3].decode() for row in rows]


def tally_of(turn: models.Turn, side: Side) -> models.TallyRecord:
    return models.TallyRecord.objects.get(turn=turn, side=side)


def arrived_ballots(turn: models.Turn, side: Side) -> list[Ballot]:
    held = unpack_ballots(bytes(tally_of(turn, side).sealed))
    return [held[index] for index in arrival_order(held)]


RED_WINS = [(1, 2), (1, 3), (1, 2), (1, 3)]


def shown(event_id: int) -> protocol.EventState:
    return load_snapshot(models.Event.objects.get(pk=event_id))


def last_announced(event_id: int) -> protocol.EventState:
    row = models.Announcement.objects.filter(event_id=event_id).order_by("seq").last()
    assert row is not None
    change: protocol.Change = msgspec.json.decode(bytes(row.body), type=protocol.Changes)
    return change.state


TEAMS = {"red": 1, "yellow": 2}


def start_secret(box: BallotBox, **choices: Any) -> models.Match:
    return start_match(new_event(**{"max_side_changes": 1, **choices}).pk, box)


def between(turn: models.Turn, box: BallotBox) -> None:
    """Move the window into the future, so that the match is between two turns."""
    set_window(turn, box, 60_000, 120_000)


def side_change_request(voter: str, turn: models.Turn, number: int = 1) -> SideChangeRequest:
    """A request of `red1`…`red9` or `yellow1`…`yellow9` to change sides; even numbers change back."""
    home: Side = "red" if voter.startswith("red") else "yellow"
    away = TEAMS[home] if number % 2 == 0 else 3 - TEAMS[home]
    blind = sha256(f"{voter} {number}".encode()).hexdigest()[:32]
    return SideChangeRequest(voter, TEAMS[home], turn.pk, number, away, blind)


def request_side_changes(
    turn: models.Turn, box: BallotBox, *voters: str, number: int = 1
) -> list[SideChangeAnswer]:
    between(turn, box)
    requests = [side_change_request(voter, turn, number) for voter in voters]
    return change_sides(turn.match.event_id, requests, box.now)


def play_with(turn: models.Turn, box: BallotBox, red: Sequence[int], yellow: Sequence[int]) -> models.Turn:
    """Each column is the ballot of another voter, listed by the side that they joined."""
    open_now(load_turn(turn.pk), box)
    vote(load_turn(turn.pk), box, red, yellow)
    return play_out(turn, box)
