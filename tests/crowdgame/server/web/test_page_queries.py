from dataclasses import dataclass
from itertools import count
from types import SimpleNamespace
from typing import Any, cast

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from crowdgame.accounts.guest_cookie import set_guest_cookie
from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.events.models import AuditEntry, Member
from crowdgame.organizer.cups import board_view
from crowdgame.organizer.cups.models import Cup, CupTeam
from crowdgame.play.chat.models import ChatLine, ChatReport, ChatRoom
from crowdgame.play.chat.rooms import find_room
from crowdgame.play.duels.duels import DuelSettings, join_duel, new_duel
from crowdgame.play.ratings.models import Rating
from crowdgame.server.web.cached_pages import page_for_path
from tests.e2e.page_visits import GALLERY_ONLY, PAGES, Visit, play_to, with_chat, with_cup, with_duels
from tests.organizer import OPERATIONS
from tests.server import Server
from tests.voting.match_helpers import organizer
from voting.admission.tickets import make_tickets
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Event, Match, Team
from voting.protocol import Role
from voting.terms import Admission

MOST = 12  # of the report, which is cached; it shows who judged best
FEW, MANY = 3, 27
COMPUTED_ONCE = {"report", "record"}  # and stored on the first visit
ENDED = {"state": "ended", "result": "red", "ended_by": "board", "ended_at": 2, "started_at": 1}
MODERATED = ("lobby", "lobby/{message}", "reports", "{played}-watchers")


def with_finished_duel(server: Server, event: dict[str, Any]) -> None:
    with_chat(server, event)
    Match.objects.filter(event__code=event["played"]).update(**ENDED)


def with_duel_chat(server: Server, event: dict[str, Any]) -> None:
    with_duels(server, event)
    with_chat(server, event)


MORE_PAGES = (
    *(Visit(f"list-{kind}", f"/play/all/{kind}", by="nobody") for kind in ("open", "running", "finished")),
    Visit("account", "/play/account", by="nobody"),
    Visit("ladder", "/console/ladder/", prepare=play_to((1, 2), (1, 3), (1, 5), (1, 6))),
    Visit("member", "/console/", by="viewer", choices={"admission": "rotating"}),
    Visit("lobby", "/play/chat/lobby", by="nobody", prepare=with_duels),
    Visit("play-over", "/play/{played}", by="nobody", prepare=with_finished_duel),
    Visit("record", "/record/{code}/1.json", by="nobody", prepare=play_to((1, 2), (1, 3), (1, 5), (1, 6))),
    *(
        Visit(f"moderator-{path}", f"/play/{path}", by="moderator", prepare=with_duel_chat)
        for path in ("", "{played}", *(f"chat/{room}" for room in MODERATED))
    ),
    Visit("cup-edit", "/console/cups/{cup}/edit/", prepare=with_cup("knockout", [*"ABCD"], [1])),
)
VISITS = [visit for visit in (*PAGES, *MORE_PAGES, *GALLERY_ONLY) if not page_for_path(visit.path)]
numbers = count(1_000_000)
codes = (str(number) for number in numbers)


