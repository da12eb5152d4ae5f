import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from games.bots.bots import pick_action
from games.engine.game import SIDES, Side, other_side
from games.engine.plugins import load_plugin
from tests.voting import match_helpers as helpers
from tests.voting.box_helpers import empty
from tests.voting.turns.conftest import crashing
from voting.ballot_box.ballot_box import BallotBox
from voting.counting.ballots import unpack_ballots
from voting.models import StoredBallot, Turn, TurnState
from voting.positions import load_position
from voting.sources import casting
from voting.sources.casting import cast_due, derive_seat, is_due
from voting.sources.registry import all_sources, broken_sources, source_labels
from voting.turns.early_close import close_turn_early
from voting.turns.restoring import restore_turn
from voting.turns.turns import load_turn, start_match, to_boxed_turn

pytestmark = pytest.mark.django_db
BOT = "bot:2"
columns = st.integers(1, 7)
hidden_ballots = st.lists(columns, max_size=5)
Hidden = list[int]
GUIDE = Path(__file__).parents[3] / "docs" / "write-a-source.md"
ENTRY_POINTS = """\
[crowdgame.ballot_sources]
failing = failing_source:SOURCE
type = paper:PaperBallots
list = paper:LIST
paper = paper:SOURCE
bot = paper:SOURCE
"""
LIST = "\nLIST = PaperBallots()\nLIST.slug, LIST.addresses = 'list', ['desk-1']\n"


def begin(box: BallotBox, sources: Sequence[str] = ("phones", BOT), **choices: object) -> Turn:
    """An open turn of a match whose teams, red first, have these sources."""
    event = helpers.new_event(**choices)
    for number, source in enumerate(sources, 1):
        event.teams.filter(number=number).update(source=source)
    turn = helpers.only_turn(start_match(event.pk, box))
    helpers.open_now(turn, box)
    return turn


def expected_pick(turn: Turn, side: Side = "yellow", strength: int = 2) -> int:
    position = load_position(turn.match, before=turn)
    return pick_action(position.game, position.state, side, strength, turn.seed)


def counted(turn: Turn, side: Side = "yellow") -> list[int]:
    return sorted(ballot.choice for ballot in unpack_ballots(bytes(helpers.tally_of(turn, side).sealed)))


def counts(turn: Turn, box: BallotBox) -> dict[Side, int]:
    return box.ballot_counts(to_boxed_turn(load_turn(turn.pk)))


@pytest.mark.parametrize(("method", "votes"), [("plurality", 1), ("instant_runoff", 1), ("score", 5)])
def test_bot_votes_once_the_window_is_open(box: BallotBox, method: str, votes: int) -> None:
    turn = begin(box, tally_method=method)
    helpers.set_window(turn, box, 60_000, helpers.NINE_MINUTES_MS)
    assert not is_due()
    helpers.open_now(turn, box)
    assert is_due()
    cast_due(box)
    assert not is_due()
    assert counts(turn, box) == {"red": 0, "yellow": 1}
    helpers.vote(turn, box, red=[3])
    closed = helpers.play_out(turn, box)
    assert (closed.red_pick, closed.yellow_pick) == (3, expected_pick(turn))
    tally = helpers.tally_of(turn, "yellow")
    assert (tally.counts[expected_pick(turn) - 1], sum(tally.counts)) == (votes, votes)
    not_to_move = begin(box, game=helpers.SELECTOR, options={"token": "red"})
    cast_due(box)
    assert not is_due()
    assert counts(not_to_move, box) == {"red": 0, "yellow": 0}


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    ("owner", "step"),
    [(BallotBox, "now"), (BallotBox, "cast_new"), (casting, "store_ballots"), (casting, "load_turn")],
)
def test_crash_at_any_step_repeats_same_ballot(box: BallotBox, owner: Any, step: str, after: bool) -> None:
    turn = begin(box)
    with crashing(owner, step, after=after):
        cast_due(box)
    assert is_due()
    for _ in range(2):
        cast_due(box)
    empty()
    restore_turn(turn.pk, box)
    assert counts(turn, box)["yellow"] == 1, "it survives the loss of the ballot box"
    helpers.play_out(turn, box)
    assert counted(turn) == [expected_pick(turn)]


def test_ballot_after_the_deadline_does_not_count(box: BallotBox) -> None:
    turn = begin(box)
    helpers.run_out(turn, box)
    cast_due(box)
    helpers.play_out(turn, box)
    assert counted(turn) == []
    assert not StoredBallot.objects.filter(turn=turn).exists()
    assert not Turn.objects.get(pk=turn.pk).awaits_sources


