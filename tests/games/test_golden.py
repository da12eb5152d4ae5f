"""Golden playthroughs, reviewed by hand, of each game that draws its own board."""

from pathlib import Path

import msgspec
import pytest

from games.engine.game import Result, Side, insert_team_names
from games.engine.record import read_record, replay

LINES = (Path(__file__).parent / "golden.ndjson").read_text().splitlines()
NAMES: dict[Side, str] = {"red": "Rooks", "yellow": "Doves"}


class Golden(msgspec.Struct):
    game: str
    sentences: tuple[str, ...]
    words: str
    result: Result


@pytest.mark.parametrize("line", LINES, ids=lambda line: msgspec.json.decode(line, type=Golden).game)
def test_golden_playthrough_matches_approved_text(line: str) -> None:
    golden = msgspec.json.decode(line, type=Golden)
    played = replay(read_record(line))
    assert played.error is None
    assert (
        tuple(insert_team_names(" ".join(turn.sentences), NAMES) for turn in played.resolutions)
        == golden.sentences
    )
    assert played.board.drawing
    assert insert_team_names(played.board.drawing.words, NAMES) == golden.words
    assert played.result == golden.result
