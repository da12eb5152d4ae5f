"""Matches played by a simulated crowd decide nothing in a cup."""

import pytest

from crowdgame.cups.cup_view import view_cup
from crowdgame.cups.cups import load_cup_progress, start_pairing
from crowdgame.cups.dry_run_matches import (
    DRY_RUN_STARTED,
    DRY_RUN_STOPPED,
    DryRunAction,
    MatchSpan,
    rehearsed,
)
from crowdgame.events.models import AuditEntry
from crowdgame.rehearsal.dry_runs import MAX_DURATION_S
from tests.crowdgame.cups.cup_helpers import let_win, new_cup
from voting.models import Event

LONGEST_MS = int(MAX_DURATION_S * 1000)
FIRST, SECOND = MatchSpan(1, 100, 200), MatchSpan(2, 300, 400)


def crowd_starts(*at: int) -> list[DryRunAction]:
    return [DryRunAction(DRY_RUN_STARTED, one) for one in at]


@pytest.mark.parametrize(
    ("presses", "played"),
    [
        ([], set()),
        (crowd_starts(50), {1}),
        (crowd_starts(150), {1}),
        (crowd_starts(200), {2}),
        (crowd_starts(250), {2}),
        (crowd_starts(50, 250), {1, 2}),
        (crowd_starts(400), set()),
        ([*crowd_starts(50), DryRunAction(DRY_RUN_STOPPED, 90)], set()),
        ([*crowd_starts(50), DryRunAction(DRY_RUN_STOPPED, 110)], {1}),
        ([*crowd_starts(50), DryRunAction(DRY_RUN_STOPPED, 90), *crowd_starts(250)], {2}),
        (crowd_starts(100 - LONGEST_MS), set()),
    ],
)
def test_rehearsal_affects_current_match_or_else_the_next(
    presses: list[DryRunAction], played: set[int]
) -> None:
    assert rehearsed([FIRST, SECOND], presses) == played
    assert rehearsed([FIRST, MatchSpan(2, 300, None)], crowd_starts(10_000)) == {2}, "while it is played"


def log_rehearsal(event: Event, at: int) -> None:
    what = "started a rehearsal with 20 simulated phones"
    AuditEntry.objects.create(event=event, by="olga", action=DRY_RUN_STARTED, what=what, at=at)


@pytest.mark.django_db
def test_rehearsed_match_advances_nobody_and_next_match_does() -> None:
    cup = new_cup()
    event = start_pairing(cup.pk, 1)
    log_rehearsal(event, 0)
    let_win(event, 1)  # started at 1, ended at 2
    first = view_cup(load_cup_progress(cup)).rounds[0].cards[0]
    assert first is not None
    assert (first.state, first.rehearsed, first.reports, first.scored) == ("on", True, (), False)
    played = let_win(event, 2)
    event.matches.filter(pk=played.pk).update(started_at=3, ended_at=4)
    assert load_cup_progress(cup).meetings[0].outcome.winner == 2
    assert view_cup(load_cup_progress(cup)).rounds[0].cards[0].reports == (2,)  # type: ignore[union-attr]


@pytest.mark.django_db
@pytest.mark.parametrize("rehearsed_number", [1, 2])
def test_rehearsal_in_aborted_match_or_other_pairing_affects_no_other(rehearsed_number: int) -> None:
    cup = new_cup()
    event = start_pairing(cup.pk, 1)
    log_rehearsal(start_pairing(cup.pk, rehearsed_number), 0)
    if rehearsed_number == 1:
        aborted = let_win(event, 1)
        event.matches.filter(pk=aborted.pk).update(state="aborted", result=None, ended_by=None)
    played = let_win(event, 1)
    event.matches.filter(pk=played.pk).update(started_at=3, ended_at=4)
    assert load_cup_progress(cup).meetings[0].outcome.winner == 1