def test_early_close_waits_for_the_bot_and_not_only_for_it(box: BallotBox) -> None:
    turn = begin(box, close_early=True)
    helpers.vote(turn, box, red=[3])
    closes_at = load_turn(turn.pk).closes_at
    close_turn_early(turn.pk, closes_at, box)
    assert load_turn(turn.pk).state == TurnState.OPEN
    cast_due(box)
    assert load_turn(turn.pk).state == TurnState.OPEN  # until the gateways say that all people have voted
    close_turn_early(turn.pk, closes_at, box)
    assert load_turn(turn.pk).yellow_pick == expected_pick(turn)


def test_bot_with_a_clock_closes_the_turn_that_only_it_holds_up(box: BallotBox) -> None:
    turn = begin(box, bank_s=300, window_s=300)
    box.cast_new(to_boxed_turn(load_turn(turn.pk)), helpers.ballots("red", [3]))
    cast_due(box)
    assert load_turn(turn.pk).yellow_pick == expected_pick(turn)


def bots_ballot(turn: Turn, box: BallotBox, side: Side, hidden: Sequence[int]) -> tuple[str, int, str]:
    """The ballot that the bot casts into a box with these ballots of the opponent, and nothing else."""
    StoredBallot.objects.filter(turn=turn).delete()
    Turn.objects.filter(pk=turn.pk).update(awaits_sources=True)
    empty()
    restore_turn(turn.pk, box)
    helpers.vote(load_turn(turn.pk), box, **{other_side(side): hidden})
    assert counts(turn, box)[other_side(side)] == len(hidden)
    cast_due(box)
    stored = StoredBallot.objects.get(turn=turn)
    return stored.voter, stored.choice, stored.blind


@settings(
    max_examples=settings().max_examples // 3,
    phases=[Phase.generate],  # shrinking takes minutes
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    played=st.lists(st.tuples(columns, columns), max_size=3),
    side=st.sampled_from(SIDES),
    strength=st.integers(1, 4),
    hidden=st.tuples(hidden_ballots, hidden_ballots),
)
def test_hidden_ballots_of_the_opponent_never_change_a_pick(
    box: BallotBox, played: list[tuple[int, int]], side: Side, strength: int, hidden: tuple[Hidden, Hidden]
) -> None:
    bot = f"bot:{strength}"
    turn = begin(box, (bot, "phones") if side == "red" else ("phones", bot))
    helpers.play(turn.match, box, played)
    turn = helpers.only_turn(turn.match)
    helpers.open_now(turn, box)
    first, second = (bots_ballot(turn, box, side, columns) for columns in hidden)
    assert first == second
    seat = derive_seat(turn.match.event_id, bot, "bot")
    assert first[:2] == (seat, expected_pick(turn, side, strength))


def test_match_pauses_if_only_the_bot_votes(box: BallotBox) -> None:
    turn = begin(box)
    assert [team.source for team in helpers.shown(turn.match.event_id).teams] == ["phones", BOT]
    for state in (TurnState.OPEN, TurnState.PAUSED):
        helpers.open_now(turn, box)
        cast_due(box)
        helpers.play_out(turn, box)
        turn = helpers.only_turn(turn.match)
        assert turn.state == state


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of the example, installed as a package with broken sources and one to replace the bots."""
    info = tmp_path / "paper-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: paper\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(ENTRY_POINTS)
    code = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)[0]
    (tmp_path / "paper.py").write_text(code.replace("/srv/paper-ballots", str(tmp_path)) + LIST)
    (tmp_path / "failing_source.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    clear_source_caches()
    yield tmp_path
    sys.modules.pop("paper", None)
    clear_source_caches()


def clear_source_caches() -> None:
    all_sources.cache_clear()
    load_plugin.cache_clear()


def test_later_choice_of_an_account_counts_and_illegal_ones_do_not(box: BallotBox, desk: Path) -> None:
    assert [source.slug for source in broken_sources()] == ["failing", "type", "list"]
    assert source_labels()["paper:desk-2"] == "Paper ballots, desk 2"
    assert source_labels()["bot:5"] == "Computer 5, full strength", "no other source replaces it"
    turn = begin(box, ("phones", "paper:desk-1"))
    file = desk / f"desk-1-{turn.pk}.txt"
    cast_due(box)
    file.write_text("Ann Lee 2\nBob 3\n")
    cast_due(box)
    file.write_text("Ann Lee 2\nBob 3\nAnn Lee 5\nCarl 9\nnobody\n")
    cast_due(box)
    cast_due(box)
    assert is_due()
    helpers.play_out(turn, box)
    assert counted(turn) == [3, 5]
    cast_due(box)
    assert not is_due()
