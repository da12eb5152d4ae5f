"""Create events and their join codes."""

import secrets
from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Model

from voting.models import Event, Team
from voting.models.event import new_seed
from voting.names import clean_name

CODE_LETTERS = "BCDFGHJKMNPQRSTVWXYZ23456789"
# Lengths of join codes, in the order they are tried: longer ones when many shorter ones are in use.
CODE_LENGTHS = (4, 6, 8)
SECRET_CODE_LENGTH = 14  # 67 random bits: can't be guessed, and two are never equal
CODES_PER_LENGTH = 8


def generate_code(lengths: Sequence[int] = CODE_LENGTHS, used_by: Sequence[type[Model]] = (Event,)) -> str:
    """Return a code of one of these `lengths` that no row of the models `used_by` has.

    Makes one query per length and model. If all codes drawn are in use, returns a secret code.
    """
    for length in lengths:
        drawn = [draw_code(length) for _ in range(CODES_PER_LENGTH)]
        found = (model._default_manager.filter(code__in=drawn) for model in used_by)
        used = {code for rows in found for code in rows.values_list("code", flat=True)}
        if unused := [code for code in drawn if code not in used]:
            return unused[0]
    return draw_code(SECRET_CODE_LENGTH)


def draw_code(length: int = SECRET_CODE_LENGTH) -> str:
    """Return a random code. It has no vowels, and so no words and none of the site's own paths."""
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(length))


def create_event(
    owner: User, name: str, team_names: tuple[str, str], code: str = "", **choices: Any
) -> Event:
    """Create an event with its two teams. Without a `code`, it gets an unused one.

    `choices` are further fields of Event.
    """
    with transaction.atomic():
        code = code or generate_code()
        seed = new_seed()
        event = Event.objects.create(owner=owner, name=clean_name(name), code=code, next_seed=seed, **choices)
        for number, team_name in enumerate(team_names, 1):
            Team.objects.create(event=event, number=number, name=clean_name(team_name))
    return event
