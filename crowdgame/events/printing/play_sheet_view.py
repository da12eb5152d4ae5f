"""`/rules/cards.pdf`, the cards for play without phones."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from crowdgame.events.printing.pdf_document import Paper
from crowdgame.events.printing.play_sheets import print_play_sheets


@require_safe
def play_sheets(_request: HttpRequest, paper: Paper) -> HttpResponse:
    return HttpResponse(print_play_sheets(paper, get_language()), content_type="application/pdf")
