"""A cup in the database: its pairings are events, and how it stands follows from their matches."""

import pytest

from crowdgame.console.control import abort_playing_match, void_last_turn
from crowdgame.cups.cup_view import view_cup
from crowdgame.cups.cups import (
    CupError,
    begin_pairing,
    delete_cup,
    give_walkover,
    read_course,
    take_walkover_back,
)
from crowdgame.cups.models import CupPairing
from games.models import Event, Match, TeamChoice
from tests.crowdgame.cups.cup_helpers import decide, let_win, new_cup
from tests.voting.match_helpers import RED_WINS, play
from voting.ballot_box.ballot_box import BallotBox
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db

YELLOW_WINS = [(yellow, red) for red, yellow in RED_WINS]


def test_a_pairing_is_an_event_on_the_cups_terms() -> None:
    cup = new_cup(window_s=45, options={"columns": 6}, best_of=3, next_match_after_s=30)
    event = begin_pairing(cup.pk, 1)
    assert (event.name, event.lobby, event.team_choice) == (
        "Spring cup: Semi-final 1",
        "open",
        TeamChoice.LINK,
    )
    assert [team.name for team in event.teams.order_by("number")] == ["4a", "5b"]
    assert (event.window_s, event.options, event.best_of, event.next_match_after_s) == (
        45,
        {"columns": 6},
        3,
        30,
    )
    assert len(cup.code) == 5
    assert event.owner == cup.owner


def test_of_one_match_there_is_no_series() -> None:
    event = begin_pairing(new_cup(next_match_after_s=30).pk, 1)
    assert (event.best_of, event.next_match_after_s) == (None, None)


def test_a_real_match_brings_its_winner_on(box: BallotBox) -> None:
    cup = new_cup()
    event = begin_pairing(cup.pk, 1)
    play(start_match(event.pk, box), box, YELLOW_WINS)
    assert view_cup(read_course(cup)).rounds[1].cards[0].seats[0].name == "5b"  # type: ignore[union-attr]
    void_last_turn(event.pk, None, box)
    assert view_cup(read_course(cup)).rounds[1].cards[0].seats[0].name == "Winner of semi-final 1"  # type: ignore[union-attr]


def test_the_cup_is_won_in_the_final() -> None:
    cup = new_cup()
    decide(cup, 1, 1)
    decide(cup, 2, 2)
    assert read_course(cup).champions == ()
    final = decide(cup, 3, 2)
    assert [team.name for team in final.teams.order_by("number")] == ["4a", "5a"]
    assert view_cup(read_course(cup)).champions == ("5a",)


def test_a_knock_out_goes_on_after_a_draw_and_a_league_does_not() -> None:
    for kind, over in (("knockout", False), ("league", True)):
        cup = new_cup(format=kind)
        decide(cup, 1, 0)
        assert read_course(cup).meetings[0].outcome.over is over


def test_an_aborted_match_counts_for_nothing(box: BallotBox) -> None:
    cup = new_cup()
    event = begin_pairing(cup.pk, 1)
    start_match(event.pk, box)
    abort_playing_match(event.pk, box)
    card = view_cup(read_course(cup)).now
    assert card is not None
    assert (card.number, card.state, card.reports) == (1, "on", ())


def test_who_presses_twice_begins_once() -> None:
    cup = new_cup()
    assert begin_pairing(cup.pk, 1) == begin_pairing(cup.pk, 1)
    assert Event.objects.count() == CupPairing.objects.count() == 1


@pytest.mark.parametrize("number", [3, 99])
def test_what_is_not_due_cannot_begin(number: int) -> None:
    cup = new_cup()
    with pytest.raises(CupError):
        begin_pairing(cup.pk, number)
    with pytest.raises(CupError):
        give_walkover(cup.pk, number, 1)
    assert not Event.objects.exists()
    assert not CupPairing.objects.exists()


def test_a_walkover_brings_on_and_can_be_taken_back() -> None:
    cup = new_cup()
    assert give_walkover(cup.pk, 1, 2) == "5b"
    assert read_course(cup).meetings[2].red == 4
    take_walkover_back(cup.pk, 1)
    assert read_course(cup).meetings[2].red is None
    assert not CupPairing.objects.exists()


def test_a_walkover_keeps_the_event_that_was_begun() -> None:
    cup = new_cup()
    event = begin_pairing(cup.pk, 1)
    give_walkover(cup.pk, 1, 1)
    with pytest.raises(CupError, match="over"):
        give_walkover(cup.pk, 1, 2)
    take_walkover_back(cup.pk, 1)
    assert begin_pairing(cup.pk, 1) == event


