"""Login lockout against password guessing, without storing personal data."""

from collections.abc import Iterator
from typing import Any

import pytest
from axes.handlers.proxy import AxesProxyHandler
from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.contrib.auth.models import User
from django.test import Client
from redis import Redis

from crowdgame.accounts.lockout import seconds_left
from crowdgame.accounts.login_links import login_link_path

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey_url")]

RIGHT, WRONG = "lovelace", "guess"


@pytest.fixture(autouse=True)
def ada() -> User:
    return User.objects.create_superuser("ada", password=RIGHT)


@pytest.fixture
def redis(valkey_url: str) -> Iterator[Any]:
    with Redis.from_url(valkey_url) as redis:
        yield redis


def log_in(password: str, name: str = "ada", at: str = "/console/login/", **headers: str) -> Any:
    return Client(headers=headers).post(at, {"username": name, "password": password})


def fail(times: int, **where: str) -> list[int]:
    return [log_in(WRONG, **where).status_code for _ in range(times)]


def test_lockout_tenth_wrong_password_locks_account_for_15_minutes() -> None:
    assert fail(9) == [200] * 9
    tenth = log_in(WRONG)
    assert (tenth.status_code, "Try again in 15 minutes" in tenth.content.decode()) == (429, True)
    assert 890 < int(tenth.headers["Retry-After"]) <= 900
    right = log_in(RIGHT)
    assert (right.status_code, "sessionid" in right.cookies) == (429, False)


def test_lockout_is_per_account() -> None:
    User.objects.create_user("bob", password=RIGHT)
    fail(10)
    assert log_in(RIGHT, "bob").status_code == 302


def test_lockout_is_shared_by_console_and_admin_login() -> None:
    assert fail(5) + fail(4, at="/admin/login/") == [200] * 9
    assert log_in(WRONG, at="/admin/login/").status_code == 429
    assert log_in(RIGHT).status_code == 429


def test_lockout_count_resets_after_right_password() -> None:
    fail(9)
    assert log_in(RIGHT).status_code == 302
    assert fail(9) == [200] * 9


def test_lockout_is_not_extended_by_further_attempts(redis: Any) -> None:
    fail(10)
    until = seconds_left("ada")
    before = {key: redis.pttl(key) for key in redis.keys("crowdgame*axes*")}
    assert fail(3) == [429] * 3
    after = {key: redis.pttl(key) for key in before}
    assert before
    assert all(after[key] <= before[key] for key in before)
    assert seconds_left("ada") <= until


def test_lockout_ends_when_its_keys_are_gone(redis: Any) -> None:
    fail(10)
    assert [redis.delete(key) for key in redis.keys("crowdgame*")]
    assert log_in(RIGHT).status_code == 302


def test_lockout_does_not_block_login_link(ada: User) -> None:
    fail(10)
    browser = Client()
    assert browser.post(login_link_path(ada)).status_code == 302
    assert browser.get("/console/").status_code == 200


def test_lockout_normalizes_usernames(redis: Any) -> None:
    assert fail(10, name=" \uff41\uff44\uff41 ")[-1] == 429
    assert log_in(RIGHT).status_code == 429
    assert len(redis.keys("crowdgame*locked-until-*")) == 1


def test_lockout_applies_to_unknown_usernames() -> None:
    assert fail(10, name="nobody") == [200] * 9 + [429]


def test_lockout_stores_and_logs_no_personal_data(redis: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    headers = {"user-agent": "Netscape/4.7", "x-forwarded-for": "203.0.113.9"}
    fail(10)
    log_in(WRONG, **headers)
    log_in(RIGHT, **headers)
    assert not [model for model in (AccessAttempt, AccessFailureLog, AccessLog) if model.objects.exists()]
    kept = repr([(key, redis.get(key)) for key in redis.keys("*")])
    for trace in ("ada", "Netscape", "203.0.113.9", "127.0.0.1", WRONG, RIGHT):
        assert trace not in kept
        assert trace not in caplog.text


def test_lockout_redis_failure_after_locking_returns_503(settings: Any) -> None:
    assert fail(9) == [200] * 9
    settings.CACHES |= {"away": settings.CACHES["logins"] | {"LOCATION": "redis://127.0.0.1:1/0"}}
    settings.AXES_CACHE = "away"  # used for the remaining time only: axes has its cache already
    assert fail(1) == [503]


def test_lockout_without_redis_refuses_passwords_and_accepts_links(settings: Any, ada: User) -> None:
    settings.CACHES = {"logins": settings.CACHES["logins"] | {"LOCATION": "redis://127.0.0.1:1/0"}}
    AxesProxyHandler.get_implementation(force=True)
    try:
        refused = log_in(RIGHT)
        assert (refused.status_code, "is not responding" in refused.content.decode()) == (503, True)
        assert Client().post(login_link_path(ada)).status_code == 302
    finally:
        AxesProxyHandler.implementation = None
