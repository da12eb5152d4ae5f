"""Deleting an event while a match starts in it: exactly one of the two happens."""

import threading

import pytest
from django.db import connection
from django.test import Client

from games.matches import event_lock
from games.models import Event, MatchState
from tests.voting.match_helpers import new_event, organizer
from voting.ballot_box.ballot_box import BallotBox
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db(transaction=True)
LONG_ENOUGH_S = 1.0


def test_event_is_not_deleted_while_match_starts(box: BallotBox) -> None:
    event, answers = new_event(), list[int]()
    thread = delete_while_starting(event, box, answers)
    thread.join(20)
    assert answers == [409]
    assert event.matches.filter(state=MatchState.PLAYING).exists()


def delete_while_starting(event: Event, box: BallotBox, answers: list[int]) -> threading.Thread:
    """Request the deletion after the match is written and before it is committed."""
    browser = Client()
    browser.force_login(organizer())
    started = threading.Event()

    def delete() -> None:
        started.set()
        answers.append(browser.post(f"/console/{event.code}/delete/").status_code)
        connection.close()

    thread = threading.Thread(target=delete)
    with event_lock(event.pk):
        start_match(event.pk, box)
        thread.start()
        assert started.wait(10)
        thread.join(LONG_ENOUGH_S)
        assert thread.is_alive()
    return thread


def test_second_event_deletion_returns_404(box: BallotBox) -> None:
    event = new_event()
    browser = Client()
    browser.force_login(organizer())
    assert browser.post(f"/console/{event.code}/delete/").status_code == 302
    assert browser.post(f"/console/{event.code}/delete/").status_code == 404
