import time
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from allauth.account import app_settings as account_settings
from allauth.core.internal.ratelimit import parse_rates
from allauth.mfa import app_settings as mfa_settings
from allauth.mfa.totp.internal.auth import TOTP
from django.conf import settings
from django.contrib.auth.models import User
from django.db import OperationalError, connections
from django.test import Client
from redis import Redis

from crowdgame.accounts.known_devices import COOKIE, COOKIE_MAX_AGE_S, find_known_user
from crowdgame.accounts.login_links import login_link_path

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey_url")]

GUESSES = 24
RIGHT, WRONG = "lovelace", "guess"


@pytest.fixture(autouse=True)
def ada() -> User:
    return User.objects.create_superuser("ada", "ada@example.org", password=RIGHT)


def log_in(password: str, name: str = "ada", **headers: str) -> Any:
    return Client(headers=headers).post("/console/login/", {"login": name, "password": password})


def fail(times: int, name: str = "ada") -> list[bool]:
    """Whether each of these attempts found the account locked."""
    return ["Try again in 15 minutes" in log_in(WRONG, name).content.decode() for _ in range(times)]


@pytest.mark.parametrize("name", ["ada", "nobody", " \uff41\uff44\uff41 "])
def test_lockout_after_ten_wrong_passwords_refuses_the_right_one(name: str) -> None:
    """Also of an unknown name, and however the name is written; other accounts are not locked."""
    User.objects.create_user("bob", password=RIGHT)
    assert fail(9, name=name) == [False] * 9
    assert fail(2, name=name.upper()) == [False, True]
    right = log_in(RIGHT, name)
    assert (right.status_code, "sessionid" in right.cookies) == (200, False)
    assert log_in(RIGHT, "bob").status_code == 302


