import os
import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import CommandError, load_command_class

from crowdgame.server.config.addresses import host_names, provider_url, public_origin, store_url
from crowdgame.server.config.database import database
from crowdgame.server.config.environment import VARIABLES
from crowdgame.server.config.mail_settings import mail_server, sender
from crowdgame.server.config.variables import choice, number, switch
from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stack import MANAGE
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
HEAVY = {"autobahn", "confusable_homoglyphs", "fpdf", "picows", "PIL", "wasmtime"}
NUMBERS = {"": 7, " ": 7, "1": 1, "9": 9, "٣": 3}
CHOICES = {"": "line", " ": "line", "json": "json", "JSON": "json"}
SWITCHES = {"": True, " ": True, "0": False, "1": True, "Yes": True, "OFF": False}
REFUSED = {"10", "9" * 20, "-1", "1.5", "1_0", "²", "jsonl", "disabled"}
PASSWORD = "pa#ss"
Read = Callable[[str], object]
HOSTS = partial(host_names, "ALLOWED_HOSTS")
BALLOT_BOX = partial(store_url, "BALLOT_BOX_URL", may_be_cluster=True)
STORES = ("redis://h", "rediss://u:p@h:6379/0", "redis://[::1]:6379/0", "unix:///run/valkey.sock")
CLUSTERS = ("redis+cluster://a:1,b:2", "rediss+cluster://u:p@a:1,b")
NO_STORES = ("h:6379", "http://h", "redis://", "redis://h:x", f"redis://:{PASSWORD}@h:6379/0", "unix://")
NO_CLUSTERS = ("redis+cluster://", "redis+cluster://a:1,", "redis+cluster://a:x,b:1")
NO_ORIGINS = (
    *("play.example.org", "localhost:8000", "//play.example.org", "ftp://play.example.org", "https://"),
    *("https://play.example.org/quiz", "https://play.example.org?x", "https://play.example.org#x"),
    *("https://u:p@play.example.org", "https://*.example.org", "http://a b", "http://a:x", "http://[::1"),
)
NO_DATABASES = ("x", "mysql://h/n", f"postgresql://u:{PASSWORD}@h/n", "postgresql://h", "postgresql://h:x/n")
REFUSED_ADDRESSES: list[tuple[Read, str, tuple[str, ...]]] = [
    (public_origin, r"PUBLIC_URL must be .* such as https://play.example.org", NO_ORIGINS),
    (HOSTS, "ALLOWED_HOSTS must", ("https://play.example.org", "play.example.org:80", "a,b/", "a b")),
    (partial(store_url, "REDIS_URL"), "REDIS_URL must be redis://", (*NO_STORES, *NO_CLUSTERS, *CLUSTERS)),
    (BALLOT_BOX, "BALLOT_BOX_URL must be redis://", (*NO_STORES, *NO_CLUSTERS)),
    (lambda url: database(url, Path()), "DATABASE_URL must be postgresql://", NO_DATABASES),
    (mail_server, "EMAIL_URL must be smtp://", ("h:25", "imap://h", "smtp://", "smtp://h:x", "smtp://[::1")),
    (provider_url, "OIDC_URL must be", ("login.example.org", "ldap://h", "https://a?x", "https://")),
]


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


def test_sender_may_have_a_name_that_a_header_can_hold() -> None:
    found = sender(" Quiz <quiz@example.org> ", "h"), sender("quiz@example.org", "h"), sender(" ", "h")
    assert found == ("Quiz <quiz@example.org>", "quiz@example.org", "crowdgame@h")
    with pytest.raises(ImproperlyConfigured):
        sender("Quiz: night <quiz@example.org>", "h")


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


@pytest.mark.parametrize(
    ("read", "value", "expected"),
    [
        (public_origin, "", ""),
        (public_origin, " https://play.example.org/ ", "https://play.example.org"),
        (public_origin, "HTTP://Play.Example.org:8000", "http://play.example.org:8000"),
        (public_origin, "http://192.0.2.7:8000", "http://192.0.2.7:8000"),
        (public_origin, "http://[0:0::1]:8314", "http://[::1]:8314"),
        (public_origin, "https://schüle.example", "https://xn--schle-mva.example"),
        (HOSTS, "Play.example.org, .example.com", ["play.example.org", ".example.com"]),
        (HOSTS, "::1,[2001:DB8::7],192.0.2.7", ["[::1]", "[2001:db8::7]", "192.0.2.7"]),
        (HOSTS, "ANY_ADDRESS,*", ["ANY_ADDRESS", "*"]),
        *((BALLOT_BOX, url, url) for url in (*STORES, *CLUSTERS)),
        (provider_url, "https://login.example.org/realms/a/", "https://login.example.org/realms/a"),
    ],
)
def test_address_is_read(read: Read, value: str, expected: object) -> None:
    assert read(value) == expected


@pytest.mark.parametrize(
    ("read", "message", "value"),
    [(read, message, value) for read, message, values in REFUSED_ADDRESSES for value in values],
)
def test_wrong_address_is_refused_without_its_password(read: Read, message: str, value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=message) as refused:
        read(value)
    assert PASSWORD not in str(refused.value)


def test_command_refuses_wrong_address_with_one_line(tmp_path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "SECRET_KEY": "x", "CROWDGAME_DATA": str(tmp_path)}
    env["DATABASE_URL"] = "postgresql://h:x/n"
    argv = [*MANAGE, "migrate"]
    ended = subprocess.run(argv, cwd=ROOT, env=env, check=False, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (1, "", 1)
    assert ended.stderr.startswith("DATABASE_URL must ")


def test_process_starts_without_heavy_libraries() -> None:
    program = "import django, sys; django.setup(); import crowdgame.urls; print(*sys.modules)"
    started = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "crowdgame.urls" in started.stdout.split()
    assert HEAVY.isdisjoint(started.stdout.split())


def test_command_collects_garbage_but_not_among_imported_objects() -> None:
    counts = "import gc; print(gc.isenabled(), gc.get_freeze_count(), len(gc.get_objects()))"
    argv = [*MANAGE, "shell", "--no-imports", "--command", counts]
    started = subprocess.run(argv, capture_output=True, text=True, check=True)
    is_collecting, frozen, others = started.stdout.split()
    assert is_collecting == "True"
    assert int(frozen) > 10 * int(others)
