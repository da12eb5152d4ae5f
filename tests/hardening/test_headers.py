import re

import pytest
from django.conf import settings
from django.contrib.admindocs.views import extract_views_from_urlpatterns
from django.contrib.auth.models import User
from django.test import Client
from django.urls import get_resolver
from django.utils.module_loading import import_string
from pytest_django.fixtures import Settings

from crowdgame.accounts.models import Guest
from crowdgame.server.laptop.paths import ROOT
from crowdgame.server.web.cached_responses import secure_headers
from tests.voting.content_policy import sources
from tests.voting.match_helpers import RED_WINS, play
from voting.ballot_box.ballot_box import BallotBox
from voting.events import create_event
from voting.turns.turns import start_match

pytestmark = pytest.mark.django_db

ALWAYS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
}
NONE, SELF, DATA = "'none'", "'self'", "data:"
UNSAFE_EVAL, UNSAFE_INLINE = "'unsafe-eval'", "'unsafe-inline'"
CONSOLE_POLICY = {
    "default-src": {SELF},
    "img-src": {SELF, DATA},
    "object-src": {NONE},
    "base-uri": {NONE},
    "form-action": {SELF},
    "frame-ancestors": {NONE},
}
ADMIN_POLICY = CONSOLE_POLICY | {"script-src": {SELF, UNSAFE_EVAL}, "style-src": {SELF, UNSAFE_INLINE}}
DENIED_FEATURES = "camera display-capture geolocation microphone midi payment serial usb"
FILLED = {"int": "1", "str": "x", "path": "1", "slug": "x"}
PUBLIC_PAGES = re.compile(r"\d+ /(about|accessibility|board|follow/|log|privacy|puzzles|rules|stage/|verify)")
SCRIPT = "<script>alert(1)</script>"
UNSAFE = re.compile(
    r"\|\s*safe\b|autoescape off|mark_safe|format_html\(f|innerHTML|document\.write|(?<![.\w])eval\("
)
# The phone's renderer escapes everything it is given (dom.test.ts). The templates embed our own drawings,
# whose text is escaped in `charts.py` and `board_drawing.py`.
DRAWN = "paper printing/about printing/rules reports/board_editor reports/match_body reports/match_file"
KNOWN = {"frontend/src/phone/dom.ts", *(f"crowdgame/templates/{name}.html" for name in DRAWN.split())}


def addresses(filled: dict[str, str]) -> list[str]:
    """Every address whose route is no regular expression."""
    routes = [str(view[1]) for view in extract_views_from_urlpatterns(get_resolver().url_patterns)]
    plain = [f"/{route}" for route in routes if not re.search(r"[(^$]", route)]
    return [re.sub(r"<(?:(\w+):)?\w+>", lambda part: filled.get(part[1], "x"), route) for route in plain]


@pytest.fixture
def code() -> str:
    return create_event(User.objects.create_superuser("root", password="root"), "Gala", ("A", "B")).code


def check(address: str, headers: dict[str, str]) -> None:
    values = {name.lower(): value for name, value in headers.items()}
    assert ALWAYS.items() <= values.items(), address
    allowed = sources(values["content-security-policy"])
    assert allowed["frame-ancestors"] == allowed["base-uri"] == {NONE}, address
    assert allowed["form-action"] <= {NONE, SELF}, address
    assert UNSAFE_INLINE not in allowed["default-src"] | allowed.get("script-src", set()), address
    denied = [f"{feature}=()" for feature in DENIED_FEATURES.split()]
    assert values["permissions-policy"] == ", ".join(denied), address
    assert values["referrer-policy"] in {"same-origin", "no-referrer"}, address
    assert "no-store" in values["cache-control"] or PUBLIC_PAGES.match(address), address