def test_lockout_is_not_evaded_by_other_host_headers(settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    for number in range(10):
        log_in(WRONG, host=f"10.0.0.{number}")
    assert log_in(RIGHT, host="10.0.0.99").status_code == 200


def test_right_passwords_do_not_count_and_the_admin_has_no_login_of_its_own() -> None:
    page = Client().post("/admin/login/", {"username": "ada", "password": RIGHT})
    assert (page.status_code, page.headers["Location"].split("?")[0]) == (302, "/console/login/")
    fail(9)
    assert [log_in(RIGHT).status_code for _ in range(3)] == [302] * 3
    assert fail(2) == [False, True]


def test_lockout_is_not_extended_and_ends_when_its_keys_are_gone(valkey_url: str, ada: User) -> None:
    """Login links work meanwhile."""
    redis: Any = Redis.from_url(valkey_url)
    fail(10)
    before = {key: redis.pttl(key) for key in redis.keys("crowdgame*login_failed*")}
    assert fail(3) == [True] * 3
    assert before
    assert all(redis.pttl(key) <= before[key] for key in before)
    browser = Client()
    assert browser.post(login_link_path(ada)).status_code == 302
    assert browser.get("/console/").status_code == 200
    assert [redis.delete(key) for key in redis.keys("crowdgame*")]
    assert log_in(RIGHT).status_code == 302


def test_strangers_do_not_lock_known_devices() -> None:
    """Such a device has ten attempts of its own, and none for another account."""
    device, other = Client(), Client()
    User.objects.create_user("bob", password=RIGHT)
    for browser, name in ((device, "ada"), (other, "bob")):
        browser.post("/console/login/", {"login": name, "password": RIGHT})
        browser.post("/console/logout/")
    fail(10)
    assert other.post("/console/login/", {"login": "ada", "password": RIGHT}).status_code == 200
    for password, status in ((RIGHT, 302), *[(WRONG, 200)] * 10, (RIGHT, 200)):
        browser = Client()
        browser.cookies[COOKIE] = device.cookies[COOKIE].value
        assert browser.post("/console/login/", {"login": "ADA", "password": password}).status_code == status


def test_only_a_login_marks_a_known_device(monkeypatch: pytest.MonkeyPatch, ada: User) -> None:
    client = Client()
    for password, is_known in ((WRONG, False), (RIGHT, True)):
        page = client.post("/console/login/", {"login": "ada", "password": password}).content.decode()
        assert (COOKIE in client.cookies, "Wrong name or password" in page) == (is_known, not is_known)
    cookie = f"{COOKIE}={client.cookies[COOKIE].value}"
    assert client.cookies[COOKIE]["httponly"]
    for forged in ("", f"{COOKIE}=1", f"{COOKIE}=1:1:x", f"{cookie}x", cookie.replace("=", "=1")):
        assert find_known_user({"headers": [(b"cookie", forged.encode())]}) == ""
    assert find_known_user({"headers": [(b"cookie", cookie.encode())]}) == str(ada.pk)
    late = time.time() + COOKIE_MAX_AGE_S + 60
    monkeypatch.setattr("time.time", lambda: late)
    assert find_known_user({"headers": [(b"cookie", cookie.encode())]}) == ""


def test_limits_are_per_account_and_none_is_a_default() -> None:
    """All phones of a venue share one address: a limit per address would lock out organizers."""
    account, mfa = account_settings.RATE_LIMITS, mfa_settings.RATE_LIMITS
    assert (account, mfa) == (settings.ACCOUNT_RATE_LIMITS, settings.MFA_RATE_LIMITS)
    rates = [rate for limit in (account | mfa).values() for rate in parse_rates(limit)]
    assert {rate.per for rate in rates} == {"key", "user"}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("checker", "check", "page", "guess"),
    [
        (User, "check_password", "/console/login/", {"login": "ada", "password": WRONG}),
        (TOTP, "validate_code", "/console/2fa/authenticate/", {"code": "123456"}),
    ],
)
def test_simultaneous_guesses_do_not_exceed_the_limit(
    *, checker: Any, check: str, page: str, guess: Any, monkeypatch: pytest.MonkeyPatch, ada: User
) -> None:
    browsers, checked, ready = [Client() for _ in range(GUESSES)], list[object](), Barrier(GUESSES)
    if checker is TOTP:
        TOTP.activate(ada, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
        for browser in browsers:
            browser.post("/console/login/", {"login": "ada", "password": RIGHT})
    monkeypatch.setattr(checker, check, lambda *guessed: checked.append(guessed))

    def guess_together(browser: Client) -> None:
        ready.wait(30)
        browser.post(page, guess)
        connections.close_all()

    with ThreadPoolExecutor(GUESSES) as threads:
        list(threads.map(guess_together, browsers))
    assert 0 < len(checked) <= 10


def test_outages_lock_nobody_out(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """Attempts without the database do not count. Without Redis, passwords are refused and links work."""

    def fail_to_check(*_: object) -> bool:
        raise OperationalError("the database is away")

    with monkeypatch.context() as patch:
        patch.setattr(User, "check_password", fail_to_check)
        assert [log_in(RIGHT).status_code for _ in range(12)] == [503] * 12
    assert log_in(RIGHT).status_code == 302
    away = settings.CACHES["default"] | {"LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = settings.CACHES | {"default": away}
    refused = log_in(RIGHT)
    assert (refused.status_code, "is not responding" in refused.content.decode()) == (503, True)
    assert Client().post(login_link_path(User.objects.get())).status_code == 302


def test_lockout_stores_and_logs_no_personal_data(valkey_url: str, caplog: pytest.LogCaptureFixture) -> None:
    redis: Any = Redis.from_url(valkey_url)
    caplog.set_level("DEBUG")
    headers = {"user-agent": "Netscape/4.7", "x-forwarded-for": "203.0.113.9"}
    fail(10)
    log_in(WRONG, **headers)
    log_in(RIGHT, **headers)
    kept = repr([(key, redis.get(key)) for key in redis.keys("*")])
    for trace in ("ada", "Netscape", "203.0.113.9", WRONG, RIGHT):
        assert trace not in kept
        assert trace not in caplog.text
