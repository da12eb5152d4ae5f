from importlib import import_module
from typing import Any

import pytest
from django.apps import apps
from django.test import Client

from crowdgame.events.models import AuditEntry
from crowdgame.organizer.console.actions.matches import abort_playing_match, void_last_turn
from crowdgame.organizer.cups import cups
from crowdgame.organizer.cups.cup_view import view_cup
from crowdgame.organizer.cups.cups import CupError, give_walkover, load_cup_progress, start_pairing
from crowdgame.organizer.cups.models import Cup, CupPairing
from crowdgame.organizer.cups.team_ranking import list_played_games, rank_teams
from tests.crowdgame.organizer.cups.cup_helpers import COMPUTER, THREE, decide, let_win, new_cup, sources
from tests.voting.match_helpers import RED_WINS, new_event, only_turn, open_now, organizer, play, play_turn
from tests.voting.page_fixtures import CLASSIC, SIMULTANEOUS
from voting.ballot_box.ballot_box import BallotBox
from voting.events import create_event
from voting.models import Event, Match
from voting.sources.casting import cast_due
from voting.terms import PHONES, Nicknames, TeamChoice
from voting.turns.turns import load_turn, start_match, to_boxed_turn

pytestmark = pytest.mark.django_db


def test_pairing_event_uses_the_cups_terms() -> None:
    terms: dict[str, Any] = {"window_s": 45, "options": {"columns": 6}, "best_of": 3}
    terms |= {"next_match_after_s": 30, "nicknames": Nicknames.TYPED}
    cup = new_cup(**terms)
    event = start_pairing(cup.pk, 1)
    assert (event.name, event.lobby) == ("Spring cup: Semi-final 1", "open")
    assert (event.team_choice, event.owner) == (TeamChoice.LINK, cup.owner)
    assert [team.name for team in event.teams.order_by("number")] == ["4a", "5b"]
    assert {name: getattr(event, name) for name in terms} == terms
    assert start_pairing(cup.pk, 1) == event, "a pairing begins once"
    assert Event.objects.count() == CupPairing.objects.count() == 1
    single = start_pairing(new_cup(next_match_after_s=30).pk, 1)
    assert (single.best_of, single.next_match_after_s) == (None, None)


def first_card(cup: Cup, round_index: int = 0) -> Any:
    return view_cup(load_cup_progress(cup)).rounds[round_index].cards[0]


def test_match_result_advances_winner_until_voided(box: BallotBox) -> None:
    def finalist() -> Any:
        return first_card(cup, 1).seats[0].name

    cup = new_cup()
    event = start_pairing(cup.pk, 1)
    start_match(event.pk, box)
    with pytest.raises(CupError):
        give_walkover(cup.pk, 1, 1)
    abort_playing_match(event.pk, box)
    card = first_card(cup)
    assert (view_cup(load_cup_progress(cup)).now, card.state, card.reports) == (card, "on", ())
    play(start_match(event.pk, box), box, [(yellow, red) for red, yellow in RED_WINS])
    assert finalist() == "5b"
    with pytest.raises(CupError):
        give_walkover(cup.pk, 1, 1)
    assert not CupPairing.objects.exclude(walkover=None).exists()
    void_last_turn(event.pk, None, box)
    assert finalist() == "Winner of semi-final 1"
    league = new_cup(("4a", "4b"), format="league", best_of=3, next_match_after_s=30)
    _, drawn = (decide(league, 1, place) for place in (1, 0))
    play(start_match(drawn.pk, box), box, [(yellow, red) for red, yellow in RED_WINS])
    assert Event.objects.get(pk=drawn.pk).next_match_at is None, "the pairing is over"


def test_final_decides_the_champion() -> None:
    cup = new_cup()
    for number in (3, 99):
        with pytest.raises(CupError):
            start_pairing(cup.pk, number)
        with pytest.raises(CupError):
            give_walkover(cup.pk, number, 1)
    assert (Event.objects.count(), CupPairing.objects.count()) == (0, 0)
    decide(cup, 1, 0)
    assert not load_cup_progress(cup).meetings[0].outcome.over, "a drawn match is repeated"
    decide(cup, 1, 1)
    decide(cup, 2, 2)
    assert load_cup_progress(cup).champions == ()
    final = decide(cup, 3, 2)
    assert [team.name for team in final.teams.order_by("number")] == ["4a", "5a"]
    assert view_cup(load_cup_progress(cup)).champions == ("5a",)
    league = new_cup(("4a", "4b"), format="league")
    decide(league, 1, 1)
    view = view_cup(load_cup_progress(league))
    assert (view.champions, view.side) == (("4a",), "")
    filled = new_cup(THREE, filler="2")
    for number in (1, 2):
        decide(filled, number, 2)
    last = start_pairing(filled.pk, 3)
    let_win(last, last.teams.get(source="bot:2").number)
    assert view_cup(load_cup_progress(filled)).champions == (COMPUTER,)


