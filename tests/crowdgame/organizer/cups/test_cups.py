"""Cups in the database: pairings are events, and the standings follow from their matches."""

from typing import Any

import pytest
from pytest_django import DjangoAssertNumQueries

from crowdgame.organizer.console.actions.matches import abort_playing_match, void_last_turn
from crowdgame.organizer.cups.cup_view import view_cup
from crowdgame.organizer.cups.cups import (
    CupError,
    give_walkover,
    load_cup_progress,
    revoke_walkover,
    start_pairing,
)
from crowdgame.organizer.cups.models import CupPairing
from tests.crowdgame.organizer.cups.cup_helpers import decide, let_win, new_cup
from tests.voting.match_helpers import RED_WINS, play
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Match
from voting.terms import Nicknames, TeamChoice
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db

YELLOW_WINS = [(yellow, red) for red, yellow in RED_WINS]


def test_pairing_event_uses_the_cups_terms() -> None:
    terms: dict[str, Any] = {
        "window_s": 45,
        "options": {"columns": 6},
        "best_of": 3,
        "next_match_after_s": 30,
        "nicknames": Nicknames.TYPED,
    }
    cup = new_cup(**terms)
    event = start_pairing(cup.pk, 1)
    assert (event.name, event.lobby) == ("Spring cup: Semi-final 1", "open")
    assert (event.team_choice, event.owner) == (TeamChoice.LINK, cup.owner)
    assert [team.name for team in event.teams.order_by("number")] == ["4a", "5b"]
    assert {name: getattr(event, name) for name in terms} == terms
    assert len(cup.code) == 5
    assert start_pairing(cup.pk, 1) == event, "a pairing begins once"
    assert Event.objects.count() == CupPairing.objects.count() == 1


def test_single_match_pairing_has_no_series() -> None:
    event = start_pairing(new_cup(next_match_after_s=30).pk, 1)
    assert (event.best_of, event.next_match_after_s) == (None, None)


def test_match_result_advances_winner_until_voided(box: BallotBox) -> None:
    def finalist() -> str:
        card = view_cup(load_cup_progress(cup)).rounds[1].cards[0]
        assert card
        return card.seats[0].name

    cup = new_cup()
    event = start_pairing(cup.pk, 1)
    play(start_match(event.pk, box), box, YELLOW_WINS)
    assert finalist() == "5b"
    void_last_turn(event.pk, None, box)
    assert finalist() == "Winner of semi-final 1"


def test_final_decides_the_champion() -> None:
    cup = new_cup()
    decide(cup, 1, 0)
    assert not load_cup_progress(cup).meetings[0].outcome.over, "a drawn match is repeated"
    decide(cup, 1, 1)
    decide(cup, 2, 2)
    assert load_cup_progress(cup).champions == ()
    final = decide(cup, 3, 2)
    assert [team.name for team in final.teams.order_by("number")] == ["4a", "5a"]
    assert view_cup(load_cup_progress(cup)).champions == ("5a",)


def test_aborted_match_does_not_count(box: BallotBox) -> None:
    cup = new_cup()
    event = start_pairing(cup.pk, 1)
    start_match(event.pk, box)
    abort_playing_match(event.pk, box)
    card = view_cup(load_cup_progress(cup)).now
    assert card is not None
    assert (card.number, card.state, card.reports) == (1, "on", ())


@pytest.mark.parametrize("number", [3, 99])
def test_pairing_that_is_not_due_cannot_begin(number: int) -> None:
    cup = new_cup()
    with pytest.raises(CupError):
        start_pairing(cup.pk, number)
    with pytest.raises(CupError):
        give_walkover(cup.pk, number, 1)
    assert not Event.objects.exists()
    assert not CupPairing.objects.exists()


def test_walkover_advances_team_and_can_be_undone() -> None:
    cup = new_cup()
    event = start_pairing(cup.pk, 1)
    assert give_walkover(cup.pk, 1, 2) == "5b"
    assert load_cup_progress(cup).meetings[2].red == 4
    with pytest.raises(CupError, match="already decided"):
        give_walkover(cup.pk, 1, 1)
    revoke_walkover(cup.pk, 1)
    assert load_cup_progress(cup).meetings[2].red is None
    assert start_pairing(cup.pk, 1) == event


