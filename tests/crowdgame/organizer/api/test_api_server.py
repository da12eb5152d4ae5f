"""`crowdgame api` and the worker of webhooks at a running server."""

import json
import socket
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from urllib.request import Request, urlopen
from zipfile import ZipFile

import pytest
from django.core.management import CommandError, call_command

from crowdgame.server.laptop.network import LOOPBACK, free_port
from tests.deploy.processes import wait_until
from tests.mailbox import running_mail_server
from tests.server import Server, running_server

Api = Callable[..., str]


@pytest.fixture
def api(server: Server, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Api:
    monkeypatch.setenv("CROWDGAME_TOKEN", server.ask("api_token", name="olga", scopes=["run", "create"]))

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


@pytest.mark.nightly
def test_turn_closes_and_mail_is_sent_while_receivers_hang(tmp_path: Path) -> None:
    """The worker of webhooks is a process of its own, with 8 threads."""
    smtp = SimpleNamespace()
    with running_mail_server(smtp) as mailbox, socket.create_server((LOOPBACK, 0)) as silent:
        silent.settimeout(60)
        mail = f"smtp+plain://{LOOPBACK}:{smtp.EMAIL_PORT}"
        with running_server(
            tmp_path, analyzes=False, schedulers=1, webhooks="private", email_url=mail
        ) as server:
            event = server.ask("event")
            address = f"{server.http}/api/v1/events/{event['code']}/webhooks/"
            body = json.dumps({"url": f"http://{LOOPBACK}:{silent.getsockname()[1]}/"}).encode()
            token = server.ask("api_token", name="olga", scopes=["run"])
            for _ in range(8):
                with urlopen(Request(address, body, {"Authorization": f"Bearer {token}"})):  # noqa: S310
                    pass
            turn = server.ask("close_after", event_id=event["id"], ms=600_000)
            hanging = [silent.accept()[0] for _ in range(8)]
            server.ask("close_after", event_id=event["id"], ms=0)
            server.ask("queue_mails", count=1)
            closed = "SELECT 1 FROM games_turn WHERE id = ? AND state <> 'open'"  # paused, as nobody voted
            wait_until(lambda: server.rows(closed, turn))
            wait_until(lambda: mailbox.mails)
            assert not server.rows("SELECT 1 FROM api_webhookdelivery WHERE attempts > 0")
            for connection in hanging:
                connection.close()
