"""Names that no player may have: those of the product, and of the people who run it or an event.

The roles are in all languages of the product. Names whose skeletons match are reserved, too.
"""

import re
from functools import cache

from crowdgame.accounts.name_skeletons import SEPARATORS, name_skeleton, without_marks

LABEL_PREFIXES = ("guest", "crowdgame")
LABELS = ("open seat", "the crowd")
# The computer opponents, with or without their strength: Computer 3.
COMPUTERS = ("computer", "bot", "ordenador", "ordinateur", "computador", "حاسوب", "الحاسوب", "电脑", "電腦")
# Also refused as the beginning of a word, which covers other forms: Organisatorin, administradora.
ROLE_PREFIXES = (
    *("admin", "moderat", "moderad", "organiz", "organis", "owner", "referee", "umpire", "arbitr"),
    *("veranstalt", "spielleit", "gastgeb", "schiedsricht", "inhaber", "besitzer"),
    *("propriet", "propiet", "anfitri", "coorgani", "animateur", "animatric"),
    *("مشرف", "المشرف", "منظم", "المنظم", "مضيف", "المضيف", "مدير", "المدير", "مسؤول", "المسؤول"),
    *("版主", "管理员", "管理員", "主办", "主辦", "协办", "協辦", "组织者", "組織者", "主持人", "房主"),
    *(
        "裁判",
        "站长",
        "站長",
        "官方",
        "客服",
        "系统",
        "系統",
        "工作人员",
        "工作人員",
        "所有者",
        "拥有者",
        "擁有者",
    ),
)
ROLES = (
    *("mod", "official", "root", "staff", "support", "system", "host", "cohost", "hostess"),
    *("leitung", "leiter", "leiterin", "hôte", "hôtesse", "dueño", "dueña", "dono", "soporte", "suporte"),
    *("المالك", "الحكم", "الدعم"),
)
_DIGITS_AT_END = re.compile(r"\d+\Z")


def is_reserved(name: str) -> bool:
    """Return whether the name is reserved or resembles a reserved one, as a whole or in one of its words."""
    whole = _unmarked(name)
    words = {whole, *map(_unmarked, _split(name))}
    return (
        whole.startswith(_skeletons(LABEL_PREFIXES))
        or any(word.startswith(_skeletons(ROLE_PREFIXES)) for word in words)
        or not words.isdisjoint(_skeletons(LABELS + COMPUTERS + ROLES))
    )


def _split(name: str) -> set[str]:
    """Return the words of a name, with and without the number at their end."""
    words = re.split(f"[{re.escape(SEPARATORS)}]+", name)
    return {*words, *(_DIGITS_AT_END.sub("", word) for word in words)}


def _unmarked(name: str) -> str:
    return without_marks(name_skeleton(name))


@cache  # not at import, which would load the table of look-alike characters in every process
def _skeletons(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(_unmarked, names))
