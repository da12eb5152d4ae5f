"""Views that return a PDF, with the libraries of the extra `pdf`."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.module_loading import import_string

NOT_IMPLEMENTED = 501


def pdf_view(path: str) -> Callable[..., HttpResponse]:
    """Return a view that calls the one at this dotted path, or explains how to install the libraries.

    Its module is loaded on the first request, because the libraries take a third of a second to load.
    """

    def view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if find_spec("fpdf") is None:
            return render(request, "printing/not_installed.html", status=NOT_IMPLEMENTED)
        response: HttpResponse = import_string(path)(request, *args, **kwargs)
        return response

    return view
