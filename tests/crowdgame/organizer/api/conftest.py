"""An event of the organizer olga, her browser, programs that call the API, and a receiver of webhooks."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from crowdgame.organizer.api.tokens import create_token
from tests.crowdgame.organizer.api.receiver import Receiver, running_receiver
from tests.voting.match_helpers import new_event, organizer
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event


def address(path: str, event: Event) -> str:
    """The address of an operation at the event and its first match."""
    return path.replace("<code:code>", event.code).replace("<int:number>", "1")


class Program:
    def __init__(
        self, *scopes: Any, token: str | None = None, user: User | None = None, **options: Any
    ) -> None:
        self.token = create_token(user or organizer(), "ci", scopes, **options) if token is None else token

    def request(self, method: str, path: str, body: object = None, **headers: str) -> Any:
        text = b"" if body is None else json.dumps(body).encode()
        headers = {"authorization": f"Bearer {self.token}", **headers}
        return Client().generic(method, f"/api/v1/{path}", text, "application/json", headers=headers)

    def call(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        answer = self.request(method, path, body)
        return answer.status_code, json.loads(answer.content) if answer.content else None

    def get(self, path: str) -> Any:
        status, answer = self.call("GET", path)
        assert status == 200, answer
        return answer

    def act(self, event: Event, action: str, **body: object) -> tuple[int, Any]:
        return self.call("POST", f"events/{event.code}/actions/{action}/", body)


@pytest.fixture
def event(box: BallotBox) -> Event:
    return new_event(options={"token": "red"}, window_s=60)


@pytest.fixture
def olga(client: Client) -> Client:
    """The browser of the organizer olga, who has just entered her password."""
    user = organizer()
    user.set_password("of olga")
    user.save()
    client.force_login(user)
    client.post("/console/reauthenticate/", {"password": "of olga"})
    return client


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.WEBHOOKS = "private"
    with running_receiver() as running:
        yield running