def test_headers_are_sent_by_every_url(code: str, client: Client) -> None:
    walked = ["/nothing", "/admin/nothing/", "/admin/games/", "/console/nothing/at/all/"]
    walked += sorted(addresses(FILLED | {"code": code}))
    assert {"/console/", f"/console/{code}/edit/", "/admin/auth/user/", "/admin/login/"} <= set(walked)
    for user in (None, User.objects.get()):
        if user:
            client.force_login(user)
        for address in walked:
            for answer in (client.get(address), client.post(address, {})):
                check(f"{answer.status_code} {address}", dict(answer.headers))
            if user and "logout" in address:
                client.force_login(user)
    strict = Client(enforce_csrf_checks=True)
    for status, answer in (
        (403, strict.post("/console/login/", {})),
        (400, strict.get("/console/login/", headers={"host": "elsewhere.example"})),
    ):
        assert answer.status_code == status
        check(str(status), dict(answer.headers))


@pytest.mark.parametrize("is_guest", [False, True])
def test_no_page_redirects_in_a_circle(is_guest: bool, client: Client) -> None:
    user = User.objects.create_user("bob")
    if is_guest:
        Guest.objects.create(number=1, user=user, name="Bob")
    client.force_login(user)
    for address in addresses(FILLED):
        client.get(address, follow=True)  # raises RedirectCycleError


@pytest.mark.parametrize(
    ("address", "policy"),
    [("/console/login/", CONSOLE_POLICY), ("/nothing", CONSOLE_POLICY), ("/admin/login/", ADMIN_POLICY)],
)
def test_content_policy_allows_only_listed_sources(address: str, policy: dict[str, set[str]]) -> None:
    assert sources(Client().get(address).headers["Content-Security-Policy"]) == policy


def test_hsts_is_sent_over_https_only(settings: Settings) -> None:
    settings.SECURE_HSTS_SECONDS = 60
    secure, plain = Client().get("/console/login/", secure=True), Client().get("/console/login/")
    assert secure.headers["Strict-Transport-Security"] == "max-age=60"
    assert "Strict-Transport-Security" not in plain.headers
    assert (b"strict-transport-security", b"max-age=60") in secure_headers({})


def test_only_the_last_middleware_is_sync_only() -> None:
    """Django then runs all of them in the view's thread. One before it would change the thread twice more."""
    first = len(settings.SECURITY_MIDDLEWARE)
    assert settings.MIDDLEWARE[:first] == settings.SECURITY_MIDDLEWARE
    sync_only = [name for name in settings.MIDDLEWARE if not import_string(name).async_capable]
    assert sync_only == settings.MIDDLEWARE[-1:]


def test_headers_of_cached_pages_match_django_responses() -> None:
    values = {name.decode(): value.decode() for name, value in secure_headers({})}
    django = {name.lower(): value for name, value in Client().get("/nothing").headers.items()}
    assert ALWAYS.items() <= values.items()
    policies = [sources(headers.pop("content-security-policy")) for headers in (values, django)]
    assert policies[0] == policies[1]
    assert values.items() <= django.items()


@pytest.mark.django_db(transaction=True)
def test_script_in_a_name_is_escaped_on_every_page(client: Client, box: BallotBox) -> None:
    boss = User.objects.create_superuser("root")
    event = create_event(boss, f"a\u202eb\u200bc {SCRIPT}", (f"{SCRIPT}1", f"{SCRIPT}2"))
    assert event.name == f"abc {SCRIPT}"
    client.force_login(boss)
    play(start_match(event.pk, box), box, RED_WINS)
    console = f"/console/{event.code}"
    for page in ("/console/", f"{console}/edit/", f"{console}/delete/", f"/report/{event.code}/1"):
        text = client.get(page).content.decode()
        assert SCRIPT not in text
        assert "&lt;script&gt;" in text


def test_sources_contain_no_unsafe_markup_or_eval() -> None:
    scripts = ("crowdgame/**/*.html", "crowdgame/**/static/**/*.js", "frontend/src/**/*.ts*")
    kinds = (*scripts, "voting/**/*.py", "games/**/*.py", "crowdgame/**/*.py")
    sources = [path for kind in kinds for path in ROOT.glob(kind)]
    found = {str(path.relative_to(ROOT)) for path in sources if UNSAFE.search(path.read_text())}
    assert found <= KNOWN, found - KNOWN
