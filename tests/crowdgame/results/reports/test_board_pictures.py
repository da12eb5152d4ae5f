"""The link preview `/board/CODE.png` shows the board between turns, and no votes."""

import re
from pathlib import Path

import pytest
from django.test import Client

from crowdgame.accounts.guest_names import new_guest
from crowdgame.play.duels.duels import DuelSettings, new_duel
from crowdgame.results.reports import png as pictures
from crowdgame.results.reports.png import SHEETS, STATIC, render_picture
from crowdgame.results.reports.preview import draw_preview, plain_style
from games.engine.game import Board, Side
from games.engine.registry import all_games, find_game, read_options
from tests.voting.match_helpers import RED_WINS, new_event, open_now, play, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Team
from voting.turns.turns import start_match

PNG, SIZE = b"\x89PNG\r\n\x1a\n", (1200, 630)
TEAMS: dict[Side, str] = {"red": "Rooks", "yellow": "Doves"}
STYLE = plain_style("".join((STATIC / sheet).read_text() for sheet in SHEETS))


def size_of(picture: bytes) -> tuple[int, int]:
    assert picture.startswith(PNG)
    return int.from_bytes(picture[16:20]), int.from_bytes(picture[20:24])


def first_board(slug: str = "captains-mistress") -> Board:
    game = find_game(slug)
    return game.view(game.start(game.draw_lots(read_options(game, {}), 1)), None)


def fetch_image(client: Client, path: str) -> bytes:
    response = client.get(path)
    assert (response.status_code, response.headers["Content-Type"]) == (200, "image/png")
    return response.content


def preview_path(client: Client, path: str) -> str:
    found = re.search(
        r'property="og:image" content="http://testserver([^"]+)"', client.get(path).content.decode()
    )
    assert found
    return found[1]


@pytest.mark.django_db
def test_preview_image_changes_with_each_turn(client: Client, box: BallotBox) -> None:
    match = start_match(new_event().pk, box)
    page = f"/report/{match.event.code}/{match.number}"
    before = preview_path(client, page)
    empty = fetch_image(client, before)
    assert size_of(empty) == SIZE
    assert len(empty) <= 100_000
    play(match, box, RED_WINS[:1])
    assert preview_path(client, page) != before
    assert fetch_image(client, preview_path(client, page)) != empty


@pytest.mark.django_db
def test_preview_image_shows_no_open_votes(client: Client, box: BallotBox) -> None:
    match = start_match(new_event().pk, box)
    path = f"/board/{match.event.code}.png"
    before = fetch_image(client, path)
    turn = match.turns.get()
    open_now(turn, box)
    vote(turn, box, red=[3], yellow=[4])
    pictures._cache.clear()
    assert fetch_image(client, path) == before


@pytest.mark.django_db
def test_waiting_duel_has_preview_image(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    code = new_duel(new_guest(), DuelSettings()).event.code
    assert size_of(fetch_image(client, preview_path(client, f"/play/{code}"))) == SIZE
    monkeypatch.setattr(pictures, "LOCK_TIMEOUT_S", 0.01)
    pictures._cache.clear()
    with pictures._render_lock:
        busy = client.get(f"/board/{code}.png")
    assert (busy.status_code, busy.headers["Retry-After"]) == (503, "10")


@pytest.mark.django_db
def test_preview_image_has_result_and_names_in_the_language_of_the_event(
    client: Client, box: BallotBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = start_match(new_event().pk, box)
    play(match, box, RED_WINS)
    pictures._cache.clear()
    monkeypatch.setattr(pictures, "_draw", lambda _drawing: PNG)
    client.get(f"/board/{match.event.code}.png")
    assert written(next(iter(pictures._cache))) == ["Rooks", "Doves", "Rooks won"]
    Event.objects.filter(pk=match.event_id).update(language="de")
    Team.objects.filter(event=match.event_id, number=1).update(name="<b>&")
    client.get(f"/board/{match.event.code}/1.png")
    assert written([*pictures._cache][1]) == ["&lt;b&gt;&amp;", "Doves", "&lt;b&gt;&amp; gewinnt"]


def written(drawing: str) -> list[str]:
    return re.findall(r'<text class="words"[^>]*>(.*?)</text>', drawing)


def test_preview_image_shows_names_in_all_scripts() -> None:
    """The renderer leaves out lines for which it finds no font."""
    lines = (" ", "Owls", "فريق المدرسة", "第三中学", "한국어 팀", "😀")
    pictures = {render_picture(draw_preview(first_board(), None, STYLE, line, TEAMS)) for line in lines}
    assert len(pictures) == len(lines)


@pytest.mark.parametrize(
    "name", ["W" * 40, "the gulls of the large northern beach in", "第" * 40, "صقور " * 8]
)
def test_long_names_stay_on_their_side_of_the_preview(name: str) -> None:
    drawing = draw_preview(first_board(), None, "", f"{name} won", {"red": name, "yellow": "Doves"})
    sizes = re.findall(
        r'<text class="words" x="160" y="([\d.]+)" font-size="([\d.]+)"[^>]*>(.*?)</text>', drawing
    )
    assert "".join(re.sub("<[^>]*>", "", line) for _, _, line in sizes).replace(" ", "") == name.replace(
        " ", ""
    )
    assert all(10 <= float(size) <= 32 and float(y) < 630 for y, size, _ in sizes)


@pytest.mark.parametrize("slug", all_games())
def test_every_game_has_a_preview_image(slug: str) -> None:
    assert size_of(render_picture(draw_preview(first_board(slug), None, STYLE, "Gala", TEAMS))) == SIZE


def test_preview_images_are_cached(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []

    def draw(drawing: str) -> bytes:
        drawn.append(drawing)
        return PNG

    monkeypatch.setattr(pictures, "_draw", draw)
    for turn in (1, 1, 2, *range(10, 10 + pictures.MAX_CACHED)):
        render_picture(f"<svg>{turn}</svg>")
    assert len(drawn) == 2 + pictures.MAX_CACHED
    assert len(pictures._cache) == pictures.MAX_CACHED


def test_preview_uses_page_colors() -> None:
    tokens = dict(re.findall(r"(--[\w-]+): (#\w+);", Path(STATIC / SHEETS[0]).read_text()))
    assert f"fill: {tokens['--red']};" in STYLE
    assert "var(" not in STYLE
    assert '.mark[data-side="yellow"] polyline {' in STYLE
    assert "display: flex" not in STYLE


@pytest.mark.parametrize(("winner", "dimmed"), [(None, 0), ("red", 1), ("yellow", 1)])
def test_preview_dims_the_loser(winner: Side | None, dimmed: int) -> None:
    assert draw_preview(first_board(), winner, "", "Gala", TEAMS).count('opacity="0.3"') == dimmed
