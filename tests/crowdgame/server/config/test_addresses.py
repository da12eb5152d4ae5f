"""Settings with addresses: what is accepted, and one line that says what to write for what is not."""

import os
import subprocess
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.http.request import validate_host

from crowdgame.server.config.addresses import host_names, provider_url, public_origin, store_url
from crowdgame.server.config.database import database
from crowdgame.server.config.mail_settings import mail_server
from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stack import MANAGE

PASSWORD = "pa#ss"


@pytest.mark.parametrize(
    ("value", "origin"),
    [
        ("", ""),
        (" https://play.example.org/ ", "https://play.example.org"),
        ("HTTP://Play.Example.org:8000", "http://play.example.org:8000"),
        ("http://192.0.2.7:8000", "http://192.0.2.7:8000"),
        ("http://[0:0::1]:8314", "http://[::1]:8314"),
        ("https://schüle.example", "https://xn--schle-mva.example"),
    ],
)
def test_public_url_is_read_as_origin(value: str, origin: str) -> None:
    assert public_origin(value) == origin


@pytest.mark.parametrize(
    "value",
    [
        *("play.example.org", "localhost:8000", "//play.example.org", "ftp://play.example.org", "https://"),
        *("https://play.example.org/quiz", "https://play.example.org?x", "https://play.example.org#x"),
        *("https://u:p@play.example.org", "https://*.example.org", "http://a b", "http://a:x", "http://[::1"),
    ],
)
def test_public_url_with_anything_else_is_refused(value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match=r"PUBLIC_URL must be .* such as https://play.example.org"):
        public_origin(value)


def test_allowed_hosts_are_read_as_in_host_headers() -> None:
    names = host_names(
        "ALLOWED_HOSTS", "Play.example.org, .example.com,::1,[2001:DB8::7],192.0.2.7,ANY_ADDRESS,*"
    )
    assert names == [
        *("play.example.org", ".example.com", "[::1]", "[2001:db8::7]", "192.0.2.7", "ANY_ADDRESS", "*")
    ]
    assert validate_host("[::1]", host_names("ALLOWED_HOSTS", "::1"))


@pytest.mark.parametrize("value", ["https://play.example.org", "play.example.org:80", "a,b/", "a b"])
def test_allowed_hosts_with_scheme_port_or_path_are_refused(value: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="ALLOWED_HOSTS must list host names"):
        host_names("ALLOWED_HOSTS", value)


@pytest.mark.parametrize(
    "url",
    [
        *("redis://h", "rediss://u:p@h:6379/0", "redis://[::1]:6379/0", "unix:///run/valkey.sock"),
        *("redis+cluster://a:1,b:2", "rediss+cluster://u:p@a:1,b"),
    ],
)
def test_store_url_is_accepted(url: str) -> None:
    assert store_url("BALLOT_BOX_URL", url, may_be_cluster=True) == url


@pytest.mark.parametrize(
    "url",
    [
        *("h:6379", "http://h", "redis://", "redis://h:x", f"redis://:{PASSWORD}@h:6379/0", "unix://"),
        *("redis+cluster://", "redis+cluster://a:1,", "redis+cluster://a:x,b:1"),
    ],
)
def test_wrong_store_url_is_refused_without_its_password(url: str) -> None:
    for name in ("REDIS_URL", "BALLOT_BOX_URL"):
        with pytest.raises(ImproperlyConfigured, match=f"{name} must be redis://") as refused:
            store_url(name, url, may_be_cluster=name == "BALLOT_BOX_URL")
        assert PASSWORD not in str(refused.value)


def test_only_the_ballot_box_may_be_a_cluster() -> None:
    with pytest.raises(ImproperlyConfigured):
        store_url("REDIS_URL", "redis+cluster://a:1,b:2")


@pytest.mark.parametrize(
    "url", ["x", "mysql://h/n", f"postgresql://u:{PASSWORD}@h/n", "postgresql://h", "postgresql://h:x/n"]
)
def test_wrong_database_url_is_refused(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="DATABASE_URL must be postgresql://") as refused:
        database(url, Path())
    assert PASSWORD not in str(refused.value)


@pytest.mark.parametrize("url", ["h:25", "imap://h", "smtp://", "smtp://h:x", "smtp://[::1"])
def test_wrong_email_url_is_refused(url: str) -> None:
    with pytest.raises(ImproperlyConfigured, match="EMAIL_URL must be smtp://"):
        mail_server(url)


@pytest.mark.parametrize("url", ["login.example.org", "ldap://login.example.org", "https://a?x", "https://"])
def test_wrong_provider_url_is_refused(url: str) -> None:
    assert (
        provider_url("https://login.example.org/realms/school/") == "https://login.example.org/realms/school"
    )
    with pytest.raises(ImproperlyConfigured, match="OIDC_URL must be the address"):
        provider_url(url)


@pytest.mark.parametrize(
    ("command", "name", "value"),
    [
        pytest.param(("doctor",), "PUBLIC_URL", "play.example.org", marks=pytest.mark.nightly),
        pytest.param(("gateway",), "REDIS_URL", "127.0.0.1:6379", marks=pytest.mark.nightly),
        (("migrate",), "DATABASE_URL", "postgresql://h:x/n"),
        pytest.param(("check",), "ALLOWED_HOSTS", "https://play.example.org", marks=pytest.mark.nightly),
    ],
)
def test_command_refuses_wrong_address_with_one_line(
    command: tuple[str, ...], name: str, value: str, tmp_path: Path
) -> None:
    env = {"PATH": os.environ["PATH"], "SECRET_KEY": "x", "CROWDGAME_DATA": str(tmp_path), name: value}
    ended = subprocess.run(
        [*MANAGE, *command], cwd=ROOT, env=env, check=False, capture_output=True, text=True
    )
    assert ended.returncode == 1
    assert (ended.stdout, ended.stderr.count("\n")) == ("", 1)
    assert ended.stderr.startswith(f"{name} must ")
