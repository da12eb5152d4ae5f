"""A page with a common beginning is the same gzip stream to everybody."""

import gzip

from hypothesis import given
from hypothesis import strategies as some

from crowdgame.web.open_ended import Press

PRESS = Press(b"<!doctype html>" + bytes(range(256)) * 200)


@given(some.binary(max_size=5_000), some.binary(max_size=0xFFFF))
def test_it_is_what_was_put_in(state: bytes, rest: bytes) -> None:
    begun = PRESS.beginning(state)
    assert gzip.decompress(begun.ended(rest)) == begun.plain + rest


def test_one_beginning_leaves_the_next_as_it_would_be() -> None:
    first = PRESS.beginning(b"a" * 500).ended(b"x")
    PRESS.beginning(b"b" * 500)
    assert PRESS.beginning(b"a" * 500).ended(b"x") == first
    assert first != PRESS.beginning(b"a" * 500).ended(b"y")


def test_what_is_like_the_page_costs_little() -> None:
    page = b"".join(b"const name%d = state.turn.closes_at;" % n for n in range(500))
    press = Press(page)
    alone = len(press.beginning(b"").gzipped)
    assert len(press.beginning(page[:2_000]).gzipped) < alone + 100
