"""Printable pages: a print button, no cookies and no external requests."""

from typing import Any

from csp.constants import SELF
from django.http import HttpResponse
from django.template.loader import render_to_string

from crowdgame.server.web.content_policy import strict_policy
from games.drawing.board_drawing import BALLS

SOURCES = {"style-src": [SELF], "script-src": [SELF], "img-src": [SELF, "data:"]}
POLICY = strict_policy(SOURCES)


def render_paper_page(template: str, context: dict[str, Any]) -> str:
    return render_to_string(template, {"balls": BALLS, **context})


def paper_response(page: str | bytes, fresh_s: int) -> HttpResponse:
    """Return the page with its content policy. `fresh_s` is the max-age in seconds; 0 means no-cache."""
    answer = HttpResponse(page)
    answer.headers["Content-Security-Policy"] = POLICY
    answer.headers["Cache-Control"] = f"public, max-age={fresh_s}" if fresh_s else "no-cache"
    return answer
