""" "Your turn" by mail, through a real mail server: whoever confirmed an address is told once a turn."""

import re
from collections.abc import Iterator
from datetime import timedelta
from email.message import Message as Mail
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.handlers import Message
from django.test import Client
from django.utils import timezone

from deploy.laptop.network import LOOPBACK, free_port
from games.engine.game import SIDES
from games.models import Address, Duel, Event, Guest, Letter, Match
from tests.voting.boxes import ask
from tests.voting.playing import CLASSIC, RED_WINS, only_turn, open_now, play, play_turn, vote
from voting.box.ballot_box import BallotBox
from voting.box.boxed import Held
from voting.hall import addresses, letters
from voting.hall.duels import Wish, join_duel, new_duel
from voting.hall.guests import new_guest
from voting.hall.letters import LEASE, send_due
from voting.hall.lists import seats_of, sides_to_move
from voting.hall.paces import BY_SLUG
from voting.upkeep.retention import forget_addresses

pytestmark = pytest.mark.django_db
URL = "https://play.example"
EMAIL = "ada@example.org"


class Mailbox(Message):
    """A mail server that keeps what it gets, and refuses as it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.mails: list[Mail] = []
        self.refusal = ""
        self.spurned: dict[str, str] = {}
        self.sender_refused = ""

    async def handle_MAIL(  # noqa: N802
        self, server: Any, session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        envelope.mail_from = address
        envelope.mail_options.extend(options)
        return self.sender_refused or "250 OK"

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802
        spurned = next((self.spurned[to] for to in envelope.rcpt_tos if to in self.spurned), None)
        return spurned or await super().handle_DATA(server, session, envelope)

    def handle_message(self, message: Mail) -> None:
        self.mails.append(message)

    async def handle_RCPT(self, server: Any, session: Any, envelope: Any, address: str, _: Any) -> str:  # noqa: N802
        if not self.refusal:
            envelope.rcpt_tos.append(address)
        return self.refusal or "250 OK"


@pytest.fixture
def mailbox(settings: Any) -> Iterator[Mailbox]:
    mailbox = Mailbox()
    server = Controller(mailbox, hostname=LOOPBACK, port=free_port())
    server.start()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = LOOPBACK, server.port
    settings.MAIL, settings.PUBLIC_URL = True, URL
    yield mailbox
    server.stop()


def links(mail: Mail) -> dict[str, str]:
    """Paths in the mail, by their first word below the hall."""
    text = mail.get_payload(decode=True)
    assert isinstance(text, bytes)
    return {path.split("/")[2]: path for path in re.findall(rf"{URL}(/hall/\S+)", text.decode())}


def give(client: Client, email: str = EMAIL) -> Any:
    return client.post("/hall/mail", {"email": email})


def confirmed(box: BallotBox, mailbox: Mailbox, pace: str = "3-days") -> tuple[Client, str]:
    """Somebody who wants mails, and begins a game; its code."""
    client = Client()
    code = client.post("/hall/new", {"pace": pace})["Location"][1:].partition("#")[0]
    give(client)
    send_due(box)
    assert client.post(links(mailbox.mails.pop())["confirm"]).status_code == 200
    return client, code


def join(code: str) -> Client:
    other = Client()
    other.post(f"/hall/{code}/join")
    return other


def later() -> None:
    """The time of those that are due has come."""
    Letter.objects.update(due_at=timezone.now())


def test_the_clock_has_what_is_due_sent_and_asks_for_nothing_else(
    box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(letters, "arm_letters", lambda: asked.append(True))
    post = letters.Post()
    _, code = confirmed(box, mailbox)
    join(code)
    post()
    assert asked == []
    later()
    post()
    post()
    assert asked == [True]


def test_an_address_is_asked_first(box: BallotBox, mailbox: Mailbox) -> None:
    client = Client()
    client.post("/hall/new", {"pace": "3-days"})
    give(client)
    assert "on its way" in client.get("/hall/account").content.decode()
    send_due(box)
    send_due(box)
    assert [mail["To"] for mail in mailbox.mails] == [EMAIL]
    found = links(mailbox.mails[0])
    opened = Client().get(found["confirm"])  # as a mail program's guard does
    assert (opened.status_code, EMAIL in opened.content.decode()) == (200, True)
    assert Address.objects.get().confirmed_at is None
    Client().post(found["confirm"])
    assert Address.objects.get().confirmed_at


def test_each_turn_is_told_once_and_stop_stops_at_once(box: BallotBox, mailbox: Mailbox) -> None:
    _, code = confirmed(box, mailbox)
    join(code)
    send_due(box)
    assert not mailbox.mails  # whoever is at the board sees it
    later()
    send_due(box)
    send_due(box)
    (mail,) = mailbox.mails
    assert mail["Subject"].startswith("Your turn against Guest ")
    assert "You have 3 days left" in str(mail.get_payload())
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    stop = links(mail)["stop"]
    assert mail["List-Unsubscribe"].split() == [f"<{URL}{stop}>"]
    assert links(mail)[code] == f"/hall/{code}"

    next_turn(code, box)
    assert Letter.objects.count() == 1
    strict = Client(enforce_csrf_checks=True)
    assert "Stop the mails" in strict.get(stop).content.decode()
    assert strict.post(stop, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert not Address.objects.exists()
    assert not Letter.objects.exists()
    assert "They are stopped" in strict.get(stop).content.decode()
    assert strict.get(stop[:-3]).status_code == 404


def test_in_a_rematch_the_other_colour_is_told(box: BallotBox, mailbox: Mailbox) -> None:
    """The two have changed sides: who has picked is told nothing, and the other against whom it is."""
    client, code = confirmed(box, mailbox)
    other = join(code)
    play(Match.objects.get(), box, RED_WINS)
    Letter.objects.all().delete()
    for one in (client, other):
        one.post(f"/hall/{code}/again")
    duel, me = Duel.objects.get(), Address.objects.get().guest
    turn = only_turn(Match.objects.get(number=2))
    open_now(turn, box)
    mine, theirs = ("yellow", "red") if duel.one == me else ("red", "yellow")
    vote(turn, box, **{theirs: [1]})
    later()
    send_due(box)
    (mail,) = mailbox.mails
    assert mail["Subject"] == f"Your turn against {duel.two if duel.one == me else duel.one}"
    Letter.objects.create(address=Address.objects.get(), turn=turn, due_at=timezone.now())
    vote(turn, box, **{mine: [2]})
    send_due(box)
    assert len(mailbox.mails) == 1


def test_who_waits_for_the_other_gets_no_mail(box: BallotBox, mailbox: Mailbox) -> None:
    """In the classic game one side is to move in each turn; both players have given an address."""
    duel = join_duel(
        new_duel(new_guest(), Wish(game=CLASSIC, pace=BY_SLUG["3-days"])).event.code, new_guest(), box
    )
    match, now = Match.objects.get(), timezone.now()
    for guest in filter(None, (duel.one, duel.two)):
        Address.objects.create(guest=guest, email=f"{guest}@example.org", asked_at=now, confirmed_at=now)
    for _ in range(2):
        play_turn(only_turn(match), box, red=[1], yellow=[1])
        (side,) = sides_to_move(match)
        assert Letter.objects.latest("pk").address.guest == seats_of(duel, match)[SIDES.index(side)]
    assert Letter.objects.count() == 2


def test_who_has_logged_in_leaves_no_letter_that_nobody_can_send(box: BallotBox, mailbox: Mailbox) -> None:
    """The game is an account's now; the mails that are due to others go."""
    client, code = confirmed(box, mailbox)
    join(code)
    Client().post("/hall/account", {"name": "Ada", "password": "anchors-aweigh"})
    client.post("/hall/login", {"name": "Ada", "password": "anchors-aweigh"})
    later()
    other = Client()
    other.post("/hall/new")
    give(other, "bob@example.org")
    send_due(box)
    assert [mail["To"] for mail in mailbox.mails] == ["bob@example.org"]
    assert not Letter.objects.filter(turn__isnull=False).exists()


