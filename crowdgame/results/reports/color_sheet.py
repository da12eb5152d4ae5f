"""`/board/RED-YELLOW.css`: the teams' own colors, for pages and pictures of a match."""

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from games.engine.game import SIDES
from voting.models import Match

# Of the red and the yellow side, as `#rrggbb`. Empty: the color of the side.
Colors = tuple[str, str]
DEFAULT_COLORS: Colors = ("", "")


def match_colors(match: Match) -> Colors:
    return match.red.color, match.yellow.color


def color_rules(colors: Colors) -> str:
    """Return rules to append to the style sheets of pages."""
    return "".join(
        f':root {{--{side}: {color};}}\n.mark[data-side="{side}"] {{--own: {color};}}\n'
        for side, color in zip(SIDES, colors, strict=True)
        if color
    )


def color_sheet_url(colors: Colors) -> str:
    """Return the URL of the style sheet, or an empty string if both colors are default."""
    names: dict[str, str] = {side: color[1:] for side, color in zip(SIDES, colors, strict=True) if color}
    return reverse("color_sheet", kwargs=names) if names else ""


@require_safe
def color_sheet(_request: HttpRequest, red: str = "", yellow: str = "") -> HttpResponse:
    rules = color_rules((red and f"#{red}", yellow and f"#{yellow}"))
    answer = HttpResponse(rules, content_type="text/css")
    answer.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return answer
