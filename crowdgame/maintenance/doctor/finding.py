"""What `manage.py doctor` reports."""

from typing import NamedTuple


class Finding(NamedTuple):
    """A problem and its remedy. If `is_wrong` is false, it could not be checked, or may be intended."""

    problem: str
    remedy: str
    is_wrong: bool = True


def not_visible(what: str, remedy: str) -> Finding:
    return Finding(what, remedy, is_wrong=False)
