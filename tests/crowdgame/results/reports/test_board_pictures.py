"""Boards as pictures: link previews, animations, and positions that are set up and shared by address."""

import re
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from django.test import Client

from crowdgame.accounts.guest_names import new_guest
from crowdgame.play.duels.duels import DuelSettings, new_duel
from crowdgame.results.reports import png as pictures
from crowdgame.results.reports.png import SHEETS, STATIC, render_picture
from crowdgame.results.reports.preview import draw_preview, plain_style
from games.engine.game import Board, Side
from games.engine.registry import all_games, find_game, read_options
from tests.voting.match_helpers import (
    RED_WINS,
    new_event,
    only_turn,
    open_now,
    play,
    play_out,
    play_turn,
    vote,
)
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Team, TurnState
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
    content = client.get(path).content.decode()
    [found] = re.findall(r'property="og:image" content="http://testserver([^"]+)"', content)
    return str(found)


@pytest.mark.django_db
def test_preview_image_changes_with_each_turn_not_with_votes(client: Client, box: BallotBox) -> None:
    match = start_match(new_event().pk, box)
    page = f"/report/{match.event.code}/{match.number}"
    path = preview_path(client, page)
    empty = fetch_image(client, path)
    assert size_of(empty) == SIZE
    assert len(empty) <= 100_000
    open_now(turn := match.turns.get(), box)
    vote(turn, box, red=[3], yellow=[4])
    pictures._cache.clear()
    assert (preview_path(client, page), fetch_image(client, path)) == (path, empty)
    play_out(turn, box)
    assert preview_path(client, page) != path
    assert fetch_image(client, preview_path(client, page)) != empty


