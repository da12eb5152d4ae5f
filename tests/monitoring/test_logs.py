import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.admindocs.views import extract_views_from_urlpatterns
from django.test import RequestFactory
from django.urls import get_resolver

from crowdgame.server.config.log_config import LOGGED_FIELDS, SECRET_PATHS, JsonLogFormatter, logging_config
from crowdgame.server.laptop.paths import ROOT
from tests.deploy.processes import wait_until
from tests.monitoring.probes import ask, records, run_script
from tests.monitoring.test_metrics import close_a_turn
from tests.server import Server
from tests.socket_clients import SocketClients

ALWAYS = {"time", "level", "logger", "role", "message"}


def test_all_logs_are_json_without_secrets_or_votes(server: Server, clients: SocketClients) -> None:
    event = close_a_turn(server, clients)["id"]
    ask(server, "/console/nothing-here/?token=secret-word")
    assert ask(server, "/console/enter/MQ/abc123-secret-word/").status == 410
    assert ask(server, "/console/enter/MQ/abc123-secret-word/BCDF/", method="POST").status == 403

    def closed() -> list[dict[str, Any]]:
        logged = records(server, "worker")
        return [record for record in logged if "closed" in record["message"] and record["event"] == event]

    wait_until(closed)
    for name in ("gateway", "worker", "scheduler-1"):
        logged = records(server, name)
        assert all(record["role"] == name.partition("-")[0] for record in logged)
        assert all(ALWAYS <= record.keys() <= set(LOGGED_FIELDS) for record in logged)
        assert "secret-word" not in server.log(name)
    assert any(record["message"].startswith("gateway started") for record in records(server, "gateway"))
    record = closed()[0]
    assert (record["level"], record["ballots"]) == ("INFO", 1)
    assert 0 <= record["sealed_ms"] <= record["resolved_ms"] < 60_000
    assert "turn" in record
    assert not {"red", "yellow", "choice", "pick"} & record.keys()


def test_json_log_record_holds_only_listed_fields() -> None:
    request = RequestFactory().get("/console/", {"token": "secret-word"})
    record = logging.LogRecord("django.request", logging.ERROR, "", 1, "Server Error: %s", ("/x",), None)
    record.request, record.choice, record.turn = request, 3, 7
    logged = json.loads(JsonLogFormatter().format(record))
    assert logged.keys() == ALWAYS | {"turn"}
    assert (logged["level"], logged["logger"], logged["turn"]) == ("ERROR", "django.request", 7)


@pytest.mark.parametrize("form", ["json", pytest.param("line", marks=pytest.mark.nightly)])
def test_logs_mask_login_links(form: str, tmp_path: Path) -> None:
    """One request is refused and one fails, since there is no database."""
    link = "/console/enter/MQ/abc123-0123456789abcdef0123456789abcdef/"
    elsewhere = link.replace("enter", "nowhere")
    script = f"""
import django; django.setup()
from django.test import Client
browser = Client(enforce_csrf_checks=True, raise_request_exception=False)
answers = browser.post({link!r}), browser.get({link!r}), browser.get({elsewhere!r})
print(*[answer.status_code for answer in answers])
"""
    env = {"SECRET_KEY": "of the tests", "CROWDGAME_DATA": str(tmp_path), "ALLOWED_HOSTS": "testserver"}
    done = run_script(script, LOG_FORMAT=form, **env)
    assert done.stdout.split() == ["403", "503", "404"]
    assert "0123456789abcdef" not in done.stderr
    assert len(re.findall(r"/console/enter/(…|\\u2026)", done.stderr)) == 2
    if form == "json":
        levels = [json.loads(line)["level"] for line in done.stderr.splitlines()]
        assert levels == ["WARNING", "ERROR", "ERROR", "WARNING"]


def test_nginx_hides_the_links_that_logs_hide_and_limits_the_logins_that_django_queues() -> None:
    views = extract_views_from_urlpatterns(get_resolver().url_patterns)
    routes = [f"/{route}".replace("/^", "/").replace("?P", "") for _, route, *_ in views]
    secret = [route for route in routes if re.search(r"<(\w+:)?(token|key)>", route)]
    assert "/play/stop/<str:token>" in secret
    assert [route for route in secret if not route.startswith(SECRET_PATHS)] == []
    nginx = (ROOT / "deploy" / "server" / "nginx.conf").read_text()
    assert f"location ~ ^({'|'.join(SECRET_PATHS)}) {{" in nginx
    assert f'"~^POST ({"|".join(settings.LOGIN_PATHS)})" $login_device;' in nginx


def test_uncaught_exceptions_are_one_log_record_and_long_messages_shortened() -> None:
    script = """
import django, logging, threading; django.setup()
thread = threading.Thread(target=lambda: 1 / 0); thread.start(); thread.join()
logging.warning('Not Found: %s', '/' + 'x' * 16_000)
raise RuntimeError('gone')
"""
    lines = run_script(script, LOG_FORMAT="json").stderr.splitlines()
    in_thread, long, uncaught = map(json.loads, lines)
    for logged in (in_thread, uncaught):
        assert (logged["level"], logged["role"]) == ("CRITICAL", "command")
        assert logged["message"].startswith("uncaught")
        assert "Traceback" in logged["exc_info"]
    assert long["message"].startswith("Not Found: /xxx")
    assert len(long["message"]) < 400


@pytest.mark.parametrize(("level", "others"), [("DEBUG", "WARNING"), ("ERROR", "ERROR")])
def test_log_level_of_libraries_is_at_least_warning(level: str, others: str) -> None:
    config = logging_config("line", level)
    assert config["root"]["level"] == others
    assert {logger["level"] for logger in config["loggers"].values()} == {level}
