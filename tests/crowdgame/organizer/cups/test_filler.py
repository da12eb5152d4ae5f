"""The computer fills the free place of a cup with an odd number of teams."""

import pytest
from django.test import Client

from crowdgame.organizer.console.actions.matches import void_last_turn
from crowdgame.organizer.cups.cup_view import view_cup
from crowdgame.organizer.cups.cups import (
    CupError,
    give_walkover,
    load_cup_progress,
    revoke_walkover,
    start_pairing,
)
from crowdgame.organizer.cups.models import Cup
from crowdgame.organizer.cups.pairing import CupFormat
from crowdgame.organizer.cups.renaming import rename_cup
from crowdgame.organizer.cups.team_ranking import rank_teams
from tests.crowdgame.organizer.cups.cup_helpers import decide, new_cup
from tests.crowdgame.organizer.cups.test_cup_pages import FILLED, cup_path, edit_path
from tests.voting.match_helpers import RED_WINS, only_turn, open_now, organizer, play
from voting.ballot_box.ballot_box import BallotBox
from voting.sources.casting import cast_due
from voting.terms import PHONES
from voting.turns.turns import load_turn, start_match, to_boxed_turn

pytestmark = pytest.mark.django_db

THREE = ("4a", "4b", "5a")
COMPUTER = "Computer 2"


@pytest.fixture
def cup() -> Cup:
    """In its first pairing, 4a plays against the computer."""
    return new_cup(THREE, filler="2")


def sources(cup: Cup) -> list[tuple[str, str]]:
    return list(cup.teams.order_by("seed").values_list("name", "source"))


@pytest.mark.parametrize(
    ("names", "filler", "added"),
    [
        ("4a\n4b\n5a", "2", [("Ordinateur 2", "bot:2")]),
        ("4a\n4b\n5a", "", []),
        ("4a\n4b\n5a\n5b", "2", []),
    ],
)
def test_cup_form_adds_computer_to_odd_number_of_teams_only(
    olga: Client, names: str, filler: str, added: list[tuple[str, str]]
) -> None:
    olga.post("/console/cups/new/", FILLED | {"names": names, "filler": filler, "language": "fr"})
    assert sources(Cup.objects.get()) == [(name, PHONES) for name in names.split()] + added


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"names": "4a", "filler": "2"}, "A cup has 2 to 32 teams."),
        ({"names": "4a\n4b\ncomputer 2", "filler": "2"}, "“Computer 2” appears twice."),
        ({"names": "4a\n4b\n5a", "filler": "6"}, "6 is not one of the available choices"),
    ],
)
def test_invalid_filler_shows_error_and_creates_no_cup(
    olga: Client, changes: dict[str, str], error: str
) -> None:
    assert error in olga.post("/console/cups/new/", FILLED | changes).content.decode()
    assert not Cup.objects.exists()


def test_computer_votes_in_its_pairing_and_in_no_other(cup: Cup, box: BallotBox) -> None:
    first, second = (start_pairing(cup.pk, number) for number in (1, 2))
    assert [(team.name, team.source) for team in first.teams.order_by("number")] == [
        ("4a", PHONES),
        (COMPUTER, "bot:2"),
    ]
    match = start_match(first.pk, box)
    assert match.bots == {"yellow": 2, "version": 2}
    turn = only_turn(match)
    open_now(turn, box)
    cast_due(box)
    assert box.ballot_counts(to_boxed_turn(load_turn(turn.pk))) == {"red": 0, "yellow": 1}
    assert start_match(second.pk, box).bots is None


def test_computer_that_wins_the_cup_is_its_champion_until_turn_is_voided(cup: Cup, box: BallotBox) -> None:
    decide(cup, 1, 2)
    decide(cup, 2, 1)
    final = start_pairing(cup.pk, 3)
    (place,) = final.teams.filter(source="bot:2").values_list("number", flat=True)
    winning = RED_WINS if place == 1 else [(yellow, red) for red, yellow in RED_WINS]
    play(start_match(final.pk, box), box, winning)
    assert view_cup(load_cup_progress(cup)).champions == (COMPUTER,)
    void_last_turn(final.pk, None, box)
    assert view_cup(load_cup_progress(cup)).champions == ()