def test_every_game_has_a_preview_image_and_names_in_all_scripts() -> None:
    """The renderer leaves out lines for which it finds no font."""
    for slug in all_games():
        assert size_of(render_picture(draw_preview(first_board(slug), None, STYLE, "Gala", TEAMS))) == SIZE
    lines = (" ", "Owls", "فريق المدرسة", "第三中学", "한국어 팀", "😀")
    drawn = {render_picture(draw_preview(first_board(), None, STYLE, line, TEAMS)) for line in lines}
    assert len(drawn) == len(lines)


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
def test_preview_is_in_event_language(
    client: Client, box: BallotBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = start_match(new_event().pk, box)
    play(match, box, RED_WINS)
    pictures._cache.clear()
    monkeypatch.setattr(pictures, "_draw", lambda _drawing: PNG)
    client.get(f"/board/{match.event.code}.png")
    Event.objects.filter(pk=match.event_id).update(language="de")
    Team.objects.filter(event=match.event_id, number=1).update(name="<b>&")
    client.get(f"/board/{match.event.code}/1.png")
    assert [re.findall(r'<text class="words"[^>]*>(.*?)</text>', drawing) for drawing in pictures._cache] == [
        ["Rooks", "Doves", "Rooks won"],
        ["&lt;b&gt;&amp;", "Doves", "&lt;b&gt;&amp; gewinnt"],
    ]


@pytest.mark.parametrize(
    "name", ["W" * 40, "the gulls of the large northern beach in", "第" * 40, "صقور " * 8]
)
def test_long_names_stay_on_their_side_of_the_preview(name: str) -> None:
    drawing = draw_preview(first_board(), None, "", f"{name} won", {"red": name, "yellow": "Doves"})
    text = r'<text class="words" x="160" y="([\d.]+)" font-size="([\d.]+)"[^>]*>(.*?)</text>'
    lines = re.findall(text, drawing)
    written = "".join(re.sub("<[^>]*>", "", line) for _, _, line in lines)
    assert written.replace(" ", "") == name.replace(" ", "")
    assert all(10 <= float(size) <= 32 and float(y) < 630 for y, size, _ in lines)


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


def test_preview_uses_page_colors_and_dims_the_loser() -> None:
    tokens = dict(re.findall(r"(--[\w-]+): (#\w+);", Path(STATIC / SHEETS[0]).read_text()))
    for shown in (f"fill: {tokens['--red']};", '.mark[data-side="yellow"] polyline {'):
        assert shown in STYLE
    for hidden in ("var(", "display: flex"):
        assert hidden not in STYLE
    winners: dict[Side | None, int] = {None: 0, "red": 1, "yellow": 1}
    for winner, dimmed in winners.items():
        assert draw_preview(first_board(), winner, "", "Gala", TEAMS).count('opacity="0.3"') == dimmed


SVG = "{http://www.w3.org/2000/svg}"
CAPTAINS = "/board?game=captains-mistress"


def page(client: Client, address: str, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status
    return answer.content.decode()


def balls(text: str) -> int:
    """The balls on the boards of a page or picture."""
    return len(re.findall(r'<use href="#ball-(?:red|yellow)" x=', text))


@pytest.mark.django_db
def test_animation_shows_each_revealed_turn_in_order(client: Client, box: BallotBox) -> None:
    match = start_match(new_event().pk, box)
    play(match, box, RED_WINS[:3])
    live = only_turn(match)
    open_now(live, box)
    vote(live, box, [5], [6])
    frames = ET.fromstring(page(client, f"/board/{match.event.code}/1.svg")).findall(f"{SVG}g")  # noqa: S314
    assert [balls(ET.tostring(frame).decode().replace("ns0:", "")) for frame in frames] == [0, 2, 4, 6]
    assert [frame.get("visibility") for frame in frames] == ["hidden"] * 3 + ["visible"]
    times = [frame[0].get("keyTimes", "").split(";") for frame in frames]
    assert [shown[0] for shown in times] == ["0.0"] * 4
    assert [shown[-1] for shown in times[:-1]] == [shown[1] for shown in times[1:]]
    assert client.get(f"/board/{match.event.code}/2.svg").status_code == 404


@pytest.mark.django_db
def test_report_leads_to_its_position_in_editor(client: Client, box: BallotBox) -> None:
    match = start_match(new_event(options={"columns": 6, "token": "yellow"}).pk, box)
    play(match, box, [(1, 2), (3, 3)])
    report = page(client, f"/report/{match.event.code}/1")
    assert f"/board/{match.event.code}/1.svg" in report
    [address] = re.findall(r'href="(/board\?[^"]+)"', report)
    editor = page(client, address.replace("&amp;", "&"))
    for shown in ("turns=12-33", "columns=6", "Red holds the token."):
        assert shown in editor
    assert balls(editor) == 4


@pytest.mark.django_db
def test_concealed_choice_is_in_no_export(client: Client, box: BallotBox) -> None:
    match = start_match(new_event(game="single-selector", options={"token": "red"}).pk, box)
    for votes in ({"red": [6]}, {"yellow": [5]}, {"yellow": [3]}):
        play_turn(only_turn(match), box, **votes)
    code = match.event.code
    assert match.turns.filter(state=TurnState.CONCEALED).count() == 1
    assert page(client, f"/board/{code}/1.svg").count("<animate") == 3
    [address] = re.findall(r'href="(/board\?[^"]+)"', page(client, f"/report/{code}/1"))
    assert address.endswith("turns=60-05")


def test_turns_are_added_and_taken_back_until_the_game_ends(client: Client) -> None:
    assert balls(page(client, "/board")) == 0
    added = client.get("/board?game=simultaneous-captains-mistress&turns=44&red=4&yellow=5")
    assert added.headers["Location"] == "/board?game=simultaneous-captains-mistress&turns=44-45"
    position = page(client, added.headers["Location"])
    assert balls(position) == 4
    assert 'href="/board?game=simultaneous-captains-mistress&amp;turns=44"' in position
    one_side = client.get(f"{CAPTAINS}&turns=40&yellow=4&red=")
    assert one_side.headers["Location"] == f"{CAPTAINS}&turns=40-04"
    won = page(client, "/board?turns=12-12-12-13")
    assert ("Red wins." in won, "<select" in won) == (True, False)


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("game=chess", "There is no such game"),
        ("columns=8", "There is no such game"),
        ("columns=%C2%B2", "There is no such game"),
        ("game=goofspiel", "This game has no board of columns."),
        ("turns=4", "cannot be read"),
        ("turns=%F0%9D%9F%92%F0%9D%9F%92", "cannot be read"),
        ("turns=" + "-".join(["11"] * 101), "cannot be read"),
        ("red=12&yellow=1", "cannot be read"),
        ("turns=44-48", "Turn 2 is not possible"),
        ("turns=44&red=9&yellow=1", "Turn 2 is not possible"),
    ],
)
def test_impossible_positions_are_explained(client: Client, query: str, says: str) -> None:
    assert says in page(client, f"/board?{query}", 400)
