"""Combinations of an event's settings that are refused."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext

from crowdgame.events.event_texts import DISCUSSION_CONFLICT, SIDE_CHANGES_CONFLICT, SOURCE_FIELDS
from voting.models.match_terms import MAX_HOST_WINDOW_S
from voting.terms import BOT, CHATS, HANDS, PHONES, TWITCH, TieRule

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

MIN_CHAT_WINDOW_S = 45
STUDIED = {"", PHONES, HANDS, BOT}  # a study's export leaves out hands and the computer
Conflicts = Iterator[tuple[str, "StrOrPromise"]]


def conflicts(cleaned: Mapping[str, Any], has_clocks: bool) -> Conflicts:
    """Yield the name of a field and what is wrong with it. `has_clocks`: each side has a clock."""
    without_phones = [field for field in SOURCE_FIELDS if cleaned.get(field) != PHONES]
    for name in without_phones if has_clocks else ():
        yield (
            name,
            gettext("A team without phones cannot have a clock, because clocks stop when phones have voted."),
        )
    yield from _source_conflicts(cleaned)
    yield from _study_conflicts(cleaned)
    reveals = bool(without_phones) or any(map(cleaned.get, ("bank_s", "peek", "own_counts")))
    if cleaned.get("max_side_changes") and (reveals or cleaned.get("tie_rule") == TieRule.CAPTAIN):
        yield "max_side_changes", SIDE_CHANGES_CONFLICT
    if cleaned.get("max_side_changes") and cleaned.get("team_discussion"):
        yield "max_side_changes", DISCUSSION_CONFLICT
    if cleaned.get("host_wait_s") and has_clocks:
        yield "host_wait_s", gettext("A match with a clock for each side can't wait for the organizer.")
    elif cleaned.get("host_wait_s") and cleaned.get("window_s", 0) > MAX_HOST_WINDOW_S:
        yield "host_wait_s", gettext("Only votes of at most ten minutes can wait for the organizer.")


def _source_conflicts(cleaned: Mapping[str, Any]) -> Conflicts:
    one, two = (cleaned.get(field, "") for field in SOURCE_FIELDS)
    if one.startswith(BOT) and two.startswith(BOT):
        yield "source_2", gettext("The computer can play only one of the teams.")
    if not any(source.startswith(CHATS) for source in (one, two)):
        return
    if one == two:
        yield "source_2", gettext("Each team needs its own channel or application.")
    has_stream = any(source.startswith(TWITCH) for source in (one, two))
    if has_stream and cleaned.get("window_s", MIN_CHAT_WINDOW_S) < MIN_CHAT_WINDOW_S:
        text = gettext("Streams lag by up to 30 seconds. A vote with a chat needs at least 45 seconds.")
        yield "window_s", text
    if cleaned.get("close_early"):
        text = gettext("A vote with a chat can't close early, because a chat has no list of voters.")
        yield "close_early", text


def _study_conflicts(cleaned: Mapping[str, Any]) -> Conflicts:
    slugs = {cleaned.get(field, "").partition(":")[0] for field in SOURCE_FIELDS}
    if cleaned.get("in_study") and not slugs <= STUDIED:
        text = gettext("A study needs teams that vote by phone: a chat doesn't show the consent text.")
        yield "in_study", text
