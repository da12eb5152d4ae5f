"""The example in docs/write-a-source.md votes as printed."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.voting.match_helpers import play_out
from tests.voting.sources.test_casting import begin, counted
from voting.ballot_box.ballot_box import BallotBox
from voting.sources.casting import cast_due, is_due
from voting.sources.registry import all_sources, source_labels

pytestmark = pytest.mark.django_db
GUIDE = Path(__file__).parents[3] / "docs" / "write-a-source.md"
ENTRY_POINTS = "[crowdgame.ballot_sources]\npaper = paper:SOURCE\nbot = paper:SOURCE\n"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the example, which is installed as a package and also tries to replace the bots."""
    info = tmp_path / "paper-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: paper\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    code = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)[0]
    (tmp_path / "paper.py").write_text(code.replace("/srv/paper-ballots", str(tmp_path)))
    monkeypatch.syspath_prepend(tmp_path)
    all_sources.cache_clear()
    yield tmp_path
    sys.modules.pop("paper", None)
    all_sources.cache_clear()


def test_later_choice_of_an_account_counts_and_illegal_ones_do_not(box: BallotBox, desk: Path) -> None:
    assert source_labels()["paper:desk-2"] == "Paper ballots, desk 2"
    assert source_labels()["bot:5"] == "Computer 5, full strength", "no other source replaces it"
    turn = begin(box, ("phones", "paper:desk-1"))
    ballots = desk / f"desk-1-{turn.pk}.txt"
    cast_due(box)
    ballots.write_text("Ann Lee 2\nBob 3\n")
    cast_due(box)
    ballots.write_text("Ann Lee 2\nBob 3\nAnn Lee 5\nCarl 9\nnobody\n")
    cast_due(box)
    cast_due(box)
    assert is_due()
    play_out(turn, box)
    assert counted(turn) == [3, 5]
    cast_due(box)
    assert not is_due()