def test_walkover_can_be_undone_until_next_round_begins(box: BallotBox) -> None:
    cup = new_cup()
    event = start_pairing(cup.pk, 1)
    Event.objects.update(next_match_at=1)
    assert give_walkover(cup.pk, 1, 2) == "5b"
    assert Event.objects.values_list("next_match_at", "seq").get() == (None, event.seq + 1), "announced"
    assert load_cup_progress(cup).meetings[2].red == 4
    with pytest.raises(CupError, match="already decided"):
        give_walkover(cup.pk, 1, 1)
    cups.revoke_walkover(cup.pk, 1)
    assert load_cup_progress(cup).meetings[2].red is None
    assert start_pairing(cup.pk, 1) == event
    for number in (1, 2):
        give_walkover(cup.pk, number, 1)
    start_pairing(cup.pk, 3)
    for number, reason in ((1, "already started"), (3, "no walkover")):
        with pytest.raises(CupError, match=reason):
            cups.revoke_walkover(cup.pk, number)
    assert load_cup_progress(cup).meetings[2].teams == (1, 2)


def test_overtaken_or_deleted_pairing_is_begun_again() -> None:
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
    first.delete()
    assert [meeting.due for meeting in load_cup_progress(cup).meetings] == [True, False, False]
    assert start_pairing(cup.pk, 1).teams.count() == 2


def test_large_cup_is_read_in_few_queries(django_assert_max_num_queries: Any) -> None:
    cup = new_cup(tuple(f"Class {number}" for number in range(12)), format="league")
    for number in range(1, 8):
        decide(cup, number, 1)
    with django_assert_max_num_queries(4):
        view_cup(load_cup_progress(cup))


@pytest.mark.parametrize(
    ("called", "most", "sheets"),
    [
        ("Class", 4, {2: 1, 8: 1, 9: 3, 16: 3, 17: 5, 32: 5}),
        ("The class of room", 2, {2: 1, 4: 1, 5: 2, 8: 2, 9: 5, 16: 5, 17: 10, 32: 10}),
    ],
)
def test_bracket_is_split_into_sheets(called: str, most: int, sheets: dict[int, int]) -> None:
    for teams, count in sheets.items():
        view = view_cup(load_cup_progress(new_cup(tuple(f"{called} {number}" for number in range(teams)))))
        assert len(view.sheets) == count
        assert all(sheet.kind == "round" or len(sheet.columns[0].cards) <= most for sheet in view.sheets)
        columns = [column for sheet in view.sheets for column in sheet.columns]
        shown = [card.number for column in columns for card in column.cards if card]
        assert sorted(shown) == list(range(1, teams))


def test_team_lines_show_next_pairing_and_join_link() -> None:
    def lines() -> dict[str, tuple[str, str]]:
        return {line.name: (line.status, line.link) for line in view_cup(load_cup_progress(cup)).teams}

    cup = new_cup()
    event = start_pairing(cup.pk, 2)
    assert lines()["4a"] == ("Next: Semi-final 1, against 5b", "")
    assert lines()["4b"] == ("Semi-final 2, against 5a", f"/{event.code}/1")
    assert lines()["5a"] == ("Semi-final 2, against 4b", f"/{event.code}/2")
    let_win(event, 1)
    assert lines()["4b"] == ("Next: Final. Opponent: Winner of semi-final 1", "")
    assert lines()["5a"] == ("Eliminated", "")


