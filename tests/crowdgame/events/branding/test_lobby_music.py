"""The installation's lobby music: served and switched on only where it has some."""

from pathlib import Path

import pytest
from django.test import Client
from pytest_django.fixtures import Settings

from crowdgame.events.permissions import OrganizerAccess
from crowdgame.organizer.console.control import perform
from voting.announcements.snapshots import load_snapshot
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import MatchError
from voting.models import Event
from voting.protocol import ActionAsk, Role

pytestmark = pytest.mark.django_db


def switch_on(event: Event, box: BallotBox) -> None:
    perform(
        OrganizerAccess("ada", Role.COHOST, event.owner_id),
        event.pk,
        ActionAsk(id=1, action="music.start"),
        box,
    )


def test_music_is_served_and_off_until_an_organizer_starts_it(
    client: Client, event: Event, box: BallotBox, settings: Settings, tmp_path: Path
) -> None:
    music = tmp_path / "harbor.mp3"
    music.write_bytes(b"tune")
    settings.LOBBY_MUSIC = str(music)
    answer = client.get("/brand/lobby-music")
    assert (answer.content, answer.headers["Content-Type"]) == (b"tune", "audio/mpeg")
    assert load_snapshot(event).lobby_music is False
    switch_on(event, box)
    event.refresh_from_db()
    assert load_snapshot(event).lobby_music is True


def test_installation_without_music_offers_none(
    client: Client, event: Event, box: BallotBox, settings: Settings
) -> None:
    settings.LOBBY_MUSIC = ""
    assert client.get("/brand/lobby-music").status_code == 404
    with pytest.raises(MatchError):
        switch_on(event, box)
    event.lobby_music = True
    assert load_snapshot(event).lobby_music is None
