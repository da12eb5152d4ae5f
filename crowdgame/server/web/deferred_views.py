"""Views whose modules are loaded on the first request, because few processes ever need their libraries."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.module_loading import import_string


def load_on_request(path: str) -> Callable[..., HttpResponse]:
    """Return a view that imports and calls the view at this dotted path."""

    def view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = import_string(path)(request, *args, **kwargs)
        return response

    return view
