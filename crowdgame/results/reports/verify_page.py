"""`/verify`, the page that recounts a match in the browser, and `/verify.py`, the script that does that."""

from functools import cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from crowdgame.server.web.built_page import built_page_response

SCRIPT_MAX_AGE_S = 300


@require_safe
def verify_page(request: HttpRequest) -> HttpResponse:
    """Serve the page in the reader's language. Answers 503 if the frontend isn't built.

    Only the page's worker compiles WebAssembly, and its own response has no policy. So this one needs no
    'wasm-unsafe-eval'.
    """
    return built_page_response("verify")


@require_safe
def verify_script(request: HttpRequest) -> HttpResponse:
    """Serve the verification script, which recounts a match from its record."""
    answer = HttpResponse(_script(), "text/plain; charset=utf-8")
    answer.headers["Cache-Control"] = f"public, max-age={SCRIPT_MAX_AGE_S}"
    answer.headers["Content-Disposition"] = 'inline; filename="verify.py"'
    return answer


@cache
def _script() -> bytes:
    return (settings.BASE_DIR / "docs" / "verify.py").read_bytes()
