"""An event on SQLite is lost midway, with or without its files, and continues from a backup."""

import shutil
from collections.abc import Iterator

import pytest

from crowdgame.server.laptop.stack import Stack
from tests.restore_helpers import Lost, RestoredEvent, RestoreTests, lose_event, restored_event

pytestmark = pytest.mark.nightly


def lose_disk(stack: Stack) -> None:
    """The disk is lost; the secret key is in the environment."""
    for path in [*stack.data.glob("db.sqlite3*")]:
        path.unlink()
    shutil.rmtree(stack.data / "valkey")


def keep_disk(stack: Stack) -> None:
    """The disk survives, with everything the ballot box has stored."""
    assert (stack.data / "db.sqlite3").exists()
    assert (stack.data / "valkey").exists()


LOST = {lose_disk: ("--box-is-empty",), keep_disk: ()}


@pytest.fixture(scope="module")
def lost(tmp_path_factory: pytest.TempPathFactory) -> Lost:
    return lose_event(tmp_path_factory.mktemp("lost"), "")


@pytest.fixture(
    scope="module",
    params=[lose_disk, pytest.param(keep_disk, marks=pytest.mark.nightly)],
    ids=lambda lose: lose.__name__,
)
def restored(
    request: pytest.FixtureRequest, lost: Lost, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RestoredEvent]:
    copy = lost.copied(tmp_path_factory.mktemp("restore") / "data", "")
    request.param(copy.stack)
    with restored_event(copy, *LOST[request.param]) as restored:
        yield restored


class TestOnSqlite(RestoreTests):
    def test_restore_keeps_replaced_files_beside_new_ones(self, restored: RestoredEvent) -> None:
        data = restored.server.stack.data
        kept = [path.name[:14] for path in data.glob("*before-restore-*")]
        assert sorted(kept) in ([], ["before-restore", "valkey-before-"])
