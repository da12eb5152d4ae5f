import pytest
from django.contrib.auth.models import User
from django.test import Client

from crowdgame.events.models import Member
from crowdgame.organizer.cups.cups import create_cup
from crowdgame.organizer.cups.models import Cup
from voting.admission.tickets import make_tickets
from voting.models import Event, Ticket

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("valkey_url")]

OPEN_TO_EVERY_USER = ["", "new/", "new/empty/", "cups/new/", "ladder/"]
OWN_PAGES = [
    *("EVENT/edit/", "EVENT/delete/", "EVENT/again/", "EVENT/members/", "EVENT/tickets/"),
    *("EVENT/tickets/csv/", "EVENT/poster.pdf", "EVENT/tickets.pdf", "EVENT/study.csv"),
    *("cups/CUP/", "cups/CUP/edit/", "cups/CUP/delete/"),
]


@pytest.fixture
def cup(organizer: User) -> Cup:
    return create_cup(organizer, "Spring cup", ("4a", "4b"))


def address(page: str, event: Event, cup: Cup) -> str:
    return "/console/" + page.replace("EVENT", event.code).replace("CUP", cup.code)


@pytest.mark.parametrize("page", [*OPEN_TO_EVERY_USER, "EVENT/", *OWN_PAGES])
def test_anonymous_user_is_redirected_to_login(page: str, client: Client, event: Event, cup: Cup) -> None:
    path = address(page, event, cup)
    response = client.get(path)
    assert (response.status_code, response.headers["Location"]) == (302, f"/console/login/?next={path}")


@pytest.mark.parametrize("page", OWN_PAGES)
@pytest.mark.parametrize("role", ["", "viewer", "cohost"])
def test_others_get_404(*, role: str, page: str, client: Client, event: Event, cup: Cup, other: User) -> None:
    make_tickets(event, 1)
    if role:
        Member.objects.create(event=event, user=other, role=role)
    client.force_login(other)
    path = address(page, event, cup)
    assert client.get(path).status_code == 404
    form = {"count": 3, "name": "Changed", "role": "cohost", "pairing": "1"}
    for ask in ("make", "add", "begin"):
        assert client.post(path, form | {"ask": ask}).status_code in {404, 405}
    assert list(Event.objects.values_list("name")) == [("Gala",)]
    assert list(Cup.objects.values_list("name")) == [("Spring cup",)]
    assert (Ticket.objects.count(), Member.objects.count()) == (1, bool(role))


@pytest.mark.parametrize("page", OWN_PAGES)
@pytest.mark.parametrize("superuser", [False, True])
def test_owner_pages_open_for_owner_and_superuser(
    *, superuser: bool, page: str, client: Client, event: Event, cup: Cup, other: User
) -> None:
    make_tickets(event, 1)
    Event.objects.update(consent="A study", in_study=True)
    User.objects.filter(pk=other.pk).update(is_superuser=superuser)
    client.force_login(other if superuser else event.owner)
    assert client.get(address(page, event, cup)).status_code == 200


@pytest.mark.parametrize(
    ("role", "status", "listed"),
    [("", {404}, 0), ("viewer", {200, 503}, 1), ("cohost", {200, 503}, 1), ("superuser", {200, 503}, 0)],
)
def test_console_is_listed_for_members_and_opens_for_superuser_too(
    *, role: str, status: set[int], listed: int, client: Client, event: Event, other: User
) -> None:
    Member.objects.create(event=event, user=User.objects.create_user("carl"), role="viewer")
    if role == "superuser":
        User.objects.filter(pk=other.pk).update(is_superuser=True)
    elif role:
        Member.objects.create(event=event, user=other, role=role)
    client.force_login(other)
    page = client.get("/console/").content.decode()
    assert (page.count("<h2>Gala</h2>"), page.count("owned by <bdi>ada</bdi>")) == (listed, listed)
    assert f"/console/{event.code}/edit/" not in page
    assert client.get(f"/console/{event.code}/").status_code in status