@pytest.mark.parametrize("refusal", ["530 who are you", "553 not from there"])
def test_a_sender_who_is_refused_loses_nothing(refusal: str, box: BallotBox, mailbox: Mailbox) -> None:
    """The mail server is set up wrongly: all wait until it is not."""
    client = Client()
    client.post("/hall/new")
    give(client)
    mailbox.sender_refused = refusal
    send_due(box)
    assert Letter.objects.count() == 1
    mailbox.sender_refused = ""
    later()
    send_due(box)
    assert len(mailbox.mails) == 1


def test_a_letter_that_is_refused_holds_up_no_other(box: BallotBox, mailbox: Mailbox) -> None:
    for email in (EMAIL, "bob@example.org"):
        client = Client()
        client.post("/hall/new")
        give(client, email)
    mailbox.spurned = {EMAIL: "554 not this one"}
    send_due(box)
    assert [mail["To"] for mail in mailbox.mails] == ["bob@example.org"]
    assert not Letter.objects.exists()


def next_turn(code: str, box: BallotBox) -> None:
    turn = only_turn(Match.objects.get(event__code=code))
    play_turn(turn, box, red=[1], yellow=[2])


def test_a_game_of_minutes_is_told_by_no_mail(box: BallotBox, mailbox: Mailbox) -> None:
    _, code = confirmed(box, mailbox, pace="5-min")
    join(code)
    assert not Letter.objects.exists()


def test_no_mail_for_who_has_picked(box: BallotBox, mailbox: Mailbox) -> None:
    _, code = confirmed(box, mailbox)
    join(code)
    turn = only_turn(Match.objects.get())
    open_now(turn, box)
    vote(turn, box, red=[1], yellow=[2])
    later()
    send_due(box)
    assert (mailbox.mails, Letter.objects.count()) == ([], 0)


