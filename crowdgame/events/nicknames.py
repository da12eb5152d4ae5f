"""Which nicknames a voter gets: suggested ones at once, typed ones once an organizer allows them.

Registers a gateway hook for requests over a phone's socket.
"""

import secrets

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import override

from crowdgame.accounts.accounts import clean_account_name
from crowdgame.accounts.name_skeletons import name_skeleton
from crowdgame.events.nickname_words import all_words, words_in
from crowdgame.results.analysis.stored_judges import load_judge_hashes
from voting.announcements.outbox import announce_edit
from voting.ballot_box.stores import DATABASE_ERRORS
from voting.gateway import hooks
from voting.gateway.threads import in_database
from voting.models import Event, Nickname, StoredRestriction
from voting.nicknames import offered_nicknames
from voting.protocol import NicknameAnswered, NicknameAsk
from voting.terms import MatchState, Nicknames

SUGGESTIONS = 3
MIN_NUMBER, SHORT_BELOW, LONG_BELOW = 10, 100, 10_000
MANY_NICKNAMES = 500  # from here on, short numbers would often be taken


def answer_nickname_ask(event_id: int, voter_code: str, asked: NicknameAsk, now: int) -> NicknameAnswered:
    """Give the voter the nickname, if one is asked for and may be had, and return the voter's own.

    `now` is in milliseconds.
    """
    event = Event.objects.get(pk=event_id)
    language = asked.language if asked.language in dict(settings.LANGUAGES) else event.language
    with override(language):
        if offered_nicknames(event) == Nicknames.OFF:
            return NicknameAnswered(problem=_("This event has no nicknames."))
        if StoredRestriction.objects.filter(event=event, voter_code=voter_code, nameless=True).exists():
            return NicknameAnswered(removed=True)
        problem = "" if asked.name is None else _try_name(event, voter_code, asked.name, now)
    own = Nickname.objects.filter(event=event, voter_code=voter_code).first()
    return NicknameAnswered(
        name=own.name if own else "",
        allowed=own is not None and own.allowed,
        suggestions=_suggest(event, language),
        problem=problem,
    )


def _try_name(event: Event, voter_code: str, typed: str, now: int) -> str:
    """Store the nickname and return "", or return why it is refused. Announces it if screens show it now."""
    try:
        _choose(event, voter_code, typed, now)
    except ValidationError as refusal:
        return str(refusal.message)
    if _is_on_screens(event, voter_code):
        announce_edit(event.pk, now)
    return ""


def _choose(event: Event, voter_code: str, typed: str, now: int) -> None:
    """Store the voter's nickname, or none if it is empty. Raises ValidationError, with a text."""
    own = Nickname.objects.filter(event=event, voter_code=voter_code)
    if not typed:
        own.delete()
        return
    is_suggested = _is_suggested(typed)
    if not is_suggested and event.nicknames != Nicknames.TYPED:
        raise ValidationError(_("Choose one of the suggested nicknames."))
    name = typed if is_suggested else clean_account_name(typed)
    if own.filter(name=name).exists():
        return
    chosen = {"name": name, "skeleton": name_skeleton(name), "allowed": is_suggested, "chosen_at": now}
    try:
        with transaction.atomic():
            Nickname.objects.update_or_create(event=event, voter_code=voter_code, defaults=chosen)
    except IntegrityError:
        raise ValidationError(_("Somebody has this nickname. Choose another one.")) from None


def _is_on_screens(event: Event, voter_code: str) -> bool:
    """Whether the end of the latest match names this voter as one of its best judges."""
    match = event.matches.order_by("-number").first()
    if match is None or match.state != MatchState.ENDED:
        return False
    return voter_code in load_judge_hashes(match, event)


def _suggest(event: Event, language: str) -> tuple[str, ...]:
    words = secrets.SystemRandom().sample(words_in(language), SUGGESTIONS)
    below = SHORT_BELOW if event.chosen_nicknames.count() < MANY_NICKNAMES else LONG_BELOW
    return tuple(f"{word} {MIN_NUMBER + secrets.randbelow(below - MIN_NUMBER)}" for word in words)


def _is_suggested(name: str) -> bool:
    word, _space, number = name.rpartition(" ")
    is_number = number.isascii() and number.isdecimal() and not number.startswith("0")
    return word in all_words() and is_number and MIN_NUMBER <= int(number) < LONG_BELOW


async def handle_nickname_ask(
    event_id: int, voter_code: str, asked: NicknameAsk, now: int
) -> NicknameAnswered:
    try:
        answer: NicknameAnswered = await in_database(answer_nickname_ask)(event_id, voter_code, asked, now)
    except DATABASE_ERRORS:
        with override(asked.language or None):
            return NicknameAnswered(problem=_("The server is busy. Try again."))
    return answer


hooks.nickname_requests.append(handle_nickname_ask)
