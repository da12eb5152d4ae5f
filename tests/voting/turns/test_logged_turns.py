"""A turn is in the log once, before its seal is published, whenever a process dies."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.voting.concurrency_helpers import at_once
from tests.voting.match_helpers import kinds
from tests.voting.recovery_model import Crash, InterruptedBox, PublishedBox
from tests.voting.turns.conftest import DueTurn
from tests.voting.turns.test_turn_crashes import DyingBox
from voting.ballot_box.ballot_box import BallotBox
from voting.models import LogEntry, Turn
from voting.transparency.log import load_log, log_root
from voting.turns.closing import close_together, close_turn

pytestmark = pytest.mark.django_db


def logged(turn: Turn) -> list[str]:
    """The types of the turn's entries."""
    contents = LogEntry.objects.filter(turn=turn.pk).order_by("pk").values_list("content", flat=True)
    return [content.split('"')[3] for content in contents]


def crash() -> None:
    raise Crash


@pytest.mark.parametrize("dying_box", [InterruptedBox, PublishedBox])
def test_seal_is_logged_once_after_crash(
    dying_box: type[InterruptedBox | PublishedBox], due: DueTurn, box: BallotBox
) -> None:
    """The process dies after the box froze the ballots, or after the seal was recorded and published."""
    turn = due(red=[3], yellow=[6])
    dying = dying_box(crash)
    with pytest.raises(Crash):
        close_turn(turn.pk, dying)
    dying.close()
    assert logged(turn) == (["lot 1"] if dying_box is InterruptedBox else ["lot 1", "seal 1"])
    close_turn(turn.pk, box)
    assert logged(turn) == ["lot 1", "seal 1"]
    assert "turn.revealed" in kinds(turn.match.event_id)


@pytest.mark.parametrize("step", ["seal_all", "place_all", "expire_all"])
def test_next_turn_is_logged_once_after_crash(step: str, due: DueTurn, box: BallotBox) -> None:
    turn = due(red=[3], yellow=[6])
    dying = DyingBox(step, before=False)
    with pytest.raises(Crash):
        close_turn(turn.pk, dying)
    dying.close()
    close_turn(turn.pk, box)
    assert [logged(one) for one in turn.match.turns.order_by("pk")] == [["lot 1", "seal 1"], ["lot 1"]]


def test_seal_is_logged_before_it_is_published(
    due: DueTurn, box: BallotBox, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn, at_publishing = due(red=[3], yellow=[6]), list[list[str]]()

    def die(_: object) -> None:
        at_publishing.append(logged(turn))
        raise Crash

    monkeypatch.setattr("voting.turns.closing.publish_seals", die)
    with pytest.raises(Crash):
        close_turn(turn.pk, box)
    monkeypatch.undo()
    close_turn(turn.pk, box)
    assert (at_publishing, logged(turn)) == ([["lot 1", "seal 1"]], ["lot 1", "seal 1"])


def test_set_of_turns_appends_with_as_many_statements_as_one(due: DueTurn, box: BallotBox) -> None:
    close_turn(due(red=[1]).pk, box)
    statements = []
    for turns in ([due(red=[1]), due(red=[1])], [due(red=[column]) for column in range(1, 7)]):
        with CaptureQueriesContext(connection) as queries:
            assert close_together([turn.pk for turn in turns], box) == []
        statements.append(sum("voting_log" in query["sql"] for query in queries))
    assert statements == [6, 6]  # three for the seals, three for the next turns


@pytest.mark.django_db(transaction=True)
def test_concurrent_closings_keep_one_order(due: DueTurn, box: BallotBox) -> None:
    turns = [due(red=[column]) for column in range(1, 5)]
    at_once(4, lambda own: close_together([turn.pk for turn in turns], own))
    for turn in turns:
        close_turn(turn.pk, box)
    checkpoint = load_log().checkpoint
    assert [*LogEntry.objects.order_by("pk").values_list("pk", flat=True)] == [*range(checkpoint.size)]
    assert log_root(checkpoint.size) == checkpoint.root
    assert [logged(turn) for turn in turns] == [["lot 1", "seal 1"]] * 4
