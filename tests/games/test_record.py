"""Malformed game records, and records with invalid or unexpected contents."""

from contextlib import suppress
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.engine.errors import BadRecord, GameError
from games.engine.record import read_record, replay

GAME = '"game":"simultaneous-captains-mistress"'
anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    "line",
    [
        *(b"", b"null", b"[]", b"{}", b"{", bytes(range(256)), b'{"game":"\xff"}', b'{"game":"\\ud800"}'),
        *(b"[" * 100_000, b'{"game":' + b"[" * 100_000),
        ("{" + GAME + "} {}").encode(),
        *(
            ("{" + GAME + ',"turns":' + turns + "}").encode()
            for turns in ("null", "[[4,4]]", '[{"red":NaN}]', '[{"red":' + "9" * 5000 + "}]")
        ),
    ],
    ids=lambda line: f"{len(line)} bytes",
)
def test_read_record_refuses_malformed_line(line: bytes) -> None:
    with pytest.raises(BadRecord, match=r"[a-z] "):  # words, not only a value
        read_record(line)


@pytest.mark.parametrize(
    "pick", ["9" * 4000, '"' + "x" * 10_000 + '"', "[" * 900 + "]" * 900, "4.0", "1e300", '"4"', "true", "{}"]
)
def test_replay_refuses_invalid_pick_with_short_error(pick: str) -> None:
    replayed = replay(read_record("{" + GAME + ',"turns":[{"red":1},{"red":' + pick + ',"yellow":1}]}'))
    assert (replayed.error_turn, len(replayed.resolutions)) == (2, 1)
    assert len(replayed.error or "") < 150


def test_replay_refuses_unknown_side() -> None:
    replayed = replay(read_record("{" + GAME + ',"turns":[{"red":1},{"blue":1}]}'))
    assert (replayed.error_turn, replayed.error) == (2, "there is no side called 'blue'")


@given(st.fixed_dictionaries({}, optional={"game": anything, "options": anything, "turns": anything}))
def test_replay_of_any_json_raises_only_game_errors(raw: dict[str, Any]) -> None:
    with suppress(GameError):
        replay(read_record(msgspec.json.encode(raw)))


@given(
    st.sampled_from([("captains-mistress", {"first": "red"}), ("simultaneous-captains-mistress", {})]),
    st.lists(anything, max_size=4),
)
def test_replay_handles_any_picks(game: tuple[str, dict[str, str]], picks: list[Any]) -> None:
    turns = [{"red": pick, "yellow": other} for pick, other in zip(picks, reversed(picks), strict=True)]
    raw = {"game": game[0], "options": game[1], "turns": turns, "name": picks}
    replayed = replay(read_record(msgspec.json.encode(raw)))
    assert len(replayed.resolutions) == (replayed.error_turn or len(turns) + 1) - 1
