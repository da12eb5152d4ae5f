"""Passwords are not to be guessed, and nobody is watched for that."""

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


def log_in(password: str, name: str = "ada", at: str = "/console/login/", **headers: str) -> Any:
    return Client(headers=headers).post(at, {"username": name, "password": password})


def fail(times: int, **where: str) -> list[int]:
    return [log_in(WRONG, **where).status_code for _ in range(times)]


def test_the_tenth_wrong_password_locks_the_account_for_a_quarter_of_an_hour() -> None:
    assert fail(9) == [200] * 9
    tenth = log_in(WRONG)
    assert (tenth.status_code, "opens again by itself in 15 minutes" in tenth.content.decode()) == (429, True)
    assert 890 < int(tenth.headers["Retry-After"]) <= 900
    right = log_in(RIGHT)
    assert (right.status_code, "sessionid" in right.cookies) == (429, False)


def test_it_is_the_account_and_not_the_address() -> None:
    User.objects.create_user("bob", password=RIGHT)
    fail(10)
    assert log_in(RIGHT, "bob").status_code == 302


def test_one_lock_at_both_doors() -> None:
    assert fail(5) + fail(4, at="/admin/login/") == [200] * 9
    assert log_in(WRONG, at="/admin/login/").status_code == 429
    assert log_in(RIGHT).status_code == 429


def test_a_right_password_begins_anew() -> None:
    fail(9)
    assert log_in(RIGHT).status_code == 302
    assert fail(9) == [200] * 9


def test_who_goes_on_makes_it_no_longer(settings: Any) -> None:
    fail(10)
    until = seconds_left("ada")
    with Redis.from_url(settings.REDIS_URL) as redis:
        before = {key: redis.pttl(key) for key in redis.keys("crowdgame*axes*")}
        assert fail(3) == [429] * 3
        after = {key: redis.pttl(key) for key in before}
    assert before
    assert all(after[key] <= before[key] for key in before)
    assert seconds_left("ada") <= until


def test_it_opens_again(settings: Any) -> None:
    fail(10)
    with Redis.from_url(settings.REDIS_URL) as redis:
        assert [redis.delete(key) for key in redis.keys("crowdgame*")]
    assert log_in(RIGHT).status_code == 302


def test_a_link_lets_in_who_was_locked_out_on_purpose(ada: User) -> None:
    fail(10)
    browser = Client()
    assert browser.post(login_link_path(ada)).status_code == 302
    assert browser.get("/console/").status_code == 200


def test_however_a_name_is_typed_it_is_one_lock(settings: Any) -> None:
    assert fail(10, name=" \uff41\uff44\uff41 ")[-1] == 429
    assert log_in(RIGHT).status_code == 429
    with Redis.from_url(settings.REDIS_URL) as redis:
        assert len(redis.keys("crowdgame*locked-until-*")) == 1


def test_a_name_that_nobody_has_is_locked_like_any_other() -> None:
    assert fail(10, name="nobody") == [200] * 9 + [429]


def test_nothing_is_kept_but_a_number(settings: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    headers = {"user-agent": "Netscape/4.7", "x-forwarded-for": "203.0.113.9"}
    fail(10)
    log_in(WRONG, **headers)
    log_in(RIGHT, **headers)
    assert not [model for model in (AccessAttempt, AccessFailureLog, AccessLog) if model.objects.exists()]
    with Redis.from_url(settings.REDIS_URL) as redis:
        kept = repr([(key, redis.get(key)) for key in redis.keys("*")])
    for trace in ("ada", "Netscape", "203.0.113.9", "127.0.0.1", WRONG, RIGHT):
        assert trace not in kept
        assert trace not in caplog.text


def test_redis_that_goes_away_between_the_lock_and_its_time_is_told(settings: Any) -> None:
    assert fail(9) == [200] * 9
    settings.CACHES |= {"away": settings.CACHES["logins"] | {"LOCATION": "redis://127.0.0.1:1/0"}}
    settings.AXES_CACHE = "away"  # read anew for the time only: axes has its own already
    assert fail(1) == [503]


def test_while_redis_is_away_nobody_guesses_and_links_work(settings: Any, ada: User) -> None:
    settings.CACHES = {"logins": settings.CACHES["logins"] | {"LOCATION": "redis://127.0.0.1:1/0"}}
    AxesProxyHandler.get_implementation(force=True)
    try:
        assert log_in(RIGHT).status_code == 503
        assert Client().post(login_link_path(ada)).status_code == 302
    finally:
        AxesProxyHandler.implementation = None
