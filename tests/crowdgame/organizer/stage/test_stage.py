from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from crowdgame.organizer.console.control import run_action
from crowdgame.organizer.cups.cups import give_walkover, load_cup_progress, start_pairing
from crowdgame.organizer.cups.models import Cup
from crowdgame.organizer.cups.podium import podium
from crowdgame.organizer.stage import views
from crowdgame.organizer.stage.program import CELEBRATION_MS, REPORT_AFTER_MS, Program, cup_program
from tests.crowdgame.organizer.cups.cup_helpers import decide, let_win, new_cup
from tests.voting.content_policy import sources
from tests.voting.match_helpers import new_event, organizer
from voting.admission.admission import projector_key
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Match
from voting.protocol import ActionAsk
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db
LATER = CELEBRATION_MS + 2  # `let_win` ends matches at time 2


def program(cup: Cup, now: int = LATER) -> Program:
    return cup_program(load_cup_progress(Cup.objects.get(pk=cup.pk)), now)


def ask(client: Client, code: str, key: str | None = None) -> Any:
    views._cache.clear()
    return client.get(f"/stage/{code}/now", headers={} if key is None else {"stage-key": key})


def test_cup_program_follows_cup_from_board_to_podium() -> None:
    cup = new_cup()
    assert program(cup) == Program("board")
    first = start_pairing(cup.pk, 1)
    assert program(cup) == Program("display", first)
    let_win(first, 1)
    assert program(cup, LATER - 1) == Program("display", first, report=1)
    assert program(cup, REPORT_AFTER_MS + 1) == Program("display", first)
    assert program(cup) == Program("board")
    decide(cup, 2, 2)
    assert program(cup) == Program("board")
    decide(cup, 3, 1)
    assert program(cup, LATER - 1).page == "display"
    assert program(cup) == Program("podium")


def test_cup_program_stays_with_match_that_began_first(box: BallotBox) -> None:
    cup = new_cup()
    first, second = start_pairing(cup.pk, 1), start_pairing(cup.pk, 2)
    assert program(cup).event == second
    start_match(first.pk, box)
    assert program(cup).event == first
    start_match(second.pk, box)
    Match.objects.filter(event=second).update(started_at=Match.objects.get(event=first).started_at + 1)
    assert program(cup).event == first
    Match.objects.filter(event=first).update(state="ended", result="red", ended_by="board", ended_at=5)
    assert program(cup, CELEBRATION_MS + 4).event == first
    assert program(cup, CELEBRATION_MS + 5).event == second


def test_cup_program_prefers_chosen_pairing_and_skips_walkovers(client: Client) -> None:
    cup = new_cup()
    first, second = start_pairing(cup.pk, 1), start_pairing(cup.pk, 2)
    client.force_login(organizer())
    page = client.post(f"/console/cups/{cup.code}/", {"ask": "show", "pairing": "1"}, follow=True)
    assert b"On the big screen" in page.content
    assert program(cup).event == first
    let_win(first, 1)
    assert program(cup).event == second
    give_walkover(cup.pk, 2, 1)
    assert program(cup) == Program("board")


@pytest.mark.parametrize(
    ("kind", "teams", "winners", "places"),
    [
        ("knockout", ("4a", "4b"), (1,), [(1, ["4a"]), (2, ["4b"])]),
        ("knockout", ("4a", "4b", "5a"), (1, 2), [(1, ["4b"]), (2, ["4a"]), (3, ["5a"])]),
        ("knockout", ("4a", "4b", "5a", "5b"), (1, 1, 1), [(1, ["4a"]), (2, ["4b"]), (3, ["5a", "5b"])]),
        ("league", ("4a", "4b", "5a"), (0, 0, 0), [(1, ["4a", "4b", "5a"])]),
    ],
)
def test_podium_follows_the_final_or_the_table(
    kind: str, teams: tuple[str, ...], winners: tuple[int, ...], places: list[Any]
) -> None:
    cup = new_cup(teams, format=kind)
    assert podium(load_cup_progress(cup)) == ()
    for number, winner in enumerate(winners, 1):
        decide(cup, number, winner)
    assert [(step.place, sorted(step.names)) for step in podium(load_cup_progress(cup))] == places


def test_display_keys_are_given_only_for_key_of_stage(client: Client, box: BallotBox) -> None:
    cup, other = new_cup(), new_cup(("6a", "6b"))
    event = start_pairing(cup.pk, 1)
    key, own = projector_key(cup.code, 0), projector_key(event.code, 0)
    shown = {"page": "display", "path": f"/display/{event.code}", "key": None, "report": None}
    assert ask(client, cup.code).json() == shown
    assert ask(client, cup.code, key).json() == shown | {"key": own}
    assert ask(client, event.code, own).json()["key"] == own
    for wrong in ("", "0" * 24, "é", own, projector_key(cup.code, 1)):
        assert ask(client, cup.code, wrong).status_code == 403
    assert ask(client, event.code, key).status_code == 403
    run_action(event.pk, ActionAsk(id=1, action="display.renew"), box)
    assert ask(client, cup.code, key).status_code == 403
    assert ask(client, cup.code, projector_key(cup.code, 1)).json()["key"] == projector_key(event.code, 1)
    assert ask(client, other.code, projector_key(other.code, 0)).status_code == 200


def test_pages_of_stage_have_own_framers_and_language_of_cup(client: Client) -> None:
    cup = new_cup(("4a", "4b"), language="de")
    client.cookies["django_language"] = "es"
    for path in ("ZZZZ", "ZZZZ/now", "ZZZZ/podium", f"{cup.code}/podium"):
        assert client.get(f"/stage/{path}").status_code == 404
    decide(cup, 1, 1)
    for path, framer in (
        (f"/cup/{cup.code}?stage", "'self'"),
        (f"/stage/{cup.code}/podium", "'self'"),
        (f"/stage/{cup.code.lower()}", "'none'"),
    ):
        answer = client.get(path)
        assert '<html lang="de">' in answer.content.decode()
        policy = sources(answer.headers["Content-Security-Policy"])
        assert policy["frame-ancestors"] == {framer}, path
        assert answer.headers["X-Frame-Options"] == ("SAMEORIGIN" if framer == "'self'" else "DENY")
        assert not answer.cookies
        assert client.post(path).status_code == 405
    assert policy["frame-src"] == policy["script-src"] == {"'self'"}


def test_program_is_cached_and_not_sent_unchanged(client: Client, django_assert_num_queries: Any) -> None:
    code = new_event().code
    answer = ask(client, code)
    with django_assert_num_queries(0):
        same = client.get(f"/stage/{code}/now", headers={"if-none-match": answer.headers["ETag"]})
    assert (same.status_code, same.content) == (304, b"")
    assert "stage-key" in answer.headers["Vary"].lower()


def test_console_of_cup_leads_to_its_stage_with_key(client: Client, other: User) -> None:
    cup = new_cup()
    path = f"/console/cups/{cup.code}/stage/"
    assert client.get(path).status_code == 302
    client.force_login(other)
    assert client.get(path).status_code == 404
    client.force_login(organizer())
    assert client.get(path).headers["Location"] == f"/stage/{cup.code}#{projector_key(cup.code, 0)}"
