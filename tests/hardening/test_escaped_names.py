import re

import pytest
from django.contrib.auth.models import User
from django.test import Client

from crowdgame.events.forms import EventForm
from crowdgame.server.laptop.paths import ROOT
from tests.voting.match_helpers import RED_WINS, play
from voting.ballot_box.ballot_box import BallotBox
from voting.events import create_event
from voting.turns.turns import start_match

SCRIPT = "<script>alert(1)</script>"
UNSAFE = re.compile(
    r"\|\s*safe\b|autoescape off|mark_safe|format_html\(f|innerHTML|document\.write|(?<![.\w])eval\("
)
# The phone's renderer escapes everything it is given (dom.test.ts). The templates embed our own drawings,
# whose text is escaped in `charts.py` and `board_drawing.py`.
DRAWN = "paper printing/about printing/rules reports/board_editor reports/match_body reports/match_file"
KNOWN = {"frontend/src/phone/dom.ts", *(f"crowdgame/templates/{name}.html" for name in DRAWN.split())}


@pytest.mark.django_db(transaction=True)
def test_script_in_a_name_is_escaped_on_every_page(client: Client, box: BallotBox) -> None:
    boss = User.objects.create_superuser("root")
    event = create_event(boss, f"a\u202eb\u200bc {SCRIPT}", (f"{SCRIPT}1", f"{SCRIPT}2"))
    assert event.name == f"abc {SCRIPT}"
    client.force_login(boss)
    play(start_match(event.pk, box), box, RED_WINS)
    console = f"/console/{event.code}"
    for page in ("/console/", f"{console}/edit/", f"{console}/delete/", f"/report/{event.code}/1"):
        text = client.get(page).content.decode()
        assert SCRIPT not in text
        assert "&lt;script&gt;" in text


@pytest.mark.django_db
def test_event_form_cleans_names_and_refuses_invisible_ones() -> None:
    form = EventForm({"name": " A\u200b  \u202enight ", "team_1": "\u3164", "team_2": "\ufeff\u2066"})
    assert not form.is_valid()
    assert form.cleaned_data["name"] == "A night"
    assert {"team_1", "team_2"} <= form.errors.keys()


def test_sources_contain_no_unsafe_markup_or_eval() -> None:
    scripts = ("crowdgame/**/*.html", "crowdgame/**/static/**/*.js", "frontend/src/**/*.ts*")
    kinds = (*scripts, "voting/**/*.py", "games/**/*.py", "crowdgame/**/*.py")
    sources = [path for kind in kinds for path in ROOT.glob(kind)]
    found = {str(path.relative_to(ROOT)) for path in sources if UNSAFE.search(path.read_text())}
    assert found <= KNOWN, found - KNOWN
