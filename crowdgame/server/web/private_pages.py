"""Keeps pages out of caches, unless their view says otherwise."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.deprecation import MiddlewareMixin


class PrivatePagesMiddleware(MiddlewareMixin):
    """Sets `no-store` on responses without Cache-Control. Only views of public pages set another value.

    After a logout on a shared device, "Back" therefore shows no page of the account.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response
