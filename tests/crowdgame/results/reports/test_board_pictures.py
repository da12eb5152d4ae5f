import re
from pathlib import Path
from typing import Literal
from xml.etree import ElementTree as ET

import msgspec
import pytest
from django.test import Client

from crowdgame.accounts.guest_names import new_guest
from crowdgame.play.duels.duels import DuelSettings, new_duel
from crowdgame.results.reports import png as pictures
from crowdgame.results.reports.board_editor import editor_address
from crowdgame.results.reports.png import SHEETS, STATIC, render_picture
from crowdgame.results.reports.preview import draw_preview, plain_style
from games.engine.game import Board, Side
from games.engine.registry import all_games, find_game, read_options
from games.rules.simultaneous_captains_mistress import SimultaneousCaptainsMistress
from tests.voting.match_helpers import RED_WINS, new_event, open_now, play, play_out, play_turn, vote
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Match, Team, Turn, TurnState
from voting.turns.turns import start_match

PNG = b"\x89PNG\r\n\x1a\n"
TEAMS: dict[Side, str] = {"red": "Rooks", "yellow": "Doves"}
STYLE = plain_style("".join((STATIC / sheet).read_text() for sheet in SHEETS))


def size_of(picture: bytes) -> tuple[int, int]:
    assert picture.startswith(PNG)
    return int.from_bytes(picture[16:20]), int.from_bytes(picture[20:24])


