"""What mails say, and by which server they go."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from crowdgame.config.mail import mail_server
from crowdgame.notifications.messages import DAY_MS, HOUR_MS, left_in_words


def test_time_is_told_as_one_plans_by_it() -> None:
    texts = [left_in_words(ms) for ms in (HOUR_MS, 3 * DAY_MS, DAY_MS + 2 * HOUR_MS, DAY_MS - 1)]
    assert texts == ["1 hour", "3 days", "1 day and 2 hours", "23 hours"]


def test_a_mail_server_is_an_address() -> None:
    assert mail_server("smtp://me%40here:p%2Fw@mail.example") == (
        "mail.example",
        587,
        "me@here",
        "p/w",
        True,
        False,
    )
    assert mail_server("smtps://mail.example:4650") == ("mail.example", 4650, "", "", False, True)
    assert mail_server("smtp+plain://127.0.0.1") == ("127.0.0.1", 25, "", "", False, False)


@pytest.mark.parametrize("url", ["mail.example", "http://u:secret@mail.example", "smtp://"])
def test_another_one_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(ImproperlyConfigured) as refusal:
        mail_server(url)
    assert "secret" not in str(refusal.value)
