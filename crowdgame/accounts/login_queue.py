"""ASGI middleware that limits how many pages Django renders, and how many logins it checks, at a time.

Every request to Django has a thread of its own. Many threads at once would delay the votes by seconds, since
they compete with the event loop for the interpreter. Hashing a password does not, so logins have turns of
their own.
"""

from typing import Any

from django.conf import settings

from crowdgame.accounts.request_turns import RequestTurns
from crowdgame.accounts.waiting_lines import WaitingLines
from crowdgame.web.cached_pages import AsgiApplication

MAX_ACTIVE = 2  # logins: one hashes a password, another loads its page
PLACES, PLACES_PER_NETWORK = 128, 32
KNOWN_PLACES, PLACES_PER_ORGANIZER = 32, 4
# Two threads that render at once are slower than one, and the event loop waits for both. A second one starts
# if the first is slow, because it may wait for the database.
MAX_PAGES, MAX_SLOW_PAGES = 1, 1
PAGE_PLACES = 1_000  # also of one network: all visitors of a venue share one
READING_METHODS = {"GET", "HEAD", "OPTIONS"}


def queue_logins(next_app: AsgiApplication, pages: AsgiApplication) -> AsgiApplication:
    """Let forms at LOGIN_PATHS wait for their turn. Without a place they get 503 and Retry-After.

    All other requests go to `pages`, so that logins take no turns of theirs.
    """
    turns = RequestTurns(
        MAX_ACTIVE,
        known=WaitingLines(KNOWN_PLACES, PLACES_PER_ORGANIZER),
        others=WaitingLines(PLACES, PLACES_PER_NETWORK),
    )

    async def application(scope: Any, receive: Any, send: Any) -> None:
        if scope["method"] in READING_METHODS or not scope["path"].startswith(settings.LOGIN_PATHS):
            await pages(scope, receive, send)
        else:
            await turns.serve(next_app, scope, receive, send)

    return application


def queue_pages(next_app: AsgiApplication) -> AsgiApplication:
    """Let all requests wait for their turn. Without a place they get 503 and Retry-After."""
    turns = RequestTurns(
        MAX_PAGES,
        known=WaitingLines(PAGE_PLACES, PAGE_PLACES),
        others=WaitingLines(PAGE_PLACES, PAGE_PLACES),
        max_slow=MAX_SLOW_PAGES,
    )

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await turns.serve(next_app, scope, receive, send)

    return application
