"""`/verify.py`: public download of the verification script, which recounts a match from its record."""

from functools import cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

CACHE_MAX_AGE_S = 300


@require_safe
def verify_script(request: HttpRequest) -> HttpResponse:
    answer = HttpResponse(_script(), "text/plain; charset=utf-8")
    answer.headers["Cache-Control"] = f"public, max-age={CACHE_MAX_AGE_S}"
    answer.headers["Content-Disposition"] = 'inline; filename="verify.py"'
    return answer


@cache
def _script() -> bytes:
    return (settings.BASE_DIR / "docs" / "verify.py").read_bytes()
