"""A duel is lost on time, resigned, drawn or aborted, or a turn taken back, in two browsers.

Each ending is checked on both screens, in the database, in the public record and in the ratings.
"""

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import expect

from crowdgame.server.laptop.paths import ROOT
from tests.e2e.conftest import OpenScreen
from tests.e2e.screens import PHONE, TIMEOUT_MS, Screen, vote
from tests.e2e.test_duels import SMALL
from tests.server import Server

TWO_TURNS = [(1, 2), (2, 1)]


@dataclass(frozen=True)
class Duel:
    """A running duel with both players' phones."""

    server: Server
    event_id: int
    code: str
    phones: tuple[Screen, Screen]

    def match(self) -> tuple[str, str | None, str | None]:
        """State, result and way of ending, as stored."""
        sql = "SELECT state, result, ended_by FROM games_match WHERE event_id = ?"
        (row,) = self.server.rows(sql, self.event_id)
        return tuple(row)

    def winner(self) -> str:
        """The color of the second player."""
        return self.phones[1].page.locator("body").get_attribute("data-side") or ""

    def turn_states(self) -> list[str]:
        sql = (
            "SELECT t.state FROM games_turn t JOIN games_match m ON m.id = t.match_id"
            " WHERE m.event_id = ? ORDER BY t.id"
        )
        return [state for (state,) in self.server.rows(sql, self.event_id)]

    def rated(self) -> int:
        sql = "SELECT COUNT(*) FROM ratings_ratedmatch r JOIN games_match m ON m.id = r.match_id"
        return int(self.server.rows(f"{sql} WHERE m.event_id = ?", self.event_id)[0][0])

    def verify(self, folder: Path) -> str:
        """Download the record, and return what the standalone verifier says about it."""
        path = folder / "record.json"
        with urlopen(f"{self.server.http}/record/{self.code}/1.json") as answer:  # noqa: S310
            path.write_bytes(answer.read())
        script = [sys.executable, str(ROOT / "docs" / "verify.py"), str(path)]
        done = subprocess.run(script, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
        return done.stdout

    def report(self) -> str:
        with urlopen(f"{self.server.http}/report/{self.code}/1") as answer:  # noqa: S310
            return str(answer.read().decode())

    def shoot(self, moment: str) -> None:
        for phone in self.phones:
            phone.shoot(moment)
            assert phone.errors == []


def begin(
    server: Server,
    open_at: OpenScreen,
    name: str,
    turns: list[tuple[int, int]],
    *,
    casual: bool = False,
    time_control: str = "3-days",
) -> Duel:
    made = server.ask("duel", time_control=time_control, casual=casual)
    phones: list[Screen] = []
    for key, size in zip(made["keys"], (PHONE, SMALL), strict=True):
        phones.append(open_at(server, f"actions-{name}-{len(phones) + 1}", size))
        phones[-1].page.goto(f"/{made['code']}#{key}")
        phones[-1].wait_for(phase="voting")
    if turns:
        server.ask("play_to", event_id=made["id"], picks=turns)
    return Duel(server, made["id"], made["code"], (phones[0], phones[1]))


def tap(phone: Screen, *labels: str) -> None:
    for label in labels:
        phone.page.get_by_role("button", name=label).click(timeout=TIMEOUT_MS)


def expect_ended(duel: Duel) -> None:
    """Both phones show the end and the changed rating."""
    for phone in duel.phones:
        phone.wait_for(phase="ended")
        expect(phone.page.locator(".rating")).to_contain_text(re.compile(r"12\d\d|11\d\d"))


@pytest.mark.nightly
def test_player_without_time_loses_duel(server: Server, open_at: OpenScreen, tmp_path: Path) -> None:
    duel = begin(server, open_at, "time", TWO_TURNS, time_control="5-min")
    winner = duel.phones[1]
    expect(winner.page.get_by_role("button", name="Column 1, 2 of 6 full")).to_be_visible(timeout=TIMEOUT_MS)
    vote(winner, 3)
    server.ask("run_down_clock", code=duel.code, ms=3_000)
    expect_ended(duel)
    duel.shoot("time")
    assert duel.match() == ("ended", duel.winner(), "time")
    assert f"VALID: {duel.winner()} won" in duel.verify(tmp_path)
    assert "ran out of time in turn 3." in duel.report()
    assert duel.rated() == 1


def test_player_resigns_after_confirming(server: Server, open_at: OpenScreen, tmp_path: Path) -> None:
    duel = begin(server, open_at, "resign", TWO_TURNS)
    one = duel.phones[0]
    expect(one.page.get_by_role("button", name="Resign")).to_be_visible()
    expect(one.page.get_by_role("button", name="take back")).to_have_count(0)  # the game is rated
    tap(one, "Resign")
    expect(one.page.get_by_role("button", name="Really resign?")).to_be_visible()
    assert duel.match()[0] == "playing"
    winner = duel.winner()
    tap(one, "Really resign?")
    expect_ended(duel)
    duel.shoot("ended")
    assert duel.match() == ("ended", winner, "conceded")
    assert duel.turn_states() == ["resolved", "resolved", "void"]
    assert "loser resigned" in duel.verify(tmp_path)
    assert "resigned after 2 turns" in duel.report()
    assert duel.rated() == 1


def test_declined_draw_goes_on_and_accepted_draw_ends(
    server: Server, open_at: OpenScreen, tmp_path: Path
) -> None:
    duel = begin(server, open_at, "draw", TWO_TURNS)
    one, two = duel.phones
    tap(one, "Offer a draw", "Really offer a draw?")
    expect(one.page.get_by_text("Draw offered")).to_be_visible()
    expect(two.page.get_by_text("Your opponent offers a draw.")).to_be_visible()
    duel.shoot("offered")
    tap(two, "Decline")
    expect(one.page.get_by_text("Declined")).to_be_visible()
    assert duel.match()[0] == "playing"

    tap(two, "Offer a draw", "Really offer a draw?")
    tap(one, "Accept")
    for phone in (one, two):
        phone.wait_for(phase="ended")
    duel.shoot("ended")
    assert duel.match() == ("ended", "draw", "agreed")
    assert "agreed to a draw" in duel.verify(tmp_path)
    assert "Both agreed to a draw after 2 turns." in duel.report()
    assert duel.rated() == 1


@pytest.mark.nightly
def test_game_is_aborted_before_first_turn(server: Server, open_at: OpenScreen, tmp_path: Path) -> None:
    duel = begin(server, open_at, "abort", [])
    one, two = duel.phones
    tap(one, "Abort game", "Really abort?")
    for phone in (one, two):
        phone.wait_for(phase="lobby")
    duel.shoot("aborted")
    assert duel.match() == ("aborted", None, None)
    duel.verify(tmp_path)
    assert "Stopped early" in duel.report()
    assert duel.rated() == 0


def test_casual_players_take_last_turn_back(server: Server, open_at: OpenScreen, tmp_path: Path) -> None:
    duel = begin(server, open_at, "takeback", TWO_TURNS, casual=True)
    one, two = duel.phones
    tap(one, "Ask to take back the turn")
    expect(two.page.get_by_text("asks to take back the last turn")).to_be_visible()
    duel.shoot("asked")
    tap(two, "Accept")
    for phone in (one, two):
        expect(phone.page.get_by_text("asks to take back")).to_have_count(0)
        phone.wait_for(phase="voting")
        expect(phone.page.get_by_role("button", name="Column 1, 1 of 6 full")).to_be_visible()
    duel.shoot("taken-back")
    assert duel.turn_states() == ["resolved", "void", "void", "open"]
    assert duel.match() == ("playing", None, None)
    duel.verify(tmp_path)

    tap(one, "Resign", "Really resign?")
    two.wait_for(phase="ended")
    assert "resigned after 1 turn." in duel.report()
    assert duel.rated() == 0
