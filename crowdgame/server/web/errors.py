"""Errors that pages share: unknown addresses, refused forms, and a server or store that is busy or down."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import is_valid_path
from django.utils.deprecation import MiddlewareMixin
from django.utils.encoding import escape_uri_path

from crowdgame.server.web.cached_pages import page_for_path
from games.engine.errors import UnknownGame
from voting.ballot_box.stores import STORE_ERRORS
from voting.metrics.metrics import count_refusal
from voting.typed_codes import JOIN_CODE, normalize_code

log = logging.getLogger(__name__)

BUSY_RETRY_S = 3


class ServerBusy(Exception):
    """The request is refused because too many others wait. The response has status 503 and Retry-After."""


class StoreUnavailableMiddleware(MiddlewareMixin):
    """Responds with status 503 if a view raises ServerBusy, UnknownGame or one of STORE_ERRORS."""

    # In the last middleware: Django then runs all in the view's thread, without a switch between each two.
    async_capable = False

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, ServerBusy):
            count_refusal("login")  # no other view waits for its turn
            return busy_page(request)
        if not isinstance(exception, (UnknownGame, *STORE_ERRORS)):
            return None
        log.error("a page was not served: %s", exception, exc_info=exception)
        return unavailable_page(request)


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Redirect a path with a code in another spelling to that of the code. Other paths get a 404 page."""
    address = _correct_codes(request.path)
    is_other = address.upper() != request.path.upper()
    if is_other and request.method in {"GET", "HEAD"} and (page_for_path(address) or is_valid_path(address)):
        query = request.META.get("QUERY_STRING", "")
        return redirect(escape_uri_path(address) + (query and f"?{query}"))
    return render(request, "404.html", status=404)


def _correct_codes(path: str) -> str:
    """Return the path with its codes as they are stored, and with single slashes."""
    parts = [part for part in path.split("/") if part]
    codes = {part: normalize_code(part) for part in parts}
    plain = [codes[part] if JOIN_CODE.fullmatch(codes[part]) else part for part in parts]
    return "/".join(["", *plain, ""] if path.endswith("/") else ["", *plain])


def unavailable_page(request: HttpRequest) -> HttpResponse:
    return render(request, "503.html", status=503)


def busy_page(request: HttpRequest) -> HttpResponse:
    answer = render(request, "503.html", {"busy": True}, status=503)
    answer.headers["Retry-After"] = str(BUSY_RETRY_S)
    return answer


@contextmanager
def show_refusal(form: BaseForm, field: str | None, *refusals: type[Exception]) -> Iterator[None]:
    """Turn an exception of these types into an error of the form's field; None: of the whole form."""
    try:
        yield
    except refusals as refusal:
        form.add_error(field, str(refusal))
