"""URL patterns under /api/v1/: dispatch, authentication and errors of the endpoints."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any

import msgspec
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.urls import path, re_path
from django.utils.cache import get_conditional_response
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from crowdgame.organizer.api.endpoints import Endpoint, endpoints
from crowdgame.organizer.api.models import ApiToken
from crowdgame.organizer.api.openapi import openapi
from crowdgame.organizer.api.pages import document_page
from crowdgame.organizer.api.reads import BadRequest
from crowdgame.organizer.api.schemas import Refusal
from crowdgame.organizer.api.tokens import find_token, has_scope, retry_after_s
from crowdgame.organizer.api.writes import InvalidSettings
from crowdgame.organizer.console.control import NotPermitted
from games.engine.errors import GameError
from voting.matches import MatchError
from voting.metrics.metrics import count_refusal

STATUS: dict[type[Exception], int] = {
    BadRequest: 400,
    PermissionDenied: 403,
    NotPermitted: 403,
    Http404: 404,
    MatchError: 409,
    GameError: 409,
    InvalidSettings: 422,
}


def refuse(
    status: int,
    title: str,
    errors: dict[str, list[str]] | None = None,
    headers: Mapping[str, str] | None = None,
) -> HttpResponse:
    body = msgspec.json.encode(Refusal(title=title, status=status, errors=errors))
    return HttpResponse(body, "application/problem+json", status, headers=headers)


def view_of(known: Iterable[Endpoint]) -> Callable[..., HttpResponseBase]:
    """The view of the endpoints of one path. It knows a token, not a session, so it needs no CSRF check."""
    by_method = {one.method: one for one in known}

    @csrf_exempt
    def view(request: HttpRequest, **parts: Any) -> HttpResponseBase:
        token = _authenticate(request)
        if token is None:
            return refuse(401, "No valid token.", headers={"WWW-Authenticate": "Bearer"})
        if wait_s := retry_after_s(token):
            count_refusal("api")
            return refuse(429, "Too many requests.", headers={"Retry-After": str(wait_s)})
        endpoint = by_method.get("GET" if request.method == "HEAD" else request.method or "")
        if endpoint is None:
            return refuse(405, "This address has no such method.", headers={"Allow": ", ".join(by_method)})
        try:
            return _answer(request, token, endpoint, parts)
        except tuple(STATUS) as refusal:
            status = next(status for kind, status in STATUS.items() if isinstance(refusal, kind))
            return refuse(status, str(refusal), getattr(refusal, "errors", None))

    return view


def _authenticate(request: HttpRequest) -> ApiToken | None:
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    return find_token(token.strip()) if kind.lower() == "bearer" else None


def _answer(
    request: HttpRequest, token: ApiToken, endpoint: Endpoint, parts: dict[str, Any]
) -> HttpResponseBase:
    if not has_scope(token, endpoint.scope):
        raise PermissionDenied(f"The token does not have the scope `{endpoint.scope}`.")
    result = endpoint.run(token, _read_arguments(request, endpoint), **parts)
    body = result if isinstance(result, bytes) else msgspec.json.encode(result)
    response = HttpResponse(body, endpoint.media)
    if endpoint.method != "GET":
        return response
    etag = f'"{sha256(body).hexdigest()[:32]}"'
    response.headers["ETag"] = etag
    return get_conditional_response(request, etag=etag, response=response) or response


def _read_arguments(request: HttpRequest, endpoint: Endpoint) -> Any:
    """The body of the request; of a GET its query. Raises BadRequest."""
    if unknown := request.GET.keys() - set(endpoint.query):
        raise BadRequest(f"unknown argument: {', '.join(sorted(unknown))}")
    if not endpoint.body:
        return request.GET.dict()
    try:
        return msgspec.json.decode(request.body or b"{}", type=endpoint.body)
    except msgspec.MsgspecError as error:
        raise BadRequest(str(error)) from error


@require_safe
def document(request: HttpRequest) -> HttpResponse:
    return HttpResponse(openapi(), "application/json")


@csrf_exempt
def not_found(request: HttpRequest) -> HttpResponse:
    return refuse(404, "There is no such address.")


def _by_path() -> dict[str, list[Endpoint]]:
    grouped: dict[str, list[Endpoint]] = defaultdict(list)
    for one in endpoints():
        grouped[one.path].append(one)
    return grouped


urlpatterns = [
    path("", document_page, name="api"),
    path("openapi.json", document, name="api_document"),
    *(path(where, view_of(known)) for where, known in _by_path().items()),
    re_path("", not_found),
]
