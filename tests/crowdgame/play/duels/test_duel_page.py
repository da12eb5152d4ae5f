"""The page of a duel: each visitor's board, the revealed turns, and the result."""

import re

import pytest
from django.test import Client

from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.play.duels.duel_view import view_duel
from crowdgame.play.duels.duels import DuelSettings, find_duel, join_duel, new_duel, start_for_one
from crowdgame.play.duels.models import Duel
from tests.crowdgame.play.duels.test_play_pages import join_game, new_game, page
from tests.voting.match_helpers import RED_WINS, only_turn, open_now, play, play_out, play_turn, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import PresenceCounts
from voting.models import Match
from voting.positions import load_position

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


def permissions(duel: Duel, guest: Guest) -> tuple[tuple[bool, ...], bool, tuple[str, ...]]:
    """Whether the page shows the link, start and withdraw; whether it has a board; the player's actions."""
    match = Match.objects.filter(event=duel.event).select_related("event", "red", "yellow").last()
    view = view_duel(find_duel(duel.event.code), match, guest, PresenceCounts())
    viewer = view.viewer
    shown = (viewer.shows_invite, viewer.may_start, viewer.may_withdraw)
    return shown, bool(viewer.board), viewer.actions.names if viewer.actions else ()


def test_page_offers_what_players_may_do_and_visitors_nothing(box: BallotBox) -> None:
    guest, visitor = new_guest(), new_guest()
    for casual, late in ((False, ("resign", "draw")), (True, ("resign", "draw", "takeback"))):
        duel = new_duel(guest, DuelSettings(casual=casual))
        assert permissions(duel, guest) == ((True, False, True), True, ())
        assert permissions(duel, visitor) == ((False, False, False), False, ())
        join_duel(duel.event.code, new_guest(), box)
        assert permissions(duel, guest) == ((False, False, False), True, ("abort", "draw"))
        assert permissions(duel, visitor) == ((False, False, False), True, ())
        play(Match.objects.get(event=duel.event), box, RED_WINS[:1])
        assert permissions(duel, guest)[2] == late


def test_page_of_crowd_game_offers_only_what_its_creator_may_do(box: BallotBox) -> None:
    guest, visitor = new_guest(), new_guest()
    duel = new_duel(guest, DuelSettings(crowd=True, casual=True))
    assert permissions(duel, guest) == ((True, True, True), False, ())
    start_for_one(duel.event.code, guest, box)
    assert permissions(duel, guest) == ((True, False, False), True, ("abort",))
    play(Match.objects.get(), box, RED_WINS[:1])
    assert permissions(duel, guest)[2] == ("resign",)
    play(Match.objects.get(), box, RED_WINS[1:])
    assert permissions(duel, guest) == ((False, True, False), True, ())
    assert permissions(duel, visitor) == ((False, False, False), True, ())


def test_open_offer_is_shown_to_both_and_accepted_by_the_opponent_only(box: BallotBox) -> None:
    one, two = Client(), Client()
    path = begin(one, two)
    turn = only_turn(Match.objects.get()).pk
    one.post(f"{path}/do/draw", {"turn": turn})
    assert "You offered a draw" in page(one, path)
    assert [len(ACCEPT.findall(page(client, path))) for client in (one, two, Client())] == [0, 1, 0]
    two.post(f"{path}/do/decline", {"turn": turn})
    assert "You offered a draw" not in page(one, path)
    assert not ACCEPT.search(page(two, path))


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
