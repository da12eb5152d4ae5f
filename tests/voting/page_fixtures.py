"""Fixtures for page tests: an organizer's browser, an event, and the fields of the event form."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from voting.events import create_event
from voting.models import Event

SIMULTANEOUS, CLASSIC = "simultaneous-captains-mistress", "captains-mistress"


@pytest.fixture
def organizer() -> User:
    return User.objects.create_user("ada", password="lovelace")


@pytest.fixture
def other() -> User:
    return User.objects.create_user("bob", password="builder")


@pytest.fixture
def browser(client: Client, organizer: User) -> Client:
    client.force_login(organizer)
    return client


@pytest.fixture
def event(organizer: User) -> Event:
    return create_event(organizer, "Gala", ("North", "South"))


def answers(**changes: Any) -> dict[str, Any]:
    """All fields of the event form, as a browser sends them."""
    return {
        "name": "Harbour night", "team_1": "Port", "team_2": "Starboard", "game": SIMULTANEOUS,
        f"{SIMULTANEOUS}-columns": "7", f"{SIMULTANEOUS}-token": "lot", f"{SIMULTANEOUS}-tie": "other",
        f"{CLASSIC}-columns": "7", f"{CLASSIC}-first": "lot",
        "window_s_usual": "20", "window_s_number": "", "window_s_unit": "1", "pace": "normal",
        "tally_method": "plurality", "tie_rule": "first", "no_ballot_rule": "random",
        "team_choice": "balance", "admission": "open", "analysis": "match", "nicknames": "suggested",
        "next_match_after_s_usual": "", "next_match_after_s_number": "", "next_match_after_s_unit": "1",
    } | changes  # fmt: skip
