"""Duels, chats and votes in a stream's chat for tests, run in a stack's own database by `tests.organizer`."""

from random import Random
from secrets import token_urlsafe
from typing import Any

from django.contrib.auth.models import User
from django.db.models import F
from django.utils import timezone

from crowdgame.accounts.guest_names import new_guest
from crowdgame.accounts.models import Guest
from crowdgame.play.chat.models import ChatLine, ChatRoom
from crowdgame.play.chat.moderation import configure_room, remove_message
from crowdgame.play.chat.posting import MessageAuthor, post_message, report
from crowdgame.play.chat.reader_keys import ChatReader, make_reader_key
from crowdgame.play.chat.rooms import find_room
from crowdgame.play.duels.duels import DuelSettings, join_duel, new_duel, start_for_one
from crowdgame.play.duels.models import Duel
from crowdgame.play.duels.seat_keys import load_seat_key
from crowdgame.play.duels.time_controls import TIME_CONTROLS_BY_SLUG
from tests.voting.match_helpers import RED_WINS, only_turn, play
from voting import protocol
from voting.announcements.outbox import announce
from voting.ballot_box.ballot_box import BallotBox
from voting.ballot_box.box_types import turn_keys
from voting.matches import claim_turn, event_lock
from voting.models import Match, StoredBallot, TurnState
from voting.positions import load_position
from voting.sources.casting import derive_blind
from voting.sources.chat_casting import chat_turns, derive_chat_seat, derive_sequence, turn_channels
from voting.turns.turns import place_and_relay

box = BallotBox()


def duel(time_control: str = "3-days", casual: bool = False) -> dict[str, Any]:
    one, two = new_guest(), new_guest()
    begun = new_duel(one, DuelSettings(time_control=TIME_CONTROLS_BY_SLUG[time_control], casual=casual))
    taken = join_duel(begun.event.code, two, box)
    keys = [load_seat_key(taken, guest) for guest in (taken.one, taken.two) if guest]
    return {"id": taken.event_id, "code": taken.event.code, "keys": keys}


def duels() -> str:
    """Create two finished duels, a live one and three that wait; return the code of the last."""
    for _ in range(2):
        play_duel_to_end(duel("5-min")["code"])
    duel()
    *_, last = [new_duel(new_guest(), DuelSettings()) for _ in range(3)]
    return last.event.code


def against_crowd(begun: bool = True) -> dict[str, Any]:
    """Create a guest's duel against the crowd; return its event, code, and the guest's place and key."""
    guest = new_guest()
    made = new_duel(guest, DuelSettings(crowd=True))
    if begun:
        start_for_one(made.event.code, guest, box)
    place = 1 if made.one == guest else 2
    return {"id": made.event_id, "code": made.event.code, "place": place, "key": load_seat_key(made, guest)}


def run_down_clock(code: str, ms: int) -> int:
    """Move the turn into the past until `ms` are left; return its id."""
    match = Match.objects.get(event__code=code, state="playing")
    turn = only_turn(match)
    by = turn.closes_at - box.now() - ms
    with event_lock(match.event_id):
        turn.refresh_from_db()
        assert claim_turn(turn, opens_at=turn.opens_at - by, closes_at=turn.closes_at - by)
        announce(match.event_id, protocol.TurnMoved, box.now())
        StoredBallot.objects.filter(turn=turn).update(stored_at=F("stored_at") - by)
    for side in box.picked_at(match.event_id, turn.pk):  # move the times of the picks, too
        box._redis.hincrby(turn_keys(match.event_id, turn.pk)[0], f"{side}_at", -by)
    place_and_relay(turn, box, create=False)
    return turn.pk


def chat_key(slug: str, guest: int | None = None) -> str:
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


def configure_chat_room(slug: str, slow_s: int, closed: bool) -> None:
    configure_room(_room(slug), _moderator(), slow_s, closed)


def fill_lobby_chat(lines: int = 100) -> None:
    room, guest = _room("lobby"), new_guest()
    fields = {"room": room, "guest": guest, "name": str(guest), "at": timezone.now()}
    ChatLine.objects.bulk_create(
        ChatLine(**fields, text=f"number {number}: {token_urlsafe(60)}", seq=room.seq + number)
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


def draw_chat_votes(event_id: int, logins: list[str], seed: float, spare_ms: int) -> dict[str, Any]:
    """Draw a legal column for each chatter, with the ballot that it becomes if it is sent now.

    Draws nothing unless the vote stays open for another `spare_ms`.
    """
    turn, now, rng = chat_turns().filter(match__event=event_id).first(), box.now(), Random(seed)
    if turn is None or turn.state != TurnState.OPEN or not turn.opens_at <= now < turn.closes_at - spare_ms:
        return {}
    position, (side,) = load_position(turn.match, before=turn), turn_channels(turn).values()
    legal, sequence = position.game.legal_actions(position.state, side), derive_sequence(turn, now)
    votes = []
    for login in logins:
        voter = derive_chat_seat(event_id, login)
        blind = derive_blind(turn.pk, voter, sequence)
        votes.append([login, rng.choice(legal), voter, sequence, blind])
    return {"turn": turn.pk, "at": now, "closes_at": turn.closes_at, "votes": votes}
