"""Pages with a shared gzip prefix decompress to the same content for every client."""

import gzip

from hypothesis import given
from hypothesis import strategies as st

from crowdgame.web.gzip_prefix import PrefixCompressor

PRESS = PrefixCompressor(b"<!doctype html>" + bytes(range(256)) * 200)


@given(st.binary(max_size=5_000), st.binary(max_size=0xFFFF))
def test_gzip_prefix_and_rest_decompress_to_input(state: bytes, rest: bytes) -> None:
    prefix = PRESS.extend(state)
    assert gzip.decompress(prefix.complete(rest)) == prefix.plain + rest


def test_state_similar_to_page_compresses_well() -> None:
    page = b"".join(b"const name%d = state.turn.closes_at;" % n for n in range(500))
    press = PrefixCompressor(page)
    alone = len(press.extend(b"").gzipped)
    assert len(press.extend(page[:2_000]).gzipped) < alone + 100


def test_gzip_prefix_does_not_depend_on_earlier_ones() -> None:
    first = PRESS.extend(b"a" * 500).complete(b"x")
    PRESS.extend(b"b" * 500)
    assert PRESS.extend(b"a" * 500).complete(b"x") == first
