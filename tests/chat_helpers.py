"""Chat operations for tests, run in a stack's own database by `tests.organizer`."""

from secrets import token_urlsafe

from django.contrib.auth.models import User
from django.utils import timezone

from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.play.chat.models import ChatLine, ChatRoom
from crowdgame.play.chat.moderation import configure_room, remove_message
from crowdgame.play.chat.posting import MessageAuthor, post_message, report
from crowdgame.play.chat.reader_keys import ChatReader, make_reader_key
from crowdgame.play.chat.rooms import find_room
from crowdgame.play.duels.models import Duel
from tests.voting.match_helpers import RED_WINS, play
from voting.ballot_box.ballot_box import BallotBox
from voting.models import Match

box = BallotBox()


def chat_key(slug: str, guest: int | None = None) -> str:
    """The chat key that this guest's page contains."""
    return make_reader_key(ChatReader(slug, guest))


def seated_guests(code: str) -> list[int]:
    duel = Duel.objects.get(event__code=code)
    return [duel.one_id or 0, duel.two_id or 0]


def post_chat_message(slug: str, text: str, guest: int | None = None) -> int:
    """Post a message as this guest, or as a new one; return its id."""
    speaker = Guest.objects.get(pk=guest) if guest else None
    return post_message(_room(slug), MessageAuthor(speaker, new_guest), text).pk


def report_chat_message(line: int) -> None:
    report(ChatLine.objects.get(pk=line), None, "advert")


def remove_chat_message(line: int) -> None:
    remove_message(ChatLine.objects.select_related("room", "guest").get(pk=line), _moderator())


def configure_chat_room(slug: str, slow_s: int, closed: bool = False) -> None:
    configure_room(_room(slug), _moderator(), slow_s, closed)


def fill_lobby_chat(lines: int = 100) -> None:
    """Fill the lobby with long messages."""
    room, guest, now = _room("lobby"), new_guest(), timezone.now()
    ChatLine.objects.bulk_create(
        ChatLine(
            room=room,
            guest=guest,
            name=str(guest),
            text=f"number {number}: {token_urlsafe(60)}",
            at=now,
            seq=room.seq + number,
        )
        for number in range(1, lines + 1)
    )
    ChatRoom.objects.filter(pk=room.pk).update(seq=room.seq + lines)


def clear_chat() -> None:
    ChatRoom.objects.all().delete()


def play_duel_to_end(code: str) -> None:
    play(Match.objects.get(event__code=code), box, RED_WINS)


def _room(slug: str) -> ChatRoom:
    room = find_room(slug)
    assert room is not None
    return room


def _moderator() -> User:
    return User.objects.get_or_create(username="mo")[0]
