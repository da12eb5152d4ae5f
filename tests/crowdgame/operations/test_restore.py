"""An evening on SQLite is lost in the middle, with or without its data, and goes on from a backup."""

import shutil
from collections.abc import Iterator

import pytest

from deploy.laptop.stack import Stack
from tests.restore_helpers import GoesOn, Lost, RestoredEvent, lose_event, restored_event


def everything(stack: Stack) -> None:
    """The disk is gone: the key is in the environment."""
    for path in [*stack.data.glob("db.sqlite3*")]:
        path.unlink()
    shutil.rmtree(stack.data / "valkey")


def nothing(stack: Stack) -> None:
    """The disk is there, with all that the ballot box kept of what is to be lost."""
    assert (stack.data / "db.sqlite3").exists()
    assert (stack.data / "valkey").exists()


LOST = {everything: ("--box-is-empty",), nothing: ()}


@pytest.fixture(scope="module")
def lost(tmp_path_factory: pytest.TempPathFactory) -> Lost:
    return lose_event(tmp_path_factory.mktemp("lost"), "")


@pytest.fixture(
    scope="module",
    params=[everything, pytest.param(nothing, marks=pytest.mark.thorough)],
    ids=lambda lose: lose.__name__,
)
def restored(
    request: pytest.FixtureRequest, lost: Lost, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RestoredEvent]:
    copy = lost.copied(tmp_path_factory.mktemp("restore") / "data", "")
    request.param(copy.stack)
    with restored_event(copy, *LOST[request.param]) as restored:
        yield restored


class TestOnSqlite(GoesOn):
    def test_what_was_there_before_is_kept_beside_it(self, restored: RestoredEvent) -> None:
        data = restored.house.stack.data
        kept = [path.name[:14] for path in data.glob("*before-restore-*")]
        assert sorted(kept) in ([], ["before-restore", "valkey-before-"])
