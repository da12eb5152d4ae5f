"""The reports of a whole event as one file: every ended match, and nothing to load."""

import re
from collections import Counter

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.crowdgame.results.reports.test_report_pages import LOADED, Elements
from tests.voting.match_helpers import RED_WINS, play
from voting.ballot_box.ballot_box import BallotBox
from voting.events import create_event
from voting.models import Event
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db


@pytest.fixture
def played(event: Event, box: BallotBox) -> Event:
    """Two matches are over, a dry run too, one is live; another event has one, too."""
    theirs = create_event(event.owner, "Theirs", ("<b>East", "West"))
    for one in (event, event, theirs):
        play(start_match(one.pk, box), box, RED_WINS)
    dry_run = start_match(event.pk, box)
    play(dry_run, box, RED_WINS)
    event.matches.filter(pk=dry_run.pk).update(rehearsed=True)
    play(start_match(event.pk, box), box, [(1, 2)])
    event.teams.filter(number=1).update(name="<b>North", color="#2f6fd0")
    Event.objects.filter(pk=event.pk).update(language="de")
    return event


def test_file_has_each_ended_match_and_loads_nothing(client: Client, played: Event) -> None:
    client.force_login(played.owner)
    answer = client.get(f"/console/{played.code}/report.html")
    file = answer.content.decode()
    elements = Elements(file).found
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{played.code}.html"'
    assert [line["id"] for tag, line in elements if tag == "article"] == ["1-match", "2-match"]
    assert {tag for tag, _ in elements}.isdisjoint({"script", "link", "iframe", "object", "embed", "form"})
    assert not [tag for tag, attributes in elements if LOADED & attributes.keys()]
    ids = Counter(attributes["id"] for _, attributes in elements if "id" in attributes)
    assert [name for name, count in ids.items() if count > 1] == []
    targets = {attributes.get("href") or "#" for tag, attributes in elements if tag in {"a", "use"}}
    assert {target[1:] for target in targets if target[:1] == "#"} - ids.keys() <= {""}
    assert ("<b>" in file, "East" in file, '<html lang="de">' in file) == (False, False, True)
    assert "--red: #2f6fd0" in re.findall("<style>(.*?)</style>", file, re.DOTALL)[0]


def test_only_people_with_a_role_download_it(client: Client, played: Event, other: User) -> None:
    path = f"/console/{played.code}/report.html"
    assert client.get(path).status_code == 302
    client.force_login(other)
    assert client.get(path).status_code == 404