def page(client: Client, address: str, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status
    return answer.content.decode()


def balls(text: str) -> int:
    return len(re.findall(r'<use href="#ball-(?:red|yellow)" x=', text))


def first_board(slug: str = "captains-mistress") -> Board:
    game = find_game(slug)
    return game.view(game.start(game.draw_lots(read_options(game, {}), 1)), None)


def preview_path(client: Client, path: str) -> str:
    [found] = re.findall(r'property="og:image" content="http://testserver([^"]+)"', page(client, path))
    return str(found)


@pytest.mark.django_db
def test_preview_changes_with_turns(client: Client, box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    match = start_match(new_event().pk, box)
    report = f"/report/{match.event.code}/{match.number}"
    path = preview_path(client, report)
    empty = client.get(path)
    assert (size_of(empty.content), empty.headers["Content-Type"]) == ((1200, 630), "image/png")
    assert len(empty.content) <= 100_000
    open_now(turn := match.turns.get(), box)
    vote(turn, box, red=[3], yellow=[4])
    pictures._cache.clear()
    assert (preview_path(client, report), client.get(path).content) == (path, empty.content)
    play_out(turn, box)
    assert preview_path(client, report) != path
    assert client.get(preview_path(client, report)).content != empty.content
    code = new_duel(new_guest(), DuelSettings()).event.code
    assert size_of(client.get(preview_path(client, f"/play/{code}")).content) == (1200, 630)
    monkeypatch.setattr(pictures, "LOCK_TIMEOUT_S", 0.01)
    pictures._cache.clear()
    with pictures._render_lock:
        busy = client.get(f"/board/{code}.png")
    assert (busy.status_code, busy.headers["Retry-After"]) == (503, "10")


def test_every_game_has_a_preview_image_and_names_in_all_scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    """The renderer leaves out lines for which it finds no font. Few pictures are cached."""
    for slug in all_games():
        preview = draw_preview(first_board(slug), None, STYLE, "Gala", TEAMS)
        assert size_of(render_picture(preview)) == (1200, 630)
    lines = (" ", "Owls", "فريق المدرسة", "第三中学", "한국어 팀", "😀")
    drawn = {render_picture(draw_preview(first_board(), None, STYLE, line, TEAMS)) for line in lines}
    assert len(drawn) == len(lines)
    monkeypatch.setattr(pictures, "_draw", lambda drawing: drawing.encode())
    for number in range(pictures.MAX_CACHED + 1):
        render_picture(f"<svg>{number}</svg>")
    monkeypatch.setattr(pictures, "_draw", lambda _: b"drawn again")
    again = [render_picture(f"<svg>{number}</svg>") == b"drawn again" for number in (1, 0)]
    assert (again, len(pictures._cache)) == ([False, True], pictures.MAX_CACHED)


@pytest.mark.django_db
def test_preview_has_event_language(client: Client, box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
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


@pytest.mark.parametrize("name", ["W" * 40, "the gulls of the large northern beach", "第" * 40, "صقور " * 8])
def test_long_names_stay_on_their_side_of_the_preview(name: str) -> None:
    drawing = draw_preview(first_board(), None, "", f"{name} won", {"red": name, "yellow": "Doves"})
    text = r'<text class="words" x="160" y="([\d.]+)" font-size="([\d.]+)"[^>]*>(.*?)</text>'
    lines = re.findall(text, drawing)
    written = "".join(re.sub("<[^>]*>", "", line) for _, _, line in lines)
    assert written.replace(" ", "") == name.replace(" ", "")
    assert all(10 <= float(size) <= 32 and float(y) < 630 for y, size, _ in lines)


def test_preview_uses_page_colors_and_dims_the_loser() -> None:
    tokens = dict(re.findall(r"(--[\w-]+): (#\w+);", Path(STATIC / SHEETS[0]).read_text()))
    for shown in (f"fill: {tokens['--red']};", '.mark[data-side="yellow"] polyline {'):
        assert shown in STYLE
    for hidden in ("var(", "display: flex"):
        assert hidden not in STYLE
    winners: dict[Side | None, int] = {None: 0, "red": 1, "yellow": 1}
    for winner, dimmed in winners.items():
        assert draw_preview(first_board(), winner, "", "Gala", TEAMS).count('opacity="0.3"') == dimmed


@pytest.mark.django_db
def test_revealed_turns_are_animated_and_lead_to_the_editor(client: Client, box: BallotBox) -> None:
    match = start_match(new_event(options={"columns": 6, "token": "yellow"}).pk, box)
    play(match, box, [(1, 2), (3, 3)])
    live = match.turns.latest("pk")
    open_now(live, box)
    vote(live, box, [5], [6])
    address = f"/board/{match.event.code}/1.svg"
    frames = ET.fromstring(page(client, address)).findall("{http://www.w3.org/2000/svg}g")  # noqa: S314
    assert [balls(ET.tostring(frame).decode().replace("ns0:", "")) for frame in frames] == [0, 2, 4]
    assert [frame.get("visibility") for frame in frames] == ["hidden", "hidden", "visible"]
    times = [frame[0].get("keyTimes", "").split(";") for frame in frames]
    assert [shown[0] for shown in times] == ["0.0"] * 3
    assert [shown[-1] for shown in times[:-1]] == [shown[1] for shown in times[1:]]
    page(client, f"/board/{match.event.code}/2.svg", 404)
    report = page(client, f"/report/{match.event.code}/1")
    assert address in report
    [position] = re.findall(r'href="(/board\?[^"]+)"', report)
    editor = page(client, position.replace("&amp;", "&"))
    for shown in ("turns=12-33", "columns=6", "Red holds the token."):
        assert shown in editor
    assert balls(editor) == 4
    secret = start_match(new_event(game="single-selector", options={"token": "red"}).pk, box)
    for votes in ({"red": [6]}, {"yellow": [5]}, {"yellow": [3]}):
        play_turn(secret.turns.latest("pk"), box, **votes)
    assert secret.turns.filter(state=TurnState.CONCEALED).count() == 1
    assert page(client, f"/board/{secret.event.code}/1.svg").count("<animate") == 3
    [position] = re.findall(r'href="(/board\?[^"]+)"', page(client, f"/report/{secret.event.code}/1"))
    assert position.endswith("turns=60-05"), "without the concealed choice"


def test_turns_are_added_and_taken_back_until_the_game_ends(client: Client) -> None:
    assert balls(page(client, "/board")) == 0
    for asked, leads in (
        ("game=simultaneous-captains-mistress&turns=44&red=4&yellow=5", "turns=44-45"),
        ("game=captains-mistress&turns=40&yellow=4&red=", "turns=40-04"),
    ):
        added = client.get(f"/board?{asked}").headers["Location"]
        assert added == f"/board?{asked.partition('&')[0]}&{leads}"
    position = page(client, "/board?game=simultaneous-captains-mistress&turns=44-45")
    assert balls(position) == 4
    assert 'href="/board?game=simultaneous-captains-mistress&amp;turns=44"' in position
    won = page(client, "/board?turns=12-12-12-13")
    assert ("Red wins." in won, "<select" in won) == (True, False)


class WideOptions(msgspec.Struct, frozen=True):
    columns: Literal[12] = 12
    rows: int = 6
    token: Side = "red"
    tie: str = "holder"
    fair: bool = True
    label: str = ""


def test_positions_of_wide_boards_keep_typed_options(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SimultaneousCaptainsMistress, "options", WideOptions)
    options = {"columns": 12, "fair": False, "label": "007"}
    match = Match(game="simultaneous-captains-mistress", options=options)
    address = editor_address(match, [Turn(red_pick=10, yellow_pick=3), Turn(red_pick=1)])
    assert address.endswith("columns=12&rows=6&token=red&tie=holder&fair=False&label=007&turns=10.3-10")
    assert balls(page(client, address)) == 3
    assert client.get(f"{address}&red=12&yellow=2").headers["Location"] == f"{address}-12.2"


def test_impossible_positions_are_explained(client: Client) -> None:
    for query, says in (
        ("game=chess", "There is no such game"),
        ("columns=8", "There is no such game"),
        ("columns=%C2%B2", "There is no such game"),
        ("game=goofspiel", "This game has no board of columns."),
        ("turns=4", "cannot be read"),
        ("turns=%F0%9D%9F%92%F0%9D%9F%92", "cannot be read"),
        ("turns=" + "-".join(["11"] * 101), "cannot be read"),
        ("red=44-4&yellow=1", "cannot be read"),
        ("red=12&yellow=1", "Turn 1 is not possible"),
        ("turns=44-48", "Turn 2 is not possible"),
        ("turns=44&red=9&yellow=1", "Turn 2 is not possible"),
    ):
        assert says in page(client, f"/board?{query}", 400), query
