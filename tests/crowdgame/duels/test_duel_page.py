"""The page of a duel: each visitor's board, the revealed turns, and the result."""

import re

import pytest
from django.test import Client

from crowdgame.duels.models import Duel
from tests.crowdgame.duels.test_play_pages import join_game, new_game, page
from tests.voting.match_helpers import RED_WINS, only_turn, open_now, play, play_out, play_turn, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.matches import load_position
from voting.models import Match

pytestmark = pytest.mark.django_db
KEYS = re.compile(r'(csrfmiddlewaretoken" value|data-key)="[^"]*"')
ACCEPT = re.compile(r'aria-describedby="(.*?)">Accept')
ROW = re.compile(r'<th scope="row">(\d+)</th><td>(.*?)</td><td>(.*?)</td>')


def begin(one: Client, two: Client, **form: str) -> str:
    code = new_game(one, **form)
    join_game(code, two)
    return f"/play/{code}"


def turns(client: Client, path: str) -> list[tuple[str, ...]]:
    return ROW.findall(page(client, path))


def board(client: Client, path: str) -> str:
    found = re.search(r'<iframe src="(.*?)"', page(client, path))
    return found[1] if found else ""


def test_players_have_their_own_board_and_spectators_the_display(box: BallotBox) -> None:
    one, two, watcher = Client(), Client(), Client()
    code = new_game(one)
    path = f"/play/{code}"
    assert board(watcher, path) == ""
    assert board(one, path).startswith(f"/{code}#")
    join_game(code, two)
    assert board(watcher, path) == f"/display/{code}"
    keys = {board(client, path) for client in (one, two)}
    assert len(keys) == 2
    assert all(key.rpartition("#")[2] not in page(watcher, path) for key in keys)
    assert one.get(path).headers["Cache-Control"] == "no-store"
    assert re.search(r'href="/rules/[a-z-]+"', page(watcher, path))


def test_turn_is_shown_only_after_its_reveal(box: BallotBox) -> None:
    one, two, watcher = Client(), Client(), Client()
    path = begin(one, two)
    turn = only_turn(Match.objects.get())
    open_now(turn, box)
    before = KEYS.sub("", page(watcher, path))
    vote(turn, box, [4])
    assert KEYS.sub("", page(watcher, path)) == before
    vote(turn, box, [], [5])
    assert KEYS.sub("", page(watcher, path)) == before
    play_out(turn, box)
    assert [turns(client, path) for client in (one, two, watcher)] == [[("1", "4", "5")]] * 3


def test_secret_half_of_single_selector_is_shown_with_the_other(box: BallotBox) -> None:
    one, two = Client(), Client()
    path = begin(one, two, game="single-selector")
    match = Match.objects.get()
    play_turn(only_turn(match), box, *choices(match, 4))
    assert turns(two, path) == []
    play_turn(only_turn(match), box, *choices(match, 6))
    assert sorted(choice for _, *both in turns(two, path) for choice in both) == ["", "", "4", "6"]


def choices(match: Match, column: int) -> tuple[list[int], list[int]]:
    """Return the votes of red and of yellow if the side that is to move chooses this column."""
    to_move = load_position(match).to_move
    return [column] * ("red" in to_move), [column] * ("yellow" in to_move)


def test_page_of_finished_match_says_who_won_and_why(box: BallotBox) -> None:
    one, two = Client(), Client()
    path = begin(one, two)
    match = Match.objects.get()
    play(match, box, RED_WINS)
    shown = page(one, path)
    assert f"<strong>{match.red.name} won</strong> · Four in a row" in shown
    assert len(turns(one, path)) == len(RED_WINS)
    assert f'href="/report/{Duel.objects.get().event.code}/1"' in shown
    assert "Rematch" in shown
    assert "Rematch" not in page(Client(), path)


def test_each_accept_button_is_described_by_its_offer(box: BallotBox) -> None:
    one, two = Client(), Client()
    path = begin(one, two, casual="on")
    match = Match.objects.get()
    play(match, box, RED_WINS[:1])
    for offer in ("draw", "takeback"):
        one.post(f"{path}/do/{offer}", {"turn": only_turn(match).pk})
    shown = page(two, path)
    texts = [re.search(f'id="{offer}">(.*?)<', shown) for offer in ACCEPT.findall(shown)]
    assert [text and text[1] for text in texts] == [
        "Your opponent offers a draw.",
        "Your opponent asks to take back the last turn.",
    ]