def add_public_rows(guest: Guest, rows: int, box: BallotBox) -> None:
    """Add open, live, finished and rated duels, some of them with this guest."""
    opponents = [new_guest() for _ in range(rows)]
    for number, opponent in enumerate(opponents):
        new_duel(opponent, DuelSettings())
        live, over = (new_duel(opponent, DuelSettings()) for _ in range(2))
        join_duel(live.event.code, guest if number < MANY // 2 else new_guest(), box)
        join_duel(over.event.code, new_guest(), box)
        Match.objects.filter(event=over.event).update(**ENDED)
    rating = {"game": Event._meta.get_field("game").default, "mu": 1500, "sigma": 100, "games": 3}
    Rating.objects.bulk_create(Rating(guest=one, last_at=1, **rating) for one in opponents)


def add_rows(event: Event, viewer: User, rows: int) -> None:
    """Add members, tickets, log entries and matches to the event, reported messages to the lobby, and events
    and cups to the owner. The viewer may see the events, each of which has two matches."""
    owner, guests = event.owner, [User(username=f"guest-{next(numbers)}") for _ in range(rows)]
    users = User.objects.bulk_create(guests)
    Member.objects.bulk_create(Member(event=event, user=user, role=Role.COHOST) for user in users)
    entry = {"event": event, "by": "ada", "action": "event.edit", "what": "x", "at": 1}
    AuditEntry.objects.bulk_create(AuditEntry(**entry) for _ in range(rows))
    room, guest, now = cast(ChatRoom, find_room("lobby")), new_guest(), timezone.now()
    said = ChatLine.objects.bulk_create(
        ChatLine(room=room, guest=guest, name=str(guest), text="Hello", at=now, seq=next(numbers))
        for _ in range(rows)
    )
    ChatReport.objects.bulk_create(ChatReport(line=line, by=guest, reason="advert") for line in said)
    make_tickets(event, rows)
    events = Event.objects.bulk_create(
        Event(owner=owner, name="More", code=next(codes), admission=Admission.ROTATING) for _ in range(rows)
    )
    Member.objects.bulk_create(Member(event=one, user=viewer, role=Role.VIEWER) for one in events)
    sides = [(one, number) for one in events for number in (1, 2)]
    teams = Team.objects.bulk_create(Team(event=one, number=n, name=str(n)) for one, n in sides)
    pairs = [*zip(teams[::2], teams[1::2], strict=True)] * 2 + [tuple(event.teams.order_by("number"))] * rows
    Match.objects.bulk_create(
        Match(event=red.event, number=next(numbers), red=red, yellow=yellow, **ENDED) for red, yellow in pairs
    )
    cups = Cup.objects.bulk_create(Cup(owner=owner, name="Cup", code=next(codes)) for _ in range(rows))
    CupTeam.objects.bulk_create(CupTeam(cup=cup, seed=s, name=str(s)) for cup in cups for s in (1, 2))


@dataclass(frozen=True)
class PreparedPage:
    """A page that `client` may open, and what its lists belong to."""

    visit: Visit
    event: dict[str, Any]
    viewer: User
    client: Client

    def count_queries(self, more_rows: int) -> int:
        add_rows(Event.objects.get(pk=self.event["id"]), self.viewer, more_rows)
        newest = {"message": ChatLine.objects.latest("pk").pk}
        with CaptureQueriesContext(connection) as captured:
            status = self.client.get(self.visit.path.format(**self.event | newest)).status_code
        assert status == (404 if self.visit.name == "not-found" else 200), (self.visit.name, status)
        return len(captured)


def prepare(visits: list[Visit], guest: Guest) -> list[PreparedPage]:
    """Prepare pages for a guest. Those with equal terms and preparation show the same event."""
    events: dict[object, dict[str, Any]] = {}
    prepared = []
    for visit in visits:
        key = (visit.prepare, str(visit.choices))
        if key not in events:
            owner = f"owner-{next(numbers)}"
            server: Any = SimpleNamespace(ask=lambda operation, **given: OPERATIONS[operation](**given))
            events[key] = server.ask("event", owner=owner, **visit.choices) | {"owner": owner}
            if visit.prepare:
                visit.prepare(server, events[key])
        viewer = organizer(events[key]["owner"] if visit.by == "owner" else f"{visit.name}-{visit.by}")
        viewer.is_superuser = viewer.is_staff = visit.by == "superuser"
        viewer.save()
        if visit.by == "moderator":
            viewer.user_permissions.add(Permission.objects.get(codename="moderate_chat"))
        client = Client()
        client.cookies = set_guest_cookie(HttpResponse(), guest).cookies
        if visit.by != "nobody":
            client.force_login(viewer)
        prepared.append(PreparedPage(visit, events[key], viewer, client))
    return prepared


@pytest.mark.nightly
@pytest.mark.django_db
def test_queries_of_pages_do_not_grow_with_rows(box: BallotBox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board_view, "CACHE_MAX_AGE_S", 0)
    guest = new_guest()
    pages = prepare(VISITS, guest)
    add_public_rows(guest, FEW, box)
    few = {page.visit.name: page.count_queries(FEW) for page in pages}
    add_public_rows(guest, MANY, box)
    again = {page.visit.name: page for page in prepare([v for v in VISITS if v.name in COMPUTED_ONCE], guest)}
    pages = [again.get(page.visit.name, page) for page in pages]
    many = {page.visit.name: page.count_queries(MANY) for page in pages}
    assert {name: (few[name], queries) for name, queries in many.items() if queries > few[name]} == {}
    assert {name: queries for name, queries in many.items() if queries > MOST} == {}
