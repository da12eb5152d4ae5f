"""`manage.py login_link NAME`: a login link for an organizer who forgot the password or is locked out."""

from django.contrib.auth.models import User

from crowdgame.accounts.login_links import login_link_path
from crowdgame.accounts.management.organizer_link import OrganizerLinkCommand


class Command(OrganizerLinkCommand):
    help = "Print a login link for an organizer. It works once and expires after two hours."

    def link_path(self, user: User) -> str:
        return login_link_path(user)
