"""E-mails with links to reset a password, made by a worker.

A request looks up nobody, so that its duration does not reveal who has an account.
"""

from allauth.account.forms import ResetPasswordForm
from django.utils.translation import override


def queue_reset_links(email: str, language: str) -> None:
    """Queue an e-mail to each account with this address, in its language or else in this one."""
    form = ResetPasswordForm({"email": email})
    with override(language):
        if form.is_valid():
            form.save(request=None)
