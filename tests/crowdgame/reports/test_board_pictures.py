"""`/board/CODE.png`: what a link is shown with. It tells the board between turns, and no vote."""

import re
from pathlib import Path

import pytest
from django.test import Client

from crowdgame.accounts.guest_names import new_guest
from crowdgame.duels.duels import DuelSettings, new_duel
from crowdgame.reports import png as pictures
from crowdgame.reports.png import SHEETS, STATIC, render_picture
from crowdgame.reports.preview import draw_preview, plain_style
from games.engine.game import Board
from games.engine.registry import all_games, find_game, read_options
from tests.voting.match_helpers import RED_WINS, new_event, open_now, play, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.turns.turns import start_match

PNG, SIZE = b"\x89PNG\r\n\x1a\n", (1200, 630)
MOST_BYTES = 100_000
STYLE = plain_style("".join((STATIC / sheet).read_text() for sheet in SHEETS))


def size_of(picture: bytes) -> tuple[int, int]:
    assert picture.startswith(PNG)
    return int.from_bytes(picture[16:20]), int.from_bytes(picture[20:24])


def first_board(slug: str = "captains-mistress") -> Board:
    game = find_game(slug)
    return game.view(game.start(game.draw_lots(read_options(game, {}), 1)), None)


def asked(client: Client, path: str) -> bytes:
    answer = client.get(path)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "image/png")
    return answer.content


def linked(client: Client, path: str) -> str:
    found = re.search(
        r'property="og:image" content="http://testserver([^"]+)"', client.get(path).content.decode()
    )
    assert found
    return found[1]


@pytest.mark.django_db
def test_a_link_to_a_game_shows_its_board_anew_with_each_turn(client: Client, box: BallotBox) -> None:
    match = start_match(new_event().pk, box)
    page = f"/report/{match.event.code}/{match.number}"
    before = linked(client, page)
    empty = asked(client, before)
    assert size_of(empty) == SIZE
    assert len(empty) <= MOST_BYTES
    play(match, box, RED_WINS[:1])
    assert linked(client, page) != before
    assert asked(client, linked(client, page)) != empty


@pytest.mark.django_db
def test_no_vote_of_an_open_turn_is_in_it(client: Client, box: BallotBox) -> None:
    match = start_match(new_event().pk, box)
    path = f"/board/{match.event.code}.png"
    before = asked(client, path)
    turn = match.turns.get()
    open_now(turn, box)
    vote(turn, box, red=[3], yellow=[4])
    pictures._cache.clear()
    assert asked(client, path) == before


@pytest.mark.django_db
def test_a_game_that_waits_has_one_and_a_stranger_none(client: Client, box: BallotBox) -> None:
    duel = new_duel(new_guest(), DuelSettings())
    assert size_of(asked(client, linked(client, f"/play/{duel.event.code}"))) == SIZE
    for path in ("/board/ZZZZ.png", f"/board/{duel.event.code}/1.png"):
        assert client.get(path).status_code == 404


@pytest.mark.django_db
def test_who_comes_while_others_are_drawn_is_told_when_to_come_back(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    duel = new_duel(new_guest(), DuelSettings())
    monkeypatch.setattr(pictures, "LOCK_TIMEOUT_S", 0.01)
    pictures._cache.clear()
    with pictures._render_lock:
        answer = client.get(f"/board/{duel.event.code}.png")
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "10")


@pytest.mark.parametrize("slug", all_games())
def test_every_game_has_its_picture(slug: str) -> None:
    assert size_of(render_picture(("test", slug), first_board(slug), None)) == SIZE


def test_it_is_drawn_once(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []

    def draw(drawing: str) -> bytes:
        drawn.append(drawing)
        return PNG

    monkeypatch.setattr(pictures, "_draw", draw)
    for turn in (1, 1, 2, *range(10, 10 + pictures.MAX_CACHED)):
        render_picture(("once", turn), first_board(), None)
    assert len(drawn) == 2 + pictures.MAX_CACHED
    assert len(pictures._cache) == pictures.MAX_CACHED


def test_its_colours_are_those_of_the_pages() -> None:
    tokens = dict(re.findall(r"(--[\w-]+): (#\w+);", Path(STATIC / SHEETS[0]).read_text()))
    assert f"fill: {tokens['--red']};" in STYLE
    assert "var(" not in STYLE
    assert '.mark[data-side="yellow"] polyline {' in STYLE
    assert "display: flex" not in STYLE


def test_the_loser_is_dimmed() -> None:
    assert [
        draw_preview(first_board(), who, "").count('opacity="0.3"') for who in (None, "red", "yellow")
    ] == [
        0,
        1,
        1,
    ]
