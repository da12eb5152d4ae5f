"""The computer fills the free place of a cup with an odd number of teams."""

import pytest
from django.test import Client

from crowdgame.organizer.console.actions.matches import void_last_turn
from crowdgame.organizer.cups.cup_view import view_cup
from crowdgame.organizer.cups.cups import CupError, load_cup_progress, start_pairing
from crowdgame.organizer.cups.models import Cup
from crowdgame.organizer.cups.renaming import rename_cup
from crowdgame.organizer.cups.team_ranking import rank_teams
from tests.crowdgame.organizer.cups.cup_helpers import decide, new_cup
from tests.crowdgame.organizer.cups.test_cup_pages import FILLED, NEW, cup_path
from tests.voting.match_helpers import RED_WINS, only_turn, open_now, organizer, play
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event
from voting.sources.casting import cast_due
from voting.terms import PHONES
from voting.turns.turns import load_turn, start_match, to_boxed_turn

pytestmark = pytest.mark.django_db
THREE, COMPUTER = ("4a", "4b", "5a"), "Computer 2"


@pytest.fixture
def cup() -> Cup:
    """In its first pairing, 4a plays against the computer."""
    return new_cup(THREE, filler="2")


def sources(of: Cup | Event) -> list[tuple[str, str]]:
    return list(of.teams.order_by("pk").values_list("name", "source"))


@pytest.mark.parametrize(
    ("names", "filler", "added"),
    [("4a\n4b\n5a", "2", [("Ordinateur 2", "bot:2")]), ("4a\n4b\n5a", "", []), ("4a\n4b\n5a\n5b", "2", [])],
)
def test_computer_fills_odd_cup(olga: Client, names: str, filler: str, added: list[tuple[str, str]]) -> None:
    olga.post(NEW, FILLED | {"names": names, "filler": filler, "language": "fr"})
    assert sources(Cup.objects.get()) == [(name, PHONES) for name in names.split()] + added


def test_computer_votes_in_its_pairing_and_in_no_other(cup: Cup, box: BallotBox) -> None:
    first, second = (start_pairing(cup.pk, number) for number in (1, 2))
    assert sources(first) == [("4a", PHONES), (COMPUTER, "bot:2")]
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


def test_cup_board_offers_every_team_but_the_computer(cup: Cup, client: Client) -> None:
    event = start_pairing(cup.pk, 1)
    page = client.get(f"/cup/{cup.code}").content.decode()
    teams, _, bracket = page.partition('class="another"')
    assert [f"<strong><bdi>{name}</bdi>" in teams for name in (*THREE, COMPUTER)] == [True, True, True, False]
    assert f"<bdi>{COMPUTER}</bdi>" in bracket
    assert f'href="/{event.code}/1"' in teams
    assert f'href="/{event.code}/2"' not in page


def test_late_team_replaces_computer_before_its_first_pairing_only(olga: Client, cup: Cup) -> None:
    path, form = cup_path(cup, "edit/"), {"name": cup.name, "team_1": "4a", "team_2": "4b", "team_3": "5a"}
    assert "appears twice" in olga.post(path, form | {"team_1": COMPUTER}).content.decode()
    start_pairing(cup.pk, 2)
    page = olga.get(path).content.decode()
    assert ("Late team" in page, 'name="team_4"' in page) == (True, False)
    for late, added in (("", (COMPUTER, "bot:2")), ("5b", ("5b", PHONES))):
        olga.post(path, form | {"late_team": late})
        assert sources(cup)[-1] == added
    assert not start_pairing(cup.pk, 1).teams.exclude(source=PHONES).exists()
    assert "Late team" not in olga.get(path).content.decode()
    begun = new_cup(THREE, filler="2")
    start_pairing(begun.pk, 1)
    assert "Late team" not in olga.get(cup_path(begun, "edit/")).content.decode()
    with pytest.raises(CupError, match="already started"):
        rename_cup(begun.pk, begun.name, (*THREE, "5b"))
    rename_cup(begun.pk, "Autumn cup", THREE)
    assert sources(begun)[-1] == (COMPUTER, "bot:2")


def test_team_ladder_ignores_matches_against_the_computer(cup: Cup, box: BallotBox) -> None:
    for number in (1, 2):
        play(start_match(start_pairing(cup.pk, number).pk, box), box, RED_WINS)
    assert {row.name for row in rank_teams(organizer(), cup.game)} == {"4b", "5a"}
