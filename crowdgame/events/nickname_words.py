"""Words of suggested nicknames: a noun, which a number follows, so that no language needs to inflect it.

In no language may a word be an insult, a first name or a person: no whales, no owls, no turtles.
"""

from functools import cache

from django.conf import settings
from django.utils.translation import override, pgettext_lazy

WORDS = (
    pgettext_lazy("nickname", "Anchor"),
    pgettext_lazy("nickname", "Beacon"),
    pgettext_lazy("nickname", "Cedar"),
    pgettext_lazy("nickname", "Cloud"),
    pgettext_lazy("nickname", "Compass"),
    pgettext_lazy("nickname", "Dolphin"),
    pgettext_lazy("nickname", "Falcon"),
    pgettext_lazy("nickname", "Gazelle"),
    pgettext_lazy("nickname", "Heron"),
    pgettext_lazy("nickname", "Island"),
    pgettext_lazy("nickname", "Koala"),
    pgettext_lazy("nickname", "Lantern"),
    pgettext_lazy("nickname", "Lynx"),
    pgettext_lazy("nickname", "Meteor"),
    pgettext_lazy("nickname", "Otter"),
    pgettext_lazy("nickname", "Panda"),
    pgettext_lazy("nickname", "Penguin"),
    pgettext_lazy("nickname", "Planet"),
    pgettext_lazy("nickname", "Sailboat"),
    pgettext_lazy("nickname", "Seahorse"),
    pgettext_lazy("nickname", "Starfish"),
    pgettext_lazy("nickname", "Swan"),
    pgettext_lazy("nickname", "Volcano"),
    pgettext_lazy("nickname", "Wave"),
)


def words_in(language: str) -> list[str]:
    with override(language):
        return [str(word) for word in WORDS]


@cache
def all_words() -> frozenset[str]:
    """Return the words in all languages."""
    return frozenset(word for language, _ in settings.LANGUAGES for word in words_in(language))
