"""Matches played by a simulated crowd decide nothing in a cup."""

from importlib import import_module

import pytest
from django.apps import apps

from crowdgame.events.models import AuditEntry
from crowdgame.organizer.cups.cup_view import view_cup
from crowdgame.organizer.cups.cups import load_cup_progress, start_pairing
from tests.crowdgame.organizer.cups.cup_helpers import let_win, new_cup
from tests.voting.match_helpers import new_event
from voting.models import Match

LONGEST_MS = 30 * 60 * 1000


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("actions", "rehearsed"),
    [
        ({}, set()),
        ({50: "start"}, {1}),
        ({150: "start"}, {1}),
        ({200: "start"}, {2}),
        ({250: "start"}, {2}),
        ({50: "start", 250: "start"}, {1, 2}),
        ({400: "start"}, {3}),
        ({50: "start", 90: "stop"}, set()),
        ({50: "start", 110: "stop"}, {1}),
        ({50: "start", 90: "stop", 250: "start"}, {2}),
        ({100 - LONGEST_MS: "start"}, set()),
    ],
)
def test_migration_marks_match_live_when_crowd_came_or_else_the_next(
    actions: dict[int, str], rehearsed: set[int]
) -> None:
    event = new_event()
    for started_at in (100, 300):
        match = let_win(event, 1)
        Match.objects.filter(pk=match.pk).update(started_at=started_at, ended_at=started_at + 100)
    playing = {"state": "playing", "result": None, "ended_by": None, "ended_at": None}
    Match.objects.filter(pk=let_win(event, 1).pk).update(started_at=500, **playing)
    for at, action in actions.items():
        AuditEntry.objects.create(event=event, by="olga", action=f"rehearsal.{action}", what="", at=at)
    import_module("crowdgame.events.migrations.0002_rehearsed_matches").mark_rehearsed_matches(apps, None)
    assert set(event.matches.filter(rehearsed=True).values_list("number", flat=True)) == rehearsed


@pytest.mark.django_db
def test_rehearsed_match_advances_nobody_and_next_match_does() -> None:
    cup = new_cup()
    event = start_pairing(cup.pk, 1)
    let_win(event, 1, rehearsed=True)
    first = view_cup(load_cup_progress(cup)).rounds[0].cards[0]
    assert first is not None
    assert (first.state, first.rehearsed, first.reports, first.scored) == ("on", True, (), False)
    let_win(event, 2)
    assert load_cup_progress(cup).meetings[0].outcome.winner == 2
    assert view_cup(load_cup_progress(cup)).rounds[0].cards[0].reports == (2,)  # type: ignore[union-attr]
