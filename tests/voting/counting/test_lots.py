from collections import Counter
from hashlib import sha256

from hypothesis import given
from hypothesis import strategies as st

from voting.counting.commitments import commit_lot, draw_lot

SEED = "00112233445566778899aabbccddeeff"
seeds = st.text("0123456789abcdef", min_size=32, max_size=32)


def test_commit_lot_and_draw_lot_match_documented_format() -> None:
    """`printf 'crowdgame lot:00112233445566778899aabbccddeeff' | sha256sum` prints the commitment."""
    assert commit_lot(SEED) == sha256(b"crowdgame lot:00112233445566778899aabbccddeeff").hexdigest()
    red = int(sha256(b"00112233445566778899aabbccddeeff:red").hexdigest(), 16)
    assert [draw_lot(SEED, "red", n) for n in (1, 7, 1000)] == [0, red % 7, red % 1000]


@given(seeds, st.integers(1, 10_000))
def test_draw_lot_is_in_range_and_deterministic(seed: str, among: int) -> None:
    for lot in (draw_lot(seed, "red", among), draw_lot(seed, "yellow", among)):
        assert 0 <= lot < among
    assert draw_lot(seed, "red", among) == draw_lot(seed, "red", among)


@given(seeds, seeds)
def test_commit_lot_differs_by_seed_and_from_draw(one: str, two: str) -> None:
    assert (commit_lot(one) == commit_lot(two)) == (one == two)
    assert int(commit_lot(one), 16) != draw_lot(one, "red", 1 << 256)


def test_draw_lot_is_uniform_and_independent_by_side() -> None:
    drawn = [(draw_lot(f"{n:032x}", "red", 7), draw_lot(f"{n:032x}", "yellow", 7)) for n in range(7_000)]
    for side in (0, 1):
        assert all(850 < count < 1_150 for count in Counter(pair[side] for pair in drawn).values())
    assert 850 < sum(red == yellow for red, yellow in drawn) < 1_150
