import re
import runpy
import sys

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, load_command_class

from crowdgame.server.config.environment import VARIABLES
from crowdgame.server.config.mail_settings import sender
from crowdgame.server.config.variables import choice, number, switch
from crowdgame.server.laptop.paths import ROOT
from tests.machines.manifests import settings_read

NOT_OURS = {"DJANGO_SETTINGS_MODULE", "PYTHONPATH", "PYTHONUNBUFFERED"}
HTTPS = {"PUBLIC_URL": "https://play.example.org"}
POSTGRESQL = {"DATABASE_URL": "postgresql://h/n"}
ANY_TEXT = {
    *("SECRET_KEY", "SECRET_KEY_FALLBACKS", "CROWDGAME_DATA", "PROMETHEUS_MULTIPROC_DIR"),
    *("BRAND_LINE", "OIDC_NAME", "OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "METRICS_TOKEN", "METRICS_HOST"),
}
WRONG = {
    "PUBLIC_URL": "play.example.org",
    "ALLOWED_HOSTS": "https://play.example.org",
    "SIGNUP": "everyone",
    "HSTS_SECONDS": "a year",
    "DEBUG": "maybe",
    "DATABASE_URL": "mysql://h/n",
    "DATABASE_POOL": "0",
    "REDIS_URL": "h:6379",
    "BALLOT_BOX_URL": "h:6379",
    "MAX_SHARDS": "17",
    "GATEWAY": "apache",
    "TRUSTED_PROXIES": "-1",
    "EVENT_PHONES": "20,000",
    "OUTAGE_EXTENSION_S": "-1",
    "CONSOLE_RECHECK_S": "0",
    "WEBHOOKS": "everywhere",
    "PUSH_SERVICES": "https://push.example.org",
    "CHAT": "disabled",
    "CHAT_DAYS": "0",
    "TWITCH_CHAT_URL": "https://twitch.tv/rooks",
    "RETENTION_DAYS": "30 days",
    "DUEL_DAYS": "1e3",
    "BRAND_LOGO": "no-such-file.png",
    "LOBBY_MUSIC": "no-such-file.mp3",
    "EMAIL_URL": "imap://h",
    "MAIL_FROM": "crowdgame",
    "OIDC_URL": "login.example.org",
    "OIDC_TRUST_EMAIL": "if verified",
    "LOG_LEVEL": "TRACE",
    "LOG_FORMAT": "xml",
    "METRICS_PORT": "65536",
}


def test_settings_page_lists_every_variable_once_and_each_is_checked() -> None:
    names = [variable.name for variables in VARIABLES.values() for variable in variables]
    assert sorted(names) == sorted(settings_read() - NOT_OURS)
    assert {*names} - ANY_TEXT == WRONG.keys()


@pytest.mark.parametrize("name", WRONG)
def test_start_refuses_wrong_value(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for other, value in (HTTPS | POSTGRESQL | {name: WRONG[name]}).items():
        monkeypatch.setenv(other, value)
    with pytest.raises(ImproperlyConfigured, match=f"^{name} must "):
        start()


def test_start_without_psycopg_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    for name, value in (HTTPS | POSTGRESQL).items():
        monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=re.escape('pip install "crowdgame[postgresql]"')):
        start()


def start() -> None:
    load_command_class("crowdgame", "gateway").create_parser("manage.py", "gateway")
    runpy.run_path(str(ROOT / "crowdgame" / "settings.py"))


def test_gateway_refuses_impossible_port() -> None:
    parser = load_command_class("crowdgame", "gateway").create_parser("manage.py", "gateway")
    parser.called_from_command_line = False
    with pytest.raises(CommandError, match="argument --port: invalid"):
        parser.parse_args(["--port", "65536"])


def test_sender_may_have_a_name() -> None:
    found = sender(" Quiz <quiz@example.org> ", "h"), sender("quiz@example.org", "h"), sender(" ", "h")
    assert found == ("Quiz <quiz@example.org>", "quiz@example.org", "crowdgame@h")


NUMBERS = {"": 7, " ": 7, "1": 1, "9": 9, "٣": 3}
CHOICES = {"": "line", " ": "line", "json": "json", "JSON": "json"}
SWITCHES = {"": True, " ": True, "0": False, "1": True, "Yes": True, "OFF": False}
REFUSED = {"10", "9" * 20, "-1", "1.5", "1_0", "²", "jsonl", "disabled"}


@pytest.mark.parametrize("value", sorted({*NUMBERS, *CHOICES, *SWITCHES, *REFUSED}))
def test_variable_is_read_or_refused_with_what_to_write(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANY", value)
    for read, accepted, wanted in (
        (number("", 7, most=9).read, NUMBERS, "a whole number from 1 to 9"),
        (choice("", ("line", "json")).read, CHOICES, "line or json"),
        (switch("", default=True).read, SWITCHES, "1, true, yes, on, 0, false, no or off"),
    ):
        if value in accepted:
            assert read("ANY") == accepted[value]
        else:
            with pytest.raises(ImproperlyConfigured, match=f"^ANY must be {wanted}. It is '{value}'.$"):
                read("ANY")
