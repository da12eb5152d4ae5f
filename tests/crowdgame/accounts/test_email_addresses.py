from collections.abc import Callable

import pytest
from allauth.account.forms import AddEmailForm
from allauth.account.internal.emailkit import valid_email_or_none
from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.core.mail.message import sanitize_address
from django.forms import BaseForm, modelform_factory

from crowdgame.accounts.invitation_views import InvitationForm
from crowdgame.accounts.signup_form import SignupForm
from crowdgame.play.notifications.forms import AddressForm
from crowdgame.server.config.email_addresses import validate_address

REFUSED = [
    "ada",
    "",
    "ada@example.org\n",
    "ad\u0131a@example.org",  # Django takes the letter, whose upper case is I, for one of a to z
    "=?utf-8?q?ada?=@example.org",  # would be sent to ada@example.org
    '"a\x01da"@example.org',
    "=?utf-8?b?YQ0KYg==?=@example.org",
    f"ada@{'ü' * 60}.org",
]


@pytest.mark.parametrize("address", REFUSED)
def test_address_that_no_header_can_hold_is_refused(address: str) -> None:
    with pytest.raises(ValidationError, match="valid e-mail address"):
        validate_address(address)


@pytest.mark.parametrize(
    "address", ["ada+b@example.org", '"a,b"@example.org', "ada@schüle.example", "A@x.org"]
)
def test_allowed_address_can_be_sent_to(address: str) -> None:
    validate_address(address)
    sanitize_address(address, "utf-8")
    assert EmailMessage(to=[address]).message()["To"]


FORMS: dict[str, Callable[[dict[str, str]], BaseForm]] = {
    "sign-up": SignupForm,
    "own account": lambda data: AddEmailForm(data=data, user=User.objects.get_or_create()[0]),
    "invitation": InvitationForm,
    "turn e-mails": AddressForm,
    "administration": modelform_factory(User, fields=["email"]),
    "addresses in the administration": modelform_factory(EmailAddress, fields=["email"]),
}


@pytest.mark.django_db
@pytest.mark.parametrize("name", FORMS)
def test_every_form_refuses_such_an_address(name: str) -> None:
    assert FORMS[name]({"email": REFUSED[4]}).errors["email"] == ["Enter a valid e-mail address."]
    assert "email" not in FORMS[name]({"email": "ada@example.org"}).errors


def test_such_an_address_of_an_identity_provider_is_ignored() -> None:
    assert [valid_email_or_none(one) for one in (REFUSED[4], "ada@example.org")] == [None, "ada@example.org"]
