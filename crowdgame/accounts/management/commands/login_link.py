"""`manage.py login_link NAME`: a login link for an organizer who forgot the password or is locked out."""

from crowdgame.accounts.login_links import login_link_path
from crowdgame.accounts.management.organizer_link import OrganizerLinkCommand


class Command(OrganizerLinkCommand):
    help = "Print a login link for an organizer. It works once and expires after two hours."
    link_path = staticmethod(login_link_path)
