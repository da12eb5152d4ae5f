"""`manage.py reset_link NAME`: a link with which an organizer chooses a new password, without e-mail."""

from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.contrib.auth.models import User
from django.urls import reverse

from crowdgame.accounts.management.organizer_link import OrganizerLinkCommand


def reset_path(user: User) -> str:
    uid, key = user_pk_to_url_str(user), default_token_generator.make_token(user)
    return reverse("account_reset_password_from_key", args=[uid, key])


class Command(OrganizerLinkCommand):
    help = "Print a link with which an organizer chooses a new password. It works once."
    link_path = staticmethod(reset_path)