def test_computer_has_a_row_in_the_table_of_a_league() -> None:
    cup = new_cup(THREE, filler="2", format=CupFormat.LEAGUE)
    progress = load_cup_progress(cup)
    for meeting in progress.meetings:
        decide(cup, meeting.pairing.number, 0)
    table = view_cup(load_cup_progress(cup)).table
    assert {(line.name, line.row.played, line.row.place) for line in table} == {
        (name, 3, 1) for name in (*THREE, COMPUTER)
    }


def test_cup_board_offers_every_team_but_the_computer(cup: Cup, client: Client) -> None:
    event = start_pairing(cup.pk, 1)
    page = client.get(f"/cup/{cup.code}").content.decode()
    teams, _, bracket = page.partition('class="another"')
    assert [f"<strong><bdi>{name}</bdi>" in teams for name in (*THREE, COMPUTER)] == [True, True, True, False]
    assert f"<bdi>{COMPUTER}</bdi>" in bracket
    assert f'href="/{event.code}/1"' in teams
    assert f'href="/{event.code}/2"' not in page


def test_walkover_against_the_computer_can_be_undone(cup: Cup) -> None:
    give_walkover(cup.pk, 1, 1)
    assert load_cup_progress(cup).meetings[2].red == 1
    revoke_walkover(cup.pk, 1)
    assert load_cup_progress(cup).meetings[0].due


def test_late_team_replaces_computer_before_its_first_pairing(olga: Client, cup: Cup) -> None:
    start_pairing(cup.pk, 2)
    teams = {f"team_{seed}": name for seed, name in enumerate(THREE, 1)}
    assert 'name="team_4"' not in olga.get(edit_path(cup)).content.decode()
    olga.post(edit_path(cup), teams | {"name": cup.name, "late_team": ""})
    assert sources(cup)[-1] == (COMPUTER, "bot:2")
    olga.post(edit_path(cup), teams | {"name": cup.name, "late_team": "5b"})
    assert sources(cup)[-1] == ("5b", PHONES)
    assert not start_pairing(cup.pk, 1).teams.exclude(source=PHONES).exists()
    assert "Late team" not in olga.get(edit_path(cup)).content.decode()


def test_late_team_is_refused_once_the_computer_plays(olga: Client, cup: Cup) -> None:
    assert "Late team" in olga.get(edit_path(cup)).content.decode()
    start_pairing(cup.pk, 1)
    assert "Late team" not in olga.get(edit_path(cup)).content.decode()
    with pytest.raises(CupError, match="already started"):
        rename_cup(cup.pk, cup.name, (*THREE, "5b"))
    rename_cup(cup.pk, "Autumn cup", THREE)
    assert sources(cup)[-1] == (COMPUTER, "bot:2")


def test_team_cannot_be_renamed_to_the_computer(olga: Client, cup: Cup) -> None:
    renamed = {"name": cup.name, "team_1": COMPUTER, "team_2": "4b", "team_3": "5a"}
    assert "appears twice" in olga.post(edit_path(cup), renamed).content.decode()


def test_left_over_student_of_an_odd_class_plays_the_computer(olga: Client) -> None:
    template = "/console/cups/new/?like=first-game"
    assert 'name="filler"' in olga.get(template).content.decode()
    students = "Ada\nBen\nCleo\nDavid\nEmma"
    olga.post(template, FILLED | {"names": students, "format": "league", "filler": "1"})
    progress = load_cup_progress(Cup.objects.get())
    for number in range(1, 6):
        playing = [
            seed for meeting in progress.meetings if meeting.pairing.round == number for seed in meeting.teams
        ]
        assert sorted(seed or 0 for seed in playing) == [1, 2, 3, 4, 5, 6], "nobody is left over"
    assert "Computer 1" in olga.get(cup_path(progress.cup)).content.decode()


def test_team_ladder_ignores_matches_against_the_computer(cup: Cup, box: BallotBox) -> None:
    for number, winner in ((1, RED_WINS), (2, RED_WINS)):
        play(start_match(start_pairing(cup.pk, number).pk, box), box, winner)
    assert {row.name for row in rank_teams(organizer(), cup.game)} == {"4b", "5a"}
