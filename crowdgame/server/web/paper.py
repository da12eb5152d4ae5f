"""Printable pages: a print button, no cookies and no external requests. Some can be one file to send on."""

from functools import lru_cache
from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF
from csp.utils import build_policy
from django.http import HttpResponse
from django.template.loader import render_to_string

from crowdgame.server.web.content_policy import hash_source, strict_policy
from games.drawing.board_drawing import BALLS

SOURCES = {"style-src": [SELF], "script-src": [SELF], "img-src": [SELF, "data:"]}
POLICY = strict_policy(SOURCES)
STATIC = Path(__file__).parents[2] / "static"
# A file has no header, and any size of paper.
FILE_STYLE = "@page { size: auto } @media screen { main { padding-top: 1.2rem } }"
SHEETS = ("tokens/stage", "tokens/pages", "tokens/components", "tokens/drawn", "paper/paper")


def render_paper_page(template: str, context: dict[str, Any]) -> str:
    return render_to_string(template, {"balls": BALLS, **context})


@lru_cache(64)
def file_style(own_rules: str = "") -> dict[str, str]:
    """Return the `style` and `policy` of a page that is one file: it loads nothing and runs no scripts."""
    style = "".join((STATIC / f"{sheet}.css").read_text() for sheet in SHEETS) + own_rules + FILE_STYLE
    closed = dict.fromkeys(("default-src", "base-uri", "form-action"), NONE)
    policy = build_policy({**closed, "style-src": hash_source(style.encode())})
    return {"style": style, "policy": policy}


def paper_response(page: str | bytes, fresh_s: int) -> HttpResponse:
    """Return the page with its content policy. `fresh_s` is the max-age in seconds; 0 means no-cache."""
    answer = HttpResponse(page)
    answer.headers["Content-Security-Policy"] = POLICY
    answer.headers["Cache-Control"] = f"public, max-age={fresh_s}" if fresh_s else "no-cache"
    return answer