@pytest.mark.parametrize(
    ("actions", "rehearsed"),
    [
        ({}, set()),
        *[({at: "start"}, {1}) for at in (50, 150)],
        *[({at: "start"}, {2}) for at in (200, 250)],
        ({50: "start", 250: "start"}, {1, 2}),
        ({400: "start"}, {3}),
        ({50: "start", 90: "stop"}, set()),
        ({50: "start", 110: "stop"}, {1}),
        ({50: "start", 90: "stop", 250: "start"}, {2}),
        ({100 - 30 * 60 * 1000: "start"}, set()),
    ],
)
def test_migration_marks_match_that_crowd_played(actions: dict[int, str], rehearsed: set[int]) -> None:
    event = new_event()
    for started_at in (100, 300, 500):
        match = let_win(event, 1)
        Match.objects.filter(pk=match.pk).update(started_at=started_at, ended_at=started_at + 100)
    playing = {"state": "playing", "result": None, "ended_by": None, "ended_at": None}
    Match.objects.filter(pk=match.pk).update(**playing)
    for at, action in actions.items():
        AuditEntry.objects.create(event=event, by="olga", action=f"rehearsal.{action}", what="", at=at)
    import_module("crowdgame.events.migrations.0007_organizations").mark_rehearsed_matches(apps, None)
    assert set(event.matches.filter(rehearsed=True).values_list("number", flat=True)) == rehearsed


def test_rehearsed_match_advances_nobody_and_next_match_does() -> None:
    cup = new_cup()
    event = start_pairing(cup.pk, 1)
    let_win(event, 1, rehearsed=True)
    card = first_card(cup)
    assert (card.state, card.rehearsed, card.reports, card.scored) == ("on", True, (), False)
    let_win(event, 2)
    card = first_card(cup)
    assert (card.state, card.reports, card.scored) == ("over", (2,), True)
    assert load_cup_progress(cup).meetings[0].outcome.winner == 2


def play_event(box: BallotBox, red: str, yellow: str) -> Match:
    match = start_match(create_event(organizer(), "An evening", (red, yellow), game=SIMULTANEOUS).pk, box)
    play(match, box, RED_WINS)
    return match


def test_team_keeps_rating_across_events_by_name(olga: Client, box: BallotBox) -> None:
    assert "No ratings yet" in olga.get("/console/ladder/").content.decode()
    play_event(box, "4a <b>", "4b")
    play_event(box, " 4A <b>", "4c")
    rows = rank_teams(organizer(), SIMULTANEOUS)
    found = [(row.place, row.name, row.games) for row in rows]
    assert found == [(1, "4A <b>", 2), (2, "4c", 1), (3, "4b", 1)]
    assert sum(row.rating for row in rows) == pytest.approx(3600, abs=60)
    otto = organizer("otto")
    assert (list(rank_teams(otto, SIMULTANEOUS)), list_played_games(otto)) == ([], []), "of other organizers"
    assert "4A &lt;b&gt;" in olga.get("/console/ladder/").content.decode()
    assert olga.get(f"/console/ladder/?game={CLASSIC}").status_code == 404
    assert "/console/ladder/" in olga.get("/console/").content.decode()


def test_ladder_ignores_aborted_rehearsed_and_computer_matches(box: BallotBox) -> None:
    match = play_event(box, "4a", "4b")
    Match.objects.filter(pk=match.pk).update(rehearsed=True)
    assert list_played_games(organizer()) == []
    aborted = create_event(organizer(), "Stopped", ("4a", "4b"))
    play_turn(only_turn(start_match(aborted.pk, box)), box, [1], [2])
    abort_playing_match(aborted.pk, box)
    play_event(box, "alike", "Alike")
    cup = new_cup(THREE, filler="2")
    play(start_match(start_pairing(cup.pk, 1).pk, box), box, RED_WINS)
    assert not rank_teams(organizer(), SIMULTANEOUS)


def test_computer_votes_in_its_pairing_and_in_no_other(box: BallotBox) -> None:
    cup = new_cup(THREE, filler="2")
    first, second = (start_pairing(cup.pk, number) for number in (1, 2))
    assert sources(first) == [("4a", PHONES), (COMPUTER, "bot:2")]
    match = start_match(first.pk, box)
    assert match.bots == {"yellow": 2, "version": 2}
    turn = only_turn(match)
    open_now(turn, box)
    cast_due(box)
    assert box.ballot_counts(to_boxed_turn(load_turn(turn.pk))) == {"red": 0, "yellow": 1}
    assert start_match(second.pk, box).bots is None