def test_no_walkover_while_a_match_is_playing_or_when_it_is_decided(box: BallotBox) -> None:
    cup = new_cup()
    start_match(begin_pairing(cup.pk, 1).pk, box)
    decide(cup, 2, 1)
    for number in (1, 2):
        with pytest.raises(CupError):
            give_walkover(cup.pk, number, 1)
    assert not CupPairing.objects.exclude(walkover=None).exists()


def test_a_walkover_stays_once_the_next_round_has_begun_with_it() -> None:
    cup = new_cup()
    for number in (1, 2):
        give_walkover(cup.pk, number, 1)
    begin_pairing(cup.pk, 3)
    with pytest.raises(CupError, match="begun"):
        take_walkover_back(cup.pk, 1)
    with pytest.raises(CupError, match="no walkover"):
        take_walkover_back(cup.pk, 3)
    assert read_course(cup).meetings[2].teams == (1, 2)


def test_a_pairing_between_others_than_are_due_now_is_begun_again() -> None:
    cup = new_cup()
    first = decide(cup, 1, 1)
    decide(cup, 2, 1)
    overtaken = begin_pairing(cup.pk, 3)
    first.matches.update(result="yellow")
    card = view_cup(read_course(cup)).now
    assert card is not None
    assert (card.number, card.state, card.overtaken, card.code) == (3, "due", True, "")
    again = begin_pairing(cup.pk, 3)
    assert again != overtaken
    assert again.teams.get(number=1).name == "5b"


def test_a_deleted_event_leaves_its_pairing_to_be_begun_again() -> None:
    cup = new_cup()
    decide(cup, 1, 1).delete()
    assert [meeting.due for meeting in read_course(cup).meetings] == [True, True, False]
    assert begin_pairing(cup.pk, 1).teams.count() == 2


def test_a_deleted_cup_keeps_its_events() -> None:
    cup = new_cup()
    decide(cup, 1, 1)
    delete_cup(cup)
    assert Event.objects.count() == Match.objects.count() == 1
    with pytest.raises(CupError, match="deleted"):
        begin_pairing(cup.pk, 2)


def test_a_cup_of_many_is_read_in_few_queries(django_assert_max_num_queries: object) -> None:
    cup = new_cup(tuple(f"Class {number}" for number in range(12)), format="league")
    for number in range(1, 8):
        decide(cup, number, 1)
    with django_assert_max_num_queries(4):  # type: ignore[operator]
        view_cup(read_course(cup))


SHORT, LONG = "Class", "The class of room"


@pytest.mark.parametrize(
    ("called", "teams", "sheets"),
    [
        *[(SHORT, 2, 1), (SHORT, 8, 1), (SHORT, 9, 3), (SHORT, 16, 3), (SHORT, 17, 5), (SHORT, 32, 5)],
        *[(LONG, 2, 1), (LONG, 4, 1), (LONG, 5, 2), (LONG, 8, 2), (LONG, 9, 5), (LONG, 16, 5)],
        *[(LONG, 17, 10), (LONG, 32, 10)],
    ],
)
def test_a_bracket_is_shown_in_sheets_of_eight_teams_or_four(called: str, teams: int, sheets: int) -> None:
    cup = new_cup(tuple(f"{called} {number}" for number in range(teams)))
    view = view_cup(read_course(cup))
    assert len(view.sheets) == sheets
    most = 4 if called == SHORT else 2
    assert all(sheet.kind == "round" or len(sheet.columns[0].cards) <= most for sheet in view.sheets)
    shown = [
        card.number for sheet in view.sheets for column in sheet.columns for card in column.cards if card
    ]
    assert sorted(shown) == list(range(1, teams))


def test_every_team_is_told_what_is_next_and_where_to_join() -> None:
    cup = new_cup()
    event = begin_pairing(cup.pk, 2)
    lines = {line.name: line for line in view_cup(read_course(cup)).teams}
    assert lines["4a"].status == "Next: Semi-final 1, against 5b"
    assert (lines["4b"].status, lines["4b"].link) == ("Semi-final 2, against 5a", f"/{event.code}/1")
    assert (lines["5a"].side, lines["5a"].link) == ("yellow", f"/{event.code}/2")
    let_win(event, 1)
    lines = {line.name: line for line in view_cup(read_course(cup)).teams}
    assert lines["4b"].status == "Next: Final, against the winner of semi-final 1"
    assert (lines["5a"].status, lines["5a"].link) == ("Is out", "")
