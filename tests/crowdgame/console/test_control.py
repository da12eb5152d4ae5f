"""Organizer actions: each is done once and announced; a refused action changes nothing."""

from collections.abc import Callable

import pytest
from redis.exceptions import TimeoutError  # noqa: A004

from crowdgame.console.actions.turn_time import pause_turn
from games.matches import live_turn
from games.models import Match, MatchState, TurnState
from tests.voting.action_helpers import event_of, press, refused
from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import kinds, new_event, open_now, start
from voting.announcements.outbox import announce_edit
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import BoxedTurn
from voting.models import Announcement
from voting.turns.closing import close_turn
from voting.turns.turns import load_turn

pytestmark = pytest.mark.django_db


# ------------------------------------------------------------------ lobby and joining
def test_lobby_opens_and_joining_locks_and_unlocks(box: BallotBox) -> None:
    event = new_event()
    for action, lobby in [
        ("lobby.open", "open"),
        ("joining.lock", "locked"),
        ("joining.unlock", "open"),
        ("joining.lock", "locked"),
        ("lobby.open", "open"),
    ]:
        press(event.pk, action, box)
        event.refresh_from_db()
        assert event.lobby == lobby
    assert kinds(event.pk) == [
        "lobby.opened",
        "joining.locked",
        "joining.unlocked",
        "joining.locked",
        "joining.unlocked",
    ]


def test_repeated_lobby_action_is_refused(box: BallotBox) -> None:
    event = new_event(lobby="open")
    with refused("Already done"):
        press(event.pk, "lobby.open", box)
    press(event.pk, "joining.lock", box)
    with refused("Already done"):
        press(event.pk, "joining.lock", box)


def test_event_edit_is_announced(box: BallotBox) -> None:
    event = new_event()
    announce_edit(event.pk, box.now())
    assert kinds(event.pk) == ["event.edited"]


# ------------------------------------------------------------------ abort
@pytest.mark.parametrize("paused", [False, True])
def test_aborted_match_is_over_and_next_may_start(paused: bool, box: BallotBox) -> None:
    turn = start(box)
    if paused:
        press(event_of(turn), "turn.pause", box)
    press(event_of(turn), "match.abort", box)
    match = Match.objects.get(pk=turn.match_id)
    assert (match.state, match.result) == (MatchState.ABORTED, None)
    assert live_turn(match) is None
    close_turn(turn.pk, box)
    assert load_turn(turn.pk).state == TurnState.VOID
    press(event_of(turn), "match.start", box)
    assert kinds(event_of(turn))[-2:] == ["match.aborted", "match.started"]


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ("match.abort", "No match is live"),
        ("turn.pause", "No turn is live"),
        ("turn.resume", "No turn is live"),
        ("turn.extend", "No turn is live"),
        ("turn.close", "No turn is live"),
        ("turn.void", "no turn to take back"),
    ],
)
def test_actions_without_match_are_refused(action: str, words: str, box: BallotBox) -> None:
    event = new_event()
    with refused(words):
        press(event.pk, action, box)


def test_match_start_is_refused_while_match_is_playing(box: BallotBox) -> None:
    turn = start(box)
    with refused("already live"):
        press(event_of(turn), "match.start", box)


def test_action_affects_only_its_own_event(box: BallotBox) -> None:
    mine, other = start(box), start(box)
    with refused("already ended"):
        press(event_of(mine), "turn.close", box, turn=other.pk)
    press(event_of(mine), "turn.extend", box, turn=mine.pk)
    assert load_turn(other.pk).version == 1


# ------------------------------------------------------------------ concurrency
def test_action_on_outdated_turn_is_refused(box: BallotBox) -> None:
    turn = start(box)
    stale = load_turn(turn.pk)
    press(event_of(turn), "turn.extend", box)
    with refused("The turn changed in the meantime"):
        pause_turn(stale, box)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("action", "kind"),
    [("turn.pause", "turn.paused"), ("turn.close", "turn.revealed"), ("match.abort", "match.aborted")],
)
def test_concurrent_actions_succeed_once(action: str, kind: str, box: BallotBox) -> None:
    turn = start(box)
    open_now(turn, box)
    event_id = event_of(turn)
    ask = {} if action == "match.abort" else {"turn": turn.pk}
    losers = at_once(4, lambda own: press(event_id, action, own, **ask))
    assert len(losers) == 3
    assert kinds(event_id).count(kind) == 1


@pytest.mark.django_db(transaction=True)
def test_concurrent_pause_close_and_void_leave_one_live_turn(box: BallotBox) -> None:
    turn = start(box)
    event_id = event_of(turn)
    presses: list[Callable[[BallotBox], None]] = [
        lambda own: press(event_id, "turn.pause", own, turn=turn.pk),
        lambda own: press(event_id, "turn.close", own, turn=turn.pk),
        lambda own: press(event_id, "turn.void", own),
    ]
    at_once(3, lambda own: presses.pop()(own))  # noqa: PLW0108  each thread pops its own
    after = load_turn(turn.pk)
    assert after.state in {TurnState.PAUSED, TurnState.RESOLVED, TurnState.VOID}
    assert turn.match.turns.filter(state__in=["open", "paused"]).count() == 1
    seqs = list(Announcement.objects.filter(event_id=event_id).order_by("seq").values_list("seq", flat=True))
    assert seqs == list(range(1, len(seqs) + 1))


# ------------------------------------------------------------------ unreachable ballot box
class SilentBox(BallotBox):
    """Answers the time, but times out when a window is placed."""

    def place(self, turn: BoxedTurn, *, create: bool) -> bool:
        raise TimeoutError("Timeout reading from socket")


def test_committed_action_succeeds_though_ballot_box_times_out(box: BallotBox) -> None:
    turn = start(box)
    silent = SilentBox()
    press(event_of(turn), "turn.extend", silent, turn=turn.pk, seconds=60)
    silent.close()
    assert load_turn(turn.pk).closes_at == turn.closes_at + 60_000
    assert kinds(event_of(turn))[-1] == "turn.moved"
