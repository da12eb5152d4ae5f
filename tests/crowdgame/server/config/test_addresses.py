import os
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from crowdgame.server.config.addresses import host_names, provider_url, public_origin, store_url
from crowdgame.server.config.database import database
from crowdgame.server.config.mail_settings import mail_server
from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.laptop.stack import MANAGE

PASSWORD = "pa#ss"
Read = Callable[[str], object]
HOSTS = partial(host_names, "ALLOWED_HOSTS")
REDIS = partial(store_url, "REDIS_URL")
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
REFUSED: list[tuple[Read, str, tuple[str, ...]]] = [
    (public_origin, r"PUBLIC_URL must be .* such as https://play.example.org", NO_ORIGINS),
    (HOSTS, "ALLOWED_HOSTS must", ("https://play.example.org", "play.example.org:80", "a,b/", "a b")),
    (REDIS, "REDIS_URL must be redis://", (*NO_STORES, *NO_CLUSTERS, *CLUSTERS)),
    (BALLOT_BOX, "BALLOT_BOX_URL must be redis://", (*NO_STORES, *NO_CLUSTERS)),
    (lambda url: database(url, Path()), "DATABASE_URL must be postgresql://", NO_DATABASES),
    (mail_server, "EMAIL_URL must be smtp://", ("h:25", "imap://h", "smtp://", "smtp://h:x", "smtp://[::1")),
    (provider_url, "OIDC_URL must be", ("login.example.org", "ldap://h", "https://a?x", "https://")),
]


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
    [(read, message, value) for read, message, values in REFUSED for value in values],
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
