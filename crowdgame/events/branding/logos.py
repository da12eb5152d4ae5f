"""Logos: checked and re-encoded when uploaded, and served under a URL that contains their hash."""

import hashlib
import logging
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path, PurePath

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from crowdgame.events.models import EventLogo
from crowdgame.server.web.content_policy import strict_policy
from voting.models import Event

log = logging.getLogger(__name__)
PROGRAM = Path(__file__).with_name("reencode.py")
TIMEOUT_S = 5
FORMATS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".webp": "WEBP"}
MAX_BYTES = 1_000_000  # with the form's other fields, less than the largest body that a page accepts
NOT_INSTALLED = _("This server was installed without the package for logos. Install it: %(command)s")
UNREADABLE = _("This file can't be read. Choose a PNG, JPEG or WebP file.")
REFUSALS = {
    3: _("The picture has too many pixels. Choose one of at most 4096 by 4096."),
    4: _("The picture is animated. Choose one that isn't."),
    5: _("The file contains more than a picture, or only a part of it. Save it again."),
}


class LogoRefused(Exception):
    """The argument is the reason, for the organizer."""


def reencode(name: str, content: bytes) -> bytes:
    """Return the picture as WebP without metadata. `name` is that of the file. Raises LogoRefused.

    Needs the extra `logos`.
    """
    if find_spec("PIL") is None:
        raise LogoRefused(NOT_INSTALLED % {"command": 'pip install "crowdgame[logos]"'})
    kind = FORMATS.get(PurePath(name).suffix.lower())
    if kind is None:
        raise LogoRefused(UNREADABLE)
    if len(content) > MAX_BYTES:
        raise LogoRefused(_("The file is too large. Choose one of at most 1 MB."))
    argv = [sys.executable, "-I", str(PROGRAM), kind]
    try:
        done = subprocess.run(argv, input=content, capture_output=True, timeout=TIMEOUT_S, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        raise LogoRefused(UNREADABLE) from None
    if done.returncode:
        raise LogoRefused(REFUSALS.get(done.returncode, UNREADABLE))
    return done.stdout


def store_logo(event: Event, content: bytes) -> str:
    """Store a re-encoded logo and return its key."""
    key = hashlib.sha256(content).hexdigest()[:32]
    EventLogo.objects.update_or_create(event=event, key=key, defaults={"content": content})
    return key


def load_logo(key: str) -> bytes | None:
    if key and key == settings.BRAND_LOGO_KEY:
        return _load_default()
    content = EventLogo.objects.filter(key=key).values_list("content", flat=True).first()
    return None if content is None else bytes(content)


@cache
def _load_default() -> bytes | None:
    file = Path(settings.BRAND_LOGO)
    try:
        return reencode(file.name, file.read_bytes())
    except LogoRefused as refused:
        log.error("BRAND_LOGO: %s", refused)
        return None


@require_safe
def logo(_request: HttpRequest, name: str) -> HttpResponse:
    """Serve a logo. Answers 404 if no event has it anymore."""
    content = load_logo(name)
    if content is None:
        raise Http404
    answer = HttpResponse(content, content_type="image/webp")
    answer.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    answer.headers["Content-Security-Policy"] = strict_policy({})
    return answer