def test_walkover_is_refused_during_match_or_after_decision(box: BallotBox) -> None:
    cup = new_cup()
    start_match(start_pairing(cup.pk, 1).pk, box)
    decide(cup, 2, 1)
    for number in (1, 2):
        with pytest.raises(CupError):
            give_walkover(cup.pk, number, 1)
    assert not CupPairing.objects.exclude(walkover=None).exists()


def test_walkover_is_final_once_next_round_has_begun() -> None:
    cup = new_cup()
    for number in (1, 2):
        give_walkover(cup.pk, number, 1)
    start_pairing(cup.pk, 3)
    with pytest.raises(CupError, match="already started"):
        revoke_walkover(cup.pk, 1)
    with pytest.raises(CupError, match="no walkover"):
        revoke_walkover(cup.pk, 3)
    assert load_cup_progress(cup).meetings[2].teams == (1, 2)


def test_overtaken_pairing_is_begun_again() -> None:
    cup = new_cup()
    first = decide(cup, 1, 1)
    decide(cup, 2, 1)
    superseded = start_pairing(cup.pk, 3)
    first.matches.update(result="yellow")
    card = view_cup(load_cup_progress(cup)).now
    assert card is not None
    assert (card.number, card.state, card.superseded, card.code) == (3, "due", True, "")
    again = start_pairing(cup.pk, 3)
    assert again != superseded
    assert again.teams.get(number=1).name == "5b"


def test_deleted_event_makes_pairing_due_again() -> None:
    cup = new_cup()
    decide(cup, 1, 1).delete()
    assert [meeting.due for meeting in load_cup_progress(cup).meetings] == [True, True, False]
    assert start_pairing(cup.pk, 1).teams.count() == 2


def test_deleted_cup_keeps_its_events() -> None:
    cup = new_cup()
    decide(cup, 1, 1)
    cup.delete()
    assert Event.objects.count() == Match.objects.count() == 1
    with pytest.raises(CupError, match="deleted"):
        start_pairing(cup.pk, 2)


def test_large_cup_is_read_in_few_queries(django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    cup = new_cup(tuple(f"Class {number}" for number in range(12)), format="league")
    for number in range(1, 8):
        decide(cup, number, 1)
    with django_assert_max_num_queries(4):
        view_cup(load_cup_progress(cup))


SHORT, LONG = "Class", "The class of room"


@pytest.mark.parametrize(
    ("called", "teams", "sheets"),
    [
        *[(SHORT, 2, 1), (SHORT, 8, 1), (SHORT, 9, 3), (SHORT, 16, 3), (SHORT, 17, 5), (SHORT, 32, 5)],
        *[(LONG, 2, 1), (LONG, 4, 1), (LONG, 5, 2), (LONG, 8, 2), (LONG, 9, 5), (LONG, 16, 5)],
        *[(LONG, 17, 10), (LONG, 32, 10)],
    ],
)
def test_bracket_is_split_into_sheets(called: str, teams: int, sheets: int) -> None:
    cup = new_cup(tuple(f"{called} {number}" for number in range(teams)))
    view = view_cup(load_cup_progress(cup))
    assert len(view.sheets) == sheets
    most = 4 if called == SHORT else 2
    assert all(sheet.kind == "round" or len(sheet.columns[0].cards) <= most for sheet in view.sheets)
    shown = [
        card.number for sheet in view.sheets for column in sheet.columns for card in column.cards if card
    ]
    assert sorted(shown) == list(range(1, teams))


def test_team_lines_show_next_pairing_and_join_link() -> None:
    cup = new_cup()
    event = start_pairing(cup.pk, 2)
    lines = {line.name: line for line in view_cup(load_cup_progress(cup)).teams}
    assert lines["4a"].status == "Next: Semi-final 1, against 5b"
    assert (lines["4b"].status, lines["4b"].link) == ("Semi-final 2, against 5a", f"/{event.code}/1")
    assert (lines["5a"].side, lines["5a"].link) == ("yellow", f"/{event.code}/2")
    let_win(event, 1)
    lines = {line.name: line for line in view_cup(load_cup_progress(cup)).teams}
    assert lines["4b"].status == "Next: Final. Opponent: Winner of semi-final 1"
    assert (lines["5a"].status, lines["5a"].link) == ("Eliminated", "")
