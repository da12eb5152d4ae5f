"""Errors that pages share: refused forms, a busy server, and a database or Redis that does not respond."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.deprecation import MiddlewareMixin

from voting.ballot_box.stores import STORE_ERRORS

log = logging.getLogger(__name__)

BUSY_RETRY_S = 3


class ServerBusy(Exception):
    """The request is refused because too many others wait. The response has status 503 and Retry-After."""


class StoreUnavailableMiddleware(MiddlewareMixin):
    """Responds with status 503 if a view raises ServerBusy or one of STORE_ERRORS."""

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, ServerBusy):
            return busy_page(request)
        if not isinstance(exception, STORE_ERRORS):
            return None
        log.error("a page was not served: %s", exception, exc_info=exception)
        return unavailable_page(request)


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
