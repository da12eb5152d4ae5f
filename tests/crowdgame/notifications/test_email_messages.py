"""Wording of the remaining time in mails, and parsing of the mail server URL."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from crowdgame.config.mail_settings import mail_server
from crowdgame.notifications.email_messages import DAY_MS, HOUR_MS, format_time_left


def test_remaining_time_is_worded_in_days_and_hours() -> None:
    texts = [format_time_left(ms) for ms in (HOUR_MS, 3 * DAY_MS, DAY_MS + 2 * HOUR_MS, DAY_MS - 1)]
    assert texts == ["1 hour", "3 days", "1 day and 2 hours", "23 hours"]


def test_mail_server_url_is_parsed() -> None:
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
def test_invalid_mail_server_url_error_omits_password(url: str) -> None:
    with pytest.raises(ImproperlyConfigured) as error:
        mail_server(url)
    assert "secret" not in str(error.value)