def test_who_has_the_page_open_is_told_later(box: BallotBox, mailbox: Mailbox) -> None:
    _, code = confirmed(box, mailbox)
    join(code)
    later()
    event = Event.objects.get()
    here = (1, 0) if event.duel.one == Address.objects.get().guest else (0, 1)
    ask(lambda own: own.beat(event.pk, "a", (1, 1), Held(here)))
    send_due(box)
    assert not mailbox.mails
    assert Letter.objects.get().due_at > timezone.now() + timedelta(minutes=9)
    ask(lambda own: own.leave(event.pk, "a"))
    later()
    send_due(box)
    assert len(mailbox.mails) == 1


def test_what_could_not_be_sent_is_sent_later_and_logs_name_nobody(
    box: BallotBox, mailbox: Mailbox, caplog: pytest.LogCaptureFixture
) -> None:
    _, code = confirmed(box, mailbox)
    join(code)
    later()
    mailbox.refusal = "451 later"
    send_due(box)
    assert Letter.objects.get().due_at > timezone.now() + LEASE / 2
    mailbox.refusal = ""
    later()
    send_due(box)
    assert len(mailbox.mails) == 1
    assert EMAIL not in caplog.text


def test_a_mailbox_that_is_not_there_is_forgotten(box: BallotBox, mailbox: Mailbox) -> None:
    client = Client()
    client.post("/hall/new")
    give(client)
    mailbox.refusal = "550 nobody here"
    send_due(box)
    assert not Address.objects.exists()


def test_a_mail_server_that_is_away_costs_a_warning(
    box: BallotBox, mailbox: Mailbox, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    _, code = confirmed(box, mailbox)
    join(code)
    later()
    settings.EMAIL_PORT = free_port()
    send_due(box)
    assert "letters wait: ConnectionRefusedError" in caplog.text
    assert Letter.objects.count() == 1


def test_of_two_workers_one_sends(box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch) -> None:
    _, code = confirmed(box, mailbox)
    join(code)
    later()
    claim = letters._claim

    def claim_second(letter: Letter) -> bool:
        assert claim(letter)  # the other one, after this one has read it
        return claim(letter)

    monkeypatch.setattr(letters, "_claim", claim_second)
    send_due(box)
    assert not mailbox.mails


def test_nobody_fills_a_strangers_mailbox(
    box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    clients = [Client(), Client(), Client()]
    for client in clients:
        client.post("/hall/new")
    give(clients[0])
    clients[0].post("/hall/mail/forget")
    for client in clients[:2]:
        refused = give(client, EMAIL.upper())
        assert (refused.status_code, "was asked today" in refused.content.decode()) == (400, True)
    monkeypatch.setattr(addresses, "MOST_ASKED_AN_HOUR", 1)
    assert "Too many" in give(clients[2], "bob@example.org").content.decode()
    assert not Address.objects.exists()


def test_links_are_one_addresss_and_one_days(
    box: BallotBox, mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client()
    client.post("/hall/new")
    give(client)
    send_due(box)
    found = links(mailbox.mails[0])
    assert client.post(found["stop"].replace("stop", "confirm")).status_code == 410
    Address.objects.update(email="eve@example.org")  # a row with the same number
    assert client.post(found["confirm"]).status_code == 410
    Address.objects.update(email=EMAIL)
    monkeypatch.setattr(addresses, "CONFIRM_WITHIN", timedelta(seconds=-1))
    assert client.post(found["confirm"]).status_code == 410
    assert Address.objects.get().confirmed_at is None


def test_who_says_no_is_forgotten(box: BallotBox, mailbox: Mailbox) -> None:
    client = Client()
    client.post("/hall/new")
    give(client)
    send_due(box)
    Client().post(links(mailbox.mails[0])["confirm"], {"no": "1"})
    assert not Address.objects.exists()


def test_without_a_mail_server_nobody_is_asked() -> None:
    client = Client()
    client.post("/hall/new")
    assert "mail" not in client.get("/hall/account").content.decode()
    assert give(client).status_code == 404


def test_addresses_are_not_kept_for_ever(box: BallotBox, mailbox: Mailbox) -> None:
    confirmed(box, mailbox)
    unsure = Guest.objects.create(number=1)
    Address.objects.create(guest=unsure, email=EMAIL)
    assert forget_addresses() == 0
    Address.objects.filter(guest=unsure).update(asked_at=timezone.now() - timedelta(days=3))
    assert forget_addresses() == 1
    Address.objects.update(confirmed_at=timezone.now() - timedelta(days=366))
    assert forget_addresses() == 0
    Event.objects.update(created_at=timezone.now() - timedelta(days=366))
    assert forget_addresses() == 1
