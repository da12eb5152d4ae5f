"""`crowdgame api` at a running server, without its database."""

import json
from collections.abc import Callable
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command

from crowdgame.server.laptop.network import free_port
from tests.server import Server

Api = Callable[..., str]


@pytest.fixture
def api(server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Api:
    token = server.ask("api_token", name="olga", scopes=["run", "create"])
    monkeypatch.setenv("CROWDGAME_TOKEN", token)

    def run(*words: str, url: str = server.http) -> str:
        call_command("api", url, *words)
        return capsys.readouterr().out

    return run


def test_event_is_created_run_and_exported(server: Server, api: Api, tmp_path: Path) -> None:
    made = json.loads(api("create", "preset=two-halls", "team_1=Ants", "team_2=Bees", "window_s=20"))
    code = made["code"]
    assert code in {row["code"] for row in json.loads(api("events"))["items"]}
    assert json.loads(api("run", code, "match.start"))["match"]["number"] == 1
    api("run", code, "turn.extend", "seconds=10")
    assert json.loads(api("event", code))["teams"][0]["name"] == "Ants"
    api("run", code, "match.abort")
    assert json.loads(api("match", code, "1"))["state"] == "aborted"
    assert api("export", code, str(tmp_path / "evening.zip")) == ""
    with ZipFile(tmp_path / "evening.zip") as packed:
        assert packed.namelist() == [f"{code}-1.json", f"{code}-1.csv"]


def test_refusal_is_said_in_words(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusal(*words: str, **where: str) -> str:
        with pytest.raises(CommandError) as refused:
            api(*words, **where)
        return str(refused.value)

    assert "Expected `int` >= 3 - at `$.window_s`" in refusal("create", "window_s=1")
    assert "these settings.\nteam_2: Enter two different" in refusal("create", "team_1=A", "team_2=a")
    assert "Ants is not FIELD=VALUE." in refusal("create", "Ants")
    assert "There is no such event." in refusal("event", "BCDFGHJK")
    assert "does not answer" in refusal("events", url=f"http://127.0.0.1:{free_port()}")
    assert "is not the address of a server" in refusal("events", url="file:///etc/passwd")
    monkeypatch.setenv("CROWDGAME_TOKEN", "guess")
    assert "No valid token" in refusal("events")
    monkeypatch.delenv("CROWDGAME_TOKEN")
    assert "Set CROWDGAME_TOKEN" in refusal("events")
