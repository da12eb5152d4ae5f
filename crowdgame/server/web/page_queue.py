"""ASGI middleware that limits how many pages Django renders, and how many logins it checks, at a time.

Every request to Django has a thread of its own. Many threads at once would delay the votes by seconds, since
they compete with the event loop for the interpreter. Hashing a password does not, so logins have turns of
their own. So do documents, which take seconds: no page waits for them.
"""

import re
from typing import Any

from django.conf import settings

from crowdgame.server.web.cached_pages import AsgiApplication
from crowdgame.server.web.request_turns import FindUser, RequestTurns
from crowdgame.server.web.waiting_lines import WaitingLines
from voting.metrics.metrics import RefusalKind

MAX_ACTIVE = 2  # logins: one hashes a password, another loads its page
PLACES, PLACES_PER_NETWORK = 128, 32
KNOWN_PLACES, PLACES_PER_ORGANIZER = 32, 2
# Two threads that render at once are slower than one, and the event loop waits for both. A second one starts
# if the first is slow, because it may wait for the database.
MAX_PAGES, MAX_SLOW_PAGES = 1, 1
PAGE_PLACES = 1_000  # also of one network: all visitors of a venue share one
MAX_DOCUMENTS = 1
# Downloads of all tickets, votes or reports of an event, the poster, and logos, which take seconds to decode.
DOCUMENT_PATHS = re.compile(
    r"/console/[^/]+/(?:branding/|(?:tickets|poster)\.pdf|tickets/csv/|study\.csv|report\.html)"
)
READING_METHODS = {"GET", "HEAD", "OPTIONS"}


def queue_requests(next_app: AsgiApplication, find_known_user: FindUser) -> AsgiApplication:
    """Let all requests wait for their turn: logins, documents and pages. Without a place they get 503."""
    pages = RequestTurns(
        find_known_user,
        MAX_PAGES,
        known=WaitingLines(PAGE_PLACES, PLACES_PER_ORGANIZER),
        others=WaitingLines(PAGE_PLACES, PAGE_PLACES),
        max_slow=MAX_SLOW_PAGES,
    )
    apart = {"login": MAX_ACTIVE, "document": MAX_DOCUMENTS}
    turns = {"page": pages, **{kind: _turns_apart(find_known_user, most) for kind, most in apart.items()}}

    async def application(scope: Any, receive: Any, send: Any) -> None:
        kind: RefusalKind = (
            "login" if is_login(scope) else "document" if DOCUMENT_PATHS.fullmatch(scope["path"]) else "page"
        )
        await turns[kind].serve(next_app, scope, receive, send, kind)

    return application


def _turns_apart(find_known_user: FindUser, max_active: int) -> RequestTurns:
    return RequestTurns(
        find_known_user,
        max_active,
        known=WaitingLines(KNOWN_PLACES, PLACES_PER_ORGANIZER),
        others=WaitingLines(PLACES, PLACES_PER_NETWORK),
    )


def is_login(scope: Any) -> bool:
    """Whether the request submits a form at LOGIN_PATHS."""
    return scope["method"] not in READING_METHODS and scope["path"].startswith(settings.LOGIN_PATHS)
